//! What is stored of an experiment: all that it needs to continue, whatever becomes of the files that it was made from.

use std::collections::BTreeMap;

use loopwright_engine::trust::Grants;
use loopwright_evaluation::{
    file::Evaluation,
    result::{Cell, RejectedRow, Report},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dto::ExperimentStatus;

/// What does not change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    pub(super) evaluation: Evaluation,
    pub(super) variants: Vec<StoredVariant>,
    pub(super) case_count: u32,
    pub(super) rejected: Vec<RejectedRow>,
    /// What reading the data set gave to say.
    pub(super) notes: Vec<String>,
    /// What was allowed for the runs of this experiment.
    #[serde(default)]
    pub(super) allowed: Grants,
    /// Flows that scorers use, by the name of the scorer.
    #[serde(default)]
    pub(super) judges: BTreeMap<String, StoredVariant>,
    /// Its runs are forks of those of another experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fork: Option<ForkOf>,
}

/// What the runs of an experiment are forked from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ForkOf {
    pub(super) experiment: String,
    /// Such as `refine[2]`.
    pub(super) at: String,
    /// Node, field and value of what is set from there on.
    pub(super) edits: Vec<(String, String, Value)>,
    /// The runs that are forked, by the number of the cell.
    pub(super) runs: BTreeMap<u64, String>,
}

/// A flow as it runs: linked, with its fields set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredVariant {
    pub(super) name: String,
    pub(super) document: Value,
    pub(super) flow_path: Option<String>,
}

/// What changes while it is under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) status: ExperimentStatus,
    pub(super) flow: String,
    pub(super) total: u32,
    pub(super) done: u32,
    pub(super) failed: u32,
    pub(super) micro_usd: u64,
    #[serde(default)]
    pub(super) tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stopped_early: Option<String>,
    /// Written once it has ended, so that opening it reads no results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Report>,
}

impl Content {
    fn repetitions(&self) -> u64 {
        u64::from(self.evaluation.repetitions.max(1))
    }

    /// Cells of one case.
    pub(super) fn width(&self) -> u64 {
        self.variants.len() as u64 * self.repetitions()
    }

    /// Where a cell is stored: all of a case side by side.
    pub(super) fn number(&self, cell: Cell) -> u64 {
        (u64::from(cell.case) * self.variants.len() as u64 + u64::from(cell.variant))
            * self.repetitions()
            + u64::from(cell.repetition)
    }
}
