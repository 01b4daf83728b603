//! Saves a run as a test.

use std::{
    collections::{HashMap, HashSet},
    path::{Component, Path, PathBuf},
};

use loopwright_engine::{
    NodeError, Outcome, RunStatus,
    journal::{Journal, RunState, Select},
};
use loopwright_evaluation::test_file::{Expect, RecordedAnswer, SCHEMA_VERSION, TestFile};
use loopwright_model::file;
use loopwright_records::{RunTree, Values};
use loopwright_runs::{ApiError, BUNDLED, Bundled, Code, Env, FieldEdit, apply_edit, files};
use serde_json::{Map, Value, json};

use super::{
    answers::{FileAnswers, Seen},
    expectations::{outputs, reason, shown},
    made::{Made, RUN, TEST_ENDING, TestOptions},
    make::{flow_at, make},
};

/// Writes a run as a test to `path`, which must not exist. The test contains the path of its flow, its inputs, the
/// answers of its nodes, and the outputs.
///
/// # Errors
/// [`Code::InvalidArgument`] if `path` exists or has the wrong extension, or if the run cannot be kept: it has not ended, was
/// stopped, had pinned nodes or ran only a part of its flow, or its flow was never saved or has changed since. [`Code::Io`] if
/// the folder or the file cannot be written.
pub async fn keep_test(env: &Env, run_id: &str, path: &str) -> Result<(), ApiError> {
    let refused = |why: String| ApiError::new(Code::InvalidArgument, why);
    if !path.ends_with(TEST_ENDING) {
        return Err(refused(format!(
            "{path} is not the name of a test file. Use a name that ends with {TEST_ENDING}."
        )));
    }
    let absolute = files::absolute(path);
    let (header, state) = env.journal().run(run_id)?;
    if !state.status.is_over() {
        return Err(refused(format!(
            "Run {run_id} has not ended. Wait until it ends, then keep it as a test."
        )));
    }
    if state.status == RunStatus::Cancelled {
        return Err(refused(format!(
            "Run {run_id} was stopped. Keep a run that completed or failed."
        )));
    }
    if !header.setup.pins.is_empty() || header.setup.until.is_some() {
        return Err(refused(format!(
            "Run {run_id} had pinned nodes or ran only a part of its flow. Run the whole flow, and keep that run."
        )));
    }
    let base = absolute.parent().map(Path::to_path_buf).unwrap_or_default();
    let flow = match &header.flow_path {
        Some(path) => relative(&base, Path::new(path)),
        None => template_of(&header.document).ok_or_else(|| {
            refused(
                "The run's flow was never saved to a file, so a test cannot name it. Save the flow and run it again."
                    .to_owned(),
            )
        })?,
    };
    let recorded = recorded(&*env.journal(), run_id)?;
    let mut test = TestFile {
        schema_version: SCHEMA_VERSION,
        name: header.flow.clone(),
        set: Map::new(),
        flow,
        inputs: header.inputs.as_object().cloned().unwrap_or_default(),
        expect: expected(&state),
        answers: Vec::new(),
    };
    // The run is repeated with the recorded answers, because the input of each node is known only while the run executes.
    let made = make(
        env,
        header.document.clone(),
        header.flow_path.clone(),
        &test,
        FileAnswers::by_path(recorded.clone()),
        &TestOptions::default(),
    )
    .await?;
    if let Some(missing) = made.answers.missing().first() {
        return Err(refused(format!(
            "Run {run_id} cannot be repeated from its records: {missing}"
        )));
    }
    let before = outputs(&state);
    if outputs(&made.state) != before || made.state.exit_reason != state.exit_reason {
        return Err(refused(format!(
            "Run {run_id} cannot be kept as a test: repeated from its records, it has a different result. It was stopped or forked, or it depends on the time."
        )));
    }
    test.answers = answers(made.answers.seen(), &recorded)?;
    if let Some(folder) = absolute.parent() {
        std::fs::create_dir_all(folder).map_err(|error| {
            ApiError::new(
                Code::Io,
                format!("{} cannot be created: {error}.", folder.display()),
            )
        })?;
    }
    // The flow in the file may differ from the flow of the run, because fields were set for the run, the run was forked, or
    // the file was edited. The test must pass with the flow in the file.
    let (mut present, flow_path) = flow_at(&base, &test.flow)?;
    test.set = settings(&present, &header.document);
    apply(&mut present, &test.set)?;
    if present != header.document {
        let answers = FileAnswers::of(&test, false);
        let made = make(
            env,
            present,
            flow_path,
            &test,
            answers,
            &TestOptions::default(),
        )
        .await?;
        let is_same = outputs(&made.state) == before && made.state.exit_reason == state.exit_reason;
        if !made.answers.missing().is_empty() || !is_same {
            return Err(refused(format!(
                "The flow of run {run_id} differs from the file {}: fields were set for the run, the run was forked, or the file has changed since. Save the run's flow, run it, and keep the new run.",
                test.flow
            )));
        }
    }
    let shown = absolute.display().to_string();
    files::write_new(
        &shown,
        &text_of(&test)?,
        "Choose another name, or use `loopwright test --update`.",
    )
}

