//! An experiment also produces the results for every smaller cap, and a back-test computes the result of a run under another
//! policy. Both are compared with real runs.

#![allow(clippy::unwrap_used)]

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use loopwright_api::{
    App, ApprovalPolicy,
    evaluation::{
        file::Evaluation,
        policy::{Policy, Stop},
        recorded::{Ended, RecordedLoop},
        result::{CellResult, CellStatus},
    },
};
use loopwright_engine::{ExitFamily, ExitReason};
use loopwright_experiments as experiments;
use loopwright_experiments::{Cells, ExperimentOptions, ExperimentStatus, ExperimentView};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use server::{Server, edge, response};

use crate::server;

fn write(folder: &Path, name: &str, value: &Value) {
    fs::write(folder.join(name), value.to_string()).unwrap();
}

fn write_lines(folder: &Path, name: &str, rows: &[Value]) {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    fs::write(folder.join(name), lines.join("\n")).unwrap();
}

async fn experiment(app: &Arc<App>, folder: &Path, evaluation: Value) -> ExperimentView {
    let evaluation: Evaluation = serde_json::from_value(evaluation).unwrap();
    let started = experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation,
            path: None,
            folder: folder.to_path_buf(),
            approve: ApprovalPolicy::None,
            allow: Default::default(),
            progress: Arc::new(|_| {}),
        },
    )
    .unwrap();
    started.finished.await.unwrap().unwrap()
}

fn results(app: &Arc<App>, view: &ExperimentView) -> Vec<CellResult> {
    let (_, results) =
        experiments::experiment_results(app.experiments(), &view.summary.id).unwrap();
    for result in &results {
        assert_eq!(result.status, CellStatus::Completed, "{:?}", result.error);
    }
    results
}

/// Returns a loop whose draft and critique are model calls.
fn drafts(refine: Value, evaluator: bool) -> Value {
    let llm = |id: &str| json!({ "id": id, "type": "llm", "data": { "model": "gpt-4o-mini", "maxTokens": 200, "prompt": "{{ input }}" } });
    let mut nodes = vec![
        json!({ "id": "in", "type": "input", "data": { "name": "text", "required": true } }),
        json!({ "id": "refine", "type": "loop", "data": refine }),
        llm("draft"),
        llm("critique"),
        json!({ "id": "exit", "type": "exit", "data": {} }),
        json!({ "id": "out", "type": "output", "data": { "name": "result" } }),
    ];
    let mut edges = vec![
        edge("1", "in", "value", "refine"),
        edge("2", "refine", "body", "draft"),
        edge("6", "exit", "output", "out"),
    ];
    let mut back = edge("5", "critique", "response", "refine");
    back["targetHandle"] = json!("feedback");
    edges.push(back);
    if evaluator {
        nodes.push(json!({ "id": "enough", "type": "router", "data": { "mode": "rules", "branches": [
            { "name": "done", "when": "draft.response | length >= 14" }, { "name": "continue", "when": "true" }] } }));
        edges.push(edge("3", "draft", "response", "enough"));
        edges.push(edge("4", "enough", "done", "exit"));
        edges.push(edge("7", "enough", "continue", "critique"));
    } else {
        edges.push(edge("3", "draft", "response", "exit"));
        edges.push(edge("4", "draft", "response", "critique"));
    }
    json!({ "schemaVersion": 1, "name": "drafts", "nodes": nodes, "edges": edges })
}

