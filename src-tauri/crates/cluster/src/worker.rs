//! A worker: takes runs from the queue and leads them, one at each of its places.

use std::{
    collections::HashMap,
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loopwright_api::{
    Allow, ApiError, App, Approve, Code, NewBudget, ResumeOptions, RunStatus, SharedStore, Started,
};
use loopwright_engine::journal::{COMPAT, Journal, JournalError, RunFailure};

use crate::{
    claims::{Approvals, Claim, Taken},
    controls::Control,
    queue::{Advance, Job, Queue, Serving},
    store::PgStore,
};

/// How often what people ask of runs is looked for.
const LOOK: Duration = Duration::from_millis(200);

/// Until a run that found no room in the budget of its batch tries again.
const NO_ROOM: Duration = Duration::from_secs(1);

/// How a worker serves.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// What people know it by.
    pub name: String,
    /// Runs at once.
    pub places: usize,
    /// How long another worker may be silent before its runs are taken over.
    pub takeover_after: Duration,
    /// How long runs may go on once it is to end, before they are left to other workers.
    pub drain: Duration,
    /// What runs may use of the world here.
    pub allow: Allow,
    pub data_dir: PathBuf,
}

struct Worker {
    app: Arc<App>,
    store: Arc<PgStore>,
    queue: Arc<dyn Queue>,
    options: WorkerOptions,
    /// Runs that are led here, with the controls that were acted on.
    leading: Mutex<HashMap<String, Vec<i64>>>,
}

/// Opens the runs of a shared store for a person: what is listed as going on is led by a worker that lives.
///
/// # Errors
/// When the store does not answer.
pub fn open(
    data_dir: &std::path::Path,
    runtime: tokio::runtime::Handle,
    store: &Arc<PgStore>,
    takeover_after: Duration,
    may_use: Allow,
) -> Result<Arc<App>, JournalError> {
    let led_by = Arc::clone(store);
    let shared = SharedStore {
        journal: Arc::clone(store) as Arc<dyn Journal>,
        // Where the store does not answer, what it last said stands.
        has_leader: Arc::new(move |run_id| {
            led_by.has_leader(run_id, takeover_after).unwrap_or(true)
        }),
        may_use,
        ahead_ms: store.ahead_ms()?,
    };
    Ok(App::open_shared(data_dir, runtime, shared))
}

