//! The schedules with their newest firings, in the form that the window and the command line receive.

use loopwright_engine::{RunStatus, event::timestamp};
use loopwright_runs::{
    ApiError, Env, clip,
    schedules::{self, Firing, FiringResult, MissedCause, Schedule, Times},
};
use serde::Serialize;
use specta::Type;

/// A schedule, with its newest firings. A removed schedule keeps its firings.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleView {
    pub name: String,
    /// The path of the flow's file, or the name of a bundled template; null if the schedule was removed or cannot be read.
    pub flow: Option<String>,
    /// The times at which the flow runs; null if the schedule was removed or cannot be read.
    pub times: Option<Times>,
    /// The next time at which the flow runs, in RFC 3339 and UTC; null if there is none.
    pub next: Option<String>,
    /// The maximum cost of the schedule's runs in a day, in dollars; null for no limit.
    pub budget_usd: Option<f64>,
    /// Whether the schedule was removed.
    pub removed: bool,
    /// The reason why the schedule or its history cannot be read; null if both can.
    pub error: Option<String>,
    /// The newest firings, newest first.
    pub firings: Vec<FiringView>,
    /// The number of firings in the history.
    pub firings_kept: u32,
}

/// A firing of a schedule. Times are in RFC 3339 and UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FiringView {
    pub at: String,
    /// The time at which the run was due; null if a user started the run, or if the time was missed.
    pub planned: Option<String>,
    #[serde(flatten)]
    pub result: FiringResultView,
}

/// The result of a firing. Times are in RFC 3339 and UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(
    tag = "result",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum FiringResultView {
    Started {
        run_id: String,
        /// The current status of the run. If the run was deleted, the status with which it ended, or null if that is unknown.
        status: Option<RunStatus>,
        /// The time at which the run ended or began to wait; null if it has not ended, or if its program was killed.
        ended_at: Option<String>,
        /// Whether the run was deleted.
        deleted: bool,
    },
    FailedToStart {
        reason: String,
    },
    /// Times of the schedule that passed without a run.
    Missed {
        first: String,
        last: String,
        count: u32,
        /// The start of the run that was still active at these times; null if the computer was off or asleep, or nobody was
        /// logged in.
        active_since: Option<String>,
    },
}

/// Returns all schedules, sorted by name, each with its newest `limit` firings. Removed schedules that have a history follow
/// the others.
///
/// If a schedule cannot be read, its view contains the error.
pub fn schedule_views(env: &Env, limit: usize) -> Vec<ScheduleView> {
    let known = schedules::schedules(env.data_dir());
    let removed = schedules::removed(env.data_dir());
    let known = known
        .into_iter()
        .map(|(name, read)| schedule_view(env, name, Some(read), limit));
    let removed = removed
        .into_iter()
        .map(|name| schedule_view(env, name, None, limit));
    known.chain(removed).collect()
}

/// Returns a schedule with its newest `limit` firings. `read` is `None` if the schedule was removed.
fn schedule_view(
    env: &Env,
    name: String,
    read: Option<Result<Schedule, ApiError>>,
    limit: usize,
) -> ScheduleView {
    let removed = read.is_none();
    let (schedule, unreadable) = match read {
        Some(Ok(schedule)) => (Some(schedule), None),
        Some(Err(error)) => (None, Some(error.message)),
        None => (None, None),
    };
    let (firings, no_history) = match schedules::firings(env.data_dir(), &name) {
        Ok(firings) => (firings, None),
        Err(error) => (Vec::new(), Some(error.message)),
    };
    let next = schedule
        .as_ref()
        .and_then(|schedule| schedule.next_after(env.now()).ok().flatten());
    ScheduleView {
        name,
        next: next.map(timestamp),
        budget_usd: schedule.as_ref().and_then(|schedule| schedule.budget_usd),
        removed,
        error: unreadable.or(no_history),
        firings_kept: u32::try_from(firings.len()).unwrap_or(u32::MAX),
        firings: firings
            .iter()
            .rev()
            .take(limit)
            .map(|firing| firing_view(env, firing))
            .collect(),
        times: schedule.as_ref().map(|schedule| schedule.times.clone()),
        flow: schedule.map(|schedule| schedule.flow),
    }
}

/// Returns the current status of the run that a firing started, and whether the run was deleted. `ended` is the time at which
/// the run ended or began to wait, and its status then. The status of a deleted run is that of `ended`.
pub fn firing_status(
    env: &Env,
    run_id: &str,
    ended: Option<(i64, RunStatus)>,
) -> (Option<RunStatus>, bool) {
    match env.journal().run(run_id) {
        // The program of the run was killed, and nothing has noted that yet.
        Ok((_, state)) if state.status == RunStatus::Running && !env.is_led(run_id) => {
            (Some(RunStatus::Interrupted), false)
        }
        Ok((_, state)) => (Some(state.status), false),
        Err(_) => (ended.map(|(_, status)| status), true),
    }
}

/// Returns a firing with the current status of its run.
pub fn firing_view(env: &Env, firing: &Firing) -> FiringView {
    let result = match &firing.result {
        FiringResult::Started { run_id, ended } => {
            let (status, deleted) = firing_status(env, run_id, *ended);
            FiringResultView::Started {
                run_id: run_id.clone(),
                status,
                ended_at: ended.map(|(at, _)| timestamp(at)),
                deleted,
            }
        }
        FiringResult::FailedToStart { reason } => FiringResultView::FailedToStart {
            reason: reason.clone(),
        },
        FiringResult::Missed {
            first,
            last,
            count,
            cause,
        } => FiringResultView::Missed {
            first: timestamp(*first),
            last: timestamp(*last),
            count: clip(*count),
            active_since: match cause {
                MissedCause::Active { since } => Some(timestamp(*since)),
                MissedCause::Off => None,
            },
        },
    };
    FiringView {
        at: timestamp(firing.at),
        planned: firing.planned.map(timestamp),
        result,
    }
}
