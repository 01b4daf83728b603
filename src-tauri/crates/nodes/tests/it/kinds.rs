//! Tests of all kinds: names, documentation, schemas and defaults. Every worked example is run.

#![allow(clippy::unwrap_used, clippy::type_complexity)]

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use futures::future::BoxFuture;
use loopwright_engine::{
    Answer, ApprovalPolicy, CancellationToken, Kind, NodeContext, NodeError, NodeInput, Outcome,
    Step, Usage,
    calls::Calls,
    host::{
        ModelContext, ModelReply, ModelRequest, Models, Services, TokenSink, Tool, ToolContext,
        ToolInfo, ToolUse, Tools,
    },
    kept::Kept,
    session::UnboundedWork,
    trust::TrustLog,
};
use loopwright_model::{EffectClass, Node, Shape, kind::Example, value::to_text};
use serde_json::{Map, Value, json};

/// The primary input and the arguments with which a tool was called.
type Call = (Option<Value>, Map<String, Value>);

/// A model that answers with prepared replies in order and records its requests.
#[derive(Default)]
struct Script {
    replies: Mutex<Vec<Value>>,
    requests: Mutex<Vec<ModelRequest>>,
    calls: Mutex<Vec<Call>>,
    /// What one visit keeps for the next.
    kept: Kept,
}

impl Script {
    fn next(&self) -> Value {
        let mut replies = self.replies.lock().unwrap();
        assert!(
            !replies.is_empty(),
            "asked more often than there are replies"
        );
        replies.remove(0)
    }
}

struct Scripted(Arc<Script>);

impl Models for Scripted {
    fn call(
        &self,
        request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        self.0.requests.lock().unwrap().push(request);
        let mut answer = self.0.next();
        if let Some(code) = answer.get("fails").and_then(Value::as_str) {
            let error = NodeError::new(code.to_owned(), "It failed.");
            return Box::pin(std::future::ready(Err(error)));
        }
        let uses = answer.get_mut("uses").map(Value::take);
        let uses: Vec<ToolUse> = serde_json::from_value(uses.unwrap_or(json!([]))).unwrap();
        if !uses.is_empty() {
            answer = json!("");
        }
        Box::pin(async move {
            Ok(ModelReply {
                uses,
                text: to_text(&answer),
                json: (!answer.is_string()).then_some(answer),
                usage: Usage {
                    calls: 1,
                    input_tokens: 10,
                    output_tokens: 5,
                    ..Usage::default()
                },
                model: "script".to_owned(),
                ..ModelReply::default()
            })
        })
    }
}

impl Tools for Scripted {
    fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        (name == "command" || name.contains(['.', ':']))
            .then(|| Arc::new(Scripted(Arc::clone(&self.0))) as Arc<dyn Tool>)
    }

    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

impl Tool for Scripted {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: "script".to_owned(),
            title: String::new(),
            summary: String::new(),
            args: Value::Null,
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        let url = args.get("url")?.as_str()?;
        let server = url.split('/').nth(2)?.to_owned();
        Some(json!([server, args.get("method")]))
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        _cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.0.calls.lock().unwrap().push((input, args));
        let answer = self.0.next();
        Box::pin(async move { Ok(answer) })
    }
}

fn node(kind: &str, data: Value) -> Node {
    serde_json::from_value(json!({ "id": "node", "type": kind, "data": data })).unwrap()
}

fn script(replies: Vec<Value>) -> Arc<Script> {
    Arc::new(Script {
        replies: Mutex::new(replies),
        ..Script::default()
    })
}

/// Runs a node once, with a scope like that of the engine: `input`, `inputs`, and each wired handle by name.
fn visit(
    kind: &dyn Kind,
    node: &Node,
    inputs: Value,
    script: &Arc<Script>,
    approve: bool,
) -> Result<Outcome, NodeError> {
    visit_answered(kind, node, inputs, script, approve, None)
}

fn visit_answered(
    kind: &dyn Kind,
    node: &Node,
    inputs: Value,
    script: &Arc<Script>,
    approve: bool,
    answer: Option<Answer>,
) -> Result<Outcome, NodeError> {
    visit_allowed(kind, node, inputs, script, approve, answer, Vec::new())
}

