//! The firings of schedules: a journal file for each schedule, with a line of JSON for each event. The file stays when the
//! schedule is removed.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use loopwright_engine::RunStatus;
use loopwright_model::file::write_atomically;
use serde::{Deserialize, Serialize};

use crate::{
    error::{ApiError, Code},
    files::alone,
    paths, private,
};

/// The size, in bytes, at which the older half of the file is removed.
const MAX_BYTES: u64 = 1 << 20;

const ENDING: &str = ".firings.jsonl";

/// The reason why a time of the schedule passed without a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MissedCause {
    /// The run that was started at `since` was still active.
    Active { since: i64 },
    /// No timer fired: the computer was off or asleep, or its timers did not run.
    Off,
}

/// An event in the file. Times are in milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum FiringEvent {
    Started {
        at: i64,
        /// The time of the schedule; `None` if a person started the run.
        planned: Option<i64>,
        run_id: String,
    },
    /// The run ended, or waits for a person.
    Ended {
        at: i64,
        run_id: String,
        status: RunStatus,
    },
    FailedToStart {
        at: i64,
        planned: Option<i64>,
        reason: String,
    },
    /// Times of the schedule that passed without a run.
    Missed {
        at: i64,
        first: i64,
        last: i64,
        count: u64,
        cause: MissedCause,
    },
}

/// The result of a firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FiringResult {
    Started {
        run_id: String,
        /// The time at which the run ended or began to wait, and its status then. `None` if the run has not ended, or its
        /// program was killed.
        ended: Option<(i64, RunStatus)>,
    },
    FailedToStart {
        reason: String,
    },
    Missed {
        first: i64,
        last: i64,
        count: u64,
        cause: MissedCause,
    },
}

/// A firing of a schedule. Times are in milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    pub at: i64,
    /// The time of the schedule; `None` if a person started the run, or if the time was missed.
    pub planned: Option<i64>,
    pub result: FiringResult,
}

fn file(data_dir: &Path, schedule: &str) -> PathBuf {
    paths::schedules(data_dir).join(format!("{schedule}{ENDING}"))
}

fn failed(path: &Path, what: &str, error: &io::Error) -> ApiError {
    ApiError::new(
        Code::Io,
        format!("{} cannot be {what}: {error}.", path.display()),
    )
}

/// Appends an event to the history of a schedule.
///
/// # Errors
/// [`Code::Io`] if the file cannot be written.
pub fn add_event(data_dir: &Path, schedule: &str, event: &FiringEvent) -> Result<(), ApiError> {
    let path = file(data_dir, schedule);
    append(data_dir, &path, event).map_err(|error| failed(&path, "written", &error))
}

fn append(data_dir: &Path, path: &Path, event: &FiringEvent) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
        private::close(folder);
    }
    let _alone = alone(data_dir);
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    private::close(path);
    let mut size = file.metadata()?.len();
    if size > MAX_BYTES {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let newer = lines.get(lines.len() / 2..).unwrap_or_default();
        write_atomically(path, newer.join("\n") + "\n")?;
        private::close(path);
        file = OpenOptions::new().read(true).append(true).open(path)?;
        size = file.metadata()?.len();
    }
    // The last line is incomplete if the program or the computer ended while it was written.
    let mut line = String::new();
    if size > 0 {
        let mut last = [0_u8];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.push('\n');
        }
    }
    line += &serde_json::to_string(event)?;
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

/// Returns the firings of a schedule, oldest first. Invalid lines are left out.
///
/// # Errors
/// [`Code::Io`] if the file exists and cannot be read.
pub fn firings(data_dir: &Path, schedule: &str) -> Result<Vec<Firing>, ApiError> {
    let path = file(data_dir, schedule);
    match fs::read(&path) {
        Ok(bytes) => Ok(read(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(&path, "read", &error)),
    }
}

fn read(text: &str) -> Vec<Firing> {
    let mut firings: Vec<Firing> = Vec::new();
    let mut started: HashMap<String, usize> = HashMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let event = match serde_json::from_str(line) {
            Ok(event) => event,
            Err(error) => {
                tracing::debug!("A line of a schedule's history cannot be read: {error}");
                continue;
            }
        };
        let (at, planned, result) = match event {
            FiringEvent::Started {
                at,
                planned,
                run_id,
            } => {
                started.insert(run_id.clone(), firings.len());
                let ended = None;
                (at, planned, FiringResult::Started { run_id, ended })
            }
            FiringEvent::Ended { at, run_id, status } => {
                let firing = started
                    .get(&run_id)
                    .and_then(|index| firings.get_mut(*index));
                if let Some(Firing {
                    result: FiringResult::Started { ended, .. },
                    ..
                }) = firing
                {
                    *ended = Some((at, status));
                }
                continue;
            }
            FiringEvent::FailedToStart {
                at,
                planned,
                reason,
            } => (at, planned, FiringResult::FailedToStart { reason }),
            FiringEvent::Missed {
                at,
                first,
                last,
                count,
                cause,
            } => {
                let result = FiringResult::Missed {
                    first,
                    last,
                    count,
                    cause,
                };
                (at, None, result)
            }
        };
        firings.push(Firing {
            at,
            planned,
            result,
        });
    }
    firings
}

