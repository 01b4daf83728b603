//! The interface of export formats for recorded runs.

use std::io;

use loopwright_engine::journal::{Journal, JournalError, Record, RunHeader, RunState, Select};
use loopwright_runs::ApiError;

use crate::tree::{RunTree, Values};

/// A format for exporting a recorded run. `exports.rs` lists all formats.
pub trait RunExport: Sync {
    /// Returns the file extension that selects the format, in lower case, such as `json` or `otlp.json`. The longest
    /// matching extension is used.
    fn ending(&self) -> &'static str;

    /// Writes a run in this format, which may be text or binary.
    ///
    /// # Errors
    /// Returns an error if the run cannot be read or `out` cannot be written.
    fn write(&self, run: &RecordedRun<'_>, out: &mut dyn io::Write) -> Result<(), ApiError>;
}

/// The data of a run that an export can use. The location of the flow's file is left out. Runs never contain keys.
pub struct RecordedRun<'j> {
    pub header: RunHeader,
    pub state: RunState,
    journal: &'j dyn Journal,
}

impl<'j> RecordedRun<'j> {
    /// Reads the run with this id.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if the run does not exist, and the journal's other errors.
    pub(crate) fn read(journal: &'j dyn Journal, run_id: &str) -> Result<Self, JournalError> {
        let (mut header, state) = journal.run(run_id)?;
        header.flow_path = None;
        Ok(Self {
            header,
            state,
            journal,
        })
    }

    /// Returns the steps, loops and iterations of the run, with the values that `values` selects.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn tree(&self, values: Values) -> Result<RunTree, JournalError> {
        RunTree::read(self.journal, &self.header.run_id, Select::All, values)
    }

    /// Returns every record, including those that a later record made obsolete.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.journal.read(&self.header.run_id, Select::All)
    }
}
