//! Translates checks against a JSON Schema, including `data.validate`, to Validators.

use serde_json::{Value, json};

use super::{
    action_call::{ActionCall, say_unused_arguments},
    steps::{Steps, joined, script},
};
use crate::build::Port;

/// Adds a Validator for a value that a script computes from the state. `result` is `{ valid, errors, success }`, where each error
/// has its `path` and `message`.
pub(super) fn by_schema(
    steps: &mut Steps<'_, '_>,
    label: &str,
    source: &str,
    schema: &Value,
    from: Vec<Port>,
) -> ActionCall {
    let from = joined(steps.build, from);
    let value = script(
        steps.build,
        &format!("Value of {label}"),
        source,
        None,
        &from,
    );
    let check = steps.build.node(
        "validator",
        &format!("Schema of {label}"),
        json!({ "schema": schema }),
    );
    steps.build.wire(&Port::of(&value), &Port::of(&check));
    let seen = |branch: &str| ("seen".to_owned(), Port::at(&check, branch));
    ActionCall {
        from,
        wires: vec![seen("valid"), seen("invalid")],
        source: "result = {\"valid\": not given[\"errors\"], \"errors\": given[\"errors\"], \"success\": True}"
            .to_owned(),
        given: Some(json!({ "errors": format!("{{{{ {check}.errors | default(value=[]) }}}}") })),
    }
}

/// Translates `data.validate`, which checks `data` against `schema`.
///
/// # Errors
/// Returns an error if the check has no equivalent. The error is the reason, as a sentence for the report.
pub(super) fn validate(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<ActionCall, String> {
    let Some(schema @ Value::Object(_)) = with.get("schema") else {
        return Err(
            "`data.validate` without a `schema` in the file has no counterpart here".to_owned(),
        );
    };
    let mut templates = steps.templates();
    let value = match with.get("data") {
        Some(Value::String(text)) => templates
            .text(text)
            .map_err(|why| format!("its `data` {why}"))?,
        _ => {
            return Err("`data.validate` has no `data`, the template that it checks".to_owned());
        }
    };
    say_unused_arguments(steps, "data.validate", with, place, &["data", "schema"]);
    let source = format!("state = input\n{}return {value}", templates.before);
    let made = by_schema(steps, name, &source, schema, from.to_vec());
    steps.build.say(
        crate::Outcome::Mapped,
        place,
        None,
        format!("“{name}” becomes a Validator with the same schema."),
    );
    Ok(made)
}
