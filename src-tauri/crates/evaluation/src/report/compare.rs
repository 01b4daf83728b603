//! Compares variants with each other, paired by case.

use super::runs::{Runs, cost, score};
use crate::{
    result::{Case, Comparison},
    statistics::{Bootstrap, Direction, compare_paired_in, mean},
};

/// The maximum number of worse cases that a comparison lists.
const MAX_WORSE: usize = 100;

/// The data and settings for the comparison of variants.
pub(super) struct Comparer<'a> {
    pub(super) runs: &'a Runs<'a>,
    pub(super) cases: &'a [Case],
    pub(super) variants: &'a [String],
    pub(super) scorers: &'a [String],
    /// The direction of each scorer.
    pub(super) directions: &'a [Direction],
    pub(super) bootstrap: &'a Bootstrap,
}

impl Comparer<'_> {
    /// Compares each variant except the baseline with the baseline, by each scorer.
    pub(super) fn against(&self, baseline: usize) -> Vec<Comparison> {
        (0..self.variants.len())
            .filter(|&variant| variant != baseline)
            .flat_map(|variant| (0..self.scorers.len()).map(move |scorer| (variant, scorer)))
            .filter_map(|(variant, scorer)| self.compare(variant, baseline, scorer))
            .collect()
    }

    /// Compares two variants by one scorer. Returns `None` if an index is out of range.
    pub(super) fn compare(
        &self,
        variant: usize,
        baseline: usize,
        scorer: usize,
    ) -> Option<Comparison> {
        let scores = |variant| self.runs.by_case(variant, |result| score(result, scorer));
        let paired = compare_paired_in(
            self.directions.get(scorer).copied().unwrap_or_default(),
            &scores(variant),
            &scores(baseline),
            self.bootstrap,
        );
        let costs = |variant| self.runs.by_case(variant, cost);
        let cost_differences: Vec<f64> = costs(variant)
            .into_iter()
            .zip(costs(baseline))
            .filter_map(|(variant, baseline)| Some(variant? - baseline?))
            .collect();
        Some(Comparison {
            variant: self.variants.get(variant)?.clone(),
            baseline: self.variants.get(baseline)?.clone(),
            scorer: self.scorers.get(scorer)?.clone(),
            pairs: paired.pairs,
            difference: paired.difference,
            interval: paired.interval,
            wins: paired.wins,
            ties: paired.ties,
            losses: paired.losses,
            worse: (paired.worse.iter())
                .filter_map(|&case| Some(self.cases.get(case)?.id.clone()))
                .take(MAX_WORSE)
                .collect(),
            cost_difference_usd: mean(&cost_differences),
        })
    }
}
