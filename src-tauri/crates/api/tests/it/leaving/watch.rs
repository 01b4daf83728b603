//! Observes the programs of a schedule: the events of each leader, and the calls that a model server received. Anything
//! that must never happen is recorded as soon as it happens.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use loopwright_driver::EventSink;
use loopwright_engine::{Event, EventBody};
use loopwright_testing::chance::Chance;
use serde_json::json;
use tokio::{io::AsyncWriteExt as _, net::TcpListener};

use crate::server::{body_of, read, response};

/// The delay of an answer to a program that is ending. No program waits this long, so the answer never arrives.
const TOO_LATE: Duration = Duration::from_secs(30);

/// The observations of one schedule.
#[derive(Default)]
pub struct Watch(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    /// Everything that happened although it must not.
    wrong: Vec<String>,
    /// The runs, by name.
    runs: BTreeMap<String, Led>,
    calls: Vec<Call>,
    /// The number of launches so far. Each has its own receiver of events.
    launches: usize,
    /// The programs that are ending or being killed. Their calls may be cut off.
    leaving: HashSet<usize>,
    /// The programs that have ended.
    ended: HashSet<usize>,
}

/// The events of a run so far.
#[derive(Default)]
struct Led {
    /// The launch that recorded the last event; `None` before the first event.
    launch: Option<usize>,
    /// The launches that recorded events before that one.
    earlier: HashSet<usize>,
    /// The number of the last record; `None` before the first one.
    last: Option<u32>,
    /// The paths of the steps whose outcome is recorded.
    done: HashSet<String>,
    is_over: bool,
}

/// A call that the model server received.
struct Call {
    prompt: String,
    program: usize,
    /// Whether the server has neither answered the call nor lost its client.
    is_open: bool,
}

/// Returns the name of the run that a prompt belongs to: `r1` of `r1/draft/0`.
fn run_of(prompt: &str) -> &str {
    prompt.split('/').next().unwrap_or(prompt)
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap()
    }

    /// Records something that must not happen.
    pub fn wrong(&self, what: String) {
        self.seen().wrong.push(what);
    }

    pub fn take_wrong(&self) -> Vec<String> {
        std::mem::take(&mut self.seen().wrong)
    }

    pub fn is_wrong(&self) -> bool {
        !self.seen().wrong.is_empty()
    }

    /// Allows the calls of this program to be cut off from now on.
    pub fn leaves(&self, program: usize) {
        self.seen().leaving.insert(program);
    }

    /// Records that this program has ended. It must not record anything from now on.
    pub fn has_ended(&self, program: usize) {
        self.seen().ended.insert(program);
    }

    /// Returns the receiver of the events of one launch of a run in a program. The driver calls it right after it has written
    /// the record, so the order of the events of several leaders is the order of their records.
    pub fn sink(self: &Arc<Self>, run: &str, program: usize) -> EventSink {
        let launch = {
            let mut seen = self.seen();
            seen.launches += 1;
            seen.launches
        };
        let (watch, run) = (Arc::clone(self), run.to_owned());
        Arc::new(move |event| {
            let is_recorded = !matches!(
                event.body,
                EventBody::NodeStreaming { .. }
                    | EventBody::NodeSilent { .. }
                    | EventBody::NodeActivity { .. }
            );
            // A detached run reports that to its listeners, and records nothing.
            if is_recorded && event.seq != u32::MAX {
                watch.seen().recorded(&run, launch, program, event);
            }
        })
    }

    /// Records that a call has arrived at the model server. Returns the call, which is open until the value is dropped.
    fn call_begins(self: &Arc<Self>, number: usize, prompt: &str, program: usize) -> OpenCall {
        let mut seen = self.seen();
        let twice = seen.calls.iter().find(|call| {
            call.is_open
                && (call.program != program || call.prompt == prompt)
                && run_of(&call.prompt) == run_of(prompt)
                && !seen.leaving.contains(&call.program)
                && !seen.leaving.contains(&program)
        });
        let what = twice.map(|other| {
            format!(
                "program {program} calls for {prompt} while program {} calls for {}",
                other.program, other.prompt
            )
        });
        seen.wrong.extend(what);
        while seen.calls.len() <= number {
            seen.calls.push(Call {
                prompt: String::new(),
                program: 0,
                is_open: false,
            });
        }
        seen.calls[number] = Call {
            prompt: prompt.to_owned(),
            program,
            is_open: true,
        };
        OpenCall {
            watch: Arc::clone(self),
            number,
        }
    }

    /// Compares the calls of a run with the answers in its records. `recorded` has the numbers of the recorded calls,
    /// by prompt. If a step made several calls, only the last may be recorded; the others were cut off with their
    /// program.
    pub fn compare_calls(&self, run: &str, recorded: &BTreeMap<String, BTreeSet<usize>>) {
        let mut seen = self.seen();
        let mut by_prompt: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, call) in seen.calls.iter().enumerate() {
            if run_of(&call.prompt) == run {
                by_prompt.entry(&call.prompt).or_default().push(number);
            }
        }
        let mut wrong = Vec::new();
        for (prompt, numbers) in &by_prompt {
            for pair in numbers.windows(2) {
                let program = seen.calls[pair[0]].program;
                if !seen.leaving.contains(&program) {
                    wrong.push(format!(
                        "{prompt} is called again, although program {program} was not ended"
                    ));
                }
            }
            if let Some(answers) = recorded.get(*prompt) {
                let last: BTreeSet<usize> = numbers.last().copied().into_iter().collect();
                if *answers != last {
                    wrong.push(format!(
                        "{prompt} is called again after its outcome: of the calls {numbers:?}, {answers:?} are recorded"
                    ));
                }
            }
        }
        for prompt in recorded.keys() {
            if !by_prompt.contains_key(prompt.as_str()) {
                wrong.push(format!("{prompt} has an outcome without a call"));
            }
        }
        seen.wrong.append(&mut wrong);
    }
}

