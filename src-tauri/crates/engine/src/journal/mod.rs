//! The records of a run, and the store that they are written to.

mod damage;
mod entry;
mod error;

pub use damage::{damaged_entry, damaged_state, is_nested_within, nesting};
pub use entry::{
    COMPAT, Completed, Entry, Fact, Failed, Input, Override, Parked, Record, Retried, ScopeAnswer,
    ScopeEnd, StopReason,
};
pub(crate) use entry::{input_of_compat_1, known_compat};
pub use error::JournalError;

pub use loopwright_model::by_name::ByName;

pub use crate::effective::{EffectiveRecords, effective};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    budget::BudgetState,
    costs::{CostRow, Costs},
    exit::ExitReason,
    named::Named,
    outcome::Usage,
    spending::SpendingStore,
    status::RunStatus,
    trust::Grants,
    warning::Warning,
};

/// Returns the time for which a run was active according to its records, in milliseconds. Pauses in which nothing ran and sleep
/// of the computer are excluded.
pub fn elapsed_ms(records: &[Record]) -> u64 {
    records
        .windows(2)
        .map(|pair| {
            let gap = u64::try_from(pair[1].at.saturating_sub(pair[0].at)).unwrap_or(0);
            match &pair[1].entry {
                Entry::Input(Input::RunResumed) => 0,
                Entry::Input(Input::ComputerSlept { ms, .. }) => gap.saturating_sub(*ms),
                _ => gap,
            }
        })
        .fold(0, u64::saturating_add)
}

/// The data of a run that is fixed when the run is created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    pub run_id: String,
    /// The name of the flow.
    pub flow: String,
    pub flow_path: Option<String>,
    /// The document of the flow that the run executes.
    pub document: Value,
    pub inputs: Value,
    /// The time at which the run started, in milliseconds since the Unix epoch, UTC.
    pub started_at: i64,
    #[serde(default)]
    pub setup: RunSetup,
}

/// The setup of a run beyond its flow and inputs. It never changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSetup {
    /// The values that replace the values of nodes, by node id.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    /// The id of the node at which the run ends; `None` to run the whole flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The origin of a forked run: its parent and the path of the fork. `None` for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Permissions that are granted only for this run, in addition to those of its flow.
    #[serde(skip_serializing_if = "Grants::is_empty")]
    pub allowed: Grants,
    /// The number of leading records that were written in another store. Approvals among them allow nothing here.
    #[serde(skip_serializing_if = "is_zero")]
    pub imported_records: u64,
    /// The name of the schedule that started the run; `None` if no schedule started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
}

impl RunSetup {
    /// Returns the number of leading records that were written for another run or in another store.
    pub fn taken_over_records(&self) -> u64 {
        let kept = self.origin.as_ref().map_or(0, |from| from.kept_records);
        kept.max(self.imported_records)
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The origin of a forked run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The id of the parent, the run that this one was forked from. The parent may have been deleted since.
    pub parent: String,
    /// The path of the fork, such as `refine[3]/draft`.
    pub at: String,
    /// The number of leading records that are taken from the parent.
    pub kept_records: u64,
    /// The usage of the records taken from the parent. It is part of the run's own usage.
    pub kept: Usage,
    /// For each fork, oldest first: the flow, the pins and the last node of the run before the fork. They produced the records
    /// that are taken from the parent.
    pub earlier: Vec<Earlier>,
    /// The inputs of the first flow in `earlier`.
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

/// The data of a run that changes. It is stored in the run's row, so that lists of runs need not read records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub status: RunStatus,
    pub duration_ms: Option<u64>,
    pub usage: Usage,
    pub warnings: Vec<Warning>,
    /// The number of finished iterations of the run's first loop; `None` until that loop ends.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub error: Option<RunFailure>,
    pub outputs: Option<Named>,
    /// The path of the run's first loop; `None` if no loop has started. It is known only while records are applied, and is not
    /// stored.
    #[serde(skip)]
    pub first_loop: Option<String>,
    /// The state of the run's budget, if the run or a loop in it has a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetState>,
    /// Whether the run stopped because its own budget was exhausted. Such a run can be resumed with a larger budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_budget: bool,
    /// Of the quotas that the run waits for, the one that is expected to reset first; `None` if the run waits for no quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<RunParked>,
    /// The time at which the run's next open question expires, in milliseconds since the Unix epoch, UTC; `None` if no open
    /// question expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Whether a budget outside the run, such as a daily budget, could not cover the run's last call. If the run stopped for
    /// that reason, it can be resumed without a larger budget of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_spending_limit: bool,
}

/// A quota that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunParked {
    /// The name of the provider or agent whose quota is used up, such as `Anthropic`.
    pub name: String,
    /// The end of the wait, in milliseconds since the Unix epoch, UTC.
    pub until: i64,
}

