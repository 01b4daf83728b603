//! Formats schedules and their histories as tables and as JSON.

use loopwright_api::App;
use loopwright_engine::{budget::dollars, budget::microusd, event::timestamp};
use loopwright_records as records;
use loopwright_runs::{
    ApiError,
    schedules::{self, Firing, FiringResult, MissedCause, Schedule, Times},
};
use serde_json::{Value, json};

use super::stored::find;
use crate::{
    out::outln,
    render::{local_date_time, print_json, word},
};

pub(super) fn budget_words(schedule: &Schedule) -> String {
    schedule.budget_usd.map_or_else(
        || "none".to_owned(),
        |usd| format!("{} a day", dollars(microusd(usd))),
    )
}

fn times_words(times: &Times) -> String {
    match times {
        Times::At(time) => format!("every day at {time}"),
        Times::Every(duration) => format!("every {duration}"),
        Times::Cron(fields) => format!("cron {fields}"),
    }
}

/// Returns the next time of a schedule, or `None` if it never runs again, which is possible if its file was edited by hand.
fn next(schedule: &Schedule, now: i64) -> Option<i64> {
    schedule.next_after(now).ok().flatten()
}

pub(super) fn schedule_json(schedule: &Schedule, now: i64) -> Value {
    json!({
        "name": schedule.name,
        "flow": schedule.flow,
        "times": schedule.times,
        "next": next(schedule, now).map(timestamp),
        "budgetUsd": schedule.budget_usd,
        "inputs": schedule.inputs,
        "inputFiles": schedule.input_files,
        "set": schedule.sets,
        "approve": schedule.approve,
        "allow": schedule.allow,
        "keepAwake": schedule.keep_awake,
        "notify": schedule.notify,
        "createdAt": timestamp(schedule.created_at),
        "approvedAt": timestamp(schedule.approved_at),
    })
}

fn missed_words(cause: MissedCause) -> String {
    match cause {
        MissedCause::Active { since } => {
            format!("the run of {} was still active", local_date_time(since))
        }
        MissedCause::Off => "the computer was off or asleep, or nobody was logged in".to_owned(),
    }
}

fn firing_json(app: &App, firing: &Firing) -> Value {
    let mut object = json!(records::firing_view(app.env(), firing));
    if let FiringResult::Missed { cause, .. } = firing.result {
        object["reason"] = json!(missed_words(cause));
    }
    object
}

/// Returns a firing as a phrase: `completed`, `failed to start: …`, `missed 3 times, …`.
fn firing_words(app: &App, firing: &Firing) -> String {
    match &firing.result {
        FiringResult::Started { run_id, ended } => {
            let (status, deleted) = records::firing_status(app.env(), run_id, *ended);
            let status = status.map_or_else(|| "unknown".to_owned(), |status| word(&status));
            let deleted = if deleted { " (deleted)" } else { "" };
            format!("{status}  run {run_id}{deleted}")
        }
        FiringResult::FailedToStart { reason } => format!("failed to start: {reason}"),
        FiringResult::Missed {
            first,
            last,
            count,
            cause,
        } => {
            let times = match count {
                1 => format!("missed {}", local_date_time(*first)),
                count => format!(
                    "missed {count} times from {} to {}",
                    local_date_time(*first),
                    local_date_time(*last)
                ),
            };
            format!("{times}: {}", missed_words(*cause))
        }
    }
}

pub(super) fn list(app: &App, json: bool) {
    let (env, now) = (app.env(), app.env().now());
    let all = schedules::schedules(env.data_dir());
    let last_of = |name: &str| {
        let firings = schedules::firings(env.data_dir(), name).unwrap_or_default();
        firings.into_iter().next_back()
    };
    if json {
        let rows = all.iter().map(|(name, read)| {
            let mut row = match read {
                Ok(schedule) => schedule_json(schedule, now),
                Err(error) => json!({ "name": name, "error": error.message }),
            };
            row["last"] = last_of(name).map_or(Value::Null, |last| firing_json(app, &last));
            row
        });
        print_json(&rows.collect::<Vec<_>>());
        return;
    }
    if all.is_empty() {
        outln!("No schedules. Add one: loopwright schedule add nightly FLOW --at 02:00");
    }
    for (name, read) in &all {
        match read {
            Err(error) => outln!("{name}  {}", error.message),
            Ok(schedule) => {
                outln!("{name}  {}", schedule.flow);
                let times = times_words(&schedule.times);
                let next = next(schedule, now).map_or_else(|| "never".to_owned(), local_date_time);
                outln!("  next    {next}  ({times})");
                outln!("  budget  {}", budget_words(schedule));
            }
        }
        let last = last_of(name).map_or_else(
            || "none yet".to_owned(),
            |last| format!("{}  {}", local_date_time(last.at), firing_words(app, &last)),
        );
        outln!("  last    {last}");
    }
}

pub(super) fn show(app: &App, name: &str, limit: usize, json: bool) -> Result<(), ApiError> {
    let (env, now) = (app.env(), app.env().now());
    let schedule = schedules::schedule(env.data_dir(), name)?;
    if schedule.is_none() && !schedules::has_firings(env.data_dir(), name) {
        find(app, name)?;
    }
    let mut firings = schedules::firings(env.data_dir(), name)?;
    firings.reverse();
    let count = firings.len();
    firings.truncate(limit);
    if json {
        let mut object = match &schedule {
            Some(schedule) => schedule_json(schedule, now),
            None => json!({ "name": name, "removed": true }),
        };
        let firings: Vec<Value> = firings
            .iter()
            .map(|firing| firing_json(app, firing))
            .collect();
        object["firings"] = Value::Array(firings);
        print_json(&object);
        return Ok(());
    }
    match &schedule {
        None => outln!("{name} was removed."),
        Some(schedule) => {
            let next = next(schedule, now).map_or_else(|| "never".to_owned(), local_date_time);
            outln!("{name}  {}", schedule.flow);
            outln!("next      {next}  ({})", times_words(&schedule.times));
            outln!("budget    {}", budget_words(schedule));
            for given in &schedule.inputs {
                outln!("input     {}", given.escape_debug());
            }
            for given in &schedule.input_files {
                outln!("input     {given} (a file)");
            }
            for given in &schedule.sets {
                outln!("set       {given}");
            }
            outln!("approve   {}", schedule.approve);
            outln!("approved  {}", local_date_time(schedule.approved_at));
            if schedule.allow.all {
                outln!("allowed   everything");
            }
            for item in &schedule.allow.items {
                outln!("allowed   {item}");
            }
        }
    }
    outln!();
    for firing in &firings {
        outln!(
            "{}  {}",
            local_date_time(firing.at),
            firing_words(app, firing)
        );
    }
    match (count, firings.len()) {
        (0, _) => outln!("No firings yet."),
        (all, shown) if shown < all => outln!("{shown} of {all} firings shown"),
        _ => {}
    }
    Ok(())
}
