//! Answers that must be JSON: how they are asked for, read and checked.

use serde_json::{Value, json};

use loopwright_engine::host::{ModelRequest, ResponseFormat};

/// What the answer must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    Text,
    Json,
    Schema(Value),
}

impl Wanted {
    /// A call with choices wants a verdict: one of them, and why.
    pub(crate) fn of(request: &ModelRequest) -> Self {
        if !request.choices.is_empty() {
            return Self::Schema(json!({
                "type": "object",
                "properties": { "branch": { "enum": request.choices }, "reason": { "type": "string" } },
                "required": ["branch", "reason"],
                "additionalProperties": false,
            }));
        }
        match &request.response_format {
            ResponseFormat::Text => Self::Text,
            ResponseFormat::Json => Self::Json,
            ResponseFormat::Schema(schema) => Self::Schema(schema.clone()),
        }
    }

    /// What the prompt says, for servers that know no `response_format`.
    pub(crate) fn instruction(&self, choices: &[String]) -> Option<String> {
        match self {
            Self::Text => None,
            Self::Json => {
                Some("Answer with JSON alone: no words around it, no code fence.".to_owned())
            }
            Self::Schema(_) if !choices.is_empty() => {
                let names = choices
                    .iter()
                    .map(|choice| Value::from(choice.as_str()).to_string())
                    .collect::<Vec<_>>()
                    .join(", ");
                Some(format!(
                    "Decide for exactly one of these: {names}. Answer with JSON alone: {{\"branch\": one of them, \"reason\": one sentence}}."
                ))
            }
            Self::Schema(schema) => Some(format!(
                "Answer with JSON alone (no words around it, no code fence) that fits this JSON Schema: {schema}"
            )),
        }
    }

    /// Reads and checks an answer; what is wrong comes back in words that the model can act on.
    pub(crate) fn read(&self, text: &str) -> Result<Option<Value>, String> {
        if *self == Self::Text {
            return Ok(None);
        }
        let json: Value = serde_json::from_str(bare(text))
            .map_err(|error| format!("it is not JSON ({error})"))?;
        if let Self::Schema(schema) = self {
            let validator = jsonschema::validator_for(schema)
                .map_err(|error| format!("the JSON Schema itself is wrong ({error})"))?;
            let wrong: Vec<_> = validator
                .iter_errors(&json)
                .take(5)
                .map(|error| {
                    let place = error.instance_path().to_string();
                    if place.is_empty() {
                        error.to_string()
                    } else {
                        format!("{place}: {error}")
                    }
                })
                .collect();
            if !wrong.is_empty() {
                return Err(wrong.join("; "));
            }
        }
        Ok(Some(json))
    }
}

/// The JSON without a code fence or words around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    if let Some(fenced) = text.strip_prefix("```") {
        let body = fenced.split_once('\n').map_or(fenced, |(_, body)| body);
        return body.trim_end().trim_end_matches("```").trim();
    }
    match (text.find(['{', '[']), text.rfind(['}', ']'])) {
        (Some(from), Some(to)) if from < to && !text.starts_with(['"', '{', '[']) => {
            &text[from..=to]
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_and_checked() {
        assert_eq!(
            Wanted::Json.read("```json\n{\"a\": 1}\n```").unwrap(),
            Some(json!({ "a": 1 }))
        );
        assert_eq!(
            Wanted::Json.read("Here you are: {\"a\": 1}.").unwrap(),
            Some(json!({ "a": 1 }))
        );
        assert!(Wanted::Json.read("no").unwrap_err().contains("not JSON"));
        let request = ModelRequest {
            choices: vec!["done".to_owned(), "continue".to_owned()],
            ..ModelRequest::default()
        };
        let verdict = Wanted::of(&request);
        assert!(
            verdict
                .read("{\"branch\": \"done\", \"reason\": \"x\"}")
                .is_ok()
        );
        assert!(
            verdict
                .read("{\"branch\": \"maybe\", \"reason\": \"x\"}")
                .unwrap_err()
                .contains("/branch")
        );
    }
}
