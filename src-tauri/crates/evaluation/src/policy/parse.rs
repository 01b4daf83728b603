//! Parses policies such as `stable=0.95,patience=2,cap=6`.

use std::str::FromStr;

use thiserror::Error;

use super::{Exit, Policy};

/// The reason why text is not a valid policy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolicyError {
    #[error(
        "The policy is empty. Write for example `cap=3`, `stable=0.95,patience=2` or `plateau=0.1,patience=2,cap=6`."
    )]
    Empty,
    #[error(
        "`{0}` is not part of a policy. Use `cap=`, `min=`, `patience=`, and one of `evaluator`, `stable=`, `plateau=`, `score>=` and `condition=`."
    )]
    UnknownPart(String),
    #[error("`{part}` needs {needs}.")]
    BadNumber { part: String, needs: &'static str },
    #[error("`{0}` is given twice. Remove one.")]
    Twice(String),
    #[error("`{0}` and `{1}` are both exits, but a policy can have only one. Write two policies.")]
    TwoExits(String, String),
    #[error(
        "`patience` needs `stable=` or `plateau=`, whose iterations it counts. Add one of them."
    )]
    PatienceAlone,
    #[error("`min` delays an exit, but the policy has none. Add an exit, such as `stable=0.95`.")]
    MinimumAlone,
    #[error("A condition has no expression. Write it after `condition=`, as the last part.")]
    NoExpression,
}

impl FromStr for Policy {
    type Err = PolicyError;

    /// Parses comma-separated parts, such as `stable=0.95,patience=2,min=2,cap=6`. `condition=` extends to the end of the text.
    /// The default of `patience` is 1 with `stable` and 2 with `plateau`, as in a Loop.
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PolicyError::Empty);
        }
        let mut parts = Parts::default();
        let mut rest = text;
        while !rest.is_empty() {
            let start = rest.trim_start();
            if let Some(expression) = value_of(start, "condition") {
                let expression = expression.to_owned();
                if expression.is_empty() {
                    return Err(PolicyError::NoExpression);
                }
                parts.exit("condition", Exit::Condition { expression })?;
                break;
            }
            let (part, behind) = start.split_once(',').unwrap_or((start, ""));
            parts.read(part.trim())?;
            rest = behind;
        }
        parts.policy(text)
    }
}

/// The parts of a policy that have been parsed so far.
#[derive(Default)]
struct Parts {
    exit: Option<(&'static str, Exit)>,
    cap: Option<u32>,
    min: Option<u32>,
    patience: Option<u32>,
}

impl Parts {
    fn read(&mut self, part: &str) -> Result<(), PolicyError> {
        if let Some(value) = value_of(part, "cap") {
            return set(&mut self.cap, "cap", whole(part, value)?);
        }
        if let Some(value) = value_of(part, "min") {
            return set(&mut self.min, "min", whole(part, value)?);
        }
        if let Some(value) = value_of(part, "patience") {
            return set(&mut self.patience, "patience", whole(part, value)?);
        }
        if let Some(value) = value_of(part, "stable") {
            let threshold = number(part, value, "a number from 0 to 1", |value| {
                (0.0..=1.0).contains(&value)
            })?;
            let patience = 1;
            return self.exit(
                "stable",
                Exit::Stable {
                    threshold,
                    patience,
                },
            );
        }
        if let Some(value) = value_of(part, "plateau") {
            let delta = number(part, value, "a number that is not negative", |value| {
                value >= 0.0
            })?;
            let patience = 2;
            return self.exit("plateau", Exit::Plateau { delta, patience });
        }
        let score = part
            .strip_prefix("score")
            .and_then(|rest| rest.trim_start().strip_prefix(">="));
        if let Some(value) = score.or_else(|| value_of(part, "threshold")) {
            let at_least = number(part, value.trim(), "a number", |_| true)?;
            return self.exit("score", Exit::Score { at_least });
        }
        match part {
            "evaluator" => self.exit("evaluator", Exit::Evaluator),
            _ => Err(PolicyError::UnknownPart(part.to_owned())),
        }
    }

    fn exit(&mut self, name: &'static str, exit: Exit) -> Result<(), PolicyError> {
        match &self.exit {
            Some((first, _)) if *first == name => Err(PolicyError::Twice(name.to_owned())),
            Some((first, _)) => Err(PolicyError::TwoExits((*first).to_owned(), name.to_owned())),
            None => {
                self.exit = Some((name, exit));
                Ok(())
            }
        }
    }

    fn policy(self, text: &str) -> Result<Policy, PolicyError> {
        let mut exit = self.exit.map_or(Exit::MaxIterations, |(_, exit)| exit);
        match (&mut exit, self.patience) {
            (Exit::Stable { patience, .. } | Exit::Plateau { patience, .. }, Some(given)) => {
                *patience = given;
            }
            (_, Some(_)) => return Err(PolicyError::PatienceAlone),
            (_, None) => {}
        }
        if exit == Exit::MaxIterations && self.min.is_some() {
            return Err(PolicyError::MinimumAlone);
        }
        Ok(Policy {
            text: text.to_owned(),
            exit,
            cap: self.cap,
            min_iterations: self.min.unwrap_or(1),
        })
    }
}

/// Returns the text after `name=`, or `None` if `part` does not begin with it.
fn value_of<'a>(part: &'a str, name: &str) -> Option<&'a str> {
    let rest = part.strip_prefix(name)?.trim_start().strip_prefix('=')?;
    Some(rest.trim())
}

fn set(place: &mut Option<u32>, name: &str, value: u32) -> Result<(), PolicyError> {
    match place.replace(value) {
        Some(_) => Err(PolicyError::Twice(name.to_owned())),
        None => Ok(()),
    }
}

fn whole(part: &str, value: &str) -> Result<u32, PolicyError> {
    let read = value.parse().ok().filter(|&count: &u32| count > 0);
    read.ok_or_else(|| PolicyError::BadNumber {
        part: part.to_owned(),
        needs: "a whole number from 1",
    })
}

fn number(
    part: &str,
    value: &str,
    needs: &'static str,
    fits: impl Fn(f64) -> bool,
) -> Result<f64, PolicyError> {
    let read = value.parse().ok().filter(|value: &f64| value.is_finite());
    read.filter(|&value| fits(value))
        .ok_or_else(|| PolicyError::BadNumber {
            part: part.to_owned(),
            needs,
        })
}
