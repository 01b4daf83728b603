//! Schedules: flows that the system's timer starts at set times. A schedule is a file in the data folder, and its firings are a
//! journal next to it. The system's timer units only call this program; nothing is read from them.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use jiff::tz::TimeZone;
use loopwright_engine::trust::Grants;
use loopwright_model::named_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    env::Env,
    error::{ApiError, Code},
    files,
    json_file::{MAX_BYTES, save_json},
    paths,
    prepare::most_it_can_cost,
    prepared_run::PreparedRun,
    private, spending, subflows,
};

mod calendar;
mod cron;
mod firings;

pub use calendar::{Calendar, Clock, Days, Times, members};
pub use firings::{
    Firing, FiringEvent, FiringResult, MissedCause, add_event, firings, schedules_of_runs,
};

/// The format version of the files that this program writes.
const VERSION: u32 = 1;

/// The maximum number of characters of a name.
const MAX_NAME: usize = 60;

/// A schedule, as it is stored in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// The version of the file's format.
    pub version: u32,
    pub name: String,
    /// The time at which the schedule was added, in milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// The path of the flow's file, or the name of a bundled template.
    pub flow: String,
    /// The folder in which relative paths of the inputs begin.
    pub folder: PathBuf,
    pub times: Times,
    /// The inputs, as `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// The inputs that each run reads from a file, as `NAME=PATH`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_files: Vec<String>,
    /// The changed fields of nodes, such as models, as `NODE.FIELD=JSON`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// The maximum amount that the schedule's runs may spend in a day, in dollars; `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// How questions about approvals are answered: `ask`, `all` or `none`.
    pub approve: String,
    /// Permissions of the schedule's runs in addition to those that are approved for the flow.
    #[serde(default, skip_serializing_if = "Grants::is_empty")]
    pub allow: Grants,
    #[serde(default)]
    pub keep_awake: bool,
    #[serde(default)]
    pub notify: bool,
    /// The hash of the flow at the time of its approval: see [`content_hash`].
    pub content: String,
    /// The time at which the flow was approved, in milliseconds since the Unix epoch, UTC.
    pub approved_at: i64,
}

impl Schedule {
    /// Returns the format version of new schedules.
    pub fn version() -> u32 {
        VERSION
    }

    /// Returns the schedule's first time after `at`, or `None` if it has none. Both are in milliseconds since the Unix
    /// epoch, UTC.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the schedule's times are invalid.
    pub fn next_after(&self, at: i64) -> Result<Option<i64>, ApiError> {
        Ok(Calendar::of(&self.times)?.next_after(&TimeZone::system(), at))
    }
}

fn file(data_dir: &Path, name: &str) -> PathBuf {
    paths::schedules(data_dir).join(format!("{name}.json"))
}

/// Checks the name of a schedule. It may contain only ASCII letters, digits and dashes, and may not begin with a dash, because
/// it becomes a part of file names and of the names of timer units.
///
/// # Errors
/// [`Code::InvalidArgument`] if the name is invalid. The message states the rule.
pub fn check_schedule_name(name: &str) -> Result<(), ApiError> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.starts_with('-')
        && name.chars().all(is_allowed)
    {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!(
            "\"{name}\" cannot be the name of a schedule. Use at most {MAX_NAME} characters: letters (a to z, A to Z), digits and dashes, such as nightly-report."
        ),
    ))
}

/// Reads a schedule. Returns `None` if no schedule has this name.
///
/// # Errors
/// [`Code::InvalidArgument`] for a name that no schedule can have; [`Code::TooNew`] if a newer program wrote the file;
/// [`Code::Io`] if it cannot be read.
pub fn schedule(data_dir: &Path, name: &str) -> Result<Option<Schedule>, ApiError> {
    check_schedule_name(name)?;
    let path = file(data_dir, name);
    let failed = |why: &dyn std::fmt::Display| {
        ApiError::new(
            Code::Io,
            format!(
                "The schedule \"{name}\" cannot be read from {}: {why}. Remove it and add it again.",
                path.display()
            ),
        )
    };
    let bytes = match named_file::read(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
    let version = value.get("version").and_then(Value::as_u64);
    if version.is_some_and(|version| version > u64::from(VERSION)) {
        return Err(ApiError::new(
            Code::TooNew,
            format!(
                "A newer version of Loopwright wrote the schedule \"{name}\". Update Loopwright to use it."
            ),
        ));
    }
    serde_json::from_value(value)
        .map(Some)
        .map_err(|error| failed(&error))
}

/// Reads all schedules, sorted by name. If a schedule cannot be read, the list contains the error.
pub fn schedules(data_dir: &Path) -> Vec<(String, Result<Schedule, ApiError>)> {
    let Ok(entries) = fs::read_dir(paths::schedules(data_dir)) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json")?.to_owned())
        })
        .filter(|name| check_schedule_name(name).is_ok())
        .collect();
    names.sort();
    names
        .into_iter()
        .filter_map(|name| {
            let read = schedule(data_dir, &name).transpose()?;
            Some((name, read))
        })
        .collect()
}

