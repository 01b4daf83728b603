//! Runs that others lead: what is asked of them goes to the workers of a shared store, and what becomes of them is read there.

use std::{sync::Arc, time::Duration};

use loopwright_driver::EventSink;
use loopwright_engine::{
    Answer, CancellationToken,
    event::{RunStatus, project},
    journal::JournalError,
};

use crate::{
    app::App,
    error::ApiError,
    new_budget::NewBudget,
    running::{RunOutcome, Started},
    workers::{Control, Workers},
};

/// How often a run that others lead is read.
const POLL: Duration = Duration::from_millis(250);

/// How long a store may be silent before nobody waits for its runs any more.
const STORE_TIMEOUT: Duration = Duration::from_secs(60);

impl App {
    /// The workers that lead the runs of this store; `None`: this program leads them itself.
    pub(crate) fn workers(&self) -> Option<&Arc<dyn Workers>> {
        self.shared_store()?.workers.as_ref()
    }

    /// Asks workers to resume a run, or to give it an answer.
    pub(crate) fn ask_to_resume(
        self: &Arc<Self>,
        workers: &Arc<dyn Workers>,
        run_id: String,
        answer: Option<(String, Answer)>,
        budget: Option<NewBudget>,
        events: EventSink,
    ) -> Result<Started, ApiError> {
        let next = self.next_record(&run_id)?;
        let control = match answer {
            Some((path, answer)) => Control::Answer { path, answer },
            None => Control::Resume {
                usd: budget.and_then(|budget| budget.usd),
                tokens: budget.and_then(|budget| budget.tokens),
            },
        };
        workers.ask(&run_id, &control)?;
        // Until a worker has taken it up, the run is as it was.
        Ok(self.watch(run_id, next, true, events))
    }

    /// Watches a run that others lead: its events from record number `from` on, until it ends or is suspended.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] for a run that is not there.
    pub fn follow_run(
        self: &Arc<Self>,
        run_id: &str,
        from: u64,
        events: EventSink,
    ) -> Result<Started, ApiError> {
        self.journal().run(run_id)?;
        Ok(self.watch(run_id.to_owned(), from, false, events))
    }

    /// The number of a run's next record.
    fn next_record(&self, run_id: &str) -> Result<u64, ApiError> {
        let records = self.journal().read_from(run_id, 0)?;
        Ok(records.last().map_or(0, |record| record.seq + 1))
    }

    /// `resumes`: it may be as before for a while. Cancelling what is given asks the run to stop.
    pub(crate) fn watch(
        self: &Arc<Self>,
        run_id: String,
        from: u64,
        resumes: bool,
        events: EventSink,
    ) -> Started {
        let cancel = CancellationToken::new();
        let (app, id, cancelled) = (Arc::clone(self), run_id.clone(), cancel.clone());
        let finished = self.runtime().spawn(async move {
            let mut watched = Watched {
                app,
                run_id: id,
                next: from,
                waits_for_news: resumes,
                events,
            };
            watched.watch(cancelled).await
        });
        Started {
            run_id,
            cancel,
            finished,
        }
    }
}

/// A run that is watched.
struct Watched {
    app: Arc<App>,
    run_id: String,
    /// The number of the next record to tell of.
    next: u64,
    /// It was suspended, and is not over before a record of a worker is there.
    waits_for_news: bool,
    events: EventSink,
}

impl Watched {
    async fn watch(&mut self, cancelled: CancellationToken) -> Result<RunOutcome, ApiError> {
        let (mut silent, mut stopping) = (Duration::ZERO, false);
        loop {
            match self.read() {
                Ok(Some(outcome)) => return Ok(outcome),
                Ok(None) => silent = Duration::ZERO,
                Err(JournalError::Unreachable(_)) if silent < STORE_TIMEOUT => silent += POLL,
                Err(error) => return Err(error.into()),
            }
            tokio::select! {
                () = tokio::time::sleep(POLL) => {}
                () = cancelled.cancelled(), if !stopping => {
                    stopping = true;
                    self.app.stop_run(&self.run_id)?;
                    self.waits_for_news = false;
                }
            }
        }
    }

    /// Tells of what is new. Gives how the run ended or is suspended, where it is.
    fn read(&mut self) -> Result<Option<RunOutcome>, JournalError> {
        let journal = self.app.journal();
        // The state first: what it says has been written by then.
        let (_, state) = journal.run(&self.run_id)?;
        for record in journal.read_from(&self.run_id, self.next)? {
            self.next = record.seq + 1;
            self.waits_for_news = false;
            if let Some(event) = project(&self.run_id, &record) {
                (self.events)(&event);
            }
        }
        let goes_on = matches!(state.status, RunStatus::Queued | RunStatus::Running);
        if goes_on || (self.waits_for_news && !state.status.is_over()) {
            return Ok(None);
        }
        Ok(Some(RunOutcome {
            run_id: self.run_id.clone(),
            status: state.status,
            state,
            wakes_in: None,
        }))
    }
}
