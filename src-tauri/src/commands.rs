//! The commands of the window: each hands its arguments to `api` and gives back what that says.
//!
//! Those that read or write files run on a thread of their own (`async`), so that the window never waits for a disk.

use std::sync::Arc;

use loopwright_api::{
    Analysis, ApiError, App, Code, CostEstimate, DeskState, Event, FieldEdit, FieldPlace,
    FieldPreview, FlowRuns, Focus, ForkOptions, ForkPlace, ImportFormat, ImportOptions,
    ImportedFlow, ImportedRun, IterationPage, KindsReply, ModelInfo, NamesInScope, NewBudget,
    OpenedFlow, PriceInfo, PriceList, ProviderInfo, ProviderTest, RecentFile, RenamedData,
    Replayed, ResumeOptions, RunComparison, RunDetail, RunOptions, RunPage, RunQuery, RunSummary,
    SavedFlow, Settings, StepComparison, StepDetail, StoreInfo, TemplateInfo, ToolDescription,
    TrustList, TrustedFlow, Word, new_flow as empty_flow, save_picture as write_picture,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;
use tauri::{AppHandle, State, ipc::Channel};

use crate::{
    dialogs::{self, Ask},
    links,
};

/// A flow as the page holds it. Its TypeScript form is written by hand in `bindings.rs`: it keeps fields that it does
/// not know, which no derived type says.
#[derive(Debug, Deserialize, Serialize, Type)]
#[serde(transparent)]
pub(crate) struct Document(#[specta(type = Any)] Value);

/// Run inputs by name.
#[derive(Debug, Default, Deserialize, Type)]
#[serde(transparent)]
pub(crate) struct Inputs(
    #[specta(type = std::collections::BTreeMap<String, Any>)] Map<String, Value>,
);

type Shared<'a> = State<'a, Arc<App>>;

/// More runs than a person scrolls through; the store keeps them all.
const RUNS_SHOWN: usize = 500;

#[tauri::command]
#[specta::specta]
pub(crate) fn kinds(app: Shared<'_>) -> Result<KindsReply, ApiError> {
    Ok(app.kinds_reply())
}

/// What a person should be told about how the program started.
#[tauri::command]
#[specta::specta]
pub(crate) fn notices(app: Shared<'_>) -> Result<Vec<String>, ApiError> {
    Ok(app.notices().to_vec())
}

/// `path`: the document's file, from which its references to subflows start; `null` where it was never saved. A flow that
/// stands inline in another is analysed with the path of that one.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn analyze(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<Analysis, ApiError> {
    app.analyze(document.0, path)
}

/// What the data of a document's nodes becomes when nodes get other ids (`names`, from old to new): templates, expressions
/// and scripts that refer to them follow. The document may be a part of a flow.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn rename_nodes(
    app: Shared<'_>,
    document: Document,
    names: std::collections::BTreeMap<String, String>,
) -> Result<RenamedData, ApiError> {
    app.rename_nodes(document.0, &names)
}

/// The most that a run can cost, before it starts. Inputs that are not given count with their defaults.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn estimate(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    inputs: Inputs,
) -> Result<CostEstimate, ApiError> {
    app.estimate(document.0, path, &inputs.0)
}

/// The words of the template language, for completion and help.
#[tauri::command]
#[specta::specta]
pub(crate) fn template_language(app: Shared<'_>) -> Result<Vec<Word>, ApiError> {
    Ok(app.template_language().to_vec())
}

/// The tools that a node can use, with the schemas of their arguments.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn tools(app: Shared<'_>) -> Result<Vec<ToolDescription>, ApiError> {
    Ok(app.tool_descriptions())
}

/// The names that a template or expression at a field can read, with what they held in a recorded run. `path`: as for `analyze`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn names_in_scope(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    at: FieldPlace,
) -> Result<NamesInScope, ApiError> {
    app.names_in_scope(document.0, path, &at)
}