fn visit_allowed(
    kind: &dyn Kind,
    node: &Node,
    inputs: Value,
    script: &Arc<Script>,
    approve: bool,
    answer: Option<Answer>,
    allowed: Vec<Arc<Value>>,
) -> Result<Outcome, NodeError> {
    let handles = kind.handles(&node.data);
    let Value::Object(inputs) = inputs else {
        panic!("inputs are an object")
    };
    let primary = handles
        .primary_input()
        .and_then(|handle| inputs.get(&handle.name))
        .cloned();
    let mut scope = inputs.clone();
    scope.insert("inputs".to_owned(), Value::Object(inputs.clone()));
    if let Some(value) = &primary {
        scope.insert("input".to_owned(), value.clone());
    }
    let input = NodeInput {
        input: primary.map(Arc::new),
        inputs: inputs
            .into_iter()
            .map(|(name, value)| (name.into(), Arc::new(value)))
            .collect(),
        scope: scope.into(),
        memory: Vec::new(),
    };
    let cx = NodeContext {
        path: node.id.clone(),
        services: Arc::new(Services {
            models: Arc::new(Scripted(Arc::clone(script))),
            tools: Arc::new(Scripted(Arc::clone(script))),
            resources: loopwright_engine::resources::none(),
        }),
        tokens: TokenSink::default(),
        trust_log: TrustLog::default(),
        transcript: Default::default(),
        calls: Calls::default(),
        kept: script.kept.clone(),
        unbounded_work: UnboundedWork::default(),
        cancel: CancellationToken::new(),
        approve: if approve {
            ApprovalPolicy::All
        } else {
            ApprovalPolicy::Ask
        },
        answer: answer.map(Box::new),
        allowed_calls: allowed,
        resource: None,
    };
    match kind.compile(node)?.run(&input, &cx) {
        Step::Done(result) => result,
        Step::Waiting { question, .. } => Err(NodeError::new("asks", question.to_string())),
        Step::Pending(future) => tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(future),
    }
}

fn run(
    kind: &str,
    data: Value,
    inputs: Value,
    replies: Vec<Value>,
) -> (Result<Outcome, NodeError>, Arc<Script>) {
    let kinds = loopwright_nodes::all();
    let script = script(replies);
    let node = node(kind, data);
    let result = visit(
        kinds.get(kind).unwrap().as_ref(),
        &node,
        inputs,
        &script,
        true,
    );
    (result, script)
}

#[test]
fn type_names_are_unique_and_every_kind_and_field_is_documented() {
    let kinds = loopwright_nodes::all();
    let mut names = HashSet::new();
    for kind in kinds.specs().iter() {
        let name = kind.type_name();
        assert!(names.insert(name), "{name} is there twice");
        assert!(
            !kind.title().is_empty() && !kind.icon().is_empty() && !kind.summary().is_empty(),
            "{name}"
        );
        assert!(kind.doc().ends_with('.'), "{name}: {}", kind.doc());
        let schema = kind.schema();
        assert_eq!(schema["type"], "object", "{name}: {schema}");
        documented(name, &schema);
        assert!(!schema.to_string().contains("$ref"), "{name}: {schema}");
        assert!(!schema.to_string().contains("\"null\""), "{name}: {schema}");
    }
}

fn documented(path: &str, schema: &Value) {
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{field}");
        // Only fields of list items and inner objects may lack a description.
        if !path[..path.len() - field.len() - 1].contains('.') {
            assert!(
                property["description"].is_string(),
                "{path} has no doc comment: {property}"
            );
        }
        documented(&path, property);
    }
}

#[test]
fn defaults_match_the_schema_and_need_no_correction() {
    let kinds = loopwright_nodes::all();
    for kind in kinds.specs().iter() {
        for field in kind.defaults().keys() {
            let declared = &kind.schema()["properties"][field];
            assert!(declared.is_object(), "{}.{field}", kind.type_name());
        }
        let defaults = Value::Object(kind.defaults());
        let schema = jsonschema::validator_for(&kind.schema()).unwrap();
        let errors: Vec<_> = schema
            .iter_errors(&defaults)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", kind.type_name());
        let mut problems = Vec::new();
        kind.check(&node(kind.type_name(), defaults), &mut problems);
        assert!(problems.is_empty(), "{}: {problems:?}", kind.type_name());
    }
}

