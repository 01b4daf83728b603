//! Says how a run that is not over can be continued.

use loopwright_api::{App, RunStatus};
use loopwright_engine::trust::for_shell;
use loopwright_records as records;
use loopwright_runs::{ApiError, RunOutcome};

use crate::{out::errln, question::tell};

/// Prints how to continue a run that is not over.
///
/// # Errors
/// Returns an error if the run cannot be read.
pub(crate) fn say_how_to_continue(app: &App, outcome: &RunOutcome) -> Result<(), ApiError> {
    if outcome.state.over_budget && outcome.state.over_spending_limit {
        errln!(
            "Continue when the budget allows it: loopwright runs resume {}",
            outcome.run_id
        );
    } else if outcome.state.over_budget {
        errln!(
            "Continue with a larger budget: loopwright runs resume {} {}",
            outcome.run_id,
            larger_budget(app, &outcome.run_id)?
        );
    }
    if outcome.status == RunStatus::Paused {
        errln!(
            "Paused. Continue: loopwright runs resume {}",
            outcome.run_id
        );
    }
    if outcome.status == RunStatus::Interrupted {
        errln!(
            "The run was interrupted, because its program ended. Continue: loopwright runs resume {}",
            outcome.run_id
        );
    }
    if outcome.status == RunStatus::Waiting {
        for (path, question) in records::waiting(app.env(), &outcome.run_id)? {
            errln!("{path} waits: {question}");
            let step = records::step_detail(app.env(), &outcome.run_id, &path)?;
            tell(&step.output, step.request.as_ref());
            errln!(
                "Answer: loopwright runs answer {} --at {} --approve",
                outcome.run_id,
                for_shell(&path)
            );
        }
    }
    Ok(())
}

/// Returns the command-line options that raise the budget that stopped a run.
fn larger_budget(app: &App, run_id: &str) -> Result<&'static str, ApiError> {
    let budget = records::run_detail(app.env(), run_id)?.budget;
    let budget = budget.as_ref();
    Ok(
        match budget.map(|budget| (budget.budget_usd, budget.budget_tokens)) {
            Some((None, Some(_))) => "--budget-tokens N",
            Some((Some(_), Some(_))) => "--budget-usd X --budget-tokens N",
            _ => "--budget-usd X",
        },
    )
}
