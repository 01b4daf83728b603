//! The program that reads and runs scripts: the interpreters and parsers of Luau, Python and JavaScript, and what confines them.
//! The crate `script` starts it and talks to it.
//!
//! Architecture Invariant: knows no node kinds, no flows and no tools, and starts nothing. It closes files, network and the
//! environment to itself before it reads the first byte of a script. Each script has a bound on its time, memory and output.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(target_os = "linux")]
mod confine;
mod ended;
mod found;
mod javascript;
mod large_stack;
mod luau;
mod position;
mod python;
mod reading;
mod serve;
mod value;

use serde_json::{Map, Value};

pub use ended::Stop;
pub use reading::InThisProcess;
pub use serve::serve;

pub(crate) use ended::Logs;
pub(crate) use loopwright_script::{
    Attribute, Call, Failure, Language, Limits, MAX_DEPTH, MAX_SOURCE, Mistake, Name, Outcome,
    Outline, Place, Reading, Reads, reads_or_mistake,
};

/// Runs a Luau script with `values` as its globals, in this process and on the calling thread, which needs a few hundred KB of
/// stack. What it prints is dropped. It is for tests and a fuzzer, which look at the sandbox itself.
///
/// # Errors
/// See [`Failure`].
pub fn run(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Result<Value, Failure> {
    luau::run(source, values, limits, stop).result
}

/// Runs a script in any language in this process. Luau keeps its limits whatever the script does; an abort inside the
/// interpreter of another language ends the process.
pub(crate) fn run_here(call: &Call, stop: &Stop) -> Outcome {
    let Call {
        language,
        source,
        values,
        limits,
    } = call;
    if source.len() > MAX_SOURCE {
        return Outcome::failed(loopwright_script::too_long(source).into());
    }
    if let Some(failure) = loopwright_script::too_deep(values) {
        return Outcome::failed(failure);
    }
    match language {
        Language::Luau => luau::run(source, values, *limits, stop),
        Language::Python => python::run(source, values, *limits),
        Language::JavaScript => javascript::run(source, values, *limits, stop),
    }
}
