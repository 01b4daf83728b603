//! Checks an evaluation file before anything runs.
//!
//! [`read()`] rejects files that are not evaluations. [`evaluation`] reports problems in evaluations that cannot work as
//! written.

mod condition;
mod places;
mod problems;
mod read;
mod scorers;

use std::collections::HashSet;

pub use condition::{Condition, Relation};
pub use problems::Problem;
use problems::{Problems, check_amount, check_range, newer};
pub use read::{FileError, read};

use crate::{
    file::{Assertion, Evaluation},
    nearest::{did_you_mean, list},
};

/// The maximum number of repetitions of a case.
pub const MAX_REPETITIONS: u32 = 100;
/// The maximum number of concurrent runs.
pub const MAX_CONCURRENCY: u32 = 256;
/// The name of the single default variant when the file lists no variants.
pub const ONLY_VARIANT: &str = "flow";

/// Returns every problem in an evaluation, in the order of its fields.
///
/// An evaluation without problems here may still fail to run, because this check reads neither the flow nor the data set.
pub fn evaluation(evaluation: &Evaluation) -> Vec<Problem> {
    let mut problems = Problems(Vec::new());
    if let Some(message) = newer(u64::from(evaluation.schema_version)) {
        problems.add("schemaVersion", message);
    }
    for (place, text) in [
        ("name", &evaluation.name),
        ("flow", &evaluation.flow),
        ("data.file", &evaluation.data.file),
    ] {
        if text.trim().is_empty() {
            problems.add(place, format!("`{place}` is empty. Enter a value."));
        }
    }
    check_variants(evaluation, &mut problems);
    if !(1..=MAX_REPETITIONS).contains(&evaluation.repetitions) {
        problems.add(
            "repetitions",
            format!(
                "A case cannot run {} times. Write a number from 1 to {MAX_REPETITIONS}.",
                evaluation.repetitions
            ),
        );
    }
    scorers::check(evaluation, &mut problems);
    if evaluation
        .per_iteration
        .as_deref()
        .is_some_and(|node| node.trim().is_empty())
    {
        problems.add(
            "perIteration",
            "`perIteration` is empty. Write the id of a loop, or remove it.",
        );
    }
    let scorers = || evaluation.scorers.iter().map(|scorer| scorer.name.as_str());
    if let Some(primary) = &evaluation.primary {
        check_name("primary", "scorer", primary, scorers, &mut problems);
    }
    check_amount("margin", evaluation.margin, &mut problems);
    if let Some(usd) = evaluation.budget.usd {
        check_amount("budget.usd", usd, &mut problems);
    }
    if !(1..=MAX_CONCURRENCY).contains(&evaluation.concurrency) {
        problems.add(
            "concurrency",
            format!(
                "{} runs cannot be in progress at once. Write a number from 1 to {MAX_CONCURRENCY}.",
                evaluation.concurrency
            ),
        );
    }
    check_sequential(evaluation, &mut problems);
    for (at, assertion) in evaluation.assertions.iter().enumerate() {
        check_assertion(at, assertion, evaluation, &mut problems);
    }
    problems.0
}

fn variants(evaluation: &Evaluation) -> Vec<&str> {
    if evaluation.variants.is_empty() {
        vec![ONLY_VARIANT]
    } else {
        evaluation
            .variants
            .iter()
            .map(|variant| variant.name.as_str())
            .collect()
    }
}

fn check_variants(evaluation: &Evaluation, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (at, variant) in evaluation.variants.iter().enumerate() {
        let place = format!("variants[{at}]");
        if variant.name.trim().is_empty() {
            problems.add(
                format!("{place}.name"),
                "The variant has no name. Give it a name.",
            );
        } else if !seen.insert(variant.name.as_str()) {
            problems.add(
                format!("{place}.name"),
                format!("Two variants are called `{}`. Rename one.", variant.name),
            );
        }
        if variant
            .flow
            .as_deref()
            .is_some_and(|flow| flow.trim().is_empty())
        {
            problems.add(
                format!("{place}.flow"),
                "The path of the flow is empty. Enter a path, or remove `flow`.",
            );
        }
        for key in variant.set.keys() {
            if !key.contains('.') || key.split('.').any(|part| part.trim().is_empty()) {
                problems.add(
                    format!("{place}.set"),
                    format!(
                        "`{key}` is not the name of a node's field. Write NODE.FIELD, such as refine.maxIterations."
                    ),
                );
            }
        }
    }
    if let Some(baseline) = &evaluation.baseline {
        check_name(
            "baseline",
            "variant",
            baseline,
            || variants(evaluation),
            problems,
        );
    }
}

