//! Tests against simulated servers, whose answers are those of real servers with random changes from a seed. Each call ends
//! in time with an answer or a meaningful error, without the key and without a panic. `LOOPWRIGHT_TORTURE=all` tries many
//! more.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;

use std::time::{Duration, Instant};

use futures::{StreamExt as _, future, stream};
use loopwright_engine::host::{ModelContext, ModelRequest, ResponseFormat};
use loopwright_providers::ModelProvider;
use misbehaving::{Do, serve};
use serde_json::{Map, Value, json};
use speaking::{Ends, FORMATS, Format, KEY};

/// Random numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// Returns a random value to replace another one.
fn other(dice: &mut Dice) -> Value {
    let values = [
        json!(null),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(true),
        json!(""),
        json!("x"),
        json!("7"),
        json!("stop"),
        json!("error"),
        json!(KEY),
        json!([]),
        json!([null]),
        json!([7, "a", {}]),
        json!({}),
        json!({ "message": "no", "code": 429 }),
        json!({ "type": "overloaded_error" }),
        json!("<html><head><title>No</title></head></html>"),
        json!([{ "type": "text", "text": "part" }, { "type": "thinking", "thinking": [] }]),
        json!("\u{0}\u{feff}\u{200b}"),
    ];
    dice.of(&values).clone()
}

/// Changes a random part of a value.
fn change(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(fields) if !fields.is_empty() && !dice.one_in(6) => {
            let name = fields.keys().nth(dice.below(fields.len())).unwrap().clone();
            match dice.below(6) {
                0 => {
                    fields.shift_remove(&name);
                }
                1 => {
                    let with = other(dice);
                    let names = [
                        "error", "errors", "detail", "message", "code", "status", "type", "object",
                        "usage", "choices", "index", "success",
                    ];
                    fields.insert((*dice.of(&names)).to_owned(), with);
                }
                _ => change(&mut fields[&name], dice),
            }
        }
        Value::Array(items) if !items.is_empty() && !dice.one_in(4) => {
            let at = dice.below(items.len());
            match dice.below(4) {
                0 => items.push(items[at].clone()),
                1 => items.insert(at, Value::Null),
                _ => change(&mut items[at], dice),
            }
        }
        value => *value = other(dice),
    }
}

