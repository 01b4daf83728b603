//! The flow *Fix until green*: a command checks a private copy of a project, and an agent or a model repairs the failures,
//! until the command passes.

use loopwright_engine::host::{ModelRequest, ToolOffer};
use serde_json::{Map, Value, json};

use crate::{
    env::Env,
    error::{ApiError, Code},
    models::provider_set,
};

/// The id of the loop. Programs use this and the following node ids to find the parts of a finished run.
pub const LOOP: &str = "repair";
pub const CHECK: &str = "check";
pub const AGENT: &str = "fix";
pub const OTHER_AGENT: &str = "fix-in-another-way";
const CHOICE: &str = "who";

/// The default maximum number of iterations.
pub const MAX_ITERATIONS: u32 = 8;

/// The default number of iterations in a row without progress after which the loop ends. A repair that takes several iterations
/// may show the same failures twice.
pub const NO_PROGRESS: u32 = 3;

/// The task of the agent, unless the user writes another one.
pub const TASK: &str = "The check command fails in this folder. Find the causes in the code and fix them, so that the command passes. Do not weaken or remove tests to make them pass.";

/// The tools that a model may use for repairs.
const TOOLS: [&str; 3] = ["files.glob", "files.read", "files.edit"];

/// The instructions for a model that has these tools.
const WITH_TOOLS: &str = "You repair the code of a project. Find the files with files_glob, read them with files_read, and change them \
                          with files_edit. You cannot run programs: the command of the check runs after you have answered. When the \
                          edits are made, answer in one or two sentences what was wrong and what you changed.";

/// The maximum length of an answer of a model, in tokens. An answer contains the edits.
const MAX_TOKENS: u32 = 8192;

/// The agent or the model that repairs the failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// An agent program.
    Agent {
        /// The name of the agent, such as `claude-code`.
        runner: String,
        /// The names of environment variables that the agent receives, such as `ANTHROPIC_API_KEY`.
        env: Vec<String>,
    },
    /// A model that reads and edits the files itself.
    Model {
        /// The provider's id, or `auto`.
        provider: String,
        /// The name of the model; empty for the model from the settings.
        model: String,
    },
}

impl Repair {
    /// Creates a repair by the model with this name: `gpt-4.1`, `openai/gpt-4.1`, or an empty string for the model from the
    /// settings.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the name selects no model that can use tools.
    pub fn by_model(env: &Env, name: &str) -> Result<Self, ApiError> {
        let providers = provider_set(env)?;
        let name = match name.trim() {
            "auto" => "",
            name => name,
        };
        let known = providers.summaries();
        let is_provider = |id: &str| known.iter().any(|provider| provider.id == id);
        let (provider, model) = match name.split_once('/') {
            Some((provider, model)) if is_provider(provider) => (provider, model),
            None if is_provider(name) => (name, ""),
            _ => ("auto", name),
        };
        let request = ModelRequest {
            provider: provider.to_owned(),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
            prompt: TASK.to_owned(),
            tools: vec![ToolOffer {
                name: "files_edit".to_owned(),
                description: String::new(),
                parameters: Value::Null,
            }],
            ..ModelRequest::default()
        };
        match providers.lacks(&request) {
            Some(error) => Err(ApiError::new(Code::InvalidArgument, error.message)),
            None => Ok(Self::Model {
                provider: provider.to_owned(),
                model: model.to_owned(),
            }),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "agent",
            Self::Model { .. } => "llm",
        }
    }

    fn data(&self, prompt: &str) -> Value {
        match self {
            Self::Agent { runner, env } => json!({
                "label": "Fix", "runner": runner, "cwd": ".", "session": "resume", "sandbox": "workspace", "env": env,
                "timeout": "PT2H", "prompt": prompt,
            }),
            Self::Model { provider, model } => json!({
                "label": "Fix", "provider": provider, "model": model, "systemPrompt": WITH_TOOLS, "prompt": prompt,
                "maxTokens": MAX_TOKENS, "tools": TOOLS, "session": "loop", "timeout": "PT2H",
            }),
        }
    }
}

