//! The notes in which verdicts of judges are stored, and the scores that these verdicts yield.

use loopwright_engine::{RunStatus, journal::RunState};
use loopwright_evaluation::{
    file::Scoring,
    result::{CellResult, Score, Spent},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    judge::SCORE,
    scoring::{of_value, unscored},
};

/// The name prefix of notes about judges' runs.
pub(super) const JUDGED: &str = "judge:";
/// The reason that is shown for a missing score if the remaining budget was too small for the judge.
pub(super) const NO_ROOM: &str =
    "The remaining budget of the experiment was too small for the judge.";

/// The stored note about a judge's run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Judgement {
    pub(super) run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<Score>,
    #[serde(default)]
    pub(super) spent: Spent,
}

/// Returns whether a score of the output or of an iteration is missing because the remaining budget was too small for its
/// judge.
pub(super) fn lacks_judge(result: &CellResult) -> bool {
    let of_iterations = result.iterations.iter().flat_map(|one| &one.scores);
    let mut scores = result.scores.iter().chain(of_iterations);
    scores.any(|score| score.value.is_none() && score.reason.as_deref() == Some(NO_ROOM))
}

/// Reads the score from the result of a judge's run.
pub(super) fn judged_score(state: RunState, how: &Scoring) -> Score {
    if state.status != RunStatus::Completed {
        let why = state.error.map_or_else(
            || "The judge's run did not complete.".to_owned(),
            |error| error.message,
        );
        return unscored(why);
    }
    let outputs = match state.outputs.map(Value::from) {
        Some(Value::Object(outputs)) => outputs,
        _ => Map::new(),
    };
    let (named, is_named) = match how {
        Scoring::Flow {
            output: Some(name), ..
        } => (name.as_str(), true),
        _ => (SCORE, false),
    };
    let value = match outputs.get(named) {
        Some(value) => value,
        None if outputs.len() == 1 && !is_named => outputs.values().next().unwrap_or(&Value::Null),
        None => {
            return unscored(format!("The judge's flow has no output `{named}`."));
        }
    };
    match how {
        Scoring::Check { .. } => of_value(&value["passed"]),
        Scoring::Pairwise { .. } => Score {
            value: match value["better"].as_str() {
                Some("A") => Some(0.0),
                Some("B") => Some(1.0),
                Some("tie") => Some(0.5),
                _ => None,
            },
            is_boolean: false,
            reason: value["reason"].as_str().map(str::to_owned),
        },
        Scoring::Flow { .. } => {
            let score = of_value(value);
            let reason = outputs.get("reason").and_then(Value::as_str);
            Score {
                reason: score.reason.or(reason.map(str::to_owned)),
                ..score
            }
        }
        _ => of_value(value),
    }
}
