//! What a run writes down, and the store it writes to.

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

/// For how long a run has run by its records, in milliseconds, without the times in which nothing ran.
pub fn elapsed_ms(records: &[Record]) -> u64 {
    records
        .windows(2)
        .filter(|pair| pair[1].entry != Entry::Input(Input::RunResumed))
        .map(|pair| u64::try_from(pair[1].at.saturating_sub(pair[0].at)).unwrap_or(0))
        .fold(0, u64::saturating_add)
}

/// The run as a row of the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    pub run_id: String,
    /// The flow's name.
    pub flow: String,
    pub flow_path: Option<String>,
    /// The document as it ran.
    pub document: Value,
    pub inputs: Value,
    /// Milliseconds since the Unix epoch, UTC.
    pub started_at: i64,
    #[serde(default)]
    pub setup: RunSetup,
}

/// What a run was asked for beyond its flow and inputs. Never changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSetup {
    /// Values that stand for what nodes would give, by node.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    /// The node that the run goes as far as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Where it was forked from another run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What was allowed for this run alone, beyond what its flow may use.
    #[serde(skip_serializing_if = "Grants::is_empty")]
    pub allowed: Grants,
    /// Records with a lower number were written in another store. Answers among them are history: they allow nothing here.
    #[serde(skip_serializing_if = "is_zero")]
    pub imported_records: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Where a run was forked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The run that was forked; it may have been deleted since.
    pub parent: String,
    /// `refine[3]/draft`
    pub at: String,
    /// Records with a lower number were taken over.
    pub kept_records: u64,
    /// What the records taken over had used; part of the run's own usage.
    pub kept: Usage,
    /// The flow, pins and end before each fork, oldest first: what was taken over was made by them.
    pub earlier: Vec<Earlier>,
    /// The inputs that the first of them began with.
    pub inputs: Value,
}

/// A flow that a forked run began with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    pub document: Value,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub pins: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What changes about a run while it is under way, kept with its row so that lists need not read records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub status: RunStatus,
    pub duration_ms: Option<u64>,
    pub usage: Usage,
    pub warnings: Vec<Warning>,
    /// Of the first loop: iterations finished, and why it stopped.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub error: Option<RunFailure>,
    pub outputs: Option<Named>,
    /// Path of the first loop, while records are applied.
    #[serde(skip)]
    pub first_loop: Option<String>,
    /// The run's budget, where one is set anywhere in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetState>,
    /// It was stopped at its own budget, and continues with a larger one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_budget: bool,
}

impl Default for RunState {
    /// Of a run that has not begun.
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
    /// Brings the row up to a record.
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

    /// A node ended. What a scope used is the sum of what its nodes did.
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
    #[error("There is a run {0} already.")]
    Exists(String),
    #[error("There is no run {0}.")]
    NoRun(String),
    /// In a store that several programs share: what this one would write is not taken any more.
    #[error("Run {0} is led by another program now.")]
    TakenOver(String),
    /// A store on another machine.
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
    /// One run that cannot be read, in a store that can.
    #[error(
        "Run {run_id} is damaged: {what}. Other runs are as they were. Delete it (`loopwright runs delete {run_id}`), or import it again from a file that it was exported to."
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
    /// What to do about a store that cannot be reached.
    pub const REACH_IT: &str = "See that its server runs and that the address is right.";
}

/// Which records of a run to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select<'a> {
    All,
    /// Those of exactly this path.
    Path(&'a str),
    /// Those of a scope's iteration and everything inside it: path `refine`, index 1 reads `refine[2]` and `refine[2]/…`.
    Iteration {
        scope: &'a str,
        index: u32,
    },
    /// Iteration results of a scope ([`Fact::IterationCompleted`] of this path), in order.
    Results(&'a str),
    /// Some of a scope's iteration results, in order: for runs with more of them than a person looks at.
    ResultsPage {
        scope: &'a str,
        offset: usize,
        limit: usize,
    },
    /// How some iterations of a scope began ([`Fact::IterationStarted`] of this path): those of index `first` to
    /// `first + count - 1`.
    Starts {
        scope: &'a str,
        first: u32,
        count: u32,
    },
    /// What lies outside every iteration, without what a scope says of each of its iterations: as much for a run of a
    /// thousand iterations as for one of two.
    Outline,
}

/// Which runs are meant. Everything that is given must hold; the default means every run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Any of these; empty: all.
    pub statuses: Vec<RunStatus>,
    /// Why the first loop stopped: any of these; empty: all.
    pub exit_reasons: Vec<ExitReason>,
    /// The flow's name, exactly.
    pub flow: Option<String>,
    /// Started at or after this. Milliseconds since the Unix epoch, UTC.
    pub since: Option<i64>,
    /// Started before this.
    pub until: Option<i64>,
    /// Each word of it occurs in what came in, what came out, the error, the flow's name, the run's own name or its id; case does
    /// not count. Of what came in and out, the first [`SEARCHED`] characters are looked at. Words shorter than [`SHORT_WORD`]
    /// are not looked for in ids, nor in the defaults of inputs unless all words stand there as they are given.
    pub text: String,
    /// Only runs whose result a person has seen, or only those whose result nobody has.
    pub seen: Option<bool>,
    /// Only runs that a person has starred, or only the others.
    pub starred: Option<bool>,
    /// The batch's name, exactly. A store of one computer has no batches, and finds nothing.
    pub batch: Option<String>,
}

