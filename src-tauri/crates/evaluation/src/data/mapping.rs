//! Maps rows to cases: ids, inputs and expected results.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    data_set::{Columns, DataSet, InputColumn},
    error::DataError,
    ids::Ids,
    limits::{Limits, MAX_REJECTED},
    notes::{Fact, Notes},
    rejection::Rejection,
    shape::shape,
    shaped_row::ShapedRow,
    values,
};
use crate::{
    nearest::{did_you_mean, list},
    result::{Case, RejectedRow},
};

/// The default columns of the expected result, in order of preference.
const EXPECTED: [&str; 4] = ["expected", "target", "reference", "ideal"];

/// Builds a data set from rows.
pub(crate) struct Mapper<'a> {
    wanted: &'a Columns,
    is_table: bool,
    limits: Limits,
    /// The unit in which messages count rows: `line` or `item`.
    unit: &'static str,
    data: DataSet,
    seen: HashSet<String>,
    ids: Ids,
    notes: Notes,
    rows: u32,
    more_rejected: u32,
    /// The input that is read from the column `input` although it has another name. `None` if there is no such input.
    fallback: Option<&'a InputColumn>,
}

impl<'a> Mapper<'a> {
    pub(crate) fn new(wanted: &'a Columns, is_table: bool, limits: Limits) -> Self {
        Self {
            wanted,
            is_table,
            limits,
            unit: "line",
            data: DataSet::default(),
            seen: HashSet::new(),
            ids: Ids::default(),
            notes: Notes::default(),
            rows: 0,
            more_rejected: 0,
            fallback: fallback(wanted),
        }
    }

    /// Makes messages count rows as list items instead of lines.
    pub(crate) fn count_items(&mut self) {
        self.unit = "item";
    }

