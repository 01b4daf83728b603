//! Answers that must be JSON: how they are requested, parsed and checked.

use serde_json::{Map, Value};

use loopwright_answers::{
    self as answers,
    json::{self, Unclear},
    rating::Scale,
};
use loopwright_engine::{
    NodeError, compute,
    host::{ModelRequest, ResponseFormat},
};
use loopwright_model::{
    exact_numbers, json as exact,
    schema::{Schema, SchemaError},
};

/// The required form of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerFormat {
    Text,
    Json,
    Schema(Value),
}

impl AnswerFormat {
    /// Returns the answer format of a request. A request with choices requires a verdict: one of the choices, and a reason.
    pub(crate) fn of(request: &ModelRequest) -> Self {
        if !request.choices.is_empty() {
            return Self::Schema(serde_json::json!({
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

    /// Returns the instruction that asks for the format in the prompt, for servers without `response_format`. Returns `None`
    /// if the format is text.
    pub(crate) fn instruction(&self, request: &ModelRequest) -> Option<String> {
        let choices = &request.choices;
        match self {
            Self::Text => None,
            Self::Json => {
                Some("Answer with JSON alone: no words around it, no code fence.".to_owned())
            }
            Self::Schema(_) if !choices.is_empty() => Some(format!(
                "Decide for exactly one of these:{}Answer with JSON alone: {{\"branch\": one of them, \"reason\": one sentence}}.",
                listed(request)
            )),
            Self::Schema(schema) => Some(format!(
                "Answer with JSON alone (no words around it, no code fence) that fits this JSON Schema: {schema}"
            )),
        }
    }

    /// Returns the JSON of an answer, checked against the format; `None` if the format is text. If `is_cut`, the end of the
    /// answer may be missing, so a verdict is read only from complete JSON, never from plain text.
    ///
    /// # Errors
    /// See [`Unread`].
    pub(crate) async fn read(&self, text: &str, is_cut: bool) -> Result<Option<Value>, Unread> {
        if *self == Self::Text {
            return Ok(None);
        }
        let (wanted, text) = (self.clone(), text.to_owned());
        compute(move || wanted.checked(&text, is_cut))
            .await
            .map_err(Unread::Failed)?
            .map(Some)
    }

    fn checked(&self, text: &str, is_cut: bool) -> Result<Value, Unread> {
        let values = json::values(text);
        let Self::Schema(written) = self else {
            return read(values.one(), text);
        };
        let failed = |error: SchemaError| {
            let message = format!("The JSON Schema for the answer {error}.");
            Unread::Failed(NodeError::new(error.code, message))
        };
        let schema = Schema::compile(written).map_err(failed)?;
        let mut failure = None;
        let found = values.one_that(|candidate| {
            let value = value_of(candidate).ok();
            value.is_some_and(|value| match schema.is_valid(&value) {
                Ok(fits) => fits,
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            })
        });
        if let Some(error) = failure {
            return Err(failed(error));
        }
        let value = read(found, text);
        let mistakes = match &value {
            Ok(value) => schema.mistakes(value, 5).map_err(failed)?,
            Err(_) => Vec::new(),
        };
        if value.is_ok() && mistakes.is_empty() {
            return value;
        }
        // A model that ignores the schema may have written its verdict in another form.
        if let Some(value) = Asked::of(written).and_then(|asked| asked.read(text, is_cut))
            && schema.is_valid(&value).map_err(failed)?
        {
            return Ok(value);
        }
        value?;
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

/// Parses the JSON that was found in `text`, or describes why there is none.
fn read(found: Result<&str, Unclear>, text: &str) -> Result<Value, Unread> {
    let wrong = match found {
        Ok(found) => match value_of(found) {
            Ok(value) => return Ok(value),
            Err(error) => format!("its JSON is invalid: {error}"),
        },
        Err(Unclear::Several) => Unclear::Several.to_string(),
        // If the text is almost JSON, the parser's error says what is wrong.
        Err(Unclear::None) => match value_of(bare(text)) {
            Ok(_) => Unclear::None.to_string(),
            Err(error) => format!("it is not JSON ({error})"),
        },
    };
    Err(Unread::Wrong(wrong))
}

/// Parses JSON without duplicate keys. A number that cannot be represented exactly becomes a string, and the call adds a warning
/// about it.
fn value_of(text: &str) -> Result<Value, exact::JsonError> {
    // The text must be JSON before its numbers are quoted: quoting them could make invalid JSON valid.
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    match exact_numbers::quoted(text) {
        Some(quoted) if !quoted.texts.is_empty() && is_json() => exact::read(&quoted.text),
        _ => exact::read(text),
    }
}

/// A verdict that is requested through a schema: one of several names, or a number, with an optional reason. A model that
/// ignores the schema may give the verdict as plain text.
struct Asked {
    field: String,
    verdict: VerdictOf,
    /// The name of the field that holds the reason; `None` if the schema has no such field.
    reason: Option<String>,
}

enum VerdictOf {
    Names(Vec<String>),
    Scale(Scale),
}

impl Asked {
    fn of(schema: &Value) -> Option<Self> {
        let fields = schema.get("properties")?.as_object()?;
        let is_text = |field: &Value| field["type"] == "string" && field["enum"].is_null();
        let is_reason =
            |(name, field): &(&String, &Value)| answers::is_reason(name) && is_text(field);
        let mut reasons = fields.iter().filter(is_reason);
        let mut others = fields.iter().filter(|field| !is_reason(field));
        let (field, asked) = others.next()?;
        if schema["type"] != "object" || others.next().is_some() {
            return None;
        }
        let verdict = match asked["enum"].as_array() {
            Some(names) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                VerdictOf::Names(names.collect::<Option<_>>()?)
            }
            None => {
                let is_number = asked["type"] == "number" || asked["type"] == "integer";
                let scale = Scale {
                    least: asked["minimum"].as_f64(),
                    most: asked["maximum"].as_f64(),
                };
                (is_number && scale.least.is_some() && scale.most.is_some())
                    .then_some(VerdictOf::Scale(scale))?
            }
        };
        Some(Self {
            field: field.clone(),
            verdict,
            reason: reasons.next().map(|(name, _)| name.clone()),
        })
    }

    /// Returns the verdict in an answer, in the requested form; `None` if the answer has no clear verdict.
    fn read(&self, text: &str, is_cut: bool) -> Option<Value> {
        let text = match is_cut {
            false => text,
            true => json::values(text).one().ok()?,
        };
        let (value, reason) = match &self.verdict {
            VerdictOf::Names(names) => {
                let verdict = answers::choice::choice(text, names, &self.field)?;
                (Value::from(names[verdict.value].as_str()), verdict.reason)
            }
            VerdictOf::Scale(scale) => {
                let verdict = answers::rating::rating(text, *scale, &self.field)?;
                (Value::Number(verdict.value), verdict.reason)
            }
        };
        let mut fields = Map::new();
        if let Some(name) = &self.reason {
            fields.insert(name.clone(), reason.into());
        }
        fields.insert(self.field.clone(), value);
        Some(Value::Object(fields))
    }
}

/// Lists the choices by name in one sentence, or one per line if any has a description.
fn listed(request: &ModelRequest) -> String {
    let descriptions = &request.choice_descriptions;
    let names = request
        .choices
        .iter()
        .map(|choice| Value::from(choice.as_str()).to_string());
    let is_described = descriptions.iter().any(|text| !text.trim().is_empty());
    if !is_described {
        return format!(" {}. ", names.collect::<Vec<_>>().join(", "));
    }
    let described = names.enumerate().map(|(index, name)| {
        let when = descriptions.get(index).map_or("", |text| text.trim());
        // A description of several lines must not look like further choices.
        let when = when.split_whitespace().collect::<Vec<_>>().join(" ");
        match when.as_str() {
            "" => format!("- {name}"),
            when => format!("- {name}: {when}"),
        }
    });
    format!("\n{}\n", described.collect::<Vec<_>>().join("\n"))
}

/// The reason that no value could be read from an answer.
#[derive(Debug)]
pub(crate) enum Unread {
    /// The answer has the wrong form. The description is written for the model, which is asked to correct it.
    Wrong(String),
    /// The answer could not be checked.
    Failed(NodeError),
}

/// Returns the part of `text` that is probably the JSON, for the error message: the content of a code fence, otherwise the
/// text from its first bracket to its last.
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
    use serde_json::json;

    use super::*;

    fn read(wanted: &AnswerFormat, text: &str) -> Result<Option<Value>, Unread> {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(wanted.read(text, false))
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
        for text in ["**Done.**", "{\"branch\": \"Done\", \"confidence\": 0.9}"] {
            let value = read(&verdict, text).unwrap().unwrap();
            assert_eq!(value["branch"], "done", "{text}");
        }
        assert!(wrong(&verdict, "not done").contains("not JSON"));
        // JSON that is cut off has no value: its continuation is unknown.
        let cut = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(verdict.read("Verdict: done", true));
        assert!(matches!(cut, Err(Unread::Wrong(_))), "{cut:?}");
    }

    #[test]
    fn of_several_values_the_only_one_that_fits_is_read() {
        let wanted = AnswerFormat::Schema(json!({ "type": "object", "required": ["title"] }));
        let text = "You gave {\"draft\": 1}. So: {\"title\": \"Tides\"} [1]";
        assert_eq!(
            read(&wanted, text).unwrap(),
            Some(json!({ "title": "Tides" }))
        );
        let two = "{\"title\": \"a\"} {\"title\": \"b\"}";
        assert!(wrong(&wanted, two).contains("several"));
        assert!(wrong(&wanted, "{\"draft\": 1}").contains("title"));
        // Duplicate keys are an error, and a number that cannot be represented is not changed.
        let repeated = "{\"title\": \"a\", \"title\": \"b\"}";
        assert!(wrong(&AnswerFormat::Json, repeated).contains("twice"));
        let long = "{\"title\": 123456789012345678901234}";
        let kept = json!({ "title": "123456789012345678901234" });
        assert_eq!(read(&wanted, long).unwrap(), Some(kept));
    }

    #[test]
    fn a_rating_is_read_in_other_words() {
        let wanted = AnswerFormat::Schema(json!({
            "type": "object",
            "properties": {
                "reason": { "type": "string" },
                "score": { "type": "number", "minimum": 1, "maximum": 10 }
            },
            "required": ["reason", "score"],
            "additionalProperties": false,
        }));
        for text in [
            "8",
            "8/10",
            "**Score: 8**",
            "{\"score\": \"8\"}",
            "{\"score\": 8, \"confidence\": 1}",
        ] {
            assert_eq!(read(&wanted, text).unwrap().unwrap()["score"], 8, "{text}");
        }
        assert!(wrong(&wanted, "7 or 8").contains("not JSON"));
        assert!(wrong(&wanted, "{\"reason\": \"x\", \"score\": 11}").contains("/score"));
    }

    #[test]
    fn each_choice_is_listed_with_its_description() {
        let mut request = ModelRequest {
            choices: vec!["done".to_owned(), "go \"on\"".to_owned(), "stop".to_owned()],
            ..ModelRequest::default()
        };
        let said = |request: &ModelRequest| AnswerFormat::of(request).instruction(request).unwrap();
        let plain = said(&request);
        assert!(
            plain.starts_with(
                "Decide for exactly one of these: \"done\", \"go \\\"on\\\"\", \"stop\". Answer with JSON"
            ),
            "{plain}"
        );
        request.choice_descriptions = vec![
            "the draft names\n  every source ".to_owned(),
            " ".to_owned(),
        ];
        let described = said(&request);
        assert!(
            described.starts_with(
                "Decide for exactly one of these:\n- \"done\": the draft names every source\n- \"go \\\"on\\\"\"\n- \"stop\"\nAnswer with JSON"
            ),
            "{described}"
        );
        request.choice_descriptions = vec![String::new(); 3];
        assert_eq!(said(&request), plain);
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