/// Returns the names of the schedules that have a history, including removed schedules.
pub(super) fn with_firings(data_dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(paths::schedules(data_dir)) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(ENDING)?.to_owned())
        })
        .collect()
}

/// Returns the names of the schedules that started runs, keyed by run id. A history that cannot be read is left out, because
/// the runs can be listed without it.
pub fn schedules_of_runs(data_dir: &Path) -> BTreeMap<String, String> {
    let mut runs = BTreeMap::new();
    for name in with_firings(data_dir) {
        let firings = firings(data_dir, &name).unwrap_or_else(|error| {
            tracing::warn!("{}", error.message);
            Vec::new()
        });
        for firing in firings {
            if let FiringResult::Started { run_id, .. } = firing.result {
                runs.insert(run_id, name.clone());
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(at: i64, reason: &str) -> FiringEvent {
        FiringEvent::FailedToStart {
            at,
            planned: Some(at),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn events_become_firings() {
        let data = tempfile::tempdir().unwrap();
        let events = [
            FiringEvent::Started {
                at: 1,
                planned: Some(0),
                run_id: "a".to_owned(),
            },
            failure(2, "No file."),
            FiringEvent::Ended {
                at: 3,
                run_id: "a".to_owned(),
                status: RunStatus::Completed,
            },
            FiringEvent::Missed {
                at: 4,
                first: 2,
                last: 3,
                count: 2,
                cause: MissedCause::Active { since: 1 },
            },
        ];
        for event in &events {
            add_event(data.path(), "nightly", event).unwrap();
        }
        let found = firings(data.path(), "nightly").unwrap();
        let results: Vec<FiringResult> = found.into_iter().map(|firing| firing.result).collect();
        assert_eq!(
            results,
            [
                FiringResult::Started {
                    run_id: "a".to_owned(),
                    ended: Some((3, RunStatus::Completed)),
                },
                FiringResult::FailedToStart {
                    reason: "No file.".to_owned(),
                },
                FiringResult::Missed {
                    first: 2,
                    last: 3,
                    count: 2,
                    cause: MissedCause::Active { since: 1 },
                },
            ]
        );
        assert_eq!(
            schedules_of_runs(data.path()),
            BTreeMap::from([("a".to_owned(), "nightly".to_owned())])
        );
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let data = tempfile::tempdir().unwrap();
        add_event(data.path(), "n", &failure(1, "a")).unwrap();
        let path = file(data.path(), "n");
        let mut text = fs::read_to_string(&path).unwrap();
        text += "{\"event\":\"started\",\"at\":2,\"plan";
        fs::write(&path, text).unwrap();
        add_event(data.path(), "n", &failure(3, "b")).unwrap();
        let times: Vec<i64> = firings(data.path(), "n")
            .unwrap()
            .iter()
            .map(|firing| firing.at)
            .collect();
        assert_eq!(times, [1, 3]);
    }

    #[test]
    fn a_long_history_keeps_its_newer_half() {
        let data = tempfile::tempdir().unwrap();
        let reason = "x".repeat(100_000);
        for at in 0..11 {
            add_event(data.path(), "n", &failure(at, &reason)).unwrap();
        }
        add_event(data.path(), "n", &failure(11, "last")).unwrap();
        let times: Vec<i64> = firings(data.path(), "n")
            .unwrap()
            .iter()
            .map(|firing| firing.at)
            .collect();
        assert_eq!(times, [5, 6, 7, 8, 9, 10, 11]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_the_history() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        add_event(data.path(), "n", &failure(1, "a")).unwrap();
        for path in [paths::schedules(data.path()), file(data.path(), "n")] {
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", path.display());
        }
    }
}
