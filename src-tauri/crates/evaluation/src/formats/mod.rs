//! Results in the formats of other programs.
//!
//! | module | format | for |
//! | --- | --- | --- |
//! | [`results`] | JSON lines, one for each run | scripts |
//! | [`cases`] | CSV, a row for each run | spreadsheets |
//! | [`junit`] | JUnit XML | CI systems |
//! | [`inspect`] | an Inspect evaluation log | the viewer and the library of Inspect |

pub mod cases;
pub mod inspect;
pub mod junit;
pub mod results;

use serde_json::Value;

use crate::result::{Case, CellResult, CellStatus};

/// The results of an experiment, as the writers take them.
#[derive(Debug, Clone, Copy)]
pub struct Results<'a> {
    /// By index, as cells name them.
    pub cases: &'a [Case],
    /// Names, by index.
    pub variants: &'a [String],
    /// Names, in the order of the scores of a result.
    pub scorers: &'a [String],
    /// In the order in which they are written.
    pub cells: &'a [CellResult],
}

impl<'a> Results<'a> {
    /// The case of a result. `None` where its index is none of a case.
    fn case(&self, result: &CellResult) -> Option<&'a Case> {
        self.cases.get(result.cell.case as usize)
    }

    /// The name of the variant of a result, or an empty text.
    fn variant(&self, result: &CellResult) -> &'a str {
        let index = result.cell.variant as usize;
        self.variants.get(index).map_or("", String::as_str)
    }
}

/// The status as files name it.
fn status_name(status: CellStatus) -> &'static str {
    match status {
        CellStatus::Running => "running",
        CellStatus::Completed => "completed",
        CellStatus::Failed => "failed",
        CellStatus::OverBudget => "over_budget",
        CellStatus::Cancelled => "cancelled",
    }
}

/// Dollars of whole millionths.
fn dollars(micro_usd: u64) -> f64 {
    // Exact up to nine billion dollars.
    #[allow(clippy::cast_precision_loss, reason = "see above")]
    let micro = micro_usd as f64;
    micro / 1e6
}

/// A text as it is, nothing for null, anything else as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
