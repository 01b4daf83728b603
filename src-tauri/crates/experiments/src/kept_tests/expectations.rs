//! Compares the expectations of a test with the result of its run.

use loopwright_engine::{RunStatus, journal::RunState};
use loopwright_evaluation::test_file::Expect;
use loopwright_model::{schema::Schema, value::to_text};
use serde_json::{Map, Value};

use crate::scoring::score_output;

/// The maximum number of characters of a value that a message shows.
const SHOWN: usize = 200;

/// Returns the outputs of a run by name.
pub(super) fn outputs(state: &RunState) -> Map<String, Value> {
    match state.outputs.clone().map(Value::from) {
        Some(Value::Object(outputs)) => outputs,
        _ => Map::new(),
    }
}

pub(super) fn reason(state: &RunState) -> Option<String> {
    let reason = serde_json::to_value(state.exit_reason?).ok()?;
    reason.as_str().map(str::to_owned)
}

/// Returns one sentence for each unmet expectation.
pub(super) fn failures(expect: &Expect, state: &RunState) -> Vec<String> {
    let mut found = Vec::new();
    let wanted = expect.status.as_deref().unwrap_or("completed");
    let status = match state.status {
        RunStatus::Completed => "completed",
        _ => "failed",
    };
    if status != wanted {
        let why = state
            .error
            .as_ref()
            .map_or_else(|| ".".to_owned(), |error| format!(": {}", error.message));
        found.push(format!("The run {status}, but should have {wanted}{why}"));
        return found;
    }
    let outputs = outputs(state);
    let output = |name: &str| outputs.get(name).unwrap_or(&Value::Null);
    for (name, wanted) in &expect.outputs {
        if output(name) != wanted {
            found.push(format!(
                "Output `{name}` is {}, but should be {}.",
                shown(output(name)),
                shown(wanted)
            ));
        }
    }
    for (name, wanted) in &expect.contains {
        let text = to_text(output(name));
        let parts = match wanted {
            Value::Array(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        for part in parts {
            if !text.contains(&to_text(&part)) {
                found.push(format!(
                    "Output `{name}` does not contain {}. It is {}.",
                    shown(&part),
                    shown(output(name))
                ));
            }
        }
    }
    for (name, schema) in &expect.schemas {
        match Schema::compile(schema).and_then(|schema| schema.mistakes(output(name), 1)) {
            Err(error) => found.push(format!("The schema of `{name}` is invalid: {error}")),
            Ok(mistakes) => found.extend(mistakes.first().map(|mistake| {
                format!(
                    "Output `{name}` does not match its schema: {}",
                    mistake.message
                )
            })),
        }
    }
    for expected in &expect.scores {
        let only = match outputs.len() {
            1 => outputs.values().next().cloned().unwrap_or_default(),
            _ => Value::Object(outputs.clone()),
        };
        match score_output(&expected.scorer, &only) {
            Err(error) => found.push(error.message),
            Ok(score) => match score.value {
                Some(value) if value >= expected.at_least => {}
                Some(value) => found.push(format!(
                    "Scorer \"{}\" returned {value}, but should return at least {}.",
                    expected.scorer.name, expected.at_least
                )),
                None => found.push(format!(
                    "Scorer \"{}\" returned no score: {}",
                    expected.scorer.name,
                    score.reason.unwrap_or_default()
                )),
            },
        }
    }
    if let Some(wanted) = &expect.exit_reason {
        let reason = reason(state);
        if reason.as_ref() != Some(wanted) {
            let title = |name: &str| {
                serde_json::from_value::<loopwright_engine::ExitReason>(name.into())
                    .map_or_else(|_| name.to_owned(), |reason| reason.title().to_owned())
            };
            found.push(format!(
                "The loop ended with \"{}\", but should have ended with \"{}\".",
                reason
                    .as_deref()
                    .map_or_else(|| "nothing".to_owned(), title),
                title(wanted)
            ));
        }
    }
    if let (Some(most), Some(count)) = (expect.max_iterations, state.iterations)
        && count > most
    {
        found.push(format!(
            "The loop took {count} iterations, but should take at most {most}."
        ));
    }
    if let Some(most) = expect.max_cost_usd {
        let cost = state.usage.cost_microusd as f64 / 1e6;
        if cost > most + 1e-9 {
            found.push(format!(
                "The run cost ${cost}, but should cost at most ${most}."
            ));
        }
    }
    found
}

pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.chars().count() > SHOWN {
        true => format!("{}…", text.chars().take(SHOWN).collect::<String>()),
        false => text,
    }
}
