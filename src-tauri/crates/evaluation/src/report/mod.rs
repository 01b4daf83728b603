//! The report of an experiment, computed from the results of its runs.
//!
//! Repetitions of a case are averaged first, so that each case counts once. An unscored result and a failed run have no
//! number. The report states how many of them there are, but never treats them as zero.

mod assertions;
mod compare;
mod curve;
mod finding;
pub(crate) mod runs;
mod variant;

pub use finding::finding;

use runs::Runs;

use crate::{
    file::Evaluation,
    result::{Case, CellResult, CellStatus, Report},
    statistics::{Bootstrap, Direction},
    wording::counted,
};

/// The name of the single default variant when an evaluation lists no variants.
pub const ONLY_VARIANT: &str = "flow";

/// Computes the report of an experiment. The report is deterministic, because intervals use the seed of the evaluation.
///
/// `results` contains the results of the cells that have started. If there are several for a cell, the last one counts.
/// `notes` are the caller's notes, such as those on rejected rows. They precede the notes that this function adds. The
/// report's `stopped_early` stays empty.
pub fn report(
    experiment_id: &str,
    evaluation: &Evaluation,
    cases: &[Case],
    results: &[CellResult],
    notes: Vec<String>,
) -> Report {
    let bootstrap = Bootstrap::with_seed(u64::from(evaluation.seed));
    report_with(experiment_id, evaluation, cases, results, notes, &bootstrap)
}

/// Computes the same report as [`report`], but with the given settings for the intervals. Use fewer resamples for a report that
/// is updated while runs are in progress.
pub fn report_with(
    experiment_id: &str,
    evaluation: &Evaluation,
    cases: &[Case],
    results: &[CellResult],
    notes: Vec<String>,
    bootstrap: &Bootstrap,
) -> Report {
    let variants: Vec<String> = match evaluation.variants.is_empty() {
        true => vec![ONLY_VARIANT.to_owned()],
        false => (evaluation.variants.iter())
            .map(|variant| variant.name.clone())
            .collect(),
    };
    let scorers: Vec<String> = (evaluation.scorers.iter())
        .map(|scorer| scorer.name.clone())
        .collect();
    let lower_is_better: Vec<bool> = (evaluation.scorers.iter())
        .map(|scorer| scorer.lower_is_better)
        .collect();
    let directions: Vec<Direction> = (lower_is_better.iter())
        .map(|&is_lower| Direction::new(is_lower))
        .collect();
    let mut notes = notes;
    let primary = index(
        &scorers,
        evaluation.primary.as_deref(),
        "scorer",
        &mut notes,
    );
    let baseline = index(
        &variants,
        evaluation.baseline.as_deref(),
        "variant",
        &mut notes,
    );
    let runs = Runs::new(cases.len(), variants.len(), results);
    let expected = cases.len() as u64 * u64::from(evaluation.repetitions);

    let mut reports =
        variant::reports(&runs, &variants, &scorers, &directions, expected, bootstrap);
    for (at, report) in reports.iter_mut().enumerate() {
        let Some(of) = &evaluation.per_iteration else {
            break;
        };
        let source = curve::Source {
            runs: &runs,
            variant: at,
            scorer: primary,
            direction: directions.get(primary).copied().unwrap_or_default(),
            margin: evaluation.margin,
            bootstrap,
        };
        let scorer = scorers.get(primary).cloned().unwrap_or_default();
        report.curve = source.curve(of.clone(), scorer);
    }
    let comparer = compare::Comparer {
        runs: &runs,
        cases,
        variants: &variants,
        scorers: &scorers,
        directions: &directions,
        bootstrap,
    };
    let comparisons = comparer.against(baseline);
    notes.extend(counts(&runs, &scorers, &reports));
    let mut report = Report {
        experiment: experiment_id.to_owned(),
        name: evaluation.name.clone(),
        flow: evaluation.flow.clone(),
        cases: u32::try_from(cases.len()).unwrap_or(u32::MAX),
        repetitions: evaluation.repetitions,
        scorers: scorers.clone(),
        primary: u32::try_from(primary).unwrap_or_default(),
        lower_is_better,
        margin: evaluation.margin,
        baseline: u32::try_from(baseline).unwrap_or_default(),
        variants: reports,
        comparisons,
        assertions: Vec::new(),
        notes,
        stopped_early: None,
    };
    report.assertions = assertions::check(&evaluation.assertions, &report, &comparer);
    report
}

/// Returns the index of `name` in `names`, or 0 if `name` is `None`. If the name is unknown, returns 0 and adds a note.
fn index(names: &[String], name: Option<&str>, what: &str, notes: &mut Vec<String>) -> usize {
    let Some(name) = name else {
        return 0;
    };
    names
        .iter()
        .position(|known| known == name)
        .unwrap_or_else(|| {
            notes.push(format!(
                "There is no {what} \"{name}\". The first one is used instead."
            ));
            0
        })
}

/// Returns the sentence `The first: …` with the given reason, or an empty string without a reason.
fn the_first(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(" The first: {why}"))
}

/// Returns notes that say how many runs and scores the figures leave out, and why.
fn counts(
    runs: &Runs<'_>,
    scorers: &[String],
    reports: &[crate::result::VariantReport],
) -> Vec<String> {
    let mut notes = Vec::new();
    let sum = |count: fn(&crate::result::VariantReport) -> u32| -> u64 {
        reports.iter().map(|report| u64::from(count(report))).sum()
    };
    let failed = sum(|report| report.failed);
    if failed > 0 {
        notes.push(format!(
            "{} failed. A failed run has no score and is not counted as zero.{}",
            counted(failed, "run"),
            the_first(runs.first(|result| match result.status {
                CellStatus::Failed => result.error.as_deref(),
                _ => None,
            }))
        ));
    }
    for (at, scorer) in scorers.iter().enumerate() {
        let unscored = reports
            .iter()
            .filter_map(|report| report.scorers.get(at))
            .map(|report| u64::from(report.unscored))
            .sum();
        if unscored > 0 {
            notes.push(format!(
                "{} could not be scored by \"{scorer}\". An unscored result is not counted as zero.{}",
                counted(unscored, "result"),
                the_first(runs.first(|result| {
                    let score = result.scores.get(at)?;
                    match score.value {
                        Some(_) => None,
                        None => score.reason.as_deref(),
                    }
                }))
            ));
        }
    }
    let not_run = sum(|report| report.not_run);
    if not_run > 0 {
        notes.push(format!(
            "{} not finished: {}.",
            counted(not_run, "run"),
            runs.why_not_run(not_run)
        ));
    }
    let unpriced = runs.unpriced_calls();
    if unpriced > 0 {
        notes.push(format!(
            "The price of {} is not known. The costs do not include it, and mean costs are unknown. Add the model's price in the file \
             that `loopwright models` names.",
            counted(unpriced, "call")
        ));
    }
    if runs.strangers > 0 {
        notes.push(format!(
            "{} left out, because the data set or the variants have changed since the run.",
            counted(runs.strangers, "result")
        ));
    }
    notes
}
