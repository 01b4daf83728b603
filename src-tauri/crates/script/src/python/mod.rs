//! Python: reading a script, and running it in Monty, an interpreter without access to anything.

pub(crate) mod names;
mod script;
mod shims;
mod value;

use std::borrow::Cow;

use monty::MontyRun;
use monty_types::{
    AssertMessageAnnotations, CompileOptions, ExcType, MontyException, MontyObject, PrintWriter,
    PrintWriterCallback, ResourceLimits, ResourceTracker,
};
use serde_json::{Map, Value};

use crate::{
    Failure, Limits, Logs, Mistake, Outcome,
    value::{NoJson, is_identifier},
};

use self::script::Script;

/// Words that name nothing.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

const OPTIONS: CompileOptions = CompileOptions {
    assert_message_annotations: AssertMessageAnnotations::Off,
};

/// Runs `source` as the body of a function whose parameters are `values`, on the calling thread, which needs a few MB of stack.
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
    let run = compile(&script, &names)?;
    let tracker = ResourceTracker::new(
        ResourceLimits::default()
            .max_duration(limits.time)
            .max_memory(limits.memory),
    );
    let returned = run
        .run(values, tracker, PrintWriter::Callback(printed))
        .map_err(|exception| raised(&script, &exception, limits))?;
    value::from_python(returned, limits.result).map_err(|error| match error {
        NoJson::Is(why) => Failure::no_json(why),
        NoJson::TooLarge => Failure::result_too_large(limits),
    })
}

fn compile(script: &Script, names: &[&str]) -> Result<MontyRun, Mistake> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    MontyRun::new(script.text.clone(), "script", names, OPTIONS).map_err(|exception| {
        let place = place(script, &exception);
        let message = exception.message().unwrap_or("it cannot be read");
        Mistake {
            line: place.map_or(1, |(line, _)| line),
            column: place.map(|(_, column)| column),
            message: match message.strip_prefix("The monty syntax parser does not yet support ") {
                Some(construct) => format!(
                    "The Python of scripts does not have {construct}. Write it in another way."
                ),
                None => sentence(&exception.summary()),
            },
        }
    })
}

/// Where in the script an exception was raised: its innermost place there.
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

fn raised(script: &Script, exception: &MontyException, limits: Limits) -> Failure {
    let place = place(script, exception);
    let message = exception.message().unwrap_or_default();
    let failure = match exception.exc_type() {
        ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
            Failure::time(limits)
        }
        ExcType::MemoryError if message.starts_with("memory limit exceeded") => {
            Failure::memory(limits)
        }
        ExcType::NotImplementedError if message.ends_with("with standard execution") => {
            Failure::new("script_failed", unreachable(message))
        }
        _ => Failure::new("script_failed", sentence(&exception.summary())),
    };
    Failure {
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        ..failure
    }
}

/// What to say of an attempt at the world outside.
fn unreachable(message: &str) -> String {
    let function = message.split('\'').nth(1).unwrap_or("this");
    let what = if function.contains("now") || function.contains("today") {
        "a script has no clock. Take the time as an input"
    } else {
        "a script reaches no files, no environment and no network. Take what it needs as an input"
    };
    format!("PermissionError: `{function}` is not available: {what}.")
}

/// What is printed goes to the logs.
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
