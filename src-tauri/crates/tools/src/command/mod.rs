//! `command`: runs a program and returns what it printed.
//!
//! A program runs only if its command line as written in the flow, its folder and the names of its environment variables
//! were approved word for word. No shell is involved: the program receives each argument unchanged.

mod report;
mod run;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use cap_std::{ambient_authority, fs::Dir};
use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{CallDetail, Names, Tool, ToolContext, ToolInfo},
    trust::{ANY, CommandLine, Need, NeedKind, Secrets, Word, is_computed},
};
use loopwright_model::{EffectClass, kind::Workspace, value::to_text};
use loopwright_test_reports::Format;
use serde_json::{Map, Value, json};

use crate::{
    agent::{bad, names, text},
    folders::{Folders, Open},
};
use report::{Reads, decoded};
use run::{Ended, Start};

/// The name of the tool.
const NAME: &str = "command";
/// The default time limit of a program, in seconds.
const TIMEOUT: u64 = 10 * 60;
/// The maximum time limit of a program, in seconds.
const MAX_TIMEOUT: u64 = 6 * 60 * 60;
/// The default number of bytes that are kept from each output stream.
const OUTPUT: usize = 1024 * 1024;
/// The maximum number of bytes that are kept from each output stream.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;
/// The maximum size of a report file that is read, in bytes.
const MAX_REPORT: u64 = 16 * 1024 * 1024;
/// The tolerance when comparing a file's time with the start of its program, because file systems round times.
const ROUNDING: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
pub(crate) struct Command {
    folders: Folders,
    secrets: Secrets,
}

/// A call whose arguments have been checked.
struct Call {
    program: String,
    args: Vec<String>,
    cwd: PathBuf,
    env: Vec<String>,
    stdin: String,
    timeout: u64,
    max_output: usize,
    ok: Vec<i64>,
    reads: Reads,
    report_file: Option<String>,
}

/// Returns the items of a list argument, or an empty slice for any other value.
fn items<'a>(args: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    args.get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Converts an argument for the program: a string unchanged, any other value as text or JSON.
fn argument(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => to_text(other),
    }
}

/// Returns whether the program, the folder or the whole list of arguments is computed during the run and therefore unknown
/// before it.
fn is_open(args: &Map<String, Value>) -> bool {
    let computed = |name: &str| text(args, name).is_some_and(is_computed);
    // The items of a list are visible in the flow. Any other value of `args` is computed during the run.
    let whole = args
        .get("args")
        .is_some_and(|list| !list.is_array() && !list.is_null());
    computed("program") || computed("cwd") || whole
}

fn whole_number(
    args: &Map<String, Value>,
    name: &str,
    most: u64,
) -> Result<Option<u64>, NodeError> {
    match args.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value
            .as_u64()
            .filter(|number| (1..=most).contains(number))
            .map(Some)
            .ok_or_else(|| bad(format!("`{name}` must be a whole number from 1 to {most}."))),
    }
}

/// Rejects a zero byte, which the system treats as the end of an argument.
fn without_nul(what: &str, text: &str) -> Result<(), NodeError> {
    match text.contains('\0') {
        false => Ok(()),
        true => Err(bad(format!(
            "{what} contains a zero byte (NUL), which cannot be passed to a program. Remove it, or pass the text through `stdin`."
        ))),
    }
}

