//! Creates synthetic experiments for tests.
#![allow(dead_code, reason = "each test uses a part")]

use serde_json::{Map, Value, json};

use crate::{
    file::Evaluation,
    result::{Case, Cell, CellResult, CellStatus, IterationResult, Score, Spent},
};

/// Returns an evaluation with the scorer `judge` and with the fields in `more`.
pub(crate) fn evaluation(more: Value) -> Evaluation {
    let mut file = json!({
        "schemaVersion": 1,
        "name": "Refine quality",
        "flow": "self-refine.flow.json",
        "data": { "file": "cases.jsonl" },
        "scorers": [{ "name": "judge", "type": "llm", "rubric": "Good?" }],
    });
    for (key, value) in more.as_object().unwrap() {
        file[key] = value.clone();
    }
    serde_json::from_value(file).unwrap()
}

pub(crate) fn cases(count: u32) -> Vec<Case> {
    (0..count)
        .map(|at| Case {
            id: format!("case {at}"),
            line: at + 1,
            inputs: Map::new(),
            expected: None,
            row: Map::new(),
        })
        .collect()
}

pub(crate) fn cell(case: u32, variant: u32, repetition: u32) -> Cell {
    Cell {
        case,
        variant,
        repetition,
    }
}

pub(crate) fn score(value: impl Into<Option<f64>>) -> Score {
    Score {
        value: value.into(),
        ..Score::default()
    }
}

pub(crate) fn boolean(passes: bool) -> Score {
    Score {
        value: Some(f64::from(u8::from(passes))),
        is_boolean: true,
        reason: None,
    }
}

pub(crate) fn spent(micro_usd: u64) -> Spent {
    Spent {
        micro_usd,
        tokens: micro_usd / 2,
        calls: 1,
        ..Spent::default()
    }
}

/// Returns the result of a run without iterations.
pub(crate) fn completed(cell: Cell, score: Score, micro_usd: u64) -> CellResult {
    CellResult {
        cell,
        run_id: format!("run {cell:?}"),
        status: CellStatus::Completed,
        output: Value::Null,
        scores: vec![score],
        iterations: Vec::new(),
        iteration_count: None,
        exit_reason: None,
        exhausted: false,
        spent: spent(micro_usd),
        duration_ms: 1000,
        error: None,
    }
}

pub(crate) fn failed(cell: Cell) -> CellResult {
    CellResult {
        status: CellStatus::Failed,
        scores: Vec::new(),
        error: Some("The model did not answer.".to_owned()),
        ..completed(cell, Score::default(), 500)
    }
}

/// Returns the result of a run whose loop had these scores, one for each iteration. Each iteration costs a thousandth of a
/// dollar.
pub(crate) fn looped(cell: Cell, scores: &[f64], exit_reason: &str) -> CellResult {
    let iterations: Vec<IterationResult> = scores
        .iter()
        .zip(1_u32..)
        .map(|(&value, k)| IterationResult {
            scores: vec![score(value)],
            spent: spent(u64::from(k) * 1000),
            elapsed_ms: u64::from(k) * 700,
            similarity: (k > 1).then_some(0.9),
            loop_score: Some(value),
            reached_exit: exit_reason == "evaluator_done" && scores.len() == k as usize,
        })
        .collect();
    let is_failed = exit_reason == "error";
    CellResult {
        status: match is_failed {
            true => CellStatus::Failed,
            false => CellStatus::Completed,
        },
        scores: match is_failed {
            true => Vec::new(),
            false => vec![score(scores.last().copied())],
        },
        spent: iterations.last().map(|last| last.spent).unwrap_or_default(),
        iteration_count: Some(iterations.len() as u32),
        exit_reason: Some(exit_reason.to_owned()),
        exhausted: exit_reason == "max_iterations" || exit_reason == "timeout",
        iterations,
        ..completed(cell, Score::default(), 0)
    }
}
