//! Tests that everything this computer lacks is reported before a run: by `validate`, in the editor's analysis, and when the run
//! starts.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, Focus, Severity};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{AgentRunner, Code, ProblemInfo, RunOptions, Settings, WebEngine, WebSearch};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

fn flow(nodes: &Value) -> Value {
    json!({ "schemaVersion": 1, "name": "environment", "nodes": nodes, "edges": [] })
}

fn problems(app: &Arc<App>, document: &Value) -> Vec<ProblemInfo> {
    let found = runs::validate(app.env(), document, None).unwrap();
    let analysis = api::analyze(app.env(), document.clone(), None).unwrap();
    assert_eq!(
        analysis.problems, found,
        "the editor and `validate` say the same"
    );
    found
}

/// Returns the problems of a node of this kind with this data: for each, its code, its field, and the value that a fix sets.
fn of(app: &Arc<App>, kind: &str, data: &Value) -> Vec<(String, String, Option<Value>)> {
    let document = flow(&json!([{ "id": "n", "type": kind, "data": data }]));
    problems(app, &document)
        .into_iter()
        .filter(|problem| problem.node.as_deref() == Some("n"))
        .map(|problem| {
            let fix = problem.fix.map(|fix| fix.edits[0]["value"].clone());
            (problem.code, problem.place.unwrap_or_default(), fix)
        })
        .collect()
}

fn one(code: &str, place: &str, fix: Option<&str>) -> Vec<(String, String, Option<Value>)> {
    vec![(
        code.to_owned(),
        place.to_owned(),
        fix.map(|value| json!(value)),
    )]
}

#[tokio::test]
async fn missing_tools_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), Handle::current()).unwrap();
    let tool = |name: &str| of(&app, "tool", &json!({ "tool": name, "args": {} }));
    assert_eq!(
        tool("http.requst"),
        one("unknown_tool", "tool", Some("http.request"))
    );
    assert_eq!(tool("telephone"), one("unknown_tool", "tool", None));
    assert_eq!(tool("search.web"), one("tool_unavailable", "tool", None));
    assert_eq!(
        tool("mcp:nowhere/say"),
        one("tool_unavailable", "tool", None)
    );
    assert!(tool("search.documents").is_empty() && tool("http.request").is_empty());
    assert_eq!(
        of(&app, "agent", &json!({ "runner": "clod", "prompt": "x" })),
        one("unknown_agent", "runner", None)
    );
    let agent = |name: &str, command: &str| AgentRunner {
        name: name.to_owned(),
        command: command.to_owned(),
        ..AgentRunner::default()
    };
    let settings = Settings {
        agents: vec![agent("gone", "/no/such/agent"), agent("there", "/bin/sh")],
        ..app.env().settings()
    };
    api::save_settings(app.env(), settings).unwrap();
    let runner = |name: &str| json!({ "runner": name, "prompt": "x", "session": "fresh" });
    assert_eq!(
        of(&app, "agent", &runner("gone")),
        one("agent_missing", "runner", None)
    );
    #[cfg(unix)]
    assert_eq!(of(&app, "agent", &runner("there")), []);
    let settings = Settings {
        web_search: Some(WebSearch {
            engine: WebEngine::Searxng,
            url: Some("http://127.0.0.1:9/".to_owned()),
        }),
        ..app.env().settings()
    };
    api::save_settings(app.env(), settings).unwrap();
    assert!(tool("search.web").is_empty());
}

#[tokio::test]
async fn missing_models_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), Handle::current()).unwrap();
    let llm = |data: Value| of(&app, "llm", &data);
    let plain = json!({ "prompt": "Name a colour.", "systemPrompt": "" });
    assert_eq!(llm(plain), one("model_missing", "provider", None));
    assert_eq!(
        llm(json!({ "prompt": "x", "provider": "anthropic" })),
        one("model_missing", "provider", None)
    );
    assert_eq!(
        llm(json!({ "prompt": "x", "provider": "opneai" })),
        one("unknown_provider", "provider", Some("openai"))
    );
    assert_eq!(
        llm(json!({ "prompt": "x", "builtin": "crtic" })),
        one("unknown_builtin", "builtin", Some("critic"))
    );
    // A built-in model is used. Either the node names it, or the prompt, which is known before the run, selects it.
    for known in [
        json!({ "prompt": "x", "builtin": "critic" }),
        json!({ "prompt": "x", "systemPrompt": "You are an editor." }),
    ] {
        assert!(llm(known.clone()).is_empty(), "{known}");
    }
    // The prompt is not known before the run, because it arrives by wire or contains an expression.
    for unknown in [json!({}), json!({ "prompt": "{{ 'Name a colour.' }}" })] {
        let said: Vec<_> = llm(unknown)
            .into_iter()
            .filter(|(code, ..)| code.starts_with("model_"))
            .collect();
        assert_eq!(said, one("model_uncertain", "provider", None));
    }
    let judge = json!({ "mode": "llm", "branches": ["yes", "no"] });
    let router = of(&app, "router", &judge);
    assert!(
        router.iter().all(|(code, ..)| code != "model_missing"),
        "{router:?}"
    );
    let off = json!({ "prompt": "Name a colour.", "disabled": true });
    assert!(
        llm(off)
            .iter()
            .all(|(code, ..)| !code.starts_with("model_"))
    );
}

