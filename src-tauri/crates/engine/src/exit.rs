//! The ways a loop can end: their names, their meanings, and the checks of exit conditions.
//!
//! Only this module of the engine knows all exit conditions. A kind chooses an [`ExitCondition`], and the rest of the engine
//! only asks whether it is met, before or after an iteration ([`ExitCondition::is_met`]).

use loopwright_template::Expression;
use serde::{Deserialize, Serialize};

use crate::outcome::NodeError;

/// The reason why a loop or list stopped repeating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    MaxIterations,
    EvaluatorDone,
    StableOutput,
    ScorePlateau,
    ConditionMet,
    Timeout,
    BudgetExceeded,
    NoProgress,
    Cancelled,
    Error,
    /// An iterator processed its last item.
    Completed,
}

/// The group to which an exit reason belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ExitFamily {
    /// The loop reached its goal: its exit condition is met.
    Met,
    /// The results no longer change.
    Settled,
    /// A limit was reached first.
    Limit,
    Failed,
    Stopped,
}

/// The name, title and meaning of an [`ExitReason`], for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct ExitReasonInfo {
    /// The reason, by its name in events and in JSON.
    pub reason: ExitReason,
    pub title: &'static str,
    /// The meaning in one sentence.
    pub meaning: &'static str,
    pub family: ExitFamily,
}

impl ExitReason {
    /// Every reason, in the order in which choices are shown.
    pub const ALL: [Self; 11] = [
        Self::EvaluatorDone,
        Self::ConditionMet,
        Self::StableOutput,
        Self::ScorePlateau,
        Self::MaxIterations,
        Self::Timeout,
        Self::BudgetExceeded,
        Self::NoProgress,
        Self::Completed,
        Self::Error,
        Self::Cancelled,
    ];

    /// Returns the title and the meaning of the reason, for users.
    pub fn info(self) -> ExitReasonInfo {
        let (title, meaning, family) = match self {
            Self::EvaluatorDone => (
                "Evaluator satisfied",
                "A branch reached Exit.",
                ExitFamily::Met,
            ),
            Self::ConditionMet => (
                "Condition met",
                "The loop's condition was met.",
                ExitFamily::Met,
            ),
            Self::StableOutput => (
                "Stable output",
                "The result stopped changing.",
                ExitFamily::Settled,
            ),
            Self::ScorePlateau => (
                "Score plateau",
                "The best score stopped improving.",
                ExitFamily::Settled,
            ),
            Self::MaxIterations => ("Max iterations", "All iterations ran.", ExitFamily::Met),
            Self::Timeout => (
                "Time limit",
                "The time limit was reached.",
                ExitFamily::Limit,
            ),
            Self::BudgetExceeded => (
                "Budget",
                "The next call could have exceeded the budget.",
                ExitFamily::Limit,
            ),
            Self::NoProgress => (
                "No progress",
                "Several iterations in a row changed nothing, or results repeated in a cycle.",
                ExitFamily::Limit,
            ),
            Self::Completed => ("All items", "All items were processed.", ExitFamily::Met),
            Self::Error => ("Failed", "A node failed.", ExitFamily::Failed),
            Self::Cancelled => ("Stopped", "The run was stopped.", ExitFamily::Stopped),
        };
        ExitReasonInfo {
            reason: self,
            title,
            meaning,
            family,
        }
    }

    pub fn title(self) -> &'static str {
        self.info().title
    }
}

/// The part of a flow that an exit condition requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ExitNeed {
    /// A node in the body with a branch that leads to the end and one that does not.
    Evaluator,
    /// An expression that is true or false.
    Condition,
    /// An expression that results in a number.
    Score,
}

/// An exit condition that a node kind offers, as shown to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct ExitChoice {
    /// The name of the condition in the document.
    pub value: &'static str,
    pub title: &'static str,
    /// The meaning in one sentence.
    pub meaning: &'static str,
    /// Advice for choosing the settings of the condition, if there is any.
    pub hint: Option<&'static str>,
    pub needs: Option<ExitNeed>,
    /// The exit reason of a loop that this condition ended.
    pub reason: ExitReason,
}

