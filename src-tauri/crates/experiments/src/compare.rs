//! Compares two experiments, paired by the ids of their cases.

use std::collections::HashMap;

use loopwright_evaluation::{
    result::{CellResult, CellStatus, Comparison},
    statistics::{Bootstrap, compare_paired, mean},
};
use loopwright_runs::ApiError;

use crate::{read::experiment_results, running_experiments::Experiments, stored::stored};

/// The maximum number of cases that a comparison lists by name.
const NAMED: usize = 100;

/// Compares each variant of experiment `b` with a variant of experiment `a`: the one with the same name or, if there is none,
/// the baseline of `a`. Each scorer that both experiments have is compared separately.
///
/// # Errors
/// Returns the errors of [`experiment`].
pub fn compare_experiments(
    experiments: &Experiments,
    a: &str,
    b: &str,
) -> Result<Vec<Comparison>, ApiError> {
    let (_, of_a, _) = stored(experiments, a)?;
    let (_, of_b, _) = stored(experiments, b)?;
    let (cases_a, results_a) = experiment_results(experiments, a)?;
    let (cases_b, results_b) = experiment_results(experiments, b)?;
    let rows: HashMap<&str, u32> = (0..)
        .zip(&cases_a)
        .map(|(row, case)| (case.id.as_str(), row))
        .collect();
    let baseline = of_a
        .evaluation
        .baseline
        .as_ref()
        .and_then(|name| {
            of_a.variants
                .iter()
                .position(|variant| variant.name == *name)
        })
        .unwrap_or(0);
    let mut found = Vec::new();
    for (index, variant) in of_b.variants.iter().enumerate() {
        let base = of_a
            .variants
            .iter()
            .position(|known| known.name == variant.name)
            .unwrap_or(baseline);
        for (at, scorer) in of_b.evaluation.scorers.iter().enumerate() {
            let Some(before) = of_a
                .evaluation
                .scorers
                .iter()
                .position(|known| known.name == scorer.name)
            else {
                continue;
            };
            let means_b = means(&results_b, index, at);
            let means_a = means(&results_a, base, before);
            let pairs = |means: &HashMap<u32, f64>, row: Option<u32>| {
                row.and_then(|row| means.get(&row).copied())
            };
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let sign = if scorer.lower_is_better { -1.0 } else { 1.0 };
            for (row, case) in (0..).zip(&cases_b) {
                ours.push(pairs(&means_b, Some(row)).map(|score| sign * score));
                let row = rows.get(case.id.as_str()).copied();
                theirs.push(pairs(&means_a, row).map(|score| sign * score));
            }
            let bootstrap = Bootstrap::with_seed(u64::from(of_b.evaluation.seed));
            let paired = compare_paired(&ours, &theirs, &bootstrap);
            let cost = |results: &[CellResult], variant: usize| {
                let costs: Option<Vec<f64>> = results
                    .iter()
                    .filter(|result| {
                        result.cell.variant as usize == variant
                            && result.status == CellStatus::Completed
                    })
                    .map(|result| result.spent.usd())
                    .collect();
                mean(&costs?)
            };
            found.push(Comparison {
                variant: variant.name.clone(),
                baseline: of_a.variants[base].name.clone(),
                scorer: scorer.name.clone(),
                pairs: paired.pairs,
                difference: paired.difference.map(|difference| sign * difference),
                interval: paired.interval.map(|[low, high]| match sign < 0.0 {
                    true => [-high, -low],
                    false => [low, high],
                }),
                wins: paired.wins,
                ties: paired.ties,
                losses: paired.losses,
                worse: paired
                    .worse
                    .iter()
                    .take(NAMED)
                    .filter_map(|&row| Some(cases_b.get(row)?.id.clone()))
                    .collect(),
                cost_difference_usd: cost(&results_b, index)
                    .zip(cost(&results_a, base))
                    .map(|(ours, theirs)| ours - theirs),
            });
        }
    }
    Ok(found)
}

/// Returns the mean score of each case over its repetitions, for one variant and one scorer.
fn means(results: &[CellResult], variant: usize, scorer: usize) -> HashMap<u32, f64> {
    let mut sums: HashMap<u32, (f64, u32)> = HashMap::new();
    for result in results {
        if result.cell.variant as usize != variant || result.status != CellStatus::Completed {
            continue;
        }
        if let Some(value) = result.scores.get(scorer).and_then(|score| score.value) {
            let sum = sums.entry(result.cell.case).or_default();
            *sum = (sum.0 + value, sum.1 + 1);
        }
    }
    sums.into_iter()
        .map(|(case, (sum, count))| (case, sum / f64::from(count)))
        .collect()
}