#[test]
fn schemas_list_names_as_enums_with_help() {
    let kinds = loopwright_nodes::all();
    let schema = kinds.specs().get("loop").unwrap().schema();
    let exit = &schema["properties"]["exitCondition"];
    assert_eq!(
        exit["enum"],
        json!([
            "max_iterations",
            "evaluator",
            "stable_output",
            "score_plateau",
            "condition"
        ]),
        "{exit}"
    );
    assert!(exit["x-enum-help"]["evaluator"].is_string(), "{exit}");
    assert_eq!(exit["x-enum-labels"]["evaluator"], "Evaluator");
    assert_eq!(exit["default"], "max_iterations");
    assert_eq!(schema["properties"]["limits"]["type"], "object");
    let router = kinds.specs().get("router").unwrap().schema();
    assert_eq!(
        router["properties"]["provider"]["x-show-if"],
        json!({ "field": "mode", "in": ["llm"] })
    );
}

#[test]
fn every_kind_that_runs_has_examples_and_they_hold() {
    let kinds = loopwright_nodes::all();
    for spec in kinds.specs().iter() {
        let name = spec.type_name();
        let runs = match spec.shape() {
            Shape::Plain | Shape::Branching => true,
            Shape::ScopeEnd { optional_start, .. } => optional_start,
            _ => false,
        };
        // A placeholder always fails when it runs, so it has no examples.
        let gives = runs && name != "placeholder";
        assert_eq!(gives, !spec.examples().is_empty(), "{name}");
        let kind = kinds.get(name).unwrap();
        for example in spec.examples() {
            holds(kind.as_ref(), &example);
        }
        if !runs {
            let error = kind.compile(&node(name, json!({}))).err().unwrap();
            assert_eq!(error.code, "not_executable");
        }
    }
}

fn holds(kind: &dyn Kind, example: &Example) {
    let title = format!("{}: {}", kind.type_name(), example.title);
    let mut data = example.data.clone();
    data.insert("approval".to_owned(), json!("auto"));
    let node = node(kind.type_name(), Value::Object(data));
    let mut problems = Vec::new();
    kind.check(&node, &mut problems);
    assert!(problems.is_empty(), "{title}: {problems:?}");
    let script = script(example.replies.clone());
    let outcome = visit(
        kind,
        &node,
        Value::Object(example.inputs.clone()),
        &script,
        true,
    )
    .unwrap_or_else(|error| panic!("{title}: {error}"));
    assert_eq!(*outcome.value, example.gives, "{title}");
    assert_eq!(outcome.branch.as_deref(), example.branch, "{title}");
    assert!(
        script.replies.lock().unwrap().is_empty(),
        "{title}: not every reply was asked for"
    );
    let offered: Vec<_> = outcome
        .handles
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let declared = kind.handles(&node.data);
    for handle in &offered {
        assert!(
            declared.outputs.iter().any(|output| output.name == *handle),
            "{title}: {handle}"
        );
    }
    if matches!(kind.shape(), Shape::Plain) {
        assert_eq!(
            offered.len(),
            declared.outputs.len(),
            "{title}: a plain kind lists all of its handles"
        );
    }
}

#[test]
fn a_placeholder_fails_and_never_passes_a_value() {
    let kinds = loopwright_nodes::all();
    let kind = kinds.get("placeholder").unwrap();
    let error = visit(
        kind.as_ref(),
        &node("placeholder", json!({ "label": "Old step" })),
        json!({ "input": 1 }),
        &script(vec![]),
        true,
    )
    .unwrap_err();
    assert_eq!(error.code, "not_translated");
    assert!(error.message.contains("Old step"), "{error}");
}

#[test]
fn an_undecided_router_takes_its_fallback_or_fails_and_never_chooses() {
    let branches =
        json!([{ "name": "a", "when": "input == 1" }, { "name": "b", "when": "input == 2" }]);
    let (result, _) = run(
        "router",
        json!({ "branches": branches }),
        json!({ "input": 3 }),
        vec![],
    );
    assert_eq!(result.unwrap_err().code, "router_undecided");
    let (result, _) = run(
        "router",
        json!({ "branches": branches, "fallback": "b" }),
        json!({ "input": 3 }),
        vec![],
    );
    let outcome = result.unwrap();
    assert_eq!(outcome.branch.as_deref(), Some("b"));
    assert_eq!(
        outcome.handle("b").map(|value| (**value).clone()),
        Some(json!(3))
    );
    assert_eq!(outcome.value["reason"], "fallback: no rule is true");
}

