//! Reads Luau, and runs it in a sandbox in this process.

mod json;
pub(crate) mod names;
mod sandbox;
mod value;
mod walk;
mod watch;

use std::{cell::RefCell, rc::Rc};

use mlua::{
    Function, MultiValue, Value as Luau, VmState,
    chunk::{ChunkMode, Compiler},
};
use serde_json::{Map, Value};

use crate::{
    Failure, Language, Limits, Logs, Outcome, Stop,
    ended::{no_json, result_too_large},
    reading::read_once,
    reads_or_mistake,
};

use self::{
    sandbox::Sandbox,
    value::NoJson,
    watch::{Halt, Halted, Watch},
};

/// Luau's message when its memory is used up.
const NO_MEMORY: &str = "not enough memory";

/// Runs `source` with `values` as its globals, on the calling thread, which needs a few hundred KB of stack.
pub(crate) fn run(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Outcome {
    let logs = Rc::new(RefCell::new(Logs::new(limits.result)));
    let result = evaluate(source, values, limits, stop, &logs);
    logs.take().ended(result)
}

fn evaluate(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
    logs: &Rc<RefCell<Logs>>,
) -> Result<Value, Failure> {
    reads_or_mistake(&read_once(Language::Luau, source))?;
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
    provide(&sandbox, values, &watch, logs).map_err(broken)?;
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
                "The script returns {count} values, but a result is a single value. Return them in a table (`return {{ a, b }}`), or return only the first, with parentheses around the call (`return (f(x))`)."
            ),
        ));
    }
    let result = returned.next().unwrap_or(Luau::Nil);
    // The script finished in time. The conversion of its result needs no time limit, because the size of the result is
    // limited.
    let reading = watch.without_time();
    value::from_luau(&sandbox, &result, "result", limits.result, &reading).map_err(|error| {
        match error {
            NoJson::Is(why) => no_json(why),
            NoJson::Halted => failure("", None, reading.halted(), limits),
            NoJson::Memory => failure(NO_MEMORY, None, None, limits),
            NoJson::TooLarge => result_too_large(limits),
        }
    })
}

/// Sets the script's globals. The script cannot assign to them, but it can change the contents of their values.
fn provide(
    sandbox: &Sandbox,
    values: &Map<String, Value>,
    watch: &Watch,
    logs: &Rc<RefCell<Logs>>,
) -> mlua::Result<()> {
    let json = json::table(sandbox, watch)?;
    sandbox.lua.globals().raw_set("json", json)?;
    let (printed, kept) = (sandbox.print.clone(), logs.clone());
    let write = sandbox
        .lua
        .create_function(move |_, text: mlua::LuaString| {
            let mut logs = kept.borrow_mut();
            logs.write(&text.to_string_lossy())
                .and_then(|()| logs.write("\n"))
                .map_err(|full| mlua::Error::runtime(full.message))
        })?;
    let print: Function = printed.call(write)?;
    sandbox.lua.globals().raw_set("print", print)?;
    // The existing globals, including libraries, become read-only. The values are added afterwards, so the script can change
    // their contents.
    sandbox.close()?;
    let globals = sandbox.lua.globals();
    globals.raw_set("null", Luau::NULL)?;
    for (name, value) in values {
        // If a value has the name of a language function, the language function takes precedence.
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

/// Converts an error that the script raised to a failure.
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
        // The error is a value, whose content is shown.
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
                        "The script ran for more than {} s. Look for a loop that does not end, or process less data at a time.",
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
                    "The script and its values need more than {} MB of memory. Process less data at a time.",
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