/// Reports a name that is not among `names`.
fn check_name<'a, I: IntoIterator<Item = &'a str>>(
    place: &str,
    what: &str,
    name: &str,
    names: impl Fn() -> I,
    problems: &mut Problems,
) {
    if !names().into_iter().any(|known| known == name) {
        let others = match names().into_iter().next() {
            Some(_) => format!(" The {what}s are {}.", list(names())),
            None => format!(" There are no {what}s."),
        };
        problems.add(
            place,
            format!(
                "There is no {what} `{name}`.{}{others}",
                did_you_mean(name, names()),
            ),
        );
    }
}

fn check_sequential(evaluation: &Evaluation, problems: &mut Problems) {
    let Some(sequential) = evaluation.sequential else {
        return;
    };
    check_range("sequential.range", sequential.range, problems);
    if !(sequential.alpha > 0.0 && sequential.alpha <= 0.5) {
        problems.add(
            "sequential.alpha",
            format!(
                "`sequential.alpha`, the chance of a wrong answer, is {}. Write a number above 0 and at most 0.5, such as 0.05.",
                sequential.alpha
            ),
        );
    }
    if sequential.batch == 0 {
        problems.add(
            "sequential.batch",
            "A batch needs at least one case, but `sequential.batch` is 0. Write 1 or more.",
        );
    }
    if evaluation.variants.len() < 2 {
        problems.add(
            "sequential",
            "`sequential` compares variants, and there is only one. Add a variant, or remove `sequential`.",
        );
    }
}

fn check_assertion(
    at: usize,
    assertion: &Assertion,
    evaluation: &Evaluation,
    problems: &mut Problems,
) {
    let place = format!("assert[{at}]");
    if assertion.mean.is_none() && assertion.no_worse_than.is_none() && assertion.cost_usd.is_none()
    {
        problems.add(
            &place,
            "The assertion is empty. Add `mean`, `noWorseThan` or `costUsd`.",
        );
    }
    if let Some(scorer) = &assertion.scorer {
        let scorers = || evaluation.scorers.iter().map(|scorer| scorer.name.as_str());
        check_name(
            &format!("{place}.scorer"),
            "scorer",
            scorer,
            scorers,
            problems,
        );
    }
    if let Some(variant) = &assertion.variant {
        let place = format!("{place}.variant");
        check_name(
            &place,
            "variant",
            variant,
            || variants(evaluation),
            problems,
        );
    }
    for (field, text, example) in [
        ("mean", &assertion.mean, ">= 7.5"),
        ("costUsd", &assertion.cost_usd, "<= 0.02"),
    ] {
        if let Some(text) = text
            && Condition::parse(text).is_none()
        {
            problems.add(
                format!("{place}.{field}"),
                format!(
                    "`{text}` is not a comparison. Write <, <=, >, >= or = and a number, such as `{example}`."
                ),
            );
        }
    }
    if let Some(other) = &assertion.no_worse_than
        && other != "baseline"
    {
        let place = format!("{place}.noWorseThan");
        check_name(&place, "variant", other, || variants(evaluation), problems);
    }
    if let Some(margin) = assertion.margin {
        let place = format!("{place}.margin");
        if assertion.no_worse_than.is_none() {
            problems.add(
                &place,
                "`margin` belongs to `noWorseThan`, which is missing. Add `noWorseThan`, or remove `margin`.",
            );
        }
        check_amount(place, margin, problems);
    }
}
