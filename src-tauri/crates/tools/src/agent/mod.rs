//! Coding-agent programs as tools: `agent:claude-code`, `agent:codex`, `agent:gemini`, and the programs that are added in
//! Settings.
//!
//! Agent nodes call them. Lists of tools do not show them. A program starts only in a folder, with arguments, permissions
//! and an environment that were approved word for word.

mod answer;
mod claude_usage;
pub(crate) mod format;

mod output;
mod passing;
mod process;
mod readers;
mod stream;
mod transcript;
mod usage_limit;

use std::{path::Path, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{CallDetail, Names, Tool, ToolContext, ToolInfo},
    trust::{ANY, CommandLine, Need, NeedKind, Secrets, TrustLog, Word, is_computed},
};
use loopwright_model::{EffectClass, kind::Workspace};
use serde_json::{Map, Value, json};

use crate::{folders::Folders, program::Started};
use format::Format;
use stream::Stream;
use transcript::Transcript;

/// The default time limit of a program, in seconds.
const TIMEOUT: u64 = 30 * 60;
/// The maximum time limit of a program, in seconds.
const MAX_TIMEOUT: u64 = 6 * 60 * 60;

/// A program that works as an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    pub name: String,
    pub command: String,
    /// The arguments. `{sandbox}` is replaced by the name that the program has for the permission, and `{prompt}` by the
    /// prompt. If no argument contains `{prompt}`, the prompt goes to standard input. A prompt that begins with `-` is
    /// passed as a separate argument only after `--`.
    pub args: Vec<String>,
    /// The arguments added to resume a session, with `{session}` in them. Empty if the program cannot resume.
    pub resume: Vec<String>,
    /// Whether `resume` precedes `args`, like a subcommand.
    pub resume_first: bool,
    pub format: Format,
    /// The program's names for its three permissions: read only, the working folder, everything.
    pub sandboxes: [String; 3],
    /// The names of environment variables that the program receives in addition to those that every program needs.
    pub env: Vec<String>,
}

fn texts<const N: usize>(given: [&str; N]) -> Vec<String> {
    given.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns the built-in programs.
pub fn bundled_runners() -> Vec<Runner> {
    let sandboxes = |read: &str, folder: &str, all: &str| [read, folder, all].map(str::to_owned);
    vec![
        Runner {
            name: "claude-code".to_owned(),
            command: "claude".to_owned(),
            args: texts([
                "-p",
                "--output-format",
                "stream-json",
                // The program refuses to stream without this option.
                "--verbose",
                "--permission-mode",
                "{sandbox}",
            ]),
            resume: texts(["--resume", "{session}"]),
            resume_first: false,
            format: Format::ClaudeCode,
            sandboxes: sandboxes("plan", "acceptEdits", "bypassPermissions"),
            env: Vec::new(),
        },
        Runner {
            name: "codex".to_owned(),
            command: "codex".to_owned(),
            args: texts([
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--sandbox",
                "{sandbox}",
            ]),
            resume: texts(["resume", "{session}", "-"]),
            resume_first: false,
            format: Format::Codex,
            sandboxes: sandboxes("read-only", "workspace-write", "danger-full-access"),
            env: Vec::new(),
        },
        Runner {
            name: "gemini".to_owned(),
            command: "gemini".to_owned(),
            args: texts([
                "--output-format",
                "stream-json",
                // The user approved the folder in Loopwright, and the program's own question about trust would remain
                // unanswered.
                "--skip-trust",
                "--approval-mode",
                "{sandbox}",
            ]),
            resume: texts(["--resume", "{session}"]),
            resume_first: false,
            format: Format::Gemini,
            sandboxes: sandboxes("default", "auto_edit", "yolo"),
            env: Vec::new(),
        },
    ]
}

#[derive(Debug, Clone)]
pub(crate) struct Agent {
    runner: Runner,
    folders: Folders,
    secrets: Secrets,
}

/// The error code, and the code of the warning, if an agent has no session with the given id. Some agents keep sessions for each
/// folder, so a fork in another private copy cannot continue them.
pub(crate) const SESSION_LOST: &str = "agent_session_lost";

/// The field of an answer that is true if the turn could not continue its session and began a new one.
const NEW_SESSION: &str = "newSession";

/// A call whose arguments have been checked.
struct Call {
    cwd: std::path::PathBuf,
    sandbox: usize,
    env: Vec<String>,
    prompt: String,
    session: Option<String>,
    timeout: u64,
}

pub(crate) fn bad(words: impl Into<String>) -> NodeError {
    NodeError::new("tool_bad_arguments", words)
}

pub(crate) fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    args.get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
}

