//! Translates `retry.loop`, which checks a value and corrects it while it is invalid, up to a limited number of times.

use serde_json::{Map, Value, json};

use super::{
    action_call::{add_result_script, read_arguments},
    action_names::{is_known, suggest_action},
    computed::computed,
    schema,
    steps::{Steps, script},
};
use crate::{
    build::{MOST_ITERATIONS, Port},
    error::ImportError,
};

pub(super) fn retry_loop(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Result<Vec<Port>, ImportError> {
    let empty = Map::new();
    let with = read_arguments(config)
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let place = format!("{place}.with");
    let refused =
        |field: &str, message: String| ImportError::refused(format!("{place}.{field}"), message);
    let most = retries(steps, with, name).map_err(|why| refused("max_retries", why))?;
    let delay = number(steps, with, "retry_delay").unwrap_or(0.0);
    let Some(correct) = with.get("correct").and_then(Value::as_str) else {
        return Err(refused(
            "correct",
            format!("the retry.loop “{name}” requires `correct`, the node that corrects"),
        ));
    };
    let Some(correction) = steps.agent.node(correct).copied() else {
        let names = steps.agent.nodes.iter().map(|node| node.name);
        return Err(refused(
            "correct",
            format!(
                "the retry.loop “{name}” corrects with “{correct}”, which is not a node{}",
                crate::naming::hint(correct, names)
            ),
        ));
    };
    let Some(validate) = with.get("validate").and_then(Value::as_str) else {
        return Err(refused(
            "validate",
            format!("the retry.loop “{name}” requires `validate`, the action that checks"),
        ));
    };
    let validator = steps.agent.node(validate).copied();
    if validator.is_none() && !is_known(validate, steps.agent.document.contains_key("imports")) {
        return Err(refused(
            "validate",
            format!(
                "the retry.loop “{name}” checks with the unknown validation action “{validate}”{}",
                suggest_action(validate)
            ),
        ));
    }
    if steps.build.is_inside(&format!("retry {name}")) {
        return Err(refused(
            "correct",
            format!(
                "the node that corrects for the retry.loop “{name}” leads back to that retry.loop"
            ),
        ));
    }
    steps.build.enter(&format!("retry {name}"), &place);
    steps.build.permit_iterations(most + 1);
    let mut data = json!({
        "maxIterations": most + 1, "exitCondition": "evaluator", "feedbackMode": "replace", "inputName": "state"
    });
    if delay > 0.0 {
        data["delay"] = json!({ "type": "fixed", "interval": format!("PT{delay}S") });
    }
    let start = steps.build.node("loop", name, data);
    steps.build.wire_all(&from, &Port::at(&start, "input"));
    let body = vec![Port::at(&start, "body")];
    let checked = match validator {
        Some(node) => {
            let ports = steps.node(&node, body)?;
            let id = script(
                steps.build,
                &format!("Result of {validate}"),
                &format!(
                    "state = input\nresult = {{\"valid\": state.get(\"valid\") is True, \"errors\": state.get(\"errors\") or []}}\n{}",
                    NOTE
                ),
                None,
                &ports,
            );
            vec![Port::of(&id)]
        }
        None => check(steps, name, validate, with, &place, body),
    };
    let router = steps.build.node(
        "router",
        &format!("Is {name} valid"),
        json!({
            "mode": "rules",
            "branches": [{ "name": "valid", "when": "input._retry_result.valid" }, { "name": "invalid" }],
            "fallback": "invalid"
        }),
    );
    steps.build.wire_all(&checked, &Port::of(&router));
    let end = steps
        .build
        .node("exit", &format!("End of {name}"), json!({}));
    steps
        .build
        .wire(&Port::at(&router, "valid"), &Port::of(&end));
    let back = steps.node(&correction, vec![Port::at(&router, "invalid")])?;
    steps.build.wire_all(&back, &Port::at(&start, "feedback"));
    steps.build.leave();
    let over = script(
        steps.build,
        &format!("Result of {name}"),
        OVER,
        None,
        &[Port::of(&end)],
    );
    steps.build.mapped(
        &place,
        &start,
        format!(
            "Checks at most {} times with {validate} and corrects at most {most} times with “{correct}”. The arguments are rendered again each time. `_retry_count`, `_retry_errors`, `_retry_result` and `_retry_exhausted` are set.",
            most + 1
        ),
    );
    Ok(vec![Port::of(&over)])
}

/// Python code that sets the final fields of the state.
const OVER: &str = "\
state = input
result = state[\"_retry_result\"]
valid = bool(result.get(\"valid\"))
state[\"_retry_exhausted\"] = not valid
if valid:
    state[\"_retry_errors\"] = []
state.update(result)
return state";

/// Python that stores the result of a check in the state. The count is the number of corrections so far.
const NOTE: &str = "\
state[\"_retry_count\"] = loopIndex
state[\"_retry_result\"] = result
state[\"_retry_errors\"] = result.get(\"errors\") or []
return state";

/// Translates a check that an action performs to a script. An action without an equivalent becomes a placeholder.
fn check(
    steps: &mut Steps<'_, '_>,
    name: &str,
    validate: &str,
    with: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Vec<Port> {
    let args = with
        .get("validate_args")
        .cloned()
        .unwrap_or_else(|| json!({}));
    let label = format!("Check of {name}");
    let place = format!("{place}.validate");
    let keep = |steps: &mut Steps<'_, '_>, why: &str| {
        let source = Value::Object(with.clone());
        let id = steps.build.placeholder(&label, &place, source, why);
        steps.build.wire_all(&from, &Port::of(&id));
        vec![Port::of(&id)]
    };
    if validate == "data.validate" {
        return match schema::validate(steps, &label, &args, &place, &from) {
            Ok(made) => {
                vec![Port::of(&add_result_script(steps, &label, made, NOTE))]
            }
            Err(why) => keep(steps, &why),
        };
    }
    match computed(validate, steps, &args) {
        Ok(computed) => {
            let source = format!("state = input\n{}\n{NOTE}", computed.source);
            let id = script(steps.build, &label, &source, None, &from);
            for how in computed.differs {
                steps.build.approximated(&place, Some(&id), how);
            }
            vec![Port::of(&id)]
        }
        Err(why) => keep(steps, &why),
    }
}

/// Returns `max_retries`: a whole number, which may be a constant template. The default is 1. Fails if the number is
/// invalid, or too large for a Loop.
fn retries(steps: &Steps<'_, '_>, with: &Map<String, Value>, name: &str) -> Result<u64, String> {
    let Some(asked) = with.get("max_retries") else {
        return Ok(1);
    };
    let asked = steps.agent.constant(asked).unwrap_or_else(|| asked.clone());
    let whole = asked
        .as_u64()
        .ok_or_else(|| format!("max_retries of the retry.loop “{name}” must be a whole number that is not negative, but is {asked}"))?;
    if whole >= MOST_ITERATIONS {
        return Err(format!(
            "max_retries of the retry.loop “{name}” is {whole}, which needs {} iterations, but a Loop has at most {MOST_ITERATIONS}",
            whole.saturating_add(1)
        ));
    }
    Ok(whole)
}

fn number(steps: &Steps<'_, '_>, with: &Map<String, Value>, field: &str) -> Option<f64> {
    let asked = with.get(field)?;
    steps
        .agent
        .constant(asked)
        .unwrap_or_else(|| asked.clone())
        .as_f64()
}
