//! The next value of a history: a likely value, and a bound that the value rarely exceeds.
//!
//! The bound is an order statistic. If the recorded values and the next one are exchangeable, the next value is at most the
//! k-th smallest of n values with a probability of at least k/(n + 1), whatever their distribution is. With fewer than 19
//! values, no bound holds in 19 of 20 cases. The bound is then the largest value, which holds in n of n + 1 cases.
//!
//! The costs of a flow often drift, because its inputs grow or its prompts change. With enough values, the order statistic
//! is therefore computed from the differences between the logarithm of each value and the mean logarithm of the values
//! before it. This is conformal prediction with a local level: J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani and L.
//! Wasserman, "Distribution-Free Predictive Inference for Regression", Journal of the American Statistical Association
//! 113(523), 2018. A position between two order statistics is interpolated, as type 6 of R. J. Hyndman and Y. Fan, "Sample
//! Quantiles in Statistical Packages", The American Statistician 50(4), 1996.

use super::summary::{mean, median};

/// The minimum number of values for a forecast.
pub const MIN_VALUES: usize = 5;

/// The share of cases in which the bound holds, with enough values.
const SHARE: f64 = 0.95;

/// The number of preceding values whose mean logarithm is the level of a value.
const LEVEL: usize = 10;

/// The number of values that precede the first value with a level.
const FIRST_LEVEL: usize = 5;

/// The minimum number of differences for which their order statistic holds in 19 of 20 cases.
const MIN_DIFFERENCES: usize = 19;

/// The maximum number of values that are used, in addition to the [`FIRST_LEVEL`] values before them. Older values are ignored.
const NEWEST: usize = 60;

/// A forecast of the next value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The likely value: the median of the values or, with enough values, the value at the median difference from the
    /// current level.
    pub likely: f64,
    /// A bound on the next value, which holds in `inside` out of `of` cases.
    pub bound: f64,
    pub inside: u32,
    pub of: u32,
    /// The number of values on which the forecast is based.
    pub values: usize,
}

/// Forecasts the value after `history`, whose newest value is the last one. Returns `None` for fewer than [`MIN_VALUES`] values,
/// or if any value is negative or not finite.
pub fn forecast(history: &[f64]) -> Option<Forecast> {
    if history
        .iter()
        .any(|value| !value.is_finite() || *value < 0.0)
    {
        return None;
    }
    let newest = history.len().saturating_sub(NEWEST + FIRST_LEVEL);
    let values = history.get(newest..)?;
    if values.len() < MIN_VALUES {
        return None;
    }
    if values.len() < MIN_DIFFERENCES + FIRST_LEVEL {
        let bound = values.iter().copied().fold(0.0, f64::max);
        let count = u32::try_from(values.len()).ok()?;
        return Some(Forecast {
            likely: median(values)?,
            bound,
            inside: count,
            of: count + 1,
            values: values.len(),
        });
    }
    let (likely, bound) = match values.iter().all(|value| *value > 0.0) {
        true => by_level(values)?,
        // A value of zero has no logarithm.
        false => (median(values)?, order_statistic(values, SHARE)?),
    };
    Some(Forecast {
        likely,
        bound,
        inside: 19,
        of: 20,
        values: values.len(),
    })
}

/// Returns the likely value and the bound, computed from the differences between the logarithms and their level.
/// Returns `None` if one of the two is not finite.
fn by_level(values: &[f64]) -> Option<(f64, f64)> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let level = |end: usize| mean(logs.get(end.saturating_sub(LEVEL)..end)?);
    let mut differences = Vec::with_capacity(logs.len());
    for (index, log) in logs.iter().enumerate().skip(FIRST_LEVEL) {
        differences.push(log - level(index)?);
    }
    let now = level(logs.len())?;
    let likely = (now + median(&differences)?).exp();
    let bound = (now + order_statistic(&differences, SHARE)?).exp();
    (likely.is_finite() && bound.is_finite()).then_some((likely, bound))
}