fn sandbox(args: &Map<String, Value>) -> Result<usize, NodeError> {
    match text(args, "sandbox").unwrap_or("workspace") {
        "read_only" => Ok(0),
        "workspace" => Ok(1),
        "full" => Ok(2),
        other => Err(bad(format!(
            "`sandbox` must be `read_only`, `workspace` or `full`, not `{other}`."
        ))),
    }
}

pub(crate) fn names(args: &Map<String, Value>) -> Vec<String> {
    let list = args.get("env").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

impl Agent {
    pub(crate) fn new(runner: Runner, folders: &Folders, secrets: &Secrets) -> Self {
        Self {
            runner,
            folders: folders.clone(),
            secrets: secrets.clone(),
        }
    }

    /// Returns a copy of this tool that works in these folders.
    fn in_folders(&self, folders: Folders) -> Self {
        Self {
            folders,
            ..self.clone()
        }
    }

    /// Returns whether Loopwright's confinement enforces the permission to change only the working folder. The program may
    /// then run commands without asking, because its commands cannot write elsewhere either.
    fn is_confined(&self, sandbox: usize) -> bool {
        sandbox == 1 && self.folders.confines()
    }

    /// Returns the program's name for a permission. If Loopwright confines the program, Codex and Gemini get their permission
    /// for everything. Codex cannot set up its own sandbox inside Loopwright's, which has the same limits. Gemini lacks a
    /// permission that allows editing files and running commands in one folder only.
    fn permission(&self, sandbox: usize) -> &str {
        let has_no_other = matches!(self.runner.format, Format::Codex | Format::Gemini);
        let given = if has_no_other && self.is_confined(sandbox) {
            2
        } else {
            sandbox
        };
        &self.runner.sandboxes[given]
    }

    /// Returns the arguments for a permission. `{session}` and `{prompt}` are not replaced.
    fn args(&self, sandbox: usize) -> Vec<String> {
        let args = self.runner.args.iter();
        let mut args: Vec<String> = args
            .map(|word| word.replace("{sandbox}", self.permission(sandbox)))
            .collect();
        if self.runner.format == Format::ClaudeCode && self.is_confined(sandbox) {
            args.push("--allowedTools=Bash".to_owned());
        }
        args
    }

    /// Returns what must be approved: the command, word for word, with its folder, and every environment variable.
    fn wants(&self, cwd: &Path, sandbox: usize, env: &[String]) -> Vec<Need> {
        let shown = |words: &[String]| -> Vec<String> {
            words
                .iter()
                .map(|word| word.replace("{sandbox}", self.permission(sandbox)))
                .collect()
        };
        let args = self.args(sandbox).into_iter().map(Word::One);
        let resume = shown(&self.runner.resume);
        // The arguments added on resume are part of the command, and are shown in their actual position.
        let resume = (!resume.is_empty()).then_some(Word::Resumed(resume));
        let command = std::iter::once(Word::One(self.runner.command.clone()));
        let words: Vec<Word> = if self.runner.resume_first {
            command.chain(resume).chain(args).collect()
        } else {
            command.chain(args).chain(resume).collect()
        };
        let may = [
            "may read files",
            "may change files in its folder",
            "may do anything that you can do",
        ];
        let command = CommandLine::new(words, self.folders.shown(cwd));
        let detail = match (self.folders.copied.is_some(), sandbox) {
            (true, 1 | 2) => format!(
                "the agent {}: it {}",
                self.runner.name,
                self.folders.what_programs_may()
            ),
            _ => format!("the agent {}: it {}", self.runner.name, may[sandbox]),
        };
        std::iter::once(Need::command(&command).detail(detail))
            .chain(env.iter().map(|name| self.key(name)))
            .collect()
    }

    /// Returns the approval needed to pass an environment variable to the program.
    fn key(&self, name: &str) -> Need {
        let need = Need::key(name, &format!("agent:{}", self.runner.name));
        if need.can_be_granted() {
            return need.detail(format!("given to {}", self.runner.name));
        }
        need.detail(format!(
            "the keys passed to {} are not known until the flow runs, so only keys that are approved by name can be used",
            self.runner.name
        ))
    }

    fn env(&self, args: &Map<String, Value>) -> Vec<String> {
        let mut env = self.runner.env.clone();
        for name in names(args) {
            if !env.contains(&name) {
                env.push(name);
            }
        }
        env
    }

    fn read(&self, input: Option<&Value>, args: &Map<String, Value>) -> Result<Call, NodeError> {
        let prompt = text(args, "prompt").or_else(|| input.and_then(Value::as_str));
        let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
        let session = text(args, "session").map(str::to_owned);
        // The program would read a session id that begins with a dash as an option.
        if session
            .as_deref()
            .is_some_and(|session| session.starts_with('-'))
        {
            return Err(bad(
                "`session` is invalid: a session id cannot begin with a dash.",
            ));
        }
        let cwd = self.folders.locate(text(args, "cwd"))?;
        self.folders.refuse_own(&cwd)?;
        Ok(Call {
            cwd,
            sandbox: sandbox(args)?,
            env: self.env(args),
            prompt: prompt
                .ok_or_else(|| {
                    bad("There is no prompt. Write one in `prompt`, or wire the node's input.")
                })?
                .to_owned(),
            session,
            timeout: match args.get("timeout").filter(|timeout| !timeout.is_null()) {
                None => TIMEOUT,
                Some(timeout) => timeout
                    .as_u64()
                    .filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds))
                    .ok_or_else(|| {
                        bad(format!(
                            "`timeout` must be a whole number of seconds from 1 to {MAX_TIMEOUT}."
                        ))
                    })?,
            },
        })
    }

    fn check(&self, call: &Call, trust_log: &TrustLog) -> Result<(), NodeError> {
        for need in self.wants(&call.cwd, call.sandbox, &call.env) {
            if !self.folders.grants.cover(&need) {
                return Err(trust_log.refuse(
                    &need,
                    format!(
                        "The agent {} was not started: this flow may not use `{}`. {}",
                        self.runner.name,
                        need.item(),
                        need.how_to_allow()
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Returns the arguments of one call, and whether one of them contains the prompt.
    fn words(&self, call: &Call) -> Result<(Vec<String>, bool), NodeError> {
        let resume: Vec<&String> = match call.session {
            Some(_) => self.runner.resume.iter().collect(),
            None => Vec::new(),
        };
        let args = self.args(call.sandbox);
        let args = args.iter();
        let words: Vec<&String> = if self.runner.resume_first {
            resume.into_iter().chain(args).collect()
        } else {
            args.chain(resume).collect()
        };
        let (mut by_argument, mut options_end) = (false, false);
        let mut all = Vec::with_capacity(words.len());
        for word in words {
            options_end |= word == "--";
            let word = word
                .replace("{sandbox}", self.permission(call.sandbox))
                .replace("{session}", call.session.as_deref().unwrap_or_default());
            // The prompt is inserted last, so that placeholders inside it are not replaced.
            all.push(if word.contains("{prompt}") {
                by_argument = true;
                if word.starts_with("{prompt}") && call.prompt.starts_with('-') && !options_end {
                    return Err(self.prompt_is_an_option());
                }
                word.replace("{prompt}", &call.prompt)
            } else {
                word
            });
        }
        Ok((all, by_argument))
    }

    fn prompt_is_an_option(&self) -> NodeError {
        bad(format!(
            "The agent {} was not started: the prompt begins with `-`, so as a separate argument it would be read as an \
             option. In Settings, write `--` before `{{prompt}}` if the program supports that, write the argument as \
             `--prompt={{prompt}}`, or leave `{{prompt}}` out, so that the prompt goes to standard input.",
            self.runner.name
        ))
    }

    /// Runs one turn. If the agent no longer has the session that the turn continues, runs the turn in a new session.
    async fn work(&self, mut call: Call, cx: &ToolContext) -> Result<Value, NodeError> {
        let lost = match self.turn(&call, cx).await {
            Err(error) if call.session.is_some() && error.code == SESSION_LOST => error,
            done => return done,
        };
        cx.printed.warn(
            SESSION_LOST,
            format!("{} The turn was run in a new session.", lost.message),
        );
        call.session = None;
        let mut said = self.turn(&call, cx).await?;
        said[NEW_SESSION] = json!(true);
        Ok(said)
    }

    async fn turn(&self, call: &Call, cx: &ToolContext) -> Result<Value, NodeError> {
        let name = &self.runner.name;
        let trust_log = &cx.trust_log;
        let mut env = Vec::new();
        for variable in &call.env {
            let purpose = format!("The agent {name}");
            let secret = self.secrets.get(variable, &purpose, trust_log)?;
            env.push((variable.clone(), secret));
        }
        if !call.cwd.is_dir() {
            return Err(NodeError::new(
                "no_folder",
                format!(
                    "There is no folder {} for the agent {name}. Create it, or name another one in `cwd`.",
                    call.cwd.display()
                ),
            ));
        }
        let (words, by_argument) = self.words(call)?;
        let command = self.runner.command.clone().into();
        let limits = self.folders.limits(&call.cwd, Some(name), cx).await?;
        let started = Started::new(command, &words, &call.cwd, &env, limits.as_ref())
            .await
            .map_err(|error| NodeError::new("agent_not_started", format!(
                "The agent {name} could not be started with `{}`: {error}. Install the agent, or correct its command in Settings.",
                self.runner.command
            )))?;
        let stdin = if by_argument {
            String::new()
        } else {
            call.prompt.clone()
        };
        let redactor = self.secrets.redactor();
        let transcript = Transcript::new(cx.transcript.clone(), Arc::clone(&redactor), &call.cwd);
        let stream = Stream::new(&self.runner.format, Arc::clone(&redactor), transcript);
        let ended = process::finish(started, stdin, redactor, stream);
        let ended = tokio::time::timeout(Duration::from_secs(call.timeout), ended)
            .await
            .map_err(|_| {
                NodeError::new(
                    "timeout",
                    format!(
                        "The agent {name} took longer than {} s and was stopped. Raise `timeout`, or give the agent a smaller task.",
                        call.timeout
                    ),
                )
            })?
            .map_err(|error| {
                NodeError::new(
                    "agent_failed",
                    format!("The agent {name} stopped unexpectedly: {error}."),
                )
            })?;
        self.folders.check(limits, cx).await?;
        let said = self.runner.format.read(name, &ended)?;
        // A secret may be split between pieces of a message, so only the whole answer can be redacted reliably.
        Ok(self.secrets.redact_value(said))
    }
}

impl Tool for Agent {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: format!("agent:{}", self.runner.name),
            title: format!("Agent {}", self.runner.name),
            summary: format!(
                "Runs `{}` and returns `{{ response, sessionId, usage }}`.",
                self.runner.command
            ),
            args: json!({
                "type": "object",
                "properties": {
                    "prompt": { "type": "string" }, "cwd": { "type": "string" }, "session": { "type": "string" },
                    "sandbox": { "enum": ["read_only", "workspace", "full"], "default": "workspace" },
                    "env": { "type": "array", "items": { "type": "string" } },
                    "timeout": { "type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT, "default": TIMEOUT }
                },
                // Lets validation report an agent that cannot keep sessions before a run.
                "x-resumes": !self.runner.resume.is_empty()
            }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Writes
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![
            ("prompt", Names::Nothing),
            ("cwd", Names::Folder),
            ("session", Names::Nothing),
            ("sandbox", Names::Program),
            ("env", Names::Key),
            ("timeout", Names::Nothing),
        ]
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        let computed = |name: &str| text(args, name).is_some_and(is_computed);
        let whole = text(args, "env").filter(|text| is_computed(text));
        let env: Vec<String> = self
            .env(args)
            .into_iter()
            .map(|name| {
                if is_computed(&name) {
                    ANY.to_owned()
                } else {
                    name
                }
            })
            .chain(whole.map(|_| ANY.to_owned()))
            .collect();
        if computed("cwd") || computed("sandbox") {
            let command = Need::new(NeedKind::Command, ANY).detail(format!(
                "the agent {}: its folder or permission is not known until the flow runs, so only an exact command line that is approved can be used",
                self.runner.name
            ));
            let keys = env.iter().map(|name| self.key(name));
            return std::iter::once(command).chain(keys).collect();
        }
        let sandbox = sandbox(args).unwrap_or(2);
        let cwd = self.folders.locate(text(args, "cwd"));
        self.wants(cwd.as_deref().unwrap_or(Path::new(".")), sandbox, &env)
    }

    fn needs_in_workspace(&self, args: &Map<String, Value>, workspace: Workspace<'_>) -> Vec<Need> {
        match self.folders.in_copy_of(workspace) {
            Ok(folders) => self.in_folders(folders).needs(args),
            Err(_) => self.needs(args),
        }
    }

    fn describe_call(
        &self,
        input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        let call = self.read(input, args)?;
        let may = [
            "read files",
            "change files in the folder",
            "do anything that you can do",
        ];
        let mut details = vec![
            CallDetail::one("Agent", self.runner.name.clone()),
            CallDetail::one("May", may[call.sandbox]),
            CallDetail::one("Folder", self.folders.described(&call.cwd)),
            CallDetail::new("Environment and keys", call.env),
            CallDetail::one("Prompt", call.prompt),
        ];
        if let Some(session) = call.session {
            details.push(CallDetail::one("Session", session));
        }
        Ok(details)
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        let mut fixed = args.clone();
        fixed.remove("prompt");
        fixed.remove("session");
        Some(Value::Object(fixed))
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let agent = self.clone();
        Box::pin(async move {
            let agent = agent.in_folders(agent.folders.around(&cx)?);
            let call = agent.read(input.as_ref(), &args)?;
            agent.check(&call, &cx.trust_log)?;
            if call.session.is_some() && agent.runner.resume.is_empty() {
                return Err(bad(format!(
                    "The agent {} cannot resume a session. Set `session` to `fresh`.",
                    agent.runner.name
                )));
            }
            tokio::select! {
                // Dropping the future stops the program and everything that it started.
                done = agent.work(call, &cx) => done,
                () = cx.cancel.cancelled() => Err(NodeError::new("cancelled", "The agent was stopped.")),
            }
        })
    }
}
