//! Implements a worker, which takes runs from the queue and executes a limited number of them at once.

use std::{
    collections::{HashMap, hash_map::Entry},
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loopwright_api::{App, ApprovalPolicy, RunStatus};
use loopwright_engine::journal::{Journal, JournalError, RunFailure, damaged_state};
use loopwright_engine::trust::Grants;
use loopwright_runs as runs;
use loopwright_runs::{
    ApiError, Code, Control, NewBudget, ResumeOptions, RunOutcome, SharedStore, Started, Workers,
    time_to_answer,
};
use tokio::sync::Semaphore;

use crate::{
    claims::{Claim, Taken},
    queue::{Advance, Job, Queue, Serving},
    store::PgStore,
};

/// The interval at which the worker reads the controls of its runs from the store.
const CONTROLS_EVERY: Duration = Duration::from_millis(200);

/// The maximum time that a stopping worker waits until all of its runs are released in the store.
const LETTING_GO: Duration = Duration::from_secs(10);

/// The delay before the worker retries a run for which there was no free place or budget, that was handed out twice, or that
/// could not be claimed.
const NO_ROOM: Duration = Duration::from_secs(1);

/// The default time for which a worker may be silent before its runs are taken over.
pub const TAKEOVER_AFTER: Duration = Duration::from_secs(30);

/// The settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The name of the worker in lists.
    pub name: String,
    /// The maximum number of runs that the worker executes at once.
    pub places: usize,
    /// The time for which another worker may be silent before its runs are taken over.
    pub takeover_after: Duration,
    /// How long a stopping worker waits for its runs to finish before it leaves them to other workers.
    pub drain: Duration,
    /// The compatibility number of the runs that the worker takes. It differs from the program's own number only in tests that
    /// mix versions.
    pub compat: u32,
    /// What runs are permitted to use on this computer.
    pub allow: Grants,
    pub data_dir: PathBuf,
}

struct Worker {
    app: Arc<App>,
    store: Arc<PgStore>,
    queue: Arc<dyn Queue>,
    options: WorkerOptions,
    /// The runs that this worker leads, with the ids of the controls on which it has acted.
    leading: Mutex<HashMap<String, Vec<i64>>>,
    /// Permits that limit the number of concurrent runs, one for each run. The queue alone does not limit the number,
    /// because after a failure of the server it hands out jobs while earlier runs continue.
    places: Arc<Semaphore>,
}

/// The state of a run after this worker has led it.
enum Led {
    /// The run is over, or suspended until a new request.
    Ended,
    /// The run waits for a timer that is due after this time.
    Sleeps(Duration),
}

/// Opens the app for the runs of a shared store. A run counts as running while a live worker leads it. `workers` executes the
/// runs that this program does not execute itself.
///
/// # Errors
/// Returns an error if the store does not answer.
pub fn open(
    data_dir: &std::path::Path,
    runtime: tokio::runtime::Handle,
    store: &Arc<PgStore>,
    takeover_after: Duration,
    may_use: Grants,
    workers: Option<Arc<dyn Workers>>,
) -> Result<Arc<App>, JournalError> {
    let led_by = Arc::clone(store);
    let shared = SharedStore {
        journal: Arc::clone(store) as Arc<dyn Journal>,
        // If the store does not answer, the run counts as led, so that its stored status is not changed.
        has_leader: Arc::new(move |run_id| {
            led_by.has_leader(run_id, takeover_after).unwrap_or(true)
        }),
        may_use,
        workers,
        ahead_ms: store.ahead_ms()?,
    };
    Ok(App::open_shared(data_dir, runtime, shared))
}

/// Takes and executes runs until `stop` completes. After that, the worker takes no more runs, gives the runs in progress
/// time to finish, and leaves the unfinished ones to other workers.
///
/// # Errors
/// Returns an error if the store does not answer at the start, or the queue cannot be used at the end.
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
        None,
    )?;
    store.beat(&options.name, options.compat, options.places)?;
    let places = Arc::new(Semaphore::new(options.places));
    let worker = Arc::new(Worker {
        places,
        app,
        store,
        queue: Arc::clone(&queue),
        options,
        leading: Mutex::default(),
    });
    let beating = tokio::spawn(beat(Arc::clone(&worker)));
    let controlled = tokio::spawn(act_on_controls(Arc::clone(&worker)));
    let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
    let drain = {
        let worker = Arc::clone(&worker);
        tokio::spawn(async move {
            stop.await;
            let _ = stopping.send(());
            worker.wait_for_runs(worker.options.drain).await;
            runs::detach_all(worker.app.env(), Duration::from_secs(5)).await;
        })
    };
    let serving = Serving {
        places: worker.options.places,
        compat: worker.options.compat,
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
    // Every run must be released in the store. Otherwise other workers wait until this one counts as dead.
    let all = u32::try_from(worker.options.places).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(LETTING_GO, worker.places.acquire_many(all)).await;
    beating.abort();
    controlled.abort();
    if let Err(error) = worker.store.sign_off() {
        tracing::debug!(
            "The worker could not be removed from the store: {error}. The store lists it until its entry expires."
        );
    }
    served.map_err(|error| JournalError::Unreachable(error.to_string()).into())
}

