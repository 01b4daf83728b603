//! Opens the written files with the programs of their formats.
//!
//! `LOOPWRIGHT_PYTHON_WITH_INSPECT` names a Python with `inspect-ai` and `junitparser`. If the variable is not set, this test
//! checks nothing. Last checked with Python 3.11, inspect-ai 0.3.285 and junitparser 5.0.3.

use std::{fs, process::Command};

use super::experiment::experiment;
use crate::formats::{inspect, junit};

const SCRIPT: &str = r#"
import sys
from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries, write_eval_log
from junitparser import JUnitXml, Error, Failure, Skipped

folder = sys.argv[1]

log = read_eval_log(folder + "/0.json")
assert (log.version, log.status, log.eval.task) == (2, "success", "Refine"), log
assert log.eval.model == "loopwright/cap 3" and log.eval.dataset.sample_ids == ["tea", "=1+1"]
assert (log.results.total_samples, log.results.completed_samples) == (4, 4)
judge, short = log.results.scores
assert (judge.name, judge.metrics["mean"].value, judge.scored_samples, judge.unscored_samples) == ("judge", 3.5, 1, 2)
assert (judge.metrics["ci_lower"].value, judge.metrics["ci_upper"].value) == (3.0, 3.75)
assert short.metrics["pass@2"].value == 1.0
assert log.stats.model_usage["loopwright/cap 3"].total_tokens == 1600
assert abs(log.stats.model_usage["loopwright/cap 3"].total_cost - 0.005) < 1e-12
seen = [(s.id, s.epoch, {name: score.as_float() for name, score in s.scores.items()}) for s in log.samples]
assert seen == [
    ("tea", 1, {"judge": 7.5, "short": 1.0}),
    ("tea", 2, {"judge": -0.5, "short": 1.0}),
    ("=1+1", 1, {"short": 0.0}),
    ("=1+1", 2, {"short": 1.0}),
], seen
first = log.samples[0]
assert first.scores["judge"].explanation == "=fine"
assert first.output.completion == "Tea, \"green\"\n<b>&amp;</b>"
assert [m.role for m in first.messages] == ["user", "assistant"]
assert first.target == ["green", "black"] and first.total_time == 1.5
assert log.samples[2].metadata["unscored"] == {"judge": "The judge gave no number."}
header = read_eval_log(folder + "/0.json", header_only=True)
assert header.samples is None and header.results.scores[0].metrics["mean"].value == 3.5
assert read_eval_log_sample(folder + "/0.json", "tea", 2).scores["judge"].value == -0.5
assert len(read_eval_log_sample_summaries(folder + "/0.json")) == 4
# Inspect writes what it read as its own format, and reads the same again.
write_eval_log(log, folder + "/0.eval")
again = read_eval_log(folder + "/0.eval")
by_run = lambda log: {(s.id, s.epoch): s.scores for s in log.samples}
assert by_run(again) == by_run(log)

other = read_eval_log(folder + "/1.json")
assert other.status == "cancelled" and len(other.samples) == 2
assert other.samples[1].error.message == "HTTP 500 \x01<html>\nline two"
assert other.results.scores[1].metrics == {}

suites = list(JUnitXml.fromfile(folder + "/junit.xml"))
assert [(s.name, s.tests, s.failures, s.errors, s.skipped) for s in suites] == [
    ("cap 3", 1, 0, 0, 0), ("cap <6>", 3, 0, 1, 2), ("assertions", 2, 1, 0, 0)]
cases = list(suites[1])
assert [type(case.result[0]) for case in cases] == [Error, Skipped, Skipped]
assert cases[0].result[0].message == "HTTP 500 \ufffd<html>\nline two" and cases[0].result[0].text == "Run run-0-1-1"
failed = list(suites[2])[1]
assert type(failed.result[0]) is Failure and failed.name == 'judge of "cap <6>" is 9 & not < 9'
print("opened")
"#;

#[test]
fn inspect_and_junitparser_open_what_is_written() {
    let Ok(python) = std::env::var("LOOPWRIGHT_PYTHON_WITH_INSPECT") else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("loopwright-formats-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let experiment = experiment();
    let (results, report) = (experiment.results(), &experiment.report);
    let origin = inspect::Origin {
        created: "2026-01-31T12:00:00+00:00",
        started_at: "2026-01-31T12:00:01+00:00",
        completed_at: "2026-01-31T12:05:00+00:00",
        data_file: "cases.jsonl",
        version: "0.1.0",
    };
    for variant in 0..2 {
        let file = fs::File::create(format!("{folder}/{variant}.json")).unwrap();
        inspect::write(&results, report, variant, &origin, file).unwrap();
    }
    junit::write(
        &results,
        report,
        fs::File::create(format!("{folder}/junit.xml")).unwrap(),
    )
    .unwrap();
    let output = Command::new(python)
        .args(["-c", SCRIPT, folder])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "opened");
    fs::remove_dir_all(folder).unwrap();
}
