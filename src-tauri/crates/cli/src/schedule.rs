//! `loopwright schedule`: flows that the timers of the system start.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    sync::Arc,
};

use clap::ValueEnum as _;
use jiff::tz::TimeZone;
use loopwright_api::{App, RunStatus};
use loopwright_attention::{News, NewsKind};
use loopwright_engine::{budget::dollars, budget::microusd, event::timestamp};
use loopwright_records as records;
use loopwright_runs::{
    self as runs, ApiError, Code, PreparedRun, StartOptions,
    schedules::{
        self, Calendar, FireLock, Firing, FiringEvent, FiringResult, MissedCause, Schedule, Times,
    },
};
use serde_json::{Value, json};

use crate::{
    approve_arg::ApproveArg,
    args::RunArgs,
    assignments::split_assignment,
    detach::follow_until_ended,
    follow::{follow, sink},
    input,
    interrupts::Interrupts,
    named::read_flow,
    out::{errln, outln},
    progress::Progress,
    render::{local_date_time, print_json, word},
    run::{print_outcome, request},
    run_result::exit_status,
    schedule_args::{AddArgs, ScheduleCommand},
    status,
    timers::{self, Timer},
    trust,
    unattended::{NotifyArg, Telling, UnattendedArgs, attend},
};

/// Performs `loopwright schedule`.
pub(crate) async fn perform(
    app: &Arc<App>,
    command: &ScheduleCommand,
    json: bool,
) -> Result<u8, ApiError> {
    match command {
        ScheduleCommand::Add(args) => add(app, args, json)?,
        ScheduleCommand::List => list(app, json),
        ScheduleCommand::Show { name, limit } => show(app, name, *limit, json)?,
        ScheduleCommand::Approve { name, allow } => approve(app, name, allow, json)?,
        ScheduleCommand::Budget { name, usd } => budget(app, name, usd, json)?,
        ScheduleCommand::Remove { name } => remove(app, name, json)?,
        ScheduleCommand::RunNow { name } => return fire(app, name, Cause::Person, json).await,
        ScheduleCommand::Fire { name } => return fire(app, name, Cause::Timer, json).await,
    }
    Ok(status::COMPLETED)
}

fn invalid(message: String) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Reads a schedule.
///
/// # Errors
/// [`Code::NotFound`] if no schedule has this name.
fn find(app: &App, name: &str) -> Result<Schedule, ApiError> {
    schedules::schedule(app.env().data_dir(), name)?.ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            format!(
                "There is no schedule \"{name}\". `loopwright schedule list` lists the schedules."
            ),
        )
    })
}