/// Returns the id of the bundled flow with the same nodes and edges as a document, or `None` if there is none.
fn template_of(document: &Value) -> Option<String> {
    let is_same = |bundled: &&Bundled| {
        bundled.document().is_ok_and(|own| {
            let same = |field: &str| own[field] == document[field];
            same("nodes") && same("edges")
        })
    };
    BUNDLED
        .iter()
        .find(is_same)
        .map(|bundled| bundled.id.to_owned())
}

/// Returns the fields whose values in the run's flow differ from those in its file. The keys are `node.field`, and the
/// values are those of the run.
fn settings(file: &Value, ran: &Value) -> Map<String, Value> {
    let nodes = |document: &Value| document["nodes"].as_array().cloned().unwrap_or_default();
    let mut set = Map::new();
    for node in nodes(ran) {
        let Some(id) = node["id"].as_str() else {
            continue;
        };
        let Some(before) = nodes(file)
            .into_iter()
            .find(|known| known["id"] == node["id"])
        else {
            continue;
        };
        let (Some(data), Some(was)) = (node["data"].as_object(), before["data"].as_object()) else {
            continue;
        };
        for (field, value) in data {
            // A flow linked inline is not a setting.
            if was.get(field) != Some(value) && field != "flow" {
                set.insert(format!("{id}.{field}"), value.clone());
            }
        }
    }
    set
}

/// Sets fields of nodes in a document.
///
/// # Errors
/// [`Code::InvalidArgument`] if `set` names an unknown node.
pub(super) fn apply(document: &mut Value, set: &Map<String, Value>) -> Result<(), ApiError> {
    for (key, value) in set {
        let (node, field) = key.split_once('.').unwrap_or((key, ""));
        let edit = FieldEdit {
            node: node.to_owned(),
            field: field.to_owned(),
            value: value.clone(),
        };
        apply_edit(document, &edit)?;
    }
    Ok(())
}

/// Returns the result of a run as expectations.
fn expected(state: &RunState) -> Expect {
    let cost = state.usage.cost_microusd;
    Expect {
        outputs: outputs(state),
        exit_reason: reason(state),
        max_iterations: state.iterations,
        max_cost_usd: (cost > 0).then(|| cost as f64 / 1e6),
        status: (state.status != RunStatus::Completed).then(|| "failed".to_owned()),
        ..Expect::default()
    }
}

/// Returns recorded node results by path: those of nodes with external effects, and those that a person answered.
fn recorded(
    journal: &dyn Journal,
    run_id: &str,
) -> Result<HashMap<String, Result<Outcome, NodeError>>, ApiError> {
    let tree = RunTree::read(journal, run_id, Select::All, Values::Whole)?;
    let answers = tree.steps().filter_map(|(path, step)| {
        let answer = match (&step.outcome, &step.error) {
            (Some(outcome), _) => Ok((**outcome).clone()),
            (None, Some(error)) => Err((**error).clone()),
            (None, None) => return None,
        };
        Some((path.to_owned(), answer))
    });
    Ok(answers.collect())
}

