//! Commands for current runs: start, answer, resume, fork, pause and stop.

use loopwright_api as api;
use loopwright_api::{AnswerScope, Event, Focus, Preparation};
use loopwright_records as records;
use loopwright_records::RunSummary;
use loopwright_runs as runs;
use loopwright_runs::{
    ApiError, FieldEdit, ForkOptions, ForkPlace, NewBudget, ResumeOptions, RunRequest, StartOptions,
};
use loopwright_script::{is_being_built, wait_until_built};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;
use tauri::{State, async_runtime, ipc::Channel};

use super::{Document, Inputs, Shared, SharedAttention, SharedStores};
use crate::{closing::Background, events, followed_runs::FollowedRuns};

/// Which part of a flow to run. Without it, the whole flow runs.
#[derive(Debug, Default, Deserialize, Type)]
#[serde(default)]
pub(crate) struct RunFocus {
    /// The values of pinned nodes, by node id. A pinned value replaces the node's output (`<id>.output`) in every iteration.
    /// The node is not executed, and neither is a node whose output only pinned nodes use. The events and steps of pinned nodes
    /// have `pinned` set. The value of a branching node names the branch, as a computed value would (`{"selectedBranch":
    /// "done", "value": …}`).
    pins: Inputs,
    /// "Run to here": the run executes only the nodes that lead to this node, and ends once this node has run. For a node in a
    /// loop, the run ends in the first iteration of the loop. The output of the run is the node's value, under the node's id.
    until: Option<String>,
}

impl RunFocus {
    fn focus(self) -> Focus {
        Focus {
            pins: self.pins.0,
            until: self.until,
        }
    }
}

/// Reads, validates and plans a flow for one run. Pass the id in the reply to `start_run` to start the run. If the flow has
/// scripts and the script compiler is not built yet, the reply waits for the compiler.
#[tauri::command]
#[specta::specta]
pub(crate) async fn prepare_run(
    app: Shared<'_>,
    document: Document,
    flow_path: Option<String>,
    inputs: Inputs,
    focus: Option<RunFocus>,
) -> Result<Preparation, ApiError> {
    // Only a flow with scripts needs to wait for the compiler.
    if is_being_built()
        && runs::validate(app.env(), &document.0, flow_path.as_deref())?
            .iter()
            .any(|problem| problem.code == "script_building")
    {
        let _ = async_runtime::spawn_blocking(wait_until_built).await;
    }
    api::prepare_for_window(
        &app,
        RunRequest {
            document: document.0,
            flow_path,
            inputs: inputs.0,
            focus: focus.map(RunFocus::focus).unwrap_or_default(),
            budget: NewBudget::default(),
        },
    )
}

/// Starts a prepared run and returns its id. Its events arrive through `events`, possibly before the id.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn start_run(
    app: Shared<'_>,
    attention: SharedAttention<'_>,
    prepared: &str,
    events: Channel<Vec<Event>>,
) -> Result<String, ApiError> {
    let options = StartOptions {
        allow: Default::default(),
        approve: loopwright_api::ApprovalPolicy::Ask,
        events: attention.watching(&app, String::new(), events::sink(&app, events)),
    };
    Ok(api::start_prepared_by_id(&app, prepared, options)?.run_id)
}

/// Approves `items` for the flow of a prepared run permanently. `digest` identifies the list that the user saw.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn approve_prepared(
    app: Shared<'_>,
    prepared: &str,
    digest: &str,
    items: Vec<String>,
) -> Result<(), ApiError> {
    api::approve_prepared_by_id(&app, prepared, digest, &items)
}

/// Records that the user did not approve what a prepared run would use. Returns the id of a run that is recorded as failed
/// without any step.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn refuse_prepared(app: Shared<'_>, prepared: &str) -> Result<String, ApiError> {
    api::refuse_prepared_by_id(&app, prepared)
}

/// The user's answer to the question of a waiting step.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct StepAnswer {
    approved: bool,
    /// The edited value. If it is absent, the value is passed on unchanged.
    #[specta(type = Option<Any>)]
    value: Option<Value>,
    comment: Option<String>,
    /// The scope of an approval. If it is absent, the approval applies to this call only.
    #[serde(default)]
    scope: AnswerScope,
}

