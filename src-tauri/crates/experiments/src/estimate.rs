//! Estimates for an evaluation before it starts: the number of its runs, and their maximum cost and number of calls.

use std::path::Path;

use loopwright_evaluation::{file::Evaluation, wording::counted};
use loopwright_runs::{ApiError, Env, agent_turns, estimate};
use serde_json::{Map, Value};

use super::dto::EvaluationEstimate;
use crate::prepare::{cases, prepare};

/// Returns the number of runs of an experiment, and their maximum cost and number of calls. The evaluation's paths are relative
/// to `folder`.
///
/// # Errors
/// Returns the first problem in the evaluation, its flows or its data set.
pub fn estimate_evaluation(
    env: &Env,
    folder: &Path,
    evaluation: &Evaluation,
) -> Result<EvaluationEstimate, ApiError> {
    let prepared = prepare(env, folder, evaluation.clone())?;
    let first = &prepared.variants[0].document;
    let set = cases(env, folder, &evaluation.data, first)?;
    let (mut usd, mut calls, mut turns) = (Some(0.0), Some(0_u32), Some(0_u32));
    let mut why = Vec::new();
    for variant in &prepared.variants {
        // The longest case represents all cases, because the cost of a run grows with its input.
        let Some(longest) = set.cases.iter().max_by_key(|case| {
            case.inputs
                .values()
                .map(|value| value.to_string().len())
                .sum::<usize>()
        }) else {
            continue;
        };
        let path = variant.flow_path.as_deref();
        let given = with_empty(&variant.document, &longest.inputs);
        let most = estimate(env, variant.document.clone(), path, &given)?;
        let runs = set.cases.len() as f64 * f64::from(evaluation.repetitions);
        usd = usd
            .zip(most.max_usd)
            .map(|(sum, of_one)| sum + of_one * runs);
        calls = calls
            .zip(most.max_calls)
            .map(|(sum, of_one)| sum.saturating_add((f64::from(of_one) * runs) as u32));
        turns = turns
            .zip(most.agent_turns)
            .map(|(sum, of_one)| sum.saturating_add((f64::from(of_one) * runs) as u32));
        for reason in most.unknown {
            if !why.contains(&reason) {
                why.push(reason);
            }
        }
    }
    let runs =
        u32::try_from(set.cases.len() * prepared.variants.len() * evaluation.repetitions as usize)
            .unwrap_or(u32::MAX);
    let mut judges = Vec::new();
    for (name, judge) in &prepared.judges {
        let path = judge.flow_path.as_deref();
        let nothing = Map::new();
        let most = estimate(env, judge.document.clone(), path, &nothing)?;
        if most.max_calls != Some(0) || most.agent_turns != Some(0) {
            judges.push(name.clone());
            // A judge's input is not known in advance, so its cost is unknown unless its calls are free.
            usd = usd.filter(|_| most.max_usd == Some(0.0));
            calls = None;
        }
    }
    let mut words = counted(u64::from(runs), "run");
    words.push_str(&match (usd, calls) {
        (None, Some(0)) if turns != Some(0) => String::new(),
        (_, Some(0)) => ", no model calls".to_owned(),
        (Some(usd), Some(calls)) => {
            format!(
                ", at most {} and ${usd:.2}",
                counted(u64::from(calls), "call")
            )
        }
        (None, Some(calls)) => {
            format!(
                ", at most {}, cost unknown",
                counted(u64::from(calls), "call")
            )
        }
        (Some(usd), None) => format!(", at most ${usd:.2}"),
        (None, None) => ", cost unknown".to_owned(),
    });
    match turns {
        Some(0) | None => {}
        Some(turns) => words.push_str(&format!(", {}", agent_turns(u64::from(turns)))),
    }
    if !judges.is_empty() {
        words.push_str(&format!(
            ". A model also judges each result, once for each of these scorers: {}",
            judges.join(", ")
        ));
    }
    words.push('.');
    if let (None, Some(reason)) = (usd, why.first()) {
        words.push(' ');
        words.push_str(reason);
    }
    match (evaluation.budget.usd, evaluation.budget.tokens) {
        (Some(limit), _) => words.push_str(&format!(" The budget is ${limit}.")),
        (None, Some(limit)) => words.push_str(&format!(" The budget is {limit} tokens.")),
        (None, None) => {}
    }
    Ok(EvaluationEstimate {
        runs,
        max_usd: usd,
        max_calls: calls,
        words,
    })
}

/// Returns the flows that an experiment would run, including judges, so that their permissions can be requested.
///
/// # Errors
/// Returns the first problem in these flows.
pub fn evaluated_flows(
    env: &Env,
    folder: &Path,
    evaluation: &Evaluation,
) -> Result<Vec<(Value, Option<String>)>, ApiError> {
    let prepared = prepare(env, folder, evaluation.clone())?;
    Ok(prepared
        .variants
        .into_iter()
        .chain(prepared.judges.into_values())
        .map(|flow| (flow.document, flow.flow_path))
        .collect())
}

/// Fills missing inputs for an estimate: an input without a value or default becomes empty instead of unknown.
pub(super) fn with_empty(document: &Value, inputs: &Map<String, Value>) -> Map<String, Value> {
    let mut given = inputs.clone();
    for node in document["nodes"].as_array().into_iter().flatten() {
        if node["type"] != "input" || !node["data"]["default"].is_null() {
            continue;
        }
        if let Some(name) = node["data"]["name"].as_str().or(node["id"].as_str()) {
            given.entry(name.to_owned()).or_insert(Value::Null);
        }
    }
    given
}
