//! The errors of a run store.

use thiserror::Error;

#[derive(Debug, Clone, Error)]
pub enum JournalError {
    #[error("Run {0} already exists.")]
    Exists(String),
    #[error("There is no run {0}. `loopwright runs list` shows the ids of all runs.")]
    NoRun(String),
    /// Another program has taken over the run in a shared store. The store refuses this program's writes to the run.
    #[error("Another program has taken over run {0}.")]
    TakenOver(String),
    /// The store is on another machine that cannot be reached.
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
    /// One run is damaged. The rest of the store can be read.
    #[error(
        "Run {run_id} is damaged: {what}. Other runs are not affected. Delete it (`loopwright runs delete {run_id}`), or import it again from an exported file."
    )]
    DamagedRun { run_id: String, what: String },
    #[error(
        "The disk is full, so the run store cannot be written. Free some disk space, then continue. Everything recorded so far is kept."
    )]
    Full,
    #[error(
        "The run store cannot be written: {0}. Make its folder writable, or choose another folder with --data-dir."
    )]
    ReadOnly(String),
    #[error(
        "The run store was written by a newer version of Loopwright (version {found}; this program supports up to {known}). Update Loopwright, or choose another folder with --data-dir."
    )]
    TooNew { found: i64, known: i64 },
}

impl JournalError {
    /// The remedy for a store that cannot be reached, as a sentence.
    pub const REACH_IT: &str = "Check that its server is running and that the address is right.";
}