/// Renews the worker's heartbeat, and enqueues runs that may have no job.
async fn beat(worker: Arc<Worker>) {
    let each = worker.options.takeover_after / 4;
    loop {
        let (name, places) = (&worker.options.name, worker.options.places);
        if let Err(error) = worker.store.beat(name, worker.options.compat, places) {
            tracing::warn!("{error}");
        }
        let orphans = worker
            .store
            .orphans(worker.options.compat, worker.options.takeover_after);
        match orphans {
            Ok(jobs) if jobs.is_empty() => {}
            Ok(jobs) => {
                if let Err(error) = worker.queue.enqueue(&jobs).await {
                    tracing::warn!("{error}");
                }
            }
            Err(error) => tracing::warn!("{error}"),
        }
        tokio::time::sleep(each).await;
    }
}

/// Acts on the controls of runs that this worker leads.
async fn act_on_controls(worker: Arc<Worker>) {
    loop {
        tokio::time::sleep(CONTROLS_EVERY).await;
        if worker.leading().is_empty() {
            continue;
        }
        match worker.store.controls() {
            Ok(controls) => controls.into_iter().for_each(|one| act(&worker, one)),
            Err(error) => tracing::debug!("{error}"),
        }
    }
}

async fn advance(worker: Arc<Worker>, run_id: String) {
    let (compat, threshold) = (worker.options.compat, worker.options.takeover_after);
    let Ok(_place) = Arc::clone(&worker.places).try_acquire_owned() else {
        let job = Job { run_id, compat };
        // All places of this worker are taken. The job goes back to the queue, because another worker may have a free place.
        if let Err(error) = worker.queue.later(&job, NO_ROOM).await {
            tracing::warn!("{error}");
        }
        return;
    };
    let mut job = Job {
        run_id: run_id.clone(),
        compat,
    };
    if !worker.begins(&run_id) {
        // The run was handed out twice. The second job may be for newer requests, so it is repeated after the first.
        if let Err(error) = worker.queue.later(&job, NO_ROOM).await {
            tracing::warn!("{error}");
        }
        return;
    }
    let claim = worker.store.claim(&run_id, compat, threshold);
    if !matches!(claim, Ok(Claim::Taken(_))) {
        worker.leading().remove(&run_id);
    }
    let after = match claim {
        Ok(Claim::Over) => return,
        Ok(Claim::Foreign(compat)) => {
            job.compat = compat;
            Duration::ZERO
        }
        Ok(Claim::Taken(taken)) => {
            let led = worker.lead(&run_id, taken).await.unwrap_or_else(|error| {
                tracing::info!("{run_id}: {error}");
                worker.mark_interrupted(&run_id, &error);
                Led::Ended
            });
            let handled = worker.leading().get(&run_id).cloned().unwrap_or_default();
            let wakes_in = match led {
                Led::Ended => None,
                Led::Sleeps(wait) => Some(wait),
            };
            let released = worker.store.release(&run_id, handled, wakes_in);
            worker.leading().remove(&run_id);
            match released {
                Ok(None) => return,
                // The run continues later: this worker is stopping, the run waits for a timer, or a request takes
                // effect only when the run is resumed.
                Ok(Some(after)) => after,
                // The run was not released. Another worker finds it as an orphan.
                Err(error) => return tracing::warn!("{run_id}: {error}"),
            }
        }
        Ok(Claim::Busy) => threshold,
        Ok(Claim::NoBudget) => NO_ROOM,
        Err(error) => {
            tracing::warn!("{run_id}: {error}");
            NO_ROOM
        }
    };
    // The queue allows one job per run, and the current job counts until it ends, so the next job is enqueued with a delay.
    if let Err(error) = worker.queue.later(&job, after).await {
        tracing::warn!("{error}");
    }
}