/// What a field's template comes to with the values of a recorded run. Nothing is run. `null` where no template stands there, or
/// the flow was never run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn preview_field(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    at: FieldPlace,
) -> Result<Option<FieldPreview>, ApiError> {
    app.preview_field(document.0, path, &at)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn templates(app: Shared<'_>) -> Result<Vec<TemplateInfo>, ApiError> {
    app.templates()
}

#[tauri::command]
#[specta::specta]
pub(crate) fn new_flow() -> Result<Document, ApiError> {
    Ok(Document(empty_flow()))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_flow(app: Shared<'_>, path: &str) -> Result<OpenedFlow, ApiError> {
    app.open_flow(path)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_flow(
    app: Shared<'_>,
    path: &str,
    document: Document,
    expected_version: Option<&str>,
) -> Result<SavedFlow, ApiError> {
    app.save_flow(path, &document.0, expected_version)
}

/// The flow that a subflow's `reference` names in the file `holder`: to look into it, and to edit it as the file it is
/// (`path` and `version` are for `save_flow`).
/// Reads another system's file as a flow, which is not saved; nothing of it is run. Exactly one of `path` and `text` is given; `name` is
/// what a text is called where it does not say so itself. `from` is a format's id and `dialect` one of its readings; without
/// them the content decides.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn import_flow(
    app: Shared<'_>,
    path: Option<&str>,
    text: Option<&str>,
    name: Option<&str>,
    from: Option<String>,
    dialect: Option<String>,
) -> Result<ImportedFlow, ApiError> {
    let options = ImportOptions { from, dialect };
    match (path, text) {
        (Some(path), None) => app.import_flow(path, options),
        (None, Some(text)) => app.import_flow_text(text, name.unwrap_or_default(), options),
        _ => Err(ApiError::new(
            Code::InvalidArgument,
            "Give either the path of a file or its text.",
        )),
    }
}

#[tauri::command]
#[specta::specta]
pub(crate) fn import_formats() -> Result<Vec<ImportFormat>, ApiError> {
    Ok(loopwright_api::import_formats())
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn read_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
) -> Result<OpenedFlow, ApiError> {
    app.read_subflow(holder, reference)
}

/// As `read_subflow`, with a document to hold inline in `holder` instead: what it refers to itself is named from there.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn inline_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
) -> Result<OpenedFlow, ApiError> {
    app.inline_subflow(holder, reference)
}

/// Writes a flow that stands inline in the file `holder` to a new file there, which the node then names by `reference`
/// (`lib/polish.flow.json`). A file that is there already is never overwritten.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_subflow(
    app: Shared<'_>,
    holder: &str,
    reference: &str,
    document: Document,
) -> Result<SavedFlow, ApiError> {
    app.save_subflow(holder, reference, &document.0)
}

/// What a node in the file `holder` writes in `ref` for the file at `path` (as `pick_open` gives it), which must lie in the
/// holder's folder or below.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn subflow_reference(
    app: Shared<'_>,
    holder: &str,
    path: &str,
) -> Result<String, ApiError> {
    app.subflow_reference(holder, path)
}

async fn pick(handle: &AppHandle, ask: Ask) -> Result<Option<String>, ApiError> {
    let chosen = dialogs::ask(handle, ask)
        .await
        .map_err(|error| ApiError::new(Code::Io, format!("No file could be chosen: {error}")))?;
    Ok(chosen.map(|path| path.to_string_lossy().into_owned()))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_open(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, Ask::Open).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_save(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, Ask::Save { suggested }).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_folder(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, Ask::Folder).await
}

/// A file that holds an exported run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run(handle: AppHandle) -> Result<Option<String>, ApiError> {
    pick(&handle, Ask::OpenRun).await
}

/// Where a run is to be exported to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_run_export(
    handle: AppHandle,
    suggested_name: String,
) -> Result<Option<String>, ApiError> {
    let suggested = suggested_name;
    pick(&handle, Ask::SaveRun { suggested }).await
}

/// Opens a link of the web in the system's browser; called once the person has agreed. Other links are refused:
/// `invalid_argument`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn open_link(url: &str) -> Result<(), ApiError> {
    links::open(url)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn recent_files(app: Shared<'_>) -> Result<Vec<RecentFile>, ApiError> {
    app.recent_files()
}

/// The files that were open last, and drafts of what was not saved.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn desk(app: Shared<'_>) -> Result<DeskState, ApiError> {
    app.desk()
}

/// Remembers which files are open, in the order of their tabs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_tabs(
    app: Shared<'_>,
    files: Vec<String>,
    active: Option<String>,
) -> Result<(), ApiError> {
    app.keep_tabs(files, active)
}

