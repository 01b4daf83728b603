//! Blind ratings of results by people, and the agreement between these ratings and judges.

use std::collections::BTreeMap;

use loopwright_evaluation::{
    file::Scoring,
    result::{Cell, CellResult, CellStatus, Score},
    statistics::{Measurement, Weights, cohen_kappa, krippendorff_alpha},
};
use loopwright_runs::{ApiError, Code, Env};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    collect::collect,
    content::Content,
    dto::{Agreement, BlindItem},
    read::report_of,
    stored::{cases_of, from_json_text, result_of, row_of, to_json_text},
};
use crate::{
    prepare::shape,
    read::experiment_results,
    running_experiments::Experiments,
    stored::{experiment_store, stored},
};

const RATED: &str = "rating:";

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Rating {
    scorer: String,
    cell: Cell,
    iteration: Option<u32>,
    value: f64,
}

fn name_of(scorer: &str, cell: Cell, iteration: Option<u32>) -> String {
    let at = iteration.map_or_else(|| "-".to_owned(), |iteration| iteration.to_string());
    format!(
        "{RATED}{scorer}:{}:{}:{}:{at}",
        cell.case, cell.variant, cell.repetition
    )
}

/// Stores a person's rating from 1 to 5. A later rating replaces an earlier one. The rating of an output becomes the score of its
/// cell.
///
/// # Errors
/// [`Code::InvalidArgument`] if the rating is not from 1 to 5 or the scorer does not ask people; [`Code::NotFound`] if the result
/// does not exist.
pub fn rate_result(
    experiments: &Experiments,
    id: &str,
    cell: Cell,
    iteration: Option<u32>,
    rating: f64,
    scorer: &str,
) -> Result<(), ApiError> {
    let (_, content, _) = stored(experiments, id)?;
    let index = human(&content.evaluation.scorers, scorer)?;
    if !(1.0..=5.0).contains(&rating) || rating.fract() != 0.0 {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "A rating must be a whole number from 1 to 5.",
        ));
    }
    let store = experiment_store(experiments)?;
    let number = content.number(cell);
    let row = store.cells(id, number, 1, true)?.into_iter().next();
    let Some(mut result) = row.map(|row| result_of(&row)).transpose()? else {
        return Err(ApiError::new(
            Code::NotFound,
            format!("Experiment {id} has no result for this case. Open the experiment again."),
        ));
    };
    let score = Score {
        value: Some(rating),
        is_boolean: false,
        reason: None,
    };
    let place = match iteration {
        None => result.scores.get_mut(index),
        Some(at) => result
            .iterations
            .get_mut(at as usize)
            .and_then(|iteration| iteration.scores.get_mut(index)),
    };
    let Some(place) = place else {
        return Err(ApiError::new(
            Code::NotFound,
            format!(
                "Experiment {id} has no such iteration for this case. Open the experiment again."
            ),
        ));
    };
    *place = score.clone();
    // The rating of the last iteration also rates the result of the loop.
    if iteration.is_some_and(|at| at as usize + 1 == result.iterations.len())
        && let Some(whole) = result.scores.get_mut(index)
    {
        *whole = score;
    }
    let kept = Rating {
        scorer: scorer.to_owned(),
        cell,
        iteration,
        value: rating,
    };
    store.put_note(id, &name_of(scorer, cell, iteration), &to_json_text(&kept)?)?;
    store.put_cell(id, &row_of(number, &result))?;
    renew_report(experiments, id)
}

/// Returns the next result without a rating, or `None` if all are rated. The order does not reveal which variant
/// produced a result. If iterations are scored, the result of each iteration is rated separately.
///
/// # Errors
/// [`Code::InvalidArgument`] if the scorer does not ask people; [`Code::NotFound`] if the experiment does not exist.
pub fn blind_item(
    experiments: &Experiments,
    id: &str,
    scorer: &str,
) -> Result<Option<BlindItem>, ApiError> {
    let (_, content, _) = stored(experiments, id)?;
    let index = human(&content.evaluation.scorers, scorer)?;
    let (cases, results) = experiment_results(experiments, id)?;
    let seed = content.evaluation.seed;
    let is_open = |scores: &[Score]| scores.get(index).is_none_or(|score| score.value.is_none());
    let mut open: Vec<(&CellResult, Option<u32>)> = Vec::new();
    for result in &results {
        if result.status != CellStatus::Completed {
            continue;
        }
        if result.iterations.is_empty() && is_open(&result.scores) {
            open.push((result, None));
        }
        for (at, iteration) in (0_u32..).zip(&result.iterations) {
            if is_open(&iteration.scores) {
                open.push((result, Some(at)));
            }
        }
    }
    let mut left = u32::try_from(open.len()).unwrap_or(u32::MAX);
    open.sort_by_key(|(result, at)| {
        let number = content.number(result.cell);
        blind_order(seed, number, at.map_or(u32::MAX, |at| at))
    });
    for (result, iteration) in open {
        let shown = match iteration {
            None => Some(result.output.clone()),
            Some(at) => iteration_result(experiments.env(), &content, result, at),
        };
        // An iteration's result is read from its run, which may have been removed to free space.
        let Some(shown) = shown else {
            left = left.saturating_sub(1);
            continue;
        };
        return Ok(Some(BlindItem {
            cell: result.cell,
            iteration,
            result: shown,
            inputs: cases
                .get(result.cell.case as usize)
                .map(|case| case.inputs.clone())
                .unwrap_or_default(),
            left,
        }));
    }
    Ok(None)
}

