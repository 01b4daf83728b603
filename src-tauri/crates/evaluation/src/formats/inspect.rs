//! Results as an evaluation log that Inspect's viewer and `inspect_ai.log.read_eval_log` can open.
//!
//! Follows the classes of `inspect_ai.log`, version 2 of the format: <https://inspect.aisi.org.uk/eval-logs.html>. A
//! log covers one task and one model, so each variant has its own log.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Results, text_of};
use crate::result::{Case, CellResult, CellStatus, Report, Score, ScorerReport};

/// The details that a log needs in addition to the results. Times are RFC 3339, such as `2026-01-31T12:00:00+00:00`.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The time at which the experiment was created.
    pub created: &'a str,
    /// The time at which the first run started.
    pub started_at: &'a str,
    /// The time at which the last run ended.
    pub completed_at: &'a str,
    /// The path or name of the data file.
    pub data_file: &'a str,
    /// The version of this program.
    pub version: &'a str,
}

#[derive(Serialize)]
struct Log<'a> {
    // Inspect reads the header of a log without its samples, so the samples come last.
    version: u32,
    status: &'static str,
    eval: Value,
    plan: Value,
    results: Value,
    stats: Value,
    samples: Samples<'a>,
}

/// Writes the log of one variant. `variant` is its index.
///
/// # Errors
/// Returns an error if there is no such variant, or if `to` cannot be written.
pub fn write(
    results: &Results<'_>,
    report: &Report,
    variant: usize,
    origin: &Origin<'_>,
    mut to: impl Write,
) -> io::Result<()> {
    let (Some(name), Some(of_variant)) =
        (results.variants.get(variant), report.variants.get(variant))
    else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("The experiment has no variant {variant}."),
        ));
    };
    let is_here = |result: &&CellResult| result.cell.variant as usize == variant;
    let made: Vec<&CellResult> = results
        .cells
        .iter()
        .filter(is_here)
        .filter(|result| matches!(result.status, CellStatus::Completed | CellStatus::Failed))
        .collect();
    let total = results.cells.iter().filter(is_here).count();
    let model = format!("loopwright/{name}");
    let log = Log {
        version: 2,
        status: if made.len() == total {
            "success"
        } else {
            "cancelled"
        },
        eval: spec(results, report, origin, name, &model, variant),
        plan: json!({
            "name": "plan",
            "steps": [{ "solver": report.flow, "params": { "variant": name } }],
            "config": {},
        }),
        results: json!({
            "total_samples": total,
            "completed_samples": made.iter().filter(|result| result.status == CellStatus::Completed).count(),
            "scores": of_variant.scorers.iter().map(|scorer| eval_score(scorer, report.repetitions)).collect::<Vec<_>>(),
        }),
        stats: json!({
            "started_at": origin.started_at,
            "completed_at": origin.completed_at,
            "model_usage": usage(&model, made.iter().map(|result| result.spent.tokens).sum(), made.iter().map(|result| result.spent.usd()).sum()),
        }),
        samples: Samples {
            results: *results,
            made: &made,
            model: &model,
        },
    };
    serde_json::to_writer(&mut to, &log)?;
    to.flush()
}

fn spec(
    results: &Results<'_>,
    report: &Report,
    origin: &Origin<'_>,
    name: &str,
    model: &str,
    variant: usize,
) -> Value {
    let ids: Vec<&str> = results.cases.iter().map(|case| case.id.as_str()).collect();
    json!({
        "eval_id": format!("{}-{variant}", report.experiment),
        "run_id": report.experiment,
        "created": origin.created,
        "task": report.name,
        "task_id": format!("{}-{variant}", report.experiment),
        "task_version": 0,
        "task_file": report.flow,
        "task_args": { "variant": name },
        "solver": report.flow,
        "dataset": {
            "name": origin.data_file,
            "location": origin.data_file,
            "samples": ids.len(),
            "sample_ids": ids,
            "shuffled": false,
        },
        "model": model,
        "config": { "epochs": report.repetitions, "epochs_reducer": ["mean"] },
        "packages": { "loopwright": origin.version },
        "metadata": { "variant": name, "experiment": report.experiment, "notes": report.notes },
        "scorers": results.scorers.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
    })
}