impl Command {
    pub(crate) fn new(folders: &Folders, secrets: &Secrets) -> Self {
        Self {
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

    /// Returns what must be approved for these arguments, rendered or as written in the flow.
    fn wants(&self, args: &Map<String, Value>) -> Vec<Need> {
        let program = text(args, "program").unwrap_or_default();
        let keys = names(args).into_iter().map(|name| {
            if is_computed(&name) {
                return self.key(ANY, program);
            }
            self.key(&name, program)
        });
        let open = args
            .get("env")
            .is_some_and(|env| !env.is_array() && !env.is_null());
        let keys = keys.chain(open.then(|| self.key(ANY, program)));
        let command = if is_open(args) {
            Need::new(NeedKind::Command, ANY).detail(
                "a program whose name, arguments or folder are not known until the flow runs, so only an exact command line that is approved can run",
            )
        } else {
            let words: Vec<String> = items(args, "args").iter().map(argument).collect();
            let cwd = self.folders.locate(text(args, "cwd"));
            let cwd = cwd.as_deref().unwrap_or(Path::new("."));
            let may = self.folders.what_programs_may();
            let detail = if words.iter().any(|word| is_computed(word)) {
                format!(
                    "a program that {may}; the value of each {{{{ … }}}} is not known until the flow runs, and is passed as one argument"
                )
            } else {
                format!("a program that {may}")
            };
            let line = std::iter::once(program.to_owned()).chain(words);
            let line = CommandLine::new(line.map(Word::One), self.folders.shown(cwd));
            Need::command(&line).detail(detail)
        };
        std::iter::once(command).chain(keys).collect()
    }

    /// Returns the approval needed to pass an environment variable to the program.
    fn key(&self, name: &str, program: &str) -> Need {
        let to = if program.is_empty() || is_computed(program) {
            ANY.to_owned()
        } else {
            format!("{NAME}:{program}")
        };
        let need = Need::key(name, &to);
        if need.can_be_granted() {
            need.detail(format!("given to `{program}`"))
        } else {
            need.detail("the keys passed to programs are not known until the flow runs, so only keys that are approved by name can be used")
        }
    }

    fn read(&self, args: &Map<String, Value>) -> Result<Call, NodeError> {
        let program = text(args, "program").ok_or_else(|| {
            bad("There is no `program`. Write its name, such as `python3`, or its full path.")
        })?;
        let list = match args.get("args") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(list)) => list,
            Some(_) => {
                return Err(bad(
                    "`args` must be a list with one string for each argument.",
                ));
            }
        };
        let words: Vec<String> = list.iter().map(argument).collect();
        without_nul("`program`", program)?;
        for (at, word) in words.iter().enumerate() {
            without_nul(&format!("Argument {} of `{program}`", at + 1), word)?;
        }
        let ok: Vec<i64> = match args.get("okExitCodes").filter(|codes| !codes.is_null()) {
            None => vec![0],
            Some(codes) => codes
                .as_array()
                .and_then(|codes| codes.iter().map(Value::as_i64).collect())
                .ok_or_else(|| {
                    bad("`okExitCodes` must be a list of whole numbers, such as [0, 1].")
                })?,
        };
        let reads = match text(args, "report").unwrap_or("none") {
            "none" => Reads::Nothing,
            "auto" => Reads::Any,
            name => Reads::One(Format::named(name).ok_or_else(|| {
                let known: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
                bad(format!(
                    "`report` must be `auto`, `none`, or one of {}, not `{name}`.",
                    known.join(", ")
                ))
            })?),
        };
        let cwd = self.folders.locate(text(args, "cwd"))?;
        self.folders.refuse_own(&cwd)?;
        let max_output = whole_number(args, "maxOutput", MAX_OUTPUT as u64)?;
        Ok(Call {
            program: program.to_owned(),
            args: words,
            cwd,
            env: names(args),
            stdin: args.get("stdin").map(argument).unwrap_or_default(),
            timeout: whole_number(args, "timeout", MAX_TIMEOUT)?.unwrap_or(TIMEOUT),
            max_output: max_output
                .and_then(|bytes| usize::try_from(bytes).ok())
                .unwrap_or(OUTPUT),
            ok,
            reads,
            report_file: text(args, "reportFile").map(str::to_owned),
        })
    }

    /// Checks that the user approved `args`: either these exact values, or the templates in the flow from which they were
    /// rendered.
    fn check(&self, args: &Map<String, Value>, cx: &ToolContext) -> Result<(), NodeError> {
        let lacks = |needs: Vec<Need>| {
            let mut needs = needs.into_iter();
            needs.find(|need| !self.folders.grants.cover(need))
        };
        let written = cx.written.as_ref();
        let written = written.filter(|written| is_rendered(written, args));
        let lacking = match written {
            Some(written) => lacks(self.wants(written)),
            None => lacks(self.wants(args)),
        };
        // Approval of the exact command line always suffices.
        let (Some(need), Some(_)) = (lacking, lacks(self.wants(args))) else {
            return Ok(());
        };
        Err(cx.trust_log.refuse(
            &need,
            format!(
                "`{}` was not started: this flow may not use `{}`. {}",
                text(args, "program").unwrap_or_default(),
                need.item(),
                need.how_to_allow()
            ),
        ))
    }

