//! Workflows in files of their own: what lies beside the file is put inline, before anything else looks at it.

use serde_json::Value;

use crate::{Beside, read};

/// Fields that name another file.
const FIELDS: [&str; 2] = ["workflowPath", "workflowRef"];
/// Files of one import; each may name the same ones again.
const MOST_FILES: usize = 50;

/// What was read and what was not, a path and a sentence each.
pub(super) struct Inlined {
    pub(super) read: Vec<String>,
    pub(super) refused: Vec<(String, String)>,
}

/// Puts the workflows that `value` names into it as `inlineWorkflow`.
pub(super) fn inline(value: &mut Value, beside: &Beside) -> Inlined {
    let mut files = Files {
        beside,
        open: Vec::new(),
        done: Inlined {
            read: Vec::new(),
            refused: Vec::new(),
        },
    };
    files.walk(value);
    files.done
}

struct Files<'b> {
    beside: &'b Beside,
    /// The files that the one being read stands in.
    open: Vec<String>,
    done: Inlined,
}

impl Files<'_> {
    fn walk(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.walk(field));
                if fields.contains_key("inlineWorkflow") {
                    return;
                }
                let path = FIELDS.iter().find_map(|field| fields.get(*field)?.as_str());
                if let Some(inner) = path.map(str::to_owned).and_then(|path| self.file(path)) {
                    fields.insert("inlineWorkflow".to_owned(), inner);
                }
            }
            _ => {}
        }
    }

    fn file(&mut self, path: String) -> Option<Value> {
        let refuse = |files: &mut Self, path: String, why: String| {
            files.done.refused.push((path, why));
            None
        };
        if self.open.contains(&path) {
            return refuse(
                self,
                path,
                "it holds itself, by however many files".to_owned(),
            );
        }
        let text = (self.beside.0)(&path)?;
        if self.done.read.len() >= MOST_FILES {
            return refuse(
                self,
                path,
                format!("at most {MOST_FILES} files are read with one"),
            );
        }
        let found = match read::source(&text) {
            Ok(source) => source.value().cloned(),
            Err(error) => return refuse(self, path, error.to_string()),
        };
        let mut inner = found.filter(Value::is_object)?;
        self.done.read.push(path.clone());
        self.open.push(path);
        self.walk(&mut inner);
        self.open.pop();
        Some(inner)
    }
}