impl Seen {
    fn recorded(&mut self, run: &str, launch: usize, program: usize, event: &Event) {
        let led = self.runs.entry(run.to_owned()).or_default();
        let mut wrong = |what: &str| {
            self.wrong
                .push(format!("{run}, record {}: {what}", event.seq));
        };
        if self.ended.contains(&program) {
            wrong(&format!("program {program} records after it has ended"));
        }
        if led.launch != Some(launch) {
            if led.earlier.contains(&launch) {
                wrong(&format!(
                    "program {program} records after another leader did"
                ));
            }
            led.earlier.extend(led.launch.replace(launch));
        }
        if led.last.is_some_and(|last| event.seq <= last) {
            wrong("its number has been recorded before");
        }
        if led.is_over {
            wrong("the run is over");
        }
        led.last = Some(event.seq);
        match event.body {
            EventBody::NodeStarted { .. } if led.done.contains(&event.path) => {
                wrong(&format!(
                    "{} starts again after its outcome was recorded",
                    event.path
                ));
            }
            EventBody::NodeCompleted { .. } | EventBody::NodeFailed { .. } => {
                led.done.insert(event.path.clone());
            }
            EventBody::Completed { .. } | EventBody::Failed { .. } => led.is_over = true,
            _ => {}
        }
    }
}

/// A call that the server has not answered.
struct OpenCall {
    watch: Arc<Watch>,
    number: usize,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.watch.seen().calls[self.number].is_open = false;
    }
}

/// Starts a model server, and returns its address. A program calls it at `/NUMBER/v1`, with its own number. The server answers
/// each call with the call's prompt and number, after a time that depends on `seed`.
pub async fn serve(watch: Arc<Watch>, seed: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        // Connections are accepted in the order in which the programs made them, and each carries one call.
        let mut number = 0;
        while let Ok((mut socket, _)) = listener.accept().await {
            let watch = Arc::clone(&watch);
            tokio::spawn(async move {
                let Some(request) = read(&mut socket).await else {
                    return;
                };
                let program = request.split('/').nth(1).unwrap().parse().unwrap();
                let body = body_of(&request);
                let messages = body["messages"].as_array().unwrap();
                let prompt = messages.last().unwrap()["content"].as_str().unwrap();
                let open = watch.call_begins(number, prompt, program);
                let mut chance = Chance::new(seed ^ ((number as u64) << 32));
                let slow = match chance.below(10) {
                    0..5 => 2 + chance.below(20),
                    5..9 => 20 + chance.below(80),
                    _ => 100 + chance.below(200),
                };
                let answer = async {
                    tokio::time::sleep(Duration::from_millis(slow)).await;
                    // The runs of a program that leaves would otherwise end by themselves.
                    if watch.seen().leaving.contains(&program) {
                        tokio::time::sleep(TOO_LATE).await;
                    }
                };
                let mut rest = [0; 1];
                tokio::select! {
                    () = answer => {}
                    // The client has closed the connection.
                    _ = tokio::io::AsyncReadExt::read(&mut socket, &mut rest) => return,
                }
                // The call is over before its program can record the answer.
                drop(open);
                let said = json!({
                    "model": "m",
                    "choices": [{
                        "message": { "content": format!("{prompt}#{number};") }, "finish_reason": "stop"
                    }],
                    "usage": { "prompt_tokens": 1, "completion_tokens": 1 }
                });
                let said = response("200 OK", "", &said.to_string());
                // The client may have closed the connection, so an error is ignored.
                let _ = socket.write_all(said.as_bytes()).await;
            });
            number += 1;
        }
    });
    address
}