/// Returns the event with its data changed.
fn changed_event(text: &str, dice: &mut Dice) -> String {
    text.lines()
        .map(|line| match line.strip_prefix("data: ") {
            Some(data) => {
                let Ok(mut value) = serde_json::from_str::<Value>(data) else {
                    return line.to_owned();
                };
                for _ in 0..=dice.below(3) {
                    change(&mut value, dice);
                }
                format!("data: {value}")
            }
            None => line.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("\n")
        + "\n\n"
}

/// Returns a complete answer of the format, for a request without streaming.
fn in_one_piece(format: Format) -> Value {
    match format {
        Format::OpenAi | Format::Azure => {
            json!({ "id": "c", "model": "m-1", "choices": [{ "index": 0, "message": { "role": "assistant", "content": "{\"a\":1}" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } })
        }
        Format::Anthropic => {
            json!({ "id": "m", "type": "message", "role": "assistant", "model": "m-1", "content": [{ "type": "text", "text": "{\"a\":1}" }], "stop_reason": "end_turn", "usage": { "input_tokens": 7, "output_tokens": 3 } })
        }
        Format::Gemini => {
            json!({ "candidates": [{ "content": { "parts": [{ "text": "{\"a\":1}" }] }, "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 3 } })
        }
    }
}

/// Returns one random answer.
fn answer(format: Format, dice: &mut Dice) -> Vec<Do> {
    let kinds = [
        "text/event-stream",
        "application/json",
        "text/plain",
        "text/html",
        "",
        "application/x-ndjson",
        "TEXT/EVENT-STREAM;charset=utf-8",
    ];
    let statuses = [
        "200 OK", "200 OK", "200 OK", "200 OK", "200 OK", "400 Bad", "422 No", "429 Slow",
        "500 Oh", "501 No", "503 Busy", "529 Full", "204 None", "302 Away", "418 Pot",
    ];
    let mut body: Vec<u8> = if dice.one_in(3) {
        let mut whole = in_one_piece(format);
        for _ in 0..dice.below(4) {
            change(&mut whole, dice);
        }
        if dice.one_in(6) {
            serde_json::to_vec_pretty(&whole).unwrap()
        } else {
            whole.to_string().into_bytes()
        }
    } else {
        let mut events: Vec<String> = format
            .good("{\"a\":1}")
            .into_iter()
            .skip(1)
            .filter_map(|piece| match piece {
                Do::Send(bytes) => Some(String::from_utf8(bytes).unwrap()),
                _ => None,
            })
            .collect();
        if dice.one_in(4) {
            let ends = [Ends::Length, Ends::Filtered, Ends::Refused];
            for piece in format.end(*dice.of(&ends), true).into_iter().flatten() {
                if let Do::Send(bytes) = piece {
                    events.insert(
                        dice.below(events.len() + 1),
                        String::from_utf8(bytes).unwrap(),
                    );
                }
            }
        }
        for _ in 0..=dice.below(3) {
            let at = dice.below(events.len());
            match dice.below(9) {
                0 => {
                    events.remove(at);
                }
                1 => events.insert(at, events[at].clone()),
                2 => {
                    let to = dice.below(events.len());
                    events.swap(at, to);
                }
                3 => events.insert(at, ": ping\n\n".to_owned()),
                4 => events.insert(
                    at,
                    "event: error\ndata: {\"message\":\"no\"}\n\n".to_owned(),
                ),
                5 => events.insert(at, format!("data: {}\n\n", other(dice))),
                _ => events[at] = changed_event(&events[at].clone(), dice),
            }
            if events.is_empty() {
                events.push("\n".to_owned());
            }
        }
        let mut text = events.concat();
        match dice.below(6) {
            0 => text = text.replace('\n', "\r\n"),
            1 => text = text.replace("\n\n", "\n"),
            2 => text = text.replace('\n', "\r"),
            _ => {}
        }
        text.into_bytes()
    };
    match dice.below(12) {
        0 => body.truncate(dice.below(body.len() + 1)),
        1 => body.insert(
            dice.below(body.len() + 1),
            u8::try_from(dice.below(256)).unwrap(),
        ),
        2 => body.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
        3 => body.splice(0..0, *b"\n  \r\n").for_each(drop),
        4 => body.extend_from_slice(b"\x00trailing"),
        _ => {}
    }
    let kind = *dice.of(&kinds);
    let mut head = format!("HTTP/1.1 {}\r\nconnection: close\r\n", dice.of(&statuses));
    if !kind.is_empty() {
        head.push_str(&format!("content-type: {kind}\r\n"));
    }
    for header in [
        "retry-after: 0\r\n",
        "retry-after: x\r\n",
        "x-ratelimit-reset-tokens: 1h2m3.5s\r\n",
        "retry-after-ms: 1e999\r\n",
    ] {
        if dice.one_in(8) {
            head.push_str(header);
        }
    }
    head.push_str("\r\n");
    vec![Do::Send(head.into_bytes()), Do::Send(body), Do::Close]
}

fn request(dice: &mut Dice) -> ModelRequest {
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!("object"));
    ModelRequest {
        model: Some("m".to_owned()),
        system: dice.one_in(2).then(|| "Be brief.".to_owned()),
        prompt: "Hello".to_owned(),
        temperature: dice.one_in(2).then_some(0.5),
        max_tokens: dice.one_in(2).then_some(9),
        response_format: match dice.below(3) {
            0 => ResponseFormat::Json,
            1 => ResponseFormat::Schema(fields.into()),
            _ => ResponseFormat::Text,
        },
        ..ModelRequest::default()
    }
}

/// Calls the server that the seed determines. Returns a description of what is wrong with the result; `None` if nothing is.
async fn check(seed: u64) -> Option<String> {
    let mut dice = Dice(seed);
    let format = *dice.of(&FORMATS);
    // Twelve responses suffice: each refusal makes the client change one part of the request, and fewer such changes are possible.
    let scripts: Vec<_> = (0..12).map(|_| answer(format, &mut dice)).collect();
    let server = serve(scripts).await;
    let remote = format.remote(&format.address(&server));
    let began = Instant::now();
    let reply = remote
        .call(request(&mut dice), ModelContext::default())
        .await;
    let wrong = |what: String| Some(format!("seed {seed} ({format:?}): {what}"));
    if began.elapsed() > Duration::from_secs(10) {
        return wrong(format!("it took {:?}", began.elapsed()));
    }
    if format!("{reply:?}").contains(KEY) {
        return wrong(format!("the key: {reply:?}"));
    }
    if let Err(error) = &reply {
        let is_reported = error.message.chars().count() > 20 && !error.code.is_empty();
        let is_markup = error.message.to_lowercase().contains("<html");
        if !is_reported || is_markup || error.message.contains('\u{f8ff}') {
            return wrong(format!("{error:?}"));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_server_ends_in_an_answer_or_a_clear_error() {
    let many = std::env::var("LOOPWRIGHT_TORTURE").is_ok_and(|how| how == "all");
    let seeds = 0..if many { 20_000 } else { 600 };
    let wrong: Vec<String> = stream::iter(seeds)
        .map(check)
        .buffered(16)
        .filter_map(future::ready)
        .collect()
        .await;
    assert!(
        wrong.is_empty(),
        "{} servers:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