    async fn work(&self, call: Call, cx: &ToolContext) -> Result<Value, NodeError> {
        let Call { program, cwd, .. } = &call;
        let trust_log = &cx.trust_log;
        let mut env = cx.variables.clone();
        for variable in &call.env {
            let purpose = format!("The program `{program}`");
            let secret = self.secrets.get(variable, &purpose, trust_log)?;
            env.push((variable.clone(), secret));
        }
        if !cwd.is_dir() {
            return Err(NodeError::new(
                "no_folder",
                format!(
                    "There is no folder {} for `{program}`. Create it, or name another one in `cwd`.",
                    cwd.display()
                ),
            ));
        }
        let limits = self.folders.limits(cwd, None, cx).await?;
        let (began, before) = (Instant::now(), SystemTime::now());
        let start = Start {
            program,
            args: &call.args,
            cwd,
            env: &env,
            limits: limits.as_ref(),
        };
        let work = async {
            let running = start
                .start()
                .await
                .map_err(|error| not_started(program, &error))?;
            let redactor = self.secrets.redactor();
            run::finish(running, call.stdin.clone(), call.max_output, redactor)
                .await
                .map_err(|error| {
                    NodeError::new(
                        "command_failed",
                        format!("`{program}` stopped unexpectedly: {error}."),
                    )
                })
        };
        let ended = tokio::time::timeout(Duration::from_secs(call.timeout), work)
            .await
            .map_err(|_| {
                NodeError::new(
                    "timeout",
                    format!(
                        "`{program}` took longer than {} s and was stopped, together with everything that it started. Raise `timeout`, or give the \
                         program less to do.",
                        call.timeout
                    ),
                )
            })??;
        self.folders.check(limits, cx).await?;
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut value = result(&call, &ended, duration_ms);
        if call.reads != Reads::Nothing {
            let read = match &call.report_file {
                Some(file) => Some(self.report_file(&call, file, before)?),
                None => None,
            };
            let (report, hint) = report::read(call.reads, read, ended).await;
            value["report"] = report;
            if let Some(hint) = hint {
                value["reportHint"] = Value::String(hint);
            }
        }
        Ok(value)
    }

    /// Reads the report that the program wrote into its folder.
    fn report_file(
        &self,
        call: &Call,
        file: &str,
        before: SystemTime,
    ) -> Result<String, NodeError> {
        let Call { program, cwd, .. } = call;
        let missing = |why: String| {
            NodeError::new(
                "report_missing",
                format!(
                    "The report `{file}` of `{program}` in {} {why}. Check `reportFile`, and the argument that names the file.",
                    cwd.display()
                ),
            )
        };
        let dir = Dir::open_ambient_dir(cwd, ambient_authority())
            .map_err(|error| missing(format!("cannot be opened: {error}")))?;
        let folder = Open::new(dir, cwd.clone(), &self.folders);
        let path = folder.relative(file)?;
        folder.refuse_closed(&path)?;
        let about = folder
            .dir
            .metadata(&path)
            .map_err(|error| missing(format!("cannot be read: {error}")))?;
        if !about.is_file() {
            return Err(missing("is not a file".to_owned()));
        }
        if about.len() > MAX_REPORT {
            return Err(missing(format!(
                "is larger than {} MB",
                MAX_REPORT / 1024 / 1024
            )));
        }
        // A report from an earlier run does not apply to this one.
        let changed = about.modified().map(cap_std::time::SystemTime::into_std);
        if changed.is_ok_and(|changed| changed + ROUNDING < before) {
            return Err(missing(
                "is older than this run, so the program did not write it".to_owned(),
            ));
        }
        let bytes = folder
            .dir
            .read(&path)
            .map_err(|error| missing(format!("cannot be read: {error}")))?;
        Ok(self.secrets.redact(&decoded(&bytes)))
    }
}

/// Returns whether `args` can be a rendering of `written`: the program, the folder, the variables and all arguments without
/// a template must be the same. An argument with a template may have any value.
fn is_rendered(written: &Map<String, Value>, args: &Map<String, Value>) -> bool {
    let same = |name: &str| {
        let value =
            |of: &Map<String, Value>| of.get(name).filter(|value| !value.is_null()).cloned();
        value(written) == value(args)
    };
    let (then, now) = (items(written, "args"), items(args, "args"));
    let each = then.len() == now.len()
        && then
            .iter()
            .zip(now)
            .all(|(then, now)| then == now || then.as_str().is_some_and(is_computed));
    same("program") && same("cwd") && same("env") && each && !is_open(written) && !is_open(args)
}

fn not_started(program: &str, error: &std::io::Error) -> NodeError {
    use std::io::ErrorKind;
    let words = match error.kind() {
        ErrorKind::NotFound if program.contains(char::is_whitespace) => format!(
            "There is no program `{program}` on this computer: the whole text is read as one name. Put only the program into \
             `program`, and each of its arguments into `args`."
        ),
        ErrorKind::NotFound => format!(
            "There is no program `{program}` on this computer, or it is not on Loopwright's PATH. Install it, or write its full path in \
             `program`."
        ),
        ErrorKind::PermissionDenied => format!(
            "`{program}` cannot be run: {error}. Make the file executable, or write the program that runs it in `program`."
        ),
        ErrorKind::ArgumentListTooLong => format!(
            "The arguments of `{program}` are longer than this system allows. Pass the text through `stdin`, or in a file."
        ),
        _ => format!("`{program}` could not be started: {error}. Check `program`."),
    };
    NodeError::new("command_not_started", words)
}

