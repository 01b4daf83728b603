//! Follows a run that this program leads, and asks its questions on the terminal.

use std::sync::Arc;

use loopwright_api::{Answer, App, RunStatus};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, ResumeOptions, RunOutcome, Started};

use crate::{
    approve_arg::ApproveArg,
    interrupts::Interrupts,
    out::errln,
    progress::Progress,
    question::{ask_person, can_ask},
    status,
};

/// Returns a receiver of events that prints them as progress.
pub(crate) fn sink(progress: &Arc<Progress>) -> Arc<dyn Fn(&loopwright_api::Event) + Send + Sync> {
    let progress = Arc::clone(progress);
    Arc::new(move |event| progress.event(event))
}

/// Follows a run to its end, or until it is paused or nobody answers its questions. Asks its questions on the terminal.
pub(crate) async fn follow(
    app: &Arc<App>,
    started: Started,
    progress: &Arc<Progress>,
    approve: ApproveArg,
    interrupts: &Interrupts,
) -> Result<RunOutcome, ApiError> {
    let followed = follow_to_end(app, started, progress, approve, interrupts).await;
    progress.told().await;
    followed
}

async fn follow_to_end(
    app: &Arc<App>,
    mut started: Started,
    progress: &Arc<Progress>,
    approve: ApproveArg,
    interrupts: &Interrupts,
) -> Result<RunOutcome, ApiError> {
    let mut before = 0;
    loop {
        let cancel = started.cancel.clone();
        let mut presses = interrupts.clone();
        let listener = tokio::spawn(async move {
            presses.more_than(before).await;
            errln!("Stopping. Press Ctrl-C again to stop immediately.");
            cancel.cancel();
            presses.more_than(before + 1).await;
            std::process::exit(i32::from(status::CANCELLED));
        });
        let outcome = started.finished.await.map_err(|error| {
            ApiError::new(
                Code::Internal,
                format!("The run stopped unexpectedly: {error}"),
            )
        })?;
        listener.abort();
        progress.finish();
        let outcome = outcome?;
        if outcome.status != RunStatus::Waiting {
            return Ok(outcome);
        }
        let answer = match settled(app, &outcome.run_id, approve)? {
            None if can_ask() => ask_person(app, &outcome.run_id, interrupts).await?,
            answer => answer,
        };
        if answer.is_none() {
            return Ok(outcome);
        }
        // This Ctrl-C only postponed the answer to the question, so it does not count as a request to stop the run.
        before = interrupts.count();
        started = runs::resume_run(
            app.env(),
            ResumeOptions {
                run_id: outcome.run_id,
                answer,
                budget: None,
                approve: approve.into(),
                events: sink(progress),
            },
        )?;
    }
}

/// Returns the answer to the first open question, if `--approve` determines it; otherwise `None`.
pub(crate) fn settled(
    app: &App,
    run_id: &str,
    approve: ApproveArg,
) -> Result<Option<(String, Answer)>, ApiError> {
    let approved = match approve {
        ApproveArg::Ask => return Ok(None),
        ApproveArg::All => true,
        ApproveArg::None => false,
    };
    let open = records::waiting(app.env(), run_id)?.into_iter().next();
    Ok(open.map(|(path, _)| {
        let answer = Answer {
            approved,
            ..Default::default()
        };
        (path, answer)
    }))
}
