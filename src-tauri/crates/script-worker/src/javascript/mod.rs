//! Reads JavaScript, and runs it in QuickJS, an interpreter without access to the system.

pub(crate) mod names;
mod script;
mod value;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Instant,
};

use rquickjs::{
    Context, Ctx, Function, Runtime, Value as Js, context::EvalOptions, function::Args,
    promise::PromiseState,
};
use serde_json::{Map, Value};

use crate::{
    Failure, Limits, Logs, Outcome, Stop,
    ended::{no_json, result_too_large},
    value::{NoJson, is_identifier},
};

use self::{script::Script, value::Reader};

/// The size in bytes of the stack that a script may use. The stack of the thread is larger.
const STACK: usize = 4 * 1024 * 1024;

const PRELUDE: &str = include_str!("prelude.js");

/// The name of the script in traces.
const FILE: &str = "script";

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Runs `source` as the body of a function, inside another function whose parameters are `values`. The script runs on the
/// calling thread, which needs a stack that is a few MB larger than [`STACK`].
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

/// The reason why a script was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    Time,
    Stopped,
}

#[allow(clippy::disallowed_methods)]
fn evaluate(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
    logs: &Rc<RefCell<Logs>>,
) -> Result<Value, Failure> {
    let began = Instant::now();
    let script = names::prepare(source)?;
    let broken = |_| Failure::memory(limits);
    let runtime = Runtime::new().map_err(broken)?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(STACK);
    let halted = Rc::new(Cell::new(None));
    let (stop, noted) = (stop.clone(), halted.clone());
    runtime.set_interrupt_handler(Some(Box::new(move || {
        if noted.get().is_none() {
            if stop.is_stopped() {
                noted.set(Some(Halt::Stopped));
            } else if began.elapsed() > limits.time {
                noted.set(Some(Halt::Time));
            }
        }
        noted.get().is_some()
    })));
    let context = Context::full(&runtime).map_err(broken)?;
    context.with(|ctx| {
        let run = Run {
            ctx: ctx.clone(),
            limits,
            deadline: began + limits.time,
            halted,
            script: &script,
        };
        run.evaluate(values, logs)
    })
}

struct Run<'s, 'js> {
    ctx: Ctx<'js>,
    limits: Limits,
    deadline: Instant,
    halted: Rc<Cell<Option<Halt>>>,
    script: &'s Script,
}