/// Keeps a document that is not saved, so that it outlives this program.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn keep_draft(
    app: Shared<'_>,
    id: &str,
    path: Option<String>,
    version: Option<String>,
    document: Document,
) -> Result<(), ApiError> {
    app.keep_draft(id, path, version, document.0)
}

/// Forgets a draft: it was saved, or given up.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn drop_draft(app: Shared<'_>, id: &str) -> Result<(), ApiError> {
    app.drop_draft(id)
}

/// The version of a file as it is on the disk now; `null` where it is gone.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn file_version(app: Shared<'_>, path: &str) -> Result<Option<String>, ApiError> {
    Ok(app.file_version(path))
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn forget_recent(app: Shared<'_>, path: &str) -> Result<(), ApiError> {
    app.forget_recent(path)
}

/// What of a flow is run: `null` in its place runs all of it.
#[derive(Debug, Default, Deserialize, Type)]
#[serde(default)]
pub(crate) struct RunFocus {
    /// Values by node that stand for what it would give (`<id>.output`): in every iteration, and without a visit. What only
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

/// Gives the run's id as soon as the run is accepted; its events come through `events`, which may be earlier.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn start_run(
    app: Shared<'_>,
    document: Document,
    flow_path: Option<String>,
    inputs: Inputs,
    focus: Option<RunFocus>,
    events: Channel<Event>,
) -> Result<String, ApiError> {
    let started = app.start_run(RunOptions {
        document: document.0,
        flow_path,
        inputs: inputs.0,
        approve: loopwright_api::Approve::Ask,
        focus: focus.map(RunFocus::focus).unwrap_or_default(),
        // A page that is gone or reloaded hears nothing; the run goes on, and the journal has it all.
        events: Arc::new(move |event| drop(events.send(event.clone()))),
    })?;
    Ok(started.run_id)
}

/// What a flow would use of the world, and what of it is approved. A flow with `missing` above 0 does not run before it is.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<TrustList, ApiError> {
    app.grants(document.0, path)
}

/// Approves `items` for a flow from now on. `digest`: of the list that the person saw.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn approve_grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
    digest: &str,
    items: Vec<String>,
) -> Result<TrustList, ApiError> {
    app.approve(document.0, path, digest, &items)
}

/// Writes down that the person refused what a flow would use: a run that failed before anything happened. Gives its id.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn refuse_grants(
    app: Shared<'_>,
    document: Document,
    path: Option<&str>,
) -> Result<String, ApiError> {
    app.refuse_run(document.0, path)
}

/// Flows that may use something.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn trusted_flows(app: Shared<'_>) -> Result<Vec<TrustedFlow>, ApiError> {
    Ok(app.trusted_flows())
}

/// Takes back what a flow may use: `item`, or all of it.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn revoke_grants(
    app: Shared<'_>,
    flow: &str,
    item: Option<&str>,
) -> Result<(), ApiError> {
    app.revoke(flow, item)
}

/// A person's answer to a step that waits.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct StepAnswer {
    approved: bool,
    /// The value in an edited form; absent, it goes on as it is.
    #[specta(type = Option<Any>)]
    value: Option<Value>,
    comment: Option<String>,
}

/// Answers the step at `path` and goes on with the run.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn answer_run(
    app: Shared<'_>,
    run_id: String,
    path: String,
    answer: StepAnswer,
    events: Channel<Event>,
) -> Result<(), ApiError> {
    let answer = loopwright_api::Answer {
        approved: answer.approved,
        value: answer.value,
        comment: answer.comment,
    };
    app.resume_run(ResumeOptions {
        run_id,
        answer: Some((path, answer)),
        budget: None,
        approve: loopwright_api::Approve::Ask,
        events: Arc::new(move |event| drop(events.send(event.clone()))),
    })?;
    Ok(())
}

/// Another budget for a run; null is as it was.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct RunBudget {
    usd: Option<f64>,
    tokens: Option<u64>,
}