#[test]
fn a_model_router_repairs_once_and_names_its_branches() {
    let data = json!({ "mode": "llm", "branches": ["done", "continue"] });
    let input = json!({ "input": "the draft" });
    let replies = vec![
        json!("well…"),
        json!({ "branch": "Done", "reason": "fine" }),
    ];
    let (result, script) = run("router", data.clone(), input.clone(), replies);
    let outcome = result.unwrap();
    assert_eq!(outcome.branch.as_deref(), Some("done"));
    assert_eq!(outcome.usage.calls, 2);
    let requests = script.requests.lock().unwrap();
    assert_eq!(requests[0].choices, ["done", "continue"]);
    assert!(
        requests[0]
            .system
            .as_deref()
            .unwrap()
            .contains("`done`, `continue`")
    );
    assert_eq!(requests[0].prompt, "the draft");
    assert!(
        requests[1].prompt.contains("well…"),
        "{}",
        requests[1].prompt
    );

    // If no branch has a description, the request has none either.
    assert!(requests[0].choice_descriptions.is_empty());

    let described = json!({ "mode": "llm", "branches": [
        "continue",
        { "name": "done", "when": "true", "description": " the draft names every source\n" }
    ] });
    let replies = vec![
        json!("hm"),
        json!({ "branch": "done", "reason": "all named" }),
    ];
    let (result, script) = run("router", described, input.clone(), replies);
    assert_eq!(result.unwrap().reason(), Some("all named"));
    for request in script.requests.lock().unwrap().iter() {
        assert_eq!(request.choices, ["continue", "done"]);
        assert_eq!(
            request.choice_descriptions,
            ["", "the draft names every source"]
        );
    }

    let twice = vec![json!("no"), json!({ "branch": "maybe" })];
    let (result, _) = run("router", data, input, twice);
    let error = result.unwrap_err();
    assert_eq!(error.code, "router_undecided");
    assert!(error.message.contains("maybe"), "{error}");
}

#[test]
fn an_llm_sends_what_is_wired_and_written() {
    let data = json!({
        "prompt": "Revise {{ draft }}",
        "systemPrompt": "You are {{ input }}.",
        "inputs": ["draft"],
        "temperature": 0.2,
        "maxTokens": 100,
        "provider": "auto",
        "builtin": "reviser"
    });
    let inputs = json!({ "prompt": "an editor", "draft": { "v": 1.0 }, "context": ["doc"] });
    let (result, script) = run("llm", data, inputs, vec![json!("done")]);
    let outcome = result.unwrap();
    let request = &script.requests.lock().unwrap()[0];
    assert_eq!(request.prompt, "Revise {\"v\":1}");
    assert_eq!(request.system.as_deref(), Some("You are an editor."));
    assert_eq!(request.context, Some(json!(["doc"])));
    assert_eq!(request.builtin.as_deref(), Some("reviser"));
    assert_eq!(
        (request.temperature, request.max_tokens),
        (Some(0.2), Some(100))
    );
    assert_eq!(
        outcome.trace.unwrap().prompt.as_deref(),
        Some("Revise {\"v\":1}")
    );
    assert_eq!(outcome.usage.input_tokens, 10);

    let (result, script) = run(
        "llm",
        json!({ "systemPrompt": "a" }),
        json!({ "prompt": "p", "system": "b" }),
        vec![json!("x")],
    );
    result.unwrap();
    assert_eq!(
        script.requests.lock().unwrap()[0].system.as_deref(),
        Some("b")
    );

    let (result, _) = run("llm", json!({}), json!({}), vec![]);
    assert_eq!(result.unwrap_err().code, "no_prompt");
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_fails() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let ask = |format: &Value, reply: Value| {
        run(
            "llm",
            json!({ "responseFormat": format }),
            json!({ "prompt": "p" }),
            vec![reply],
        )
        .0
    };
    assert_eq!(
        ask(&schema, json!("```json\n{\"n\": 1}\n```"))
            .unwrap()
            .handle("n")
            .unwrap()
            .as_i64(),
        Some(1)
    );
    assert_eq!(
        ask(&schema, json!({ "n": "x" })).unwrap_err().code,
        "response_not_matching"
    );
    assert_eq!(
        ask(&json!("json"), json!("Sure! Here it is"))
            .unwrap_err()
            .code,
        "response_not_json"
    );
}

