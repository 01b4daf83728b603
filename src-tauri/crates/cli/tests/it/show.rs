//! `runs show` while another process writes the run, and after that process was killed.

#![allow(clippy::unwrap_used)]

use crate::program;
use crate::server;

use std::{
    fs,
    path::Path,
    process::Child,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use program::{plain, program};
use serde_json::{Value, json};
use server::{Server, completion};

/// The time that a model takes to answer, long enough to read the run in the middle of a call.
const PAUSE: Duration = Duration::from_secs(1);

/// Returns a loop of five calls under a budget, with a condition that is never met.
pub(crate) fn slow() -> Value {
    let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "data": data });
    let edge = |id: &str, source: &str, handle: &str, target: &str| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target });
    json!({
        "schemaVersion": 1,
        "name": "slow",
        "settings": { "budget": { "usd": 1.0 } },
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "go" })),
            node("refine", "loop", json!({
                "exitCondition": "condition",
                "condition": { "until": "loopCount > 9", "test": "after" },
            })),
            node("draft", "llm", json!({ "provider": "openai", "model": "gpt-4.1-mini", "maxTokens": 20 })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "result" })),
        ],
        "edges": [
            edge("1", "in", "value", "refine"),
            edge("2", "refine", "body", "draft"),
            edge("3", "draft", "response", "exit"),
            edge("4", "exit", "output", "out"),
        ],
    })
}

/// A run of [`slow`] in progress, in its own folder.
struct Under {
    server: Server,
    folder: tempfile::TempDir,
    child: Child,
}

impl Under {
    fn way() -> Self {
        Self::with(Server::start(PAUSE), &slow())
    }

