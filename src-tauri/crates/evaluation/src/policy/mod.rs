//! Policies that end loops, applied to recorded runs to find out where each run would have ended.
//!
//! The rules are those of the engine's exit conditions. A policy never guesses. A run does not count as known if it ended
//! before the policy would have ended it, or if its records lack a value that the policy reads.

mod parse;

pub use parse::PolicyError;

use serde::{Deserialize, Serialize};

use crate::recorded::RecordedLoop;

/// A policy that ends a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The text from which the policy was parsed.
    pub text: String,
    pub exit: Exit,
    /// The maximum number of iterations. `None` if the policy has no cap.
    pub cap: Option<u32>,
    /// The first iteration, from 1, at which the exit condition can end the loop.
    pub min_iterations: u32,
}

/// The condition that ends a loop before its cap.
#[derive(Debug, Clone, PartialEq)]
pub enum Exit {
    /// The loop has no exit condition.
    MaxIterations,
    /// A value reached the loop's Exit node.
    Evaluator,
    /// The similarity of a result to the previous one reaches the threshold `patience` times in a row.
    Stable { threshold: f64, patience: u32 },
    /// The best score of the loop has not increased by more than `delta` over `patience` iterations.
    Plateau { delta: f64, patience: u32 },
    /// The loop's score is at least `at_least`.
    Score { at_least: f64 },
    /// An expression is true. The caller evaluates it and stores the results in
    /// [`crate::recorded::RecordedIteration::conditions`].
    Condition { expression: String },
}

/// The point where a run would have ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "snake_case")]
pub enum Stop {
    /// The run would have ended after iteration `k`, from 1. `met` is `true` if the exit was met and `false` if the cap was
    /// reached. For a policy without an exit, reaching the cap counts as met.
    At { k: u32, met: bool },
    /// The record ends after `seen` iterations, before the policy would have ended the run.
    Censored { seen: u32 },
    /// The record lacks a value that the policy reads.
    Unknown { reason: String },
}

impl Policy {
    /// Returns a policy with only a cap. A cap of 0 becomes 1.
    pub fn cap(iterations: u32) -> Self {
        let iterations = iterations.max(1);
        Self {
            text: format!("cap={iterations}"),
            exit: Exit::MaxIterations,
            cap: Some(iterations),
            min_iterations: 1,
        }
    }

    /// Returns a policy of stable output with a cap. A patience or cap of 0 becomes 1.
    pub fn stable(threshold: f64, patience: u32, cap: u32) -> Self {
        let (patience, cap) = (patience.max(1), cap.max(1));
        Self {
            text: format!("stable={threshold},patience={patience},cap={cap}"),
            exit: Exit::Stable {
                threshold,
                patience,
            },
            cap: Some(cap),
            min_iterations: 1,
        }
    }

    /// Returns the expression of a condition, which the caller evaluates for every recorded iteration. Returns `None` for a
    /// policy without a condition.
    pub fn condition(&self) -> Option<&str> {
        match &self.exit {
            Exit::Condition { expression } => Some(expression),
            _ => None,
        }
    }

