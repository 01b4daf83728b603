//! Scorers that ask a model, a flow, a script, a program or a person, and experiments that stop as soon as their result is
//! certain.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path, sync::Arc};

use loopwright_api::{
    App, ApprovalPolicy,
    evaluation::{file::Evaluation, result::CellResult},
};
use loopwright_experiments as experiments;
use loopwright_experiments::{ExperimentOptions, ExperimentStatus, ExperimentView};
use loopwright_runs::parse_allow;
use serde_json::{Value, json};
use server::{Server, edge, response};

use crate::server;

/// Returns a flow whose output is `word` followed by its input.
fn answering(word: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "answering",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
            { "id": "say", "type": "transform", "data": { "template": format!("{word} {{{{ input }}}}") } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [edge("1", "in", "value", "say"), edge("2", "say", "output", "out")]
    })
}

fn set_up(folder: &Path, cases: usize) {
    let rows: Vec<String> = (0..cases)
        .map(|number| json!({ "id": number.to_string(), "text": format!("case {number}"), "expected": format!("good case {number}") }).to_string())
        .collect();
    fs::write(folder.join("cases.jsonl"), rows.join("\n")).unwrap();
    fs::write(folder.join("good.flow.json"), answering("good").to_string()).unwrap();
    fs::write(folder.join("bad.flow.json"), answering("bad").to_string()).unwrap();
}

async fn experiment(
    app: &Arc<App>,
    folder: &Path,
    evaluation: Value,
    allow: &[&str],
) -> ExperimentView {
    let evaluation: Evaluation = serde_json::from_value(evaluation).unwrap();
    let allow: Vec<String> = allow.iter().map(|item| (*item).to_owned()).collect();
    let started = experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation,
            path: None,
            folder: folder.to_path_buf(),
            approve: ApprovalPolicy::None,
            allow: parse_allow(&allow, folder).unwrap(),
            progress: Arc::new(|_| {}),
        },
    )
    .unwrap();
    started.finished.await.unwrap().unwrap()
}

fn evaluation(scorers: Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "answers", "flow": "good.flow.json", "data": { "file": "cases.jsonl" },
        "variants": [{ "name": "bad", "flow": "bad.flow.json" }, { "name": "good" }],
        "scorers": scorers
    })
}

