//! Translates model calls of TEA agents to LLM nodes: `llm.*`, `reason.cot`, `agent.*`.

use loopwright_jinja::{Templates, is_template, quoted};
use serde_json::{Value, json};

use super::{
    action_call::{ActionCall, say_unused_arguments},
    steps::{Steps, joined, script},
};
use crate::build::Port;

/// Translates `llm.call` to an LLM node, and a script that converts its answer to TEA's `{ content, usage }`. Fails if the
/// call has no equivalent. The error is the reason.
pub(super) fn model_call(
    steps: &mut Steps<'_, '_>,
    name: &str,
    action: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<ActionCall, String> {
    let text = |value: &Value| -> Result<String, String> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Null => Ok(String::new()),
            _ => Err("its message is not text".to_owned()),
        }
    };
    let mut system = Vec::new();
    let mut turns: Vec<(String, String)> = Vec::new();
    if let Some(words) = with.get("system").or_else(|| with.get("system_prompt")) {
        system.push(text(words)?);
    }
    match with.get("messages") {
        Some(Value::Array(messages)) => {
            for message in messages {
                let role = message
                    .get("role")
                    .and_then(Value::as_str)
                    .unwrap_or("user");
                let content = text(message.get("content").unwrap_or(&Value::Null))?;
                match role {
                    "system" | "developer" => system.push(content),
                    "user" | "assistant" | "tool" | "human" | "ai" => {
                        turns.push((role.to_owned(), content));
                    }
                    other => {
                        steps.build.approximated(
                            place,
                            None,
                            format!("A message of `{action}` has the unknown role `{other}`; it is treated as a user message."),
                        );
                        turns.push(("user".to_owned(), content));
                    }
                }
            }
        }
        Some(_) => return Err("its messages are generated during the run".to_owned()),
        None => {}
    }
    if let Some(prompt) = with.get("prompt") {
        turns.push(("user".to_owned(), text(prompt)?));
    }
    let mut approximated = Vec::new();
    let prompt: Vec<(String, String)> = match turns.as_slice() {
        [] => return Err("it has neither messages nor a prompt".to_owned()),
        [(_, only)] => vec![(String::new(), only.clone())],
        several => {
            approximated.push(
                "Its messages become one prompt, each under the name of its role.".to_owned(),
            );
            let turns = several.iter();
            turns
                .map(|(role, content)| (format!("{role}: "), content.clone()))
                .collect()
        }
    };
    let defaults = steps
        .agent
        .constants
        .get("settings")
        .and_then(|settings| settings.get("llm"))
        .cloned();
    let system = system.into_iter().map(|text| (String::new(), text));
    let from = joined(steps.build, from.to_vec());
    let (words, to) = words(steps, name, prompt, system.collect(), &from)?;
    let setting = |field: &str| -> Option<Value> {
        let own = with.get(field).or_else(|| defaults.as_ref()?.get(field))?;
        Some(steps.agent.constant(own).unwrap_or_else(|| own.clone()))
    };
    let mut data = json!({ "provider": "auto", "inputs": ["state"], "prompt": words[0] });
    if let Some(system) = words.get(1) {
        data["systemPrompt"] = system.as_str().into();
    }
    match setting("model") {
        Some(Value::String(model)) if !model.contains("{{") && !model.contains("${") => {
            data["model"] = model.into()
        }
        Some(model) => approximated.push(format!(
            "Its model is {model}, which is known only during the run, so the default model is used."
        )),
        None => {}
    }
    if let Some(temperature) = setting("temperature").filter(Value::is_number) {
        data["temperature"] = temperature;
    }
    if let Some(most) = setting("max_tokens").filter(Value::is_u64) {
        data["maxTokens"] = most;
    }
    let format = with.get("response_format");
    let kind = format
        .and_then(|format| format.get("type"))
        .and_then(Value::as_str);
    match kind {
        Some("json_object") => data["responseFormat"] = "json".into(),
        Some("json_schema") => {
            if let Some(schema) = format.and_then(|format| format.pointer("/json_schema/schema")) {
                data["responseFormat"] = schema.clone();
            }
        }
        _ => {}
    }
    if let Some(retry) = retries(with, action == "llm.retry") {
        data["retry"] = retry;
        approximated.push(
            "`attempts` and `total_delay` are not in the result. The run's history shows them."
                .to_owned(),
        );
    }
    if action == "llm.stream" || with.get("stream") == Some(&Value::Bool(true)) {
        approximated.push("`streamed` and `chunk_count` are not in the result.".to_owned());
    }
    const USED: [&str; 14] = [
        "system",
        "system_prompt",
        "messages",
        "prompt",
        "model",
        "temperature",
        "max_tokens",
        "response_format",
        "max_retries",
        "base_delay",
        "max_delay",
        "stream",
        "provider",
        "api_base",
    ];
    say_unused_arguments(steps, action, with, place, &USED);
    for field in ["provider", "api_base"] {
        if with.get(field).is_some() {
            approximated.push(format!(
                "`{field}` is not imported: the provider in Settings is used."
            ));
        }
    }
    let id = steps.build.node("llm", name, data);
    steps.build.wire_all(&to, &Port::at(&id, "state"));
    if approximated.is_empty() {
        steps.build.mapped(
            place,
            &id,
            "The action becomes an LLM node with the same messages. The answer is in `content`, as in TEA.",
        );
    } else {
        steps
            .build
            .approximated(place, Some(&id), approximated.join(" "));
    }
    Ok(ActionCall {
        from,
        wires: vec![
            ("reply".to_owned(), Port::at(&id, "response")),
            ("usage".to_owned(), Port::at(&id, "usage")),
        ],
        source: ANSWER.to_owned(),
        given: None,
    })
}

