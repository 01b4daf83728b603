//! The open questions of all runs.

use std::sync::Arc;

use loopwright_engine::{RunStatus, event::timestamp, journal::Select, question::Question};
use loopwright_model::value::preview;
use loopwright_runs::{ApiError, Env, StoredRun, node_of, stored_run};
use serde::Serialize;
use specta::Type;

use crate::{
    dto::{ExpiryView, RunSummary, ToolRequest},
    history::step_detail,
    store::{dto::RunQuery, find::find_runs},
    tree::{RunTree, Values},
};

/// The number of runs that are read with one query.
const AT_A_TIME: u32 = 100;

/// The maximum number of characters that are shown of the value that a question is about.
const SHOWN: usize = 2_000;

/// A question that waits for the answer of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    pub run_id: String,
    pub flow: String,
    pub flow_path: Option<String>,
    /// The name that a person gave the run.
    pub run_name: Option<String>,
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

/// Returns the open questions of all runs that have not ended, oldest first.
///
/// # Errors
/// Returns an error if the journal cannot be read.
pub fn open_questions(env: &Env) -> Result<Vec<OpenQuestion>, ApiError> {
    let mut questions = Vec::new();
    for run in asking_runs(env)? {
        let tree = RunTree::read(
            &*env.journal(),
            &run.run_id,
            Select::All,
            Values::ShortResults(0),
        )?;
        let waits = tree.open_waits();
        if waits.is_empty() {
            continue;
        }
        let (header, _) = env.journal().run(&run.run_id)?;
        let stored = stored_run(&header, env.kinds()).ok();
        for (path, wait) in waits {
            let (title, node_type) = node_at(stored.as_ref(), path);
            let detail = step_detail(env, &run.run_id, path)?;
            let is_of_tool = wait.question.tool().is_some();
            questions.push((
                wait.at,
                OpenQuestion {
                    run_id: run.run_id.clone(),
                    flow: run.flow.clone(),
                    flow_path: run.flow_path.clone(),
                    run_name: run.name.clone(),
                    status: run.status,
                    path: path.to_owned(),
                    title,
                    node_type,
                    question: wait.question.clone(),
                    message: wait.question.to_string(),
                    asked_at: timestamp(wait.at),
                    expires: wait.expires.as_ref().map(ExpiryView::of),
                    value: (!is_of_tool && !detail.output.is_null())
                        .then(|| preview(&Arc::new(detail.output), SHOWN)),
                    request: detail.request,
                },
            ));
        }
    }
    questions.sort_by_key(|(at, _)| *at);
    Ok(questions
        .into_iter()
        .map(|(_, question)| question)
        .collect())
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

/// Returns the runs that can have an open question. A run in progress can have one while other steps continue.
fn asking_runs(env: &Env) -> Result<Vec<RunSummary>, ApiError> {
    let mut query = RunQuery {
        statuses: vec![
            RunStatus::Waiting,
            RunStatus::Running,
            RunStatus::Paused,
            RunStatus::Interrupted,
        ],
        limit: AT_A_TIME,
        ..RunQuery::default()
    };
    let mut runs = Vec::new();
    loop {
        let page = find_runs(env, &query)?.runs;
        let is_last = page.len() < AT_A_TIME as usize;
        query.offset += page.len() as u32;
        runs.extend(page);
        if is_last {
            return Ok(runs);
        }
    }
}
