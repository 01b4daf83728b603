//! Messages about a loop, for users.

use serde_json::Value;

use super::{ending::AtLimit, progress::Stuck};
use crate::{exit::ExitReason, outcome::NodeError};

/// Returns the warning that the loop's number of iterations is changed to an allowed one.
pub(super) fn clamped(title: &str, requested: &Value, allowed: u32) -> String {
    if requested.as_f64().is_some_and(|requested| requested < 1.0) {
        format!("Max iterations of \"{title}\" is {requested}; a loop runs at least once.")
    } else {
        format!(
            "Max iterations of \"{title}\" is {requested}; this workflow allows {allowed}. Raise `maxIterationsCeiling` in Workflow settings."
        )
    }
}

/// Returns the name of the limit that ended a loop, and the setting that raises the limit.
fn limit(reason: ExitReason) -> (&'static str, &'static str) {
    match reason {
        ExitReason::Timeout => ("its time limit", "its time in `limits`"),
        ExitReason::BudgetExceeded => ("its budget", "its budget in `limits`"),
        _ => ("its cap", "`maxIterations`"),
    }
}

/// Returns the error of a loop at a limit, or `None` if the loop returns its result instead.
pub(super) fn limit_error(
    at_limit: &AtLimit,
    title: &str,
    reason: ExitReason,
    finished: u32,
    stuck: Option<Stuck>,
) -> Option<NodeError> {
    let (why, raise) = limit(reason);
    let code = |of_cap| match reason {
        ExitReason::Timeout => "timeout",
        ExitReason::BudgetExceeded => "budget_exceeded",
        ExitReason::NoProgress => "no_progress",
        _ => of_cap,
    };
    match at_limit {
        AtLimit::NothingFinished => Some(NodeError::new(
            code("no_result"),
            format!("\"{title}\" reached {why} before one iteration was finished. Raise {raise}."),
        )),
        AtLimit::Fails => {
            let message = match stuck {
                Some(stuck) => format!(
                    "\"{title}\" made no progress: {stuck}. Change what its nodes do, raise `noProgress` in `limits`, or choose `return` in `onLimit` to keep the result."
                ),
                None => format!(
                    "\"{title}\" reached {why} after {} without its exit condition being met. Raise {raise}, or choose `return` in `onLimit` to keep the result.",
                    iterations(finished)
                ),
            };
            Some(NodeError::new(code("max_iterations"), message))
        }
        AtLimit::Returns => None,
    }
}

/// Returns the warning that a loop without progress continues once, with `loopEscalated` set.
pub(super) fn escalated(title: &str, stuck: Stuck) -> String {
    format!("\"{title}\" made no progress: {stuck}. It continues once, with `loopEscalated` set.")
}

/// Returns the warning that a loop returns its result at a limit.
pub(super) fn exhausted(
    title: &str,
    reason: ExitReason,
    finished: u32,
    returns_best: bool,
    stuck: Option<Stuck>,
) -> String {
    let which = if returns_best { "best" } else { "last" };
    if let Some(stuck) = stuck {
        return format!("\"{title}\" made no progress: {stuck}. Its result is the {which} one.");
    }
    let (why, _) = limit(reason);
    format!(
        "\"{title}\" reached {why} after {} without its exit condition being met. Its result is the {which} one.",
        iterations(finished),
    )
}

fn iterations(count: u32) -> String {
    if count == 1 {
        "1 iteration".to_owned()
    } else {
        format!("{count} iterations")
    }
}