/// Answers the question that waits at `path`. The run continues with the answer, whether it was suspended or other
/// steps are in progress. If another program leads the run, the channel receives no events.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn answer_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    attention: SharedAttention<'_>,
    run_id: String,
    path: String,
    answer: StepAnswer,
    events: Channel<Vec<Event>>,
) -> Result<(), ApiError> {
    let answer = loopwright_api::Answer {
        approved: answer.approved,
        value: answer.value,
        comment: answer.comment,
        scope: answer.scope,
        ..loopwright_api::Answer::default()
    };
    let place = stores.place(&app, &run_id)?;
    runs::answer_run(
        place.app.env(),
        path,
        answer,
        ResumeOptions {
            run_id: place.run_id.to_owned(),
            answer: None,
            budget: None,
            approve: loopwright_api::ApprovalPolicy::Ask,
            events: place.sink(&app, &attention, events),
        },
    )?;
    Ok(())
}

/// A new budget for a run. Null keeps the current value.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct RunBudget {
    usd: Option<f64>,
    tokens: Option<u64>,
}

/// Continues a run that was interrupted or paused, or that was stopped by its budget and now gets a larger one. Recorded steps
/// are not repeated.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn resume_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    attention: SharedAttention<'_>,
    run_id: String,
    budget: Option<RunBudget>,
    events: Channel<Vec<Event>>,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    runs::resume_run(
        place.app.env(),
        ResumeOptions {
            run_id: place.run_id.to_owned(),
            answer: None,
            budget: budget.map(|budget| NewBudget {
                usd: budget.usd,
                tokens: budget.tokens,
            }),
            approve: loopwright_api::ApprovalPolicy::Ask,
            events: place.sink(&app, &attention, events),
        },
    )?;
    Ok(())
}

/// A request to fork a run.
#[derive(Debug, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ForkRequest {
    /// The run to fork, which stays unchanged.
    run_id: String,
    /// Where to fork, as for `fork_place`.
    at: String,
    /// The flow to continue with, for "run from here" with the flow in the editor; `null` for the flow of the run. Even if the
    /// structure of the flow has changed, a recorded result is kept if a node at the same path still receives the same values.
    document: Option<Document>,
    /// Changes to prompts or settings. They apply from the fork point on. Records before that point are unchanged.
    edits: Vec<FieldEdit>,
    /// The value that replaces the result of the node, or the start value of the iteration, at the fork point.
    value: Option<NullableValue>,
    /// A new budget for the run, in dollars; `null` keeps the budget of the forked run. The budget also has to cover
    /// the part that the fork keeps.
    budget_usd: Option<f64>,
    /// The part of the flow to run. With `null`, the pins are those of the forked run, and the whole flow runs.
    focus: Option<RunFocus>,
}

/// The flow that a fork would run. The page checks which permissions it needs.
#[derive(Debug, Serialize, Type)]
pub(crate) struct ForkedFlow {
    document: Document,
    path: Option<String>,
}

/// Returns the flow that a fork of a run would execute, without forking the run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn forked_flow(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    document: Option<Document>,
    edits: Vec<FieldEdit>,
) -> Result<ForkedFlow, ApiError> {
    let place = stores.place(&app, run_id)?;
    let document = document.map(|document| document.0);
    let forked = runs::forked_flow(place.app.env(), place.run_id, document, &edits)?;
    Ok(ForkedFlow {
        document: Document(forked.document),
        path: forked.path,
    })
}

/// A value that may be null. An absent [`NullableValue`] means no value.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct NullableValue {
    #[specta(type = Any)]
    value: Value,
}