impl Default for RunState {
    /// Returns the state of a run that has not begun.
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
            parked: None,
            expires_at: None,
            over_spending_limit: false,
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
            Entry::Input(Input::SpendingRefused { .. }) => self.over_spending_limit = true,
            Entry::Input(Input::BudgetSet { .. }) => self.over_spending_limit = false,
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

    /// Adds the usage of a node that finished. The usage of a loop or a list is not added, because the nodes inside it are
    /// already counted. Also stores how the run's first loop ended.
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

/// A selection of a run's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select<'a> {
    All,
    /// The records of exactly this path.
    Path(&'a str),
    /// The records of an iteration of a scope, and of everything inside the iteration: path `refine` and index 1 select
    /// `refine[2]` and `refine[2]/…`.
    Iteration {
        scope: &'a str,
        index: u32,
    },
    /// The iteration results of a scope ([`Fact::IterationCompleted`] of this path), in order.
    Results(&'a str),
    /// A page of the iteration results of a scope, in order. A scope can have more results than can be shown at once.
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
    /// The records outside every iteration, excluding a scope's records about its iterations. Their number does not depend on
    /// the number of iterations.
    Outline,
}

/// A filter for runs. A run must match every field that is set. The default matches every run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// The accepted statuses; empty means all.
    pub statuses: Vec<RunStatus>,
    /// The accepted exit reasons of the run's first loop; empty means all.
    pub exit_reasons: Vec<ExitReason>,
    /// The flow's exact name; `None` for all flows.
    pub flow: Option<String>,
    /// The earliest start of a run, inclusive, in milliseconds since the Unix epoch, UTC; `None` for no limit.
    pub since: Option<i64>,
    /// The latest start of a run, exclusive, in milliseconds since the Unix epoch, UTC; `None` for no limit.
    pub until: Option<i64>,
    /// Words that must each occur in the run's inputs, outputs, error, flow name, own name or id, regardless of case. Only the
    /// first [`SEARCHED`] characters of the inputs, and of the outputs, are searched. A word shorter than [`SHORT_WORD`] is not
    /// searched for in ids. In the default value of an input, such a word is found only if this search text also has a longer
    /// word and the default value contains the whole search text unchanged.
    pub text: String,
    /// Whether to select runs whose result a person has seen (`true`) or has not seen (`false`). `None` selects both.
    pub seen: Option<bool>,
    /// Whether to select runs with a star (`true`) or without a star (`false`). `None` selects both.
    pub starred: Option<bool>,
    /// The exact name of the batch; `None` for all runs. Runs in the store of a single computer have no batches, so no run
    /// matches a name there.
    pub batch: Option<String>,
}

/// The maximum number of characters of a run's inputs, and of its outputs, that a search reads.
pub const SEARCHED: usize = 8_000;

/// The length in characters below which words are not in the text index.
pub const SHORT_WORD: usize = 3;

/// The totals of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunTally {
    pub runs: u64,
    /// The total cost of calls with known prices, in whole micro-dollars. For a fork, the cost of its parent is not included.
    pub cost_microusd: u64,
    /// The median duration in milliseconds, or the lower of the two middle ones; `None` if no run has a duration.
    pub median_ms: Option<u64>,
}

/// The number of runs in a store and their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreSize {
    pub runs: u64,
    /// The size of the runs in bytes.
    pub used: u64,
    /// The size on disk in bytes. It exceeds `used` until the disk space of deleted runs is released.
    pub on_disk: u64,
}