/// Goes on with a run that was interrupted or paused, or that was stopped at its budget and is given a larger one. What was
/// recorded is not asked for again.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn resume_run(
    app: Shared<'_>,
    run_id: String,
    budget: Option<RunBudget>,
    events: Channel<Event>,
) -> Result<(), ApiError> {
    app.resume_run(ResumeOptions {
        run_id,
        answer: None,
        budget: budget.map(|budget| NewBudget {
            usd: budget.usd,
            tokens: budget.tokens,
        }),
        approve: loopwright_api::Approve::Ask,
        events: Arc::new(move |event| drop(events.send(event.clone()))),
    })?;
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
    /// The flow to go on with, for "run from here" on what the editor holds; `null`: the flow of the run. Where its structure
    /// is another one, what is recorded is kept by path as far as its nodes still get the same values.
    document: Option<Document>,
    /// Changes of a prompt or setting. They hold from the place on; what was recorded before it stays as it is.
    edits: Vec<FieldEdit>,
    /// What stands at the place instead of what would come about: a node's value, or what an iteration begins with.
    value: Option<Given>,
    /// A new budget for the run, in dollars, in which the kept part counts.
    budget_usd: Option<f64>,
    /// `null`: the pins of the run that is forked, to its end.
    focus: Option<RunFocus>,
}

/// A value that may be null, where its absence means another thing.
#[derive(Debug, Deserialize, Type)]
pub(crate) struct Given {
    #[specta(type = Any)]
    value: Value,
}

/// Forks a run ("fork from here", "run from here"): a new run that begins with every recorded outcome that does not depend on
/// the place, and goes on from there. Nothing that is kept is asked for or paid again. Gives the new run's id; all of its
/// events come through `events`, the kept ones first, with the times of the run they come from. Its summary and detail name
/// the run it was forked from (`forkedFrom`, `origin`).
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn fork_run(
    app: Shared<'_>,
    request: ForkRequest,
    events: Channel<Event>,
) -> Result<String, ApiError> {
    let (pins, until) = match request.focus {
        Some(focus) => (Some(focus.pins.0), focus.until),
        None => (None, None),
    };
    let started = app.fork_run(ForkOptions {
        run_id: request.run_id,
        at: request.at,
        document: request.document.map(|document| document.0),
        edits: request.edits,
        value: request.value.map(|given| given.value),
        budget_usd: request.budget_usd,
        pins,
        until,
        approve: loopwright_api::Approve::Ask,
        events: Arc::new(move |event| drop(events.send(event.clone()))),
    })?;
    Ok(started.run_id)
}

/// What stands at a place of a run, to be edited, and what a fork there keeps and would spend. A place is a step
/// (`draft`, `refine[3]/draft`), an iteration (`refine[3]`, from 1), or the iteration behind a loop's last one, from which the
/// loop goes on when its cap or its condition is changed. A place that is not there: `not_found`, naming those that are near.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn fork_place(app: Shared<'_>, run_id: &str, at: &str) -> Result<ForkPlace, ApiError> {
    app.fork_place(run_id, at)
}

/// Makes a recorded run again from its journal alone, without network or keys: the same events come through `events`, with
/// their recorded times and as fast as they can be made. `diverged` when the journal is not what this program makes of the
/// flow, with the first record that differs.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn replay_run(
    app: Shared<'_>,
    run_id: &str,
    events: Channel<Event>,
) -> Result<Replayed, ApiError> {
    app.replay_run(run_id, |event| drop(events.send(event.clone())))
}

/// Two runs beside each other: differences of what they were asked for, outputs with their differences by word or line, loops
/// with every iteration's similarity and score, and the steps that differ. `compare_step` gives a step whole.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn compare_runs(app: Shared<'_>, a: &str, b: &str) -> Result<RunComparison, ApiError> {
    app.compare_runs(a, b)
}

/// One step of two runs, whole; a run that lacks it has `null` there.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn compare_step(
    app: Shared<'_>,
    a: &str,
    b: &str,
    path: &str,
) -> Result<StepComparison, ApiError> {
    app.compare_step(a, b, path)
}

/// Holds a run: what is under way ends, and nothing is started. Its last event is `workflow.paused`; its status is `paused`
/// once it rests.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn pause_run(app: Shared<'_>, run_id: &str) -> Result<(), ApiError> {
    app.pause_run(run_id)
}

