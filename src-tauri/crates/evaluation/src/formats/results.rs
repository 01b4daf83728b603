//! Results as JSON lines.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Results, status_name};
use crate::result::{IterationResult, Score};

/// One line of the output. Fields without a value are omitted, except `status`, `scores` and the usage fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "case")]
    case_id: &'a str,
    variant: &'a str,
    /// The number of the repetition of the case, from 0.
    repetition: u32,
    run_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "is_null")]
    output: &'a Value,
    scores: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_reason: Option<&'a str>,
    exhausted: bool,
    cost_usd: Option<f64>,
    tokens: u64,
    calls: u32,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    per_iteration: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

fn is_null(value: &&Value) -> bool {
    value.is_null()
}

/// Writes a JSON object and a line feed for each run.
///
/// `scores` has an object for each scorer: `value` (`null` if unscored), `reason` if present, and `boolean` if the score was
/// true or false. Costs are in dollars, durations in milliseconds. Repetitions count from 0.
///
/// # Errors
/// Returns an error if `to` cannot be written.
pub fn write(results: &Results<'_>, mut to: impl Write) -> io::Result<()> {
    for result in results.cells {
        let line = Line {
            case_id: results.case(result).map_or("", |case| &case.id),
            variant: results.variant(result),
            repetition: result.cell.repetition,
            run_id: &result.run_id,
            status: status_name(result.status),
            output: &result.output,
            scores: scores(results.scorers, &result.scores),
            iterations: result.iteration_count,
            exit_reason: result.exit_reason.as_deref(),
            exhausted: result.exhausted,
            cost_usd: result.spent.usd(),
            tokens: result.spent.tokens,
            calls: result.spent.calls,
            duration_ms: result.duration_ms,
            per_iteration: (1_u32..)
                .zip(&result.iterations)
                .map(|(number, iteration)| iteration_object(results.scorers, number, iteration))
                .collect(),
            error: result.error.as_deref(),
        };
        serde_json::to_writer(&mut to, &line)?;
        to.write_all(b"\n")?;
    }
    to.flush()
}

fn scores(scorers: &[String], scores: &[Score]) -> Map<String, Value> {
    let object = |score: &Score| {
        let mut object = Map::new();
        object.insert("value".to_owned(), json!(score.value));
        if score.is_boolean {
            object.insert("boolean".to_owned(), true.into());
        }
        if let Some(reason) = &score.reason {
            object.insert("reason".to_owned(), reason.as_str().into());
        }
        Value::Object(object)
    };
    let pairs = scorers.iter().zip(scores);
    pairs
        .map(|(name, score)| (name.clone(), object(score)))
        .collect()
}

fn iteration_object(scorers: &[String], number: u32, iteration: &IterationResult) -> Value {
    json!({
        "iteration": number,
        "scores": scores(scorers, &iteration.scores),
        "costUsd": iteration.spent.usd(),
        "tokens": iteration.spent.tokens,
        "calls": iteration.spent.calls,
        "elapsedMs": iteration.elapsed_ms,
        "similarity": iteration.similarity,
        "loopScore": iteration.loop_score,
        "reachedExit": iteration.reached_exit,
    })
}