/// Forks a run ("fork from here", "run from here"). The new run keeps every recorded result that does not depend on the fork
/// point, and continues from there. Kept results are neither computed nor paid for again. Returns the new run's id. All events
/// of the new run arrive through `events`, first the kept ones, which have their original times. The new run's summary and
/// detail name the original run (`forkedFrom`, `origin`).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn fork_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    attention: SharedAttention<'_>,
    request: ForkRequest,
    events: Channel<Vec<Event>>,
) -> Result<String, ApiError> {
    let place = stores.place(&app, &request.run_id)?;
    let (pins, until) = match request.focus {
        Some(focus) => (Some(focus.pins.0), focus.until),
        None => (None, None),
    };
    let options = ForkOptions {
        run_id: place.run_id.to_owned(),
        at: request.at,
        document: request.document.map(|document| document.0),
        edits: request.edits,
        value: request.value.map(|given| given.value),
        budget_usd: request.budget_usd,
        pins,
        until,
        approve: loopwright_api::ApprovalPolicy::Ask,
        events: place.sink(&app, &attention, events),
    };
    let mut forked = runs::fork_run(place.app.env(), options)?.run_id;
    place.shown(&mut forked);
    Ok(forked)
}

/// Returns the value at a place of a run, for editing. Also returns the usage up to this place, which a fork would keep, and
/// the usage after it. A place is a step (`draft`, `refine[3]/draft`), an iteration (`refine[3]`, from 1), or the iteration
/// after a loop's last one. With the latter, the loop continues if its cap or its condition has been changed. An unknown place
/// fails with `not_found`, and the error names similar ones.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn fork_place(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: &str,
    at: &str,
) -> Result<ForkPlace, ApiError> {
    let place = stores.place(&app, run_id)?;
    runs::fork_place(place.app.env(), place.run_id, at)
}

/// Pauses a run: running steps finish, and no new ones start. After the last running step, the run emits `workflow.paused` and
/// has the status `paused`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn pause_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    runs::pause_run(place.app.env(), place.run_id)
}

/// Makes the node at a path repeat its model call instead of waiting any longer for the answer to the current one.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn ask_again(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
    path: String,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    runs::ask_again(place.app.env(), place.run_id, &path)
}

/// Continues a paused run. If some of its steps are still running, the run is not suspended yet. Its events then continue to
/// arrive through the channel with which it was started, not through `events`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn continue_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    attention: SharedAttention<'_>,
    run_id: String,
    events: Channel<Vec<Event>>,
) -> Result<(), ApiError> {
    if runs::unpause_run(app.env(), &run_id) {
        return Ok(());
    }
    resume_run(app, stores, attention, run_id, None, events)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stop_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
) -> Result<(), ApiError> {
    let place = stores.place(&app, &run_id)?;
    runs::stop_run(place.app.env(), place.run_id)
}

/// Returns the runs that this program executes, newest first. Closing the window stops them, unless `leave_runs` was called.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn going_runs(app: Shared<'_>) -> Result<Vec<RunSummary>, ApiError> {
    records::unfinished_runs(app.env())
}

/// Makes the program continue without a window after its window has closed, until its runs have ended or are suspended. If
/// `pause` is true, running steps finish and no new ones start.
#[tauri::command]
#[specta::specta]
pub(crate) fn leave_runs(app: Shared<'_>, background: State<'_, Background>, pause: bool) {
    background.stay();
    if pause {
        runs::pause_all(app.env());
    }
}

/// Follows a run that another program executes. Sends the run's events from number `from` on through `events`, until the run
/// ends or is suspended.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn follow_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    attention: SharedAttention<'_>,
    followed_runs: State<'_, FollowedRuns>,
    run_id: &str,
    from: u32,
    events: Channel<Vec<Event>>,
) -> Result<(), ApiError> {
    let place = stores.place(&app, run_id)?;
    let followed = runs::follow_run(
        place.app.env(),
        place.run_id,
        from.into(),
        place.sink(&app, &attention, events),
    )?;
    followed_runs.begin(run_id, followed.finished.abort_handle());
    Ok(())
}

/// Stops following a run after `follow_run`. The run itself continues.
#[tauri::command]
#[specta::specta]
pub(crate) fn unfollow_run(followed_runs: State<'_, FollowedRuns>, run_id: &str) {
    followed_runs.end(run_id);
}
