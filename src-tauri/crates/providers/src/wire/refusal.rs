//! Repeats a request without the part that the server refused. Determines what a refusal is about, and remembers it.
//!
//! Servers that refuse a feature (streaming, the role of the instructions, a schema, a setting) say so in different words
//! and with different statuses. The call is repeated without that feature. The refusal is remembered for the server's model
//! until the program exits, so that a loop does not pay for two requests per answer.

use serde_json::{Map, Value};

use super::{
    said::Said,
    without::{Change, Form, MaxTokens, Scope, Without},
};
use crate::structured::AnswerFormat;

/// Returns whether a request contains a field, either directly or in Gemini's `generationConfig`.
fn sends(body: &Map<String, Value>, name: &str) -> bool {
    body.contains_key(name)
        || body
            .get("generationConfig")
            .is_some_and(|config| config.get(name).is_some())
}

fn has_system(body: &Map<String, Value>) -> bool {
    let first = body.get("messages").and_then(|messages| messages.get(0));
    sends(body, "system")
        || sends(body, "systemInstruction")
        || first.is_some_and(|first| first["role"] == "system")
}

fn is_streamed(body: &Map<String, Value>, without: &Without) -> bool {
    !without.stream && (sends(body, "stream") || sends(body, "contents"))
}

/// The request that was refused.
pub(super) struct Request<'r> {
    pub(super) body: &'r Map<String, Value>,
    pub(super) without: Without,
    pub(super) wanted: &'r AnswerFormat,
}

impl Request<'_> {
    /// Returns what to leave out after a refusal, or `None` if the refusal is about something else.
    ///
    /// If the status means a bad request, it is enough that the message names a field. With any other status, the message
    /// could be about anything, so it must also say that something is refused.
    pub(super) fn refused(&self, status: Option<u16>, said: &Said) -> Option<Change> {
        if matches!(status, Some(401 | 402 | 408 | 429 | 529)) {
            return None;
        }
        let is_wrong_request = matches!(status, None | Some(400 | 405 | 406 | 415 | 422));
        if !is_wrong_request && !said.refuses() {
            return None;
        }
        let Self { body, without, .. } = *self;
        if sends(body, "stream_options") && said.names(&["streamoptions", "includeusage"]) {
            return Some(Change::StreamOptions);
        }
        if let Some(change) = self.form(said) {
            return Some(change);
        }
        if let Some(max_tokens) = self.max_tokens(said) {
            return Some(Change::MaxTokens(max_tokens));
        }
        if sends(body, "temperature") && said.names(&["temperature"]) {
            return Some(Change::Temperature);
        }
        if has_system(body) && is_about_system(said) {
            return Some(Change::System);
        }
        (is_streamed(body, &without) && is_about_streaming(said)).then_some(Change::Stream)
    }

    /// Returns the form in which to request the answer next, or `None` if the refusal is not about the form.
    fn form(&self, said: &Said) -> Option<Change> {
        let Self { body, without, .. } = *self;
        let to = |form: Form, scope: Scope| Some(Change::Form(form, scope));
        if sends(body, "tools") {
            if sends(body, "tool_choice") && said.names(&["toolchoice"]) {
                return to(Form::Json, Scope::Model);
            }
            let named = said.names(&["inputschema", "tooluse", "functioncalling"])
                || (said.names(&["tools", "tool"]) && said.refuses());
            return if named {
                to(Form::Words, Scope::Model)
            } else {
                None
            };
        }
        if !sends(body, "response_format") && !sends(body, "responseMimeType") {
            return None;
        }
        // The server supports this form, but the model failed to produce it this time.
        if said.names(&[
            "jsonvalidatefailed",
            "failedtogeneratejson",
            "failedtovalidatejson",
        ]) {
            return to(Form::Words, Scope::Answer);
        }
        if said.names(&["responsemimetype", "jsonmode"]) {
            return to(Form::Words, Scope::Model);
        }
        let is_schema =
            without.form == Form::Schema && matches!(self.wanted, AnswerFormat::Schema(_));
        let of_schema = is_schema
            && (said.names(&[
                "grammar",
                "toomanystates",
                "invalidschema",
                "invalidjsonschema",
                "schemaforresponseformat",
                "schemaisinvalid",
                "unsupportedschema",
                "unsupportedkeyword",
                "guideddecoding",
                "structuraltag",
            ]) || (said.names(&["schema"])
                && said.has(&["$ref", "keyword", "pattern", "states", "nesting", "propert"])));
        let named = of_schema
            || said.names(&[
                "responseformat",
                "responseschema",
                "responsejsonschema",
                "jsonschema",
                "jsonobject",
                "structuredoutput",
                "guidedjson",
                "guideddecoding",
                "xgrammar",
                "outputformat",
            ]);
        if !named {
            return None;
        }
        // If the server says that it supports any JSON, this is requested next. It is also requested next if the schema has
        // its own field, which can be left out on its own.
        let other = is_schema && (said.names(&["jsonobject"]) || sends(body, "responseMimeType"));
        let scope = if of_schema {
            Scope::Schema
        } else {
            Scope::Model
        };
        to(if other { Form::Json } else { Form::Words }, scope)
    }

    fn max_tokens(&self, said: &Said) -> Option<MaxTokens> {
        let sent = |name| sends(self.body, name);
        if sent("max_tokens") && said.names(&["maxtokens"]) {
            let renamed = said.names(&["maxcompletiontokens"]) && !is_too_large(said);
            return Some(if renamed {
                MaxTokens::Renamed
            } else {
                MaxTokens::LeftOut
            });
        }
        let other = (sent("max_completion_tokens")
            && said.names(&["maxcompletiontokens", "maxtokens"]))
            || (sent("maxOutputTokens") && said.names(&["maxoutputtokens"]));
        other.then_some(MaxTokens::LeftOut)
    }
}

