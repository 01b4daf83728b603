//! Reads the JSON of pytest-json-report.

use serde::Deserialize;

use super::section::Section;
use crate::{
    json,
    report::{Counts, Failure, Found},
    text::{dedent, some},
};

#[derive(Deserialize)]
struct Document {
    summary: Summary,
    #[serde(default)]
    collectors: Vec<Collector>,
    #[serde(default)]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    error: u64,
}

#[derive(Deserialize)]
struct Collector {
    nodeid: String,
    outcome: String,
    #[serde(default)]
    longrepr: Option<String>,
}

#[derive(Deserialize)]
struct Test {
    nodeid: String,
    outcome: String,
    #[serde(default)]
    setup: Option<Phase>,
    #[serde(default)]
    call: Option<Phase>,
    #[serde(default)]
    teardown: Option<Phase>,
}

#[derive(Deserialize)]
struct Phase {
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    crash: Option<Crash>,
}

#[derive(Deserialize)]
struct Crash {
    #[serde(default)]
    path: String,
    #[serde(default)]
    lineno: u32,
    #[serde(default)]
    message: String,
}

/// Reads documents of pytest-json-report.
pub(super) fn read(output: &str) -> Option<Found> {
    let mut found: Option<Found> = None;
    for document in json::values::<Document>(output, "\"exitcode\"") {
        let found = found.get_or_insert_default();
        let Summary {
            passed,
            failed,
            error,
        } = document.summary;
        let mut failed = failed.saturating_add(error);
        for collector in document
            .collectors
            .into_iter()
            .filter(|one| one.outcome == "failed")
        {
            failed = failed.saturating_add(1);
            let said = collector.longrepr.unwrap_or_default();
            let mut section = Section::default();
            for line in said.lines() {
                section.line(line);
            }
            let message = some(&dedent(&section.message)).unwrap_or(said);
            let mut failure = Failure::at(&collector.nodeid, &message, section.place());
            failure.file = failure.file.or_else(|| some(&collector.nodeid));
            found.add(failure);
        }
        for test in document
            .tests
            .into_iter()
            .filter(|one| matches!(one.outcome.as_str(), "failed" | "error"))
        {
            let phases = [test.setup, test.call, test.teardown].into_iter().flatten();
            let crash = phases
                .filter(|phase| phase.outcome != "passed")
                .find_map(|phase| phase.crash);
            let (said, place) = crash.map_or((String::new(), None), |crash| {
                (
                    crash.message,
                    some(&crash.path).map(|path| (path, crash.lineno)),
                )
            });
            found.add(Failure::at(
                &test.nodeid,
                &said,
                place.filter(|(_, line)| *line > 0),
            ));
        }
        let counts = Counts::of(passed, failed);
        found.counts = crate::report::sum(found.counts, Some(counts));
    }
    found
}
