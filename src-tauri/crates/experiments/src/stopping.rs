//! Stops an experiment as soon as its result is certain. Cases are evaluated in their planned order, not in the order in which
//! they finish, because a decision must not depend on how long a case takes.

use std::collections::HashMap;

use loopwright_evaluation::{
    file::Evaluation,
    result::{Cell, CellResult, CellStatus},
    statistics::{ConfidenceSequence, Verdict, decide},
    wording::counted,
};
use loopwright_runs::{ApiError, Code};

pub(super) struct Stopping {
    /// The cases in their planned order.
    order: Vec<u32>,
    /// The number of cases examined so far.
    seen: usize,
    batch: usize,
    margin: f64,
    primary: usize,
    baseline: u32,
    repetitions: u32,
    variants: Vec<String>,
    results: HashMap<Cell, Option<f64>>,
    sequences: Vec<Option<ConfidenceSequence>>,
    lower_is_better: bool,
    decided: bool,
    problem: Option<String>,
}

impl Stopping {
    /// Creates the rule for an evaluation. Returns `None` if the evaluation does not use sequential stopping or has only one
    /// variant.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the range or the error rate is invalid.
    pub(super) fn of(
        evaluation: &Evaluation,
        variants: Vec<String>,
        cells: &[Cell],
    ) -> Result<Option<Self>, ApiError> {
        let Some(sequential) = evaluation.sequential else {
            return Ok(None);
        };
        let place = |name: &Option<String>, all: &[String]| {
            name.as_ref()
                .and_then(|name| all.iter().position(|known| known == name))
                .unwrap_or(0)
        };
        let scorers: Vec<String> = evaluation
            .scorers
            .iter()
            .map(|scorer| scorer.name.clone())
            .collect();
        let primary = place(&evaluation.primary, &scorers);
        let baseline = place(&evaluation.baseline, &variants);
        let others = variants.len().saturating_sub(1);
        if others == 0 {
            return Ok(None);
        }
        // The error rate is divided among the comparisons, so that the bound applies to all of them together.
        let alpha = sequential.alpha / others as f64;
        let sequences = (0..variants.len())
            .map(|variant| {
                (variant != baseline)
                    .then(|| ConfidenceSequence::of_differences(sequential.range, alpha))
                    .transpose()
            })
            .collect::<Result<_, _>>()
            .map_err(|error| {
                ApiError::new(Code::InvalidArgument, format!("`sequential`: {error}."))
            })?;
        let mut order: Vec<u32> = Vec::new();
        for cell in cells {
            if order.last() != Some(&cell.case) {
                order.push(cell.case);
            }
        }
        Ok(Some(Self {
            order,
            seen: 0,
            batch: sequential.batch.max(1) as usize,
            margin: evaluation.margin,
            primary,
            baseline: u32::try_from(baseline).unwrap_or(0),
            repetitions: evaluation.repetitions.max(1),
            lower_is_better: evaluation
                .scorers
                .get(primary)
                .is_some_and(|scorer| scorer.lower_is_better),
            variants,
            results: HashMap::new(),
            sequences,
            decided: false,
            problem: None,
        }))
    }

    /// Records a result, and examines each batch of cases that becomes complete.
    pub(super) fn take(&mut self, result: &CellResult) {
        let score = (result.status == CellStatus::Completed)
            .then(|| {
                result
                    .scores
                    .get(self.primary)
                    .and_then(|score| score.value)
            })
            .flatten();
        self.results.insert(result.cell, score);
        while !self.decided && self.is_batch_complete() {
            let end = (self.seen + self.batch).min(self.order.len());
            for at in self.seen..end {
                self.observe(self.order[at]);
            }
            self.seen = end;
            self.decided = self.problem.is_none()
                && self
                    .verdicts()
                    .all(|(_, verdict)| verdict != Verdict::Undecided);
        }
    }

    pub(super) fn is_decided(&self) -> bool {
        self.decided
    }

    fn is_batch_complete(&self) -> bool {
        let end = (self.seen + self.batch).min(self.order.len());
        end > self.seen
            && self.order[self.seen..end].iter().all(|&case| {
                (0..self.variants.len() as u32).all(|variant| {
                    (0..self.repetitions).all(|repetition| {
                        self.results.contains_key(&Cell {
                            case,
                            variant,
                            repetition,
                        })
                    })
                })
            })
    }

    /// Returns the mean score of a case over its repetitions, or `None` if the case has no score.
    fn mean(&self, case: u32, variant: u32) -> Option<f64> {
        let scores: Vec<f64> = (0..self.repetitions)
            .filter_map(|repetition| {
                *self.results.get(&Cell {
                    case,
                    variant,
                    repetition,
                })?
            })
            .collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }

    fn observe(&mut self, case: u32) {
        let base = self.mean(case, self.baseline);
        for variant in 0..self.sequences.len() {
            let mean = self.mean(case, u32::try_from(variant).unwrap_or(u32::MAX));
            let (Some(sequence), Some(base), Some(mean)) =
                (&mut self.sequences[variant], base, mean)
            else {
                continue;
            };
            let difference = if self.lower_is_better {
                base - mean
            } else {
                mean - base
            };
            if let Err(error) = sequence.observe(difference) {
                self.problem.get_or_insert_with(|| {
                    format!(
                        "The experiment was not stopped early: {error}. Correct `sequential.range`."
                    )
                });
            }
        }
    }

    fn verdicts(&self) -> impl Iterator<Item = (usize, Verdict)> + '_ {
        self.sequences
            .iter()
            .enumerate()
            .filter_map(|(variant, sequence)| {
                Some((variant, decide(sequence.as_ref()?.interval(), self.margin)))
            })
    }

    /// Returns the note for the report: either the decision and the number of runs that it saved, or the problem that
    /// prevents a decision. Returns `None` if there is neither.
    pub(super) fn words(&self, runs_saved: u64) -> Option<String> {
        if !self.decided {
            return self.problem.clone();
        }
        let found: Vec<String> = self
            .verdicts()
            .filter_map(|(variant, verdict)| {
                let [low, high] = self.sequences[variant].as_ref()?.interval();
                let words = match verdict {
                    Verdict::Better => "is better than",
                    Verdict::Worse => "is worse than",
                    _ => "does not differ by more than the margin from",
                };
                Some(format!(
                    "\"{}\" {words} \"{}\" (difference between {low:.3} and {high:.3})",
                    self.variants[variant], self.variants[self.baseline as usize]
                ))
            })
            .collect();
        Some(format!(
            "Stopped after {} of {} cases, because the result was certain: {}. {} not made.",
            self.seen,
            self.order.len(),
            found.join("; "),
            match runs_saved {
                1 => "1 run was".to_owned(),
                saved => format!("{} were", counted(saved, "run")),
            }
        ))
    }
}