    fn with(server: Server, document: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flow = folder.path().join("slow.json");
        fs::write(&flow, document.to_string()).unwrap();
        let args = ["run", flow.to_str().unwrap()];
        let child = program(&server.url, &folder.path().join("data"), &args)
            .spawn()
            .unwrap();
        Self {
            server,
            folder,
            child,
        }
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    fn show(&self) -> Value {
        json_of(&self.server, &self.data(), &["runs", "show", "last"])
    }

    /// Returns what `runs show` prints during the model call of the third iteration. An iteration starts before its call is
    /// sent, so the right moment is when the server has received the call.
    fn third(&self) -> Value {
        let until = Instant::now() + Duration::from_secs(30);
        while self.server.calls() < 3 {
            assert!(Instant::now() < until, "{}", self.show());
            thread::sleep(Duration::from_millis(30));
        }
        let shown = self.show();
        assert_eq!(
            shown["progress"]["iterations"][0]["iteration"], 3,
            "{shown}"
        );
        shown
    }
}

impl Drop for Under {
    fn drop(&mut self) {
        // The test may have killed the process already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn json_of(server: &Server, data: &Path, args: &[&str]) -> Value {
    let output = program(&server.url, data, args).output().unwrap();
    // At first the run is not in the store, and nothing is printed.
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

#[test]
fn says_how_far_a_run_is_that_another_process_writes() {
    let run = Under::way();
    let shown = run.third();
    assert_eq!(shown["status"], "running");
    let open = &shown["progress"]["iterations"][0];
    assert_eq!(
        (&open["path"], &open["of"], &open["condition"]),
        (&json!("refine"), &json!(5), &json!(false))
    );
    let refine = &shown["loops"]["refine"];
    assert_eq!(refine["count"], 2);
    assert_eq!(refine["exitReason"], Value::Null);
    assert_eq!(refine["iterations"].as_array().unwrap().len(), 2);
    assert_eq!(open["lastResult"], refine["iterations"][1]);
    assert!(shown["progress"]["elapsedMs"].as_u64().unwrap() >= 2_000);
    assert_eq!(shown["usage"]["calls"], 2);
    assert_eq!(shown["budget"]["usd"], 1.0);
    assert!(shown["budget"]["spentUsd"].as_f64().unwrap() > 0.0);
    assert!(shown["budget"]["reservedUsd"].as_f64().unwrap() > 0.0);
}

#[test]
fn says_how_full_the_context_is_and_that_the_next_prompt_will_not_fit() {
    let calls = AtomicU64::default();
    let server = Server::answering(move |request| {
        thread::sleep(PAUSE);
        let mut answer = completion(request);
        let number = calls.fetch_add(1, Ordering::SeqCst);
        answer["usage"]["prompt_tokens"] = json!(4_000 + 2_500 * number);
        answer
    });
    let mut flow = slow();
    flow["settings"] = json!({});
    flow["nodes"][2]["data"] = json!({ "provider": "openai", "model": "gpt-4" });
    let mut run = Under::with(server, &flow);
    let shown = run.third();
    let prompt = |iteration: u32, tokens: u32| json!({ "iteration": iteration, "node": "draft", "model": "openai/gpt-4", "tokens": tokens, "window": 8_192 });
    let mut third = prompt(3, 9_000);
    third["estimated"] = json!(true);
    let warning = "Iteration 3 will not fit: its prompt will be about 9,000 tokens, and gpt-4 takes 8,192. Reduce what the loop appends (Keep), or choose a model with a larger context.";
    assert_eq!(
        shown["loops"]["refine"]["context"],
        json!({ "iterations": [prompt(1, 4_000), prompt(2, 6_500), third], "warning": warning })
    );
    let text = |args: &[&str]| {
        let output = plain(&run.server.url, &run.data(), args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = text(&["runs", "show", "last"]);
    for line in [
        "prompt 4,000 of 8,192 tokens (49%)",
        &format!("warning  refine: {warning}"),
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let step = text(&["runs", "show", "last", "--iteration", "refine[2]/draft"]);
    assert!(
        step.contains("  prompt 6,500 of 8,192 tokens (79%)\n"),
        "{step}"
    );
    // A loop that does not continue needs no warning.
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    let shown = run.show();
    assert_eq!(shown["status"], "interrupted");
    assert_eq!(
        shown["loops"]["refine"]["context"],
        json!({ "iterations": [prompt(1, 4_000), prompt(2, 6_500)] })
    );
}

#[test]
fn a_killed_run_is_interrupted_at_the_first_look_and_keeps_what_it_used() {
    let mut run = Under::way();
    run.third();
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    let shown = run.show();
    assert_eq!(shown["status"], "interrupted", "{shown}");
    // The third call was in progress.
    assert_eq!(shown["usage"]["calls"], 3);
    assert_eq!(shown["usage"]["cutOffCalls"], 1);
    assert_eq!(shown["usage"]["costUsd"], Value::Null);
    assert_eq!(shown["progress"]["iterations"][0]["iteration"], 3);
    let listed = json_of(&run.server, &run.data(), &["runs", "list"]);
    assert_eq!(listed[0]["status"], "interrupted");
    assert_eq!(listed[0]["usage"]["calls"], 3);
    let resumed = json_of(&run.server, &run.data(), &["runs", "resume", "last"]);
    assert_eq!(resumed["status"], "completed", "{resumed}");
    assert_eq!(resumed["loops"]["refine"]["count"], 5);
    assert_eq!(resumed["usage"]["calls"], 5);
    assert_eq!(resumed["progress"], Value::Null);
    // The third call was cut off and repeated.
    assert_eq!(run.server.calls(), 6);
}

#[test]
fn says_when_a_loop_reached_an_exit_that_does_not_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "data": data });
    let edge = |id: &str, source: &str, handle: &str, target: &str, to: Value| json!({ "id": id, "source": source, "sourceHandle": handle, "target": target, "targetHandle": to });
    let flow = |exit: &str| {
        json!({
            "schemaVersion": 1,
            "name": "past its exit",
            "nodes": [
                node("in", "input", json!({ "name": "text", "default": "go" })),
                node("refine", "loop", json!({ "maxIterations": 3, "exitCondition": exit })),
                node("judge", "router", json!({ "branches": [
                    { "name": "done", "when": "loopCount > 1" },
                    { "name": "continue", "when": "true" },
                ] })),
                node("more", "transform", json!({ "template": "{{ input }}!" })),
                node("exit", "exit", json!({})),
                node("out", "output", json!({ "name": "result" })),
            ],
            "edges": [
                edge("1", "in", "value", "refine", Value::Null),
                edge("2", "refine", "body", "judge", Value::Null),
                edge("3", "judge", "done", "exit", Value::Null),
                edge("4", "judge", "continue", "more", Value::Null),
                edge("5", "more", "output", "refine", json!("feedback")),
                edge("6", "exit", "output", "out", Value::Null),
            ],
        })
    };
    let shown = |exit: &str| {
        let data = folder.path().join(exit);
        let file = folder.path().join(format!("{exit}.json"));
        fs::write(&file, flow(exit).to_string()).unwrap();
        let run = |args: &[&str]| {
            let output = plain("http://127.0.0.1:9", &data, args).output().unwrap();
            (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        let ran = run(&["run", file.to_str().unwrap()]);
        assert!(ran.0.contains("go!"), "{ran:?}");
        (
            run(&["runs", "show", "last"]).0,
            run(&["validate", file.to_str().unwrap()]).0,
        )
    };
    let (run, checked) = shown("max_iterations");
    assert!(
        run.contains(
            "refine  3 iterations, max iterations; Exit reached in iteration 2, but the loop runs all 3\n"
        ),
        "{run}"
    );
    assert!(checked.contains("exit_ignored"), "{checked}");
    let (run, checked) = shown("evaluator");
    assert!(
        run.contains("refine  2 iterations, evaluator satisfied\n"),
        "{run}"
    );
    assert!(!checked.contains("exit_ignored"), "{checked}");
}
