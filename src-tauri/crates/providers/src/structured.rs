//! Answers that must be JSON: how they are asked for, read and checked.

use serde_json::{Value, json};

use loopwright_engine::{
    NodeError, compute,
    host::{ModelRequest, ResponseFormat},
};
use loopwright_model::schema::Schema;

/// What the answer must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerFormat {
    Text,
    Json,
    Schema(Value),
}

impl AnswerFormat {
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

    /// Reads and checks an answer.
    ///
    /// # Errors
    /// See [`Unread`].
    pub(crate) async fn read(&self, text: &str) -> Result<Option<Value>, Unread> {
        if *self == Self::Text {
            return Ok(None);
        }
        let (wanted, text) = (self.clone(), text.to_owned());
        compute(move || wanted.checked(&text))
            .await
            .map_err(Unread::Failed)?
            .map(Some)
    }

    fn checked(&self, text: &str) -> Result<Value, Unread> {
        let json: Value = serde_json::from_str(bare(text))
            .map_err(|error| Unread::Wrong(format!("it is not JSON ({error})")))?;
        let Self::Schema(schema) = self else {
            return Ok(json);
        };
        let mistakes = Schema::compile(schema)
            .and_then(|schema| schema.mistakes(&json, 5))
            .map_err(|error| {
                let message = format!("The JSON Schema that the answer was to fit {error}.");
                Unread::Failed(NodeError::new(error.code, message))
            })?;
        if mistakes.is_empty() {
            return Ok(json);
        }
        let wrong: Vec<_> = mistakes
            .into_iter()
            .map(|mistake| match mistake.path.as_str() {
                "" => mistake.message,
                path => format!("{path}: {}", mistake.message),
            })
            .collect();
        Err(Unread::Wrong(wrong.join("; ")))
    }
}

/// Why an answer gives no value.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is not what was asked for, in words that the model can act on.
    Wrong(String),
    /// It could not be checked, whatever it is.
    Failed(NodeError),
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

    fn read(wanted: &AnswerFormat, text: &str) -> Result<Option<Value>, Unread> {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(wanted.read(text))
    }

    #[track_caller]
    fn wrong(wanted: &AnswerFormat, text: &str) -> String {
        match read(wanted, text) {
            Err(Unread::Wrong(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn json_is_found_and_checked() {
        assert_eq!(
            read(&AnswerFormat::Json, "```json\n{\"a\": 1}\n```").unwrap(),
            Some(json!({ "a": 1 }))
        );
        assert_eq!(
            read(&AnswerFormat::Json, "Here you are: {\"a\": 1}.").unwrap(),
            Some(json!({ "a": 1 }))
        );
        assert!(wrong(&AnswerFormat::Json, "no").contains("not JSON"));
        let request = ModelRequest {
            choices: vec!["done".to_owned(), "continue".to_owned()],
            ..ModelRequest::default()
        };
        let verdict = AnswerFormat::of(&request);
        assert!(read(&verdict, "{\"branch\": \"done\", \"reason\": \"x\"}").is_ok());
        assert!(wrong(&verdict, "{\"branch\": \"maybe\", \"reason\": \"x\"}").contains("/branch"));
    }

    #[test]
    fn a_schema_without_end_fails_and_is_not_asked_about_again() {
        let mut definitions = serde_json::Map::new();
        for level in 0..27 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            definitions.insert(format!("d{level}"), json!({ "anyOf": [next, next] }));
        }
        definitions.insert("d27".to_owned(), json!({ "type": "number" }));
        let wanted = AnswerFormat::Schema(json!({ "$defs": definitions, "$ref": "#/$defs/d0" }));
        match read(&wanted, "\"x\"") {
            Err(Unread::Failed(error)) => assert_eq!(error.code, "schema_limit"),
            other => panic!("{other:?}"),
        }
    }
}
