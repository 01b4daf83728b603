//! `--detach`: executes a run in a separate process, which needs no terminal. The process reads the run from standard input.

use std::{
    io::{self, Read as _, Write as _},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use clap::ValueEnum as _;
use loopwright_api::{App, Focus};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{
    ApiError, Code, NewBudget, RunOutcome, RunRequest, StartOptions, Started, new_id,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    approve_arg::ApproveArg,
    follow::{follow, sink},
    interrupts::Interrupts,
    out::{errln, outln},
    progress::Progress,
    run_result::exit_status,
    status,
    unattended::{NotifyArg, Telling, UnattendedArgs, attend},
};

/// The maximum time to wait until the run is in the history.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(30);

/// The maximum time to wait, after a signal detaches a run, until it has recorded where it stopped and has ended its
/// programs.
const ENDING: Duration = Duration::from_secs(5);

/// A run to lead, in the form in which the starting process writes it to the new process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Job {
    run_id: String,
    document: Value,
    flow_path: Option<String>,
    inputs: Map<String, Value>,
    pins: Map<String, Value>,
    until: Option<String>,
    budget_usd: Option<f64>,
    budget_tokens: Option<u64>,
    approve: String,
    allow: Grants,
    keep_awake: bool,
    notify: bool,
}

impl Job {
    pub(crate) fn of(
        request: &RunRequest,
        approve: ApproveArg,
        unattended: UnattendedArgs,
        notify: NotifyArg,
    ) -> Self {
        let approve = approve.to_possible_value();
        Self {
            run_id: new_id(),
            document: request.document.clone(),
            flow_path: request.flow_path.clone(),
            inputs: request.inputs.clone(),
            pins: request.focus.pins.clone(),
            until: request.focus.until.clone(),
            budget_usd: request.budget.usd,
            budget_tokens: request.budget.tokens,
            approve: approve.map_or_else(String::new, |value| value.get_name().to_owned()),
            allow: Grants::default(),
            keep_awake: unattended.keep_awake,
            notify: notify.notify,
        }
    }

    /// Starts the run in a separate process, and prints the run's id. Returns when the run is in the history.
    ///
    /// # Errors
    /// Returns the reason why the run could not start.
    pub(crate) async fn start(
        mut self,
        app: &App,
        allow: Grants,
        json: bool,
    ) -> Result<u8, ApiError> {
        self.allow = allow;
        let failed = |error: io::Error| {
            ApiError::new(
                Code::Io,
                format!("The run could not be started in the background: {error}."),
            )
        };
        let run_id = self.run_id.clone();
        let mut child = Command::new(std::env::current_exe().map_err(failed)?)
            .args(["lead", "--json", "--data-dir"])
            .arg(app.env().data_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let job = serde_json::to_vec(&self).map_err(|error| failed(error.into()))?;
        let handed_over = child.stdin.take().map(|mut input| input.write_all(&job));
        let ends = Instant::now() + PATIENCE;
        let result = loop {
            if records::run_detail(app.env(), &run_id).is_ok() {
                break Ok(());
            }
            let has_ended = child.try_wait().map_err(failed)?.is_some();
            // The process may have written the run just before it ended.
            if has_ended && records::run_detail(app.env(), &run_id).is_err() {
                let mut said = String::new();
                if let Some(output) = &mut child.stdout {
                    output.read_to_string(&mut said).map_err(failed)?;
                }
                break Err(error_in(&said));
            }
            if Instant::now() > ends {
                break Err(ApiError::new(
                    Code::Internal,
                    format!(
                        "The run {run_id} did not start within {} s. It may still start; look for it with: loopwright runs list",
                        PATIENCE.as_secs()
                    ),
                ));
            }
            tokio::time::sleep(LOOK).await;
        };
        result?;
        if let Some(Err(error)) = handed_over {
            return Err(failed(error));
        }
        if json {
            outln!("{}", json!({ "runId": run_id }));
        } else {
            outln!("{run_id}");
            errln!("The run continues in the background.");
            errln!("  Follow it:  loopwright runs watch {run_id}");
            errln!("  Stop it:    loopwright runs stop {run_id}");
        }
        Ok(status::COMPLETED)
    }
}

/// Returns the error that the process printed as JSON.
fn error_in(said: &str) -> ApiError {
    let printed: Value = serde_json::from_str(said.trim()).unwrap_or_default();
    let code = serde_json::from_value(printed["error"]["code"].clone());
    let message = printed["error"]["message"].as_str();
    ApiError::new(
        code.unwrap_or(Code::Internal),
        message.unwrap_or(
            "The run could not be started in the background. Leave out --detach to see why.",
        ),
    )
}

/// Leads the run on standard input until it ends or waits. A signal to end the program detaches the run: finished work is kept,
/// and the run can be resumed.
///
/// # Errors
/// Returns an error if standard input contains no run, or if the run cannot start or be followed.
pub(crate) async fn lead(app: &Arc<App>) -> Result<u8, ApiError> {
    loopwright_process::leave_terminal();
    let unreadable = |why: String| {
        ApiError::new(
            Code::InvalidArgument,
            format!(
                "Standard input contains no run ({why}). To start a run in the background, use: loopwright run --detach"
            ),
        )
    };
    let mut text = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| unreadable(error.to_string()))?;
    let job: Job = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
    let approve = ApproveArg::from_str(&job.approve, false).map_err(unreadable)?;
    let prepared = runs::prepare_run(
        app.env(),
        RunRequest {
            document: job.document,
            flow_path: job.flow_path,
            inputs: job.inputs,
            focus: Focus {
                pins: job.pins,
                until: job.until,
            },
            budget: NewBudget {
                usd: job.budget_usd,
                tokens: job.budget_tokens,
            },
        },
    )?;
    let unattended = UnattendedArgs {
        keep_awake: job.keep_awake,
    };
    let _attending = attend(app, unattended);
    let notify = NotifyArg { notify: job.notify };
    let progress = Arc::new(Progress::new(false, false, Telling::new(app, notify, None)));
    let interrupts = Interrupts::listen();
    let options = StartOptions {
        allow: job.allow,
        approve: approve.into(),
        events: sink(&progress),
    };
    let started = runs::start_prepared_as(app.env(), job.run_id, prepared, options)?;
    let outcome = follow_until_ended(app, started, &progress, approve, interrupts).await?;
    Ok(outcome.map_or(status::CANCELLED, |outcome| exit_status(&outcome)))
}

/// Follows a run to its end, or until it waits. A signal to end the program detaches the run: finished work is kept, and the run
/// can be resumed. Returns `None` in that case.
///
/// # Errors
/// Returns an error if the run stops unexpectedly.
pub(crate) async fn follow_until_ended(
    app: &Arc<App>,
    started: Started,
    progress: &Arc<Progress>,
    approve: ApproveArg,
    mut interrupts: Interrupts,
) -> Result<Option<RunOutcome>, ApiError> {
    let ignored = Interrupts::ignored();
    tokio::select! {
        outcome = follow(app, started, progress, approve, &ignored) => outcome.map(Some),
        () = interrupts.more_than(0) => {
            runs::note_left_runs(app.env());
            runs::detach_all(app.env(), ENDING).await;
            loopwright_process::all_ended(ENDING).await;
            Ok(None)
        }
    }
}
