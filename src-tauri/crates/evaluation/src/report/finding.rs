//! The finding of an experiment in one sentence.

use crate::{
    result::{Comparison, Report, VariantReport},
    statistics::Direction,
    wording::{counted, decimal, direction_mark, dollars, percent, range, signed},
};

/// The maximum relative difference between two costs that count as equal.
const SAME_COST: f64 = 0.005;

/// Returns a sentence with the finding of an experiment according to the primary scorer: the most decisive comparison, otherwise
/// the knee of the baseline's curve, otherwise the mean score.
pub fn finding(report: &Report) -> String {
    let primary = usize::try_from(report.primary).unwrap_or_default();
    let Some(scorer) = report.scorers.get(primary) else {
        return "Nothing was scored.".to_owned();
    };
    let strongest = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.scorer == *scorer)
        .filter_map(|comparison| {
            let direction = report.direction(primary);
            Some((verdict(comparison, direction, report.margin)?, comparison))
        })
        .min_by_key(|(verdict, _)| *verdict);
    if let Some((verdict, comparison)) = strongest {
        return compared(report, verdict, comparison, report.direction(primary));
    }
    let baseline = usize::try_from(report.baseline).unwrap_or_default();
    let Some(variant) = report.variants.get(baseline) else {
        return "Nothing was run.".to_owned();
    };
    capped(variant, report.direction(primary)).unwrap_or_else(|| scored(variant, primary))
}

/// The verdicts of a comparison, in order, the most decisive first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Better,
    AsGood,
    Worse,
    Unclear,
}

fn verdict(comparison: &Comparison, direction: Direction, margin: f64) -> Option<Verdict> {
    comparison.difference?;
    let gain = comparison
        .interval
        .map(|interval| direction.gain_interval(interval));
    let Some([low, high]) = gain else {
        return Some(Verdict::Unclear);
    };
    Some(if low > 0.0 {
        Verdict::Better
    } else if high < 0.0 && low < -margin {
        Verdict::Worse
    } else if low >= -margin {
        Verdict::AsGood
    } else {
        Verdict::Unclear
    })
}

fn compared(
    report: &Report,
    verdict: Verdict,
    comparison: &Comparison,
    direction: Direction,
) -> String {
    let Comparison {
        variant,
        baseline,
        scorer,
        pairs,
        ..
    } = comparison;
    let difference = comparison.difference.unwrap_or_default();
    let interval = comparison
        .interval
        .map(|interval| format!(", 95% interval {}", range(interval)))
        .unwrap_or_default();
    let cost = cost(report, comparison);
    let size = decimal(difference.abs());
    let mark = direction_mark(direction);
    match verdict {
        Verdict::Better => format!(
            "{variant} is better than {baseline} by {size} {scorer}{mark}{}{interval}.",
            cost.map(|cost| format!(" and {cost}")).unwrap_or_default()
        ),
        Verdict::Worse => format!(
            "{variant} is worse than {baseline} by {size} {scorer}{mark}{}{interval}.",
            cost.map(|cost| format!(" and {cost}")).unwrap_or_default()
        ),
        Verdict::AsGood => format!(
            "{variant} is as good as {baseline}{}{}: {scorer}{mark} differs by {}{interval}.",
            within(report.margin),
            cost.map(|cost| format!(" and {cost}")).unwrap_or_default(),
            signed(difference)
        ),
        Verdict::Unclear => format!(
            "{} {} not enough to tell whether {variant} is as good as {baseline}: {scorer}{mark} differs by {}{interval}{}.",
            counted(u64::from(*pairs), "case"),
            if *pairs == 1 { "is" } else { "are" },
            signed(difference),
            cost.map(|cost| format!("; it {cost}")).unwrap_or_default()
        ),
    }
}

fn within(margin: f64) -> String {
    match margin > 0.0 {
        true => format!(" within the margin of {}", decimal(margin)),
        false => String::new(),
    }
}

/// Returns a phrase such as `costs 41% less`, or `None` if a cost is unknown or both are zero.
fn cost(report: &Report, comparison: &Comparison) -> Option<String> {
    let difference = comparison.cost_difference_usd?;
    let before = report
        .variants
        .iter()
        .find(|variant| variant.name == comparison.baseline)?
        .mean_cost_usd?;
    relative_cost(difference, before)
}

fn relative_cost(difference: f64, before: f64) -> Option<String> {
    if difference == 0.0 && before == 0.0 {
        return None;
    }
    if before <= 0.0 {
        return Some(format!("costs {} more per run", dollars(difference)));
    }
    let share = difference / before;
    Some(if share.abs() < SAME_COST {
        "costs the same".to_owned()
    } else if share < 0.0 {
        format!("costs {} less", percent(-share))
    } else {
        format!("costs {} more", percent(share))
    })
}

fn capped(variant: &VariantReport, direction: Direction) -> Option<String> {
    let curve = variant.curve.as_ref()?;
    let knee = curve.knee.as_ref()?;
    let point = |k| curve.points.iter().find(|point| point.k == k);
    let last = curve.points.last()?.k;
    if last < 2 {
        return None;
    }
    if knee.k == knee.best {
        let rest = match knee.best == last {
            true => "more iterations could still help".to_owned(),
            false => format!("iterations after {} bring no improvement", knee.best),
        };
        return Some(format!(
            "A cap of {} has the best {}{}, {}: {rest}.",
            knee.best,
            curve.scorer,
            direction_mark(direction),
            decimal(point(knee.best)?.mean?)
        ));
    }
    let cost = relative_cost(-knee.saved_usd, point(knee.best)?.mean_cost_usd)
        .map(|cost| format!(" and {cost}"))
        .unwrap_or_default();
    let interval = knee
        .interval
        .map(|interval| format!(", 95% interval {}", range(interval)))
        .unwrap_or_default();
    Some(format!(
        "A cap of {} is as good as {}{}{cost}: {}{} differs by {}{interval}.",
        knee.k,
        knee.best,
        within(knee.margin),
        curve.scorer,
        direction_mark(direction),
        decimal(knee.difference)
    ))
}

fn scored(variant: &VariantReport, primary: usize) -> String {
    let Some(report) = variant.scorers.get(primary) else {
        return "Nothing was scored.".to_owned();
    };
    let Some(mean) = report.mean else {
        return format!("No result has a score by {}.", report.scorer);
    };
    let interval = report
        .interval
        .map(|interval| format!(" (95% interval {})", range(interval)))
        .unwrap_or_default();
    format!(
        "{} has a mean {} of {}{interval} over {}.",
        variant.name,
        report.scorer,
        decimal(mean),
        counted(u64::from(report.n), "case")
    )
}
