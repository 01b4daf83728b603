//! Back-tests: the results that recorded runs would have under other policies, computed without a model call.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    policy::{Policy, Stop},
    recorded::{Ended, RecordedIteration, RecordedLoop},
    result::Interval,
    statistics::{Bootstrap, Direction, mean},
};

/// The settings of a back-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BacktestOptions {
    /// The index of the scorer among the scores of an iteration.
    pub scorer: usize,
    /// Whether a lower score is better. The direction determines which policies are on the Pareto front. It changes no
    /// score.
    pub lower_is_better: bool,
    /// The minimum share of runs, from 0 to 1, that must be known and have a score under a policy. A policy below this
    /// share is not compared, because too few runs would be known under every compared policy.
    pub min_known: f64,
    /// The settings of the confidence intervals of mean scores.
    pub bootstrap: Bootstrap,
}

impl Default for BacktestOptions {
    /// Returns settings for the first scorer, for which higher scores are better. At least half of the runs must be
    /// known and have a score. Only 2,000 resamples are used, because there may be hundreds of policies.
    fn default() -> Self {
        Self {
            scorer: 0,
            lower_is_better: false,
            min_known: 0.5,
            bootstrap: Bootstrap {
                resamples: 2_000,
                ..Bootstrap::default()
            },
        }
    }
}

/// The result of a back-test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Backtest {
    pub runs: u32,
    /// The number of runs that are known and have a score under every compared policy. The `compared` figures and the Pareto
    /// front are computed from these runs only.
    pub compared_runs: u32,
    /// The unit of cost for the Pareto front: dollars if calls have a price, otherwise tokens or iterations.
    pub cost: CostUnit,
    /// The policies, in the requested order.
    pub policies: Vec<PolicyReport>,
}

/// The unit of cost. Policies are compared by their score and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum CostUnit {
    Usd,
    Tokens,
    Iterations,
}

/// The results that the recorded runs would have had under one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PolicyReport {
    pub policy: String,
    pub runs: u32,
    /// The number of known runs: those whose records show at which iteration this policy would have ended them.
    pub known: u32,
    /// The number of known runs whose result has no score. No mean score includes them.
    pub unscored: u32,
    /// The number of runs that ended before this policy would have ended them.
    pub censored: u32,
    /// The number of censored runs, by the reason why the recorded loop ended.
    pub censored_by: BTreeMap<Ended, u32>,
    /// The number of runs whose records lack a value that the policy reads.
    pub unknown: u32,
    /// The reason why the first unknown run is unknown. `None` if no run is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_reason: Option<String>,
    /// Figures over the runs that are known under this policy. Do not compare two policies by these figures, because
    /// their runs differ. `None` if no run is known.
    pub own: Option<PolicyFigures>,
    /// Figures over the runs that are known and have a score under every compared policy. `None` if this policy is not
    /// compared, or if no such run exists.
    pub compared: Option<PolicyFigures>,
    /// The number of known runs, by the exit reason with which they would have ended, such as `max_iterations`.
    pub exits: BTreeMap<String, u32>,
    /// Whether no other compared policy has a better score at the same or a lower cost, or the same score at a lower cost.
    pub on_front: bool,
}

/// Means over cases. Repetitions of a case are averaged first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PolicyFigures {
    pub runs: u32,
    pub cases: u32,
    pub mean_score: Option<f64>,
    pub interval: Option<Interval>,
    pub mean_cost_usd: f64,
    pub mean_tokens: f64,
    pub mean_iterations: f64,
}

/// The iteration after which a run would have ended under a policy.
struct End<'a> {
    run: usize,
    k: u32,
    met: bool,
    iteration: &'a RecordedIteration,
}

/// Computes the result of each policy on the recorded runs. Policies under which too few runs are known and have a
/// score are not compared. The others are compared only on the runs that are known and have a score under each of them.
pub fn backtest(policies: &[Policy], runs: &[RecordedLoop], options: &BacktestOptions) -> Backtest {
    let mut conditions = 0;
    let mut reports = Vec::new();
    let mut ends = Vec::new();
    for policy in policies {
        let (report, known) = ask(policy, runs, conditions, options);
        conditions += usize::from(policy.condition().is_some());
        reports.push(report);
        ends.push(known);
    }
    let scored: Vec<BTreeSet<usize>> = ends
        .iter()
        .map(|ends| {
            let ends = ends.iter();
            ends.filter(|end| score(end.iteration, options.scorer).is_some())
                .map(|end| end.run)
                .collect()
        })
        .collect();
    let takes_part = |scored: &BTreeSet<usize>| {
        !scored.is_empty() && scored.len() as f64 >= options.min_known * runs.len() as f64
    };
    let common = scored
        .iter()
        .filter(|scored| takes_part(scored))
        .fold(None, |common: Option<BTreeSet<usize>>, scored| {
            Some(match common {
                None => scored.clone(),
                Some(common) => common.intersection(scored).copied().collect(),
            })
        })
        .unwrap_or_default();
    for ((report, ends), scored) in reports.iter_mut().zip(&ends).zip(&scored) {
        if takes_part(scored) {
            let ends = ends.iter().filter(|end| common.contains(&end.run));
            report.compared = figures(ends, runs, options);
        }
    }
    let cost = cost_unit(&reports);
    mark_front(&mut reports, cost, Direction::new(options.lower_is_better));
    Backtest {
        runs: count(runs.len()),
        compared_runs: count(common.len()),
        cost,
        policies: reports,
    }
}