/// Serves until `stop` is ready; then takes no more runs, lets those that go on end for a while, and leaves the rest to others.
///
/// # Errors
/// When the store does not answer at the start, or the queue cannot be used at the end.
pub async fn serve(
    store: Arc<PgStore>,
    queue: Arc<dyn Queue>,
    options: WorkerOptions,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ApiError> {
    let runtime = tokio::runtime::Handle::current();
    let app = open(
        &options.data_dir,
        runtime,
        &store,
        options.takeover_after,
        options.allow.clone(),
    )?;
    store.beat(&options.name, COMPAT, options.places)?;
    let worker = Arc::new(Worker {
        app,
        store,
        queue: Arc::clone(&queue),
        options,
        leading: Mutex::default(),
    });
    let beating = tokio::spawn(beat(Arc::clone(&worker)));
    let looking = tokio::spawn(look(Arc::clone(&worker)));
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let drain = {
        let worker = Arc::clone(&worker);
        tokio::spawn(async move {
            stop.await;
            let _ = stopping.send(());
            worker.wait_for_runs(worker.options.drain).await;
            worker.app.leave_all(Duration::from_secs(5)).await;
        })
    };
    let serving = Serving {
        places: worker.options.places,
        compat: COMPAT,
        threshold: worker.options.takeover_after,
    };
    let advance: Advance = {
        let worker = Arc::clone(&worker);
        Arc::new(move |run_id| Box::pin(advance(Arc::clone(&worker), run_id)) as Pin<Box<_>>)
    };
    let served = queue
        .serve(
            serving,
            advance,
            Box::pin(async move {
                let _ = stopped.await;
            }),
        )
        .await;
    let _ = drain.await;
    beating.abort();
    looking.abort();
    if let Err(error) = worker.store.leave() {
        tracing::debug!("The worker's row stays until it is old: {error}");
    }
    served.map_err(|error| JournalError::Unreachable(error.to_string()).into())
}

/// Says that the worker lives, and asks the queue for runs that nobody may have a job for.
async fn beat(worker: Arc<Worker>) {
    let each = worker.options.takeover_after / 4;
    loop {
        let (name, places) = (&worker.options.name, worker.options.places);
        if let Err(error) = worker.store.beat(name, COMPAT, places) {
            tracing::warn!("{error}");
        }
        match worker.store.orphans(worker.options.takeover_after) {
            Ok(runs) if runs.is_empty() => {}
            Ok(runs) => {
                let jobs: Vec<Job> = runs.into_iter().map(job).collect();
                if let Err(error) = worker.queue.enqueue(&jobs).await {
                    tracing::warn!("{error}");
                }
            }
            Err(error) => tracing::warn!("{error}"),
        }
        tokio::time::sleep(each).await;
    }
}

/// Acts on what people ask of the runs that are led here.
async fn look(worker: Arc<Worker>) {
    loop {
        tokio::time::sleep(LOOK).await;
        if worker.leading().is_empty() {
            continue;
        }
        match worker.store.asked() {
            Ok(asked) => asked.into_iter().for_each(|one| worker.act(one)),
            Err(error) => tracing::debug!("{error}"),
        }
    }
}

fn job(run_id: String) -> Job {
    Job {
        run_id,
        compat: COMPAT,
    }
}

async fn advance(worker: Arc<Worker>, run_id: String) {
    let threshold = worker.options.takeover_after;
    let after = match worker.store.claim(&run_id, threshold) {
        Ok(Claim::Over) => return,
        Ok(Claim::Taken(taken)) => {
            if let Err(error) = worker.lead(&run_id, taken).await {
                tracing::info!("{run_id}: {error}");
                worker.interrupted(&run_id, &error);
            }
            let handled = worker.leading().remove(&run_id).unwrap_or_default();
            match worker.store.release(&run_id, handled) {
                Ok(false) => return,
                // This worker ends, or something was asked that is done on resuming.
                Ok(true) => Duration::ZERO,
                // It is found as an orphan.
                Err(error) => return tracing::warn!("{run_id}: {error}"),
            }
        }
        Ok(Claim::Held) => threshold,
        Ok(Claim::NoBudget) => NO_ROOM,
        Err(error) => {
            tracing::warn!("{run_id}: {error}");
            NO_ROOM
        }
    };
    // The job that is under way has the run's key until it ends.
    if let Err(error) = worker.queue.later(&job(run_id), after).await {
        tracing::warn!("{error}");
    }
}

impl Worker {
    fn leading(&self) -> MutexGuard<'_, HashMap<String, Vec<i64>>> {
        self.leading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait_for_runs(&self, patience: Duration) {
        let waiting = async {
            while !self.leading().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        // What goes on after that is left to others.
        let _ = tokio::time::timeout(patience, waiting).await;
    }

    /// Leads a run until it ends or rests.
    async fn lead(&self, run_id: &str, taken: Taken) -> Result<(), ApiError> {
        self.leading().insert(run_id.to_owned(), Vec::new());
        let asked: Vec<(i64, Control)> = self
            .store
            .asked()?
            .into_iter()
            .filter(|(_, of, _)| of == run_id)
            .map(|(id, _, control)| (id, control))
            .collect();
        if let Some((id, _)) = asked.iter().find(|(_, control)| *control == Control::Stop) {
            self.app.end_stored(run_id)?;
            self.handled(run_id, *id);
            return Ok(());
        }
        if !taken.affordable {
            return self.app.fail_stored(
                run_id,
                "budget_exceeded",
                "The budget of the batch has no room for this run.".to_owned(),
            );
        }
        let started = if taken.began {
            self.go_on(run_id, taken.approve, asked)?
        } else {
            let approve = approve(taken.approve);
            Some(self.app.start_stored(run_id, approve, Arc::new(|_| {}))?)
        };
        if let Some(started) = started {
            started
                .finished
                .await
                .map_err(|error| ApiError::new(Code::Internal, error.to_string()))??;
        }
        Ok(())
    }

    /// Marks a run that this program cannot go on with, so that no worker tries it again by itself: it might repeat a call whose
    /// answer no store takes. A run that was taken over, or left because this worker ends, is not marked.
    fn interrupted(&self, run_id: &str, error: &ApiError) {
        if error.code == Code::Busy {
            return;
        }
        let marked = self.store.run(run_id).and_then(|(_, mut state)| {
            if state.status.is_over() {
                return Ok(());
            }
            state.status = RunStatus::Interrupted;
            state.error = Some(RunFailure {
                code: "interrupted".to_owned(),
                node: None,
                message: error.message.clone(),
            });
            self.store.set_state(run_id, &state)
        });
        if let Err(error) = marked {
            tracing::warn!("{run_id}: {error}");
        }
    }

    /// Takes up a run that has begun, where what is asked of it allows that.
    fn go_on(
        &self,
        run_id: &str,
        approvals: Approvals,
        asked: Vec<(i64, Control)>,
    ) -> Result<Option<Started>, ApiError> {
        let (_, state) = self.store.run(run_id)?;
        let (mut answer, mut budget, mut resumes) = (None, None, false);
        for (id, control) in asked {
            match control {
                Control::Answer {
                    path,
                    answer: given,
                } if answer.is_none() => {
                    answer = Some((path, given));
                }
                // One after the other: each is told to the run when it rests again.
                Control::Answer { .. } => continue,
                Control::Resume { usd, tokens } => {
                    resumes = true;
                    if usd.is_some() || tokens.is_some() {
                        budget = Some(NewBudget { usd, tokens });
                    }
                }
                Control::Pause | Control::Stop => {}
            }
            self.handled(run_id, id);
        }
        match state.status {
            RunStatus::Waiting if answer.is_none() => return Ok(None),
            RunStatus::Paused | RunStatus::Interrupted if !resumes => return Ok(None),
            _ => {}
        }
        let options = ResumeOptions {
            run_id: run_id.to_owned(),
            answer,
            budget,
            approve: approve(approvals),
            events: Arc::new(|_| {}),
        };
        self.app.resume_run(options).map(Some)
    }

    fn handled(&self, run_id: &str, id: i64) {
        if let Some(handled) = self.leading().get_mut(run_id) {
            handled.push(id);
        }
    }

    /// Acts on one thing that was asked of a run that goes on here.
    fn act(&self, (id, run_id, control): (i64, String, Control)) {
        let is_new = self
            .leading()
            .get(&run_id)
            .is_some_and(|handled| !handled.contains(&id));
        if !is_new || !self.app.running_ids().contains(&run_id) {
            return;
        }
        let done = match control {
            Control::Stop => self.app.stop_run(&run_id).is_ok(),
            Control::Pause => self.app.pause_run(&run_id).is_ok(),
            Control::Resume {
                usd: None,
                tokens: None,
            } => self.app.unhold_run(&run_id),
            // The run takes it when it rests.
            Control::Resume { .. } | Control::Answer { .. } => false,
        };
        if done {
            self.handled(&run_id, id);
        }
    }
}

fn approve(approvals: Approvals) -> Approve {
    match approvals {
        Approvals::Ask => Approve::Ask,
        Approvals::All => Approve::All,
        Approvals::None => Approve::None,
    }
}