/// Returns whether a schedule with this name has a history, even if the schedule was removed.
pub fn has_firings(data_dir: &Path, name: &str) -> bool {
    firings::with_firings(data_dir)
        .iter()
        .any(|known| known == name)
}

/// Returns the names of the removed schedules that have a history, sorted.
pub fn removed(data_dir: &Path) -> Vec<String> {
    let mut names = firings::with_firings(data_dir);
    names.retain(|name| !file(data_dir, name).exists());
    names.sort();
    names
}

/// Writes a new schedule, and sets its budget. If several programs add a schedule of one name at once, one of them succeeds.
///
/// # Errors
/// [`Code::InvalidArgument`] if a schedule has the name already, or if the budget is invalid; [`Code::Io`] if the file cannot
/// be written.
pub fn add_schedule(env: &Env, schedule: &Schedule) -> Result<(), ApiError> {
    let path = paths::schedules(env.data_dir()).join("adding.lock");
    let adding = open_lock(&path)?;
    adding.lock().map_err(|error| not_locked(&path, &error))?;
    check_new(env.data_dir(), &schedule.name)?;
    save_schedule(env, schedule)
}

/// Checks that no schedule has this name.
///
/// # Errors
/// [`Code::InvalidArgument`] if a schedule has the name already; returns the errors of [`schedule`].
pub fn check_new(data_dir: &Path, name: &str) -> Result<(), ApiError> {
    match schedule(data_dir, name)? {
        None => Ok(()),
        Some(_) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "A schedule \"{name}\" already exists. Remove it first: loopwright schedule remove {name}"
            ),
        )),
    }
}

/// Writes a schedule, and sets its budget.
///
/// # Errors
/// [`Code::InvalidArgument`] if the budget is invalid; [`Code::Io`] if the file cannot be written.
pub fn save_schedule(env: &Env, schedule: &Schedule) -> Result<(), ApiError> {
    check_schedule_name(&schedule.name)?;
    spending::set_schedule_limit(env, &schedule.name, schedule.budget_usd)?;
    save_json(&file(env.data_dir(), &schedule.name), schedule)?;
    private::close(&paths::schedules(env.data_dir()));
    Ok(())
}

/// Removes a schedule and its budget. Its history stays.
///
/// # Errors
/// [`Code::Io`] if the file cannot be removed.
pub fn remove_schedule(env: &Env, name: &str) -> Result<(), ApiError> {
    check_schedule_name(name)?;
    let path = file(env.data_dir(), name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(ApiError::new(
                Code::Io,
                format!("{} cannot be removed: {error}.", path.display()),
            ));
        }
        _ => {}
    }
    spending::set_schedule_limit(env, name, None)
}

/// Returns a flow's document, in which every referenced flow is inline, and a hash of everything that affects a run.
/// Positions on the canvas and the contents of programs that the flow starts are not part of the hash.
///
/// # Errors
/// Returns an error if the document is not a flow.
pub fn content_hash(
    env: &Env,
    document: Value,
    path: Option<&str>,
) -> Result<(Value, String), ApiError> {
    let linked = subflows::link(env, document, path)?;
    let mut meaning = linked.clone();
    if let Some(flow) = meaning.as_object_mut() {
        flow.remove("viewport");
        let nodes = flow.get_mut("nodes").and_then(Value::as_array_mut);
        for node in nodes.into_iter().flatten() {
            if let Some(node) = node.as_object_mut() {
                node.remove("position");
            }
        }
    }
    // The order in which a file lists the fields has no meaning.
    meaning.sort_all_objects();
    Ok((linked, files::version(&meaning.to_string())))
}