#[test]
fn tools_render_arguments_prefer_wires_and_ask_for_consent() {
    let data = json!({
        "tool": "http.request",
        "args": { "url": "http://x/{{ input }}", "method": "GET", "headers": { "a": ["{{ input }}"] }, "body": "{{ missing }}" },
    });
    let (result, script) = run(
        "tool",
        data.clone(),
        json!({ "input": "q", "body": 7 }),
        vec![json!("ok")],
    );
    assert_eq!(*result.unwrap().value, json!("ok"));
    let (input, args) = script.calls.lock().unwrap()[0].clone();
    assert_eq!(input, Some(json!("q")));
    assert_eq!(
        Value::Object(args),
        json!({ "url": "http://x/q", "method": "GET", "headers": { "a": ["q"] }, "body": 7 })
    );

    let kinds = loopwright_nodes::all();
    let tool = kinds.get("tool").unwrap();
    let without = |data: Value| {
        visit(
            tool.as_ref(),
            &node("tool", data),
            json!({}),
            &script,
            false,
        )
        .unwrap_err()
    };
    let plain = json!({ "tool": "http.request", "args": { "url": "http://x" } });
    assert_eq!(without(plain).code, "asks");
    assert_eq!(
        without(json!({ "tool": "search.documents", "approval": "deny" })).code,
        "approval_denied"
    );
    assert_eq!(
        without(json!({ "tool": "nonsense", "approval": "auto" })).code,
        "unknown_tool"
    );
    assert_eq!(without(json!({})).code, "missing_tool");
}

#[test]
fn a_tool_that_is_allowed_for_the_run_asks_only_where_the_call_goes_elsewhere() {
    let kinds = loopwright_nodes::all();
    let called = |kind: &str, data: Value, allowed: Value| {
        let script = Arc::new(Script::default());
        let reply = json!({ "status": 200, "headers": {}, "body": "ok" });
        script.replies.lock().unwrap().push(reply);
        let done = visit_allowed(
            kinds.get(kind).unwrap().as_ref(),
            &node(kind, data),
            json!({ "input": "https://example.com/from-a-wire" }),
            &script,
            false,
            None,
            vec![Arc::new(allowed)],
        );
        done.err().map(|error| error.code)
    };
    let allowed = json!({ "url": "https://example.com/a", "method": "POST", "body": "1" });
    let asks = Some("asks".to_owned());
    for (kind, data) in [
        (
            "tool",
            json!({ "tool": "http.request", "approval": "ask", "args": { "url": "https://example.com/b", "method": "POST", "body": "2" } }),
        ),
        (
            "http_request",
            json!({ "url": "https://example.com/b", "method": "POST", "body": "2", "approval": "ask" }),
        ),
    ] {
        assert_eq!(called(kind, data.clone(), allowed.clone()), None, "{kind}");
        let elsewhere = json!({ "url": "https://example.org/a", "method": "POST", "body": "1" });
        assert_eq!(called(kind, data.clone(), elsewhere), asks, "{kind}");
        assert_eq!(called(kind, data, json!("no arguments")), asks, "{kind}");
    }
    // If the address comes from a wire, the arguments of the node do not show where the call goes.
    let by_wire =
        json!({ "tool": "http.request", "approval": "ask", "args": { "method": "POST" } });
    assert_eq!(called("tool", by_wire, json!({ "method": "POST" })), asks);
    let denied = json!({ "tool": "http.request", "approval": "deny", "args": { "url": "https://example.com/b", "method": "POST" } });
    assert_eq!(
        called("tool", denied, allowed),
        Some("approval_denied".to_owned())
    );
}

