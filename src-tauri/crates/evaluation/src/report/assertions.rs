//! Checks the assertions of an evaluation.

use super::compare::Comparer;
use crate::{
    file::Assertion,
    result::{AssertionResult, Report, VariantReport},
    wording::{decimal, direction_mark, dollars, range, signed},
};

/// The word that selects the baseline in `noWorseThan`. The name of the baseline variant is also accepted.
const BASELINE: &str = "baseline";

/// The maximum relative difference between two numbers that count as equal. It is needed because means have rounding errors.
const ROUNDING: f64 = 1e-12;

/// Returns the results of each assertion, in order: one for each variant and each condition that it checks. An invalid
/// assertion has a single result, which failed.
pub(super) fn check(
    assertions: &[Assertion],
    report: &Report,
    comparer: &Comparer<'_>,
) -> Vec<AssertionResult> {
    let checker = Checker { report, comparer };
    assertions
        .iter()
        .flat_map(|assertion| {
            checker
                .check(assertion)
                .unwrap_or_else(|message| vec![failed(message)])
        })
        .collect()
}

struct Checker<'a> {
    report: &'a Report,
    comparer: &'a Comparer<'a>,
}

impl Checker<'_> {
    /// Returns a result for each variant and each condition that is checked, or an error if the assertion itself is invalid.
    fn check(&self, assertion: &Assertion) -> Result<Vec<AssertionResult>, String> {
        let scorer = match &assertion.scorer {
            None => usize::try_from(self.report.primary).unwrap_or_default(),
            Some(name) => (self.report.scorers.iter())
                .position(|scorer| scorer == name)
                .ok_or_else(|| {
                    format!("An assertion names the scorer \"{name}\", which does not exist. Correct the name.")
                })?,
        };
        let variants = match &assertion.variant {
            None => (0..self.report.variants.len()).collect(),
            Some(name) => vec![self.variant(name)?],
        };
        let mean = assertion.mean.as_deref().map(Limit::read).transpose()?;
        let cost = assertion.cost_usd.as_deref().map(Limit::read).transpose()?;
        let other = match assertion.no_worse_than.as_deref() {
            None => None,
            Some(name) => match self.variant(name) {
                Ok(other) => Some(other),
                Err(_) if name == BASELINE => {
                    Some(usize::try_from(self.report.baseline).unwrap_or_default())
                }
                Err(message) => return Err(message),
            },
        };
        if mean.is_none() && cost.is_none() && other.is_none() {
            return Err(
                "An assertion is empty. Add `mean`, `noWorseThan` or `costUsd` to it.".to_owned(),
            );
        }
        let margin = assertion.margin.unwrap_or(self.report.margin);
        let mut results = Vec::new();
        for variant in variants {
            let Some(figures) = self.report.variants.get(variant) else {
                continue;
            };
            if let Some(limit) = &mean {
                results.push(check_mean(figures, scorer, limit));
            }
            if let Some(other) = other.filter(|&other| other != variant) {
                results.push(self.check_no_worse(variant, other, scorer, margin));
            }
            if let Some(limit) = &cost {
                results.push(check_cost(figures, limit));
            }
        }
        let is_of_another_experiment =
            assertion.no_worse_than.as_deref() == Some(BASELINE) && self.report.variants.len() == 1;
        if results.is_empty() && !is_of_another_experiment {
            return Err(
                "An assertion compares a variant with itself. Name another variant in `noWorseThan`."
                    .to_owned(),
            );
        }
        Ok(results)
    }

    fn variant(&self, name: &str) -> Result<usize, String> {
        self.report
            .variants
            .iter()
            .position(|variant| variant.name == name)
            .ok_or_else(|| {
                format!("An assertion names the variant \"{name}\", which does not exist. Correct the name.")
            })
    }

    fn check_no_worse(
        &self,
        variant: usize,
        other: usize,
        scorer: usize,
        margin: f64,
    ) -> AssertionResult {
        let baseline = usize::try_from(self.report.baseline);
        let known = self.report.comparisons.iter().find(|comparison| {
            baseline == Ok(other)
                && self
                    .report
                    .variants
                    .get(variant)
                    .map(|variant| &variant.name)
                    == Some(&comparison.variant)
                && self.report.scorers.get(scorer) == Some(&comparison.scorer)
        });
        let found = known
            .cloned()
            .or_else(|| self.comparer.compare(variant, other, scorer));
        let Some(found) = found else {
            return failed(
                "An assertion compares results that do not exist. Run both variants first."
                    .to_owned(),
            );
        };
        let direction = self.report.direction(scorer);
        let what = format!(
            "\"{}\" is no worse than \"{}\" in {}{}, with a margin of {}",
            found.variant,
            found.baseline,
            found.scorer,
            direction_mark(direction),
            decimal(margin)
        );
        let (Some(difference), Some(interval)) = (found.difference, found.interval) else {
            return failed(format!(
                "{what}: unknown. At least two cases need a score for both variants."
            ));
        };
        // `least` is the end of the interval with the worse score: the lower end, or the upper end if lower is better.
        let [least, _] = direction.gain_interval(interval);
        let holds = least >= -margin || is_equal(least, -margin);
        AssertionResult {
            holds,
            message: format!(
                "{what}: the difference is {} (95% interval {}) over {} pairs.",
                signed(difference),
                range(interval),
                found.pairs
            ),
        }
    }
}

