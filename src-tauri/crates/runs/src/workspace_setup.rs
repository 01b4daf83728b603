//! Sets up a fresh workspace: copies ignored files, and runs the commands that prepare the copy for a build.
//!
//! The commands come from the flow or from the repository's set-up files. Each is a call of the tool `command`, with its
//! approval, its confinement and its limits.

use std::{path::Path, sync::Arc};

use loopwright_engine::{
    CancellationToken, NodeError,
    host::{ToolContext, Tools},
    resources::{Resource, Resources as _},
};
use loopwright_workspaces::{Found, Person, PreparePlan, Settings, Workspace, Workspaces};
use serde_json::{Map, Value, json};

/// The time limit of a command, in seconds, unless the flow sets another limit.
const SECONDS: u64 = 30 * 60;

/// The maximum number of bytes that are recorded of each output stream of a command.
const OUTPUT: usize = 8 * 1024;

/// Returns the arguments with which the tool `command` runs a command of a set-up file. Such a command is in shell
/// syntax.
fn in_a_shell(command: &str) -> Map<String, Value> {
    call_of("sh", &["-c".to_owned(), command.to_owned()])
}

/// Returns the arguments of a tool call for each command in the set-up files of a folder. The list is empty if these
/// files cannot be read; the run then reports why.
pub(crate) fn calls_of_files(folder: &Path) -> Vec<Map<String, Value>> {
    let plan = PreparePlan::read(folder, &Person::here()).unwrap_or_default();
    let commands = plan.chosen().map(|found| found.commands.as_slice());
    commands
        .unwrap_or_default()
        .iter()
        .map(|command| in_a_shell(command))
        .collect()
}

/// Sets up a workspace, unless it is set up already. `opened` is the answer of the operation that opened it. Returns
/// that answer, with the copied files and the commands that ran.
///
/// # Errors
/// `setup_failed` if a command fails, and the error of a command that could not run.
pub(crate) async fn set_up(
    all: &Workspaces,
    tools: Arc<dyn Tools>,
    resource: Resource,
    mut opened: Value,
    cancel: CancellationToken,
) -> Result<Value, NodeError> {
    let Some(workspace) = all.find(&resource.run_id, &resource.path) else {
        return Ok(opened);
    };
    if workspace.is_set_up() {
        return Ok(opened);
    }
    let settings = Settings::of(&resource)?;
    let plan = match settings.setup_files {
        true => workspace.setup_plan().map_err(|error| failed(&error))?,
        false => PreparePlan::default(),
    };
    let copied = copy(&workspace, &settings, &plan).await?;
    let found = plan.chosen().filter(|_| settings.setup.is_none());
    let setup = Setup {
        tools,
        resource: Arc::new(resource),
        cancel,
        seconds: settings.setup_seconds.unwrap_or(SECONDS),
        variables: found.map_or_else(Vec::new, |found| variables(found, &workspace)),
    };
    let calls = match (&settings.setup, found) {
        (Some(own), _) => vec![call_of(&own.program, &own.args)],
        (None, Some(found)) => found.commands.iter().map(|one| in_a_shell(one)).collect(),
        (None, None) => Vec::new(),
    };
    let mut ran = Vec::new();
    for args in calls {
        ran.push(setup.run(args, found.map(|found| found.file)).await?);
    }
    workspace.mark_set_up().map_err(|error| failed(&error))?;
    if ran.is_empty() && copied.is_empty() {
        return Ok(opened);
    }
    let unused: Vec<&String> = found.map_or_else(Vec::new, |found| found.unused.iter().collect());
    opened["setup"] = json!({
        "file": found.map(|found| found.file),
        "copied": copied,
        "commands": ran,
        "unused": unused,
    });
    let resource = (*setup.resource).clone();
    // A command may have changed files that git does not ignore. Before the first iteration, these changes become part of the
    // loop's initial state. Later, the recorded state applies.
    if resource.opened.is_some() {
        all.restore(resource).await?;
    } else {
        let state = all.state(resource).await?;
        opened["tree"] = state["tree"].clone();
    }
    Ok(opened)
}