#[test]
fn a_tool_that_a_person_refuses_says_the_reason() {
    let tool =
        json!({ "tool": "files.write", "args": { "path": "a", "text": "b" }, "approval": "ask" });
    for (comment, ends) in [
        (None, "`files.write`."),
        (Some("  "), "`files.write`."),
        (
            Some(" The folder is wrong. "),
            "`files.write`: The folder is wrong.",
        ),
    ] {
        let script = Arc::new(Script::default());
        let answer = Answer {
            approved: false,
            value: None,
            comment: comment.map(str::to_owned),
            ..Default::default()
        };
        let error = visit_answered(
            loopwright_nodes::all().get("tool").unwrap().as_ref(),
            &node("tool", tool.clone()),
            json!({}),
            &script,
            false,
            Some(answer),
        )
        .unwrap_err();
        assert_eq!(error.code, "approval_rejected");
        assert!(error.message.ends_with(ends), "{}", error.message);
        assert!(script.calls.lock().unwrap().is_empty());
    }
}

#[test]
fn a_tool_is_used_with_the_arguments_that_a_person_left() {
    let kinds = loopwright_nodes::all();
    let answered = |kind: &str, data: Value, value: Option<Value>| {
        let script = Arc::new(Script::default());
        script
            .replies
            .lock()
            .unwrap()
            .push(json!({ "status": 200, "headers": {}, "body": "ok" }));
        let answer = Answer {
            approved: true,
            value,
            ..Default::default()
        };
        let done = visit_answered(
            kinds.get(kind).unwrap().as_ref(),
            &node(kind, data),
            json!({}),
            &script,
            false,
            Some(answer),
        );
        let args = script
            .calls
            .lock()
            .unwrap()
            .first()
            .map(|call| call.1.clone());
        (done.err().map(|error| error.code), args.map(Value::Object))
    };
    let tool =
        json!({ "tool": "files.write", "args": { "path": "a", "text": "b" }, "approval": "ask" });
    let edited = json!({ "path": "safe", "text": "c" });
    for (kind, data, asked) in [
        ("tool", tool.clone(), json!({ "path": "a", "text": "b" })),
        (
            "http_request",
            json!({ "url": "http://x", "approval": "ask" }),
            json!({ "url": "http://x" }),
        ),
    ] {
        for left in [None, Some(Value::Null)] {
            let (error, args) = answered(kind, data.clone(), left);
            assert_eq!(error, None);
            assert_eq!(args.unwrap()["path"], asked["path"]);
        }
        assert_eq!(
            answered(kind, data.clone(), Some(edited.clone())),
            (None, Some(edited.clone()))
        );
        assert_eq!(
            answered(kind, data, Some(json!("safe"))),
            (Some("invalid_answer".to_owned()), None)
        );
    }
}

#[test]
fn a_transform_can_insist_on_text_or_json() {
    let give = |data: Value| run("transform", data, json!({ "input": { "a": 1 } }), vec![]).0;
    assert_eq!(
        *give(json!({ "template": "{{ input }}" })).unwrap().value,
        json!({ "a": 1 })
    );
    let text = json!({ "template": "{{ input }}", "outputFormat": "text", "mode": "template" });
    assert_eq!(*give(text).unwrap().value, json!("{\"a\":1}"));
    let error = give(json!({ "template": "not {{ input }}", "outputFormat": "json" })).unwrap_err();
    assert_eq!(error.code, "not_json");
    let error = give(json!({ "template": "{{ inptu }}" })).unwrap_err();
    assert_eq!(error.code, "undefined");
    assert!(error.message.contains("\"node\""), "{error}");
}

#[test]
fn a_validator_reads_json_out_of_a_text() {
    let data = json!({ "schema": { "type": "object", "required": ["a"] } });
    let (result, _) = run(
        "validator",
        data.clone(),
        json!({ "input": "{\"a\": 1}" }),
        vec![],
    );
    let outcome = result.unwrap();
    assert_eq!(outcome.branch.as_deref(), Some("valid"));
    assert_eq!(
        outcome.handle("valid").map(|value| (**value).clone()),
        Some(json!("{\"a\": 1}"))
    );
    let (result, _) = run("validator", data, json!({ "input": "prose" }), vec![]);
    assert_eq!(result.unwrap().branch.as_deref(), Some("invalid"));
}

