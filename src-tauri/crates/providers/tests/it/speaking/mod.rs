//! The wire formats from the side of a server, as their public documentation describes them.

#![allow(dead_code)] // Each test program uses only a part of this module.

use std::time::Duration;

use loopwright_providers::{Limits, Protocol, Remote, RemoteConfig, Secret};
use serde_json::{Value, json};

use crate::misbehaving::{Do, Server, event, head, plain};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    OpenAi,
    Azure,
    Anthropic,
    Gemini,
}

pub(crate) const FORMATS: [Format; 4] = [
    Format::OpenAi,
    Format::Azure,
    Format::Anthropic,
    Format::Gemini,
];

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Well,
    Length,
    Filtered,
    Refused,
}

pub(crate) const KEY: &str = "sk-very-secret-key";

fn named(name: &str, data: &Value) -> Do {
    Do::Send(format!("event: {name}\ndata: {data}\n\n").into_bytes())
}

fn chat(delta: &Value, finish: Option<&str>) -> Do {
    event(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "m-1",
        "choices": [{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]
    }).to_string())
}

impl Format {
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Azure => "azure",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::OpenAi => Protocol::ChatCompletions,
            Self::Azure => Protocol::Azure {
                api_version: "2024-10-21".to_owned(),
            },
            Self::Anthropic => Protocol::Messages,
            Self::Gemini => Protocol::GenerateContent,
        }
    }

    /// Returns the address at which a server of this format is called.
    pub(crate) fn address(self, server: &Server) -> String {
        match self {
            Self::OpenAi => server.url.clone(),
            _ => server.root().to_owned(),
        }
    }

    /// Returns a client with short timeouts.
    pub(crate) fn remote(self, address: &str) -> Remote {
        Remote::new(RemoteConfig {
            id: self.id().to_owned(),
            name: "Test".to_owned(),
            base_url: address.to_owned(),
            key: Some(Secret::new(KEY)),
            protocol: self.protocol(),
            limits: Limits {
                connect: Duration::from_secs(2),
                idle: Duration::from_millis(1000),
                progress: Duration::from_millis(1500),
                total: Duration::from_millis(3000),
                line: 64 << 10,
                body: 1 << 20,
            },
        })
        .unwrap()
    }

    /// Returns the events that precede the first text of an answer.
    pub(crate) fn begin(self) -> Vec<Do> {
        let mut out = vec![head()];
        match self {
            Self::OpenAi => out.push(chat(&json!({ "role": "assistant", "content": "", "refusal": null }), None)),
            // Azure begins with the filter results of the prompt, and no choices.
            Self::Azure => out.extend([
                event(&json!({ "choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": [] }).to_string()),
                chat(&json!({ "role": "assistant", "content": "" }), None),
            ]),
            Self::Anthropic => out.extend([
                named("message_start", &json!({ "type": "message_start", "message": {
                    "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m-1",
                    "stop_reason": null, "stop_sequence": null,
                    "usage": { "input_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2, "output_tokens": 1 }
                } })),
                named("content_block_start", &json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } })),
                named("ping", &json!({ "type": "ping" })),
            ]),
            Self::Gemini => {}
        }
        out
    }

    pub(crate) fn text(self, text: &str) -> Do {
        match self {
            Self::OpenAi | Self::Azure => chat(&json!({ "content": text }), None),
            Self::Anthropic => named("content_block_delta", &json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })),
            Self::Gemini => event(&json!({
                "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" }, "index": 0 }],
                "usageMetadata": { "promptTokenCount": 7, "totalTokenCount": 7 }, "modelVersion": "m-1", "responseId": "r-1"
            }).to_string()),
        }
    }

    /// Returns the end of an answer, with its counts if `counted`; `None` if the format has no such end.
    pub(crate) fn end(self, ends: Ends, counted: bool) -> Option<Vec<Do>> {
        let mut out = Vec::new();
        match self {
            Self::OpenAi | Self::Azure => {
                let reason = match ends {
                    Ends::Well => "stop",
                    Ends::Length => "length",
                    Ends::Filtered => "content_filter",
                    Ends::Refused => "stop",
                };
                if ends == Ends::Refused {
                    out.push(chat(
                        &json!({ "refusal": "I cannot help with that." }),
                        None,
                    ));
                }
                out.push(chat(&json!({}), Some(reason)));
                if counted {
                    out.push(event(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m-1", "choices": [], "usage": {
                        "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10,
                        "prompt_tokens_details": { "cached_tokens": 2, "audio_tokens": 0 },
                        "completion_tokens_details": { "reasoning_tokens": 1, "audio_tokens": 0 }
                    } }).to_string()));
                }
                out.push(event("[DONE]"));
            }
            Self::Anthropic => {
                let reason = match ends {
                    Ends::Well => "end_turn",
                    Ends::Length => "max_tokens",
                    Ends::Filtered => return None,
                    Ends::Refused => "refusal",
                };
                let mut delta = json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null } });
                if counted {
                    delta["usage"] = json!({ "output_tokens": 3 });
                }
                out.extend([
                    named(
                        "content_block_stop",
                        &json!({ "type": "content_block_stop", "index": 0 }),
                    ),
                    named("message_delta", &delta),
                    named("message_stop", &json!({ "type": "message_stop" })),
                ]);
            }
            Self::Gemini => {
                let reason = match ends {
                    Ends::Well => "STOP",
                    Ends::Length => "MAX_TOKENS",
                    Ends::Filtered => "SAFETY",
                    Ends::Refused => return None,
                };
                let mut last = json!({ "candidates": [{ "content": { "parts": [{ "text": "" }], "role": "model" }, "finishReason": reason, "index": 0 }], "modelVersion": "m-1" });
                if counted {
                    last["usageMetadata"] = json!({ "promptTokenCount": 7, "cachedContentTokenCount": 2, "candidatesTokenCount": 2, "thoughtsTokenCount": 1, "totalTokenCount": 10 });
                }
                out.push(event(&last.to_string()));
            }
        }
        Some(out)
    }

    /// Returns a complete good answer.
    pub(crate) fn good(self, text: &str) -> Vec<Do> {
        let mut out = self.begin();
        out.push(self.text(text));
        out.extend(self.end(Ends::Well, true).unwrap());
        out
    }

    /// Returns an error in the middle of an answer.
    pub(crate) fn error_event(self) -> Do {
        match self {
            Self::OpenAi | Self::Azure => event(&json!({ "error": { "message": "The server had an error", "type": "server_error", "code": null } }).to_string()),
            Self::Anthropic => named("error", &json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })),
            Self::Gemini => event(&json!({ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } }).to_string()),
        }
    }

    /// Returns an event that only its name identifies as an error, because its data has an unknown form.
    pub(crate) fn named_error(self) -> Do {
        named("error", &json!({ "message": "boom" }))
    }

    /// Returns the event that a server sends to show that it is alive.
    pub(crate) fn ping(self) -> Do {
        match self {
            Self::OpenAi => Do::Send(b": keep-alive\n\n".to_vec()),
            Self::Azure => chat(&json!({ "content": "" }), None),
            Self::Anthropic => named("ping", &json!({ "type": "ping" })),
            Self::Gemini => event("{}"),
        }
    }

    /// Returns a piece of a second answer; `None` if the format has only one.
    pub(crate) fn other(self, text: &str) -> Option<Do> {
        let data = match self {
            Self::OpenAi | Self::Azure => {
                json!({ "choices": [{ "index": 1, "delta": { "content": text }, "finish_reason": "length" }] })
            }
            Self::Anthropic => return None,
            Self::Gemini => {
                json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "MAX_TOKENS", "index": 1 }] })
            }
        };
        Some(event(&data.to_string()))
    }

    /// Returns an answer whose tokens the server reports as `count`.
    pub(crate) fn counting(self, text: &str, count: &str) -> Vec<Do> {
        let said = match self {
            Self::OpenAi | Self::Azure => "\"prompt_tokens\":7",
            Self::Anthropic => "\"output_tokens\":3",
            Self::Gemini => "\"candidatesTokenCount\":2",
        };
        let (name, _) = said.split_once(':').unwrap();
        let mut out = self.good(text);
        for piece in &mut out {
            if let Do::Send(bytes) = piece {
                let text = String::from_utf8(bytes.clone()).unwrap();
                *bytes = text.replace(said, &format!("{name}:{count}")).into_bytes();
            }
        }
        out
    }

    /// Returns an error response with this status, in the JSON of this provider format.
    pub(crate) fn status(self, status: &str, headers: &str, message: &str) -> Vec<Do> {
        let body = match self {
            Self::OpenAi | Self::Azure => {
                json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": null } })
            }
            Self::Anthropic => {
                json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message }, "request_id": "req_1" })
            }
            Self::Gemini => {
                json!({ "error": { "code": 400, "message": message, "status": "INVALID_ARGUMENT" } })
            }
        };
        plain(status, headers, &body.to_string())
    }

    /// Returns the refusal of a prompt that is too long, as documented for the format.
    pub(crate) fn overflow(self) -> Vec<Do> {
        match self {
            Self::OpenAi | Self::Azure => plain("400 Bad Request", "", &json!({ "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded" } }).to_string()),
            Self::Anthropic => self.status("400 Bad Request", "", "prompt is too long: 210000 tokens > 200000 maximum"),
            Self::Gemini => self.status("400 Bad Request", "", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        }
    }

    /// Returns an answer that consists only of its end.
    pub(crate) fn empty(self) -> Vec<Do> {
        match self {
            Self::OpenAi | Self::Azure => vec![head(), event(&json!({ "id": "c", "model": "m-1", "choices": [] }).to_string()), event("[DONE]")],
            Self::Anthropic => {
                let begin = self.begin();
                let mut out = begin[..2].to_vec();
                let end = self.end(Ends::Well, true).unwrap();
                out.extend_from_slice(&end[1..]);
                out
            }
            Self::Gemini => plain("200 OK", "", &json!({ "usageMetadata": { "promptTokenCount": 7, "totalTokenCount": 7 }, "modelVersion": "m-1" }).to_string()),
        }
    }

    /// Returns an answer in which one part is repeated in a detectable way.
    pub(crate) fn twice(self) -> Vec<Do> {
        let mut out = self.begin();
        out.push(self.text("Once."));
        match self {
            // The end, followed by text again.
            Self::OpenAi | Self::Azure => out.extend([chat(&json!({}), Some("stop")), self.text("Once.")]),
            // The block begins again.
            Self::Anthropic => out.push(named("content_block_start", &json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }))),
            Self::Gemini => out.push(event(&json!({ "candidates": [{ "content": 3 }] }).to_string())),
        }
        out
    }
}
