//! Starts a schedule's run, for its timer or for a person, and records the outcome.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::Arc,
};

use clap::ValueEnum as _;
use jiff::tz::TimeZone;
use loopwright_api::App;
use loopwright_attention::{News, NewsKind};
use loopwright_runs::{
    self as runs, ApiError, Code, PreparedRun, StartOptions,
    schedules::{self, FireLock, FiringEvent, FiringResult, MissedCause, Schedule},
};
use serde_json::json;

use super::stored::{find, invalid, prepare};
use crate::{
    approve_arg::ApproveArg,
    detach::follow_until_ended,
    follow::{follow, sink},
    interrupts::Interrupts,
    out::errln,
    progress::Progress,
    render::{local_date_time, print_json},
    run::print_outcome,
    run_result::exit_status,
    status,
    unattended::{NotifyArg, Telling, UnattendedArgs, attend},
};

/// The trigger of a schedule's run: its timer or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Timer,
    Person,
}

/// Starts a run of a schedule and follows it to its end. Adds the outcome of the firing to the history of the schedule.
///
/// # Errors
/// Returns an error if the schedule does not exist or cannot be read, or if the run cannot start.
pub(super) async fn fire(
    app: &Arc<App>,
    name: &str,
    cause: Cause,
    json: bool,
) -> Result<u8, ApiError> {
    let env = app.env();
    let data_dir = env.data_dir();
    schedules::check_schedule_name(name)?;
    let now = env.now();
    let lock = FireLock::take(data_dir, name)?;
    // A run of an earlier firing can be active without that firing's program, if it was resumed elsewhere.
    if lock.is_none() || active_run(app, name)?.is_some() {
        return note_active(app, name, cause, json);
    }
    let found = match schedules::schedule(data_dir, name) {
        Ok(None) => find(app, name),
        Ok(Some(schedule)) => Ok(schedule),
        Err(error) => Err(error),
    };
    let schedule = match found {
        Ok(schedule) => schedule,
        Err(error) => {
            // A timer whose schedule no longer exists has no history to which the failure could be added.
            if error.code != Code::NotFound {
                add_failure(data_dir, name, now, None, &error.message)?;
            }
            return Err(error);
        }
    };
    let mut planned = None;
    if cause == Cause::Timer {
        let firings = schedules::firings(data_dir, name)?;
        let due = schedules::due(&schedule, &firings, &TimeZone::system(), now)?;
        for missed in &due.missed {
            schedules::add_event(data_dir, name, missed)?;
        }
        planned = due.planned;
    }
    let notify = NotifyArg {
        notify: schedule.notify,
    };
    let telling = Telling::new(app, notify, None);
    let failed = match prepare_approved(app, &schedule) {
        Ok(prepared) => match schedules::no_room_to_start(env, &prepared) {
            Ok(None) => {
                let run = Firable {
                    schedule: &schedule,
                    prepared,
                    planned,
                    cause,
                    telling: telling.clone(),
                };
                match run.start(app, json).await {
                    Err(NotRun::Before(error)) => (error, None),
                    Err(NotRun::After(error)) => return Err(error),
                    Ok(code) => return Ok(code),
                }
            }
            Ok(Some(words)) => (invalid(words), Some(status::BUDGET)),
            Err(error) => (error, None),
        },
        Err(error) => (error, None),
    };
    let (error, code) = failed;
    add_failure(data_dir, name, now, planned, &error.message)?;
    telling.tell(&failure_news(&schedule, &error.message));
    telling.delivered().await;
    let of_error = crate::failure::fail(&error, json);
    Ok(code.unwrap_or(of_error))
}

/// Returns the newest run of a schedule that a program leads: its start, in milliseconds since the Unix epoch, UTC, and its id.
/// Returns `None` if no program leads a run of the schedule.
fn active_run(app: &App, name: &str) -> Result<Option<(i64, String)>, ApiError> {
    let firings = schedules::firings(app.env().data_dir(), name)?;
    Ok(firings
        .into_iter()
        .rev()
        .find_map(|firing| match firing.result {
            FiringResult::Started { run_id, .. } if app.env().is_led(&run_id) => {
                Some((firing.at, run_id))
            }
            _ => None,
        }))
}