fn add(app: &App, args: &AddArgs, json: bool) -> Result<(), ApiError> {
    let env = app.env();
    let name = &args.name;
    if schedules::schedule(env.data_dir(), name)?.is_some() {
        return Err(invalid(format!(
            "There is a schedule \"{name}\" already. Remove it first: loopwright schedule remove {name}"
        )));
    }
    let times = match (&args.at, &args.every, &args.cron) {
        (Some(at), _, _) => Times::At(at.clone()),
        (_, Some(every), _) => Times::Every(every.clone()),
        (_, _, cron) => Times::Cron(cron.clone().unwrap_or_default()),
    };
    let calendar = Calendar::of(&times)?;
    refuse_standard_input(args)?;
    let opened = read_flow(app, &args.flow)?;
    let approve = args.approve.to_possible_value();
    let folder = std::env::current_dir().map_err(|error| {
        let words = format!("The current folder is not known: {error}.");
        ApiError::new(Code::Io, words)
    })?;
    let mut schedule = Schedule {
        version: Schedule::version(),
        name: name.clone(),
        created_at: env.now(),
        flow: opened.path().unwrap_or(&args.flow).to_owned(),
        folder,
        times,
        inputs: args.inputs.clone(),
        input_files: args.input_files.clone(),
        sets: args.sets.clone(),
        budget_usd: args.budget_usd,
        approve: approve.map_or_else(String::new, |value| value.get_name().to_owned()),
        allow: trust::allow(&args.allow)?,
        keep_awake: args.unattended.keep_awake,
        notify: args.notify.notify,
        content: String::new(),
        approved_at: env.now(),
    };
    let program = std::env::current_exe().map_err(|error| {
        let words = format!("The path of this program is not known: {error}.");
        ApiError::new(Code::Io, words)
    })?;
    let search_path = std::env::var("PATH").ok();
    let timer = Timer {
        name,
        calendar: &calendar,
        program: timers::path_text(program.as_os_str())?,
        data_dir: timers::path_text(env.data_dir().as_os_str())?,
        search_path: search_path.as_deref().filter(|path| !path.is_empty()),
    };
    timers::check(&timer)?;
    approve_content(app, &mut schedule)?;
    // The schedule exists before its timer, so that the first firing finds it.
    schedules::save_schedule(env, &schedule)?;
    let installed = timers::install(&timer).inspect_err(|_| {
        if let Err(error) = schedules::remove_schedule(env, name) {
            errln!("{}", error.message);
        }
    })?;
    if json {
        let mut object = schedule_json(&schedule, env.now());
        object["active"] = json!(installed.is_active);
        object["files"] = json!(installed.files);
        object["notes"] = json!(installed.notes);
        print_json(&object);
        return Ok(());
    }
    match schedule.next_after(env.now())? {
        Some(next) if installed.is_active => {
            outln!("Schedule {name} runs next on {}.", local_date_time(next));
        }
        _ => outln!("Schedule {name} was added."),
    }
    for note in &installed.notes {
        errln!("{note}");
    }
    if schedule.budget_usd.is_none() {
        errln!("It has no budget. Set one for a day: loopwright schedule budget {name} USD");
    }
    Ok(())
}

/// Refuses what a timer cannot hand over.
fn refuse_standard_input(args: &AddArgs) -> Result<(), ApiError> {
    let mut paths = vec![args.flow.as_str()];
    for given in &args.input_files {
        paths.push(split_assignment(given, "--input-file", "NAME=PATH")?.1);
    }
    match paths
        .into_iter()
        .find(|path| *path == "-" || input::is_handed_over(path))
    {
        None => Ok(()),
        Some(path) => Err(invalid(format!(
            "{path}: the runs of a schedule have no standard input. Write it to a file and name the file."
        ))),
    }
}

/// Returns the options of the schedule's runs, as `run` has them.
fn run_args(schedule: &Schedule) -> RunArgs {
    RunArgs {
        flow: schedule.flow.clone(),
        inputs: schedule.inputs.clone(),
        input_files: schedule.input_files.clone(),
        sets: schedule.sets.clone(),
        pins: Vec::new(),
        to: None,
        budget_usd: None,
        approve: ApproveArg::Ask,
        allow: Vec::new(),
        events: false,
        unattended: UnattendedArgs::default(),
        notify: NotifyArg::default(),
        detach: false,
    }
}

/// Prepares a run of a schedule. Returns it with the hash of the flow's content. The working folder becomes that of the schedule.
fn prepare(
    app: &App,
    schedule: &Schedule,
    is_approved: impl Fn(&str) -> Result<(), ApiError>,
) -> Result<(PreparedRun, String), ApiError> {
    std::env::set_current_dir(&schedule.folder).map_err(|error| {
        let words = format!(
            "The folder {}, in which the schedule was added, cannot be used: {error}.",
            schedule.folder.display()
        );
        ApiError::new(Code::Io, words)
    })?;
    let mut opened = read_flow(app, &schedule.flow)?;
    let path = opened.path().map(str::to_owned);
    let (linked, content) = schedules::content_hash(app.env(), opened.document, path.as_deref())?;
    is_approved(&content)?;
    // What was compared is what runs, even if a file changes now.
    opened.document = linked;
    let request = request(app, opened, &run_args(schedule))?;
    let mut prepared = runs::prepare_run(app.env(), request)?;
    prepared.schedule = Some(schedule.name.clone());
    prepared.check()?;
    Ok((prepared, content))
}

