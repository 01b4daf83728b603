//! The figures of each variant.

use std::collections::BTreeMap;

use super::runs::{Runs, cost, is_completed, known, score};
use crate::{
    result::{CellStatus, PassAt, ScorerReport, VariantReport},
    statistics::{Bootstrap, CasePasses, Direction, estimate_pass, mean, median, percentile},
};

/// Returns one report for each variant, without curves. `expected` is the number of runs that each variant has once the
/// experiment is finished.
pub(super) fn reports(
    runs: &Runs<'_>,
    variants: &[String],
    scorers: &[String],
    directions: &[Direction],
    expected: u64,
    bootstrap: &Bootstrap,
) -> Vec<VariantReport> {
    // A scorer counts as boolean for all variants or for none, so that their tables have the same columns.
    let booleans: Vec<bool> = (0..scorers.len())
        .map(|scorer| is_boolean(runs, variants.len(), scorer))
        .collect();
    (0..variants.len())
        .zip(variants)
        .map(|(variant, name)| {
            let (completed, failed) = counts(runs, variant);
            let durations: Vec<f64> = (runs.of(variant))
                .filter(|result| is_completed(result))
                .map(|result| result.duration_ms as f64)
                .collect();
            let iterations = runs.by_case(variant, |result| {
                result
                    .iteration_count
                    .filter(|_| is_completed(result))
                    .map(f64::from)
            });
            let mut exit_reasons = BTreeMap::new();
            for reason in runs.of(variant).filter_map(|result| {
                let is_over = matches!(result.status, CellStatus::Completed | CellStatus::Failed);
                result.exit_reason.as_ref().filter(|_| is_over)
            }) {
                *exit_reasons.entry(reason.clone()).or_insert(0) += 1;
            }
            VariantReport {
                name: name.clone(),
                completed,
                failed,
                not_run: u32::try_from(
                    expected.saturating_sub(u64::from(completed) + u64::from(failed)),
                )
                .unwrap_or(u32::MAX),
                scorers: scorers
                    .iter()
                    .zip(&booleans)
                    .enumerate()
                    .map(|(at, (scorer, is_boolean))| {
                        let mut report = scorer_report(runs, variant, at, scorer, bootstrap);
                        if *is_boolean {
                            let direction = directions.get(at).copied().unwrap_or_default();
                            report.pass = passes(runs, variant, at, direction);
                        }
                        report
                    })
                    .collect(),
                cost_usd: runs
                    .of(variant)
                    .map(|result| result.spent.known_usd())
                    .sum(),
                // The mean of only those runs whose cost is known would be too low or too high.
                mean_cost_usd: mean(&known(&runs.by_case(variant, cost))).filter(|_| {
                    let mut completed = runs.of(variant).filter(|result| is_completed(result));
                    completed.all(|result| result.spent.unpriced_calls == 0)
                }),
                tokens: runs.of(variant).map(|result| result.spent.tokens).sum(),
                latency_p50: median(&durations),
                latency_p95: percentile(&durations, 95.0),
                mean_iterations: mean(&known(&iterations)),
                exit_reasons,
                curve: None,
            }
        })
        .collect()
}

fn counts(runs: &Runs<'_>, variant: usize) -> (u32, u32) {
    runs.of(variant)
        .fold((0, 0), |(completed, failed), result| match result.status {
            CellStatus::Completed => (completed + 1, failed),
            CellStatus::Failed => (completed, failed + 1),
            CellStatus::Running | CellStatus::OverBudget | CellStatus::Cancelled => {
                (completed, failed)
            }
        })
}

fn scorer_report(
    runs: &Runs<'_>,
    variant: usize,
    at: usize,
    scorer: &str,
    bootstrap: &Bootstrap,
) -> ScorerReport {
    let values = known(&runs.by_case(variant, |result| score(result, at)));
    let unscored = (runs.of(variant))
        .filter(|result| is_completed(result) && score(result, at).is_none())
        .count();
    ScorerReport {
        scorer: scorer.to_owned(),
        n: u32::try_from(values.len()).unwrap_or(u32::MAX),
        unscored: u32::try_from(unscored).unwrap_or(u32::MAX),
        mean: mean(&values),
        interval: bootstrap.mean_interval(&values),
        median: median(&values),
        pass: Vec::new(),
    }
}

/// Returns whether there are scores and all of them are true or false.
fn is_boolean(runs: &Runs<'_>, variants: usize, scorer: usize) -> bool {
    let mut scores = (0..variants)
        .flat_map(|variant| runs.of(variant))
        .filter(|result| score(result, scorer).is_some())
        .map(|result| {
            result
                .scores
                .get(scorer)
                .is_some_and(|score| score.is_boolean)
        })
        .peekable();
    scores.peek().is_some() && scores.all(|is_boolean| is_boolean)
}

/// Returns pass rates for each `k` from 1 to the largest number of runs of a case. A run passes if its score is true, or
/// false if lower is better.
fn passes(runs: &Runs<'_>, variant: usize, scorer: usize, direction: Direction) -> Vec<PassAt> {
    let cases: Vec<CasePasses> = runs
        .cases(variant)
        .map(|results| {
            let scores = results.iter().filter_map(|result| score(result, scorer));
            let (passed, runs) = scores.fold((0, 0), |(passed, runs), score| {
                (
                    passed + u32::from(direction.gain(score - 0.5) > 0.0),
                    runs + 1,
                )
            });
            CasePasses { passed, runs }
        })
        .collect();
    let most = cases.iter().map(|case| case.runs).max().unwrap_or_default();
    (1..=most)
        .filter_map(|k| Some(estimate_pass(&cases, k)?.at))
        .collect()
}
