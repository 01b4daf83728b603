//! Runs that the workers of a shared store lead. Requests go to the workers, and progress is read from the store.

use std::{sync::Arc, time::Duration};

use loopwright_driver::EventSink;
use loopwright_engine::{CancellationToken, RunStatus, event::project, journal::JournalError};

use crate::{
    env::Env,
    error::ApiError,
    interrupted::mark_interrupted,
    launch::{RunOutcome, Started},
    resuming::ResumeOptions,
    workers::{Control, Workers},
};

/// The interval at which the store is read for the progress of a run.
const POLL: Duration = Duration::from_millis(250);

/// How long a store may be unreachable. After that, following its runs fails.
const STORE_TIMEOUT: Duration = Duration::from_secs(60);

/// The function that stops a run if its follower is cancelled.
pub(crate) type StopRun = fn(&Env, &str) -> Result<(), ApiError>;

/// Asks the workers to resume a run, or sends them the answer to the run's question. Then follows the run.
pub(crate) fn ask_to_resume(
    env: &Arc<Env>,
    workers: &Arc<dyn Workers>,
    options: ResumeOptions,
    stop: StopRun,
) -> Result<Started, ApiError> {
    let next = next_record(env, &options.run_id)?;
    let control = match options.answer {
        Some((path, answer)) => Control::Answer { path, answer },
        None => Control::Resume {
            usd: options.budget.and_then(|budget| budget.usd),
            tokens: options.budget.and_then(|budget| budget.tokens),
        },
    };
    workers.ask(&options.run_id, &control)?;
    // The run keeps its old state until a worker resumes it.
    Ok(watch(env, options.run_id, next, true, options.events, stop))
}

/// Follows a run that another program leads: reports its events from record number `from` on, until the run ends or is
/// suspended.
///
/// # Errors
/// [`crate::Code::NotFound`] if the run does not exist.
pub(crate) fn follow(
    env: &Arc<Env>,
    run_id: &str,
    from: u64,
    events: EventSink,
    stop: StopRun,
) -> Result<Started, ApiError> {
    env.journal().run(run_id)?;
    Ok(watch(env, run_id.to_owned(), from, false, events, stop))
}

/// Returns the number of the next record of a run.
fn next_record(env: &Env, run_id: &str) -> Result<u64, ApiError> {
    let records = env.journal().read_from(run_id, 0)?;
    Ok(records.last().map_or(0, |record| record.seq + 1))
}

/// Follows a run from record number `from` on. If `resumes` is true, the run may keep its old state until a worker resumes it.
/// If the cancellation token of the result is cancelled, the run is stopped.
pub(crate) fn watch(
    env: &Arc<Env>,
    run_id: String,
    from: u64,
    resumes: bool,
    events: EventSink,
    stop: StopRun,
) -> Started {
    let cancel = CancellationToken::new();
    let (own, id, cancelled) = (Arc::clone(env), run_id.clone(), cancel.clone());
    let finished = env.runtime().spawn(async move {
        let mut watched = Watched {
            env: own,
            run_id: id,
            next: from,
            waits_for_news: resumes,
            events,
            stop,
        };
        watched.watch(cancelled).await
    });
    Started {
        run_id,
        cancel,
        finished,
    }
}

/// A run that is being followed.
struct Watched {
    env: Arc<Env>,
    run_id: String,
    /// The number of the next record to report.
    next: u64,
    /// Whether the run was asked to resume and a worker has not yet written a new record. Until then, a stored state other
    /// than a final one may be outdated.
    waits_for_news: bool,
    events: EventSink,
    stop: StopRun,
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
                    (self.stop)(&self.env, &self.run_id)?;
                    self.waits_for_news = false;
                }
            }
        }
    }

    /// Reports new records. Returns the outcome once the run has ended or is suspended, and `None` before that.
    fn read(&mut self) -> Result<Option<RunOutcome>, JournalError> {
        let journal = self.env.journal();
        // The state is read first: the records that it reflects are already written.
        let (_, state) = journal.run(&self.run_id)?;
        for record in journal.read_from(&self.run_id, self.next)? {
            self.next = record.seq + 1;
            self.waits_for_news = false;
            if let Some(event) = project(&self.run_id, &record) {
                (self.events)(&event);
            }
        }
        let continues = matches!(state.status, RunStatus::Queued | RunStatus::Running);
        if state.status == RunStatus::Running && !self.env.is_led(&self.run_id) {
            // The program that led the run was lost. The next read returns the run's last known state.
            if let Err(error) = mark_interrupted(&self.env) {
                tracing::warn!(
                    "Run {} could not be marked as interrupted: {error}",
                    self.run_id
                );
            }
        }
        if continues || (self.waits_for_news && !state.status.is_over()) {
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
