//! Requests to the program that leads a run, from other programs that share the data folder. A request is a file, and the leader
//! checks for new ones several times a second.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{env::Env, error::ApiError, json_file::save_json, paths};

/// The interval at which the leader looks for requests.
const LOOK: Duration = Duration::from_millis(300);

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;

/// A request to the leader of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    Stop,
    /// Finish the steps in progress, and start no new one.
    Pause,
    /// Repeat the call of the step at this path.
    AskAgain(String),
    /// Make one call now for each quota that the run waits for.
    TryNow,
}

impl Request {
    /// The extension of the request's file name.
    fn ending(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::AskAgain(_) => "again",
            Self::TryNow => "try",
        }
    }
}

fn file(data_dir: &Path, run_id: &str, ending: &str) -> PathBuf {
    paths::requests(data_dir).join(format!("{run_id}.{ending}"))
}

/// Writes a request to the leader of a run. The leader acts on it within a second.
///
/// # Errors
/// [`Code::Io`](crate::Code::Io) if the file cannot be written.
pub(crate) fn ask(env: &Env, run_id: &str, request: &Request) -> Result<(), ApiError> {
    let at = match request {
        Request::AskAgain(path) => Some(path),
        Request::Stop | Request::Pause | Request::TryNow => None,
    };
    save_json(&file(env.data_dir(), run_id, request.ending()), &at)
}

/// Removes the requests for a run that no longer has a leader.
pub(crate) fn forget(env: &Env, run_id: &str) {
    for ending in ["stop", "pause", "again", "try"] {
        let _ = fs::remove_file(file(env.data_dir(), run_id, ending));
    }
}

/// Carries out the requests about a run that this program leads. Never returns.
pub(crate) async fn serve(env: &Env, run_id: &str) {
    loop {
        tokio::time::sleep(LOOK).await;
        let take = |ending: &str| {
            let path = file(env.data_dir(), run_id, ending);
            let size = path.symlink_metadata().ok()?.len();
            let text = (size <= LARGEST).then(|| fs::read_to_string(&path).ok());
            fs::remove_file(&path).ok()?;
            serde_json::from_str::<Option<String>>(&text.flatten()?).ok()
        };
        if take("stop").is_some() {
            env.running().stop(run_id);
        }
        if take("pause").is_some() {
            env.running().set_paused(run_id, true);
        }
        if take("try").is_some() {
            env.running().try_now(run_id);
        }
        if let Some(Some(path)) = take("again") {
            env.running().ask_again(run_id, &path);
        }
    }
}
