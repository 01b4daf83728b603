//! A journal whose writes are reported to a function.

use std::sync::Arc;

use loopwright_engine::journal::{
    Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunLabel, RunState,
    RunTally, Select, StoreSize,
};

/// A write to the journal.
#[derive(Clone, Copy)]
pub(crate) enum Write<'a> {
    Create,
    Append,
    SetState(&'a RunState),
}

type Watch = Box<dyn Fn(Write<'_>) + Send + Sync>;

/// A journal that calls `watch` before and after each write.
pub(crate) struct Watched {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) watch: Watch,
}

impl Watched {
    fn between<T>(&self, write: Write<'_>, call: impl FnOnce(&dyn Journal) -> T) -> T {
        (self.watch)(write);
        let done = call(&*self.journal);
        (self.watch)(write);
        done
    }
}

impl Journal for Watched {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        self.between(Write::Create, |journal| journal.create(header))
    }
    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        self.between(Write::Append, |journal| journal.append(run_id, records))
    }
    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        self.between(Write::SetState(state), |journal| {
            journal.set_state(run_id, state)
        })
    }
    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        self.journal.find(filter, limit, offset)
    }
    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError> {
        self.journal.tally(filter)
    }
    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError> {
        self.journal.flows()
    }
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError> {
        self.journal.ids(prefix, limit)
    }
    fn size(&self) -> Result<StoreSize, JournalError> {
        self.journal.size()
    }
    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        self.journal.run(run_id)
    }
    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError> {
        self.journal.results(run_id, scope)
    }
    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError> {
        self.journal.read(run_id, select)
    }
    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        self.journal.delete(run_id)
    }
    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        self.journal.add(header, records, state)
    }
    fn compact(&self) -> Result<(), JournalError> {
        self.journal.compact()
    }
    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError> {
        self.journal.mark_seen(run_id)
    }
    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError> {
        self.journal.label(run_id)
    }
    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError> {
        self.journal.set_name(run_id, name)
    }
    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError> {
        self.journal.set_starred(run_id, starred)
    }
    fn run_size(&self, run_id: &str) -> Result<u64, JournalError> {
        self.journal.run_size(run_id)
    }
}