fn result(call: &Call, ended: &Ended, duration_ms: u64) -> Value {
    let ok = ended
        .code
        .is_some_and(|code| call.ok.contains(&i64::from(code)));
    let mut value = json!({
        "ok": ok,
        "exitCode": ended.code,
        "signal": ended.signal,
        "stdout": ended.stdout.text,
        "stderr": ended.stderr.text,
        "durationMs": duration_ms,
        "truncated": ended.stdout.truncated || ended.stderr.truncated,
    });
    if ended.stdout.replaced || ended.stderr.replaced {
        value["replacedBytes"] = Value::Bool(true);
    }
    value
}

impl Tool for Command {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: NAME.to_owned(),
            title: "Run a program".to_owned(),
            summary: "Runs a program without a shell and returns its output and exit status: `{ ok, exitCode, signal, stdout, stderr, \
                      durationMs, truncated }`. You approve the command line, folder and environment variables before the run. The \
                      program ends with the node, together with every program that it started."
                .to_owned(),
            args: json!({
                "type": "object",
                "properties": {
                    "program": {
                        "type": "string",
                        "description": "A program on the `PATH`, or a path from the working folder, such as `./test.sh`."
                    },
                    "args": {
                        "type": "array", "items": { "type": "string" }, "x-widget": "templates",
                        "title": "Arguments",
                        "description": "One string per argument. No shell is involved, so arguments aren't split or expanded."
                    },
                    "cwd": {
                        "type": "string", "x-widget": "folder",
                        "title": "Working folder",
                        "description": "An absolute path, or a path from the workflow's own folder."
                    },
                    "env": {
                        "type": "array", "items": { "type": "string" }, "x-widget": "names",
                        "title": "Environment",
                        "description": "Names of the environment variables that the program receives. The program also receives the variables that every program needs, but no others."
                    },
                    "stdin": { "type": "string", "title": "Standard input", "description": "The program's standard input." },
                    "timeout": {
                        "type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT, "default": TIMEOUT,
                        "description": "The time limit in seconds."
                    },
                    "maxOutput": {
                        "type": "integer", "minimum": 1, "maximum": MAX_OUTPUT, "default": OUTPUT,
                        "title": "Max output",
                        "description": "The maximum size of standard output and of standard error, in bytes for each. If the output is larger, only its beginning and its end are kept."
                    },
                    "okExitCodes": {
                        "type": "array", "items": { "type": "integer" }, "default": [0], "x-widget": "names",
                        "title": "OK exit codes",
                        "description": "Exit codes that count as success. With these codes, `ok` is true."
                    },
                    "readOnly": {
                        "type": "boolean", "default": false,
                        "description": "Whether the program changes nothing. If so, an interrupted run may start it again without asking."
                    },
                    "report": {
                        "enum": report::names(), "default": "none",
                        "description": "Reads the output as a test report. The result then has a `report` of `{ format, failures, counts, failed }`, or null if none was found."
                    },
                    "reportFile": {
                        "type": "string",
                        "description": "A report file in the working folder. Without this argument, the report is read from the program's output."
                    }
                },
                "required": ["program"]
            }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Writes
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![
            ("program", Names::Program),
            ("args", Names::Program),
            ("cwd", Names::Folder),
            ("env", Names::Key),
            ("stdin", Names::Nothing),
            ("timeout", Names::Nothing),
            ("maxOutput", Names::Nothing),
            ("okExitCodes", Names::Nothing),
            ("readOnly", Names::Nothing),
            ("report", Names::Nothing),
            ("reportFile", Names::FileInside),
        ]
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        self.wants(args)
    }

    fn needs_in_workspace(&self, args: &Map<String, Value>, workspace: Workspace<'_>) -> Vec<Need> {
        match self.folders.in_copy_of(workspace) {
            Ok(folders) => self.in_folders(folders).wants(args),
            Err(_) => self.wants(args),
        }
    }

    fn describe_call(
        &self,
        _input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        let call = self.read(args)?;
        let mut details = vec![
            CallDetail::one("Program", call.program),
            CallDetail::new("Arguments", call.args),
            CallDetail::one("Folder", call.cwd.display().to_string()),
            CallDetail::new("Environment and keys", call.env),
        ];
        if !call.stdin.is_empty() {
            details.push(CallDetail::one("Standard input", call.stdin));
        }
        Ok(details)
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        Some(crate::subset(args, &["program", "args", "cwd", "env"]))
    }

    fn call(
        &self,
        _input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let command = self.clone();
        Box::pin(async move {
            let command = command.in_folders(command.folders.around(&cx)?);
            let call = command.read(&args)?;
            command.check(&args, &cx)?;
            tokio::select! {
                // Dropping the future stops the program and everything that it started.
                done = command.work(call, &cx) => done,
                () = cx.cancel.cancelled() => Err(NodeError::new("cancelled", "The program was stopped.")),
            }
        })
    }
}