/// A store of runs. Calls block. The driver writes records in batches.
pub trait Journal: Send + Sync {
    /// Adds a run in the state `running`.
    ///
    /// # Errors
    /// [`JournalError::Exists`] if the id is already used; other errors if the store cannot be written.
    fn create(&self, header: &RunHeader) -> Result<(), JournalError>;
    /// Appends records in one transaction. When the call has returned, the records survive even if the process is killed.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be written.
    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError>;
    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError>;
    /// Returns a page of the matching runs, newest first. The returned states lack `outputs`, which may be large.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError>;
    /// Returns the totals of all matching runs.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError>;
    /// Returns the names of the flows that have runs, each with its number of runs, in order of name.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError>;
    /// Returns the costs of runs, including deleted ones, in slots of [`SLOT_MS`](crate::costs::SLOT_MS) that begin at
    /// `since` or later and before `until`. Both are in milliseconds since the Unix epoch, UTC. Returns `None` if the store
    /// does not count costs.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn costs(&self, since: i64, until: i64) -> Result<Option<Costs>, JournalError> {
        let _ = (since, until);
        Ok(None)
    }
    /// Returns the budgets that all programs with this store share, or `None` if this store has no budgets.
    fn spending(&self) -> Option<&dyn SpendingStore> {
        None
    }
    /// Adds the costs of calls that belong to no stored run, such as those of a test. A store that does not count costs ignores
    /// them.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn add_costs(&self, rows: &[CostRow]) -> Result<(), JournalError> {
        let _ = rows;
        Ok(())
    }
    /// Returns at most `limit` run ids that begin with `prefix`, newest run first.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError>;
    fn size(&self) -> Result<StoreSize, JournalError>;
    /// Returns a page of all runs, like [`Self::find`] with the default filter.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn list(
        &self,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        self.find(&RunFilter::default(), limit, offset)
    }
    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError>;
    /// Returns the number of finished iterations of a scope.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if its records cannot be read.
    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError>;
    /// Reads the selected records, in order of `seq`.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if its records cannot be read.
    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError>;
    /// Reads the records from number `seq` on, in order.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if its records cannot be read.
    fn read_from(&self, run_id: &str, seq: u64) -> Result<Vec<Record>, JournalError> {
        let mut records = self.read(run_id, Select::All)?;
        records.retain(|record| record.seq >= seq);
        Ok(records)
    }
    /// Reads records as [`Self::read`] does, but passes them to `each` one at a time, so that a whole run need not be in
    /// memory. The store may be locked in the meantime, so `each` must not use it.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if its records cannot be read.
    fn read_each(
        &self,
        run_id: &str,
        select: Select<'_>,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), JournalError> {
        self.read(run_id, select)?.into_iter().for_each(each);
        Ok(())
    }
    /// Returns the steps at which runs with these statuses may wait for a person, each as the id of its run and its path. These
    /// are the steps whose last question has no recorded answer. Such a step may also have ended without an answer. Returns
    /// `None` if the store can find the steps only by reading whole runs.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn unanswered(
        &self,
        statuses: &[RunStatus],
    ) -> Result<Option<Vec<(String, String)>>, JournalError> {
        let _ = statuses;
        Ok(None)
    }
    fn delete(&self, run_id: &str) -> Result<(), JournalError>;
    /// Adds a run with all of its records. If the call fails, the store is unchanged.
    ///
    /// # Errors
    /// [`JournalError::Exists`] if the id is already used; other errors if the store cannot be written.
    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError>;
    /// Returns the disk space of deleted runs to the system.
    ///
    /// # Errors
    /// [`JournalError::Busy`] if a reader or another writer of the store prevents this for a second.
    fn compact(&self) -> Result<(), JournalError>;
    /// Records that a person has seen the run's result. An unseen run is never removed to free space.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be written.
    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError>;
    /// Returns the name and star that a person gave the run; the name is `None` if it has none.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be read.
    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError>;
    /// Sets the run's name, or removes it if `name` is `None`. The star is unaffected, even if it changes at the same time. The
    /// name and the star are not part of the run's records: the run's checksums stay valid, and exported files contain neither.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be written.
    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError>;
    /// Stars the run, or removes the star. The name is unaffected.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be written.
    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError>;
    /// Returns the approximate size of the data that only this run uses, in bytes.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist; other errors if the store cannot be read.
    fn run_size(&self, run_id: &str) -> Result<u64, JournalError>;
    /// Prepares the store so that a copy of its single file is a complete backup. The program calls this before it exits.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn finish(&self) -> Result<(), JournalError> {
        Ok(())
    }
    /// Returns the runs that are missing from the store although nobody deleted them.
    fn missing(&self) -> Vec<MissingRun> {
        Vec::new()
    }
    /// Clears the list of missing runs. Returns how many there were.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn forget_missing(&self) -> Result<usize, JournalError> {
        Ok(0)
    }
}

/// A run that is missing from the store although nobody deleted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRun {
    pub run_id: String,
    /// The flow's name.
    pub flow: String,
    pub started_at: i64,
    /// The minimum number of records that the run had.
    pub records: u64,
}

/// The name and the star that a person gave a run.
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
    /// The id of the run that this one was forked from, and the path of the fork; `None` if this run is not a fork.
    pub forked_from: Option<(String, String)>,
    /// A description of the damage of the stored run, if there is any. The other fields may then be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// The run's current name and star in the store.
    #[serde(skip)]
    pub label: RunLabel,
}

impl RunHeader {
    /// Returns the header without the document.
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

/// Returns the total usage of the executions in `records`.
pub fn used<'a>(records: impl IntoIterator<Item = &'a Record>) -> Usage {
    let mut sum = Usage::default();
    for record in records {
        // The usage of a loop, a list or a subflow is the sum of its nodes' usage, which is already counted.
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
