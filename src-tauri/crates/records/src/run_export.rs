//! What a format is in which a recorded run is written.

use std::io;

use loopwright_engine::{
    Record,
    journal::{Journal, JournalError, RunHeader, RunState, Select},
};
use loopwright_runs::ApiError;

use crate::tree::{RunTree, Values};

/// A format in which a recorded run is written. `exports.rs` has the list of them.
pub trait RunExport: Sync {
    /// The end of a file's name by which it is chosen, in small letters: `json`, `otlp.json`. The longest that fits is taken.
    fn ending(&self) -> &'static str;

    /// Writes a run, as text or as any bytes.
    ///
    /// # Errors
    /// When the run cannot be read, or `out` cannot be written.
    fn write(&self, run: &RecordedRun<'_>, out: &mut dyn io::Write) -> Result<(), ApiError>;
}

/// A run as an export sees it. Where the flow's file is on this computer is not in it, and keys are in no run.
pub struct RecordedRun<'j> {
    pub header: RunHeader,
    pub state: RunState,
    journal: &'j dyn Journal,
}

impl<'j> RecordedRun<'j> {
    /// # Errors
    /// [`JournalError::NoRun`], and what else the journal says.
    pub(crate) fn read(journal: &'j dyn Journal, run_id: &str) -> Result<Self, JournalError> {
        let (mut header, state) = journal.run(run_id)?;
        header.flow_path = None;
        Ok(Self {
            header,
            state,
            journal,
        })
    }

    /// Steps, loops and iterations.
    ///
    /// # Errors
    /// What the journal says.
    pub fn tree(&self, values: Values) -> Result<RunTree, JournalError> {
        RunTree::read(self.journal, &self.header.run_id, Select::All, values)
    }

    /// Every record, those included that are no longer in effect.
    ///
    /// # Errors
    /// What the journal says.
    pub fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.journal.read(&self.header.run_id, Select::All)
    }
}
