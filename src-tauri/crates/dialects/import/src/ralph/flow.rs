//! Builds the flow of a loop file: a Loop with a workspace, the commands, the Agent, and the Checks.

use serde_json::{Map, Value, json};

use super::{
    loop_file::{Command, ID, LoopFile},
    prompt::{Names, literal, template},
};
use crate::{
    build::{Builder, MOST_ITERATIONS, Port, identifier},
    error::ImportError,
    format::{Import, Options},
};

/// The maximum number of iterations of a loop whose file sets no limit.
const DEFAULT_ITERATIONS: u64 = 20;
/// The seconds after which ralphify stops a command that sets no limit.
const COMMAND_TIMEOUT: u64 = 60;
/// The maximum size of a prompt, in bytes. A template may have 64 KB.
const MAX_PROMPT: usize = 60 * 1024;
/// The maximum time limit of a command, in seconds.
const MAX_TIMEOUT: u64 = 21_600;

pub(super) fn build(file: LoopFile, options: &Options) -> Result<Import, ImportError> {
    let mut flow = Builder::new(ID, options.name.as_deref().or(Some("Ralph")));
    flow.took_dialect(file.kind, false);
    for (outcome, place, message) in &file.notes {
        flow.say(*outcome, place.clone(), None, message.clone());
    }
    let mut names = Names::new();
    let task = match has_task(&file) {
        true => None,
        false => Some(add_task(&mut flow)),
    };
    let args: Vec<String> = file
        .args
        .iter()
        .map(|arg| add_argument(&mut flow, arg, &mut names))
        .collect();
    let looped = add_loop(&mut flow, &file);
    if let Some(first) = task.or_else(|| args.into_iter().next()) {
        flow.wire(&Port::of(&first), &Port::at(&looped, "input"));
    }
    let mut from = Port::at(&looped, "body");
    for command in &file.commands {
        from = add_command(&mut flow, command, &from, &mut names);
    }
    let checks: Vec<String> = file
        .checks
        .iter()
        .map(|check| flow.free_id(&identifier(&check.name)))
        .collect();
    let agent = add_agent(&mut flow, &file, &names, !checks.is_empty())?;
    flow.wire(&from, &Port::at(&agent, "prompt"));
    let mut from = Port::at(&agent, "response");
    if let Some(promise) = &file.promise {
        from = add_promise(&mut flow, promise, &from, &looped);
    }
    for (id, check) in checks.iter().zip(&file.checks) {
        from = add_check(&mut flow, id, check, &from, &looped, &names);
    }
    carry_failures(&mut flow, &looped, &checks, &file);
    for (name, place, source, reason) in &file.unfit {
        let id = flow.placeholder(name, place, source.clone(), reason);
        flow.wire(&Port::at(&looped, "body"), &Port::of(&id));
    }
    add_end(&mut flow, &file, &from, &looped);
    flow.finish()
}

/// Returns whether the file declares an argument with the name that an import gives to the task.
fn has_task(file: &LoopFile) -> bool {
    file.args.iter().any(|arg| identifier(arg) == "task")
}

fn add_task(flow: &mut Builder) -> String {
    flow.node(
        "input",
        "Task",
        json!({
            "name": "task", "dataType": "text", "required": false, "default": "",
            "description": "Added to the prompt of every iteration. It can be left empty.",
        }),
    )
}

/// Returns whether the loop can end before its limit: by the agent's promise or by a check.
fn can_end(file: &LoopFile) -> bool {
    file.promise.is_some() || !file.checks.is_empty()
}

fn add_argument(flow: &mut Builder, arg: &str, names: &mut Names) -> String {
    let name = identifier(arg);
    let id = flow.node(
        "input",
        arg,
        json!({ "name": name, "dataType": "text", "required": false, "default": "" }),
    );
    names.insert(
        format!("args.{arg}"),
        format!("{{{{ run.inputs.{name} }}}}"),
    );
    flow.mapped("args", &id, "Becomes an input of the run.");
    id
}

