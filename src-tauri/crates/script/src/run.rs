//! Running a script: its values in, its result out, and every way in which it can go wrong.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mlua::{
    Function, MultiValue, Value as Luau, VmState,
    chunk::{ChunkMode, Compiler},
};
use serde_json::{Map, Value};

use crate::{
    Mistake, json, names,
    sandbox::{self, Sandbox},
    value::{self, NoJson},
    watch::{Halt, Halted, Watch},
};

/// What a script may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that Luau holds at once, the values that it is given included.
    pub memory: usize,
    pub time: Duration,
    /// Bytes of the result as JSON.
    pub result: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 * 1024 * 1024,
            time: Duration::from_secs(10),
            result: 8 * 1024 * 1024,
        }
    }
}

/// Ends a running script from outside. Clones end the same one.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a script gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `script_syntax` (before it ran), `script_failed` (an error in it), `script_limit` (memory, time, result),
    /// `script_result` (what it returned is no JSON), `cancelled`.
    pub code: &'static str,
    /// From 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong, without the line.
    pub message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self {
            code: "script_syntax",
            line: Some(mistake.line),
            message: mistake.message,
        }
    }
}

impl Failure {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            line: None,
            message: message.into(),
        }
    }
}

/// What Luau says when its memory is used up.
const NO_MEMORY: &str = "not enough memory";

/// Runs `source` with `values` as its globals, on the calling thread, which needs a few hundred KB of stack.
///
/// # Errors
/// See [`Failure`].
pub fn run(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Result<Value, Failure> {
    names(source)?;
    let watch = Watch::new(limits, stop.clone());
    let halted = || watch.halted();
    let broken = |error: mlua::Error| match error {
        mlua::Error::MemoryError(_) => failure(NO_MEMORY, None, halted(), limits),
        other => failure(&other.to_string(), None, halted(), limits),
    };
    let sandbox = Sandbox::new().map_err(broken)?;
    sandbox
        .lua
        .set_memory_limit(limits.memory)
        .map_err(broken)?;
    provide(&sandbox, values, &watch).map_err(broken)?;
    let interrupts = watch.clone();
    sandbox
        .lua
        .set_interrupt(move |lua| match interrupts.look(lua) {
            Ok(()) => Ok(VmState::Continue),
            Err(Halted) => Err(mlua::Error::runtime("halted")),
        });
    let compiler = Compiler::new().set_mutable_globals(values.keys().cloned());
    let chunk: Function = sandbox
        .lua
        .load(source)
        .set_name("=script")
        .set_mode(ChunkMode::Text)
        .set_compiler(compiler)
        .into_function()
        .map_err(broken)?;
    let returned: MultiValue = sandbox.call.call(chunk).map_err(broken)?;
    let mut returned = returned.into_iter();
    if !matches!(returned.next(), Some(Luau::Boolean(true))) {
        return Err(raised(&sandbox, returned.next(), &watch, limits));
    }
    let count = returned
        .next()
        .and_then(|count| count.as_usize())
        .unwrap_or_default();
    if count > 1 {
        return Err(Failure::new(
            "script_result",
            format!(
                "The script returns {count} values, and the result is one. Return a table of them, `return {{ a, b }}`, or the first \
                 alone, with brackets around the call: `return (f(x))`."
            ),
        ));
    }
    let result = returned.next().unwrap_or(Luau::Nil);
    // The script is done in time; what it gives is bounded by its size.
    let reading = watch.without_time();
    value::from_luau(&sandbox, &result, "result", limits.result, &reading).map_err(|error| {
        match error {
            NoJson::Is(why) => Failure::new(
                "script_result",
                format!("The script returns what is no JSON: {why}"),
            ),
            NoJson::Halted => failure("", None, reading.halted(), limits),
            NoJson::Memory => failure(NO_MEMORY, None, None, limits),
            NoJson::TooLarge => Failure::new(
                "script_limit",
                format!(
                    "The result has more than {} MB. Return less.",
                    limits.result / (1024 * 1024)
                ),
            ),
        }
    })
}

/// The script's globals, which it cannot change.
fn provide(sandbox: &Sandbox, values: &Map<String, Value>, watch: &Watch) -> mlua::Result<()> {
    let json = json::table(sandbox, watch)?;
    sandbox.lua.globals().raw_set("json", json)?;
    // What is there now, libraries too, is closed; the values come on top and may be changed within.
    sandbox.close()?;
    let globals = sandbox.lua.globals();
    globals.raw_set("null", Luau::NULL)?;
    for (name, value) in values {
        // A name of the language beats a value's.
        if !sandbox::LIBRARY.contains(&name.as_str()) {
            globals.raw_set(
                name.as_str(),
                value::to_luau(&sandbox.lua, &sandbox.marks, value)?,
            )?;
        }
    }
    globals.set_readonly(true);
    Ok(())
}

/// What a script that raised an error says.
fn raised(sandbox: &Sandbox, raised: Option<Luau>, watch: &Watch, limits: Limits) -> Failure {
    let (line, problem) = match &raised {
        Some(Luau::Table(trace)) => (
            trace.raw_get::<Option<usize>>("line").unwrap_or_default(),
            trace.raw_get::<Luau>("problem").unwrap_or(Luau::Nil),
        ),
        Some(other) => (None, other.clone()),
        None => (None, Luau::Nil),
    };
    let text = match &problem {
        Luau::Nil => "error() was called without a message".to_owned(),
        Luau::String(text) => text.to_string_lossy(),
        Luau::Error(error) => match &**error {
            mlua::Error::CallbackError { cause, .. } => cause.to_string(),
            other => other.to_string(),
        },
        // An error that is a value, with what is in it.
        value => match value::from_luau(sandbox, value, "error", 4096, watch) {
            Ok(Value::Object(fields)) if fields.get("message").is_some_and(Value::is_string) => {
                fields["message"].as_str().unwrap_or_default().to_owned()
            }
            Ok(value) => value.to_string(),
            Err(_) => format!("error() was called with a {}", value.type_name()),
        },
    };
    failure(&text, line, watch.halted(), limits)
}

fn failure(text: &str, line: Option<usize>, halted: Option<Halt>, limits: Limits) -> Failure {
    match halted {
        Some(Halt::Stopped) => return Failure::new("cancelled", "The script was stopped."),
        Some(Halt::Time(line)) => {
            return Failure {
                line,
                ..Failure::new(
                    "script_limit",
                    format!(
                        "The script ran for more than {} s. Look for a loop that does not end, or do less at once.",
                        limits.time.as_secs_f64()
                    ),
                )
            };
        }
        None => {}
    }
    let text = ["runtime error: ", "memory error: "]
        .iter()
        .find_map(|kind| text.strip_prefix(kind))
        .unwrap_or(text);
    let first = text.split("\nstack traceback:").next().unwrap_or(text);
    let (written, message) = sandbox::place(first);
    let line = written.or(line);
    if message == NO_MEMORY {
        return Failure {
            line,
            ..Failure::new(
                "script_limit",
                format!(
                    "The script and its values need more than {} MB of memory. Do less at once.",
                    limits.memory / (1024 * 1024)
                ),
            )
        };
    }
    let message: String = message.trim().chars().take(2000).collect();
    Failure {
        line,
        ..Failure::new(
            "script_failed",
            format!("{}.", message.trim_end_matches('.')),
        )
    }
}
