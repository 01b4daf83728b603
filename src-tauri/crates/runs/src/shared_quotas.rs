//! The states of quotas, which the runs of all programs on a data folder share. Each quota has a file. If a file cannot
//! be read or written, a run knows only what its own calls found out.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::quota::{SharedQuotas, TRIAL_MS};
use serde::{Deserialize, Serialize};

use crate::{clock::now, json_file::save_json, paths};

/// The maximum size of a file that is read, in bytes.
const LARGEST: u64 = 4 * 1024;

/// Serializes the changes that the runs of this process make. Two programs can still change a file at the same moment.
/// Then each sends a first call.
static CHANGING: Mutex<()> = Mutex::new(());

/// The quotas of the programs on a data folder, as seen by one run.
pub(crate) struct FolderQuotas {
    folder: PathBuf,
    run_id: String,
}

/// The known state of a quota. Times are in milliseconds since the Unix epoch; 0 if nothing is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Known {
    key: String,
    /// The time until which calls wait.
    until: i64,
    /// The time until which calls wait for the answer to the first call after a wait.
    trial_until: i64,
    /// The id of the run that sends that first call. This run does not wait for the answer. It can therefore continue
    /// at once if its program was killed during the call.
    trial_by: String,
    answered_at: i64,
}

impl FolderQuotas {
    pub(crate) fn new(data_dir: &Path, run_id: &str) -> Self {
        Self {
            folder: paths::quotas(data_dir),
            run_id: run_id.to_owned(),
        }
    }

    /// Returns the path of the file of the quota with this key. The key contains names from settings, which are not always
    /// valid file names.
    fn file(&self, key: &str) -> PathBuf {
        let hash = blake3::hash(key.as_bytes()).to_hex();
        self.folder.join(format!("{}.json", &hash[..32]))
    }

    fn known(&self, key: &str) -> Known {
        let path = self.file(key);
        let is_small = path
            .symlink_metadata()
            .is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        let text = is_small.then(|| fs::read(&path).ok()).flatten();
        let known = text.and_then(|text| serde_json::from_slice::<Known>(&text).ok());
        known.filter(|known| known.key == key).unwrap_or_default()
    }

    /// Changes the known state of a quota.
    fn change(&self, key: &str, change: impl FnOnce(&mut Known)) {
        let _changing = lock();
        let mut known = self.known(key);
        key.clone_into(&mut known.key);
        change(&mut known);
        self.save(&known);
    }

    fn save(&self, known: &Known) {
        if let Err(error) = save_json(&self.file(&known.key), known) {
            tracing::debug!("{error}");
        }
    }
}

fn lock() -> MutexGuard<'static, ()> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Known {
    /// Returns how long the calls of a run must wait from `at`, in milliseconds; `None` if they may be sent at `at`.
    fn closed_for(&self, run_id: &str, at: i64) -> Option<u64> {
        let trial_until = match self.trial_by == run_id {
            true => 0,
            false => self.trial_until,
        };
        let left = self.until.max(trial_until).saturating_sub(at);
        u64::try_from(left).ok().filter(|left| *left > 0)
    }
}

impl SharedQuotas for FolderQuotas {
    fn closed_for(&self, key: &str) -> Option<u64> {
        self.known(key).closed_for(&self.run_id, now())
    }

    fn answered_at(&self, key: &str) -> Option<i64> {
        let known = self.known(key);
        (known.answered_at > 0).then_some(known.answered_at)
    }

    fn begin_trial(&self, key: &str) -> Result<(), u64> {
        let _changing = lock();
        let mut known = self.known(key);
        let at = now();
        if let Some(left) = known.closed_for(&self.run_id, at) {
            return Err(left);
        }
        // Without a wait that has just ended, another run already found out that calls are answered.
        if known.until > 0 {
            known.trial_until = at.saturating_add_unsigned(TRIAL_MS);
            self.run_id.clone_into(&mut known.trial_by);
            self.save(&known);
        }
        Ok(())
    }

    fn refused(&self, key: &str, until: i64) {
        self.change(key, |known| {
            known.until = known.until.max(until);
            known.trial_until = 0;
        });
    }

    fn answered(&self, key: &str) {
        self.change(key, |known| {
            *known = Known {
                key: std::mem::take(&mut known.key),
                answered_at: now(),
                ..Known::default()
            };
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_run_tries_while_the_others_wait_and_an_answer_opens_the_quota_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|run| FolderQuotas::new(folder.path(), run));
        let (key, at) = ("openai/../m", now());
        assert_eq!((one.closed_for(key), one.answered_at(key)), (None, None));
        one.refused(key, at + 60_000);
        // A shorter wait does not end a longer one.
        other.refused(key, at + 1_000);
        let left = other.closed_for(key).unwrap();
        assert!((50_000..=60_000).contains(&left), "{left}");
        assert_eq!(other.closed_for("openai/n"), None);
        assert!(other.begin_trial(key).is_err());
        other.change(key, |known| known.until = at - 1);
        assert_eq!(one.closed_for(key), None);
        assert_eq!(one.begin_trial(key), Ok(()));
        let left = other.begin_trial(key).unwrap_err();
        assert!((TRIAL_MS - 10_000..=TRIAL_MS).contains(&left), "{left}");
        // The program of the run that tries may be killed and started again.
        assert_eq!(one.begin_trial(key), Ok(()));
        // If the trial is refused, all wait again; if it is answered, none does.
        one.refused(key, at + 5_000);
        assert!(other.closed_for(key).unwrap() <= 5_000);
        one.answered(key);
        assert_eq!(other.closed_for(key), None);
        assert!(other.answered_at(key).unwrap() >= at);
        assert_eq!(
            (one.begin_trial(key), other.begin_trial(key)),
            (Ok(()), Ok(()))
        );
    }

    #[test]
    fn a_file_that_is_damaged_large_or_about_another_quota_closes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let quotas = FolderQuotas::new(folder.path(), "run");
        quotas.refused("a", now() + 60_000);
        assert!(quotas.closed_for("a").is_some());
        let file = quotas.file("a");
        let text = fs::read_to_string(&file).unwrap();
        for wrong in [
            "{".to_owned(),
            text.replace("\"a\"", "\"b\""),
            format!("{text}{}", " ".repeat(5_000)),
        ] {
            fs::write(&file, wrong).unwrap();
            assert_eq!(quotas.closed_for("a"), None);
        }
    }
}