/// Returns the result that the loop would have had if it had ended with this iteration. The result is read from the run's
/// records. Returns `None` if it cannot be read.
fn iteration_result(env: &Env, content: &Content, result: &CellResult, at: u32) -> Option<Value> {
    let node = content.evaluation.per_iteration.as_ref()?;
    let variant = content.variants.get(result.cell.variant as usize)?;
    let shape = shape(env, variant, node).ok()?;
    let (_, state) = env.journal().run(&result.run_id).ok()?;
    let found = collect(&*env.journal(), &result.run_id, state, Some(&shape)).ok()?;
    let iteration = found.iterations.get(at as usize)?;
    Some((*iteration.result).clone())
}

/// Computes how well each scorer agrees with the ratings of each human scorer: Cohen's κ with squared weights over five
/// bands, and Krippendorff's α for ordinal data.
///
/// # Errors
/// Returns the store's error if the experiment or its ratings cannot be read.
pub fn agreement(experiments: &Experiments, id: &str) -> Result<Vec<Agreement>, ApiError> {
    let (_, content, _) = stored(experiments, id)?;
    let notes = experiment_store(experiments)?.notes_of(id, RATED)?;
    let mut by_scorer: BTreeMap<String, Vec<Rating>> = BTreeMap::new();
    for (_, text) in notes {
        let rating: Rating = from_json_text(&text)?;
        by_scorer
            .entry(rating.scorer.clone())
            .or_default()
            .push(rating);
    }
    let (_, results) = experiment_results(experiments, id)?;
    let scorers = &content.evaluation.scorers;
    let mut found = Vec::new();
    for (scorer, ratings) in by_scorer {
        let mut judged = false;
        for (index, judge) in scorers.iter().enumerate() {
            if matches!(judge.how, Scoring::Human { .. }) {
                continue;
            }
            let pairs: Vec<(f64, f64)> = ratings
                .iter()
                .filter_map(|rating| {
                    let result = results.iter().find(|result| result.cell == rating.cell)?;
                    let scores = match rating.iteration {
                        None => &result.scores,
                        Some(at) => &result.iterations.get(at as usize)?.scores,
                    };
                    Some((rating.value, scores.get(index)?.value?))
                })
                .collect();
            if pairs.is_empty() {
                continue;
            }
            judged = true;
            let banded = banded(&judge.how, judge.lower_is_better, &pairs);
            let units: Vec<Vec<Option<f64>>> = banded
                .iter()
                .map(|pair| vec![Some(pair[0]), Some(pair[1])])
                .collect();
            found.push(Agreement {
                scorer: scorer.clone(),
                judge: Some(judge.name.clone()),
                n: u32::try_from(pairs.len()).unwrap_or(u32::MAX),
                kappa: cohen_kappa(&banded, Weights::Quadratic),
                alpha: krippendorff_alpha(&units, Measurement::Ordinal),
            });
        }
        if !judged {
            found.push(Agreement {
                n: u32::try_from(ratings.len()).unwrap_or(u32::MAX),
                scorer,
                judge: None,
                kappa: None,
                alpha: None,
            });
        }
    }
    Ok(found)
}

/// Computes and stores the report again after results have changed.
fn renew_report(experiments: &Experiments, id: &str) -> Result<(), ApiError> {
    let (_, content, mut state) = stored(experiments, id)?;
    let store = experiment_store(experiments)?;
    let cases = cases_of(&store, id, 0, usize::MAX)?;
    let (_, results) = experiment_results(experiments, id)?;
    state.report = Some(report_of(id, &content, &cases, &results, &state));
    Ok(store.set_state(id, &to_json_text(&state)?)?)
}

/// Maps a judge's scores to the five bands of a person's ratings. The bands divide the judge's scale or, if the scale is unknown,
/// the range of its scores.
fn banded(how: &Scoring, lower_is_better: bool, pairs: &[(f64, f64)]) -> Vec<[f64; 2]> {
    let [low, high] = match how {
        Scoring::Llm { scale, .. } => *scale,
        Scoring::Similarity { .. }
        | Scoring::Exact { .. }
        | Scoring::Contains { .. }
        | Scoring::Regex { .. }
        | Scoring::JsonSchema { .. }
        | Scoring::Check { .. }
        | Scoring::Pairwise { .. } => [0.0, 1.0],
        _ => pairs
            .iter()
            .fold([f64::MAX, f64::MIN], |[low, high], (_, score)| {
                [low.min(*score), high.max(*score)]
            }),
    };
    let width = high - low;
    pairs
        .iter()
        .map(|(rating, score)| {
            let share = if width > 0.0 {
                ((score - low) / width).clamp(0.0, 1.0)
            } else {
                0.5
            };
            let share = if lower_is_better { 1.0 - share } else { share };
            [*rating, 1.0 + (share * 4.0).round()]
        })
        .collect()
}

fn human(scorers: &[loopwright_evaluation::file::Scorer], name: &str) -> Result<usize, ApiError> {
    scorers
        .iter()
        .position(|scorer| scorer.name == name && matches!(scorer.how, Scoring::Human { .. }))
        .ok_or_else(|| {
            ApiError::new(
                Code::InvalidArgument,
                format!("The evaluation has no scorer \"{name}\" of the type `human`."),
            )
        })
}

/// Returns a number that looks random but depends only on the arguments.
fn blind_order(seed: u32, number: u64, iteration: u32) -> u64 {
    let mut hash = blake3::Hasher::new();
    hash.update(&seed.to_le_bytes());
    hash.update(&number.to_le_bytes());
    hash.update(&iteration.to_le_bytes());
    let mut short = [0; 8];
    short.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}