/// Returns whether the server refuses the token limit because it is too large, as in `'max_tokens' or 'max_completion_tokens'
/// is too large`.
pub(super) fn is_too_large(said: &Said) -> bool {
    said.names(&["maxtokensistoolarge", "maxcompletiontokensistoolarge"])
}

fn is_about_system(said: &Said) -> bool {
    let role =
        |param: &str| param.contains("role") && param.contains("messages") && param.contains('0');
    // Some models have no role for instructions. Their chat templates treat the instructions as the first turn.
    said.names(&[
        "rolesmustalternate",
        "mustalternatebetweenuser",
        "onlyuserandassistant",
        "onlyuserassistant",
    ]) || ((role(&said.param) || said.names(&["messages0role"])) && said.refuses())
        || (said.refuses()
            && said.names(&[
                "systemrole",
                "rolesystem",
                "rolessystem",
                "systemmessage",
                "systemprompt",
                "systeminstruction",
                "developerinstruction",
                "developermessage",
                "developerrole",
                "roledeveloper",
                "systemextrainputs",
            ]))
}

fn is_about_streaming(said: &Said) -> bool {
    if said.param == "stream" {
        return true;
    }
    let is_word = said
        .words
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .any(|word| {
            matches!(
                word,
                "stream" | "streaming" | "streamed" | "streams" | "streamgeneratecontent"
            )
        });
    is_word
        && said.has(&[
            "support",
            "not permitted",
            "not allowed",
            "not enabled",
            "not available",
            "not implemented",
            "must be false",
            "must be set to false",
            "should be false",
            "must be verified",
            "disabled",
            "extra inputs",
            "extra fields",
            "unknown",
            "unrecognized",
            "cannot stream",
            "can't stream",
            "only non",
            "invalid value",
            "forbidden",
            "literal_error",
        ])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a body with every field that a request can have.
    fn body() -> Map<String, Value> {
        let body = json!({
            "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "u" }], "stream": true,
            "stream_options": {}, "temperature": 0.7, "max_tokens": 9, "response_format": { "type": "json_schema" },
        });
        body.as_object().unwrap().clone()
    }

    fn refused(status: u16, said: &str) -> Option<Change> {
        let wanted = AnswerFormat::Schema(json!({ "type": "object" }));
        let body = body();
        let request = Request {
            body: &body,
            without: Without::default(),
            wanted: &wanted,
        };
        request.refused(Some(status), &Said::of(said))
    }

    #[test]
    fn a_refusal_is_about_one_thing() {
        let error = |message: &str, param: &str| {
            json!({ "error": { "message": message, "param": param } }).to_string()
        };
        for (status, said, change) in [
            (400, error("Your organization must be verified to stream this model.", "stream"), Change::Stream),
            (400, error("Streaming is not supported for this model", ""), Change::Stream),
            (501, error("stream: not implemented", ""), Change::Stream),
            (422, json!({ "detail": [{ "type": "literal_error", "loc": ["body", "stream"], "msg": "Input should be False", "input": true }] }).to_string(), Change::Stream),
            (400, error("System role not supported", ""), Change::System),
            (500, error("Jinja Exception: System role not supported", ""), Change::System),
            (400, error("Developer instruction is not enabled for models/gemma-3-27b-it", ""), Change::System),
            (400, error("Conversation roles must alternate user/assistant/user/assistant/...", ""), Change::System),
            (400, error("Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role"), Change::System),
            (400, error("Only user and assistant roles are supported!", ""), Change::System),
            (400, error("Unsupported value: 'temperature' does not support 0.7 with this model.", "temperature"), Change::Temperature),
            (400, error("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"), Change::MaxTokens(MaxTokens::Renamed)),
            (400, error("max_tokens is too large: 9000", "max_tokens"), Change::MaxTokens(MaxTokens::LeftOut)),
            (400, json!({ "object": "error", "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'temperature': 1}}]", "code": 400 }).to_string(), Change::StreamOptions),
            (400, error("Failed to initialize samplers: failed to parse grammar", ""), Change::Form(Form::Words, Scope::Schema)),
            (400, error("This response_format type is unavailable now", ""), Change::Form(Form::Words, Scope::Model)),
            (500, error("response_format type must be one of \"text\" or \"json_object\", but got: json_schema", ""), Change::Form(Form::Json, Scope::Model)),
            (500, json!({ "error": { "message": "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}]", "type": "internal_server_error", "param": null, "code": null } }).to_string(), Change::Form(Form::Json, Scope::Model)),
            (400, error("Failed to generate JSON. Please adjust your prompt.", ""), Change::Form(Form::Words, Scope::Answer)),
        ] {
            assert_eq!(refused(status, &said), Some(change), "{status} {said}");
        }
    }

    #[test]
    fn what_went_wrong_is_no_refusal() {
        for (status, said) in [
            (500, "the upstream stream was closed"),
            (502, "error while reading the response stream"),
            (500, "Internal Server Error"),
            (503, "The model is overloaded"),
            (
                429,
                "Rate limit reached: streaming is not supported on your plan",
            ),
            (401, "Incorrect API key provided"),
            (400, "messages: at least one message is required"),
            (500, "temperature of the GPU reached 90 C"),
        ] {
            assert_eq!(refused(status, said), None, "{said}");
        }
        // Validators repeat a part of the prompt.
        let said = json!({ "detail": [{ "loc": ["body", "messages", 1, "content"], "msg": "too short", "input": "the temperature is not supported" }] });
        assert_eq!(refused(422, &said.to_string()), None);
    }
}
