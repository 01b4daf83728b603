//! The program is killed with SIGKILL at any instant of a run of each template, and the run is resumed. The resumed run has the
//! same outputs, and no model call with a recorded outcome is repeated. A server on loopback counts the calls.
//!
//! The test tries a few instants by default, and 200 with `LOOPWRIGHT_TORTURE=all`, which `npm run torture` sets.

#![allow(clippy::unwrap_used)]

use crate::program;
use crate::server;

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use program::program;
use serde_json::Value;
use server::Server;

/// The time that a model takes to answer, long enough for most kills to hit a call.
const PAUSE: Duration = Duration::from_millis(15);

const TEMPLATES: [(&str, &[&str]); 2] = [
    ("self-refine", &["run", "self-refine"]),
    ("agentic-search", &["run", "agentic-search"]),
];

/// Runs the program to its end. Returns the JSON that it printed, or a message if its output is not JSON.
fn whole(server: &Server, data: &Path, args: &[&str]) -> Result<Value, String> {
    let output = program(&server.url, data, args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&said).map_err(|error| {
        let words = String::from_utf8_lossy(&output.stderr);
        format!("{args:?}: {error} ({}): {said}{words}", output.status)
    })
}

/// Runs the program for the time `instant`, then kills it. Returns the run's id, if it was printed, and the number of calls
/// that were reported as recorded.
fn killed(
    server: &Server,
    data: &Path,
    args: &[&str],
    instant: Duration,
) -> (Option<String>, usize) {
    let args: Vec<&str> = args.iter().copied().chain(["--events"]).collect();
    let mut child = program(&server.url, data, &args).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        let (mut run, mut recorded) = (None, 0);
        for line in out.lines().map_while(Result::ok) {
            let Ok(event) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            run = run.or_else(|| event["run_id"].as_str().map(str::to_owned));
            // The event for the end of a loop repeats the calls of its iterations, so it is not counted.
            if event["type"] == "workflow.node.completed" && event["iterations_run"].is_null() {
                recorded += event["usage"]["calls"].as_u64().unwrap_or(0) as usize;
            }
        }
        (run, recorded)
    });
    thread::sleep(instant);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Returns the pseudorandom number with this index, for an instant. It is the same in every run of the test (SplitMix64, Steele
/// et al. 2014).
fn random(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Removes from a result the values that differ between equal runs.
fn outcome(result: &Value) -> Value {
    let mut result = result.clone();
    let fields = result.as_object_mut().unwrap();
    fields.remove("runId");
    if let Some(Value::Array(warnings)) = fields.get_mut("warnings") {
        warnings.retain(|warning| warning["code"] != "call_repeated");
    }
    result
}

#[test]
fn continues_after_a_kill_at_any_instant() {
    let all = env::var("LOOPWRIGHT_TORTURE").is_ok_and(|value| value == "all");
    let instants: u64 = if all { 200 } else { 8 };
    let mut report = Vec::new();
    for (name, args) in TEMPLATES {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(PAUSE);
        let began = Instant::now();
        let straight = whole(&server, &folder.path().join("straight"), args).unwrap();
        let (took, calls) = (began.elapsed(), server.calls());
        assert_eq!(straight["status"], "completed", "{straight}");
        assert!(calls >= 3, "{name} made {calls} calls");
        let share = instants / TEMPLATES.len() as u64;
        let next = AtomicUsize::new(0);
        // The number of kills before the run started, during the run, and after its end.
        let kinds: [AtomicUsize; 3] = Default::default();
        let again = AtomicUsize::new(0);
        let failed: Mutex<Vec<String>> = Mutex::default();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::SeqCst) as u64;
                        if number >= share {
                            return;
                        }
                        // The instant may be up to a fifth later than the usual end of a run, so that some kills come after the
                        // end.
                        let instant =
                            took.mul_f64((random(number) % 10_000) as f64 / 10_000.0 * 1.2);
                        match one(name, args, &straight, calls, instant) {
                            Ok((kind, repeated)) => {
                                kinds[kind].fetch_add(1, Ordering::SeqCst);
                                again.fetch_add(repeated, Ordering::SeqCst);
                            }
                            Err(why) => failed.lock().unwrap().push(format!("{instant:?}: {why}")),
                        }
                    }
                });
            }
        });
        let [before, middle, after] = kinds.map(AtomicUsize::into_inner);
        report.push(format!(
            "{name}: {calls} calls in {took:?}; killed at {share} instants ({before} before the run began, {middle} during it, \
             {after} after its end); {} calls cut off and made again",
            again.into_inner()
        ));
        let failed = failed.into_inner().unwrap();
        assert!(failed.is_empty(), "{name}: {}", failed.join("\n"));
    }
    println!("{}", report.join("\n"));
}

/// Tests one kill. Returns 0, 1 or 2 for a kill before, during or after the run, and the number of repeated calls.
fn one(
    name: &str,
    args: &[&str],
    straight: &Value,
    calls: usize,
    instant: Duration,
) -> Result<(usize, usize), String> {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(PAUSE);
    let data = folder.path().join("data");
    let (run, recorded) = killed(&server, &data, args, instant);
    let made = server.calls();
    let listed = whole(&server, &data, &["runs", "list"])?;
    let Some(row) = listed.as_array().and_then(|rows| rows.first()) else {
        // Nothing was stored, so no call may have been made.
        return match (&run, made) {
            (None, 0) => Ok((0, 0)),
            _ => Err(format!("{run:?} is not in the store after {made} calls")),
        };
    };
    let kind = match row["status"].as_str() {
        Some("interrupted") => 1,
        Some("completed") => 2,
        other => return Err(format!("the run is {other:?}")),
    };
    let result = whole(&server, &data, &["runs", "resume", "last"])?;
    let later = server.calls() - made;
    if outcome(&result) != outcome(straight) {
        return Err(format!(
            "{name} came to {:#}\ninstead of {:#}",
            outcome(&result),
            outcome(straight)
        ));
    }
    if later + recorded > calls {
        return Err(format!(
            "{recorded} calls were recorded and {later} made afterwards, of {calls}"
        ));
    }
    let repeated = (made + later).saturating_sub(calls);
    let said = result["warnings"].as_array().map_or(0, |warnings| {
        let repeats = |warning: &&Value| warning["code"] == "call_repeated";
        warnings.iter().filter(repeats).count()
    });
    if repeated > said {
        return Err(format!("{repeated} calls were made twice and {said} said"));
    }
    if made + later < calls {
        return Err(format!("{} calls were made of {calls}", made + later));
    }
    Ok((kind, repeated))
}