/// Handles a firing while the previous run is still active. For a timer, adds the skipped firing to the history; for a person,
/// returns an error.
fn note_active(app: &App, name: &str, cause: Cause, json: bool) -> Result<u8, ApiError> {
    let (env, data_dir) = (app.env(), app.env().data_dir());
    let now = env.now();
    let active = active_run(app, name)?;
    let words = match &active {
        Some((since, _)) => format!("The run of {} is still active.", local_date_time(*since)),
        None => "Another program is starting this schedule.".to_owned(),
    };
    if cause == Cause::Person {
        let remedy = match &active {
            Some((_, run)) => format!("Wait until it ends, or stop it: loopwright runs stop {run}"),
            None => "Try again in a moment.".to_owned(),
        };
        return Err(ApiError::new(Code::Busy, format!("{words} {remedy}")));
    }
    let event = FiringEvent::Missed {
        at: now,
        first: now,
        last: now,
        count: 1,
        cause: MissedCause::Active {
            since: active.map_or(now, |(since, _)| since),
        },
    };
    schedules::add_event(data_dir, name, &event)?;
    if json {
        print_json(&json!({ "schedule": name, "missed": words }));
    } else {
        errln!("{words} The scheduled run was skipped.");
    }
    Ok(status::COMPLETED)
}

fn add_failure(
    data_dir: &Path,
    name: &str,
    at: i64,
    planned: Option<i64>,
    reason: &str,
) -> Result<(), ApiError> {
    let event = FiringEvent::FailedToStart {
        at,
        planned,
        reason: reason.to_owned(),
    };
    schedules::add_event(data_dir, name, &event)
}

/// Returns the notification about a run that did not start.
fn failure_news(schedule: &Schedule, reason: &str) -> News {
    let name = &schedule.name;
    News {
        kind: NewsKind::Failed,
        run: String::new(),
        flow: schedule.flow.clone(),
        step: None,
        title: format!("The schedule {name} did not start"),
        text: format!("See why with: loopwright schedule show {name}"),
        seconds: 0,
        detail: Some(reason.chars().take(300).collect()),
    }
}

/// Prepares a run of a schedule. Fails if the flow has changed since it was approved.
fn prepare_approved(app: &App, schedule: &Schedule) -> Result<PreparedRun, ApiError> {
    let is_approved = |content: &str| {
        if content == schedule.content {
            return Ok(());
        }
        Err(ApiError::new(
            Code::NotApproved,
            format!(
                "The flow {} has changed since it was approved on {}. Review it, then approve it: loopwright schedule approve {}",
                schedule.flow,
                local_date_time(schedule.approved_at),
                schedule.name
            ),
        ))
    };
    Ok(prepare(app, schedule, is_approved)?.0)
}

/// The reason why a run has no result.
enum NotRun {
    /// The run did not start.
    Before(ApiError),
    /// The run started, but could not be followed.
    After(ApiError),
}

/// A run of a schedule that is about to start.
struct Firable<'s> {
    schedule: &'s Schedule,
    prepared: PreparedRun,
    planned: Option<i64>,
    cause: Cause,
    telling: Telling,
}

impl Firable<'_> {
    /// Starts the run, follows it, and adds its start and its end to the history. Returns the exit status.
    async fn start(self, app: &Arc<App>, json: bool) -> Result<u8, NotRun> {
        let env = app.env();
        let (schedule, name) = (self.schedule, self.schedule.name.as_str());
        let approve = ApproveArg::from_str(&schedule.approve, false)
            .map_err(|why| NotRun::Before(invalid(why)))?;
        let by_person = self.cause == Cause::Person;
        let is_shown = by_person && io::stderr().is_terminal();
        let progress = Arc::new(Progress::new(false, is_shown, self.telling));
        let _attending = attend(
            app,
            UnattendedArgs {
                keep_awake: schedule.keep_awake,
            },
        );
        let interrupts = Interrupts::listen();
        let options = StartOptions {
            allow: schedule.allow.clone(),
            approve: approve.into(),
            events: sink(&progress),
        };
        let started = runs::start_prepared(env, self.prepared, options).map_err(NotRun::Before)?;
        let run_id = started.run_id.clone();
        let event = FiringEvent::Started {
            at: env.now(),
            planned: self.planned,
            run_id: run_id.clone(),
        };
        schedules::add_event(env.data_dir(), name, &event).map_err(NotRun::After)?;
        let followed = match by_person {
            true => follow(app, started, &progress, approve, &interrupts)
                .await
                .map(Some),
            false => follow_until_ended(app, started, &progress, approve, interrupts).await,
        };
        // A detached run has not ended yet. Its status is read from its record.
        let Some(outcome) = followed.map_err(NotRun::After)? else {
            return Ok(status::CANCELLED);
        };
        let event = FiringEvent::Ended {
            at: env.now(),
            run_id,
            status: outcome.status,
        };
        schedules::add_event(env.data_dir(), name, &event).map_err(NotRun::After)?;
        match by_person {
            true => print_outcome(app, outcome, json).map_err(NotRun::After),
            false => {
                // The log of the timer is then the only place that names the reason.
                if let Some(error) = &outcome.state.error {
                    errln!("Run {} failed: {}", outcome.run_id, error.message);
                }
                Ok(exit_status(&outcome))
            }
        }
    }
}
