//! Tests of answers in each protocol: separate reasoning, JSON and verdicts within other text, and empty answers.

#![allow(clippy::unwrap_used)]

use crate::misbehaving;
use crate::speaking;

use std::sync::{Arc, Mutex};

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, ResponseFormat, TokenSink},
};
use loopwright_providers::ModelProvider;
use misbehaving::{Do, Server, serve};
use serde_json::json;
use speaking::{Ends, FORMATS, Format};

fn request() -> ModelRequest {
    ModelRequest {
        model: Some("m".to_owned()),
        prompt: "Hello".to_owned(),
        ..ModelRequest::default()
    }
}

/// Returns the steps that send an answer in pieces of three letters.
fn said(format: Format, text: &str, ends: Ends) -> Vec<Do> {
    let letters: Vec<char> = text.chars().collect();
    let mut script = format.begin();
    script.extend(
        letters
            .chunks(3)
            .map(|piece| format.text(&piece.iter().collect::<String>())),
    );
    script.extend(format.end(ends, true).unwrap());
    script
}

/// Returns the result of a call, and the text that was streamed.
async fn ask(
    format: Format,
    server: &Server,
    request: ModelRequest,
) -> (Result<ModelReply, NodeError>, String) {
    let seen = Arc::new(Mutex::new(String::new()));
    let into = Arc::clone(&seen);
    let cx = ModelContext {
        tokens: TokenSink::new(move |piece| into.lock().unwrap().push_str(piece)),
        ..ModelContext::default()
    };
    let reply = format
        .remote(&format.address(server))
        .call(request, cx)
        .await;
    let seen = seen.lock().unwrap().clone();
    (reply, seen)
}

#[tokio::test]
async fn thoughts_are_no_part_of_the_answer_and_are_kept_with_it() {
    for format in FORMATS {
        for (answer, thoughts) in [
            (
                "<think>\nShe greets me.\n</think>\n\nGood.",
                "She greets me.",
            ),
            ("[THINK]She greets me.[/THINK]Good.", "She greets me."),
            (
                "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Good.",
                "Hm.",
            ),
        ] {
            let server = serve(vec![said(format, answer, Ends::Well)]).await;
            let (reply, seen) = ask(format, &server, request()).await;
            let reply = reply.unwrap();
            assert_eq!((reply.text.as_str(), seen.as_str()), ("Good.", "Good."));
            let kept = reply.raw.unwrap()["thoughts"].as_str().unwrap().to_owned();
            assert!(kept.contains(thoughts), "{format:?}: {kept}");
        }
        // The closing tag arrives without an opening tag, so the reasoning was already shown as text.
        let server = serve(vec![said(format, "Hm.\n</think>\n\nGood.", Ends::Well)]).await;
        assert_eq!(
            ask(format, &server, request()).await.0.unwrap().text,
            "Good."
        );
        let server = serve(vec![said(format, "Use <think> tags.", Ends::Well)]).await;
        let reply = ask(format, &server, request()).await.0.unwrap();
        assert_eq!(reply.text, "Use <think> tags.");
        assert_eq!(reply.raw.unwrap().get("thoughts"), None);
    }
}

#[tokio::test]
async fn json_and_verdicts_need_one_request_in_any_words() {
    for format in FORMATS {
        let text = "<think>{\"a\": 1}?</think>As in [1]:\n```json\n{\"title\": \"Tides\"}\n```\nSee [docs].";
        let server = serve(vec![said(format, text, Ends::Well)]).await;
        let json = ModelRequest {
            response_format: ResponseFormat::Json,
            ..request()
        };
        let reply = ask(format, &server, json).await.0.unwrap();
        assert_eq!(reply.json, Some(json!({ "title": "Tides" })), "{format:?}");
        assert!(
            !reply
                .warnings
                .iter()
                .any(|(code, _)| code == "answer_repaired")
        );

        let choices = ModelRequest {
            choices: vec!["done".to_owned(), "needs work".to_owned()],
            ..request()
        };
        let server = serve(vec![said(format, "**Done.**", Ends::Well)]).await;
        let reply = ask(format, &server, choices.clone()).await.0.unwrap();
        assert_eq!(reply.json.unwrap()["branch"], "done", "{format:?}");
        // If two choices are named, the model is asked once more, and the choice is not guessed.
        let server = serve(vec![
            said(format, "done or needs work", Ends::Well),
            said(format, "needs_work", Ends::Well),
        ])
        .await;
        let reply = ask(format, &server, choices).await.0.unwrap();
        assert_eq!(reply.json.unwrap()["branch"], "needs work", "{format:?}");
        assert_eq!(reply.usage.calls, 2);
    }
}

#[tokio::test]
async fn an_answer_without_a_text_is_an_error_that_says_why() {
    for format in FORMATS {
        for (answer, ends, code, words) in [
            (" \n\t", Ends::Well, "empty_answer", "has no text"),
            (
                "<think>Hm.",
                Ends::Well,
                "empty_answer",
                "only the model's reasoning",
            ),
            (
                "<think>Hm.</think>\n",
                Ends::Well,
                "empty_answer",
                "only the model's reasoning",
            ),
            ("<think>Hm.", Ends::Length, "answer_cut", "reasoning"),
            (" ", Ends::Length, "answer_cut", "before any text came"),
        ] {
            let server = serve(vec![said(format, answer, ends)]).await;
            let error = ask(format, &server, request()).await.0.unwrap_err();
            let what = format!("{format:?} {answer:?}: {error}");
            assert_eq!(error.code, code, "{what}");
            // Each of these answers counts one reasoning token, except Anthropic's.
            let is_counted = !words.contains("reasoning") && format != Format::Anthropic;
            assert!(error.message.contains(words) || is_counted, "{what}");
            assert_eq!(error.usage.calls, 1, "{what}");
            if answer.contains("Hm.") {
                assert_eq!(error.partial(), Some("Hm."), "{what}");
            }
        }
        // If JSON was required, it is requested a second time.
        let server = serve(vec![
            said(format, "<think>Hm.", Ends::Well),
            said(format, "{\"a\": 1}", Ends::Well),
        ])
        .await;
        let json = ModelRequest {
            response_format: ResponseFormat::Json,
            ..request()
        };
        let reply = ask(format, &server, json).await.0.unwrap();
        assert_eq!(reply.json, Some(json!({ "a": 1 })), "{format:?}");
        assert_eq!(reply.usage.calls, 2);
    }
}
