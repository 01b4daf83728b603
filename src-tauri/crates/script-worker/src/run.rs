//! Runs a script in this process.

use loopwright_script::{Call, Failure, Language, Limits, MAX_SOURCE, Outcome};
use serde_json::{Map, Value};

use crate::{Stop, javascript, luau, python};

/// Runs a Luau script with `values` as its globals, in this process and on the calling thread, which needs a few hundred KB
/// of stack. The printed text is discarded. This function is for tests and a fuzzer of the sandbox itself.
///
/// # Errors
/// Returns a [`Failure`] if the script has no result. Its code says why.
pub fn run(
    source: &str,
    values: &Map<String, Value>,
    limits: Limits,
    stop: &Stop,
) -> Result<Value, Failure> {
    luau::run(source, values, limits, stop).result
}

/// Runs a script of any language in this process. Luau enforces all limits. In the other languages, an abort inside the
/// interpreter ends the process.
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