/// An expression that decides whether a loop ends.
#[derive(Debug, Clone)]
pub struct Condition {
    pub expression: Expression,
    /// The value that meets the condition: true for `until`, false for `while`.
    pub met_when: bool,
    /// Whether the condition is evaluated before each iteration, so that zero iterations are possible. Otherwise it is
    /// evaluated after each iteration.
    pub before: bool,
}

/// The condition that ends a loop before its cap, with its settings.
#[derive(Debug, Clone)]
pub enum ExitCondition {
    /// No condition: the loop runs to its cap.
    MaxIterations,
    /// A value reached the end of the region.
    Evaluator,
    /// Each of the last `patience` results had a similarity of at least `threshold` to the result before it.
    StableOutput {
        threshold: f64,
        patience: u32,
    },
    /// The best score has not increased by more than `delta` in the last `patience` iterations.
    ScorePlateau {
        delta: f64,
        patience: u32,
    },
    Condition(Condition),
}

impl ExitCondition {
    /// Returns the exit reason of a loop that this condition ended.
    pub fn reason(&self) -> ExitReason {
        match self {
            Self::MaxIterations => ExitReason::MaxIterations,
            Self::Evaluator => ExitReason::EvaluatorDone,
            Self::StableOutput { .. } => ExitReason::StableOutput,
            Self::ScorePlateau { .. } => ExitReason::ScorePlateau,
            Self::Condition(_) => ExitReason::ConditionMet,
        }
    }

    /// Returns whether a loop that reaches its iteration cap has met this condition. Only [`Self::MaxIterations`] is met by
    /// that.
    pub fn is_met_at_cap(&self) -> bool {
        matches!(self, Self::MaxIterations)
    }

    /// Returns whether the iteration that has just run meets the condition, or `None` if this condition is not checked after
    /// iterations.
    ///
    /// # Errors
    /// Returns an error if the condition cannot be evaluated.
    pub(crate) fn is_met(
        &self,
        state: &mut ExitState,
        iteration: &mut impl Measures,
    ) -> Result<Option<bool>, NodeError> {
        let met = match self {
            Self::MaxIterations => return Ok(None),
            Self::Condition(condition) if condition.before => return Ok(None),
            Self::Evaluator => iteration.reached_exit(),
            Self::StableOutput {
                threshold,
                patience,
            } => {
                let stable = iteration
                    .similarity()
                    .is_some_and(|value| value >= *threshold);
                state.stable_for = if stable { state.stable_for + 1 } else { 0 };
                state.stable_for >= *patience
            }
            Self::ScorePlateau { delta, patience } => iteration
                .score()
                .is_some_and(|score| state.is_plateau(score, *delta, *patience)),
            Self::Condition(condition) => iteration.holds(condition)?,
        };
        Ok(Some(met))
    }
}

/// Measurements of the last iteration for exit conditions.
pub(crate) trait Measures {
    /// Returns whether a value reached the end of the region.
    fn reached_exit(&self) -> bool;
    /// Returns the number that ranks the iteration; `None` if the loop has no score.
    fn score(&self) -> Option<f64>;
    /// Returns the similarity of the iteration's result to the previous result; `None` after the first iteration.
    fn similarity(&mut self) -> Option<f64>;
    /// Returns whether `condition` ends the loop, evaluated with the names and the result of the iteration.
    ///
    /// # Errors
    /// Returns an error if the condition cannot be evaluated.
    fn holds(&self, condition: &Condition) -> Result<bool, NodeError>;
}

/// The state of an exit condition over the iterations so far.
#[derive(Debug, Default)]
pub(crate) struct ExitState {
    /// The number of results in a row that were similar enough.
    stable_for: u32,
    /// The best score up to each iteration.
    best: Vec<f64>,
}