/// Starts a model server that answers as a judge, in JSON. The judge prefers texts that begin with "good".
async fn judge() -> Server {
    Server::start(|request, _| {
        let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        let asked = body["messages"].as_array().unwrap().last().unwrap()["content"]
            .as_str()
            .unwrap()
            .to_owned();
        let part = |name: &str| {
            let (_, after) = asked
                .split_once(&format!("\n{name}:\n<<<\n"))
                .unwrap_or(("", &asked));
            after.to_owned()
        };
        let said = if asked.contains("\nA:\n") {
            let better = match (part("A").starts_with("good"), part("B").starts_with("good")) {
                (true, false) => "A",
                (false, true) => "B",
                _ => "tie",
            };
            json!({ "reason": "it is good", "better": better })
        } else {
            let score = if part("Result").starts_with("good") {
                9
            } else {
                2
            };
            json!({ "reason": "by the rubric", "score": score })
        };
        let reply = json!({
            "model": body["model"],
            "choices": [{ "message": { "content": said.to_string() }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10 }
        });
        response("200 OK", "", &reply.to_string())
    })
    .await
}

fn scores(results: &[CellResult], variant: u32, scorer: usize) -> Vec<Option<f64>> {
    results
        .iter()
        .filter(|result| result.cell.variant == variant)
        .map(|result| result.scores[scorer].value)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn judges_score_each_text_once_and_their_calls_are_paid_for() {
    let server = judge().await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(&folder.path().join("data"));
    set_up(folder.path(), 3);
    fs::write(
        folder.path().join("length.flow.json"),
        json!({
            "schemaVersion": 1, "name": "length",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "result", "required": true } },
                { "id": "count", "type": "transform", "data": { "template": "{{ input | length }}" } },
                { "id": "out", "type": "output", "data": { "name": "letters", "format": "json" } }
            ],
            "edges": [edge("1", "in", "value", "count"), edge("2", "count", "output", "out")]
        })
        .to_string(),
    )
    .unwrap();
    let view = experiment(
        &app,
        folder.path(),
        evaluation(json!([
            { "name": "rated", "type": "llm", "model": "gpt-4o-mini", "rubric": "Is it {{ good }}?" },
            { "name": "preferred", "type": "pairwise", "model": "gpt-4o-mini", "rubric": "Which is good?" },
            { "name": "letters", "type": "flow", "flow": "length.flow.json" },
            { "name": "python", "type": "script", "language": "python", "code": "return result == expected" },
            { "name": "javascript", "type": "script", "language": "javascript", "code": "return { score: result.length / 10, reason: 'by length' }" },
            { "name": "luau", "type": "script", "language": "luau", "code": "return #result" },
            { "name": "program", "type": "check", "command": ["grep", "-q", "good"] }
        ])),
        &["all"],
    )
    .await;
    assert_eq!(
        view.summary.status,
        ExperimentStatus::Completed,
        "{:?}",
        view.summary.error
    );
    let (_, results) =
        experiments::experiment_results(app.experiments(), &view.summary.id).unwrap();
    let all = |value: f64| vec![Some(value); 3];
    assert_eq!(scores(&results, 0, 0), all(2.0), "{results:#?}");
    assert_eq!(scores(&results, 1, 0), all(9.0));
    assert_eq!(scores(&results, 0, 1), all(0.5), "the baseline");
    assert_eq!(scores(&results, 1, 1), all(1.0));
    assert_eq!(scores(&results, 0, 2), all(10.0));
    assert_eq!(scores(&results, 1, 2), all(11.0));
    assert_eq!(scores(&results, 0, 3), all(0.0));
    assert_eq!(scores(&results, 1, 3), all(1.0));
    assert_eq!(scores(&results, 1, 4), all(1.1));
    assert_eq!(scores(&results, 1, 5), all(11.0));
    assert_eq!(
        scores(&results, 0, 6),
        all(0.0),
        "{:?}",
        results[0].scores[6]
    );
    assert_eq!(scores(&results, 1, 6), all(1.0));
    assert_eq!(
        results[1].scores[0].reason.as_deref(),
        Some("by the rubric")
    );
    // The server rates six results, and compares three pairs in both orders.
    assert_eq!(server.calls(), 6 + 6);
    // The cost of a call: 100 tokens at $0.15 and 10 at $0.60 per million, rounded up.
    assert!(
        (view.summary.cost_usd - 12.0 * 21e-6).abs() < 1e-9,
        "{}",
        view.summary.cost_usd
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn people_rate_blind_and_judges_are_held_against_them() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    set_up(folder.path(), 4);
    let view = experiment(
        &app,
        folder.path(),
        evaluation(json!([
            { "name": "person", "type": "human" },
            { "name": "same", "type": "exact" }
        ])),
        &[],
    )
    .await;
    let id = &view.summary.id;
    assert_eq!(
        view.report.variants[0].scorers[0].unscored, 4,
        "nobody has rated yet"
    );
    let mut left = 8;
    while let Some(item) = experiments::blind_item(app.experiments(), id, "person").unwrap() {
        assert_eq!(item.left, left);
        let rating = if item.result.as_str().unwrap().starts_with("good") {
            5.0
        } else {
            1.0
        };
        experiments::rate_result(app.experiments(), id, item.cell, None, rating, "person").unwrap();
        left -= 1;
    }
    assert_eq!(left, 0);
    let view = experiments::experiment(app.experiments(), id).unwrap();
    assert_eq!(view.report.variants[1].scorers[0].mean, Some(5.0));
    let agreement = experiments::agreement(app.experiments(), id).unwrap();
    assert_eq!(agreement.len(), 1);
    assert_eq!(
        (agreement[0].judge.as_deref(), agreement[0].n),
        (Some("same"), 8)
    );
    assert_eq!(
        (agreement[0].kappa, agreement[0].alpha),
        (Some(1.0), Some(1.0))
    );
    assert!(
        experiments::rate_result(
            app.experiments(),
            id,
            loopwright_api::evaluation::result::Cell {
                case: 0,
                variant: 0,
                repetition: 0
            },
            None,
            2.5,
            "person"
        )
        .is_err()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_stops_once_its_answer_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    set_up(folder.path(), 200);
    let mut of = evaluation(json!([{ "name": "same", "type": "exact" }]));
    of["sequential"] = json!({ "range": [0, 1], "batch": 10 });
    of["margin"] = json!(0.05);
    of["concurrency"] = json!(4);
    let view = experiment(&app, folder.path(), of, &[]).await;
    assert_eq!(view.summary.status, ExperimentStatus::Stopped);
    assert!(view.summary.done < 200, "{}", view.summary.done);
    let words = view.report.stopped_early.unwrap();
    assert!(words.contains("\"good\" is better than \"bad\""), "{words}");
    assert!(
        words.contains(&format!("{} runs were not made", 400 - view.summary.done)),
        "{words}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_run_of_an_experiment_is_forked_and_compared() {
    let server = Server::echoing(std::time::Duration::ZERO, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(&folder.path().join("data"));
    set_up(folder.path(), 5);
    let ask = |id: &str, prompt: &str| json!({ "id": id, "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 100, "prompt": prompt } });
    fs::write(
        folder.path().join("two.flow.json"),
        json!({
            "schemaVersion": 1, "name": "two",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
                ask("a", "first {{ input }}"), ask("b", "second {{ input }}"),
                { "id": "out", "type": "output", "data": { "name": "result" } }
            ],
            "edges": [edge("1", "in", "value", "a"), edge("2", "a", "response", "b"), edge("3", "b", "response", "out")]
        })
        .to_string(),
    )
    .unwrap();
    let of = json!({
        "schemaVersion": 1, "name": "two", "flow": "two.flow.json", "data": { "file": "cases.jsonl" },
        "budget": { "usd": 1.0 },
        "scorers": [{ "name": "third", "type": "expression", "expression": "result is containing(pat=\"third\")" }]
    });
    let first = experiment(&app, folder.path(), of, &[]).await;
    assert_eq!(server.calls(), 10);
    let started = experiments::fork_experiment(
        app.experiments(),
        loopwright_experiments::ForkExperiment {
            experiment: first.summary.id.clone(),
            variant: None,
            at: "b".to_owned(),
            edits: vec![loopwright_runs::FieldEdit {
                node: "b".to_owned(),
                field: "prompt".to_owned(),
                value: json!("third {{ input }}"),
            }],
            approve: ApprovalPolicy::None,
            allow: Default::default(),
            progress: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let forked = started.finished.await.unwrap().unwrap();
    assert_eq!(forked.summary.status, ExperimentStatus::Completed);
    // The first call of each run is kept by its fork, so it is not repeated.
    assert_eq!(server.calls(), 15);
    assert!((forked.summary.cost_usd - first.summary.cost_usd / 2.0).abs() < 1e-9);
    let compared =
        experiments::compare_experiments(app.experiments(), &first.summary.id, &forked.summary.id)
            .unwrap();
    assert_eq!(
        (compared[0].pairs, compared[0].wins, compared[0].difference),
        (5, 5, Some(1.0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_iteration_is_rated_where_iterations_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    set_up(folder.path(), 2);
    fs::write(
        folder.path().join("grow.flow.json"),
        json!({
            "schemaVersion": 1, "name": "grow",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "text", "required": true } },
                { "id": "loop", "type": "loop", "data": { "maxIterations": 3 } },
                { "id": "add", "type": "transform", "data": { "template": "{{ input }}!" } },
                { "id": "exit", "type": "exit", "data": {} },
                { "id": "out", "type": "output", "data": { "name": "result" } }
            ],
            "edges": [edge("1", "in", "value", "loop"), edge("2", "loop", "body", "add"), edge("3", "add", "output", "exit"), edge("4", "exit", "output", "out")]
        })
        .to_string(),
    )
    .unwrap();
    let of = json!({
        "schemaVersion": 1, "name": "grow", "flow": "grow.flow.json", "data": { "file": "cases.jsonl" }, "perIteration": "loop",
        "scorers": [{ "name": "person", "type": "human" }, { "name": "length", "type": "expression", "expression": "result | length" }]
    });
    let view = experiment(&app, folder.path(), of, &[]).await;
    let id = &view.summary.id;
    let mut count = 0;
    while let Some(item) = experiments::blind_item(app.experiments(), id, "person").unwrap() {
        let marks = item.result.as_str().unwrap().matches('!').count();
        assert_eq!(Some(marks as u32 - 1), item.iteration);
        experiments::rate_result(
            app.experiments(),
            id,
            item.cell,
            item.iteration,
            (2 * marks - 1) as f64,
            "person",
        )
        .unwrap();
        count += 1;
    }
    assert_eq!(count, 6);
    let view = experiments::experiment(app.experiments(), id).unwrap();
    let curve = view.report.variants[0].curve.as_ref().unwrap();
    let means: Vec<Option<f64>> = curve.points.iter().map(|point| point.mean).collect();
    assert_eq!(means, [Some(1.0), Some(3.0), Some(5.0)]);
    assert_eq!(
        view.report.variants[0].scorers[0].mean,
        Some(5.0),
        "the last is the output"
    );
    let agreement = experiments::agreement(app.experiments(), id).unwrap();
    assert_eq!((agreement[0].n, agreement[0].kappa), (6, Some(1.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_run_of_a_variant_keeps_what_was_set() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    set_up(folder.path(), 1);
    let mut of = evaluation(json!([{ "name": "same", "type": "exact" }]));
    of["variants"] = json!([{ "name": "set", "set": { "say.template": "very good {{ input }}" } }]);
    let view = experiment(&app, folder.path(), of, &[]).await;
    let (_, results) =
        experiments::experiment_results(app.experiments(), &view.summary.id).unwrap();
    let path = folder.path().join("kept.test.json").display().to_string();
    experiments::keep_test(app.env(), &results[0].run_id, &path)
        .await
        .unwrap();
    let kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        kept["set"],
        json!({ "say.template": "very good {{ input }}" })
    );
    let outcome = experiments::run_test(app.env(), &path, &Default::default())
        .await
        .unwrap();
    assert!(outcome.passed, "{:?}", outcome.failures);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_evaluation_finds_the_column_of_the_only_input() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    set_up(folder.path(), 1);
    let mut flow = answering("good");
    flow["nodes"][0]["data"] = json!({ "name": "topic", "default": "nothing" });
    let flow_path = folder.path().join("good.flow.json").display().to_string();
    fs::write(&flow_path, flow.to_string()).unwrap();
    for (header, column) in [("id,text", "text"), ("id,sentence", "sentence")] {
        let data = folder.path().join("cases.csv");
        fs::write(&data, format!("{header}\n1,one\n2,two\n")).unwrap();
        let opened =
            experiments::new_evaluation(app.env(), &flow_path, &flow, &data.display().to_string())
                .unwrap();
        assert_eq!(
            opened
                .evaluation
                .data
                .inputs
                .get("topic")
                .map(String::as_str),
            Some(column)
        );
        assert_eq!(opened.problems, []);
    }
}