#[test]
fn a_check_gives_its_tool_what_is_written_and_its_templates_rendered() {
    let data = json!({
        "program": "npm", "args": ["test", "--", "{{ input }}", ""], "cwd": "shop", "env": ["TOKEN"], "stdin": "{{ input }}",
        "okExitCodes": [0, 2], "maxOutput": 9, "readOnly": true, "reportFile": "r.xml", "timeout": "PT2H", "label": "Tests"
    });
    let reply = json!({ "ok": true, "exitCode": 2, "stdout": "", "stderr": "", "report": null });
    let (outcome, script) = run("check", data, json!({ "input": "--a b" }), vec![reply]);
    assert_eq!(outcome.unwrap().branch.as_deref(), Some("passed"));
    let calls = script.calls.lock().unwrap();
    let (input, args) = &calls[0];
    assert_eq!(*input, None);
    assert_eq!(
        Value::Object(args.clone()),
        json!({
            "program": "npm", "args": ["test", "--", "--a b", ""], "cwd": "shop", "env": ["TOKEN"], "stdin": "--a b",
            "okExitCodes": [0, 2], "maxOutput": 9, "readOnly": true, "report": "auto", "reportFile": "r.xml", "timeout": 7200
        })
    );
}

#[test]
fn a_check_counts_what_its_report_says() {
    let failure = json!({ "name": "a", "message": null, "file": null, "line": null });
    let report = |failures: usize, counts: Value| json!({ "format": "cargo", "failures": vec![failure.clone(); failures], "counts": counts });
    for (ok, report, branch, says) in [
        (true, Value::Null, "passed", "passed"),
        (false, Value::Null, "failed", "failed"),
        (
            true,
            report(0, json!({ "passed": 3, "failed": 0 })),
            "passed",
            "passed: 3 tests",
        ),
        (
            false,
            report(2, json!({ "passed": 3, "failed": 2 })),
            "failed",
            "failed: 2 of 5 tests",
        ),
        (
            true,
            report(1, json!({ "passed": 3, "failed": 1 })),
            "failed",
            "failed: 1 of 4 tests",
        ),
        // All tests passed, but the exit code reports another failure.
        (
            false,
            report(0, json!({ "passed": 3, "failed": 0 })),
            "failed",
            "failed",
        ),
        // Linters and compilers report no number of tests, and a pipe may have hidden their exit code.
        (
            true,
            report(1, json!({ "passed": null, "failed": 1 })),
            "failed",
            "failed: 1 problem",
        ),
        (
            false,
            report(2, json!({ "passed": null, "failed": 7 })),
            "failed",
            "failed: 7 problems",
        ),
        (
            false,
            report(2, Value::Null),
            "failed",
            "failed: 2 problems",
        ),
        (false, report(500, Value::Null), "failed", "failed"),
    ] {
        let reply = json!({ "ok": ok, "exitCode": i32::from(!ok), "stdout": "out", "stderr": "err", "report": report });
        let (outcome, _) = run(
            "check",
            json!({ "program": "x" }),
            json!({ "input": 7 }),
            vec![reply],
        );
        let outcome = outcome.unwrap();
        assert_eq!(outcome.branch.as_deref(), Some(branch), "{report}");
        assert_eq!(outcome.checked.unwrap().to_string(), says, "{report}");
        assert_eq!(**outcome.handle(branch).unwrap(), json!(7));
        assert_eq!(outcome.handle("result").unwrap(), &outcome.value);
        assert_eq!(outcome.handles.len(), 2);
        assert_eq!(outcome.value["output"], "out\nerr");
        assert_eq!(outcome.value["passed"], branch == "passed");
    }
}

