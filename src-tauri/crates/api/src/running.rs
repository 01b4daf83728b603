//! Starting runs, following them and stopping them.

use std::{sync::Arc, time::Duration};

use loopwright_driver::EventSink;
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, event::RunStatus, journal::RunState, plan::Focus,
    trust::Grants,
};
use serde_json::{Map, Value};
use tokio::task::JoinHandle;

use crate::{
    app::App,
    clock::new_id,
    error::{ApiError, Code},
    launch::{Launch, Work},
    new_budget::NewBudget,
    prepared_run::{PreparedFlow, PreparedRun, RunRequest},
    run_lock::RunLock,
    workers::Control,
};

/// What a run is started with.
pub struct RunOptions {
    pub document: Value,
    pub flow_path: Option<String>,
    /// By input name.
    pub inputs: Map<String, Value>,
    /// How approvals are settled.
    pub approve: ApprovalPolicy,
    /// Values that replace those of nodes, by node, and the node at which the run ends.
    pub focus: Focus,
    /// Called for every event, in order; must not block.
    pub events: EventSink,
}

/// A run that has begun.
pub struct Started {
    pub run_id: String,
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<RunOutcome, ApiError>>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    pub run_id: String,
    pub status: RunStatus,
    pub state: RunState,
    /// The run sleeps, and must be resumed after this time.
    pub wakes_in: Option<Duration>,
}

/// How a prepared run starts.
pub struct StartOptions {
    /// What it may use besides what is approved for its flow.
    pub allow: Grants,
    /// How approvals are settled.
    pub approve: ApprovalPolicy,
    /// Called for every event, in order; must not block.
    pub events: EventSink,
}

impl RunOptions {
    fn split(self, allow: Grants) -> (RunRequest, StartOptions) {
        let request = RunRequest {
            document: self.document,
            flow_path: self.flow_path,
            inputs: self.inputs,
            focus: self.focus,
            budget: NewBudget::default(),
        };
        let start = StartOptions {
            allow,
            approve: self.approve,
            events: self.events,
        };
        (request, start)
    }
}

impl App {
    /// Prepares and starts a run. Nothing is written when the flow has errors.
    ///
    /// # Errors
    /// [`Code::NotApproved`] where the flow would use what the person has not approved.
    pub fn start_run(self: &Arc<Self>, options: RunOptions) -> Result<Started, ApiError> {
        self.start_run_with(options, Grants::default())
    }

    /// As [`App::start_run`], with what is allowed for this run alone.
    ///
    /// # Errors
    /// As [`App::start_run`].
    pub fn start_run_with(
        self: &Arc<Self>,
        options: RunOptions,
        allow: Grants,
    ) -> Result<Started, ApiError> {
        let (request, start) = options.split(allow);
        self.start_prepared(self.prepare_run(request)?, start)
    }

    /// Starts a run that was prepared. Nothing is read, validated or planned again.
    ///
    /// # Errors
    /// As [`PreparedRun::check`]; [`Code::NotApproved`] where the flow would use what the person has not approved.
    pub fn start_prepared(
        self: &Arc<Self>,
        prepared: PreparedRun,
        options: StartOptions,
    ) -> Result<Started, ApiError> {
        self.start_prepared_as(new_id(), prepared, options)
    }