fn add_loop(flow: &mut Builder, file: &LoopFile) -> String {
    let most = file.max_iterations.unwrap_or(DEFAULT_ITERATIONS);
    flow.permit_iterations(most);
    let mut limits = Map::new();
    if let Some(seconds) = file.max_seconds {
        limits.insert("timeout".to_owned(), json!(format!("PT{seconds}S")));
    }
    if let Some(usd) = file.max_usd {
        limits.insert("budgetUsd".to_owned(), json!(usd));
    }
    let id = flow.node(
        "loop",
        "Ralph",
        json!({
            "maxIterations": most.min(MOST_ITERATIONS),
            "exitCondition": if can_end(file) { "evaluator" } else { "max_iterations" },
            "limits": limits,
            "workspace": { "source": ".", "base": "working", "confine": "auto" },
        }),
    );
    flow.approximated(
        "file",
        Some(&id),
        "The loop works in a private copy of the folder in which you save this flow, instead of in the folder itself. Save the flow in your project. At the end, you can review the changes and apply them.",
    );
    match file.max_iterations {
        Some(most) if most > MOST_ITERATIONS => flow.approximated(
            "max_iterations",
            Some(&id),
            format!("A Loop runs at most {MOST_ITERATIONS} iterations, so this is the loop's limit."),
        ),
        Some(_) => flow.mapped("max_iterations", &id, "Becomes the maximum number of iterations."),
        None => flow.approximated(
            "file",
            Some(&id),
            format!("The file sets no number of iterations. The loop runs at most {DEFAULT_ITERATIONS} times; you can change this in the Loop node."),
        ),
    }
    id
}

/// Returns the arguments of `sh` for a command, with its placeholders replaced.
fn shell(run: &str, names: &Names) -> Value {
    json!(["-c", template(run, names).0])
}

fn add_command(flow: &mut Builder, command: &Command, from: &Port, names: &mut Names) -> Port {
    let id = flow.node(
        "tool",
        &command.name,
        json!({
            "tool": "command",
            "args": {
                "program": "sh",
                "args": shell(&command.run, names),
                "cwd": ".",
                "timeout": command.timeout.unwrap_or(COMMAND_TIMEOUT).min(MAX_TIMEOUT),
            },
        }),
    );
    let output = format!("{{{{ {id}.stdout }}}}{{{{ {id}.stderr }}}}");
    names.insert(format!("commands.{}", command.name), output.clone());
    names.insert(format!("contexts.{}", command.name), output);
    flow.wire(from, &Port::at(&id, "input"));
    flow.mapped(
        &command.place,
        &id,
        "Runs before the agent in every iteration. The output replaces the command's placeholder in the prompt. You approve the command before the run.",
    );
    Port::at(&id, "result")
}

/// Returns the agent that a flow starts for a command that begins with `program`, or `None` if the program is unknown.
fn runner(program: &str) -> Option<&'static str> {
    match program.rsplit('/').next().unwrap_or(program) {
        "claude" | "claude-code" => Some("claude-code"),
        "codex" => Some("codex"),
        "gemini" => Some("gemini"),
        _ => None,
    }
}

fn add_agent(
    flow: &mut Builder,
    file: &LoopFile,
    names: &Names,
    has_checks: bool,
) -> Result<String, ImportError> {
    let (mut prompt, unknown) = template(file.prompt.trim(), names);
    if has_checks {
        prompt.push_str(
            "\n\n{% if vars.failures %}The checks failed after the last iteration:\n{{ vars.failures }}{% endif %}",
        );
    }
    if !has_task(file) {
        prompt.push_str("\n\n{{ run.inputs.task }}");
    }
    if prompt.len() > MAX_PROMPT {
        return Err(ImportError::refused(
            file.prompt_place.clone(),
            format!(
                "the prompt is {} KB, and a prompt in a flow may have at most {} KB. Shorten it, and let the agent read the rest from a file",
                prompt.len().div_ceil(1024),
                MAX_PROMPT / 1024
            ),
        ));
    }
    let written = file.agent.as_deref().map(str::trim).unwrap_or_default();
    let mut words = written.split_whitespace();
    let program = words.next().unwrap_or_default();
    let known = runner(program);
    let named = program.rsplit('/').next().unwrap_or(program);
    let id = flow.node(
        "agent",
        "Agent",
        json!({
            "runner": known.unwrap_or(if named.is_empty() { "claude-code" } else { named }),
            "cwd": ".", "session": "fresh", "sandbox": "workspace", "timeout": "PT2H", "prompt": prompt,
        }),
    );
    if !file.prompt.trim().is_empty() {
        let says = "Becomes the prompt. Each iteration starts a new agent that remembers nothing of earlier iterations.";
        flow.mapped(&file.prompt_place, &id, says);
    }
    let flags: Vec<&str> = words
        .filter(|word| *word != "-p" && *word != "--print")
        .collect();
    if program.is_empty() {
        flow.approximated(
            "file",
            Some(&id),
            "The file names no agent program, so Claude Code is used. You can choose another in the Agent node.",
        );
    } else if known.is_none() {
        flow.approximated(
            &file.agent_place,
            Some(&id),
            format!("The agent `{named}` is not one of claude-code, codex and gemini. Add it in Settings, or choose another."),
        );
    }
    if !flags.is_empty() {
        flow.approximated(
            &file.agent_place,
            Some(&id),
            format!(
                "The options `{}` are not passed on. The agent may change files in its workspace without asking. To change this, set *Permission* in the Agent node.",
                flags.join(" ")
            ),
        );
    }
    if !unknown.is_empty() {
        flow.approximated(
            &file.prompt_place,
            Some(&id),
            format!(
                "These placeholders refer to nothing in the file and remain as text: {}.",
                unknown.join(", ")
            ),
        );
    }
    Ok(id)
}