fn failed(error: &loopwright_workspaces::Error) -> NodeError {
    NodeError::new("setup_failed", error.to_string())
}

/// Returns the arguments with which the tool `command` starts a program.
fn call_of(program: &str, args: &[String]) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("program".to_owned(), json!(program));
    object.insert("args".to_owned(), json!(args));
    object
}

/// Copies the ignored files that the flow and the set-up files name. Returns their paths.
async fn copy(
    workspace: &Arc<Workspace>,
    settings: &Settings,
    plan: &PreparePlan,
) -> Result<Vec<String>, NodeError> {
    let patterns = [settings.copy.clone(), plan.copy()].concat();
    let workspace = Arc::clone(workspace);
    let copied = tokio::task::spawn_blocking(move || workspace.copy_ignored(&patterns))
        .await
        .map_err(|broken| NodeError::new("setup_failed", broken.to_string()))?
        .map_err(|error| failed(&error))?;
    Ok(copied
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect())
}

/// Returns the environment variables that give the commands of a set-up file the paths of the source and of the copy.
fn variables(found: &Found, workspace: &Workspace) -> Vec<(String, String)> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (source, copy) = (text(&workspace.source()), text(&workspace.path()));
    let named = |names: &[&str], value: &str| {
        let pairs = names
            .iter()
            .map(|name| ((*name).to_owned(), value.to_owned()));
        pairs.collect::<Vec<_>>()
    };
    [
        named(found.source_variables, &source),
        named(found.workspace_variables, &copy),
    ]
    .concat()
}

struct Setup {
    tools: Arc<dyn Tools>,
    resource: Arc<Resource>,
    cancel: CancellationToken,
    seconds: u64,
    variables: Vec<(String, String)>,
}

impl Setup {
    /// Runs a command. `file` is the set-up file that contains it, or `None` if the flow does. Returns the command, its
    /// duration and its output, as the answer lists them.
    async fn run(
        &self,
        mut args: Map<String, Value>,
        file: Option<&str>,
    ) -> Result<Value, NodeError> {
        let words: Vec<&str> = std::iter::once(&args["program"])
            .chain(args["args"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        let command = match file {
            // The set-up file contains only the text that is passed to the shell.
            Some(_) => words.last().copied().unwrap_or_default().to_owned(),
            None => words.join(" "),
        };
        let from = file.map_or_else(String::new, |file| format!(" of {file}"));
        args.insert("timeout".to_owned(), json!(self.seconds));
        args.insert("maxOutput".to_owned(), json!(OUTPUT));
        let tool = self.tools.find("command").ok_or_else(|| {
            NodeError::new(
                "setup_failed",
                "This program cannot run commands.".to_owned(),
            )
        })?;
        let given = ToolContext {
            cancel: self.cancel.clone(),
            resource: Some(Arc::clone(&self.resource)),
            variables: self.variables.clone(),
            ..ToolContext::default()
        };
        let ended = tool
            .call(None, args, given)
            .await
            .map_err(|error| NodeError {
                message: format!(
                    "The workspace could not be prepared with `{command}`{from}. {}",
                    error.message
                ),
                ..error
            })?;
        let text = |name: &str| ended[name].as_str().unwrap_or_default().trim().to_owned();
        let log = [text("stdout"), text("stderr")]
            .join("\n")
            .trim()
            .to_owned();
        if ended["ok"] == json!(true) {
            return Ok(
                json!({ "command": command, "durationMs": ended["durationMs"], "log": log }),
            );
        }
        let how = match (ended["exitCode"].as_i64(), ended["signal"].as_str()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, signal) => signal.unwrap_or("a signal").to_owned(),
        };
        let lines: Vec<&str> = log.lines().collect();
        let end = lines[lines.len().saturating_sub(15)..].join("\n");
        Err(NodeError::new(
            "setup_failed",
            format!(
                "The workspace could not be prepared: `{command}`{from} failed ({how}), so the loop did not start. Correct the command, or change `prepare` in the loop's workspace.\n{end}"
            ),
        ))
    }
}
