//! Runs under way: start, answer, resume, fork, pause and stop.

use loopwright_api as api;
use loopwright_api::{AnswerScope, Event, Focus, Preparation};
use loopwright_records as records;
use loopwright_records::RunSummary;
use loopwright_runs as runs;
use loopwright_runs::{
    Allow, ApiError, FieldEdit, ForkOptions, ForkPlace, NewBudget, ResumeOptions, RunRequest,
    StartOptions,
};
use loopwright_script::{is_being_built, wait_until_built};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;
use tauri::{State, async_runtime, ipc::Channel};

use super::{Document, Inputs, Shared, SharedStores};
use crate::{closing::detach_runs, events, followed_runs::FollowedRuns};

/// What of a flow is run: `null` in its place runs all of it.
#[derive(Debug, Default, Deserialize, Type)]
#[serde(default)]
pub(crate) struct RunFocus {
    /// Values by node that replace what it would give (`<id>.output`), in every iteration. The node is not executed. What only
    /// pinned nodes need is not run either. Events and steps of such nodes say `pinned`. A branching node's value says its
    /// branch as its own values do (`{"selectedBranch": "done", "value": …}`).
    pins: Inputs,
    /// "Run to here": what leads to this node alone is run, and the run ends once the node has run for the first time (in a
    /// loop's body: in the first iteration). Its value is then the run's output, by the node's id.
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

/// Reads, validates and plans a flow for a run, once. The run starts with `start_run` and the id in the reply. A flow with scripts
/// waits while the program that reads them is being built.
#[tauri::command]
#[specta::specta]
pub(crate) async fn prepare_run(
    app: Shared<'_>,
    document: Document,
    flow_path: Option<String>,
    inputs: Inputs,
    focus: Option<RunFocus>,
) -> Result<Preparation, ApiError> {
    // Only a flow with scripts waits for them.
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

/// Starts a prepared run, and gives its id; its events come through `events`, which may be earlier.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn start_run(
    app: Shared<'_>,
    prepared: &str,
    events: Channel<Vec<Event>>,
) -> Result<String, ApiError> {
    let options = StartOptions {
        allow: Allow::default(),
        approve: loopwright_api::ApprovalPolicy::Ask,
        events: events::sink(&app, events),
    };
    Ok(api::start_prepared_by_id(&app, prepared, options)?.run_id)
}

/// Approves `items` for the flow of a prepared run from now on. `digest`: of the list that the person saw.
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

/// Writes down that the person refused what a prepared run would use: a run that failed before anything happened. Gives its id.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn refuse_prepared(app: Shared<'_>, prepared: &str) -> Result<String, ApiError> {
    api::refuse_prepared_by_id(&app, prepared)
}

/// A person's answer to a step that waits.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct StepAnswer {
    approved: bool,
    /// The value in an edited form; absent, it continues as it is.
    #[specta(type = Option<Any>)]
    value: Option<Value>,
    comment: Option<String>,
    /// How far an approval reaches; absent, it is for this call.
    #[serde(default)]
    scope: AnswerScope,
}

/// Answers the step at `path` and continues the run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn answer_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
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
            events: place.sink(events),
        },
    )?;
    Ok(())
}

/// Another budget for a run; null is as it was.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct RunBudget {
    usd: Option<f64>,
    tokens: Option<u64>,
}

/// Continues a run that was interrupted or paused, or that was stopped at its budget and is given a larger one. What was
/// recorded is not asked for again.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn resume_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
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
            events: place.sink(events),
        },
    )?;
    Ok(())
}

/// How a run is forked.
#[derive(Debug, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ForkRequest {
    /// The run that is forked; it is left as it is.
    run_id: String,
    /// A place as `ForkPlace` takes it.
    at: String,
    /// The flow to continue with, for "run from here" on what the editor holds; `null`: the flow of the run. Where its structure
    /// is another one, what is recorded is kept by path as far as its nodes still get the same values.
    document: Option<Document>,
    /// Changes of a prompt or setting. They hold from the place on; what was recorded before it stays as it is.
    edits: Vec<FieldEdit>,
    /// What stands at the place instead of what would come about: a node's value, or what an iteration begins with.
    value: Option<NullableValue>,
    /// A new budget for the run, in dollars, in which the kept part counts.
    budget_usd: Option<f64>,
    /// `null`: the pins of the run that is forked, to its end.
    focus: Option<RunFocus>,
}

/// The flow that a fork would run, to ask what it would use.
#[derive(Debug, Serialize, Type)]
pub(crate) struct ForkedFlow {
    document: Document,
    path: Option<String>,
}

/// The flow that a fork of a run would run. Nothing is forked.
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

/// A value that may be null, where its absence means another thing.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct NullableValue {
    #[specta(type = Any)]
    value: Value,
}

/// Forks a run ("fork from here", "run from here"): a new run that begins with every recorded outcome that does not depend on
/// the place, and continues from there. Nothing that is kept is asked for or paid again. Gives the new run's id; all of its
/// events come through `events`, the kept ones first, with the times of the run they come from. Its summary and detail name
/// the run it was forked from (`forkedFrom`, `origin`).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn fork_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
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
        events: place.sink(events),
    };
    let mut forked = runs::fork_run(place.app.env(), options)?.run_id;
    place.shown(&mut forked);
    Ok(forked)
}

/// What stands at a place of a run, to be edited, and what a fork there keeps and would spend. A place is a step
/// (`draft`, `refine[3]/draft`), an iteration (`refine[3]`, from 1), or the iteration behind a loop's last one, from which the
/// loop continues when its cap or its condition is changed. A place that is not there: `not_found`, naming those that are near.
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

/// Pauses a run: what is under way ends, and nothing is started. Its last event is `workflow.paused`, and its status is then
/// `paused`.
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

/// Lets the node at a path make its model call once more, instead of waiting for its answer on.
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

/// Lets a paused run continue. Where it was not suspended yet, its events come through the channel of its start.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn continue_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
    run_id: String,
    events: Channel<Vec<Event>>,
) -> Result<(), ApiError> {
    if runs::unpause_run(app.env(), &run_id) {
        return Ok(());
    }
    resume_run(app, stores, run_id, None, events)
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

/// The runs that would end with the window, newest first.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn going_runs(app: Shared<'_>) -> Result<Vec<RunSummary>, ApiError> {
    records::unfinished_runs(app.env())
}

/// Detaches those runs, so that they can be resumed at the next start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn leave_runs(app: Shared<'_>) -> Result<(), ApiError> {
    detach_runs(&app).await;
    Ok(())
}

/// Watches a run that another program leads: its events from number `from` on come through `events` until it ends or is suspended.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn follow_run(
    app: Shared<'_>,
    stores: SharedStores<'_>,
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
        place.sink(events),
    )?;
    followed_runs.begin(run_id, followed.finished.abort_handle());
    Ok(())
}

/// Stops watching a run that `follow_run` watches. The run itself continues.
#[tauri::command]
#[specta::specta]
pub(crate) fn unfollow_run(followed_runs: State<'_, FollowedRuns>, run_id: &str) {
    followed_runs.end(run_id);
}
