//! The records of a run, and the store that they are written to.

mod damage;
mod entry;

pub use damage::{damaged_entry, damaged_state, is_nested_within, nesting};
pub use entry::{
    COMPAT, Completed, Entry, Fact, Failed, Input, Override, Record, Retried, ScopeEnd, StopReason,
};
pub(crate) use entry::{input_of_compat_1, known_compat};

pub use loopwright_model::by_name::ByName;

pub use crate::effective::{EffectiveRecords, effective};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    budget::BudgetState, exit::ExitReason, named::Named, outcome::Usage, status::RunStatus,
    trust::Grants, warning::Warning,
};

/// The time that a run was active by its records, in milliseconds, without pauses in which nothing ran.
pub fn elapsed_ms(records: &[Record]) -> u64 {
    records
        .windows(2)
        .filter(|pair| pair[1].entry != Entry::Input(Input::RunResumed))
        .map(|pair| u64::try_from(pair[1].at.saturating_sub(pair[0].at)).unwrap_or(0))
        .fold(0, u64::saturating_add)
}

/// The fixed data of a run in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    pub run_id: String,
    /// The flow's name.
    pub flow: String,
    pub flow_path: Option<String>,
    /// The document that ran.
    pub document: Value,
    pub inputs: Value,
    /// Milliseconds since the Unix epoch, UTC.
    pub started_at: i64,
    #[serde(default)]
    pub setup: RunSetup,
}

/// The setup of a run beyond its flow and inputs. It never changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSetup {
    /// Values that replace the values of nodes, by node.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    /// The node at which the run ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The run that it was forked from, and the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Permissions for this run alone, beyond those of its flow.
    #[serde(skip_serializing_if = "Grants::is_empty")]
    pub allowed: Grants,
    /// Records with a lower number were written in another store. Approvals among them allow nothing here.
    #[serde(skip_serializing_if = "is_zero")]
    pub imported_records: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The origin of a forked run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The run that this one was forked from. It may have been deleted since.
    pub parent: String,
    /// `refine[3]/draft`
    pub at: String,
    /// Records with a lower number are taken from the parent.
    pub kept_records: u64,
    /// The usage of the records taken from the parent. It is part of the run's own usage.
    pub kept: Usage,
    /// The flow, pins and end before each fork, oldest first. They produced the records that were taken.
    pub earlier: Vec<Earlier>,
    /// The inputs of the first of these flows.
    pub inputs: Value,
}

/// A flow that a forked run ran before a fork.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    pub document: Value,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// The changing data of a run, stored in its row so that lists need not read records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub status: RunStatus,
    pub duration_ms: Option<u64>,
    pub usage: Usage,
    pub warnings: Vec<Warning>,
    /// The finished iterations of the first loop, and why it stopped.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub error: Option<RunFailure>,
    pub outputs: Option<Named>,
    /// The path of the first loop, while records are applied.
    #[serde(skip)]
    pub first_loop: Option<String>,
    /// The run's budget, if one is set anywhere in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetState>,
    /// Whether the run stopped at its own budget, and continues with a larger one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_budget: bool,
}

impl Default for RunState {
    /// The state of a run that has not begun.
    fn default() -> Self {
        Self {
            status: RunStatus::Running,
            duration_ms: None,
            usage: Usage::default(),
            warnings: Vec::new(),
            iterations: None,
            exit_reason: None,
            error: None,
            outputs: None,
            first_loop: None,
            budget: None,
            over_budget: false,
        }
    }
}

impl RunState {
    /// Updates the state with a record.
    pub fn apply(&mut self, record: &Record) {
        let entry = &record.entry;
        if let Some(budget) = entry.budget() {
            self.budget = Some(*budget);
        }
        if let Some(Completed { outcome, scope, .. }) = entry.completed() {
            self.ended(record, scope.as_ref(), &outcome.usage);
        }
        if let Some(Failed { error, scope, .. }) = entry.failed() {
            self.ended(record, scope.as_ref(), &error.usage);
        }
        match entry {
            Entry::Fact(Fact::NodeStarted {
                max_iterations: Some(_),
                ..
            }) if self.first_loop.is_none() => self.first_loop = Some(record.path.clone()),
            Entry::Fact(Fact::RunCompleted {
                outputs,
                duration_ms,
                usage,
                warnings,
            }) => {
                self.outputs = Some(outputs.clone());
                self.over(*duration_ms, usage, warnings);
            }
            Entry::Fact(Fact::RunFailed {
                error,
                duration_ms,
                usage,
                warnings,
                ..
            }) => {
                self.error = Some(RunFailure {
                    code: error.code.clone(),
                    node: record.node_id.as_deref().map(str::to_owned),
                    message: error.message.clone(),
                });
                self.over(*duration_ms, usage, warnings);
            }
            _ => {}
        }
    }

