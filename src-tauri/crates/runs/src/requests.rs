//! Requests to the program that leads a run, from other programs that share the data folder. A request is a file, and the
//! leader checks for new ones several times a second.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use loopwright_engine::Answer;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    clock::new_id,
    env::Env,
    error::ApiError,
    json_file::{MAX_BYTES, save_json},
    paths,
};

/// The interval at which the leader looks for requests.
const LOOK: Duration = Duration::from_millis(300);

/// The interval at which the sender of an answer looks for the leader's reply.
const LOOK_FOR_REPLY: Duration = Duration::from_millis(50);

/// The maximum size, in bytes, of a request other than an answer. Larger requests are not read.
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
    for answer in files(env, run_id, ANSWER) {
        let _ = fs::remove_file(answer);
    }
    // The sender of an answer removes the reply, unless it was killed.
    for reply in files(env, run_id, REPLY) {
        let modified = reply.metadata().and_then(|file| file.modified());
        if modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD_REPLY)) {
            let _ = fs::remove_file(reply);
        }
    }
}

/// An answer to a question of a run that another program leads.
#[derive(Debug, Serialize, Deserialize)]
struct SentAnswer {
    path: String,
    answer: Answer,
}

/// What the leader did with an answer.
#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    /// Why the answer was refused; null if it was accepted.
    refused: Option<String>,
}

/// The extension of a file with an answer. The file name also contains the id of the request.
const ANSWER: &str = "answer";

/// The extension of a file with the leader's reply to an answer.
const REPLY: &str = "reply";

/// The age at which a reply is removed even if nobody has read it.
const OLD_REPLY: Duration = Duration::from_secs(3_600);

/// Returns the files with answers or replies for a run. `ending` is [`ANSWER`] or [`REPLY`].
fn files(env: &Env, run_id: &str, ending: &str) -> Vec<PathBuf> {
    let prefix = format!("{run_id}.{ending}-");
    let entries = fs::read_dir(paths::requests(env.data_dir()));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect()
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let size = path.symlink_metadata().ok()?.len();
    let text = (size <= MAX_BYTES).then(|| fs::read_to_string(path).ok());
    serde_json::from_str(&text.flatten()?).ok()
}

/// What happened to an answer that was sent to the leader of a run.
pub(crate) enum Sent {
    Accepted,
    /// The leader refused the answer, for this reason.
    Refused(String),
    /// The run lost its leader before the leader replied. The answer may or may not be recorded.
    Unclear,
    /// The leader has not replied in time.
    Silent,
}

/// Sends an answer to the program that leads the run, and waits for its reply, but no longer than `patience`.
///
/// # Errors
/// [`Code::Io`](crate::Code::Io) if the answer cannot be written.
pub(crate) fn send_answer(
    env: &Env,
    run_id: &str,
    path: &str,
    answer: &Answer,
    patience: Duration,
) -> Result<Sent, ApiError> {
    let id = new_id();
    let request = file(env.data_dir(), run_id, &format!("{ANSWER}-{id}"));
    let reply = file(env.data_dir(), run_id, &format!("{REPLY}-{id}"));
    let sent = SentAnswer {
        path: path.to_owned(),
        answer: answer.clone(),
    };
    save_json(&request, &sent)?;
    let ends = Instant::now() + patience;
    let sent = loop {
        // The leader writes its reply before it releases the run.
        let is_led = env.is_led(run_id);
        if let Some(Reply { refused }) = read(&reply) {
            break refused.map_or(Sent::Accepted, Sent::Refused);
        }
        if !is_led {
            break Sent::Unclear;
        }
        if Instant::now() > ends {
            break Sent::Silent;
        }
        thread::sleep(LOOK_FOR_REPLY);
    };
    let _ = fs::remove_file(request);
    let _ = fs::remove_file(reply);
    Ok(sent)
}

/// Passes the answers from other programs to a run that this program leads, and replies to these programs.
async fn serve_answers(env: &Env, run_id: &str) {
    for request in files(env, run_id, ANSWER) {
        let Some(SentAnswer { path, answer }) = read(&request) else {
            let _ = fs::remove_file(request);
            continue;
        };
        let Some(receipt) = env.running().answer(run_id, &path, answer) else {
            return;
        };
        // If the run is suspended instead, the sender resumes it with the answer.
        let Ok(result) = receipt.await else {
            return;
        };
        let name = request.file_name().unwrap_or_default().to_string_lossy();
        let reply = request.with_file_name(name.replace(
            &format!("{run_id}.{ANSWER}-"),
            &format!("{run_id}.{REPLY}-"),
        ));
        let refused = result.err().map(|error| error.message);
        if let Err(error) = save_json(&reply, &Reply { refused }) {
            tracing::warn!("A reply to an answer for run {run_id} could not be written: {error}");
        }
        let _ = fs::remove_file(request);
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
        serve_answers(env, run_id).await;
    }
}