/// Returns the prompt and the system prompt as templates of a flow, and the ports they read from. Each prompt consists of
/// labelled sections, one below the other. Literal text stays in the node; a preceding script computes the Jinja expressions and
/// prints them as Python does.
fn words(
    steps: &mut Steps<'_, '_>,
    name: &str,
    prompt: Vec<(String, String)>,
    system: Vec<(String, String)>,
    from: &[Port],
) -> Result<(Vec<String>, Vec<Port>), String> {
    let mut templates = steps.templates();
    let mut holes = Holes::default();
    let mut written = Vec::new();
    for texts in [prompt, system]
        .into_iter()
        .filter(|texts| !texts.is_empty())
    {
        let mut parts = Vec::new();
        for (label, text) in &texts {
            let text = holes
                .fill(text, &mut templates)
                .map_err(|why| format!("its prompt {why}"))?;
            parts.push(format!("{label}{text}"));
        }
        written.push(parts.join("\n\n"));
    }
    if holes.0.is_empty() {
        return Ok((written, from.to_vec()));
    }
    let printed: Vec<String> = holes
        .0
        .iter()
        .map(|(name, _, code)| format!("{}: {code}", quoted(name)))
        .collect();
    let label = format!("Texts of {name}");
    let source = format!(
        "state = input\n{}return {{{}}}",
        templates.before,
        printed.join(", ")
    );
    let id = script(steps.build, &label, &source, None, from);
    Ok((written, vec![Port::of(&id)]))
}

/// The expressions in a prompt. Each has the name that replaces it in the prompt, its Jinja source, and Python that prints it.
#[derive(Default)]
struct Holes(Vec<(String, String, String)>);

impl Holes {
    /// Replaces the expressions in `text` with their names.
    fn fill(&mut self, text: &str, templates: &mut Templates<'_>) -> Result<String, String> {
        if !is_template(text) {
            return Ok(text.to_owned());
        }
        let Some(pieces) = pieces(text) else {
            let code = templates.text(text)?;
            return Ok(self.name(text, format!("jinja_message({code})")));
        };
        let mut filled = String::new();
        for (words, expression) in pieces {
            filled.push_str(words);
            if let Some(expression) = expression {
                let code = templates.printed(expression)?;
                filled.push_str(&self.name(expression, code));
            }
        }
        Ok(filled)
    }

    /// Returns the name that replaces an expression: the name of the state field that the expression prints, otherwise a new
    /// name.
    fn name(&mut self, jinja: &str, code: String) -> String {
        let jinja = jinja.trim();
        let known = self.0.iter().find(|(_, known, _)| known == jinja);
        let name = match known {
            Some((name, ..)) => name.clone(),
            None => {
                let field = jinja.strip_prefix("state.").filter(|field| {
                    field.starts_with(|c: char| c.is_ascii_alphabetic())
                        && field
                            .bytes()
                            .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
                });
                let name = match field {
                    Some(field) => field.to_owned(),
                    None => format!("text_{}", self.0.len() + 1),
                };
                let is_taken = self.0.iter().any(|(taken, ..)| *taken == name);
                let name = if is_taken {
                    format!("{name}_{}", self.0.len() + 1)
                } else {
                    name
                };
                self.0.push((name.clone(), jinja.to_owned(), code));
                name
            }
        };
        format!("{{{{ state.{name} }}}}")
    }
}

/// Splits text into literal parts, each with the expression that follows it. Returns `None` if there are tags, if an expression
/// contains braces or quotes, or if the text is a single expression, which may not yield a string.
fn pieces(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
    if ["{%", "{#", "${"].iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, behind)) = rest.split_once("{{") {
        let (expression, after) = behind.split_once("}}")?;
        let is_plain = !expression.contains(['{', '}', '"', '\'', '\n', '\r']);
        let trims = expression.starts_with(['-', '+']) || expression.ends_with(['-', '+']);
        if !is_plain || trims || after.starts_with('}') || words.contains("}}") {
            return None;
        }
        pieces.push((words, Some(expression)));
        rest = after;
    }
    pieces.push((rest, None));
    let is_one = matches!(pieces.as_slice(), [(before, Some(_)), (after, None)] if before.trim().is_empty() && after.trim().is_empty());
    (!is_one && !rest.contains("}}")).then_some(pieces)
}

/// Python that converts a model's answer as TEA does.
const ANSWER: &str = "\
import json
content = reply if isinstance(reply, str) else json.dumps(reply)
sent, got = usage[\"inputTokens\"], usage[\"outputTokens\"]
usage = {\"prompt_tokens\": sent, \"completion_tokens\": got, \"total_tokens\": sent + got}
result = {\"content\": content, \"usage\": usage}";

/// Returns the `retry` of a model call: the one that its arguments set, or with `always` the default of `llm.retry`. `None` if
/// there is neither, or if the number of retries is 0 or above 1,000.
fn retries(with: &Value, always: bool) -> Option<Value> {
    let count = match with.get("max_retries").and_then(Value::as_u64) {
        Some(count) => count,
        None if always => 3,
        None => return None,
    };
    let seconds = |field: &str, usual: f64| {
        with.get(field)
            .and_then(Value::as_f64)
            .filter(|time| *time >= 0.0)
            .unwrap_or(usual)
    };
    (count > 0 && count <= 1000).then(|| {
        json!({
            "type": "exponential", "count": count, "interval": format!("PT{}S", seconds("base_delay", 1.0)),
            "maxInterval": format!("PT{}S", seconds("max_delay", 60.0)), "on": ["timeout", "network", "429", "5xx"]
        })
    })
}
