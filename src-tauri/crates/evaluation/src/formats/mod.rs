//! Results in the formats of other programs.
//!
//! | module | format | for |
//! | --- | --- | --- |
//! | [`results`] | JSON lines, one for each run | scripts |
//! | [`cases`] | CSV, a row for each run | spreadsheets |
//! | [`csv`] | CSV | any table |
//! | [`junit`] | JUnit XML | CI systems |
//! | [`inspect`] | an Inspect evaluation log | the viewer and the library of Inspect |

pub mod cases;
pub mod csv;
pub mod inspect;
pub mod junit;
pub mod results;

use serde_json::Value;

use crate::result::{Case, CellResult, CellStatus};

/// The results of an experiment, as input for the writers.
#[derive(Debug, Clone, Copy)]
pub struct Results<'a> {
    /// The cases of the data set. `cells` refers to a case by its index.
    pub cases: &'a [Case],
    /// The names of the variants. `cells` refers to a variant by its index.
    pub variants: &'a [String],
    /// The names of the scorers, in the order of a result's scores.
    pub scorers: &'a [String],
    /// The results of the runs, in the order in which they are written.
    pub cells: &'a [CellResult],
}

impl<'a> Results<'a> {
    /// Returns the case of a result, or `None` if its index is out of range.
    fn case(&self, result: &CellResult) -> Option<&'a Case> {
        self.cases.get(result.cell.case as usize)
    }

    /// Returns the name of a result's variant, or an empty string if its index is out of range.
    fn variant(&self, result: &CellResult) -> &'a str {
        let index = result.cell.variant as usize;
        self.variants.get(index).map_or("", String::as_str)
    }
}

/// Returns the name that the written files use for a status.
fn status_name(status: CellStatus) -> &'static str {
    match status {
        CellStatus::Running => "running",
        CellStatus::Completed => "completed",
        CellStatus::Failed => "failed",
        CellStatus::OverBudget => "over_budget",
        CellStatus::Cancelled => "cancelled",
    }
}

/// Returns text unchanged, an empty string for null, and any other value as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
