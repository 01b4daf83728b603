//! Results by variant and case.

use std::collections::BTreeMap;

use crate::{
    result::{Cell, CellResult, CellStatus},
    statistics::mean,
};

/// The results of an experiment, by variant and case.
pub(crate) struct Runs<'a> {
    by_variant: Vec<Vec<Vec<&'a CellResult>>>,
    /// The number of results whose case or variant is not in the evaluation.
    pub(crate) strangers: u64,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(cases: usize, variants: usize, results: &'a [CellResult]) -> Self {
        let latest: BTreeMap<Cell, &CellResult> =
            results.iter().map(|result| (result.cell, result)).collect();
        let mut by_variant = vec![vec![Vec::new(); cases]; variants];
        let mut strangers = 0;
        for (cell, result) in latest {
            let place = usize::try_from(cell.variant)
                .ok()
                .and_then(|variant| by_variant.get_mut(variant))
                .zip(usize::try_from(cell.case).ok())
                .and_then(|(cases, case): (&mut Vec<Vec<_>>, _)| cases.get_mut(case));
            match place {
                Some(place) => place.push(result),
                None => strangers += 1,
            }
        }
        Self {
            by_variant,
            strangers,
        }
    }

    /// Returns the number of calls whose cost is unknown, in all results.
    pub(crate) fn unpriced_calls(&self) -> u64 {
        let results = self.by_variant.iter().flatten().flatten();
        results
            .map(|result| u64::from(result.spent.unpriced_calls))
            .sum()
    }

    /// Returns the results of a variant, in the order of the data set.
    pub(crate) fn of(&self, variant: usize) -> impl Iterator<Item = &'a CellResult> + '_ {
        self.by_variant
            .get(variant)
            .into_iter()
            .flatten()
            .flatten()
            .copied()
    }

    /// Calls `of` for each result and returns the first value. Returns `None` if `of` returns `None` for every result.
    pub(crate) fn first(&self, of: impl Fn(&'a CellResult) -> Option<&'a str>) -> Option<&'a str> {
        let all = self.by_variant.iter().flatten().flatten();
        all.copied().find_map(of)
    }

    /// Returns, for each case, the mean of a value over the case's repetitions. An entry is `None` if no repetition has
    /// a value.
    pub(crate) fn by_case(
        &self,
        variant: usize,
        value: impl Fn(&CellResult) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        let cases = self.by_variant.get(variant).into_iter().flatten();
        cases
            .map(|results| {
                let values: Vec<f64> = results.iter().filter_map(|result| value(result)).collect();
                mean(&values)
            })
            .collect()
    }

    /// Returns the results of a variant, grouped by case.
    pub(crate) fn cases(&self, variant: usize) -> impl Iterator<Item = &[&'a CellResult]> {
        self.by_variant
            .get(variant)
            .into_iter()
            .flatten()
            .map(Vec::as_slice)
    }

    /// Returns a phrase with the reasons why `not_run` runs are not finished, and the number of runs for each reason.
    pub(crate) fn why_not_run(&self, not_run: u64) -> String {
        let all = self.by_variant.iter().flatten().flatten();
        let mut counts = [0_u64; 3];
        for result in all {
            match result.status {
                CellStatus::OverBudget => counts[0] += 1,
                CellStatus::Cancelled => counts[1] += 1,
                CellStatus::Running => counts[2] += 1,
                CellStatus::Completed | CellStatus::Failed => {}
            }
        }
        let [budget, stopped, running] = counts;
        let rest = not_run.saturating_sub(budget + stopped + running);
        let parts = [
            (budget, "did not fit into the budget"),
            (stopped, "stopped"),
            (running, "still running"),
            (rest, "not started"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        parts.join(", ")
    }
}

/// Returns the score that a scorer gave the result of a completed run. `None` if the run did not complete or the result is
/// unscored.
pub(crate) fn score(result: &CellResult, scorer: usize) -> Option<f64> {
    let score = result.scores.get(scorer)?;
    let value = score.value.filter(|value| value.is_finite());
    value.filter(|_| is_completed(result))
}

pub(crate) fn is_completed(result: &CellResult) -> bool {
    result.status == CellStatus::Completed
}

/// Returns the cost of a completed run in dollars. `None` if the run did not complete, or if its cost is unknown.
pub(crate) fn cost(result: &CellResult) -> Option<f64> {
    result.spent.usd().filter(|_| is_completed(result))
}

/// Returns the values that are `Some`.
pub(crate) fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}