    /// Adds the end of a node. The use of a scope is already counted by the nodes in it.
    fn ended(&mut self, record: &Record, scope: Option<&ScopeEnd>, usage: &Usage) {
        let Some(scope) = scope else {
            return self.usage.add(usage);
        };
        if self.first_loop.as_ref() == Some(&record.path) {
            self.iterations = Some(scope.iterations);
            self.exit_reason = Some(scope.exit_reason);
        }
    }

    fn over(&mut self, duration_ms: u64, usage: &Usage, warnings: &[Warning]) {
        self.duration_ms = Some(duration_ms);
        self.usage = *usage;
        self.warnings = warnings.to_vec();
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    pub code: String,
    pub node: Option<String>,
    pub message: String,
}

#[derive(Debug, Clone, Error)]
pub enum JournalError {
    #[error("Run {0} already exists.")]
    Exists(String),
    #[error("There is no run {0}.")]
    NoRun(String),
    /// Another program now leads the run in a shared store, which refuses writes of this one.
    #[error("Run {0} is led by another program now.")]
    TakenOver(String),
    /// A store on another machine cannot be reached.
    #[error("The run store cannot be reached: {0}. {remedy}", remedy = Self::REACH_IT)]
    Unreachable(String),
    #[error("The run store is in use by another program: {0}. Try again in a moment.")]
    Busy(String),
    #[error("The run store cannot be written: {0}")]
    Write(String),
    #[error("The run store cannot be read: {0}")]
    Read(String),
    #[error(
        "The run store is damaged: {0}. Close Loopwright and start it again: it then sets the damaged file aside and begins a new one."
    )]
    Damaged(String),
    /// One run cannot be read, in a store that can.
    #[error(
        "Run {run_id} is damaged: {what}. Other runs are not affected. Delete it (`loopwright runs delete {run_id}`), or import it again from a file that it was exported to."
    )]
    DamagedRun { run_id: String, what: String },
    #[error(
        "The disk is full, so the run store cannot be written. Make room, then continue; what was recorded is kept."
    )]
    Full,
    #[error(
        "The run store cannot be written: {0}. Allow writing in its folder, or name another with --data-dir."
    )]
    ReadOnly(String),
    #[error(
        "The run store was written by a newer Loopwright (version {found}; this program knows up to {known}). Update Loopwright, or name another folder with --data-dir."
    )]
    TooNew { found: i64, known: i64 },
}

impl JournalError {
    /// The remedy for a store that cannot be reached.
    pub const REACH_IT: &str = "Check that its server is running and that the address is right.";
}

/// Which records of a run to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select<'a> {
    All,
    /// The records of exactly this path.
    Path(&'a str),
    /// The records of a scope's iteration and everything inside it: path `refine`, index 1 reads `refine[2]` and
    /// `refine[2]/…`.
    Iteration {
        scope: &'a str,
        index: u32,
    },
    /// The iteration results of a scope ([`Fact::IterationCompleted`] of this path), in order.
    Results(&'a str),
    /// A page of a scope's iteration results, in order, for runs with more of them than a person reads.
    ResultsPage {
        scope: &'a str,
        offset: usize,
        limit: usize,
    },
    /// The starts of some iterations of a scope ([`Fact::IterationStarted`] of this path): those with an index in
    /// `first..first + count`.
    Starts {
        scope: &'a str,
        first: u32,
        count: u32,
    },
    /// The records outside every iteration, without a scope's records about each iteration. A run of a thousand iterations
    /// has as many as a run of two.
    Outline,
}

/// A selection of runs. A run must match every field that is set. The default selects every run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Any of these statuses; empty means all.
    pub statuses: Vec<RunStatus>,
    /// Any of these reasons why the first loop stopped; empty means all.
    pub exit_reasons: Vec<ExitReason>,
    /// The flow's exact name.
    pub flow: Option<String>,
    /// Started at or after this time, in milliseconds since the Unix epoch, UTC.
    pub since: Option<i64>,
    /// Started before this time.
    pub until: Option<i64>,
    /// Words that must each occur in the run's inputs, outputs, error, flow name, own name or id, in any case. Of inputs and
    /// outputs, the first [`SEARCHED`] characters are searched. A word shorter than [`SHORT_WORD`] is not searched for in ids.
    /// In the defaults of inputs it is found only if the whole text, with a longer word in it, occurs there unchanged.
    pub text: String,
    /// Whether a person must have seen the result.
    pub seen: Option<bool>,
    /// Whether a person must have starred the run.
    pub starred: Option<bool>,
    /// The batch's exact name. A store of a single computer has no batches, and finds nothing.
    pub batch: Option<String>,
}

/// The number of characters of a run's inputs, and of its outputs, that a search reads.
pub const SEARCHED: usize = 8_000;

/// The length in characters below which words are not in the text index.
pub const SHORT_WORD: usize = 3;

/// The totals of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunTally {
    pub runs: u64,
    /// Whole micro-dollars of the calls whose price is known. A fork does not count what its parent spent.
    pub cost_microusd: u64,
    /// The median duration in milliseconds, the lower one of an even number; `None` if no run has a duration.
    pub median_ms: Option<u64>,
}

