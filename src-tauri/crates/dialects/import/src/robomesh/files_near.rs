//! Inserts workflows in separate files into the document before anything else reads it.

use serde_json::Value;

use crate::{Outcome, format::FilesNear, read};

/// Fields that name another file.
const FIELDS: [&str; 2] = ["workflowPath", "workflowRef"];
/// The maximum number of files of one import. A file may be read several times.
const MOST_FILES: usize = 50;

/// A report entry about a file: its path and a sentence.
type Note = (Outcome, String, String);

/// Inserts the workflow of each file that `value` names, as `inlineWorkflow`. Returns the result and a report entry for each
/// file.
pub(super) fn inline(mut value: Value, files_near: &FilesNear) -> (Value, Vec<Note>) {
    let mut files = Files {
        files_near,
        open: Vec::new(),
        notes: Vec::new(),
    };
    files.walk(&mut value);
    (value, files.notes)
}

struct Files<'b> {
    files_near: &'b FilesNear,
    /// The files through which the current file was reached, to detect a file that contains itself.
    open: Vec<String>,
    notes: Vec<Note>,
}

impl Files<'_> {
    fn walk(&mut self, value: &mut Value) {
        if let Value::Array(items) = value {
            items.iter_mut().for_each(|item| self.walk(item));
        }
        let Value::Object(fields) = value else {
            return;
        };
        fields.values_mut().for_each(|field| self.walk(field));
        let path = FIELDS.iter().find_map(|field| fields.get(*field)?.as_str());
        let Some(path) = path.filter(|_| !fields.contains_key("inlineWorkflow")) else {
            return;
        };
        match self.file(path) {
            Ok(None) => {}
            Ok(Some(inner)) => {
                fields.insert("inlineWorkflow".to_owned(), inner);
            }
            Err(why) => {
                let says = format!("The file was not read: {why}");
                (self.notes).push((Outcome::Placeholder, path.to_owned(), says));
            }
        }
    }

    /// Reads the workflow in a file. Returns `None` if the file may not be read or contains no object. Fails if the file contains
    /// itself or cannot be parsed, or if too many files were read.
    fn file(&mut self, path: &str) -> Result<Option<Value>, String> {
        if self.open.iter().any(|open| open == path) {
            return Err("it contains itself, directly or through other files".to_owned());
        }
        let Some(text) = (self.files_near.read)(path) else {
            return Ok(None);
        };
        let were_read = (self.notes.iter()).filter(|note| note.0 == Outcome::Mapped);
        if were_read.count() >= MOST_FILES {
            return Err(format!("one import reads at most {MOST_FILES} other files"));
        }
        let source = read::source(&text).map_err(|error| error.to_string())?;
        let Some(mut inner) = source.value().filter(|value| value.is_object()).cloned() else {
            return Ok(None);
        };
        let says = "This file was imported too, as a subflow.";
        self.notes
            .push((Outcome::Mapped, path.to_owned(), says.to_owned()));
        self.open.push(path.to_owned());
        self.walk(&mut inner);
        self.open.pop();
        Ok(Some(inner))
    }
}
