//! The flow *Fix until green*: a command checks a private copy of a project, and an agent repairs what failed, until the command
//! passes.

use serde_json::{Map, Value, json};

use crate::error::{ApiError, Code};

/// The node ids that programs use to find the parts of a finished run.
pub const LOOP: &str = "repair";
pub const CHECK: &str = "check";
pub const AGENT: &str = "fix";

/// The default maximum number of iterations.
pub const MAX_ITERATIONS: u32 = 8;

/// The default number of iterations in a row without progress after which the loop ends. The same failures twice can still be a
/// step of a larger repair.
pub const NO_PROGRESS: u32 = 3;

/// What the agent does, unless the person says otherwise.
pub const TASK: &str = "The command of the check fails in this folder. Find the causes in the code and repair them, so that the \
                        command passes. Do not weaken or remove tests to make them pass.";

/// The settings of the flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FixUntilGreen {
    /// The folder of the project. An absolute path.
    pub source: String,
    /// The state with which the copy begins: `head`, `working`, or a branch, tag or commit.
    pub base: String,
    /// The command that must pass, as for a shell.
    pub command: String,
    /// The agent program, such as `claude-code`.
    pub agent: String,
    /// The names of environment variables that the agent receives, such as `ANTHROPIC_API_KEY`.
    pub env: Vec<String>,
    /// What the agent does.
    pub task: String,
    pub max_iterations: u32,
    pub budget_usd: Option<f64>,
    /// The loop ends after this many iterations in a row without progress; 0 for never.
    pub no_progress: u32,
    /// Patterns of files that are restored before each check.
    pub protect: Vec<String>,
    /// Patterns of ignored files that the copy receives.
    pub copy: Vec<String>,
    /// The command that sets up the copy, as for a shell, instead of the commands of the set-up files.
    pub setup: Option<String>,
    /// Whether the set-up files of the project are used.
    pub setup_files: bool,
}

/// Returns a command as a program and its arguments. A command that uses anything of a shell but words and quotes is given to
/// `sh`.
///
/// # Errors
/// [`Code::InvalidArgument`] if the command is empty, or if a quotation does not end.
pub fn split_command(command: &str) -> Result<(String, Vec<String>), ApiError> {
    const OF_A_SHELL: &[char] = &[
        '|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '~', '#', '\n', '{',
    ];
    let invalid = |message: String| Err(ApiError::new(Code::InvalidArgument, message));
    if command.contains(OF_A_SHELL) || begins_with_variable(command) {
        return Ok(("sh".to_owned(), vec!["-c".to_owned(), command.to_owned()]));
    }
    let Some(words) = shlex::split(command) else {
        return invalid(format!(
            "A quotation in the command `{command}` does not end."
        ));
    };
    let mut words = words.into_iter();
    match words.next() {
        Some(program) => Ok((program, words.collect())),
        None => invalid(
            "The command is empty. Write the one that must pass, such as \"npm test\".".to_owned(),
        ),
    }
}

/// Whether a command sets a variable for its program, as in `CI=1 npm test`.
fn begins_with_variable(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || char == '_')
    })
}

/// Makes a text part of a template that gives the text unchanged.
fn literal(text: &str) -> String {
    match ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark)) {
        true => format!("{{% raw %}}{text}{{% endraw %}}"),
        false => text.to_owned(),
    }
}

