//! Reads stored schedules, and prepares their runs.

use loopwright_api::App;
use loopwright_runs::{
    self as runs, ApiError, Code, PreparedRun,
    schedules::{self, Schedule},
};

use crate::{
    approve_arg::ApproveArg,
    args::RunArgs,
    named::read_flow,
    run::request,
    unattended::{NotifyArg, UnattendedArgs},
};

pub(super) fn invalid(message: String) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Reads a schedule.
///
/// # Errors
/// [`Code::NotFound`] if no schedule has this name.
pub(super) fn find(app: &App, name: &str) -> Result<Schedule, ApiError> {
    schedules::schedule(app.env().data_dir(), name)?.ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            format!(
                "There is no schedule \"{name}\". `loopwright schedule list` lists the schedules."
            ),
        )
    })
}

/// Returns the options of the schedule's runs, in the form of the arguments of `run`.
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

/// Prepares a run of a schedule. Returns the run with the hash of the flow's content. Changes the working folder of this process
/// to that of the schedule. Fails if `is_approved` rejects the content, or if the run cannot start.
pub(super) fn prepare(
    app: &App,
    schedule: &Schedule,
    is_approved: impl Fn(&str) -> Result<(), ApiError>,
) -> Result<(PreparedRun, String), ApiError> {
    std::env::set_current_dir(&schedule.folder).map_err(|error| {
        let words = format!(
            "The folder {}, in which the schedule was added, cannot be used: {error}. Restore the folder, or add the schedule again in another folder.",
            schedule.folder.display()
        );
        ApiError::new(Code::Io, words)
    })?;
    let mut opened = read_flow(app, &schedule.flow)?;
    let path = opened.path().map(str::to_owned);
    let (linked, content) = schedules::content_hash(app.env(), opened.document, path.as_deref())?;
    is_approved(&content)?;
    // The content that was checked is what runs, even if a file changes now.
    opened.document = linked;
    let request = request(app, opened, &run_args(schedule))?;
    let mut prepared = runs::prepare_run(app.env(), request)?;
    prepared.schedule = Some(schedule.name.clone());
    prepared.check()?;
    Ok((prepared, content))
}
