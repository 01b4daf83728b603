//! `loopwright waiting`: lists the open questions of all runs, on this computer and in the named shared stores.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use loopwright_api::{self as api, App};
use loopwright_engine::trust::for_shell;
use loopwright_records as records;
use loopwright_records::OpenQuestion;
use loopwright_runs::{ApiError, NamedStore};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::{
    cluster,
    out::{errln, outln},
    question::told,
    render::{is_past, local_time, print_json},
    terminal::blanks_shown,
};

/// The maximum time to wait for the answers of the shared stores.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Prints every open question, oldest first, with the command that answers it. With `store`, `app` must be the app of that
/// store, and only the questions of that store are printed. Otherwise the questions of this computer and of all named stores
/// are printed. A store that does not answer in time is reported on standard error.
///
/// # Errors
/// Returns an error if the questions of `app` cannot be read.
pub(crate) fn list(app: &Arc<App>, store: Option<&str>, json: bool) -> Result<(), ApiError> {
    let others = match store {
        None => StoreReads::begin(app),
        Some(_) => StoreReads::default(),
    };
    let mut questions = in_store(store, records::open_questions(app.env())?);
    let (found, unread) = others.end();
    questions.extend(found);
    // All times have the same format, so they are ordered as text.
    questions.sort_by(|a, b| a.asked_at.cmp(&b.asked_at));
    for why in unread {
        errln!("{why}");
    }
    if json {
        print_json(&questions);
        return Ok(());
    }
    for question in &questions {
        print(question);
        outln!();
    }
    match questions.len() {
        0 => outln!("No run is waiting for an answer."),
        1 => outln!("1 question is waiting for an answer."),
        count => outln!("{count} questions are waiting for an answer."),
    }
    Ok(())
}

/// Adds the name of the store to its questions. An address is shortened to `URL`, because it may contain a password.
fn in_store(store: Option<&str>, mut questions: Vec<OpenQuestion>) -> Vec<OpenQuestion> {
    let is_address = |store: &str| store.contains("://") || store.contains('=');
    let name = store.map(|store| if is_address(store) { "URL" } else { store });
    for question in &mut questions {
        question.store = name.map(str::to_owned);
    }
    questions
}

/// The answer of a store: its name, and its open questions.
type Answer = (String, Result<Vec<OpenQuestion>, ApiError>);

/// The named shared stores that are being read, each by its own thread.
struct StoreReads {
    began: Instant,
    /// The names of the stores that have not answered yet.
    silent: Vec<String>,
    answers: mpsc::Receiver<Answer>,
}

impl Default for StoreReads {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            silent: Vec::new(),
            answers: mpsc::channel().1,
        }
    }
}

impl StoreReads {
    fn begin(app: &Arc<App>) -> Self {
        let (sender, answers) = mpsc::channel();
        let silent = api::stores(app.env())
            .into_iter()
            .map(|NamedStore { name, .. }| {
                let (app, store, sender) = (Arc::clone(app), name.clone(), sender.clone());
                let runtime = Handle::current();
                thread::spawn(move || {
                    let _runtime = runtime.enter();
                    let found = cluster::open(&app, &store)
                        .and_then(|client| records::open_questions(client.app().env()));
                    // The program ends without the answer of a slow store.
                    let _ = sender.send((store, found));
                });
                name
            })
            .collect();
        Self {
            began: Instant::now(),
            silent,
            answers,
        }
    }

    /// Waits for the stores, at most [`STORE_TIMEOUT`]. Returns their questions, and a message for each store that failed.
    fn end(mut self) -> (Vec<OpenQuestion>, Vec<String>) {
        let (mut questions, mut unread) = (Vec::new(), Vec::new());
        while !self.silent.is_empty() {
            let left = STORE_TIMEOUT.saturating_sub(self.began.elapsed());
            let Ok((store, found)) = self.answers.recv_timeout(left) else {
                break;
            };
            self.silent.retain(|name| *name != store);
            match found {
                Ok(found) => questions.extend(in_store(Some(&store), found)),
                Err(error) => {
                    let why = error.reason.unwrap_or(error.message);
                    unread.push(format!(
                        "The questions of the store {store} could not be read. {why}"
                    ));
                }
            }
        }
        unread.extend(self.silent.iter().map(|store| {
            format!(
                "The store {store} did not answer within {} seconds. Its questions are not listed. Check that its server is running, or wait longer with: loopwright waiting --store {store}",
                STORE_TIMEOUT.as_secs()
            )
        }));
        (questions, unread)
    }
}

fn print(question: &OpenQuestion) {
    let name = question
        .run_name
        .as_ref()
        .map_or_else(String::new, |name| format!("  “{name}”"));
    let place = question
        .store
        .as_ref()
        .map_or_else(String::new, |store| format!("  in {store}"));
    let schedule = question
        .schedule
        .as_ref()
        .map_or_else(String::new, |schedule| format!("  (schedule {schedule})"));
    outln!(
        "{}  {}  {}{name}{schedule}{place}",
        question.asked_at,
        question.run_id,
        question.flow
    );
    outln!(
        "  {}: {}",
        question.path,
        blanks_shown(&question.question.to_string())
    );
    if let Some(expires) = &question.expires {
        let counts = match expires.approves {
            true => "approved",
            false => "rejected",
        };
        let at = local_time(&expires.at);
        match is_past(&expires.at) {
            false => outln!("  It expires at {at} and then counts as {counts}."),
            true => outln!(
                "  It expired at {at} and counts as {counts} as soon as the run continues: loopwright runs resume {}",
                question.run_id
            ),
        }
    }
    let value = question.value.clone().map_or(Value::Null, Value::String);
    if question.request.is_some() || !value.is_null() {
        for line in told(&value, question.request.as_ref()) {
            outln!("{line}");
        }
    }
    let store = question.store.as_ref().map_or_else(String::new, |store| {
        format!("--store {} ", for_shell(store))
    });
    outln!(
        "  Answer: loopwright runs {store}answer {} --at {} --approve   (or --reject)",
        question.run_id,
        for_shell(&question.path)
    );
}