/// Checks the flow of a schedule as it is now, asks for what it would use, and notes its content as approved.
fn approve_content(app: &App, schedule: &mut Schedule) -> Result<(), ApiError> {
    let (prepared, content) = prepare(app, schedule, |_| Ok(()))?;
    for problem in prepared.problems() {
        if problem.code == "agent_missing" {
            errln!("Warning: {}", problem.message);
        }
    }
    schedule.allow = trust::ask_for_schedule(app, &prepared, std::mem::take(&mut schedule.allow))?;
    let flow = &prepared.flow;
    runs::admit(
        app.env(),
        &flow.flow,
        flow.path.as_deref(),
        flow.identity.clone(),
        &schedule.allow,
    )?;
    schedule.content = content;
    schedule.approved_at = app.env().now();
    Ok(())
}

fn approve(app: &App, name: &str, allow: &[String], json: bool) -> Result<(), ApiError> {
    let mut schedule = find(app, name)?;
    let before = schedule.content.clone();
    schedule.allow.add(&trust::allow(allow)?);
    approve_content(app, &mut schedule)?;
    schedules::save_schedule(app.env(), &schedule)?;
    if json {
        print_json(&schedule_json(&schedule, app.env().now()));
    } else if before == schedule.content {
        outln!("The flow of {name} has not changed. It stays approved.");
    } else {
        outln!("The changed flow of {name} is approved.");
    }
    Ok(())
}

fn budget(app: &App, name: &str, usd: &str, json: bool) -> Result<(), ApiError> {
    let mut schedule = find(app, name)?;
    schedule.budget_usd = match usd {
        "none" => None,
        text => Some(text.trim_start_matches('$').parse().map_err(|_| {
            invalid(format!(
                "\"{text}\" is not an amount. Write an amount in dollars, such as 5, or `none` to remove the budget."
            ))
        })?),
    };
    schedules::save_schedule(app.env(), &schedule)?;
    if json {
        print_json(&schedule_json(&schedule, app.env().now()));
    } else {
        outln!("Budget of {name}: {}.", budget_words(&schedule));
    }
    Ok(())
}

fn remove(app: &App, name: &str, json: bool) -> Result<(), ApiError> {
    let env = app.env();
    let data_dir = timers::path_text(env.data_dir().as_os_str())?;
    // A damaged schedule can be removed, too.
    let is_there = schedules::schedule(env.data_dir(), name);
    if matches!(is_there, Ok(None)) {
        find(app, name)?;
    }
    schedules::check_schedule_name(name)?;
    let notes = timers::remove(name, data_dir)?;
    schedules::remove_schedule(env, name)?;
    if json {
        print_json(&json!({ "name": name, "removed": true, "notes": notes }));
        return Ok(());
    }
    outln!("Schedule {name} was removed. Its history stays: loopwright schedule show {name}");
    for note in notes {
        errln!("{note}");
    }
    Ok(())
}

/// Who starts a run of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Timer,
    Person,
}

