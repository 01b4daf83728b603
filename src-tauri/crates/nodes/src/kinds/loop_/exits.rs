//! The exit conditions of a Loop: their names, their settings, and how the settings are read.

use loopwright_engine::{ExitChoice, ExitCondition, ExitNeed, ExitReason, NodeError, plan::repeat};
use loopwright_model::Node;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::{expression, field_error, or_default};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionTiming {
    /// Before each iteration. The loop may run zero times.
    #[default]
    Before,
    /// After each iteration. The loop runs at least once.
    After,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Condition {
    /// Stop when this is true.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) until: Option<String>,
    /// Continue while this is true.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) r#while: Option<String>,
    /// When the condition is checked.
    #[serde(deserialize_with = "or_default")]
    pub(super) test: ConditionTiming,
}

/// The fields of a Loop that its exit condition reads.
pub(super) struct ExitSettings<'a> {
    pub(super) stability_threshold: f64,
    pub(super) plateau_delta: f64,
    pub(super) patience: Option<u32>,
    pub(super) condition: Option<&'a Condition>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ExitMode {
    #[default]
    MaxIterations,
    Evaluator,
    StableOutput,
    ScorePlateau,
    Condition,
}

impl ExitMode {
    /// All exit conditions, in the order in which they are offered.
    const ALL: [Self; 5] = [
        Self::MaxIterations,
        Self::Evaluator,
        Self::StableOutput,
        Self::ScorePlateau,
        Self::Condition,
    ];

    pub(super) fn choice(self) -> ExitChoice {
        match self {
            Self::MaxIterations => ExitChoice {
                value: "max_iterations",
                title: "Max iterations",
                meaning: "Always run all iterations.",
                hint: None,
                needs: None,
                reason: ExitReason::MaxIterations,
            },
            Self::Evaluator => ExitChoice {
                value: "evaluator",
                title: "Evaluator",
                meaning: "Stop when a branch of a Router, Validator, Check or Approval reaches Exit.",
                hint: None,
                needs: Some(ExitNeed::Evaluator),
                reason: ExitReason::EvaluatorDone,
            },
            Self::StableOutput => ExitChoice {
                value: "stable_output",
                title: "Stable output",
                meaning: "Stop when the result barely changes.",
                hint: Some(
                    "Compares each result with the previous one. 1 means identical, 0.95 means a few words differ.",
                ),
                needs: None,
                reason: ExitReason::StableOutput,
            },
            Self::ScorePlateau => ExitChoice {
                value: "score_plateau",
                title: "Score plateau",
                meaning: "Stop when the best score no longer improves.",
                hint: Some(
                    "Compares the best score so far with the best score before these iterations.",
                ),
                needs: Some(ExitNeed::Score),
                reason: ExitReason::ScorePlateau,
            },
            Self::Condition => ExitChoice {
                value: "condition",
                title: "Condition",
                meaning: "Stop by an expression, checked before or after each iteration.",
                hint: None,
                needs: Some(ExitNeed::Condition),
                reason: ExitReason::ConditionMet,
            },
        }
    }

    /// Returns a phrase that says when a loop with this exit condition stops, such as "exits when stable", to be shown after
    /// the loop's name. `most` is the loop's maximum number of iterations.
    pub(super) fn ending(self, most: u32) -> String {
        match self {
            Self::MaxIterations if most == 1 => "runs once".to_owned(),
            Self::MaxIterations => format!("runs {most} times"),
            Self::Evaluator => "exits on evaluator".to_owned(),
            Self::StableOutput => "exits when stable".to_owned(),
            Self::ScorePlateau => "exits at a score plateau".to_owned(),
            Self::Condition => "exits on condition".to_owned(),
        }
    }

    /// Returns the `patience`, in iterations, that applies if the node sets none.
    pub(super) fn usual_patience(self) -> u32 {
        match self {
            Self::ScorePlateau => 2,
            _ => 1,
        }
    }

    fn patience(self, settings: &ExitSettings<'_>) -> u32 {
        settings.patience.unwrap_or(self.usual_patience()).max(1)
    }

    /// Returns the engine's exit condition for a node with these settings.
    pub(super) fn read(
        self,
        node: &Node,
        settings: &ExitSettings<'_>,
    ) -> Result<ExitCondition, NodeError> {
        Ok(match self {
            Self::MaxIterations => ExitCondition::MaxIterations,
            Self::Evaluator => ExitCondition::Evaluator,
            Self::StableOutput => ExitCondition::StableOutput {
                threshold: settings.stability_threshold.clamp(0.0, 1.0),
                patience: self.patience(settings),
            },
            Self::ScorePlateau => ExitCondition::ScorePlateau {
                delta: settings.plateau_delta.max(0.0),
                patience: self.patience(settings),
            },
            Self::Condition => ExitCondition::Condition(read_condition(node, settings.condition)?),
        })
    }
}

/// Reads the expression of a loop that stops when a condition is met.
fn read_condition(
    node: &Node,
    condition: Option<&Condition>,
) -> Result<repeat::Condition, NodeError> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let until = condition.and_then(|condition| filled(&condition.until));
    let running = condition.and_then(|condition| filled(&condition.r#while));
    let (field, source, met_when) = match (until, running) {
        (Some(until), None) => ("condition.until", until, true),
        (None, Some(running)) => ("condition.while", running, false),
        _ => {
            let says = "write either `until` or `while`.";
            return Err(field_error(node.title(), "condition", says));
        }
    };
    Ok(repeat::Condition {
        expression: expression(node, field, &source)?,
        met_when,
        before: condition.is_none_or(|condition| condition.test == ConditionTiming::Before),
    })
}

pub(super) fn choices() -> Vec<ExitChoice> {
    ExitMode::ALL.into_iter().map(ExitMode::choice).collect()
}

/// Returns the title of each exit condition, by its name in the document.
pub(super) fn labels() -> Value {
    by_value(|choice| choice.title)
}

/// Returns the default `patience` of each exit condition whose default differs from the usual one, by the condition's name in
/// the document.
pub(super) fn patiences() -> Value {
    let usual = ExitMode::default().usual_patience();
    let others = ExitMode::ALL
        .into_iter()
        .filter(|mode| mode.usual_patience() != usual)
        .map(|mode| {
            let patience = Value::from(mode.usual_patience());
            (mode.choice().value.to_owned(), patience)
        });
    Value::Object(Map::from_iter(others))
}

/// Returns the meaning of each exit condition, by its name in the document.
pub(super) fn meanings() -> Value {
    by_value(|choice| choice.meaning)
}

fn by_value(words: impl Fn(&ExitChoice) -> &'static str) -> Value {
    let entries = choices().into_iter().map(|choice| {
        let words = words(&choice);
        (choice.value.to_owned(), Value::from(words))
    });
    Value::Object(Map::from_iter(entries))
}
