//! Tests of scripts in worker processes. Arguments select the tests whose names contain them.

#![allow(clippy::unwrap_used)]

mod cases;
mod contract;
mod hostile;
mod pool;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::LazyLock,
    time::Duration,
};

use loopwright_script::{Call, Language, Limits, Outcome, Pool, WorkerCommand};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;

pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
});

pub(crate) static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::with_command(worker()));

/// Returns the command that starts the program under test.
pub(crate) fn worker() -> WorkerCommand {
    WorkerCommand::of(env!("CARGO_BIN_EXE_loopwright-scripts").into())
}

pub(crate) fn call(language: Language, source: &str, values: Value, limits: Limits) -> Call {
    let values: Map<String, Value> = match values {
        Value::Object(values) => values,
        other => panic!("values are an object, and not {other}"),
    };
    Call {
        language,
        source: source.to_owned(),
        values,
        limits,
    }
}

pub(crate) fn run(language: Language, source: &str, values: Value) -> Outcome {
    RUNTIME.block_on(POOL.run(call(language, source, values, Limits::default())))
}

pub(crate) fn within(language: Language, source: &str, limits: Limits) -> Outcome {
    RUNTIME.block_on(POOL.run(call(language, source, Value::Object(Map::new()), limits)))
}

pub(crate) fn small() -> Limits {
    Limits {
        memory: 64 * 1024 * 1024,
        time: Duration::from_millis(500),
        result: 256 * 1024,
    }
}

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let tests = [contract::TESTS, hostile::TESTS, pool::TESTS, cases::TESTS];
    let mut failed = 0;
    for (name, test) in tests.iter().flat_map(|tests| tests.iter()) {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let began = std::time::Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(test));
        failed += usize::from(ended.is_err());
        let how = if ended.is_ok() { "ok" } else { "FAILED" };
        println!(
            "test {name} ... {how} ({:.1} s)",
            began.elapsed().as_secs_f64()
        );
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        println!("{failed} failed");
        ExitCode::FAILURE
    }
}