fn check_mean(figures: &VariantReport, scorer: usize, limit: &Limit) -> AssertionResult {
    let Some(report) = figures.scorers.get(scorer) else {
        return failed(
            "An assertion names a scorer that does not exist. Correct the name.".to_owned(),
        );
    };
    let what = format!(
        "Mean {} of \"{}\" {}",
        report.scorer,
        figures.name,
        limit.text()
    );
    let Some(mean) = report.mean else {
        return failed(format!("{what}: unknown. No case has a score."));
    };
    let interval = report
        .interval
        .map(|interval| format!(" (95% interval {})", range(interval)))
        .unwrap_or_default();
    AssertionResult {
        holds: limit.holds(mean),
        message: format!(
            "{what}: it is {}{interval} over {} cases.",
            exact(mean, limit),
            report.n
        ),
    }
}

fn check_cost(figures: &VariantReport, limit: &Limit) -> AssertionResult {
    let what = format!(
        "Mean cost per run of \"{}\" {} {}",
        figures.name,
        limit.comparison.text(),
        dollars(limit.number)
    );
    let Some(cost) = figures.mean_cost_usd else {
        return failed(match figures.completed {
            0 => format!("{what}: unknown. No run was completed."),
            _ => format!(
                "{what}: unknown, because some calls have no known price. Add the model's price in the file that `loopwright models` names."
            ),
        });
    };
    let written = match dollars(cost) == dollars(limit.number) && !is_equal(cost, limit.number) {
        true => format!("${cost}"),
        false => dollars(cost),
    };
    AssertionResult {
        holds: limit.holds(cost),
        message: format!("{what}: it is {written}."),
    }
}

fn failed(message: String) -> AssertionResult {
    AssertionResult {
        holds: false,
        message,
    }
}

/// Formats a mean for a message. If rounding would make the mean look equal to the limit although it is not, the mean has
/// all its digits.
fn exact(mean: f64, limit: &Limit) -> String {
    let written = decimal(mean);
    match written == decimal(limit.number) && !is_equal(mean, limit.number) {
        true => format!("{mean}"),
        false => written,
    }
}

fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs())
}

#[derive(Clone, Copy)]
enum Relation {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

impl Relation {
    /// The relations and their operators. Longer operators come first, because the parser takes the first one that matches.
    const ALL: [(&'static str, Self); 6] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        ("==", Self::Equal),
        (">", Self::Above),
        ("<", Self::Below),
        ("=", Self::Equal),
    ];

    fn text(self) -> &'static str {
        match self {
            Self::AtLeast => "is at least",
            Self::AtMost => "is at most",
            Self::Above => "is above",
            Self::Below => "is below",
            Self::Equal => "is",
        }
    }
}

/// A comparison with a number, such as `>= 7.5`.
struct Limit {
    comparison: Relation,
    number: f64,
}

impl Limit {
    fn read(text: &str) -> Result<Self, String> {
        let read = Relation::ALL.iter().find_map(|(sign, comparison)| {
            let number = text.trim().strip_prefix(sign)?.trim();
            let number = number
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())?;
            Some(Self {
                comparison: *comparison,
                number,
            })
        });
        read.ok_or_else(|| {
            format!("An assertion contains `{text}`, which is not a comparison. Write one such as `>= 7.5`.")
        })
    }

    fn text(&self) -> String {
        format!("{} {}", self.comparison.text(), decimal(self.number))
    }

    fn holds(&self, value: f64) -> bool {
        let is_equal = is_equal(value, self.number);
        match self.comparison {
            Relation::AtLeast => value > self.number || is_equal,
            Relation::AtMost => value < self.number || is_equal,
            Relation::Above => value > self.number && !is_equal,
            Relation::Below => value < self.number && !is_equal,
            Relation::Equal => is_equal,
        }
    }
}