/// Returns a sentence about a budget that is used up, so that a run of a schedule cannot start. Returns `None` if the run
/// can start, or if it makes no calls.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn no_room_to_start(env: &Env, prepared: &PreparedRun) -> Result<Option<String>, ApiError> {
    let Some(schedule) = &prepared.schedule else {
        return Ok(None);
    };
    let most = most_it_can_cost(env, prepared)?;
    if most.max_calls == Some(0) && most.agent_turns == Some(0) {
        return Ok(None);
    }
    let flow = &prepared.flow;
    spending::no_room_to_start(env, schedule, flow.name(), flow.path.as_deref())
}

/// The lock of a schedule while one of its runs is active. The system releases it when the program ends.
pub struct FireLock {
    _file: File,
}

impl FireLock {
    /// Takes the lock. Returns `None` if another program holds it.
    ///
    /// # Errors
    /// [`Code::Io`] if the lock file cannot be written.
    pub fn take(data_dir: &Path, name: &str) -> Result<Option<Self>, ApiError> {
        let path = paths::schedules(data_dir).join(format!("{name}.lock"));
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(not_locked(&path, &error)),
        }
    }
}

/// Opens a lock file, and creates it and its folder if necessary.
fn open_lock(path: &Path) -> Result<File, ApiError> {
    let open = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).open(path)
    };
    open().map_err(|error| not_locked(path, &error))
}

fn not_locked(path: &Path, error: &io::Error) -> ApiError {
    ApiError::new(
        Code::Io,
        format!("{} cannot be locked: {error}.", path.display()),
    )
}

/// The times of a schedule that a firing covers. Times are in milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Due {
    /// The latest time of the schedule that has passed. `None` if none has passed since the last firing.
    pub planned: Option<i64>,
    /// The earlier times that passed since the last firing, as events.
    pub missed: Vec<FiringEvent>,
}

/// Returns the times of a schedule that have passed since its last firing. The schedule runs only once, for the latest of
/// them; the others count as missed.
///
/// # Errors
/// [`Code::InvalidArgument`] if the schedule's times are invalid.
pub fn due(
    schedule: &Schedule,
    firings: &[Firing],
    zone: &TimeZone,
    now: i64,
) -> Result<Due, ApiError> {
    let calendar = Calendar::of(&schedule.times)?;
    let known = firings.iter().filter_map(|firing| match &firing.result {
        FiringResult::Missed { last, .. } => Some(*last),
        _ => firing.planned,
    });
    let since = known.max().unwrap_or(i64::MIN).max(schedule.created_at);
    let mut passed = calendar.between(zone, since, now);
    let planned = passed.pop();
    // The last run and its end. The system starts no other run while this one is active.
    let last_run = firings.iter().rev().find_map(|firing| match firing.result {
        FiringResult::Started {
            ended: Some((end, _)),
            ..
        } => Some((firing.at, end)),
        _ => None,
    });
    let during = |time: i64| last_run.is_some_and(|(start, end)| start < time && time <= end);
    let (active, off): (Vec<i64>, Vec<i64>) = passed.into_iter().partition(|time| during(*time));
    let since_run = last_run.map_or(0, |(start, _)| start);
    let missed = [
        (active, MissedCause::Active { since: since_run }),
        (off, MissedCause::Off),
    ]
    .into_iter()
    .filter_map(|(times, cause)| {
        Some(FiringEvent::Missed {
            at: now,
            first: *times.first()?,
            last: *times.last()?,
            count: times.len() as u64,
            cause,
        })
    })
    .collect();
    Ok(Due { planned, missed })
}

#[cfg(test)]
mod tests {
    use loopwright_engine::RunStatus;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn hourly(created_at: i64) -> Schedule {
        Schedule {
            version: VERSION,
            name: "hourly".to_owned(),
            created_at,
            flow: "f.json".to_owned(),
            folder: PathBuf::from("/"),
            times: Times::Every("PT1H".to_owned()),
            inputs: Vec::new(),
            input_files: Vec::new(),
            sets: Vec::new(),
            budget_usd: None,
            approve: "ask".to_owned(),
            allow: Grants::default(),
            keep_awake: false,
            notify: false,
            content: String::new(),
            approved_at: 0,
        }
    }

    fn ran(planned: i64, end: i64) -> Firing {
        Firing {
            at: planned,
            planned: Some(planned),
            result: FiringResult::Started {
                run_id: "r".to_owned(),
                ended: Some((end, RunStatus::Completed)),
            },
        }
    }

