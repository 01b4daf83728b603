//! `loopwright schedule`: flows that the system's timers start.

mod fire;
mod stored;
mod words;

use std::sync::Arc;

use clap::ValueEnum as _;
use loopwright_api::App;
use loopwright_runs::{
    self as runs, ApiError, Code,
    schedules::{self, Calendar, Schedule, Times},
};
use serde_json::json;

use self::{
    fire::{Cause, fire},
    stored::{find, invalid, prepare},
    words::{budget_words, list, schedule_json, show},
};
use crate::{
    assignments::split_assignment,
    input,
    named::read_flow,
    out::{errln, outln},
    render::{local_date_time, print_json},
    schedule_args::{AddArgs, ScheduleCommand},
    status,
    timers::{self, Timer},
    trust,
};

/// Performs `loopwright schedule`.
///
/// # Errors
/// Returns the error of the subcommand.
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

fn add(app: &App, args: &AddArgs, json: bool) -> Result<(), ApiError> {
    let env = app.env();
    let name = &args.name;
    schedules::check_new(env.data_dir(), name)?;
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
        let words = format!("The current folder cannot be determined: {error}.");
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
        let words = format!("The path of this program cannot be determined: {error}.");
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
    schedules::add_schedule(env, &schedule)?;
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
        errln!(
            "The schedule has no budget. Set a daily budget: loopwright schedule budget {name} USD"
        );
    }
    Ok(())
}

/// Refuses a flow or an input from standard input or a pipe, because a timer's runs have neither.
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
            "{path} cannot be used: the runs of a schedule have no standard input. Save the input in a file, and name that file."
        ))),
    }
}

/// Checks the current flow of a schedule, asks for approval of what the flow uses, and records its content as approved.
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
    // A schedule whose file is damaged can also be removed.
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
    outln!("Schedule {name} was removed. Its history is kept: loopwright schedule show {name}");
    for note in notes {
        errln!("{note}");
    }
    Ok(())
}