#[tokio::test]
async fn calls_that_a_budget_would_refuse_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), Handle::current()).unwrap();
    let critic = |id: &str, most: Option<u32>| json!({ "id": id, "type": "llm", "data": { "prompt": "x", "builtin": "critic", "maxTokens": most } });
    let document = json!({
        "schemaVersion": 1,
        "name": "budget",
        "nodes": [
            critic("before", None),
            { "id": "loop", "type": "loop", "data": { "limits": { "budgetTokens": 9000 } } },
            critic("inside", None),
            critic("bounded", Some(100)),
            { "id": "sub", "type": "subflow", "data": { "flow": {
                "nodes": [
                    { "id": "in", "type": "input", "data": { "name": "text" } },
                    critic("deep", None),
                    { "id": "out", "type": "output", "data": { "name": "result" } },
                ],
                "edges": [
                    { "id": "1", "source": "in", "target": "deep", "targetHandle": "context" },
                    { "id": "2", "source": "deep", "target": "out" },
                ],
            } } },
            { "id": "exit", "type": "exit", "data": {} },
        ],
        "edges": [
            { "id": "1", "source": "before", "target": "loop" },
            { "id": "2", "source": "loop", "sourceHandle": "body", "target": "inside" },
            { "id": "3", "source": "inside", "target": "bounded" },
            { "id": "4", "source": "bounded", "target": "sub", "targetHandle": "text" },
            { "id": "5", "source": "sub", "sourceHandle": "result", "target": "exit" },
        ],
    });
    let at = |document: &Value| -> Vec<String> {
        problems(&app, document)
            .into_iter()
            .filter(|problem| problem.code == "max_tokens_missing")
            .map(|problem| {
                assert_eq!(problem.severity, Severity::Warning);
                assert_eq!(problem.place.as_deref(), Some("maxTokens"));
                problem.node.unwrap()
            })
            .collect()
    };
    assert_eq!(at(&document), ["inside", "sub/deep"]);
    let analysis = api::analyze(app.env(), document.clone(), None).unwrap();
    assert_eq!(
        (
            analysis.nodes["inside"].problems,
            analysis.nodes["sub"].problems
        ),
        (1, 1),
        "it is shown at the node, and at the one that it is inside of"
    );
    let mut whole = document;
    whole["settings"] = json!({ "budget": { "tokens": 9000 } });
    assert_eq!(at(&whole), ["before", "inside", "sub/deep"]);
}

#[tokio::test]
async fn a_run_does_not_start_without_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), Handle::current()).unwrap();
    let start = |inputs: Value, focus: Focus| {
        let options = RunOptions {
            document: flow(&json!([
                { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
                { "id": "n", "type": "input", "data": { "name": "count", "dataType": "number" } },
                { "id": "b", "type": "input", "data": { "name": "sure", "dataType": "boolean" } },
                { "id": "d", "type": "input", "data": { "name": "tone", "required": true, "default": "kind" } },
            ])),
            flow_path: None,
            inputs: inputs.as_object().cloned().unwrap_or_else(Map::new),
            approve: ApprovalPolicy::None,
            focus,
            events: Arc::new(|_| {}),
        };
        runs::start_run(app.env(), options)
    };
    for (inputs, says) in [
        (json!({}), "`text` is required and was not given"),
        // The window requires text that is not blank, and this check must require the same.
        (json!({ "text": " \n" }), "`text` is required and is blank"),
        (
            json!({ "text": "a", "tone": "" }),
            "`tone` is required and is blank",
        ),
        (
            json!({ "text": "a", "count": "7" }),
            "`count` must be a number",
        ),
        (
            json!({ "text": "a", "sure": 1 }),
            "`sure` must be true or false",
        ),
        (
            json!({ "text": "a", "txet": 1 }),
            "This flow has: text, count, sure, tone",
        ),
    ] {
        let error = start(inputs, Focus::default()).err().unwrap();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains(says), "{}", error.message);
    }
    assert!(
        records::runs(app.env(), 10, 0).unwrap().is_empty(),
        "nothing ran"
    );
    // A blank default does not count as a value. Blank text is accepted if the input is not required.
    let alone = |data: Value, inputs: Value| {
        runs::start_run(
            app.env(),
            RunOptions {
                document: flow(&json!([{ "id": "in", "type": "input", "data": data }])),
                flow_path: None,
                inputs: inputs.as_object().cloned().unwrap_or_else(Map::new),
                approve: ApprovalPolicy::None,
                focus: Focus::default(),
                events: Arc::new(|_| {}),
            },
        )
    };
    let blank = json!({ "name": "text", "required": true, "default": "" });
    let error = alone(blank.clone(), json!({})).err().unwrap();
    assert!(error.message.contains("is blank"), "{}", error.message);
    for (data, inputs) in [
        (blank, json!({ "text": "a" })),
        (json!({ "name": "text" }), json!({ "text": "" })),
        (
            json!({ "name": "text", "dataType": "json", "required": true }),
            json!({ "text": "" }),
        ),
    ] {
        let started = alone(data, inputs).unwrap();
        started.finished.await.unwrap().unwrap();
    }
    // Inputs that the run does not reach, or that are pinned, need no value.
    let until = Focus {
        until: Some("n".to_owned()),
        ..Focus::default()
    };
    let pinned = Focus {
        pins: Map::from_iter([("in".to_owned(), json!("pinned"))]),
        ..Focus::default()
    };
    for focus in [until, pinned] {
        let started = start(json!({}), focus).unwrap();
        started.finished.await.unwrap().unwrap();
    }
}
