//! Answers the questions of runs. If no program leads the run, the answer resumes it. If a program leads the run because other
//! steps continue, that program receives the answer and uses it at once.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use loopwright_driver::AnswerReceipt;
use loopwright_engine::{
    Answer,
    journal::{Entry, Fact, Input, Journal, JournalError, Select},
};

use crate::{
    env::Env,
    error::{ApiError, Code},
    launch::Started,
    requests::{Sent, send_answer},
    resuming::{ResumeOptions, resume_here},
};

/// The time in which the leader of a run must accept or refuse an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// The interval at which a run of this process is polled for the result of an answer.
const LOOK: Duration = Duration::from_millis(5);

/// The delay before the answer is sent again, if the leader of the run changed in the meantime.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// How an answer continued its run.
pub enum Answered {
    /// This program resumed the run, or follows the run while the workers resume it.
    Resumed(Started),
    /// The answer is recorded. The program that leads the run continues with it.
    Accepted,
}

/// Answers the question that waits at `path`, for a run whose store has no workers. Returns how the run continues.
///
/// # Errors
/// Returns the errors of resuming; [`Code::InvalidArgument`] if nothing waits at `path`; [`Code::Busy`] if the program that
/// leads the run does not reply.
pub(crate) fn answer_here(
    env: &Arc<Env>,
    path: &str,
    answer: &Answer,
    options: &ResumeOptions,
) -> Result<Answered, ApiError> {
    let run_id = &*options.run_id;
    let ends = Instant::now() + PATIENCE;
    loop {
        let resumed = resume_here(
            env,
            ResumeOptions {
                run_id: run_id.to_owned(),
                answer: Some((path.to_owned(), answer.clone())),
                budget: options.budget,
                approve: options.approve,
                events: Arc::clone(&options.events),
            },
            false,
        );
        match resumed {
            Err(error) if error.code == Code::Busy => {}
            resumed => return resumed.map(Answered::Resumed),
        }
        let left = ends.saturating_duration_since(Instant::now());
        let sent = match env.running().answer(run_id, path, answer.clone()) {
            Some(receipt) => wait_for(receipt, left),
            None => send_answer(env, run_id, path, answer, left)?,
        };
        match sent {
            Sent::Accepted => return Ok(Answered::Accepted),
            Sent::Refused(message) => return Err(ApiError::new(Code::InvalidArgument, message)),
            Sent::Unclear if is_recorded(env, run_id, path, answer)? => {
                return Ok(Answered::Accepted);
            }
            Sent::Unclear if Instant::now() < ends => thread::sleep(RETRY_DELAY),
            Sent::Unclear | Sent::Silent => {
                return Err(ApiError::new(
                    Code::Busy,
                    format!(
                        "The program that executes run {run_id} has not accepted the answer within {} seconds. Try again.",
                        PATIENCE.as_secs()
                    ),
                ));
            }
        }
    }
}

/// Waits until a run of this process accepts or refuses an answer, but no longer than `patience`.
fn wait_for(mut receipt: AnswerReceipt, patience: Duration) -> Sent {
    let ends = Instant::now() + patience;
    loop {
        match receipt.try_recv() {
            Ok(Some(Ok(()))) => return Sent::Accepted,
            Ok(Some(Err(error))) => return Sent::Refused(error.message),
            Ok(None) if Instant::now() < ends => thread::sleep(LOOK),
            Ok(None) => return Sent::Silent,
            Err(_) => return Sent::Unclear,
        }
    }
}

/// Returns whether the last question at `path` has this answer.
fn is_recorded(env: &Env, run_id: &str, path: &str, answer: &Answer) -> Result<bool, ApiError> {
    let last = last_question(&*env.journal(), run_id, path)?;
    Ok(last.is_some_and(|given| given.as_ref() == Some(answer)))
}

/// Returns whether the step at `path` of a run asks a question that nobody has answered.
///
/// # Errors
/// Returns an error if the records cannot be read.
pub fn is_asked(journal: &dyn Journal, run_id: &str, path: &str) -> Result<bool, JournalError> {
    Ok(last_question(journal, run_id, path)? == Some(None))
}

/// Returns the answer to the last question at `path`, or `Some(None)` if it has none. Returns `None` if the step has asked
/// nothing, or has ended.
fn last_question(
    journal: &dyn Journal,
    run_id: &str,
    path: &str,
) -> Result<Option<Option<Answer>>, JournalError> {
    let records = journal.read(run_id, Select::Path(path))?;
    let last = records
        .into_iter()
        .rev()
        .find_map(|record| match record.entry {
            Entry::Input(Input::NodeAnswered { answer }) => Some(Some(Some(*answer))),
            Entry::Input(Input::NodeWaiting { .. }) => Some(Some(None)),
            Entry::Input(Input::ExecutionFailed(_)) | Entry::Fact(Fact::NodeFailed(_)) => {
                Some(None)
            }
            _ => None,
        });
    Ok(last.flatten())
}