    fn due_at(schedule: &Schedule, firings: &[Firing], now: i64) -> Due {
        due(schedule, firings, &TimeZone::UTC, now).unwrap()
    }

    #[test]
    fn times_that_were_missed_run_once() {
        let schedule = hourly(HOUR / 2);
        // The computer was off from before 02:00 until 05:10.
        let due = due_at(&schedule, &[ran(HOUR, HOUR + 5)], 5 * HOUR + 10);
        assert_eq!(due.planned, Some(5 * HOUR));
        let missed = FiringEvent::Missed {
            at: 5 * HOUR + 10,
            first: 2 * HOUR,
            last: 4 * HOUR,
            count: 3,
            cause: MissedCause::Off,
        };
        assert_eq!(due.missed, [missed]);
        // The next firing misses nothing.
        let firings = [
            ran(HOUR, HOUR + 5),
            Firing {
                at: 5 * HOUR + 10,
                planned: None,
                result: FiringResult::Missed {
                    first: 2 * HOUR,
                    last: 4 * HOUR,
                    count: 3,
                    cause: MissedCause::Off,
                },
            },
            ran(5 * HOUR, 5 * HOUR + 20),
        ];
        let next = due_at(&schedule, &firings, 6 * HOUR);
        assert_eq!((next.planned, next.missed), (Some(6 * HOUR), Vec::new()));
    }

    #[test]
    fn times_during_a_run_were_missed_because_of_it() {
        let due = due_at(&hourly(0), &[ran(HOUR, 3 * HOUR + 5)], 5 * HOUR);
        assert_eq!(due.planned, Some(5 * HOUR));
        let causes: Vec<(i64, u64, MissedCause)> = due
            .missed
            .iter()
            .map(|event| match event {
                FiringEvent::Missed {
                    first,
                    count,
                    cause,
                    ..
                } => (*first, *count, *cause),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            causes,
            [
                (2 * HOUR, 2, MissedCause::Active { since: HOUR }),
                (4 * HOUR, 1, MissedCause::Off),
            ]
        );
    }

    #[test]
    fn times_before_the_schedule_was_added_are_not_missed() {
        let due = due_at(&hourly(3 * HOUR + 1), &[], 4 * HOUR);
        assert_eq!((due.planned, due.missed), (Some(4 * HOUR), Vec::new()));
        // A schedule that was removed and added again has an older history.
        let again = due_at(&hourly(9 * HOUR + 1), &[ran(HOUR, HOUR)], 10 * HOUR);
        assert_eq!((again.planned, again.missed), (Some(10 * HOUR), Vec::new()));
        // The clock was set back.
        assert_eq!(due_at(&hourly(9 * HOUR), &[], HOUR), Due::default());
    }

    #[test]
    fn names_can_be_parts_of_files_and_units() {
        for name in ["nightly", "a", "Report-2", "7"] {
            check_schedule_name(name).unwrap();
        }
        let long = "x".repeat(MAX_NAME + 1);
        for name in [
            "",
            "-a",
            "a b",
            "a/b",
            "..",
            "a.b",
            "ä",
            "a_b",
            long.as_str(),
        ] {
            let error = check_schedule_name(name).unwrap_err();
            assert!(error.message.contains("nightly-report"), "{error}");
        }
    }

    #[test]
    fn only_one_program_holds_the_lock() {
        let data = tempfile::tempdir().unwrap();
        let held = FireLock::take(data.path(), "a").unwrap();
        assert!(held.is_some());
        assert!(FireLock::take(data.path(), "a").unwrap().is_none());
        assert!(FireLock::take(data.path(), "b").unwrap().is_some());
        drop(held);
        assert!(FireLock::take(data.path(), "a").unwrap().is_some());
    }

    #[test]
    fn a_file_of_a_newer_program_is_refused_and_a_damaged_one_is_named() {
        let data = tempfile::tempdir().unwrap();
        let folder = paths::schedules(data.path());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("new.json"), "{\"version\":9}").unwrap();
        fs::write(folder.join("torn.json"), "{\"version\":1,").unwrap();
        let new = schedule(data.path(), "new").unwrap_err();
        assert_eq!(new.code, Code::TooNew);
        let torn = schedule(data.path(), "torn").unwrap_err();
        assert!(torn.message.contains("torn.json"), "{torn}");
        assert_eq!(schedule(data.path(), "none").unwrap(), None);
        let all = schedules(data.path());
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["new", "torn"]);
    }
}