/// The size of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreSize {
    pub runs: u64,
    /// The bytes of the runs.
    pub used: u64,
    /// The bytes on disk: more than `used` until the space of deleted runs is released.
    pub on_disk: u64,
}

/// A store of runs. Calls block; the driver batches appends.
pub trait Journal: Send + Sync {
    /// Adds a run in the state `running`.
    fn create(&self, header: &RunHeader) -> Result<(), JournalError>;
    /// Appends in one transaction. Durable against a killed process when it returns.
    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError>;
    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError>;
    /// A page of the matching runs, newest first. The states come without `outputs`, which may be large.
    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError>;
    /// The totals of all matching runs.
    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError>;
    /// The names of flows that have runs, with the number of runs, by name.
    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError>;
    /// The ids of runs that begin with `prefix`, newest first.
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError>;
    fn size(&self) -> Result<StoreSize, JournalError>;
    /// [`Self::find`] of every run.
    fn list(
        &self,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        self.find(&RunFilter::default(), limit, offset)
    }
    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError>;
    /// The number of iterations of a scope that have ended.
    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError>;
    /// Reads records in order of `seq`.
    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError>;
    /// Reads the records from number `seq` on, in order: those since the last read.
    fn read_from(&self, run_id: &str, seq: u64) -> Result<Vec<Record>, JournalError> {
        let mut records = self.read(run_id, Select::All)?;
        records.retain(|record| record.seq >= seq);
        Ok(records)
    }
    /// As [`Self::read`], one record at a time, so that a run need not be in memory at once. The store may be busy
    /// meanwhile: `each` must not use it.
    fn read_each(
        &self,
        run_id: &str,
        select: Select<'_>,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), JournalError> {
        self.read(run_id, select)?.into_iter().for_each(each);
        Ok(())
    }
    fn delete(&self, run_id: &str) -> Result<(), JournalError>;
    /// Adds a run with all of its records, or nothing.
    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError>;
    /// Returns the disk space of deleted runs to the system.
    fn compact(&self) -> Result<(), JournalError>;
    /// Notes that a person has seen the run's result. Until then, the run is not removed to make room.
    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError>;
    /// The name and star that a person gave the run.
    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError>;
    /// Gives the run a name, or removes it. The star stays, even if it changes at the same time. Neither is part of the
    /// run's records: the run's checksums stay valid, and an exported file contains neither.
    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError>;
    /// Stars the run, or removes the star. The name stays.
    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError>;
    /// The approximate number of bytes that the run takes and shares with no other run.
    fn run_size(&self, run_id: &str) -> Result<u64, JournalError>;
    /// Prepares the store so that a copy of its one file is a complete backup. Called before the program ends.
    fn finish(&self) -> Result<(), JournalError> {
        Ok(())
    }
    /// The runs that were started here and are missing from the store, though nobody deleted them.
    fn missing(&self) -> Vec<MissingRun> {
        Vec::new()
    }
    /// Forgets the missing runs. Returns their number.
    fn forget_missing(&self) -> Result<usize, JournalError> {
        Ok(0)
    }
}

/// A run that the store has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRun {
    pub run_id: String,
    /// The flow's name.
    pub flow: String,
    pub started_at: i64,
    /// The minimum number of records that it had.
    pub records: u64,
}

/// The marks by which a person finds a run again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunLabel {
    pub name: Option<String>,
    pub starred: bool,
}

/// A header without the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeaderBrief {
    pub run_id: String,
    pub flow: String,
    pub flow_path: Option<String>,
    pub started_at: i64,
    /// The run it was forked from, and the place.
    pub forked_from: Option<(String, String)>,
    /// The damage of the stored run. The rest of its entry may then be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// The label that the store has now.
    #[serde(skip)]
    pub label: RunLabel,
}

impl RunHeader {
    /// The header without the document.
    pub fn brief(&self) -> RunHeaderBrief {
        let origin = self.setup.origin.as_ref();
        RunHeaderBrief {
            run_id: self.run_id.clone(),
            flow: self.flow.clone(),
            flow_path: self.flow_path.clone(),
            started_at: self.started_at,
            forked_from: origin.map(|origin| (origin.parent.clone(), origin.at.clone())),
            damage: None,
            label: RunLabel::default(),
        }
    }
}

/// The usage of the executions among `records`.
pub fn used<'a>(records: impl IntoIterator<Item = &'a Record>) -> Usage {
    let mut sum = Usage::default();
    for record in records {
        // The use of a loop, a list or a subflow is the sum of its nodes' use.
        if let Some(Completed {
            outcome,
            scope: None,
            ..
        }) = record.entry.completed()
        {
            sum.add(&outcome.usage);
        }
        if let Some(Failed {
            error, scope: None, ..
        }) = record.entry.failed()
        {
            sum.add(&error.usage);
        }
    }
    sum
}