/// Adds a Router that searches the answer for the promise, the text with which the agent reports that it is done. Returns the
/// port for an answer with the promise.
fn add_promise(flow: &mut Builder, promise: &str, from: &Port, looped: &str) -> Port {
    let quoted = Value::String(promise.to_owned()).to_string();
    let id = flow.node(
        "router",
        "Is it done?",
        json!({
            "mode": "rules",
            "branches": [
                { "name": "done", "when": format!("input is containing(pat={quoted})") },
                { "name": "continue", "when": "true" },
            ],
        }),
    );
    flow.wire(from, &Port::at(&id, "input"));
    flow.wire(&Port::at(&id, "continue"), &Port::at(looped, "feedback"));
    flow.mapped(
        "completion",
        &id,
        format!("The loop ends when the agent's answer contains the text {promise}."),
    );
    Port::at(&id, "done")
}

fn add_check(
    flow: &mut Builder,
    id: &str,
    check: &Command,
    from: &Port,
    looped: &str,
    names: &Names,
) -> Port {
    let seconds = check.timeout.unwrap_or(600).min(MAX_TIMEOUT);
    flow.node_as(
        id,
        "check",
        &check.name,
        json!({
            "program": "sh",
            "args": shell(&check.run, names),
            "cwd": ".", "report": "auto", "timeout": format!("PT{seconds}S"),
        }),
    );
    flow.wire(from, &Port::at(id, "input"));
    flow.wire(&Port::at(id, "failed"), &Port::at(looped, "feedback"));
    flow.approximated(
        &check.place,
        Some(id),
        "Runs after the agent. If this check fails, the later checks do not run, and the next agent receives the failure. When all checks pass, the loop ends; the source program may begin another iteration.",
    );
    Port::at(id, "passed")
}

/// Passes the failures of the checks to the next iteration.
fn carry_failures(flow: &mut Builder, looped: &str, checks: &[String], file: &LoopFile) {
    if checks.is_empty() {
        return;
    }
    let parts = checks.iter().zip(&file.checks).map(|(id, check)| {
        let advice = match check.on_fail.as_str() {
            "" => String::new(),
            advice => format!("{}\n", literal(advice)),
        };
        format!(
            "{{% for failure in {id}.failures | default(value=[]) %}}{{% if loop.first %}}{advice}{{% endif %}}- {{{{ failure.name }}}}: {{{{ failure.message | default(value=\"\") }}}}\n{{% endfor %}}"
        )
    });
    let next: String = parts.collect();
    if let Some(data) = flow.data(looped) {
        data.insert("feedbackMode".to_owned(), json!("variables"));
        data.insert(
            "variables".to_owned(),
            json!([{ "name": "failures", "initial": "", "next": next }]),
        );
    }
}

fn add_end(flow: &mut Builder, file: &LoopFile, from: &Port, looped: &str) {
    let exit = flow.node("exit", "Exit", json!({}));
    flow.wire(from, &Port::at(&exit, "input"));
    let output = |flow: &mut Builder, label: &str, name: &str, format: &str| {
        flow.node("output", label, json!({ "name": name, "format": format }))
    };
    let result = output(flow, "Result", "result", "text");
    flow.wire(&Port::at(&exit, "output"), &Port::at(&result, "value"));
    if can_end(file) {
        let unfinished = output(flow, "Not done", "unfinished", "text");
        flow.wire(
            &Port::at(&exit, "exhausted"),
            &Port::at(&unfinished, "value"),
        );
    }
    let changes = output(flow, "Changes", "changes", "json");
    flow.wire(&Port::at(looped, "workspace"), &Port::at(&changes, "value"));
}
