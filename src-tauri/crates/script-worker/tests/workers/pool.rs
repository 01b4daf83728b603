//! Tests the lifetime of workers.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use loopwright_script::{Language, Limits, Pool, WorkerCommand};
use serde_json::json;

use crate::{POOL, RUNTIME, call, run, small, worker};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("a_warm_call_is_quick", warm),
    ("a_dropped_call_ends_its_worker", dropped),
    ("a_worker_that_ended_is_replaced", replaced),
    ("what_cannot_be_started_is_said", unstarted),
    ("workers_end_with_the_pool", ends),
];

/// Returns the process ids of the workers of this process.
fn workers() -> Vec<u32> {
    let own = std::process::id().to_string();
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            stat(*pid)
                .and_then(|stat| {
                    let (_, fields) = stat.rsplit_once(") ")?;
                    let mut fields = fields.split(' ');
                    Some(fields.next()? != "Z" && fields.next()? == own)
                })
                .unwrap_or_default()
        })
        .collect()
}

fn warm() {
    for language in Language::ALL {
        let source = match language {
            Language::Luau => "return { n = x + 1 }",
            Language::Python => "return {'n': x + 1}",
            Language::JavaScript => "return { n: x + 1 }",
        };
        let mut times: Vec<Duration> = RUNTIME.block_on(async {
            let mut times = Vec::new();
            for n in 0..1000 {
                let began = Instant::now();
                let outcome = POOL
                    .run(call(language, source, json!({ "x": n }), Limits::default()))
                    .await;
                times.push(began.elapsed());
                assert_eq!(outcome.result, Ok(json!({ "n": n + 1 })));
            }
            times
        });
        times.sort();
        println!(
            "  {language}: median {:?}, 99 % {:?} of 1000 calls",
            times[500], times[990]
        );
        // The limit allows for unoptimised code and other load.
        assert!(times[500] < Duration::from_millis(100), "{:?}", times[500]);
    }
}

fn dropped() {
    let pool = Pool::with_command(worker());
    let before = workers().len();
    let places = pool.available();
    RUNTIME.block_on(async {
        let endless = pool.run(call(
            Language::Python,
            "while True: pass",
            json!({}),
            Limits::default(),
        ));
        let ended = tokio::time::timeout(Duration::from_millis(800), endless).await;
        assert!(ended.is_err(), "{ended:?}");
        let began = Instant::now();
        while workers().len() > before {
            assert!(began.elapsed() < Duration::from_secs(2));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert_eq!(pool.available(), places);
}

fn replaced() {
    let pool = Pool::with_command(worker());
    let before = workers();
    let one = || RUNTIME.block_on(pool.run(call(Language::Luau, "return 1", json!({}), small())));
    assert_eq!(one().result, Ok(json!(1)));
    for pid in workers() {
        if !before.contains(&pid) {
            let killed = std::process::Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status();
            assert!(killed.expect("kill").success());
        }
    }
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(one().result, Ok(json!(1)));
}

fn unstarted() {
    for (program, args, says) in [
        ("/nonexistent", vec![], "could not be started: No such file"),
        // `PATH` is not searched, because a program that it finds could come from anyone.
        ("echo", vec![], "could not be started: "),
        (
            "/bin/echo",
            vec!["hello there".into()],
            "/bin/echo belongs to another version",
        ),
        (
            "/bin/false",
            vec![],
            "could not be started: it ended immediately",
        ),
        // The program is started without arguments, as a user might start it by hand.
        (
            worker().program.to_str().unwrap(),
            vec![],
            "It has no other use",
        ),
    ] {
        let pool = Pool::with_command(WorkerCommand {
            program: PathBuf::from(program),
            args,
        });
        let outcome =
            RUNTIME.block_on(pool.run(call(Language::Luau, "return 1", json!({}), small())));
        let failure = outcome.result.unwrap_err();
        assert_eq!(failure.code, "script_worker", "{program}");
        assert!(failure.message.contains(says), "{program}: {failure}");
    }
}

fn ends() {
    let before = workers().len();
    let pool = Pool::with_command(worker());
    let outcome = RUNTIME.block_on(pool.run(call(Language::Luau, "return 1", json!({}), small())));
    assert_eq!(outcome.result, Ok(json!(1)));
    assert_eq!(workers().len(), before + 1);
    drop(pool);
    assert_eq!(workers().len(), before);
    let _ = run(Language::Luau, "return 1", json!({}));
}