/// The settings of the flow *Fix until green*.
#[derive(Debug, Clone, PartialEq)]
pub struct FixUntilGreen {
    /// The absolute path of the project's folder.
    pub source: String,
    /// The state of the project that is copied: `head`, `working`, or a branch, tag or commit.
    pub base: String,
    /// The command that must pass, in shell syntax.
    pub command: String,
    pub repair: Repair,
    /// The repair that takes over when the first one makes no progress; `None` to continue with the first.
    pub then: Option<Repair>,
    /// The task of the agent or the model.
    pub task: String,
    pub max_iterations: u32,
    pub budget_usd: Option<f64>,
    /// The number of iterations in a row without progress after which the loop ends; 0 for no limit.
    pub no_progress: u32,
    /// Patterns of files that are restored before each check.
    pub protect: Vec<String>,
    /// Patterns of ignored files that are copied too.
    pub copy: Vec<String>,
    /// The command that sets up the copy, in shell syntax. It replaces the commands of the set-up files. `None` if
    /// there is none.
    pub setup: Option<String>,
    /// Whether the set-up files of the project are used.
    pub setup_files: bool,
}

/// Splits a command into a program and its arguments. If the command uses shell syntax other than words and quotes, it is
/// passed to `sh`. Text in quotes does not count: `grep 'a|b' src` is a program with two arguments. Line breaks around the
/// command are dropped.
///
/// # Errors
/// [`Code::InvalidArgument`] if the command is empty, or if a quote is not closed.
pub fn split_command(command: &str) -> Result<(String, Vec<String>), ApiError> {
    let invalid = |message: String| Err(ApiError::new(Code::InvalidArgument, message));
    let command = command.trim_matches('\n');
    let unended = || {
        invalid(format!(
            "A quote in the command `{command}` is not closed. Close the quote."
        ))
    };
    let (needs_shell, is_open) = syntax_of(command);
    if is_open {
        return unended();
    }
    if needs_shell || begins_with_variable(command) {
        return Ok(("sh".to_owned(), vec!["-c".to_owned(), command.to_owned()]));
    }
    let Some(words) = shlex::split(command) else {
        return unended();
    };
    let mut words = words.into_iter();
    match words.next() {
        Some(program) => Ok((program, words.collect())),
        None => invalid(
            "The command is empty. Write the command that must pass, such as \"npm test\"."
                .to_owned(),
        ),
    }
}

/// Returns whether a command uses shell syntax other than words and quotes, and whether a quote is not closed. Comments,
/// here-documents and substitutions have their own quoting rules, so quotes after one of them are not checked.
fn syntax_of(command: &str) -> (bool, bool) {
    const OF_A_SHELL: &[char] = &[
        '|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '~', '#', '\n', '{',
    ];
    const WITH_OWN_QUOTES: [&str; 5] = ["#", "<<", "$(", "${", "`"];
    let (mut needs_shell, mut quote) = (false, None);
    let mut chars = command.char_indices();
    while let Some((at, char)) = chars.next() {
        let is_of_shell = match (quote, char) {
            (Some(open), _) if open == char => {
                quote = None;
                false
            }
            (Some('\''), _) => false,
            (_, '\\') => match chars.next() {
                Some((_, escaped)) => escaped == '\n' && quote.is_none(),
                None => return (needs_shell, true),
            },
            (None, '\'' | '"') => {
                quote = Some(char);
                false
            }
            (None, _) => OF_A_SHELL.contains(&char),
            (Some(_), _) => matches!(char, '$' | '`'),
        };
        let rest = command.get(at..).unwrap_or_default();
        if is_of_shell && WITH_OWN_QUOTES.iter().any(|mark| rest.starts_with(mark)) {
            return (true, false);
        }
        needs_shell |= is_of_shell;
    }
    (needs_shell, quote.is_some())
}

/// Returns whether a command sets a variable for its program, as in `CI=1 npm test`.
fn begins_with_variable(command: &str) -> bool {
    let command = command.trim_start_matches([' ', '\t']);
    command.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || char == '_')
    })
}

