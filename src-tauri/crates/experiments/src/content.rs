//! The stored form of an experiment. It contains everything needed to continue the experiment, even if the files from which it
//! was created change.

use std::collections::BTreeMap;

use loopwright_engine::trust::Grants;
use loopwright_evaluation::{
    file::Evaluation,
    result::{Cell, RejectedRow, Report},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dto::ExperimentStatus;

/// The immutable part of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    pub(super) evaluation: Evaluation,
    pub(super) variants: Vec<StoredVariant>,
    pub(super) case_count: u32,
    pub(super) rejected: Vec<RejectedRow>,
    /// Notes about the data set that were made when it was read.
    pub(super) notes: Vec<String>,
    /// The permissions granted to the runs of this experiment.
    #[serde(default)]
    pub(super) allowed: Grants,
    /// The flows of scorers, by scorer name.
    #[serde(default)]
    pub(super) judges: BTreeMap<String, StoredVariant>,
    /// The experiment whose runs are forked; `None` if the runs are not forks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fork: Option<ForkOf>,
}

/// The source of an experiment's forked runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ForkOf {
    pub(super) experiment: String,
    /// The fork point, such as `refine[2]`.
    pub(super) at: String,
    /// The edits that apply from the fork point on, each as a node, a field and a value.
    pub(super) edits: Vec<(String, String, Value)>,
    /// The ids of the runs to be forked, keyed by cell number.
    pub(super) runs: BTreeMap<u64, String>,
}

/// A flow of the experiment in the form in which it runs: linked, with its fields set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredVariant {
    pub(super) name: String,
    pub(super) document: Value,
    pub(super) flow_path: Option<String>,
}

/// The part of an experiment that changes while the experiment runs.
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
    /// The report; `None` if none is stored yet. It is stored when the experiment ends, so that the experiment can be opened
    /// without reading its results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Report>,
}

impl Content {
    fn repetitions(&self) -> u64 {
        u64::from(self.evaluation.repetitions.max(1))
    }

    /// Returns the number of cells per case.
    pub(super) fn width(&self) -> u64 {
        self.variants.len() as u64 * self.repetitions()
    }

    /// Returns the number that identifies a cell in the store. The cells of a case are adjacent.
    pub(super) fn number(&self, cell: Cell) -> u64 {
        (u64::from(cell.case) * self.variants.len() as u64 + u64::from(cell.variant))
            * self.repetitions()
            + u64::from(cell.repetition)
    }
}