/// Starts a server that appends two letters to the text until it has a length that depends on its first letter. The cases
/// therefore need different numbers of iterations.
async fn growing() -> Server {
    Server::start(|request, _| {
        let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        let asked = body["messages"][0]["content"].as_str().unwrap().to_owned();
        let most = 6 + 2 * usize::from(asked.as_bytes()[0] - b'a');
        let mut said = asked.clone();
        if said.len() < most {
            said.push_str("xy");
        }
        let reply = json!({
            "model": body["model"],
            "choices": [{ "message": { "content": said }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": asked.len() * 100, "completion_tokens": said.len() * 10 }
        });
        response("200 OK", "", &reply.to_string())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_curve_of_one_experiment_is_what_runs_with_each_cap_give() {
    let server = growing().await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(&folder.path().join("data"));
    let rows: Vec<Value> = ["a", "b1", "c", "d", "e", "f22", "g", "h"]
        .map(|text| json!({ "id": text, "text": text }))
        .to_vec();
    write_lines(folder.path(), "cases.jsonl", &rows);
    let loops = [
        (
            "evaluator",
            json!({ "exitCondition": "evaluator", "feedbackMode": "replace" }),
            true,
        ),
        (
            "stable",
            json!({ "exitCondition": "stable_output", "stabilityThreshold": 0.9, "feedbackMode": "replace" }),
            false,
        ),
        (
            "after",
            json!({ "exitCondition": "condition", "feedbackMode": "replace",
                "condition": { "until": "result | length > 12", "test": "after" } }),
            false,
        ),
        (
            "before",
            json!({ "exitCondition": "condition", "feedbackMode": "replace",
                "condition": { "until": "input | length > 12", "test": "before" } }),
            false,
        ),
        (
            "best",
            json!({ "exitCondition": "max_iterations", "feedbackMode": "replace", "result": "best",
                "score": "10 - (result | length)" }),
            false,
        ),
    ];
    for (name, refine, evaluator) in loops {
        write(
            folder.path(),
            "drafts.flow.json",
            &drafts(refine, evaluator),
        );
        let caps: Vec<u32> = (1..=6).collect();
        let variants: Vec<Value> = caps
            .iter()
            .map(|cap| json!({ "name": format!("cap {cap}"), "set": { "refine.maxIterations": cap } }))
            .collect();
        let view = experiment(
            &app,
            folder.path(),
            json!({
                "schemaVersion": 1, "name": name, "flow": "drafts.flow.json", "data": { "file": "cases.jsonl" },
                "variants": variants, "perIteration": "refine",
                "scorers": [
                    { "name": "length", "type": "expression", "expression": "result | length" },
                    { "name": "ends", "type": "expression", "expression": "run.exitReason == \"max_iterations\"" },
                    { "name": "dear", "type": "expression", "expression": "run.costUsd * 1000000" }
                ]
            }),
        )
        .await;
        let results = results(&app, &view);
        let of = |variant: usize, case: usize| {
            results
                .iter()
                .find(|result| {
                    result.cell.variant as usize == variant && result.cell.case as usize == case
                })
                .unwrap()
        };
        let mut ended_early = 0;
        for case in 0..rows.len() {
            let full = of(5, case);
            ended_early += u32::from(full.iterations.len() < 6);
            for (at, cap) in caps.iter().enumerate() {
                let capped = of(at, case);
                let place = format!("{name}, cap {cap}, case {case}");
                let Some(last) = full.iterations.len().checked_sub(1) else {
                    // The run has no iterations, so the cap makes no difference.
                    assert_eq!(capped.scores, full.scores, "{place}");
                    assert_eq!(capped.spent, full.spent, "{place}");
                    continue;
                };
                let here = &full.iterations[(*cap as usize - 1).min(last)];
                assert_eq!(here.scores, capped.scores, "{place}: scores");
                assert_eq!(here.spent, capped.spent, "{place}: cost");
                assert!(capped.spent.micro_usd > 0, "{place}");
            }
        }
        if name != "best" {
            assert!(
                (1..8).contains(&ended_early),
                "{name}: some loops end before the cap, some do not"
            );
        }
        // The report's points are the means of those results.
        let curve = view.report.variants[5].curve.as_ref().unwrap();
        for point in &curve.points {
            let capped = &view.report.variants[point.k as usize - 1];
            assert_eq!(
                point.mean, capped.scorers[0].mean,
                "{name}, cap {}",
                point.k
            );
            let cost = capped.mean_cost_usd.unwrap();
            assert!(
                (point.mean_cost_usd - cost).abs() < 1e-12,
                "{name}, cap {}",
                point.k
            );
        }
    }
}

/// Returns a loop. In each iteration, it takes the next string and score from the list of its case. If `evaluator` is
/// true, an evaluator can end the loop.
fn steps(evaluator: bool) -> Value {
    let mut nodes = vec![
        json!({ "id": "steps", "type": "input", "data": { "name": "steps", "dataType": "json", "required": true } }),
        json!({ "id": "refine", "type": "loop", "data": {
            "maxIterations": 12, "exitCondition": if evaluator { "evaluator" } else { "score_plateau" }, "patience": 12,
            "score": "run.inputs.steps[loopIndex].score" } }),
        json!({ "id": "draft", "type": "transform", "data": { "template": "{{ run.inputs.steps[loopIndex].text }}" } }),
        json!({ "id": "exit", "type": "exit", "data": {} }),
        json!({ "id": "out", "type": "output", "data": { "name": "result" } }),
    ];
    let mut edges = vec![
        edge("1", "steps", "value", "refine"),
        edge("2", "refine", "body", "draft"),
        edge("4", "exit", "output", "out"),
    ];
    if evaluator {
        nodes.push(json!({ "id": "enough", "type": "router", "data": { "mode": "rules", "branches": [
            { "name": "done", "when": "run.inputs.steps[loopIndex].done" }, { "name": "continue", "when": "true" }] } }));
        edges.push(edge("3", "draft", "output", "enough"));
        edges.push(edge("5", "enough", "done", "exit"));
    } else {
        edges.push(edge("3", "draft", "output", "exit"));
    }
    json!({ "schemaVersion": 1, "name": "steps", "nodes": nodes, "edges": edges })
}

/// Returns the exit settings of a loop that follows the policy itself. The back-test is compared with a run of that loop.
fn settings(policy: &Policy) -> Value {
    use loopwright_api::evaluation::policy::Exit;
    let cap = policy.cap.unwrap_or(12);
    let mut set = json!({ "refine.maxIterations": cap, "refine.patience": 1 });
    let fields = match &policy.exit {
        Exit::MaxIterations => json!({ "refine.exitCondition": "max_iterations" }),
        Exit::Evaluator => json!({ "refine.exitCondition": "evaluator" }),
        Exit::Stable {
            threshold,
            patience,
        } => json!({
            "refine.exitCondition": "stable_output", "refine.stabilityThreshold": threshold, "refine.patience": patience }),
        Exit::Plateau { delta, patience } => json!({
            "refine.exitCondition": "score_plateau", "refine.plateauDelta": delta, "refine.patience": patience }),
        Exit::Score { at_least } => json!({
            "refine.exitCondition": "condition",
            "refine.condition": { "until": format!("run.inputs.steps[loopIndex].score >= {at_least}"), "test": "after" } }),
        Exit::Condition { expression } => json!({
            "refine.exitCondition": "condition", "refine.condition": { "until": expression, "test": "after" } }),
    };
    for (name, value) in fields.as_object().unwrap() {
        set[name] = value.clone();
    }
    if policy.min_iterations > 1 {
        set["refine.minIterations"] = json!(policy.min_iterations);
    }
    set
}

fn policies() -> impl Strategy<Value = String> {
    let cap = prop_oneof![
        Just(String::new()),
        (1_u32..=12).prop_map(|cap| format!(",cap={cap}"))
    ];
    let min = prop_oneof![
        Just(String::new()),
        (2_u32..=6).prop_map(|min| format!(",min={min}"))
    ];
    let exit = prop_oneof![
        (
            prop_oneof![Just(0.0), Just(0.5), Just(0.8), Just(0.9), Just(1.0)],
            1_u32..=3
        )
            .prop_map(|(threshold, patience)| format!("stable={threshold},patience={patience}")),
        (
            prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(2.5)],
            1_u32..=4
        )
            .prop_map(|(delta, patience)| format!("plateau={delta},patience={patience}")),
        (0_u32..=9).prop_map(|score| format!("score>={score}")),
    ];
    let condition = (1_u32..=9).prop_map(|length| format!("result | length > {length}"));
    let capped = (1_u32..=12).prop_map(|cap| format!("cap={cap}"));
    prop_oneof![
        4 => (exit, min.clone(), cap.clone()).prop_map(|(exit, min, cap)| format!("{exit}{min}{cap}")),
        1 => capped.clone(),
        1 => (condition, capped).prop_map(|(condition, cap)| format!("{cap},condition={condition}")),
    ]
}

fn steps_of_case() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        Just("a"),
        Just("ab"),
        Just("abc"),
        Just("abcd"),
        Just("abcdefgh"),
        Just("abcdefghij")
    ];
    let step = (texts, 0_u32..=9, prop::bool::weighted(0.2))
        .prop_map(|(text, score, done)| json!({ "text": text, "score": score, "done": done }));
    prop::collection::vec(step, 12).prop_map(Value::Array)
}

/// Returns the number of random policies to try. For each policy, every case is run once.
fn trials() -> usize {
    match std::env::var("LOOPWRIGHT_TORTURE").as_deref() {
        Ok("all") => 1_000,
        _ => 120,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn back_tests_are_what_runs_with_the_policy_give() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut known = 0;
    let mut censored = 0;
    for round in 0..trials().div_ceil(40) {
        let cases: Vec<Value> = (0..6)
            .map(|case| json!({ "id": case.to_string(), "steps": steps_of_case().new_tree(&mut runner).unwrap().current() }))
            .collect();
        write_lines(folder.path(), "cases.jsonl", &cases);
        // In every third round, the recorded loop is ended by an evaluator. Some policies would have continued such a loop.
        let evaluator = round % 3 == 2;
        write(folder.path(), "steps.flow.json", &steps(evaluator));
        let mut texts: Vec<String> = (0..40)
            .map(|_| policies().new_tree(&mut runner).unwrap().current())
            .collect();
        texts.sort();
        texts.dedup();
        let parsed: Vec<Policy> = texts.iter().map(|text| text.parse().unwrap()).collect();
        // Scores are recorded only if an exit condition compares them, such as a plateau that is never reached.
        let mut variants = vec![json!({ "name": "recorded" })];
        if !evaluator {
            variants.extend(
                parsed
                    .iter()
                    .zip(&texts)
                    .map(|(policy, text)| json!({ "name": text, "set": settings(policy) })),
            );
        }
        let of = |variants: &[Value]| {
            json!({
                "schemaVersion": 1, "name": "steps", "flow": "steps.flow.json", "data": { "file": "cases.jsonl" },
                "variants": variants, "perIteration": "refine",
                "scorers": [{ "name": "score", "type": "expression", "expression": "result | length" }]
            })
        };
        let view = experiment(&app, folder.path(), of(&variants)).await;
        let results = results(&app, &view);
        let answers = experiments::backtest_experiment(
            app.experiments(),
            &view.summary.id,
            Some("recorded"),
            &texts,
        )
        .unwrap();
        for (at, (policy, answer)) in parsed.iter().zip(&answers).enumerate() {
            // An evaluator's loop compares no scores, so none are recorded.
            let needs_scores =
                policy.text.starts_with("plateau") || policy.text.starts_with("score");
            if evaluator && needs_scores {
                assert!(answer.known == 0 || policy.cap.is_some(), "{}", policy.text);
                continue;
            }
            assert_eq!(answer.error, None, "{}", policy.text);
            let mut sums = (0_u32, 0_u32, 0.0, 0.0);
            for case in 0..cases.len() {
                let recorded = results
                    .iter()
                    .find(|result| result.cell.variant == 0 && result.cell.case as usize == case)
                    .unwrap();
                let seen = recorded.iterations.len();
                // If an evaluator ended the recorded loop, it may have ended before the policy would have ended it.
                if evaluator {
                    let run = RecordedLoop::of(recorded);
                    if policy.condition().is_none() {
                        match policy.stop(&run, 0) {
                            Stop::At { k, .. } => assert!(k as usize <= seen),
                            Stop::Censored { .. } => sums.1 += 1,
                            Stop::Unknown { reason } => panic!("{reason}"),
                        }
                    }
                    continue;
                }
                let actual = results
                    .iter()
                    .find(|result| {
                        result.cell.variant as usize == at + 1 && result.cell.case as usize == case
                    })
                    .unwrap();
                let k = actual.iteration_count.unwrap() as usize;
                let place = format!("{}, case {case}", policy.text);
                // The recorded loop ends after 12 iterations. A policy without a cap whose condition is not met by then would
                // have continued.
                let met =
                    actual.exit_reason.as_deref() != Some("max_iterations") || policy.cap.is_some();
                if !met {
                    sums.1 += 1;
                    continue;
                }
                assert!(k <= seen, "{place}");
                assert_eq!(recorded.iterations[k - 1].scores, actual.scores, "{place}");
                sums.0 += 1;
                sums.2 += actual.scores[0].value.unwrap();
                sums.3 += k as f64;
            }
            if evaluator {
                if policy.condition().is_none() {
                    assert_eq!(answer.censored, sums.1, "{}", policy.text);
                    assert_eq!(answer.known + answer.censored, cases.len() as u32);
                }
                censored += answer.censored;
                continue;
            }
            assert_eq!(
                (answer.known, answer.censored),
                (sums.0, sums.1),
                "{}",
                policy.text
            );
            known += sums.0;
            censored += sums.1;
            if answer.known == cases.len() as u32
                && answers
                    .iter()
                    .all(|other| other.known == answer.known || !other.on_front)
            {
                let mean = sums.3 / f64::from(sums.0);
                let own = answer.mean_iterations.unwrap();
                // The means are those of the runs that are known under all compared policies.
                assert!(own.is_finite() && mean.is_finite());
            }
        }
    }
    println!("{known} runs as the back-test says, {censored} censored");
    assert!(known > 0 && censored > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_experiment_continues_and_repeats_nothing() {
    let server = growing_slowly().await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(&folder.path().join("data"));
    let rows: Vec<Value> = (0..30)
        .map(|number| json!({ "id": number.to_string(), "text": format!("{}{number}", char::from(b'a' + number % 8)) }))
        .collect();
    write_lines(folder.path(), "cases.jsonl", &rows);
    write(
        folder.path(),
        "drafts.flow.json",
        &drafts(
            json!({ "maxIterations": 3, "exitCondition": "max_iterations", "feedbackMode": "replace" }),
            false,
        ),
    );
    let evaluation = json!({
        "schemaVersion": 1, "name": "drafts", "flow": "drafts.flow.json", "data": { "file": "cases.jsonl" },
        "perIteration": "refine", "budget": { "usd": 5.0 },
        "scorers": [{ "name": "length", "type": "expression", "expression": "result | length" }]
    });
    let stops = Arc::new(Mutex::new(None::<loopwright_engine::CancellationToken>));
    let seen = Arc::clone(&stops);
    let started = experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation: serde_json::from_value(evaluation.clone()).unwrap(),
            path: None,
            folder: folder.path().to_path_buf(),
            approve: ApprovalPolicy::None,
            allow: Default::default(),
            progress: Arc::new(move |progress| {
                if progress.done >= 5
                    && let Some(cancel) = &*seen.lock().unwrap()
                {
                    cancel.cancel();
                }
            }),
        },
    )
    .unwrap();
    *stops.lock().unwrap() = Some(started.cancel.clone());
    let view = started.finished.await.unwrap().unwrap();
    assert_eq!(view.summary.status, ExperimentStatus::Stopped);
    assert!(view.summary.done < 30, "{}", view.summary.done);
    let before = server.calls();
    let resumed = experiments::resume_experiment(
        app.experiments(),
        &view.summary.id,
        Cells::Empty,
        ApprovalPolicy::None,
        &Default::default(),
        Arc::new(|_| {}),
    )
    .unwrap();
    let view = resumed.finished.await.unwrap().unwrap();
    assert_eq!(view.summary.status, ExperimentStatus::Completed);
    assert_eq!((view.summary.done, view.summary.failed), (30, 0));
    // Each case has three drafts and two critiques. At most eight runs had a call in progress when they were detached.
    let calls = server.calls();
    assert!((150..=158).contains(&calls), "{before} and then {calls}");
    // The report is the same as that of an experiment that was not interrupted.
    let again = experiment(&app, folder.path(), evaluation).await;
    let of = |view: &ExperimentView| {
        let variant = &view.report.variants[0];
        (
            variant.scorers.clone(),
            variant.curve.clone(),
            variant.exit_reasons.clone(),
        )
    };
    assert_eq!(of(&view), of(&again));
}

async fn growing_slowly() -> Server {
    Server::echoing(Duration::from_millis(10), 50).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_an_experiment_is_never_exceeded() {
    let server = Server::echoing(Duration::from_millis(2), 100).await;
    let folder = tempfile::tempdir().unwrap();
    let app = server.app(&folder.path().join("data"));
    let rows: Vec<Value> = (0..40)
        .map(|number| json!({ "text": format!("case {number}") }))
        .collect();
    write_lines(folder.path(), "cases.jsonl", &rows);
    write(
        folder.path(),
        "drafts.flow.json",
        &drafts(
            json!({ "maxIterations": 2, "exitCondition": "max_iterations", "feedbackMode": "replace" }),
            false,
        ),
    );
    let view = experiment(
        &app,
        folder.path(),
        json!({
            "schemaVersion": 1, "name": "drafts", "flow": "drafts.flow.json", "data": { "file": "cases.jsonl" },
            "budget": { "usd": 0.003 },
            "scorers": [{ "name": "length", "type": "expression", "expression": "result | length" }]
        }),
    )
    .await;
    assert_eq!(view.summary.status, ExperimentStatus::OverBudget);
    // The cost of a call: 10 tokens at $0.15 and 100 at $0.60 per million, rounded up, which is 62 micro-dollars.
    let spent = server.calls() as f64 * 62e-6;
    assert!(spent <= 0.003 + 1e-9, "{spent}");
    assert!(spent > 0.0015, "most of it is used: {spent}");
    assert!(
        (view.summary.cost_usd - spent).abs() < 1e-9,
        "{} and {spent}",
        view.summary.cost_usd
    );
    // With a larger budget, the experiment continues where it stopped.
    let (cases, results) =
        experiments::experiment_results(app.experiments(), &view.summary.id).unwrap();
    assert_eq!(cases.len(), 40);
    let statuses: HashMap<CellStatus, usize> =
        results.iter().fold(HashMap::new(), |mut counts, result| {
            *counts.entry(result.status).or_default() += 1;
            counts
        });
    assert!(statuses[&CellStatus::Completed] > 5, "{statuses:?}");
    assert!(!statuses.contains_key(&CellStatus::Failed), "{statuses:?}");
}

/// Back-tests know only the name of an exit reason. They would mistake an unknown limit for an exit condition.
#[test]
fn every_reason_to_end_is_known_to_back_tests() {
    for reason in ExitReason::ALL {
        let expected = match (reason, reason.info().family) {
            // Only lists end for this reason, and no back-test reads lists.
            (ExitReason::Completed, _) => continue,
            (ExitReason::MaxIterations, _) => Ended::Cap,
            (_, ExitFamily::Met | ExitFamily::Settled) => Ended::Exit,
            (_, ExitFamily::Limit) => Ended::Limit,
            (_, ExitFamily::Failed) => Ended::Failed,
            (_, ExitFamily::Stopped) => Ended::Stopped,
        };
        let cell = json!({ "case": 0, "variant": 0, "repetition": 0 });
        let result: CellResult = serde_json::from_value(json!({
            "cell": cell, "runId": "r", "status": "completed", "exitReason": reason,
        }))
        .unwrap();
        assert_eq!(Ended::of(&result), expected, "{reason:?}");
    }
}