    /// Returns the engine's name for the exit reason of a loop that met this policy's exit condition, such as `stable_output`.
    pub fn exit_reason(&self) -> &'static str {
        match self.exit {
            Exit::MaxIterations => "max_iterations",
            Exit::Evaluator => "evaluator_done",
            Exit::Stable { .. } => "stable_output",
            Exit::Plateau { .. } => "score_plateau",
            Exit::Score { .. } | Exit::Condition { .. } => "condition_met",
        }
    }

    /// Returns where a recorded run would have ended. `condition` is the index of this policy's result in
    /// [`crate::recorded::RecordedIteration::conditions`]. Policies without a condition ignore it.
    ///
    /// The exit has precedence over the cap: an exit that is met in the last allowed iteration counts as met.
    pub fn stop(&self, run: &RecordedLoop, condition: usize) -> Stop {
        let mut stable_for = Streak::default();
        let mut best = Best::default();
        let mut k = 0;
        for iteration in &run.iterations {
            k += 1;
            // As in the engine, streaks include iterations before the first one at which the exit may be met.
            let verdict = match &self.exit {
                Exit::MaxIterations => Verdict::No,
                Exit::Evaluator => iteration.reached_exit.into(),
                Exit::Stable {
                    threshold,
                    patience,
                } => {
                    let stable = match (k, iteration.similarity) {
                        (_, Some(similarity)) => Some(similarity >= *threshold),
                        (1, None) => Some(false),
                        (_, None) => None,
                    };
                    stable_for.add(stable, *patience)
                }
                Exit::Plateau { delta, patience } => {
                    best.add(iteration.loop_score, *delta, *patience)
                }
                Exit::Score { at_least } => match iteration.loop_score {
                    Some(score) => (score >= *at_least).into(),
                    None => Verdict::Unknown(NO_SCORE),
                },
                Exit::Condition { .. } => match iteration.conditions.get(condition) {
                    Some(Some(holds)) => (*holds).into(),
                    _ => Verdict::Unknown("The condition could not be evaluated"),
                },
            };
            match verdict {
                Verdict::Yes if k >= self.min_iterations => return Stop::At { k, met: true },
                Verdict::Unknown(why) if k >= self.min_iterations => {
                    let reason = format!("{why} in iteration {k}.");
                    return Stop::Unknown { reason };
                }
                _ => {}
            }
            if self.cap == Some(k) {
                let met = self.exit == Exit::MaxIterations;
                return Stop::At { k, met };
            }
        }
        Stop::Censored { seen: k }
    }
}

const NO_SCORE: &str = "The loop has no score";

enum Verdict {
    Yes,
    No,
    Unknown(&'static str),
}

impl From<bool> for Verdict {
    fn from(met: bool) -> Self {
        match met {
            true => Self::Yes,
            false => Self::No,
        }
    }
}

/// The number of stable results in a row, up to the current iteration.
#[derive(Default)]
struct Streak {
    /// The length of the streak if results of unknown similarity are not stable.
    certain: u32,
    /// The length of the streak if results of unknown similarity are stable.
    possible: u32,
}

impl Streak {
    fn add(&mut self, stable: Option<bool>, patience: u32) -> Verdict {
        (self.certain, self.possible) = match stable {
            Some(true) => (self.certain + 1, self.possible + 1),
            Some(false) => (0, 0),
            None => (0, self.possible + 1),
        };
        if self.certain >= patience {
            Verdict::Yes
        } else if self.possible >= patience {
            Verdict::Unknown("The similarity to the previous result is missing")
        } else {
            Verdict::No
        }
    }
}

/// The best score so far, after each iteration.
#[derive(Default)]
struct Best {
    after: Vec<f64>,
    is_incomplete: bool,
}

impl Best {
    fn add(&mut self, score: Option<f64>, delta: f64, patience: u32) -> Verdict {
        let before = self.after.last().copied();
        self.is_incomplete |= score.is_none();
        let best = match (before, score) {
            (Some(best), Some(score)) => best.max(score),
            (best, score) => score.or(best).unwrap_or(f64::NAN),
        };
        self.after.push(best);
        let ago = usize::try_from(patience).unwrap_or(usize::MAX);
        let before = (self.after.len() - 1)
            .checked_sub(ago)
            .and_then(|at| self.after.get(at));
        match before {
            None => Verdict::No,
            Some(_) if self.is_incomplete => Verdict::Unknown(NO_SCORE),
            Some(&before) => (!has_grown(before, best, delta)).into(),
        }
    }
}

/// Returns whether a score increased by more than `delta`, according to the engine's rule. An increase that differs from
/// `delta` only by a rounding error counts as equal to `delta`. If `delta` is 0, any increase counts.
fn has_grown(before: f64, after: f64, delta: f64) -> bool {
    let rounding = match delta > 0.0 {
        true => f64::EPSILON * before.abs().max(after.abs()),
        false => 0.0,
    };
    after - before - delta > rounding
}