/// Returns the policies to compare: a cap for each number from 1 to `max_cap`, and stable output for each combination
/// of threshold and patience, capped at `max_cap`.
pub fn grid(max_cap: u32, thresholds: &[f64], patiences: &[u32]) -> Vec<Policy> {
    let caps = (1..=max_cap).map(Policy::cap);
    let stable = thresholds.iter().flat_map(|&threshold| {
        patiences
            .iter()
            .map(move |&patience| Policy::stable(threshold, patience, max_cap))
    });
    caps.chain(stable).collect()
}

/// Applies one policy to every run. Returns the policy's report and, for each known run, where it would have ended.
fn ask<'a>(
    policy: &Policy,
    runs: &'a [RecordedLoop],
    condition: usize,
    options: &BacktestOptions,
) -> (PolicyReport, Vec<End<'a>>) {
    let mut report = PolicyReport {
        policy: policy.text.clone(),
        runs: count(runs.len()),
        known: 0,
        unscored: 0,
        censored: 0,
        censored_by: BTreeMap::new(),
        unknown: 0,
        unknown_reason: None,
        own: None,
        compared: None,
        exits: BTreeMap::new(),
        on_front: false,
    };
    let mut ends = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        match policy.stop(run, condition) {
            Stop::At { k, met } => {
                let index = usize::try_from(k).unwrap_or(usize::MAX);
                let last = index.checked_sub(1).and_then(|at| run.iterations.get(at));
                ends.extend(last.map(|iteration| End {
                    run: at,
                    k,
                    met,
                    iteration,
                }));
            }
            Stop::Censored { .. } => {
                report.censored += 1;
                *report.censored_by.entry(run.ended).or_default() += 1;
            }
            Stop::Unknown { reason } => {
                report.unknown += 1;
                report.unknown_reason.get_or_insert(reason);
            }
        }
    }
    for end in &ends {
        let reason = match end.met {
            true => policy.exit_reason(),
            false => "max_iterations",
        };
        *report.exits.entry(reason.to_owned()).or_default() += 1;
        report.unscored += u32::from(score(end.iteration, options.scorer).is_none());
    }
    report.known = count(ends.len());
    report.own = figures(ends.iter(), runs, options);
    (report, ends)
}

fn figures<'a>(
    ends: impl Iterator<Item = &'a End<'a>>,
    runs: &[RecordedLoop],
    options: &BacktestOptions,
) -> Option<PolicyFigures> {
    let mut cases: BTreeMap<u32, Vec<&End<'_>>> = BTreeMap::new();
    let mut known = 0;
    for end in ends {
        known += 1;
        let case = runs.get(end.run).map(|run| run.case).unwrap_or_default();
        cases.entry(case).or_default().push(end);
    }
    let by_case = |figure: &dyn Fn(&End<'_>) -> Option<f64>| -> Vec<f64> {
        cases
            .values()
            .filter_map(|ends| {
                let values: Vec<f64> = ends.iter().filter_map(|end| figure(end)).collect();
                mean(&values)
            })
            .collect()
    };
    let scores = by_case(&|end| score(end.iteration, options.scorer));
    Some(PolicyFigures {
        runs: known,
        cases: count(cases.len()),
        mean_score: mean(&scores),
        interval: options.bootstrap.mean_interval(&scores),
        mean_cost_usd: mean(&by_case(&|end| end.iteration.spent.usd()))?,
        mean_tokens: mean(&by_case(&|end| Some(end.iteration.spent.tokens as f64)))?,
        mean_iterations: mean(&by_case(&|end| Some(f64::from(end.k))))?,
    })
}

fn score(iteration: &RecordedIteration, scorer: usize) -> Option<f64> {
    let score = iteration.scores.get(scorer).copied().flatten();
    score.filter(|score| score.is_finite())
}

fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

impl CostUnit {
    fn of(self, figures: &PolicyFigures) -> f64 {
        match self {
            Self::Usd => figures.mean_cost_usd,
            Self::Tokens => figures.mean_tokens,
            Self::Iterations => figures.mean_iterations,
        }
    }
}

/// Returns the unit of cost: dollars if any run cost money, otherwise tokens if any were used, otherwise iterations.
fn cost_unit(reports: &[PolicyReport]) -> CostUnit {
    let has = |unit: CostUnit| {
        let figures = reports.iter().filter_map(|report| report.own.as_ref());
        figures.into_iter().any(|figures| unit.of(figures) > 0.0)
    };
    match (has(CostUnit::Usd), has(CostUnit::Tokens)) {
        (true, _) => CostUnit::Usd,
        (false, true) => CostUnit::Tokens,
        (false, false) => CostUnit::Iterations,
    }
}

/// Sets `on_front` for the compared policies that are on the Pareto front.
fn mark_front(reports: &mut [PolicyReport], unit: CostUnit, direction: Direction) {
    let places: Vec<Option<(f64, f64)>> = reports
        .iter()
        .map(|report| {
            let figures = report.compared.as_ref()?;
            Some((figures.mean_score?, unit.of(figures)))
        })
        .collect();
    for (report, place) in reports.iter_mut().zip(&places) {
        let Some((score, cost)) = *place else {
            continue;
        };
        let is_beaten = places.iter().flatten().any(|&(other, price)| {
            let gain = direction.gain(other - score);
            gain >= 0.0 && price <= cost && (gain > 0.0 || price < cost)
        });
        report.on_front = !is_beaten;
    }
}