impl ExitState {
    /// Adds an iteration's score. Returns whether the best score has not increased by more than `delta` in the last `patience`
    /// iterations.
    fn is_plateau(&mut self, score: f64, delta: f64, patience: u32) -> bool {
        let best = self.best.last().map_or(score, |best| best.max(score));
        self.best.push(best);
        let ago = usize::try_from(patience).unwrap_or(usize::MAX);
        let before = (self.best.len() - 1)
            .checked_sub(ago)
            .and_then(|at| self.best.get(at));
        before.is_some_and(|&before| !grew(before, best, delta))
    }
}

/// Returns whether a score increased by more than `delta`. An increase that differs from `delta` by at most the rounding errors
/// of the two scores counts as equal to `delta`: in binary, 0.8 − 0.7 is slightly more than 0.1. With a `delta` of 0, any
/// increase counts.
fn grew(before: f64, after: f64, delta: f64) -> bool {
    let rounding = match delta > 0.0 {
        true => f64::EPSILON * before.abs().max(after.abs()),
        false => 0.0,
    };
    after - before - delta > rounding
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each score, whether the loop is on a plateau after it.
    fn plateaus(scores: &[f64], delta: f64, patience: u32) -> Vec<bool> {
        let mut state = ExitState::default();
        scores
            .iter()
            .map(|&score| state.is_plateau(score, delta, patience))
            .collect()
    }

    #[test]
    fn a_plateau_is_a_best_score_that_has_not_grown_over_the_last_iterations() {
        assert_eq!(
            plateaus(&[5.0, 7.0, 7.0, 6.0], 0.0, 2),
            [false, false, false, true]
        );
        assert_eq!(plateaus(&[5.0, 5.0], 0.0, 1), [false, true]);
        // A score that falls and then returns to the best value has not increased.
        assert_eq!(
            plateaus(&[8.0, 3.0, 8.0, 9.0, 9.5, 9.0], 0.0, 2),
            [false, false, true, false, false, false]
        );
        assert_eq!(plateaus(&[-3.0, -2.0, -2.0], 0.0, 1), [false, false, true]);
    }

    #[test]
    fn small_steps_above_the_margin_together_are_no_plateau() {
        let steps = [1.0, 1.006, 1.012, 1.018];
        assert_eq!(plateaus(&steps, 0.01, 2), [false; 4]);
        assert_eq!(plateaus(&steps, 0.01, 1), [false, true, true, true]);
    }

    #[test]
    fn a_growth_by_the_margin_itself_is_not_more_than_it() {
        for (before, after, delta) in [
            (0.7, 0.8, 0.1),
            (0.1, 0.3, 0.2),
            (8.1, 8.2, 0.1),
            (-0.3, -0.2, 0.1),
        ] {
            assert!(!grew(before, after, delta), "{before} {after} {delta}");
            assert!(
                grew(before, after + 0.001, delta),
                "{before} {after} {delta}"
            );
        }
        let next = 1.0 + f64::EPSILON;
        assert!(grew(1.0, next, 0.0));
        assert!(!grew(1.0, 1.0, 0.0));
        assert!(!grew(2.0, 1.0, 0.0));
    }

    #[test]
    fn patience_beyond_all_iterations_is_never_out() {
        assert_eq!(plateaus(&[1.0; 5], 0.0, u32::MAX), [false; 5]);
    }

    #[test]
    fn every_reason_is_listed_once_with_words_of_its_own() {
        let mut titles: Vec<_> = ExitReason::ALL
            .iter()
            .map(|reason| reason.title())
            .collect();
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), ExitReason::ALL.len());
        for reason in ExitReason::ALL {
            let info = reason.info();
            let name = serde_json::to_value(reason).unwrap();
            assert!(info.meaning.ends_with('.'), "{name}");
            assert!(!info.title.contains('_'), "{name}");
        }
    }
}