impl<'js> Run<'_, 'js> {
    fn evaluate(
        &self,
        values: &Map<String, Value>,
        logs: &Rc<RefCell<Logs>>,
    ) -> Result<Value, Failure> {
        let (names, values): (Vec<&str>, Vec<&Value>) = values
            .iter()
            .filter(|(name, _)| {
                is_identifier(name, true)
                    && !KEYWORDS.contains(&name.as_str())
                    && (self.script.text.contains(name.as_str())
                        || ["now", "seed"].contains(&name.as_str()))
            })
            .map(|(name, value)| (name.as_str(), value))
            .unzip();
        let values = values
            .into_iter()
            .map(|value| value::to_js(&self.ctx, value))
            .collect::<rquickjs::Result<Vec<Js<'js>>>>()
            .map_err(|error| self.raised(error))?;
        let given = |name: &str| {
            let at = names.iter().position(|given| *given == name);
            at.map_or_else(
                || Js::new_undefined(self.ctx.clone()),
                |at| values[at].clone(),
            )
        };
        self.prepare(logs, given("now"), given("seed"))
            .map_err(|error| self.raised(error))?;
        let function = self.function(&names)?;
        let mut args = Args::new(self.ctx.clone(), values.len());
        let returned = args
            .push_args(values)
            .and_then(|()| function.call_arg::<Js<'js>>(args))
            .map_err(|error| self.raised(error))?;
        let result = self.settled(returned)?;
        Reader::new(&self.ctx, self.limits.result)
            .read(result)
            .map_err(|error| match error {
                value::Unread::No(NoJson::Is(why)) => no_json(why),
                value::Unread::No(NoJson::TooLarge) => result_too_large(self.limits),
                value::Unread::Raised(error) => self.raised(error),
            })
    }

    fn prepare(
        &self,
        logs: &Rc<RefCell<Logs>>,
        now: Js<'js>,
        seed: Js<'js>,
    ) -> rquickjs::Result<()> {
        let kept = logs.clone();
        let write = Function::new(self.ctx.clone(), move |ctx: Ctx<'js>, text: String| {
            kept.borrow_mut()
                .write(&text)
                .map_err(|full| rquickjs::Exception::throw_range(&ctx, &full.message))
        })?;
        let (kept, once) = (logs.clone(), RefCell::new(Vec::new()));
        let noted = Function::new(self.ctx.clone(), move |text: String| {
            let mut once = once.borrow_mut();
            if !once.contains(&text) {
                // The error is ignored here, because a script whose log is full fails when it has finished.
                let _ = kept.borrow_mut().write(&format!("{text}\n"));
                once.push(text);
            }
        })?;
        let prelude: Function = self.compile(PRELUDE, "prelude")?;
        prelude.call((write, noted, now, seed))
    }

    fn compile(&self, text: &str, file: &str) -> rquickjs::Result<Function<'js>> {
        let mut options = EvalOptions::default();
        options.strict = false;
        options.filename = Some(file.to_owned());
        self.ctx.eval_with_options(text, options)
    }

    /// Compiles the script as a function with the parameters `names`.
    fn function(&self, names: &[&str]) -> Result<Function<'js>, Failure> {
        let kind = if self.script.is_async { "async " } else { "" };
        // The prefix takes one line. The script's own lines are counted from the next one.
        let text = format!(
            "(function ({}) {{ return ({kind}function () {{\n{}\n}}).call(undefined); }})",
            names.join(", "),
            self.script.text
        );
        self.compile(&text, FILE).map_err(|error| Failure {
            code: "script_syntax",
            ..self.raised(error)
        })
    }

    /// Waits until a promise is settled and returns its result. Returns other values unchanged. Nothing outside the
    /// script can settle the promise.
    #[allow(clippy::disallowed_methods)]
    fn settled(&self, returned: Js<'js>) -> Result<Js<'js>, Failure> {
        let Some(promise) = returned.as_promise().cloned() else {
            return Ok(returned);
        };
        while promise.state() == PromiseState::Pending && self.ctx.execute_pending_job() {
            // A short job may finish before the interpreter checks the clock, so the clock is also checked here.
            if Instant::now() > self.deadline {
                self.halted.set(self.halted.get().or(Some(Halt::Time)));
                break;
            }
        }
        match promise.result::<Js<'js>>() {
            Some(result) => result.map_err(|error| self.raised(error)),
            None if self.halted.get().is_some() => Err(self.interrupted(None)),
            None => Err(Failure::new(
                "script_failed",
                "The script waits for a promise that is never settled, because scripts have no timers and no network. Remove the `await`, or settle the promise.",
            )),
        }
    }

    fn interrupted(&self, place: Option<(usize, usize)>) -> Failure {
        let failure = match self.halted.get() {
            Some(Halt::Stopped) => Failure::new("cancelled", "The script was stopped."),
            _ => Failure::time(self.limits),
        };
        Failure {
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            ..failure
        }
    }

    /// Converts an error of the interpreter to a failure.
    fn raised(&self, error: rquickjs::Error) -> Failure {
        if !matches!(error, rquickjs::Error::Exception) {
            return match error {
                rquickjs::Error::Allocation => Failure::memory(self.limits),
                other => Failure::new("script_failed", sentence(&other.to_string())),
            };
        }
        let thrown = self.ctx.catch();
        let object = thrown.as_object();
        let text = |name: &str| -> Option<String> {
            object.and_then(|object| object.get::<_, Option<String>>(name).ok().flatten())
        };
        let stack = text("stack").unwrap_or_default();
        let place = self.place(&stack);
        if self.halted.get().is_some() {
            return self.interrupted(place);
        }
        let message = match object {
            None => shown(&self.ctx, &thrown),
            Some(object) => match (text("name"), text("message")) {
                (Some(name), Some(message)) if message.is_empty() => name,
                (Some(name), Some(message)) => format!("{name}: {message}"),
                (None, Some(message)) => message,
                _ => shown(&self.ctx, object.as_value()),
            },
        };
        let failure = if message == "InternalError: out of memory" || thrown.is_null() {
            Failure::memory(self.limits)
        } else {
            Failure::new("script_failed", sentence(&message))
        };
        Failure {
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            ..failure
        }
    }

    /// Returns the first position in the script that a stack trace names, as line and column from 1. Returns `None` if
    /// the trace names no such position.
    fn place(&self, stack: &str) -> Option<(usize, usize)> {
        stack.lines().find_map(|frame| {
            let at = frame.rfind("script:")?;
            let mut numbers = frame[at + "script:".len()..]
                .trim_end_matches(')')
                .split(':');
            let line: usize = numbers.next()?.parse().ok()?;
            let column: usize = numbers
                .next()
                .and_then(|text| text.parse().ok())
                .unwrap_or(1);
            let lines = self.script.text.lines().count().max(1);
            let line = line.checked_sub(1).filter(|line| *line > 0)?.min(lines);
            let column = match self.script.inserted {
                Some((at, from, characters)) if at == line && column > from => {
                    column.saturating_sub(characters).max(from)
                }
                _ => column,
            };
            Some((line, column))
        })
    }
}

fn sentence(text: &str) -> String {
    let text: String = text.trim().chars().take(2000).collect();
    format!("{}.", text.trim_end_matches('.'))
}

/// Returns a thrown value as text.
fn shown<'js>(ctx: &Ctx<'js>, value: &Js<'js>) -> String {
    if let Some(text) = value.as_string() {
        return text.to_string().unwrap_or_default();
    }
    match ctx.json_stringify(value.clone()) {
        Ok(Some(text)) => text.to_string().unwrap_or_default(),
        _ => format!("a {} was thrown", value.type_name()),
    }
}