fn eval_score(scorer: &ScorerReport, repetitions: u32) -> Value {
    let mut metrics = Map::new();
    let ends = scorer.interval;
    for (name, value) in [
        ("mean", scorer.mean),
        ("median", scorer.median),
        ("ci_lower", ends.map(|ends| ends[0])),
        ("ci_upper", ends.map(|ends| ends[1])),
    ] {
        if let Some(value) = value {
            metrics.insert(name.to_owned(), json!({ "name": name, "value": value }));
        }
    }
    for pass in &scorer.pass {
        for (name, value) in [
            (format!("pass@{}", pass.k), pass.any),
            (format!("pass^{}", pass.k), pass.all),
        ] {
            metrics.insert(name.clone(), json!({ "name": name, "value": value }));
        }
    }
    json!({
        "name": scorer.scorer,
        "scorer": scorer.scorer,
        "reducer": (repetitions > 1).then_some("mean"),
        "scored_samples": scorer.n,
        "unscored_samples": scorer.unscored,
        "metrics": metrics,
    })
}

fn usage(model: &str, tokens: u64, usd: Option<f64>) -> Value {
    json!({ model: { "input_tokens": 0, "output_tokens": 0, "total_tokens": tokens, "total_cost": usd } })
}

/// Serializes samples one at a time, because together they may be large.
struct Samples<'a> {
    results: Results<'a>,
    made: &'a [&'a CellResult],
    model: &'a str,
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let samples = self.made.iter().filter_map(|result| {
            let case = self.results.case(result)?;
            Some(sample(self.results.scorers, case, result, self.model))
        });
        serializer.collect_seq(samples)
    }
}

fn sample(scorers: &[String], case: &Case, result: &CellResult, model: &str) -> Value {
    let output = text_of(&result.output);
    let input = input_text(case);
    let mut scores = Map::new();
    let mut unscored: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, score) in scorers.iter().zip(&result.scores) {
        let Score { value, reason, .. } = score;
        match value {
            Some(value) if value.is_finite() => {
                scores.insert(
                    name.clone(),
                    json!({ "value": value, "answer": output, "explanation": reason }),
                );
            }
            _ => {
                unscored.insert(name, reason.as_deref().unwrap_or_default());
            }
        }
    }
    let assistant =
        json!({ "role": "assistant", "content": output, "source": "generate", "model": model });
    let mut messages = vec![json!({ "role": "user", "content": input, "source": "input" })];
    let mut choices = Vec::new();
    if result.status == CellStatus::Completed {
        messages.push(assistant.clone());
        choices.push(json!({ "message": assistant, "stop_reason": "stop" }));
    }
    let time = std::time::Duration::from_millis(result.duration_ms).as_secs_f64();
    let spent = result.spent;
    let mut sample = json!({
        "id": case.id,
        "epoch": u64::from(result.cell.repetition) + 1,
        "input": input,
        "target": target(case.expected.as_ref()),
        "messages": messages,
        "output": { "model": model, "choices": choices, "time": time },
        "scores": scores,
        "metadata": {
            "run_id": result.run_id,
            "line": case.line,
            "inputs": case.inputs,
            "output": result.output,
            "iterations": result.iteration_count,
            "exit_reason": result.exit_reason,
            "exhausted": result.exhausted,
            "cost_usd": spent.usd(),
            "calls": spent.calls,
        },
        "model_usage": usage(model, spent.tokens, spent.usd()),
        "total_time": time,
        "working_time": time,
    });
    if !unscored.is_empty() {
        sample["metadata"]["unscored"] = json!(unscored);
    }
    if result.status == CellStatus::Failed {
        let message = result.error.as_deref().unwrap_or("The run failed.");
        sample["error"] = json!({ "message": message, "traceback": "", "traceback_ansi": "" });
    }
    sample
}

/// Returns the value of a case's only input as text, or all of its inputs as JSON.
fn input_text(case: &Case) -> String {
    let mut values = case.inputs.values();
    match (values.next(), values.next()) {
        (Some(only), None) => text_of(only),
        _ => serde_json::to_string_pretty(&case.inputs).unwrap_or_default(),
    }
}

/// Returns the expected result of a case in the form of Inspect's target: a string or a list of strings.
fn target(expected: Option<&Value>) -> Value {
    match expected {
        None => "".into(),
        Some(Value::Array(items)) => items.iter().map(text_of).collect(),
        Some(other) => text_of(other).into(),
    }
}
