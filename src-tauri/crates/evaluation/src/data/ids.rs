//! Unique ids of cases.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{canonical, rejection::Rejection};

/// The default column of ids.
const DEFAULT_COLUMN: &str = "id";

/// The ids in use.
#[derive(Default)]
pub(crate) struct Ids {
    /// For each id in use, the line or list item of its case.
    given: HashMap<String, u32>,
    /// For the hash of each repeated row, the highest number appended to an id with that hash, such as 2 in `#2`.
    repeats: HashMap<String, u32>,
}

impl Ids {
    /// Returns the id of a row, and whether the row repeats an earlier one. Rejects the row if a named id column has no
    /// value, or if the id is neither text nor a number or is already in use.
    pub(crate) fn id(
        &mut self,
        named: Option<&str>,
        row: &Map<String, Value>,
        line: u32,
        unit: &str,
    ) -> Result<(String, bool), Rejection> {
        let column = named.unwrap_or(DEFAULT_COLUMN);
        let reject = |message: String| {
            Err(Rejection {
                column: Some(column.to_owned()),
                message,
            })
        };
        let id = match row.get(column) {
            Some(Value::String(id)) => id.trim().to_owned(),
            Some(Value::Number(id)) => id.to_string(),
            None | Some(Value::Null) => String::new(),
            Some(_) => {
                return reject(
                    "An id must be text or a number. Correct it, or remove it.".to_owned(),
                );
            }
        };
        if id.is_empty() {
            return match named {
                Some(_) => reject(format!("The row has no id in `{column}`. Add one.")),
                None => Ok(self.of_hash(canonical::hash(row), line)),
            };
        }
        if let Some(first) = self.given.get(&id) {
            return reject(format!(
                "The id `{id}` of {unit} {line} is already used by {unit} {first}. Give each case its own id."
            ));
        }
        self.given.insert(id.clone(), line);
        Ok((id, false))
    }

    fn of_hash(&mut self, hash: String, line: u32) -> (String, bool) {
        if !self.given.contains_key(&hash) {
            self.given.insert(hash.clone(), line);
            return (hash, false);
        }
        let last = self.repeats.entry(hash.clone()).or_insert(1);
        loop {
            *last = last.saturating_add(1);
            let id = format!("{hash}#{last}");
            if !self.given.contains_key(&id) {
                self.given.insert(id.clone(), line);
                return (id, true);
            }
        }
    }
}