/// Returns the answers of a test: the recorded result of each execution in `seen`.
fn answers(
    seen: Vec<Seen>,
    recorded: &HashMap<String, Result<Outcome, NodeError>>,
) -> Result<Vec<RecordedAnswer>, ApiError> {
    let internal = |error: serde_json::Error| ApiError::new(Code::Internal, error.to_string());
    seen.into_iter()
        .filter_map(|seen| {
            let answer = recorded.get(&seen.path)?;
            Some((seen, answer))
        })
        .map(|(seen, answer)| {
            Ok(RecordedAnswer {
                node: seen.node,
                path: seen.path,
                key: seen.key,
                outcome: answer
                    .as_ref()
                    .ok()
                    .map(serde_json::to_value)
                    .transpose()
                    .map_err(internal)?,
                error: answer
                    .as_ref()
                    .err()
                    .map(serde_json::to_value)
                    .transpose()
                    .map_err(internal)?,
            })
        })
        .collect()
}

/// Returns the test with the results of its latest run as expectations, and one line for each change. Fails if the results
/// of that run cannot be read.
pub(super) fn updated(
    test: &TestFile,
    state: &RunState,
    made: &Made,
) -> Result<(TestFile, Vec<String>), ApiError> {
    let now = expected(state);
    let recorded = recorded(&*made.journal, RUN)?;
    let mut changes = Vec::new();
    for (name, value) in &now.outputs {
        let was = test.expect.outputs.get(name);
        if test.expect.outputs.contains_key(name) && was != Some(value) {
            changes.push(format!(
                "output `{name}`: {} -> {}",
                was.map_or_else(|| "nothing".to_owned(), shown),
                shown(value)
            ));
        }
    }
    let mut expect = test.expect.clone();
    for (name, value) in &now.outputs {
        if let Some(kept) = expect.outputs.get_mut(name) {
            *kept = value.clone();
        }
    }
    if expect.exit_reason.is_some() && expect.exit_reason != now.exit_reason {
        changes.push(format!(
            "exit reason: {} -> {}",
            json!(expect.exit_reason),
            json!(now.exit_reason)
        ));
        expect.exit_reason = now.exit_reason;
    }
    if let (Some(most), Some(count)) = (expect.max_iterations, now.max_iterations)
        && count > most
    {
        changes.push(format!("maximum iterations: {most} -> {count}"));
        expect.max_iterations = Some(count);
    }
    if let (Some(most), Some(cost)) = (expect.max_cost_usd, now.max_cost_usd)
        && cost > most
    {
        changes.push(format!("maximum cost: ${most} -> ${cost}"));
        expect.max_cost_usd = Some(cost);
    }
    if expect.status != now.status {
        changes.push(format!(
            "status: {} -> {}",
            expect.status.as_deref().unwrap_or("completed"),
            now.status.as_deref().unwrap_or("completed")
        ));
        expect.status = now.status;
    }
    let answers = answers(made.answers.seen(), &recorded)?;
    if answers != test.answers {
        let kept = |answers: &[RecordedAnswer]| -> HashSet<String> {
            answers.iter().map(|answer| answer.key.clone()).collect()
        };
        let (before, after) = (kept(&test.answers), kept(&answers));
        for answer in &answers {
            if !before.contains(&answer.key) {
                changes.push(format!("{}: a new answer", answer.path));
            }
        }
        for answer in &test.answers {
            if !after.contains(&answer.key) {
                changes.push(format!(
                    "{}: the recorded answer is no longer used",
                    answer.path
                ));
            }
        }
        if changes.is_empty() {
            changes.push("the order of the answers".to_owned());
        }
    }
    let updated = TestFile {
        expect,
        answers,
        ..test.clone()
    };
    Ok((updated, changes))
}

pub(super) fn text_of(test: &TestFile) -> Result<String, ApiError> {
    let value = serde_json::to_value(test)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    Ok(file::to_string(&value))
}

/// Returns the path of `to` relative to the folder `base`.
fn relative(base: &Path, to: &Path) -> String {
    let to = files::absolute(&to.display().to_string());
    let base = files::absolute(&base.display().to_string());
    let same = base
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = base.components().count() - same;
    // The paths share only the file system root, so the absolute path is clearer.
    if same <= 1 {
        return to.display().to_string();
    }
    let mut path = PathBuf::new();
    for _ in 0..up {
        path.push("..");
    }
    for component in to.components().skip(same) {
        if let Component::Normal(name) = component {
            path.push(name);
        }
    }
    path.display().to_string()
}