/// A model that uses tools is asked again with each result, and cannot choose the folder.
#[test]
fn a_model_uses_tools_until_it_answers() {
    let used = |name: &str, args: &str| json!({ "id": "1", "name": name, "arguments": args });
    let script = script(vec![
        json!({ "uses": [used("files_read", r#"{"path":"a","folder":"/etc"}"#), used("files_write", "{}"), used("files_edit", "{")] }),
        json!("content"),
        json!({ "uses": [used("files_edit", r#"{"path":"a","old":"x","new":"y"}"#)] }),
        json!({ "files": [] }),
        json!("Done."),
    ]);
    let data = json!({ "prompt": "Go", "tools": ["files.read", "files.edit"], "folder": "src", "session": "loop" });
    let asked = node("llm", data);
    let kinds = loopwright_nodes::all();
    let kind = kinds.get("llm").unwrap();
    assert_eq!(kind.effect(&asked.data), EffectClass::Writes);
    let reaches: Vec<_> = kind
        .reaches(&asked.data)
        .into_iter()
        .map(|reach| (reach.tool, reach.args))
        .collect();
    let folder = json!({ "folder": "src" }).as_object().unwrap().clone();
    assert_eq!(
        reaches,
        [
            ("files.read".to_owned(), folder.clone()),
            ("files.edit".to_owned(), folder)
        ]
    );
    let outcome = visit(&**kind, &asked, json!({}), &script, false).unwrap();
    assert_eq!(outcome.usage.calls, 3);
    assert_eq!(*outcome.handles[0].1, json!("Done."));
    assert_eq!(
        outcome.remember.as_deref(),
        Some(&json!({ "prompt": "Go", "answer": "Done." }))
    );
    let calls = script.calls.lock().unwrap();
    assert_eq!(
        calls[0].1,
        json!({ "path": "a", "folder": "src" })
            .as_object()
            .unwrap()
            .clone()
    );
    assert_eq!(calls.len(), 2);
    let requests = script.requests.lock().unwrap();
    let offered: Vec<&str> = requests[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(offered, ["files_read", "files_edit"]);
    let results = &requests[1].rounds[0].results;
    assert_eq!(results[0], "content");
    assert!(
        results[1].contains("there is no tool files_write") && results[2].contains("not JSON"),
        "{results:?}"
    );
    assert_eq!(requests[2].rounds.len(), 2);
}

/// A retry continues the conversation of the failed attempt. The tools do not run again, and answered calls are not paid
/// again.
#[test]
fn a_retry_repeats_only_the_model_call_that_failed() {
    let edit = r#"{"path":"a","old":"x","new":"xy"}"#;
    let used = json!({ "uses": [{ "id": "1", "name": "files_edit", "arguments": edit }] });
    let script = Arc::new(Script {
        replies: Mutex::new(vec![
            used,
            json!({ "files": [] }),
            json!({ "fails": "http_503" }),
            json!("Done."),
        ]),
        kept: Kept::new(),
        ..Script::default()
    });
    let asked = node("llm", json!({ "prompt": "Go", "tools": ["files.edit"] }));
    let kinds = loopwright_nodes::all();
    let kind = kinds.get("llm").unwrap();
    let failed = visit(&**kind, &asked, json!({}), &script, false).unwrap_err();
    assert_eq!((failed.code.as_str(), failed.usage.calls), ("http_503", 1));
    let outcome = visit(&**kind, &asked, json!({}), &script, false).unwrap();
    assert_eq!(*outcome.handles[0].1, json!("Done."));
    assert_eq!(outcome.usage.calls, 1);
    assert_eq!(script.calls.lock().unwrap().len(), 1);
    let requests = script.requests.lock().unwrap();
    let rounds: Vec<usize> = requests
        .iter()
        .map(|request| request.rounds.len())
        .collect();
    assert_eq!(rounds, [0, 1, 1]);
    let trace = serde_json::to_value(outcome.trace).unwrap().to_string();
    assert!(trace.contains("files_edit"), "{trace}");
}

#[test]
fn a_model_that_never_answers_is_stopped_and_said_to_be() {
    let again = json!({ "uses": [{ "id": "1", "name": "files_read", "arguments": "{}" }] });
    let script = script(vec![again.clone(), json!("a"), again, json!("b")]);
    let asked = node(
        "llm",
        json!({ "prompt": "Go", "tools": ["files.read"], "maxToolRounds": 2 }),
    );
    let kinds = loopwright_nodes::all();
    let kind = kinds.get("llm").unwrap();
    assert_eq!(kind.effect(&asked.data), EffectClass::Reads);
    let outcome = visit(&**kind, &asked, json!({}), &script, false).unwrap();
    assert_eq!(*outcome.handles[0].1, json!(""));
    assert_eq!(outcome.warnings[0].0, "tool_rounds_used");
}