impl FixUntilGreen {
    /// Returns the flow as a document.
    ///
    /// # Errors
    /// As [`split_command`].
    pub fn document(&self) -> Result<Value, ApiError> {
        let (program, args) = split_command(&self.command)?;
        let args: Vec<String> = args.iter().map(|arg| literal(arg)).collect();
        let mut prepare = json!({ "copy": self.copy });
        if !self.setup_files {
            prepare["from"] = json!("off");
        }
        if let Some(setup) = &self.setup {
            let (program, args) = split_command(setup)?;
            prepare["program"] = json!(program);
            prepare["args"] = json!(args);
        }
        let mut limits = Map::new();
        if let Some(budget) = self.budget_usd {
            limits.insert("budgetUsd".to_owned(), json!(budget));
        }
        if self.no_progress > 0 {
            limits.insert(
                "noProgress".to_owned(),
                json!({ "rounds": self.no_progress }),
            );
        }
        let node = |id: &str, kind: &str, x: i32, y: i32, data: Value| json!({ "id": id, "type": kind, "position": { "x": x, "y": y }, "data": data });
        let edge = |from: &str, out: &str, to: &str, into: &str| {
            json!({
                "id": format!("e-{from}-{out}-{to}"), "source": from, "sourceHandle": out, "target": to, "targetHandle": into,
            })
        };
        Ok(json!({
            "schemaVersion": 1,
            "name": "Fix until green",
            "description": format!("Repairs a private copy of {} until `{}` passes.", self.source, self.command),
            "nodes": [
                node("task", "input", 0, 160, json!({
                    "label": "Task", "name": "task", "dataType": "text", "required": true,
                    "description": "What the agent does.", "default": self.task,
                })),
                node(LOOP, "loop", 260, 160, json!({
                    "label": "Until it passes",
                    "maxIterations": self.max_iterations,
                    "exitCondition": "evaluator",
                    "limits": limits,
                    "workspace": {
                        "source": self.source,
                        "base": self.base,
                        "prepare": prepare,
                        "protect": self.protect,
                        "confine": "auto",
                    },
                })),
                node(CHECK, "check", 540, 160, json!({
                    "label": "Check", "program": program, "args": args, "cwd": ".", "report": "auto", "timeout": "PT1H",
                })),
                node(AGENT, "agent", 820, 420, json!({
                    "label": "Fix", "runner": self.agent, "cwd": ".", "session": "resume", "sandbox": "workspace", "env": self.env,
                    "timeout": "PT2H",
                    "prompt": format!(
                        "{{{{ run.inputs.task }}}}\n\nThe command is: {}\n\nWhat failed, as JSON:\n{{{{ {CHECK}.failures }}}}",
                        literal(&self.command),
                    ),
                })),
                node("exit", "exit", 820, 160, json!({ "label": "Exit" })),
                node("fixed", "output", 1080, 60, json!({ "label": "Fixed", "name": "fixed", "format": "text" })),
                node("unfixed", "output", 1080, 240, json!({ "label": "Not fixed", "name": "unfixed", "format": "text" })),
                node("changes", "output", 1080, 420, json!({ "label": "Changes", "name": "changes", "format": "json" })),
            ],
            "edges": [
                edge("task", "value", LOOP, "input"),
                edge(LOOP, "body", CHECK, "input"),
                edge(CHECK, "passed", "exit", "input"),
                edge(CHECK, "failed", AGENT, "context"),
                edge(AGENT, "response", LOOP, "feedback"),
                edge("exit", "output", "fixed", "value"),
                edge("exit", "exhausted", "unfixed", "value"),
                edge(LOOP, "workspace", "changes", "value"),
            ],
        }))
    }
}

/// The built-in agents with the programs that start them, in the order in which they are looked for.
pub const AGENTS: [(&str, &str); 3] = [
    ("claude-code", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
];

/// Returns the built-in agents whose programs are on the `PATH`.
pub fn installed_agents() -> Vec<&'static str> {
    let folders: Vec<_> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    let is_installed = |program: &str| {
        let names = [
            program.to_owned(),
            format!("{program}.exe"),
            format!("{program}.cmd"),
        ];
        folders
            .iter()
            .any(|folder: &std::path::PathBuf| names.iter().any(|name| folder.join(name).is_file()))
    };
    AGENTS
        .into_iter()
        .filter(|(_, program)| is_installed(program))
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> FixUntilGreen {
        FixUntilGreen {
            source: "/home/me/project".to_owned(),
            base: "head".to_owned(),
            command: "npm test".to_owned(),
            agent: "codex".to_owned(),
            env: Vec::new(),
            task: TASK.to_owned(),
            max_iterations: MAX_ITERATIONS,
            budget_usd: Some(5.0),
            no_progress: NO_PROGRESS,
            protect: vec!["tests/**".to_owned()],
            copy: Vec::new(),
            setup: Some("npm ci".to_owned()),
            setup_files: true,
        }
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let split = |command| split_command(command).unwrap();
        let words = |program: &str, args: &[&str]| {
            (
                program.to_owned(),
                args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            split("cargo test -p 'my crate'"),
            words("cargo", &["test", "-p", "my crate"])
        );
        assert_eq!(
            split("make && make test"),
            words("sh", &["-c", "make && make test"])
        );
        assert_eq!(
            split("CI=1 npm test"),
            words("sh", &["-c", "CI=1 npm test"])
        );
        assert_eq!(split("pytest -k a=1"), words("pytest", &["-k", "a=1"]));
        for wrong in ["", "  ", "echo 'a"] {
            assert_eq!(
                split_command(wrong).unwrap_err().code,
                Code::InvalidArgument,
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_flow_has_no_problems() {
        for command in ["npm test", "echo '{{ a }}' | grep {%"] {
            let settings = FixUntilGreen {
                command: command.to_owned(),
                ..settings()
            };
            let flow = loopwright_model::file::read_value(settings.document().unwrap()).unwrap();
            let problems =
                loopwright_model::validate::validate(&flow, loopwright_nodes::all().specs());
            assert!(
                problems.iter().all(|problem| !problem.is_error()),
                "{problems:?}"
            );
        }
    }
}