impl Worker {
    fn leading(&self) -> MutexGuard<'_, HashMap<String, Vec<i64>>> {
        self.leading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a run as led by this worker. Returns `false` if the run is already marked. A second claim by the same program would
    /// take the run from the first one, and then neither could write.
    fn begins(&self, run_id: &str) -> bool {
        match self.leading().entry(run_id.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Vec::new());
                true
            }
        }
    }

    async fn wait_for_runs(&self, patience: Duration) {
        let waiting = async {
            while !self.leading().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        // Other workers continue the runs that have not finished by then.
        let _ = tokio::time::timeout(patience, waiting).await;
    }

    /// Leads a run until it is over, is suspended, or waits for a timer.
    async fn lead(&self, run_id: &str, taken: Taken) -> Result<Led, ApiError> {
        let controls: Vec<(i64, Control)> = self
            .store
            .controls()?
            .into_iter()
            .filter(|(_, of, _)| of == run_id)
            .map(|(id, _, control)| (id, control))
            .collect();
        let stop = controls
            .iter()
            .find(|(_, control)| *control == Control::Stop);
        if let Some((id, _)) = stop {
            runs::end_stored(self.app.env(), run_id)?;
            self.handled(run_id, *id);
            return Ok(Led::Ended);
        }
        if !taken.affordable {
            self.refuse_budget(run_id, taken, &controls)?;
            return Ok(Led::Ended);
        }
        let pause = to_pause(&controls);
        let answers = taken.began
            && controls
                .iter()
                .any(|(_, control)| matches!(control, Control::Answer { .. }));
        let started = if taken.began {
            self.resume(run_id, taken.approve, &controls, true)?
        } else {
            // Requests for a larger budget wait until the run has stopped at its current one.
            let (budgets, others): (Vec<_>, Vec<_>) = controls
                .iter()
                .partition(|(_, control)| asks_for_budget(control));
            others.iter().for_each(|(id, _)| self.handled(run_id, *id));
            self.postpone(run_id, budgets.iter().map(|(id, _)| *id).collect())?;
            let approve = taken.approve;
            Some(runs::start_stored(
                self.app.env(),
                run_id,
                approve,
                Arc::new(|_| {}),
            )?)
        };
        let Some(started) = started else {
            return self.rests(run_id);
        };
        if pause && let Err(error) = runs::pause_run(self.app.env(), run_id) {
            tracing::debug!("{run_id} ended before it was paused: {error}");
        }
        let outcome = match finished(started).await {
            // The previous worker applied the answer and died before it recorded that.
            Err(error) if answers && error.code == Code::InvalidArgument => {
                tracing::info!("{run_id}: an answer was not accepted: {error}");
                match self.resume(run_id, taken.approve, &controls, false)? {
                    None => return self.rests(run_id),
                    Some(started) => finished(started).await?,
                }
            }
            outcome => outcome?,
        };
        Ok(outcome.wakes_in.map_or(Led::Ended, Led::Sleeps))
    }

    /// Refuses a run whose cost will never fit into the batch's budget. A new run fails. A run that requested a larger budget is
    /// unchanged.
    fn refuse_budget(
        &self,
        run_id: &str,
        taken: Taken,
        controls: &[(i64, Control)],
    ) -> Result<(), ApiError> {
        if !taken.began {
            return runs::fail_stored(
                self.app.env(),
                run_id,
                "budget_exceeded",
                "The remaining budget of the batch is too small for this run.".to_owned(),
            );
        }
        controls
            .iter()
            .for_each(|(id, _)| self.handled(run_id, *id));
        let (_, mut state) = self.store.run(run_id)?;
        if state.over_budget {
            state.status = RunStatus::Failed;
            self.store.set_state(run_id, &state)?;
        }
        tracing::info!(
            "{run_id}: the remaining budget of the batch is too small to raise the budget of this run"
        );
        Ok(())
    }

    /// Marks a run as interrupted if this program cannot continue it. No worker then retries it automatically, because a
    /// retry might repeat a call whose answer the store does not accept. A run is not marked if another worker took it
    /// over, or if this worker left it while stopping.
    fn mark_interrupted(&self, run_id: &str, error: &ApiError) {
        if error.code == Code::Busy {
            return;
        }
        let stored = match self.store.run(run_id) {
            // The stored state cannot be read, so nothing is lost when this state replaces it.
            Err(JournalError::DamagedRun { what, .. }) => {
                let marked = self.store.set_state(run_id, &damaged_state(&what));
                return marked.unwrap_or_else(|error| tracing::warn!("{run_id}: {error}"));
            }
            stored => stored,
        };
        let marked = stored.and_then(|(_, mut state)| {
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

    /// Resumes a run that has started, if its controls allow that. Returns `None` if the run remains suspended.
    fn resume(
        &self,
        run_id: &str,
        approve: ApprovalPolicy,
        controls: &[(i64, Control)],
        with_answer: bool,
    ) -> Result<Option<Started>, ApiError> {
        let (_, state) = self.store.run(run_id)?;
        let (mut answer, mut budget, mut resumes) = (None, None, false);
        let mut budgets = Vec::new();
        for (id, control) in controls {
            match control {
                Control::Answer {
                    path,
                    answer: given,
                } if answer.is_none() => {
                    answer = Some((path.clone(), given.clone()));
                }
                // A resumed run begins with one answer. It gets the others while it is in progress.
                Control::Answer { .. } => continue,
                Control::Resume { usd, tokens } => {
                    resumes = true;
                    if asks_for_budget(control) {
                        budget = Some(NewBudget {
                            usd: *usd,
                            tokens: *tokens,
                        });
                        budgets.push(*id);
                        continue;
                    }
                }
                Control::Pause => resumes = false,
                Control::Stop => {}
            }
            self.handled(run_id, *id);
        }
        answer = answer.filter(|_| with_answer);
        let options = ResumeOptions {
            run_id: run_id.to_owned(),
            answer,
            budget,
            approve,
            events: Arc::new(|_| {}),
        };
        let rests = match state.status {
            RunStatus::Waiting => {
                let left = time_to_answer(&state, self.app.env().now());
                options.answer.is_none() && left != Some(Duration::ZERO)
            }
            RunStatus::Paused | RunStatus::Interrupted => !resumes,
            _ => false,
        };
        if rests {
            // The run gets the budget when it continues.
            self.postpone(run_id, budgets)?;
            return Ok(None);
        }
        budgets.iter().for_each(|id| self.handled(run_id, *id));
        match state.status {
            // The run lost its worker or waited for a timer. The time since then counts towards the run's time.
            RunStatus::Running => runs::take_over_run(self.app.env(), options).map(Some),
            _ => runs::resume_run(self.app.env(), options).map(Some),
        }
    }

    /// Returns [`Led::Sleeps`] with the time until the run's question expires, or [`Led::Ended`] if the run has no
    /// question that expires.
    fn rests(&self, run_id: &str) -> Result<Led, ApiError> {
        let (_, state) = self.store.run(run_id)?;
        let left = time_to_answer(&state, self.app.env().now());
        Ok(left.map_or(Led::Ended, Led::Sleeps))
    }

    /// Postpones requests for a larger budget until the next claim of the run.
    fn postpone(&self, run_id: &str, controls: Vec<i64>) -> Result<(), ApiError> {
        if let Some(handled) = self.leading().get_mut(run_id) {
            handled.retain(|id| !controls.contains(id));
        }
        Ok(self.store.postpone(controls)?)
    }

    fn handled(&self, run_id: &str, id: i64) {
        if let Some(handled) = self.leading().get_mut(run_id) {
            handled.push(id);
        }
    }
}

/// Acts on one control of a run, if this worker executes the run and has not acted on the control yet.
fn act(worker: &Arc<Worker>, (id, run_id, control): (i64, String, Control)) {
    let is_new = worker
        .leading()
        .get(&run_id)
        .is_some_and(|handled| !handled.contains(&id));
    let env = worker.app.env();
    if !is_new || !runs::running_ids(env).contains(&run_id) {
        return;
    }
    let done = match control {
        Control::Stop => runs::stop_run(env, &run_id).is_ok(),
        Control::Pause => runs::pause_run(env, &run_id).is_ok(),
        Control::Resume {
            usd: None,
            tokens: None,
        } => runs::unpause_run(env, &run_id),
        Control::Answer { path, answer } => {
            if let Some(receipt) = runs::answer_led_run(env, &run_id, &path, answer) {
                let worker = Arc::clone(worker);
                tokio::spawn(async move {
                    match receipt.await {
                        Ok(Ok(())) => worker.handled(&run_id, id),
                        Ok(Err(error)) => {
                            tracing::info!("{run_id}: an answer was not accepted: {error}");
                            worker.handled(&run_id, id);
                        }
                        // The run was suspended before it took the answer, so it is resumed with it.
                        Err(_) => {}
                    }
                });
            }
            return;
        }
        // A larger budget takes effect when the run is suspended.
        Control::Resume { .. } => false,
    };
    if done {
        worker.handled(&run_id, id);
    }
}

async fn finished(started: Started) -> Result<RunOutcome, ApiError> {
    started
        .finished
        .await
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?
}

fn asks_for_budget(control: &Control) -> bool {
    match control {
        Control::Resume { usd, tokens } => usd.is_some() || tokens.is_some(),
        Control::Stop | Control::Pause | Control::Answer { .. } => false,
    }
}

/// Returns whether the newest request to pause or resume is a request to pause.
fn to_pause(controls: &[(i64, Control)]) -> bool {
    controls
        .iter()
        .rev()
        .find_map(|(_, control)| match control {
            Control::Pause => Some(true),
            Control::Resume { .. } => Some(false),
            Control::Stop | Control::Answer { .. } => None,
        })
        .unwrap_or(false)
}