/// Returns the value at the position `share * (n + 1)` of the values in ascending order, interpolated between the two nearest.
fn order_statistic(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let position = share * (sorted.len() + 1) as f64;
    let below = (position.floor() as usize).clamp(1, sorted.len());
    let low = *sorted.get(below - 1)?;
    let high = *sorted.get(below).unwrap_or(&low);
    Some(low + (high - low) * (position - below as f64).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers: SplitMix64 (Steele et al. 2014).
    struct Chance(u64);

    impl Chance {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }

        /// A standard normal number, by Box and Muller.
        fn normal(&mut self) -> f64 {
            let (u, v) = (self.uniform(), self.uniform());
            (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
        }
    }

    type Shape = (&'static str, fn(&mut Chance, usize) -> f64);

    const SHAPES: [Shape; 8] = [
        ("stable", |chance, _| (0.2 * chance.normal()).exp()),
        ("heavy tail", |chance, _| chance.uniform().powf(-1.0 / 1.5)),
        ("bimodal", |chance, _| {
            let mode = if chance.uniform() < 0.3 { 5.0 } else { 1.0 };
            mode * (0.1 * chance.normal()).exp()
        }),
        ("sometimes free", |chance, _| match chance.uniform() < 0.2 {
            true => 0.0,
            false => (0.3 * chance.normal()).exp(),
        }),
        ("rising", |chance, run| {
            (0.005 * run as f64 + 0.2 * chance.normal()).exp()
        }),
        ("rising fast", |chance, run| {
            (0.02 * run as f64 + 0.2 * chance.normal()).exp()
        }),
        ("falling", |chance, run| {
            (-0.005 * run as f64 + 0.2 * chance.normal()).exp()
        }),
        ("a step", |chance, run| {
            let level = if run < 90 { 1.0 } else { 2.0 };
            level * (0.2 * chance.normal()).exp()
        }),
    ];

    /// In a back-test, each run is forecast from the runs before it.
    #[test]
    fn the_bound_holds_in_19_of_20_runs_of_histories_of_every_shape() {
        for (name, cost) in SHAPES {
            let (mut held, mut all) = (0_u32, 0_u32);
            for seed in 0..60 {
                let mut chance = Chance(seed);
                let history: Vec<f64> = (0..160).map(|run| cost(&mut chance, run)).collect();
                for run in MIN_DIFFERENCES + FIRST_LEVEL..history.len() {
                    let forecast = forecast(&history[..run]).unwrap();
                    assert_eq!((forecast.inside, forecast.of), (19, 20));
                    held += u32::from(history[run] <= forecast.bound);
                    all += 1;
                }
            }
            let share = f64::from(held) / f64::from(all);
            assert!((0.93..=0.97).contains(&share), "{name}: {share:.3}");
        }
    }

    /// Returns the sizes of recorded model calls, one for each line of the file. A size is in tokens of four characters, and
    /// an output token counts as four input tokens. Returns `None` if the file does not exist.
    fn recorded(file: &str, asked: &[&str], answered: &[&str]) -> Option<Vec<f64>> {
        let cases =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases");
        let lines = std::fs::read_to_string(cases.join(file)).ok()?;
        let size = |line: &serde_json::Value, fields: &[&str]| -> f64 {
            let texts = fields.iter().map(|field| line[*field].to_string().len());
            texts.sum::<usize>() as f64 / 4.0
        };
        let costs = lines.lines().map(|line| {
            let line = serde_json::from_str(line).unwrap();
            size(&line, asked) + 4.0 * size(&line, answered)
        });
        Some(costs.collect())
    }

    /// The inputs of a flow have no particular order, so every order of recorded runs is a history.
    #[test]
    fn the_bound_holds_in_19_of_20_recorded_runs() {
        let refine = recorded(
            "self-refine/gsm_fixed_reports.jsonl",
            &["previous_solution"],
            &["feedback", "next_solution"],
        );
        let questions = |file: &str| recorded(file, &["question", "passages"], &["cot", "answer"]);
        let search = questions("multihop-qa/hotpotqa.jsonl")
            .zip(questions("multihop-qa/2wikimultihopqa.jsonl"))
            .map(|(one, other)| [one, other].concat());
        for (name, costs) in [("refine", refine), ("search", search)] {
            let Some(mut costs) = costs else { continue };
            let (mut held, mut all) = (0_u32, 0_u32);
            for seed in 0..200 {
                let mut chance = Chance(seed);
                for last in (1..costs.len()).rev() {
                    costs.swap(last, (chance.uniform() * (last + 1) as f64) as usize);
                }
                for run in MIN_DIFFERENCES + FIRST_LEVEL..costs.len() {
                    held += u32::from(costs[run] <= forecast(&costs[..run]).unwrap().bound);
                    all += 1;
                }
            }
            let share = f64::from(held) / f64::from(all);
            assert!(all > 4_000, "{name}: {all} runs");
            assert!((0.93..=0.97).contains(&share), "{name}: {share:.3}");
        }
    }

    /// With few runs, the forecast claims only the share of cases that their number supports.
    #[test]
    fn few_runs_name_a_smaller_share() {
        for runs in [5, 9, 18, 23] {
            let (mut held, mut all) = (0_u32, 0_u32);
            for seed in 0..6_000 {
                let mut chance = Chance(seed);
                let history: Vec<f64> = (0..=runs).map(|_| (0.2 * chance.normal()).exp()).collect();
                let forecast = forecast(&history[..runs]).unwrap();
                assert_eq!(forecast.values, runs);
                assert_eq!(forecast.of as usize, runs + 1);
                held += u32::from(history[runs] <= forecast.bound);
                all += 1;
            }
            let share = f64::from(held) / f64::from(all);
            let named = runs as f64 / (runs + 1) as f64;
            assert!((share - named).abs() < 0.02, "{runs} runs: {share:.3}");
        }
    }

    #[test]
    fn too_few_or_impossible_values_have_no_forecast() {
        assert_eq!(forecast(&[1.0; 4]), None);
        assert_eq!(forecast(&[]), None);
        assert_eq!(forecast(&[1.0, 1.0, 1.0, 1.0, f64::NAN]), None);
        assert_eq!(forecast(&[1.0, 1.0, 1.0, 1.0, -1.0]), None);
    }

    #[test]
    fn equal_costs_are_forecast_exactly() {
        for runs in [5, 24, 300] {
            let forecast = forecast(&vec![2.0; runs]).unwrap();
            assert!((forecast.likely - 2.0).abs() < 1e-12);
            assert!((forecast.bound - 2.0).abs() < 1e-12);
        }
        let free = forecast(&[0.0; 30]).unwrap();
        assert_eq!((free.likely, free.bound), (0.0, 0.0));
    }

    #[test]
    fn positions_between_values_are_interpolated() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        // 0.95 · 21 = 19.95.
        let found = order_statistic(&values, 0.95).unwrap();
        assert!((found - 19.95).abs() < 1e-9);
        assert_eq!(order_statistic(&[3.0], 0.95), Some(3.0));
    }
}
