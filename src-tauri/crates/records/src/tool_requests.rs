//! Tool calls that wait for a person, described by the tools themselves.

use std::path::PathBuf;

use loopwright_engine::{NodeError, host::CallDetail, journal::RunHeader, trust::Grants};
use loopwright_runs::{
    ApiError, Code, Env, StoredRun, node_of, stored_run, tool_set, tool_set_in_copy,
};
use serde_json::{Map, Value};

use crate::{
    dto::{RequestFact, StepDetail, ToolRequest},
    step::recorded_step,
};

/// The tool that starts a program, with the names of the arguments that an answer cannot change. A program must match
/// its approval exactly.
const COMMAND: (&str, [&str; 4]) = ("command", ["program", "args", "cwd", "env"]);

/// Returns a description of what a waiting call would do with these arguments instead of its own.
///
/// # Errors
/// [`Code::InvalidArgument`] if no tool call waits at `path`.
pub fn describe_call(
    env: &Env,
    run_id: &str,
    path: &str,
    args: &Map<String, Value>,
) -> Result<ToolRequest, ApiError> {
    let mut step = recorded_step(env, run_id, path)?;
    step.output = Value::Object(args.clone());
    tool_request(env, run_id, &step)?.ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("No tool call is waiting for approval at `{path}`."),
        )
    })
}

/// Returns the tool call that a waiting step asks to approve; `None` if the step asks another kind of question.
pub(crate) fn tool_request(
    env: &Env,
    run_id: &str,
    step: &StepDetail,
) -> Result<Option<ToolRequest>, ApiError> {
    let (Some(question), Value::Object(args)) = (&step.question, &step.output) else {
        return Ok(None);
    };
    let (header, _) = env.journal().run(run_id)?;
    // The tool is read from the flow, because an imported record could name any tool.
    let Some(tool) = tool_at(env, &header, &step.path) else {
        return Ok(None);
    };
    if question.tool() != Some(&tool) {
        return Ok(None);
    }
    let again = question.is_repeat();
    let tools = match copied_around(env, run_id, &step.path) {
        Some(source) => tool_set_in_copy(env, source),
        None => tool_set(env, header.flow_path.as_deref(), Grants::default()),
    };
    let facts = match tools.find(&tool) {
        Some(tool) => tool.describe_call(step.inputs.get("input"), args),
        None => Err(NodeError::new(
            "unknown_tool",
            format!("The tool `{tool}` is not available on this computer."),
        )),
    };
    let (facts, problem) = match facts {
        Ok(facts) => (facts, None),
        Err(error) => (Vec::new(), Some(error.message)),
    };
    Ok(Some(ToolRequest {
        again,
        fixed: args
            .keys()
            .filter(|name| again || (tool == COMMAND.0 && COMMAND.1.contains(&name.as_str())))
            .cloned()
            .collect(),
        tool,
        facts: facts.into_iter().filter_map(shown).collect(),
        problem,
    }))
}

/// Returns the folder in whose private copy the step at `path` works: the source of the innermost workspace around it. `None` if
/// there is no workspace on this computer.
fn copied_around(env: &Env, run_id: &str, path: &str) -> Option<PathBuf> {
    let is_around = |loop_path: &str| {
        path.strip_prefix(loop_path)
            .is_some_and(|rest| rest.starts_with('['))
    };
    env.workspaces()
        .all()
        .into_iter()
        .filter(|copy| copy.run == run_id && !copy.is_closed && is_around(&copy.loop_path))
        .max_by_key(|copy| copy.loop_path.len())
        .map(|copy| copy.source)
}

/// Returns the tool that the node at a path of a run uses, or `None` if it uses none.
fn tool_at(env: &Env, header: &RunHeader, path: &str) -> Option<String> {
    let StoredRun { flow, plans, .. } = stored_run(header, env.kinds()).ok()?;
    let plan = plans.last();
    let planned = &plan.nodes[plan.find(path)?];
    let node = node_of(&flow, &planned.place)?;
    let reaches = env.kinds().specs().of(&node)?.reaches(&node.data);
    reaches.into_iter().next().map(|reach| reach.tool)
}

fn shown(detail: CallDetail) -> Option<RequestFact> {
    (!detail.values.is_empty()).then(|| RequestFact {
        label: detail.label.to_owned(),
        values: detail.values,
    })
}
