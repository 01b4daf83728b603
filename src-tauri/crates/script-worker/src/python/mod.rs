//! Reads Python, and runs it in Monty, an interpreter without access to the system.

pub(crate) mod names;
mod outline;
mod script;
mod shims;
mod value;

use std::{borrow::Cow, sync::atomic::Ordering, time::Duration};

use monty::{MontyRepl, MontyRun, ReplProgress, ReplStartError};
use monty_types::{
    AssertMessageAnnotations, BASELINE_MEMORY, CompileOptions, ExcType, ExtFunctionResult,
    MontyException, MontyObject, NameLookupResult, PrintWriter, PrintWriterCallback,
    ResourceLimits, ResourceTracker,
};
use serde_json::{Map, Value};

use crate::{
    Failure, Limits, Logs, Mistake, Outcome,
    ended::{no_json, result_too_large},
    value::{NoJson, is_identifier},
};

pub(crate) use self::outline::outline;

use self::script::Script;

/// Words that cannot be names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// The name of the script in traces.
const FILE: &str = "script";

/// The time limit for finding out which line a script was running when it exceeded a limit.
const READS_WITHIN: Duration = Duration::from_millis(20);

const OPTIONS: CompileOptions = CompileOptions {
    assert_message_annotations: AssertMessageAnnotations::Off,
};

/// Runs `source` as the body of a function with the parameters `values`. The script runs on the calling thread, which needs a few
/// MB of stack.
pub(crate) fn run(source: &str, values: &Map<String, Value>, limits: Limits) -> Outcome {
    let mut printed = Printed(Logs::new(limits.result));
    let result = evaluate(source, values, limits, &mut printed);
    printed.0.ended(result)
}

fn evaluate(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    printed: &mut Printed,
) -> Result<Value, Failure> {
    let tree = script::parse(source)?;
    let (names, values): (Vec<&str>, Vec<MontyObject>) = values
        .iter()
        .filter(|(name, _)| {
            source.contains(name.as_str())
                && is_identifier(name, false)
                && !KEYWORDS.contains(&name.as_str())
        })
        .map(|(name, value)| (name.as_str(), value::to_python(value)))
        .unzip();
    let script = Script::new(source, &tree, &names);
    let tracker = ResourceTracker::new(
        ResourceLimits::default()
            .max_duration(limits.time)
            .max_memory(limits.memory),
    );
    let values = names.iter().map(|name| (*name).to_owned()).zip(values);
    let session = MontyRepl::new(FILE, tracker, OPTIONS);
    let mut progress = session.feed_start(
        &script.text,
        values.collect(),
        PrintWriter::Callback(printed),
    );
    let returned = loop {
        let writer = PrintWriter::Callback(printed);
        progress = match progress {
            Ok(ReplProgress::Complete { value, .. }) => break value,
            Ok(ReplProgress::OsCall(call)) => {
                let refused = MontyException::new(
                    ExcType::PermissionError,
                    Some(unreachable(call.function_call.name())),
                );
                call.resume(refused, writer)
            }
            Ok(ReplProgress::NameLookup(name)) => name.resume(NameLookupResult::Undefined, writer),
            Ok(ReplProgress::FunctionCall(call)) => {
                let name = call.function_name.clone();
                call.resume(ExtFunctionResult::NotFound(name), writer)
            }
            Ok(ReplProgress::ResolveFutures(futures)) => {
                let message = "the script awaits a result that never arrives, because scripts have no timers and no network. \
                     Remove the `await`";
                let refused = MontyException::runtime_error(message);
                futures.abort(refused, writer)
            }
            Err(ended) => return Err(raised(&script, *ended, limits)),
        };
    };
    value::from_python(returned, limits.result).map_err(|error| match error {
        NoJson::Is(why) => no_json(why),
        NoJson::TooLarge => result_too_large(limits),
    })
}

/// Checks a script with the interpreter's compiler, without running it.
fn compile(script: &Script, names: &[&str]) -> Result<(), Mistake> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    MontyRun::new(script.text.clone(), FILE, names, OPTIONS)
        .map(|_| ())
        .map_err(|exception| {
            let place = place(script, &exception);
            Mistake {
                line: place.map_or(1, |(line, _)| line),
                column: place.map(|(_, column)| column),
                message: missing(&exception).unwrap_or_else(|| sentence(&exception.summary())),
            }
        })
}

/// Returns the message about a construct that the interpreter lacks, or `None` if the exception has another cause.
fn missing(exception: &MontyException) -> Option<String> {
    let construct = exception
        .message()?
        .strip_prefix("The monty syntax parser does not yet support ")?;
    Some(format!(
        "Python scripts cannot use {construct}. Write it in another way."
    ))
}

/// Returns the line and column of the innermost place in the script at which an exception was raised, or `None` if that
/// place is not in the script.
fn place(script: &Script, exception: &MontyException) -> Option<(usize, usize)> {
    exception.traceback().iter().rev().find_map(|frame| {
        let (line, column) = (frame.start.line as usize, frame.start.column as usize);
        script.place(line, column)
    })
}

fn sentence(text: &str) -> String {
    let text: String = text.trim().chars().take(2000).collect();
    format!("{}.", text.trim_end_matches('.'))
}

/// Converts an uncaught exception of the script to a failure.
fn raised(script: &Script, ended: ReplStartError, limits: Limits) -> Failure {
    let ReplStartError {
        repl: mut session,
        error: exception,
    } = ended;
    let mut place = place(script, &exception);
    let message = exception.message().unwrap_or_default();
    let failure = match exception.exc_type() {
        ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
            Failure::time(limits)
        }
        ExcType::MemoryError if message.starts_with("memory limit exceeded") => {
            Failure::memory(limits)
        }
        ExcType::SyntaxError => Failure::new("script_syntax", sentence(&exception.summary())),
        _ => match missing(&exception) {
            Some(message) => Failure::new("script_syntax", message),
            None => Failure::new("script_failed", sentence(&exception.summary())),
        },
    };
    if failure.code == "script_limit" && place.is_none() {
        // If the limit was exceeded between two steps of the script, the exception has no place. The script has recorded the
        // line of the function or loop body that it entered last.
        BASELINE_MEMORY.store(usize::MAX, Ordering::Relaxed);
        session.tracker_mut().set_max_duration(READS_WITHIN);
        let line = session.feed_run(script::LINE, Vec::new(), PrintWriter::Disabled);
        if let Ok(MontyObject::Int(line)) = line
            && let Ok(line) = usize::try_from(line)
            && line > 0
        {
            place = Some((line, 0));
        }
    }
    Failure {
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column).filter(|column| *column > 0),
        ..failure
    }
}

/// Returns the message about an attempt to use files, the network or another part of the system.
fn unreachable(function: &str) -> String {
    let what = if function.contains("now") || function.contains("today") {
        "a script has no clock. Pass the time as an input"
    } else {
        "a script has no access to files, the environment or the network. Pass what it needs as an input"
    };
    format!("`{function}` is not available: {what}")
}

/// A writer of printed text to the logs.
struct Printed(Logs);

impl Printed {
    fn write(&mut self, text: &str) -> Result<(), MontyException> {
        self.0
            .write(text)
            .map_err(|full| MontyException::new(ExcType::MemoryError, Some(full.message)))
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.write(&output)
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.write(end.encode_utf8(&mut [0; 4]))
    }
}