    /// As [`App::start_prepared`], under an id that was made before, so that whoever starts it can write it down first.
    ///
    /// # Errors
    /// As [`App::start_prepared`].
    pub(crate) fn start_prepared_as(
        self: &Arc<Self>,
        run_id: String,
        prepared: PreparedRun,
        options: StartOptions,
    ) -> Result<Started, ApiError> {
        let StartOptions {
            allow,
            approve,
            events,
        } = options;
        if let Some(workers) = self.workers() {
            // The workers decide what its flow may use. The files beside the flow are not on their computers.
            let (mut header, _) = prepared.into_header(&run_id, (self.clock())(), allow)?;
            header.flow_path = None;
            workers.start(&header, approve)?;
            return Ok(self.watch(run_id, 0, false, events));
        }
        prepared.check()?;
        let PreparedFlow {
            flow,
            path,
            identity,
            ..
        } = &prepared.flow;
        let path = path.as_deref();
        let admitted = self
            .admit(flow, path, identity.clone(), &allow)
            .inspect_err(|error| {
                if error.code == Code::NotApproved
                    && let Err(error) = self.refuse_prepared(&prepared)
                {
                    tracing::warn!("The refusal could not be kept: {error}");
                }
            })?;
        let lock = RunLock::take(self.data_dir(), &run_id)?;
        let (mut header, plan) = prepared.into_header(&run_id, (self.clock())(), allow)?;
        self.journal().create(&header)?;
        // They may be large, and the header is not needed any more.
        let inputs = match header.inputs.take() {
            Value::Object(inputs) => inputs,
            _ => Map::new(),
        };
        let plan = Arc::new(plan);
        Ok(self.launch(Launch {
            run_id,
            lock,
            admitted,
            work: Work::Begin { plan, inputs },
            approve,
            events,
        }))
    }

    /// Stops a run, whatever its status.
    pub fn stop_run(&self, run_id: &str) -> Result<(), ApiError> {
        if let Some(workers) = self.workers() {
            return workers.ask(run_id, &Control::Stop);
        }
        if self.running().stop(run_id) {
            return Ok(());
        }
        if self.is_led(run_id) {
            return Err(ApiError::new(
                Code::Busy,
                format!("Run {run_id} belongs to another program. Stop it there."),
            ));
        }
        // It is suspended, or its program was lost: from now on it cannot be resumed.
        self.end_suspended(run_id)
    }

    /// Pauses a run: what is under way ends, and nothing is started. It is then suspended as `paused` until it is resumed, also
    /// over a restart.
    pub fn pause_run(&self, run_id: &str) -> Result<(), ApiError> {
        if let Some(workers) = self.workers() {
            return workers.ask(run_id, &Control::Pause);
        }
        if self.running().set_paused(run_id, true) {
            return Ok(());
        }
        let (_, state) = self.journal().run(run_id)?;
        if state.status == RunStatus::Paused {
            return Ok(());
        }
        let why = if self.is_led(run_id) {
            "belongs to another program. Pause it there."
        } else {
            "is not running."
        };
        Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} {why}"),
        ))
    }

    /// Lets the node at `path` make its model call once more, instead of waiting for its answer on. Nothing happens where no such call
    /// is under way.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for a run that this program does not drive.
    pub fn ask_again(&self, run_id: &str, path: &str) -> Result<(), ApiError> {
        if self.running().ask_again(run_id, path) {
            return Ok(());
        }
        let why = match (self.workers().is_some(), self.is_led(run_id)) {
            (true, _) => "executes on a worker, where no call can be made again by hand.",
            (false, true) => "belongs to another program. Ask again there.",
            (false, false) => "is not running.",
        };
        Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} {why}"),
        ))
    }

    /// Lets a paused run continue that is not suspended yet. `false`: it is suspended, and must be resumed.
    pub fn unpause_run(&self, run_id: &str) -> bool {
        self.running().set_paused(run_id, false)
    }

    /// Runs that this process leads.
    pub fn running_ids(&self) -> Vec<String> {
        self.running().ids()
    }

    /// Stops every run of this process, and waits until none is left or `patience` is over.
    pub async fn stop_all(&self, patience: Duration) {
        self.running().stop_all();
        self.running().none_left(patience).await;
    }

    /// Detaches every run of this process where it is, and waits as [`App::stop_all`]: what is under way is cut off, what was
    /// recorded is kept, and each run is then found as interrupted and can be resumed.
    pub async fn detach_all(&self, patience: Duration) {
        self.running().detach_all();
        self.running().none_left(patience).await;
    }
}