/// How many characters of a run's inputs, and of its outputs, a search looks at.
pub const SEARCHED: usize = 8_000;

/// Characters. Shorter words are not in the index of texts.
pub const SHORT_WORD: usize = 3;

/// What runs come to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunTally {
    pub runs: u64,
    /// Whole micro-dollars of the calls whose price is known. What a fork took over counts once, where it was spent.
    pub cost_microusd: u64,
    /// The middle one of the durations, in milliseconds; of an even number the lower. `None`: no run has one.
    pub median_ms: Option<u64>,
}

/// What a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreSize {
    pub runs: u64,
    /// Bytes that runs take.
    pub used: u64,
    /// Bytes on disk: more than `used` where space of deleted runs has not been given back yet.
    pub on_disk: u64,
}

/// Where runs are written. Calls block; the driver batches appends.
pub trait Journal: Send + Sync {
    /// Adds a run; its state is `running`.
    fn create(&self, header: &RunHeader) -> Result<(), JournalError>;
    /// Appends in one transaction. Durable against a killed process when it returns.
    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError>;
    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError>;
    /// Some of the runs that are meant, newest first. The states come without `outputs`, which may be large.
    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError>;
    /// What all of the runs that are meant come to.
    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError>;
    /// The names of flows that have runs, with how many, by name.
    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError>;
    /// Ids of runs that begin with `prefix`, newest first.
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
    /// How many iterations of a scope have ended.
    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError>;
    /// In order of `seq`.
    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError>;
    /// The records from number `seq` on, in order: what has come since somebody last looked.
    fn read_from(&self, run_id: &str, seq: u64) -> Result<Vec<Record>, JournalError> {
        let mut records = self.read(run_id, Select::All)?;
        records.retain(|record| record.seq >= seq);
        Ok(records)
    }
    /// As [`Self::read`], a record at a time, so that a run need not be held whole. The store may be busy with it meanwhile:
    /// `each` must not ask it for anything.
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
    /// Adds a run with all that became of it, or nothing of it.
    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError>;
    /// Gives the disk back what deleted runs took.
    fn compact(&self) -> Result<(), JournalError>;
    /// Notes that a person has seen the run's result: until then it is not removed to make room.
    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError>;
    /// The name and star that a person gave the run.
    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError>;
    /// Gives the run a name, or takes it away; the star stays as it is, whoever sets it meanwhile. Neither is part of the run's
    /// records: a run keeps its checks, and a copy of its file has none.
    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError>;
    /// Stars the run, or takes the star away; the name stays as it is.
    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError>;
    /// Bytes that a run takes and no other run shares, about.
    fn run_size(&self, run_id: &str) -> Result<u64, JournalError>;
    /// Brings the store to a form in which a copy of its one file is a whole backup. Called before the program ends.
    fn finish(&self) -> Result<(), JournalError> {
        Ok(())
    }
    /// Runs that were started here and are not in the store any more, though nobody deleted them.
    fn missing(&self) -> Vec<MissingRun> {
        Vec::new()
    }
    /// Mentions missing runs no more. Gives how many there were.
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
    /// How many records it had at least.
    pub records: u64,
}

/// What a person marked a run with, to find it again.
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
    /// What is wrong with the run as it is stored; the rest of what a list says of it may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// As the store has it now.
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

/// What the executions among `records` have used.
pub fn used<'a>(records: impl IntoIterator<Item = &'a Record>) -> Usage {
    let mut sum = Usage::default();
    for record in records {
        // What a loop, a list or a subflow used is the sum of what its nodes did.
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
