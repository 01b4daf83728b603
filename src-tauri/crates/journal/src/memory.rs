//! The store that forgets: everything in this process's memory.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::journal::{
    Entry, Journal, JournalError, Record, RunHeader, RunHeaderBrief, RunState, Select,
};

use crate::{begun, check_sequence, exists_already, iteration_path};

#[derive(Debug, Default)]
pub struct MemoryJournal {
    runs: Mutex<HashMap<String, Run>>,
}

#[derive(Debug)]
struct Run {
    header: RunHeader,
    state: RunState,
    records: Vec<Record>,
}

impl MemoryJournal {
    pub fn new() -> Self {
        Self::default()
    }

    /// No method below can panic between two halves of a change, so a poisoned lock still guards whole data.
    fn runs(&self) -> MutexGuard<'_, HashMap<String, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_run(run_id: &str) -> JournalError {
    JournalError::NoRun(run_id.to_owned())
}

impl Journal for MemoryJournal {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        let mut runs = self.runs();
        if runs.contains_key(&header.run_id) {
            return Err(exists_already(&header.run_id));
        }
        let run = Run {
            header: header.clone(),
            state: begun(),
            records: Vec::new(),
        };
        runs.insert(header.run_id.clone(), run);
        Ok(())
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        let mut runs = self.runs();
        let run = runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?;
        check_sequence(run_id, run.records.len() as u64, records)?;
        run.records.extend_from_slice(records);
        Ok(())
    }

    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        let mut runs = self.runs();
        runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?.state = state.clone();
        Ok(())
    }

    fn list(
        &self,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        let runs = self.runs();
        let mut all: Vec<&Run> = runs.values().collect();
        all.sort_by_key(|run| Reverse((run.header.started_at, &run.header.run_id)));
        Ok(all
            .into_iter()
            .skip(offset)
            .take(limit)
            .map(|run| (run.header.brief(), run.state.clone()))
            .collect())
    }

    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        Ok((run.header.clone(), run.state.clone()))
    }

    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        let within = match select {
            Select::Iteration { scope, index } => iteration_path(scope, index),
            _ => String::new(),
        };
        let wanted = |record: &&Record| match select {
            Select::All => true,
            Select::Path(path) => record.path == path,
            Select::Iteration { .. } => record
                .path
                .strip_prefix(&within)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            Select::Results(scope) => {
                record.path == scope && matches!(record.entry, Entry::IterationCompleted { .. })
            }
        };
        Ok(run.records.iter().filter(wanted).cloned().collect())
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        self.runs()
            .remove(run_id)
            .map(drop)
            .ok_or_else(|| no_run(run_id))
    }
}
