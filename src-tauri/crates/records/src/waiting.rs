//! The open questions of all runs.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use loopwright_engine::{
    RunStatus,
    event::timestamp,
    journal::{RunFilter, Select},
    question::Question,
};
use loopwright_model::value::preview;
use loopwright_runs::{ApiError, Code, Env, StoredRun, mark_interrupted, node_of, stored_run};
use serde::Serialize;
use specta::Type;

use crate::{
    dto::{ExpiryView, RunSummary, ToolRequest},
    history::step_detail,
    store::find::summaries,
    tree::{RunTree, Values, Wait},
};

/// The number of runs that are read with one query.
const AT_A_TIME: usize = 100;

/// The statuses of runs that can have an open question. A run in progress can have one while other steps continue.
const CAN_ASK: [RunStatus; 4] = [
    RunStatus::Waiting,
    RunStatus::Running,
    RunStatus::Paused,
    RunStatus::Interrupted,
];

/// The maximum number of characters that are shown of the value that a question is about.
const SHOWN: usize = 2_000;

/// A question that waits for the answer of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// The name of the shared store that contains the run; null for this computer. [`open_questions`] does not set it.
    pub store: Option<String>,
    pub run_id: String,
    pub flow: String,
    pub flow_path: Option<String>,
    /// The name that a person gave the run.
    pub run_name: Option<String>,
    /// The name of the schedule that started the run; null if no schedule did.
    pub schedule: Option<String>,
    /// The status of the run. It is `running` if other parts of the run are in progress.
    pub status: RunStatus,
    /// The path of the step that asks.
    pub path: String,
    /// The title of the node that asks, or its id if this program cannot read the flow.
    pub title: String,
    /// The type of the node that asks: `approval`; empty if this program cannot read the flow.
    pub node_type: String,
    pub question: Question,
    /// The text of the question.
    pub message: String,
    /// The time at which the question was asked, in RFC 3339 and UTC.
    pub asked_at: String,
    /// The expiry of the question; null if it never expires.
    pub expires: Option<ExpiryView>,
    /// The value that the question is about, shortened; null if the question is about a tool call.
    pub value: Option<String>,
    /// The tool call that the question is about; null if the question is about a value.
    pub request: Option<ToolRequest>,
}

/// Returns the open questions of all runs of a store that have not ended, oldest first. The store is that of `env`: of this
/// computer, or a shared one.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn open_questions(env: &Env) -> Result<Vec<OpenQuestion>, ApiError> {
    mark_interrupted(env)?;
    let places = env.journal().unanswered(&CAN_ASK)?.map(by_run);
    let mut questions = Vec::new();
    for run in asking_runs(env, places.as_ref())? {
        let at = places.as_ref().and_then(|places| places.get(&run.run_id));
        match questions_of(env, &run, at) {
            Ok(found) => questions.extend(found),
            // The run was deleted after it was listed.
            Err(error) if error.code == Code::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    questions.sort_by_key(|(at, _)| *at);
    Ok(questions
        .into_iter()
        .map(|(_, question)| question)
        .collect())
}

fn by_run(places: Vec<(String, String)>) -> HashMap<String, Vec<String>> {
    let mut by_run: HashMap<String, Vec<String>> = HashMap::new();
    for (run_id, path) in places {
        by_run.entry(run_id).or_default().push(path);
    }
    by_run
}

/// Returns the open questions of a run, with the times at which they were asked. `at` contains the paths of the steps that may
/// wait; `None` if these are not known.
fn questions_of(
    env: &Env,
    run: &RunSummary,
    at: Option<&Vec<String>>,
) -> Result<Vec<(i64, OpenQuestion)>, ApiError> {
    let waits = match at {
        Some(paths) => waits_at(env, &run.run_id, paths)?,
        None => waits(env, &run.run_id, Select::All)?,
    };
    if waits.is_empty() {
        return Ok(Vec::new());
    }
    let (header, _) = env.journal().run(&run.run_id)?;
    let stored = stored_run(&header, env.kinds()).ok();
    waits
        .into_iter()
        .map(|(path, wait)| {
            let (title, node_type) = node_at(stored.as_ref(), &path);
            let detail = step_detail(env, &run.run_id, &path)?;
            let is_of_tool = wait.question.tool().is_some();
            let question = OpenQuestion {
                store: None,
                run_id: run.run_id.clone(),
                flow: run.flow.clone(),
                flow_path: run.flow_path.clone(),
                run_name: run.name.clone(),
                schedule: header.setup.schedule.clone(),
                status: run.status,
                path,
                title,
                node_type,
                message: wait.question.to_string(),
                question: wait.question,
                asked_at: timestamp(wait.at),
                // Somebody else chose the answer of an imported question, so it does not expire.
                expires: (wait.expires.as_ref())
                    .filter(|_| wait.seq >= header.setup.imported_records)
                    .map(ExpiryView::of),
                value: (!is_of_tool && !detail.output.is_null())
                    .then(|| preview(&Arc::new(detail.output), SHOWN)),
                request: detail.request,
            };
            Ok((wait.at, question))
        })
        .collect()
}

/// Returns the open questions among the selected records of a run, each with the path of its step.
fn waits(env: &Env, run_id: &str, select: Select<'_>) -> Result<Vec<(String, Wait)>, ApiError> {
    let tree = RunTree::read(&*env.journal(), run_id, select, Values::ShortResults(0))?;
    Ok(tree
        .open_waits()
        .into_iter()
        .map(|(path, wait)| (path.to_owned(), wait.clone()))
        .collect())
}

/// Returns the open questions of the steps at these paths. Only the records of these steps are read.
fn waits_at(env: &Env, run_id: &str, paths: &[String]) -> Result<Vec<(String, Wait)>, ApiError> {
    let mut found = Vec::new();
    for path in paths {
        found.extend(waits(env, run_id, Select::Path(path))?);
    }
    found.sort_by_key(|(_, wait)| wait.seq);
    Ok(found)
}

/// Returns the title and the type of the node at a path.
fn node_at(stored: Option<&StoredRun>, path: &str) -> (String, String) {
    let node = stored.and_then(|StoredRun { flow, plans, .. }| {
        let plan = plans.last();
        let planned = plan.nodes.get(plan.find(path)?)?;
        node_of(flow, &planned.place)
    });
    match node {
        Some(node) => (node.title().to_owned(), node.kind),
        None => {
            let id = path.rsplit('/').next().unwrap_or(path);
            (id.to_owned(), String::new())
        }
    }
}

/// Returns the runs that can have an open question. With `places`, returns only those whose ids are keys of the map.
fn asking_runs(
    env: &Env,
    places: Option<&HashMap<String, Vec<String>>>,
) -> Result<Vec<RunSummary>, ApiError> {
    let filter = RunFilter {
        statuses: CAN_ASK.to_vec(),
        ..RunFilter::default()
    };
    let mut left = places.map(|places| places.keys().map(String::as_str).collect::<HashSet<_>>());
    let (mut runs, mut offset) = (Vec::new(), 0);
    while left.as_ref().is_none_or(|left| !left.is_empty()) {
        let page = summaries(env, &filter, AT_A_TIME, offset)?;
        offset += page.len();
        let is_last = page.len() < AT_A_TIME;
        for run in page {
            if left
                .as_mut()
                .is_none_or(|left| left.remove(run.run_id.as_str()))
            {
                runs.push(run);
            }
        }
        if is_last {
            break;
        }
    }
    Ok(runs)
}