/// Starts a run of a schedule and follows it to its end. What becomes of the firing is in the history of the schedule.
async fn fire(app: &Arc<App>, name: &str, cause: Cause, json: bool) -> Result<u8, ApiError> {
    let env = app.env();
    let data_dir = env.data_dir();
    schedules::check_schedule_name(name)?;
    let now = env.now();
    let Some(_lock) = FireLock::take(data_dir, name)? else {
        return note_active(app, name, cause, json);
    };
    let found = match schedules::schedule(data_dir, name) {
        Ok(None) => find(app, name),
        Ok(Some(schedule)) => Ok(schedule),
        Err(error) => Err(error),
    };
    let schedule = match found {
        Ok(schedule) => schedule,
        Err(error) => {
            // A timer that is left over has no schedule whose history it could belong to.
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

/// Notes that a firing was skipped because the run before it is still active.
fn note_active(app: &App, name: &str, cause: Cause, json: bool) -> Result<u8, ApiError> {
    let (env, data_dir) = (app.env(), app.env().data_dir());
    let now = env.now();
    let firings = schedules::firings(data_dir, name)?;
    let active = firings.iter().rev().find_map(|firing| match firing.result {
        FiringResult::Started { ended: None, .. } => Some(firing.at),
        _ => None,
    });
    let words = match active {
        Some(since) => format!("The run of {} is still active.", local_date_time(since)),
        None => "Another program starts this schedule at the moment.".to_owned(),
    };
    if cause == Cause::Person {
        return Err(ApiError::new(
            Code::Busy,
            format!("{words} Wait until it ends, or stop it: loopwright runs stop RUN"),
        ));
    }
    let event = FiringEvent::Missed {
        at: now,
        first: now,
        last: now,
        count: 1,
        cause: MissedCause::Active {
            since: active.unwrap_or(now),
        },
    };
    schedules::add_event(data_dir, name, &event)?;
    if json {
        print_json(&json!({ "schedule": name, "missed": words }));
    } else {
        errln!("{words} This time was missed.");
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

/// Returns the news about a run that did not start.
fn failure_news(schedule: &Schedule, reason: &str) -> News {
    let name = &schedule.name;
    News {
        kind: NewsKind::Failed,
        run: String::new(),
        flow: schedule.flow.clone(),
        step: None,
        title: format!("The schedule {name} did not start"),
        text: format!("`loopwright schedule show {name}` says why."),
        seconds: 0,
        detail: Some(reason.chars().take(300).collect()),
    }
}

/// Prepares a run of a schedule if its flow is as it was approved.
fn prepare_approved(app: &App, schedule: &Schedule) -> Result<PreparedRun, ApiError> {
    let is_approved = |content: &str| {
        if content == schedule.content {
            return Ok(());
        }
        Err(ApiError::new(
            Code::NotApproved,
            format!(
                "The flow {} has changed since it was approved on {}. Look at it, then approve it: loopwright schedule approve {}",
                schedule.flow,
                local_date_time(schedule.approved_at),
                schedule.name
            ),
        ))
    };
    Ok(prepare(app, schedule, is_approved)?.0)
}

/// Why there is no result of a run.
enum NotRun {
    /// It did not start.
    Before(ApiError),
    /// It started, and could not be followed.
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
        // A run that was detached has no end yet. Its status is read from its record.
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
            false => Ok(exit_status(&outcome)),
        }
    }
}

fn budget_words(schedule: &Schedule) -> String {
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

/// Returns the next time of a schedule. A file that was changed by hand may have none.
fn next(schedule: &Schedule, now: i64) -> Option<i64> {
    schedule.next_after(now).ok().flatten()
}

fn schedule_json(schedule: &Schedule, now: i64) -> Value {
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

/// Returns the present status of a firing's run: that of its record or, if the run was deleted, that of its end.
fn run_status(app: &App, run_id: &str, ended: Option<RunStatus>) -> String {
    match (records::run_detail(app.env(), run_id), ended) {
        (Ok(detail), _) => word(&detail.summary.status),
        (Err(_), Some(status)) => word(&status),
        (Err(_), None) => "unknown".to_owned(),
    }
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
    let mut object =
        json!({ "at": timestamp(firing.at), "planned": firing.planned.map(timestamp) });
    let fields = match &firing.result {
        FiringResult::Started { run_id, ended } => json!({
            "result": "started", "runId": run_id, "status": run_status(app, run_id, ended.map(|(_, status)| status)),
            "endedAt": ended.map(|(at, _)| timestamp(at)),
        }),
        FiringResult::FailedToStart { reason } => {
            json!({ "result": "failed_to_start", "reason": reason })
        }
        FiringResult::Missed {
            first,
            last,
            count,
            cause,
        } => json!({
            "result": "missed", "first": timestamp(*first), "last": timestamp(*last), "count": count,
            "reason": missed_words(*cause),
        }),
    };
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
        object.extend(fields);
    }
    object
}

/// Returns a firing as a phrase: `completed`, `failed to start: …`, `missed 3 times, …`.
fn firing_words(app: &App, firing: &Firing) -> String {
    match &firing.result {
        FiringResult::Started { run_id, ended } => {
            let status = run_status(app, run_id, ended.map(|(_, status)| status));
            format!("{status}  run {run_id}")
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

fn list(app: &App, json: bool) {
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

fn show(app: &App, name: &str, limit: usize, json: bool) -> Result<(), ApiError> {
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
                outln!("input     {given}");
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