/// Escapes `text` as a template that produces exactly this text.
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
    /// Returns the errors of [`split_command`].
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
                match self.then {
                    None => json!({ "rounds": self.no_progress }),
                    Some(_) => json!({ "rounds": self.no_progress, "escalate": true }),
                },
            );
        }
        let prompt = format!(
            "{{{{ run.inputs.task }}}}\n\nThe command is: {}\n\nWhat failed, as JSON:\n{{{{ {CHECK}.failures }}}}",
            literal(&self.command),
        );
        let node = |id: &str, kind: &str, x: i32, y: i32, data: Value| json!({ "id": id, "type": kind, "position": { "x": x, "y": y }, "data": data });
        let edge = |from: &str, out: &str, to: &str, into: &str| {
            json!({
                "id": format!("e-{from}-{out}-{to}"), "source": from, "sourceHandle": out, "target": to, "targetHandle": into,
            })
        };
        let fix = |id: &str, label: &str, by: &Repair, y: i32| {
            let mut data = by.data(&prompt);
            data["label"] = json!(label);
            node(id, by.kind(), 1080, y, data)
        };
        let (fixing, to_fix) = match &self.then {
            None => (
                vec![node(
                    AGENT,
                    self.repair.kind(),
                    820,
                    420,
                    self.repair.data(&prompt),
                )],
                vec![edge(CHECK, "failed", AGENT, "prompt")],
            ),
            Some(then) => (
                vec![
                    node(
                        CHOICE,
                        "router",
                        820,
                        480,
                        json!({
                            "label": "Who repairs", "mode": "rules",
                            "branches": [
                                { "name": "another", "when": "loopEscalated" },
                                { "name": "usual", "when": "true" },
                            ],
                        }),
                    ),
                    fix(AGENT, "Fix", &self.repair, 420),
                    fix(OTHER_AGENT, "Try another fix", then, 680),
                ],
                vec![
                    edge(CHECK, "failed", CHOICE, "input"),
                    edge(CHOICE, "usual", AGENT, "prompt"),
                    edge(CHOICE, "another", OTHER_AGENT, "prompt"),
                    edge(OTHER_AGENT, "response", LOOP, "feedback"),
                ],
            ),
        };
        let mut document = json!({
            "schemaVersion": 1,
            "name": "Fix until green",
            "description": format!("Repairs a private copy of {} until `{}` passes.", self.source, self.command),
            "nodes": [
                node("task", "input", 0, 160, json!({
                    "label": "Task", "name": "task", "dataType": "text", "required": true,
                    "description": "What to do.", "default": self.task,
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
                node("exit", "exit", 820, 160, json!({ "label": "Exit" })),
                node("fixed", "output", 1080, 60, json!({ "label": "Fixed", "name": "fixed", "format": "text" })),
                node("unfixed", "output", 1080, 240, json!({ "label": "Not fixed", "name": "unfixed", "format": "text" })),
                node("changes", "output", 1080, 420, json!({ "label": "Changes", "name": "changes", "format": "json" })),
            ],
            "edges": [
                edge("task", "value", LOOP, "input"),
                edge(LOOP, "body", CHECK, "input"),
                edge(CHECK, "passed", "exit", "input"),
                edge(AGENT, "response", LOOP, "feedback"),
                edge("exit", "output", "fixed", "value"),
                edge("exit", "exhausted", "unfixed", "value"),
                edge(LOOP, "workspace", "changes", "value"),
            ],
        });
        for (list, more) in [("nodes", fixing), ("edges", to_fix)] {
            if let Some(list) = document[list].as_array_mut() {
                list.extend(more);
            }
        }
        Ok(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> FixUntilGreen {
        FixUntilGreen {
            source: "/home/me/project".to_owned(),
            base: "head".to_owned(),
            command: "npm test".to_owned(),
            repair: Repair::Agent {
                runner: "codex".to_owned(),
                env: Vec::new(),
            },
            then: None,
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

    /// A test case. The UI tests use the same cases for the UI's own implementation.
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        command: String,
        /// The program and its arguments; `None` if the command is invalid.
        words: Option<Vec<String>>,
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let table: Vec<Line> = serde_json::from_str(include_str!("split_command.json")).unwrap();
        assert!(!table.is_empty());
        for Line { command, words } in table {
            let split = split_command(&command).map(|(program, args)| {
                let mut words = vec![program];
                words.extend(args);
                words
            });
            match words {
                Some(words) => assert_eq!(split.unwrap(), words, "{command}"),
                None => assert_eq!(split.unwrap_err().code, Code::InvalidArgument, "{command}"),
            }
        }
    }

    #[test]
    fn the_flow_has_no_problems() {
        let model = Repair::Model {
            provider: "openai".to_owned(),
            model: "gpt-4.1".to_owned(),
        };
        let agent = settings().repair;
        for (command, repair, then) in [
            ("npm test", &agent, None),
            ("npm test", &model, None),
            ("npm test", &model, Some(&agent)),
            ("echo '{{ a }}' | grep {%", &agent, Some(&model)),
        ] {
            let settings = FixUntilGreen {
                command: command.to_owned(),
                repair: repair.clone(),
                then: then.cloned(),
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