    /// Returns the number of well-formed rows.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    pub(crate) fn note(&mut self, sentence: impl Into<String>) {
        self.notes.add_sentence(sentence);
    }

    /// Sets the columns of a table.
    ///
    /// # Errors
    /// Returns an error if a required column is missing.
    pub(crate) fn set_header(&mut self, names: &[String], line: u32) -> Result<(), DataError> {
        for name in names {
            self.see(name);
        }
        self.check_columns().map_err(|error| DataError {
            line: Some(line),
            ..error
        })
    }

    pub(crate) fn reject(&mut self, line: u32, column: Option<&str>, message: impl Into<String>) {
        if self.data.rejected.len() < MAX_REJECTED {
            self.data.rejected.push(RejectedRow {
                line,
                column: column.map(str::to_owned),
                message: message.into(),
            });
        } else {
            self.more_rejected = self.more_rejected.saturating_add(1);
        }
    }

    pub(crate) fn reject_encoding(&mut self, line: u32, byte: usize) {
        self.reject(
            line,
            None,
            format!("Byte {byte} of the row is not UTF-8. Save the file in UTF-8."),
        );
    }

    pub(crate) fn reject_encoding_in(&mut self, line: u32, column: &str, byte: usize) {
        self.reject(
            line,
            Some(column),
            format!("Byte {byte} of the cell is not UTF-8. Save the file in UTF-8."),
        );
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Returns an error if there are more cases than the limit. An invalid row causes no error; it is added to the rejected
    /// rows.
    pub(crate) fn add(&mut self, line: u32, row: Map<String, Value>) -> Result<(), DataError> {
        self.rows = self.rows.saturating_add(1);
        let wanted = self.wanted;
        let is_wanted = |name: &str| {
            wanted.inputs.iter().any(|input| column_of(input) == name)
                || wanted.id.as_deref() == Some(name)
                || wanted.expected.as_deref() == Some(name)
        };
        for shaped in shape(row, line, is_wanted, &mut self.notes) {
            for name in shaped.row.keys() {
                self.see(name);
            }
            match self.case(line, shaped) {
                Ok(_) if self.data.cases.len() >= self.limits.cases => {
                    return Err(DataError::at(
                        line,
                        format!(
                            "The data set has more than {} cases. Split the file.",
                            self.limits.cases
                        ),
                    ));
                }
                Ok(case) => self.data.cases.push(case),
                Err(why) => self.reject(line, why.column.as_deref(), why.message),
            }
        }
        Ok(())
    }

    fn see(&mut self, name: &str) {
        if !self.seen.contains(name) {
            self.seen.insert(name.to_owned());
            self.data.columns.push(name.to_owned());
        }
    }

    fn case(&mut self, line: u32, shaped: ShapedRow) -> Result<Case, Rejection> {
        let ShapedRow { row, expected } = shaped;
        let mut inputs = Map::new();
        for input in &self.wanted.inputs {
            let mut column = column_of(input);
            let is_fallback = self.fallback.is_some_and(|only| std::ptr::eq(only, input));
            if is_fallback && !row.contains_key(column) && row.contains_key("input") {
                column = "input";
                self.notes.add(Fact::InputFills(input.name.clone()), line);
            }
            let found = row.get(column);
            let value = match found {
                None => None,
                Some(value) => {
                    let converted = values::convert(value, input, self.is_table);
                    let converted = converted.map_err(|message| Rejection {
                        column: Some(column.to_owned()),
                        message,
                    })?;
                    if converted.is_conversation {
                        self.notes.add(Fact::Conversation, line);
                    }
                    converted.value
                }
            };
            match value {
                Some(value) => {
                    inputs.insert(input.name.clone(), value);
                }
                None if needs_value(input) => {
                    return Err(Rejection {
                        column: Some(column.to_owned()),
                        message: format!(
                            "The row has no {} `{column}`, which the input `{}` needs. Add it, or give the input a default.",
                            if found.is_some() {
                                "value in the column"
                            } else {
                                "column"
                            },
                            input.name
                        ),
                    });
                }
                None => {}
            }
        }
        let expected = self.expected(&row, expected);
        let (id, is_repeated) = self
            .ids
            .id(self.wanted.id.as_deref(), &row, line, self.unit)?;
        if is_repeated {
            self.notes.add(Fact::Repeated, line);
        }
        Ok(Case {
            id,
            line,
            inputs,
            expected,
            row,
        })
    }

    /// Returns the expected result, or `None`. If the evaluation names a column, this is the value of that column,
    /// otherwise the result that the file format defines, otherwise the value of a default column.
    fn expected(&self, row: &Map<String, Value>, of_format: Option<Value>) -> Option<Value> {
        let value = |name: &str| {
            row.get(name)
                .filter(|value| !value.is_null())
                .filter(|value| !self.is_table || value.as_str() != Some(""))
                .cloned()
        };
        match &self.wanted.expected {
            Some(name) => value(name),
            None => of_format.or_else(|| {
                EXPECTED
                    .iter()
                    .filter(|name| {
                        let inputs = &self.wanted.inputs;
                        !inputs.iter().any(|input| column_of(input) == **name)
                    })
                    .find_map(|name| value(name))
            }),
        }
    }

    /// Checks that each column that the evaluation names or a required input needs occurs in at least one row.
    fn check_columns(&self) -> Result<(), DataError> {
        let columns = || self.data.columns.iter().map(String::as_str);
        let has = |name: &str| self.seen.contains(name);
        let missing = |name: &str, why: String, remedy: String| {
            let error = DataError::new(format!(
                "The data set has no column `{name}`, {why}. Its columns are {}.{} {remedy}",
                list(columns()),
                did_you_mean(name, columns()),
            ));
            Err(error.of_column(name))
        };
        for input in &self.wanted.inputs {
            let name = column_of(input);
            let is_fallback = self.fallback.is_some_and(|only| std::ptr::eq(only, input));
            let is_named = input.column.is_some();
            if has(name) || !(is_named || needs_value(input)) || (is_fallback && has("input")) {
                continue;
            }
            let remedy = if is_named {
                "Correct `data.inputs`, or rename the column.".to_owned()
            } else {
                format!(
                    "Rename a column, or name the one that fills the input: \"data\": {{ \"inputs\": {{ \"{name}\": \"COLUMN\" }} }}."
                )
            };
            return missing(
                name,
                format!("which fills the input `{}`", input.name),
                remedy,
            );
        }
        for (name, field) in [(&self.wanted.id, "id"), (&self.wanted.expected, "expected")] {
            if let Some(name) = name
                && !has(name)
            {
                let remedy = format!("Correct `data.{field}`, or rename the column.");
                return missing(name, format!("which `data.{field}` names"), remedy);
            }
        }
        Ok(())
    }

    /// Returns the data set.
    ///
    /// # Errors
    /// Returns an error if there are no rows, or if no row has a required column.
    pub(crate) fn finish(mut self) -> Result<DataSet, DataError> {
        if self.rows > 0 {
            self.check_columns()?;
        } else if self.data.rejected.is_empty() {
            return Err(DataError::new(
                "The file has no rows. Write a row for each case.",
            ));
        }
        if self.more_rejected > 0 {
            self.notes.add_sentence(format!(
                "{} rejected. The first {MAX_REJECTED} are listed.",
                match self.more_rejected {
                    1 => "1 more row was".to_owned(),
                    more => format!("{more} more rows were"),
                }
            ));
        }
        self.data.notes = self.notes.into_sentences(self.unit);
        Ok(self.data)
    }
}

fn column_of(input: &InputColumn) -> &str {
    input.column.as_deref().unwrap_or(&input.name)
}

fn needs_value(input: &InputColumn) -> bool {
    input.required && !input.has_default
}

/// Returns the input that may be read from the column `input`: the only input that requires a value, or else the only input.
/// Returns `None` if the evaluation names a column for that input, or if some input already reads the column `input`.
fn fallback(wanted: &Columns) -> Option<&InputColumn> {
    if wanted
        .inputs
        .iter()
        .any(|input| column_of(input) == "input")
    {
        return None;
    }
    let mut needing = wanted.inputs.iter().filter(|input| needs_value(input));
    let only = match (needing.next(), needing.next(), wanted.inputs.as_slice()) {
        (Some(only), None, _) | (None, None, [only]) => only,
        _ => return None,
    };
    only.column.is_none().then_some(only)
}
