//! Translates actions of TEA that a script computes.

use serde_json::{Value, json};

use super::{action_names::canonical_name, steps::Steps};

/// A script that computes `result` from `state`.
pub(super) struct Computed {
    pub(super) source: String,
    pub(super) differs: Vec<String>,
}

/// Translates an action that needs only a script.
///
/// # Errors
/// Returns an error if no script is equivalent. The error is the reason, as a sentence for the report.
pub(super) fn computed(
    action: &str,
    steps: &Steps<'_, '_>,
    with: &Value,
) -> Result<Computed, String> {
    let agent = steps.agent;
    let mut differs = Vec::new();
    let mut given = with.clone();
    let source = match canonical_name(action).as_str() {
        "json.parse" if given.get("strict") == Some(&Value::Bool(false)) => {
            return Err("`json.parse` with `strict: false` has no counterpart here".to_owned());
        }
        "json.parse" => {
            differs.push("If the text is not JSON, the result has no `position`, and the text of its `error` differs.".to_owned());
            PARSE.to_owned()
        }
        "json.stringify" => STRINGIFY.to_owned(),
        "memory.store" | "memory.retrieve"
            if given.get("ttl").is_some_and(|ttl| !ttl.is_null()) =>
        {
            return Err(format!(
                "`{action}` with `ttl` has no counterpart here: a flow has no clock"
            ));
        }
        "memory.store" => {
            differs.push(MEMORY.to_owned());
            STORE.to_owned()
        }
        "memory.retrieve" => {
            differs.push(MEMORY.to_owned());
            RETRIEVE.to_owned()
        }
        "actions.notify" => {
            differs.push(
                "As in TEA, nothing is sent. The message is printed to the node's log.".to_owned(),
            );
            "print(\"[\" + given[\"channel\"].upper() + \"] \" + str(given[\"message\"]))\nresult = {\"sent\": True}".to_owned()
        }
        "validate.extraction" => {
            for part in ["validation_constraints", "semantic_probes"] {
                if agent.document.contains_key(part) {
                    return Err(format!(
                        "`validate.extraction` with `{part}` has no counterpart here"
                    ));
                }
            }
            for part in ["constraints", "probes"] {
                if given.get(part).is_some() {
                    return Err(format!(
                        "`validate.extraction` with `{part}` has no counterpart here"
                    ));
                }
            }
            let schema = given
                .as_object_mut()
                .and_then(|given| given.remove("schema"))
                .or_else(|| agent.document.get("extraction_schema").cloned())
                .unwrap_or_else(|| json!({}));
            differs.push(
                "`validated_at` is not in the result, because a flow has no clock.".to_owned(),
            );
            let schema = Value::String(schema.to_string());
            format!(
                "import json\nschema = json.loads({schema})\n{}",
                include_str!("extraction.py").trim_end()
            )
        }
        other => return Err(format!("the action `{other}` has no counterpart here")),
    };
    let mut templates = steps.templates();
    let given = templates
        .value(&given)
        .map_err(|why| format!("an argument of `{action}` {why}"))?;
    Ok(Computed {
        source: format!("{}given = {given}\n{source}", templates.before),
        differs,
    })
}

const MEMORY: &str = "Stored values are kept in the state, under `_memory`. A flow has no other memory, and a run does not remember earlier runs.";

const PARSE: &str = "\
import json
text = given[\"text\"]
if text is None:
    result = {\"success\": False, \"error\": \"Input text is None\", \"error_type\": \"parse\"}
else:
    try:
        result = {\"data\": json.loads(text), \"success\": True}
    except ValueError as error:
        result = {\"success\": False, \"error\": f\"JSON parse error: {error}\", \"error_type\": \"parse\"}";

const STRINGIFY: &str = "\
import json
text = json.dumps(given[\"data\"], indent=given.get(\"indent\"), sort_keys=bool(given.get(\"sort_keys\")))
result = {\"text\": text, \"success\": True}";

const STORE: &str = "\
memory = state.setdefault(\"_memory\", {})
space = str(given.get(\"namespace\", \"default\"))
memory.setdefault(space, {})[str(given[\"key\"])] = given[\"value\"]
result = {\"stored\": True, \"key\": str(given[\"key\"]), \"namespace\": space}";

const RETRIEVE: &str = "\
space = state.get(\"_memory\", {}).get(str(given.get(\"namespace\", \"default\")), {})
value = space.get(str(given[\"key\"]))
found = value is not None
result = {\"value\": value if found else given.get(\"default\"), \"found\": found, \"key\": str(given[\"key\"])}";
