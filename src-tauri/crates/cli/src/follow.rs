//! Follows a run that this program leads, and asks its questions on the terminal.

use std::sync::Arc;

use loopwright_api::{Answer, App, RunStatus};
use loopwright_engine::journal::Select;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, ResumeOptions, RunOutcome, Started};

use crate::{
    approve_arg::ApproveArg,
    how_to_continue::say_how_to_continue,
    interrupts::Interrupts,
    out::errln,
    progress::Progress,
    question::{ask_person, can_ask},
    render::local_time,
    status,
};

/// Returns an event receiver that prints each event as progress.
pub(crate) fn sink(progress: &Arc<Progress>) -> Arc<dyn Fn(&loopwright_api::Event) + Send + Sync> {
    let progress = Arc::clone(progress);
    Arc::new(move |event| progress.event(event))
}

/// Follows a run to its end, or until it is paused or nobody answers its questions. Asks its questions on the terminal.
///
/// # Errors
/// Returns an error if the run stops unexpectedly, or if a question cannot be asked or answered.
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
        let next = next(app, &outcome, progress, approve, interrupts).await?;
        // This Ctrl-C only postponed the answer to the question, so it does not count as a request to stop the run.
        before = interrupts.count();
        started = match next {
            Next::Rests => return Ok(outcome),
            Next::Continues(started) => started,
            Next::Answered(path, answer) => runs::resume_run(
                app.env(),
                ResumeOptions {
                    run_id: outcome.run_id,
                    answer: Some((path, answer)),
                    budget: None,
                    approve: approve.into(),
                    events: sink(progress),
                },
            )?,
        };
    }
}

/// How a waiting run continues.
enum Next {
    /// The question at this path has this answer.
    Answered(String, Answer),
    /// The run continues without an answer from this terminal: its question expired, or was answered in another
    /// program.
    Continues(Started),
    /// Nobody answers for now, so the run keeps waiting.
    Rests,
}

/// Asks the question of a waiting run on the terminal, and waits for the answer or until the question expires, whichever
/// happens first.
async fn next(
    app: &Arc<App>,
    outcome: &RunOutcome,
    progress: &Arc<Progress>,
    approve: ApproveArg,
    interrupts: &Interrupts,
) -> Result<Next, ApiError> {
    let run_id = &outcome.run_id;
    if let Some((path, answer)) = settled(app, run_id, approve)? {
        return Ok(Next::Answered(path, answer));
    }
    let (asks, expires) = (can_ask(), outcome.wakes_in.is_some());
    if !asks && !expires {
        return Ok(Next::Rests);
    }
    let seen = app.env().journal().read(run_id, Select::All)?.len() as u64;
    let expired = async {
        let events = sink(progress);
        let resumed = runs::resume_when_expired(app.env(), run_id, approve.into(), events).await?;
        Ok(match resumed {
            Some(started) => {
                errln!("Nobody answered in time.");
                started
            }
            None => runs::follow_run(app.env(), run_id, seen, sink(progress))?,
        })
    };
    if !asks {
        say_how_to_continue(app, outcome)?;
        let detail = records::run_detail(app.env(), run_id)?;
        if let Some(at) = detail.summary.expires_at {
            errln!("The question expires at {}.", local_time(&at));
        }
    }
    let mut stops = interrupts.clone();
    let before = interrupts.count();
    tokio::select! {
        answer = ask_person(app, run_id, interrupts), if asks => {
            Ok(answer?.map_or(Next::Rests, |(path, answer)| Next::Answered(path, answer)))
        }
        started = expired, if expires => started.map(Next::Continues),
        () = stops.more_than(before), if !asks => Ok(Next::Rests),
    }
}

/// Returns the path of the first open question and its answer, if `--approve` determines the answer; otherwise `None`.
///
/// # Errors
/// Returns an error if the open questions cannot be read.
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
