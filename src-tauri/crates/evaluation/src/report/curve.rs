//! Quality and cost by iteration: the results that the same runs would have with each cap.

use super::runs::{Runs, known};
use crate::{
    recorded::Ended,
    result::{CellResult, CellStatus, Curve, CurvePoint, IterationResult, Knee, Spent},
    statistics::{Bootstrap, Direction, compare_paired, mean},
};

/// The relative tolerance of comparisons with the margin. It is needed because in binary, 0.8 − 0.7 is slightly more than
/// 0.1.
const ROUNDING: f64 = 1e-9;

/// The data from which a curve is computed.
pub(super) struct Source<'a> {
    pub(super) runs: &'a Runs<'a>,
    pub(super) variant: usize,
    pub(super) scorer: usize,
    pub(super) direction: Direction,
    pub(super) margin: f64,
    pub(super) bootstrap: &'a Bootstrap,
}

/// The result that a run has, or would have, with a cap of `k` iterations.
struct Capped {
    score: Option<f64>,
    spent: Spent,
}

/// Returns the result that a run would have with a cap of `k`. If the run's exit condition ended its loop earlier, the
/// result has the figures of the last iteration. Returns `None` for a run that is not over, and for a run that was cut
/// off earlier, because its later iterations are unknown.
fn capped(result: &CellResult, k: usize, scorer: usize) -> Option<Capped> {
    let of = |iteration: &IterationResult| Capped {
        score: iteration
            .scores
            .get(scorer)
            .and_then(|score| score.value)
            .filter(|value| value.is_finite()),
        spent: iteration.spent,
    };
    if !is_over(result) {
        return None;
    }
    if let Some(iteration) = result.iterations.get(k - 1) {
        return Some(of(iteration));
    }
    if !ended_by_itself(result) {
        return None;
    }
    // A loop without iterations returned its input, so the run's own scores apply.
    Some(result.iterations.last().map_or_else(
        || Capped {
            score: super::runs::score(result, scorer),
            spent: result.spent,
        },
        of,
    ))
}

fn is_over(result: &CellResult) -> bool {
    matches!(result.status, CellStatus::Completed | CellStatus::Failed)
}

fn ended_by_itself(result: &CellResult) -> bool {
    Ended::of(result) == Ended::Exit && !result.exhausted
}

impl Source<'_> {
    /// Returns the curve of a variant by one scorer, for each cap from 1 to the largest number of iterations. Returns `None` if
    /// no run has iterations.
    pub(super) fn curve(&self, of: String, scorer: String) -> Option<Curve> {
        let most = (self.runs.of(self.variant))
            .map(|result| result.iterations.len())
            .max()
            .filter(|&most| most > 0)?;
        let caps: Vec<usize> = (1..=most).collect();
        let scores: Vec<Vec<Option<f64>>> = caps.iter().map(|&k| self.scores(k)).collect();
        let costs: Vec<Vec<Option<f64>>> = caps
            .iter()
            .map(|&k| self.spent(k, |spent| spent.usd()))
            .collect();
        let points: Vec<CurvePoint> = caps
            .iter()
            .zip(scores.iter().zip(&costs))
            .map(|(&k, (scores, costs))| {
                let values = known(scores);
                let tokens = self.spent(k, |spent| Some(spent.tokens as f64));
                CurvePoint {
                    k: u32::try_from(k).unwrap_or(u32::MAX),
                    n: u32::try_from(values.len()).unwrap_or(u32::MAX),
                    mean: mean(&values),
                    interval: self.bootstrap.mean_interval(&values),
                    mean_cost_usd: mean(&known(costs)).unwrap_or_default(),
                    mean_tokens: mean(&known(&tokens)).unwrap_or_default(),
                    finished: self.finished(k),
                }
            })
            .collect();
        let knee = self.knee(&points, &scores, &costs);
        Some(Curve {
            of,
            scorer,
            points,
            knee,
        })
    }

    fn scores(&self, k: usize) -> Vec<Option<f64>> {
        self.runs
            .by_case(self.variant, |result| capped(result, k, self.scorer)?.score)
    }

    fn spent(&self, k: usize, figure: impl Fn(Spent) -> Option<f64>) -> Vec<Option<f64>> {
        self.runs.by_case(self.variant, |result| {
            figure(capped(result, k, self.scorer)?.spent)
        })
    }

    /// Returns the share of runs whose exit condition had ended the loop after `k` iterations, among all runs whose loop
    /// started. The share never falls as `k` grows.
    fn finished(&self, k: usize) -> f64 {
        let (mut finished, mut all) = (0_u32, 0_u32);
        for result in self.runs.of(self.variant).filter(|result| is_over(result)) {
            let is_finished = ended_by_itself(result);
            if is_finished || !result.iterations.is_empty() {
                all += 1;
                finished += u32::from(is_finished && result.iterations.len() <= k);
            }
        }
        match all {
            0 => 0.0,
            all => f64::from(finished) / f64::from(all),
        }
    }

    /// Returns the smallest cap that is as good as the best cap, within the margin. A cap is a candidate only if at
    /// least half as many cases are known for it as for the cap with the most known cases. A cap with fewer known cases
    /// might be better or worse merely because it is compared on other cases.
    fn knee(
        &self,
        points: &[CurvePoint],
        scores: &[Vec<Option<f64>>],
        costs: &[Vec<Option<f64>>],
    ) -> Option<Knee> {
        let most = points.iter().map(|point| point.n).max()?;
        let is_candidate = |point: &CurvePoint| point.n > 0 && point.n >= most.div_ceil(2);
        let mut best: Option<(usize, f64)> = None;
        for (at, point) in points.iter().enumerate() {
            let Some(mean) = point.mean.filter(|_| is_candidate(point)) else {
                continue;
            };
            let rounding = ROUNDING * mean.abs();
            if best.is_none_or(|(_, best)| self.direction.gain(mean - best) > rounding) {
                best = Some((at, mean));
            }
        }
        let (best, _) = best?;
        let mut found = None;
        for (at, point) in points.iter().enumerate().take(best) {
            if !is_candidate(point) {
                continue;
            }
            let quick = Bootstrap {
                resamples: 0,
                ..*self.bootstrap
            };
            // In both directions, the difference is how much worse the cap is than the best one.
            let (better, worse) = match self.direction {
                Direction::HigherIsBetter => (&scores[best], &scores[at]),
                Direction::LowerIsBetter => (&scores[at], &scores[best]),
            };
            let paired = compare_paired(better, worse, &quick);
            let Some(difference) = paired.difference else {
                continue;
            };
            if difference <= self.margin + ROUNDING * self.margin.abs() {
                let interval = self.bootstrap.mean_interval(&paired.differences);
                found = Some((at, difference, interval));
                break;
            }
        }
        let (at, difference, interval) = found.unwrap_or((best, 0.0, None));
        let saved: Vec<f64> = costs[best]
            .iter()
            .zip(&costs[at])
            .filter_map(|(best, knee)| Some((*best)? - (*knee)?))
            .collect();
        Some(Knee {
            k: points[at].k,
            best: points[best].k,
            difference,
            interval,
            margin: self.margin,
            saved_usd: mean(&saved).unwrap_or_default(),
        })
    }
}