/// Lets a paused run go on. Where it had not come to rest yet, its events go on in the channel that they came by.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn continue_run(
    app: Shared<'_>,
    run_id: String,
    events: Channel<Event>,
) -> Result<(), ApiError> {
    if app.unhold_run(&run_id) {
        return Ok(());
    }
    resume_run(app, run_id, None, events)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn stop_run(app: Shared<'_>, run_id: &str) -> Result<(), ApiError> {
    app.stop_run(run_id)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn runs(app: Shared<'_>) -> Result<Vec<RunSummary>, ApiError> {
    app.runs(RUNS_SHOWN, 0)
}

/// A page of the runs that are meant, and what all of them come to.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn find_runs(app: Shared<'_>, query: RunQuery) -> Result<RunPage, ApiError> {
    app.find_runs(&query)
}

/// The flows that have runs, by name.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_flows(app: Shared<'_>) -> Result<Vec<FlowRuns>, ApiError> {
    app.run_flows()
}

/// What is kept, and what it takes on disk.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn store_info(app: Shared<'_>) -> Result<StoreInfo, ApiError> {
    app.store_info()
}

/// Writes a picture of a flow, a PNG or an SVG, to the file that `pick_save` gave.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_picture(path: &str, bytes: Vec<u8>) -> Result<(), ApiError> {
    write_picture(path, &bytes)
}

/// Writes a run to a file, as one JSON document.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn export_run(app: Shared<'_>, run_id: &str, path: &str) -> Result<(), ApiError> {
    app.export_run_to(run_id, path)
}

/// Keeps the run that a file holds.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn import_run(app: Shared<'_>, path: &str) -> Result<ImportedRun, ApiError> {
    app.import_run_from(path)
}

/// The events of a run outside of its iterations.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_outline(app: Shared<'_>, run_id: &str) -> Result<Vec<Event>, ApiError> {
    app.run_outline(run_id)
}

/// Finished iterations of the loop or list at `scope`, in order, at most 500.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_iterations(
    app: Shared<'_>,
    run_id: &str,
    scope: &str,
    offset: u32,
    limit: u32,
) -> Result<IterationPage, ApiError> {
    app.run_iterations(run_id, scope, offset, limit)
}

/// The events within iterations `first` to `first + count - 1` of the loop or list at `scope`.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn iteration_events(
    app: Shared<'_>,
    run_id: &str,
    scope: &str,
    first: u32,
    count: u32,
) -> Result<Vec<Event>, ApiError> {
    app.iteration_events(run_id, scope, first, count)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_detail(app: Shared<'_>, run_id: &str) -> Result<RunDetail, ApiError> {
    app.run_detail(run_id)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn run_events(app: Shared<'_>, run_id: &str) -> Result<Vec<Event>, ApiError> {
    app.run_events(run_id)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn step_detail(
    app: Shared<'_>,
    run_id: &str,
    path: &str,
) -> Result<StepDetail, ApiError> {
    app.step_detail(run_id, path)
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn delete_run(app: Shared<'_>, run_id: &str) -> Result<(), ApiError> {
    app.delete_run(run_id)
}

/// The providers as they stand now; looks for servers on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn providers(app: Shared<'_>) -> Result<Vec<ProviderInfo>, ApiError> {
    app.providers().await
}

/// Asks a provider for its models, and keeps the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn refresh_models(
    app: Shared<'_>,
    id: String,
) -> Result<Vec<ModelInfo>, ApiError> {
    app.refresh_models(&id).await
}

/// Keeps a provider's key in the system's keychain. It is never given back.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn set_key(app: Shared<'_>, id: &str, key: &str) -> Result<(), ApiError> {
    app.set_key(id, key)
}

/// Removes a provider's key from the system's keychain; false where there was none.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn remove_key(app: Shared<'_>, id: &str) -> Result<bool, ApiError> {
    app.remove_key(id)
}

/// What models cost: the person's own prices, then those that the program comes with.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn prices(app: Shared<'_>) -> Result<PriceList, ApiError> {
    app.prices()
}

/// Makes these the person's own prices; gives all.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_prices(app: Shared<'_>, own: Vec<PriceInfo>) -> Result<PriceList, ApiError> {
    app.save_prices(own)
}

#[tauri::command]
#[specta::specta]
pub(crate) fn settings(app: Shared<'_>) -> Result<Settings, ApiError> {
    Ok(app.settings())
}

#[tauri::command(async)]
#[specta::specta]
pub(crate) fn save_settings(app: Shared<'_>, settings: Settings) -> Result<Settings, ApiError> {
    app.save_settings(settings)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn test_provider(app: Shared<'_>, id: String) -> Result<ProviderTest, ApiError> {
    app.test_provider(&id).await
}
