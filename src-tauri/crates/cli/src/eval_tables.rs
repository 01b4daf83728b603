//! Reports of evaluations and back-tests, as tables for a terminal.

use loopwright_api::evaluation::{
    result::{Comparison, Interval, Report, VariantReport},
    wording,
};
use loopwright_experiments::{ExperimentView, PolicyResult};
use serde_json::json;

use crate::{out::outln, render};

pub(crate) fn policies(policies: &[PolicyResult]) {
    let wide = policies
        .iter()
        .map(|policy| policy.policy.chars().count())
        .max()
        .unwrap_or(6)
        .max(6);
    outln!(
        "  {:wide$}  {:>5} {:>8} {:>24} {:>11} {:>10}",
        "policy",
        "known",
        "censored",
        "score (95% interval)",
        "cost",
        "iterations"
    );
    for policy in policies {
        let mark = if policy.on_front { "*" } else { " " };
        if policy.known == 0
            && let Some(error) = &policy.error
        {
            outln!("{mark} {:wide$}  {error}", policy.policy);
            continue;
        }
        outln!(
            "{mark} {:wide$}  {:>5} {:>8} {:>24} {:>11} {:>10}",
            policy.policy,
            policy.known,
            policy.censored,
            with_interval(policy.mean_score, policy.interval),
            policy
                .mean_cost_usd
                .map_or_else(|| "-".to_owned(), render::dollars),
            policy
                .mean_iterations
                .map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}")),
        );
    }
    if policies.iter().any(|policy| policy.on_front) {
        outln!(
            "* No other policy has a better score at no higher cost, and none has the same score at a lower cost."
        );
    }
    if policies.iter().any(|policy| policy.censored > 0) {
        outln!(
            "Censored runs ended before the policy would have stopped them. They are excluded from all means."
        );
    }
}

fn number(value: f64) -> String {
    wording::rounded(value, if value.abs() >= 1000.0 { 0 } else { 3 })
}

fn with_interval(mean: Option<f64>, interval: Option<Interval>) -> String {
    match (mean, interval) {
        (Some(mean), Some([low, high])) => {
            format!("{} [{}, {}]", number(mean), number(low), number(high))
        }
        (Some(mean), None) => number(mean),
        (None, _) => "-".to_owned(),
    }
}

/// Prints a report.
pub(crate) fn report(view: &ExperimentView) {
    let report = &view.report;
    let runs: u32 = report
        .variants
        .iter()
        .map(|variant| variant.completed + variant.failed)
        .sum();
    let known = view.summary.cost_usd;
    let is_partial = report.variants.iter().any(VariantReport::has_unknown_costs);
    outln!(
        "{}: {}, {}, {}",
        report.name,
        render::counted(report.cases, "case", "cases"),
        render::counted(runs, "run", "runs"),
        match is_partial {
            true if known == 0.0 => "cost unknown".to_owned(),
            true => format!("at least {}", render::dollars(known)),
            false => render::dollars(known),
        }
    );
    outln!("{}", loopwright_api::evaluation::report::finding(report));
    if let Some(words) = &report.stopped_early {
        outln!("{words}");
    }
    for variant in &report.variants {
        outln!();
        print_variant(variant, report);
    }
    comparisons(
        "Comparison with the baseline, paired by case",
        &report.comparisons,
    );
    if !report.assertions.is_empty() {
        outln!();
        for assertion in &report.assertions {
            let mark = if assertion.holds { "holds" } else { "FAILS" };
            outln!("{mark}: {}", assertion.message);
        }
    }
    for note in &report.notes {
        outln!("Note: {note}");
    }
}

/// Returns `, COUNT WHAT` to append to a list, or an empty string for zero.
fn further(count: u32, what: &str) -> String {
    match count {
        0 => String::new(),
        count => format!(", {count} {what}"),
    }
}

fn print_variant(variant: &VariantReport, report: &Report) {
    outln!(
        "{}  ({} completed{}{})",
        variant.name,
        variant.completed,
        further(variant.failed, "failed"),
        further(variant.not_run, "not run")
    );
    for scorer in &variant.scorers {
        outln!(
            "  {}: {}  (n {}{}, median {})",
            scorer.scorer,
            with_interval(scorer.mean, scorer.interval),
            scorer.n,
            further(scorer.unscored, "unscored"),
            scorer.median.map_or_else(|| "-".to_owned(), number)
        );
        for pass in scorer.pass.iter().filter(|_| report.repetitions > 1) {
            outln!(
                "    pass@{} {:.3}, pass^{} {:.3}",
                pass.k,
                pass.any,
                pass.k,
                pass.all
            );
        }
    }
    let ends: Vec<String> = variant
        .exit_reasons
        .iter()
        .map(|(reason, count)| {
            let title = serde_json::from_value(json!(reason))
                .map_or_else(|_| reason.clone(), render::exit_title);
            format!("{title} {count}")
        })
        .collect();
    let mut facts = vec![format!(
        "{} a run",
        variant
            .mean_cost_usd
            .map_or_else(|| "-".to_owned(), render::dollars)
    )];
    if let Some(mean) = variant.mean_iterations {
        facts.push(format!("{mean:.2} iterations"));
    }
    if let (Some(half), Some(most)) = (variant.latency_p50, variant.latency_p95) {
        facts.push(format!(
            "{} (p95 {})",
            render::duration(half as u64),
            render::duration(most as u64)
        ));
    }
    facts.extend(ends);
    outln!("  {}", facts.join(", "));
    let Some(curve) = &variant.curve else { return };
    outln!("  By iteration of {} ({}):", curve.of, curve.scorer);
    outln!(
        "    cap {:>24} {:>11} {:>9}",
        "score (95% interval)",
        "cost",
        "finished"
    );
    for point in &curve.points {
        let mark = match &curve.knee {
            Some(knee) if knee.k == point.k => "<- knee",
            _ => "",
        };
        outln!(
            "    {:>3} {:>24} {:>11} {:>8.0}% {mark}",
            point.k,
            with_interval(point.mean, point.interval),
            render::dollars(point.mean_cost_usd),
            point.finished * 100.0,
        );
    }
}

pub(crate) fn comparisons(title: &str, comparisons: &[Comparison]) {
    if comparisons.is_empty() {
        return;
    }
    outln!();
    outln!("{title}:");
    for one in comparisons {
        outln!(
            "  {} - {}, {}: {}  ({}: {} better, {} equal, {} worse)",
            one.variant,
            one.baseline,
            one.scorer,
            with_interval(one.difference, one.interval),
            render::counted(one.pairs, "pair", "pairs"),
            one.wins,
            one.ties,
            one.losses
        );
        if !one.worse.is_empty() {
            let shown: Vec<&str> = one.worse.iter().take(5).map(String::as_str).collect();
            let more = one.worse.len().saturating_sub(shown.len());
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            outln!("    worse: {}{rest}", shown.join(", "));
        }
    }
}
