//! Checks the structure of the files that the result writers produce.

use serde_json::{Value, json};

use super::experiment::experiment;
use crate::formats::{cases, inspect, junit, results};

fn origin() -> inspect::Origin<'static> {
    inspect::Origin {
        created: "2026-01-31T12:00:00+00:00",
        started_at: "2026-01-31T12:00:01+00:00",
        completed_at: "2026-01-31T12:05:00+00:00",
        data_file: "cases.jsonl",
        version: "0.1.0",
    }
}

#[test]
fn results_are_a_line_for_each_run() {
    let mut text = Vec::new();
    results::write(&experiment().results(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 8);
    assert!(text.ends_with('\n'));
    assert_eq!(
        lines[0],
        json!({
            "case": "tea", "variant": "cap 3", "repetition": 0, "runId": "run-0-0-0", "status": "completed",
            "output": "Tea, \"green\"\n<b>&amp;</b>",
            "scores": { "judge": { "value": 7.5, "reason": "=fine" }, "short": { "value": 1.0, "boolean": true } },
            "iterations": 3, "exitReason": "evaluator_done", "exhausted": false, "costUsd": 0.00125, "tokens": 400, "calls": 6, "durationMs": 1500,
            "perIteration": [{
                "iteration": 1, "scores": { "judge": { "value": -1.0 }, "short": { "value": 0.0, "boolean": true } },
                "costUsd": 0.0005, "tokens": 100, "calls": 2, "elapsedMs": 400, "similarity": null, "loopScore": 0.5, "reachedExit": true,
            }],
        })
    );
    assert_eq!(
        lines[2]["scores"]["judge"],
        json!({ "value": null, "reason": "The judge gave no number." })
    );
    assert_eq!(
        lines[6],
        json!({
            "case": "=1+1", "variant": "cap <6>", "repetition": 0, "runId": "run-1-1-0", "status": "over_budget", "scores": {},
            "exhausted": false, "costUsd": 0.0, "tokens": 0, "calls": 0, "durationMs": 1500,
        })
    );
}

#[test]
fn the_table_has_a_row_for_each_run_and_no_formulas() {
    let mut text = Vec::new();
    cases::write(&experiment().results(), &mut text).unwrap();
    let mut reader = csv::Reader::from_reader(&text[..]);
    let header: Vec<_> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        header,
        [
            "case",
            "line",
            "variant",
            "repetition",
            "run",
            "status",
            "input.topic",
            "input.n",
            "expected",
            "output",
            "score.judge",
            "reason.judge",
            "score.short",
            "reason.short",
            "iterations",
            "exit_reason",
            "exhausted",
            "cost_usd",
            "tokens",
            "calls",
            "duration_ms",
            "error",
        ]
    );
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(
        rows[0],
        [
            "tea",
            "2",
            "cap 3",
            "1",
            "run-0-0-0",
            "completed",
            "tea",
            "",
            "[\"green\",\"black\"]",
            "Tea, \"green\"\n<b>&amp;</b>",
            "7.5",
            "'=fine",
            "1",
            "",
            "3",
            "evaluator_done",
            "false",
            "0.001250",
            "400",
            "6",
            "1500",
            "",
        ]
    );
    // Text that a spreadsheet would evaluate is protected, but numbers are not.
    let cell = |row: usize, name: &str| {
        rows[row][header.iter().position(|known| known == name).unwrap()].as_str()
    };
    assert_eq!(
        (
            cell(1, "output"),
            cell(1, "score.judge"),
            cell(1, "repetition")
        ),
        ("'@home", "-0.5", "2")
    );
    assert_eq!(
        (cell(2, "case"), cell(2, "input.topic"), cell(2, "input.n")),
        ("'=1+1", "'-x", "-3")
    );
    assert_eq!(
        (cell(2, "output"), cell(2, "score.judge")),
        ("{\"text\":\"a\",\"n\":[1,2]}", "")
    );
    assert_eq!(cell(3, "output"), "-7");
    assert_eq!(
        (cell(5, "status"), cell(5, "error")),
        ("failed", "HTTP 500 \u{1}<html>\nline two")
    );
}

#[test]
fn junit_has_a_suite_for_each_variant() {
    let experiment = experiment();
    let mut text = Vec::new();
    junit::write(&experiment.results(), &experiment.report, &mut text).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Refine" tests="6" failures="1" errors="1" skipped="2" time="10.500">
  <testsuite name="cap 3" tests="1" failures="0" errors="0" skipped="0" time="6.000">
    <testcase name="4 runs completed" classname="Refine.cap 3" time="6.000"/>
  </testsuite>
  <testsuite name="cap &lt;6&gt;" tests="3" failures="0" errors="1" skipped="2" time="4.500">
    <testcase name="tea, repetition 2" classname="Refine.cap &lt;6&gt;" time="1.500">
      <error message="HTTP 500 �&lt;html&gt;&#10;line two">Run run-0-1-1</error>
    </testcase>
    <testcase name="=1+1" classname="Refine.cap &lt;6&gt;" time="1.500">
      <skipped message="The remaining budget was too small for the run."/>
    </testcase>
    <testcase name="=1+1, repetition 2" classname="Refine.cap &lt;6&gt;" time="1.500">
      <skipped message="The experiment was stopped before the run."/>
    </testcase>
  </testsuite>
  <testsuite name="assertions" tests="2" failures="1" errors="0" skipped="0" time="0.000">
    <testcase name="judge of cap 3 is 3.5, &gt;= 3" classname="Refine.assertions" time="0.000"/>
    <testcase name="judge of &quot;cap &lt;6&gt;&quot; is 9 &amp; not &lt; 9" classname="Refine.assertions" time="0.000">
      <failure message="judge of &quot;cap &lt;6&gt;&quot; is 9 &amp; not &lt; 9"/>
    </testcase>
  </testsuite>
</testsuites>
"#
    );
}

#[test]
fn an_inspect_log_has_the_parts_that_inspect_reads() {
    let experiment = experiment();
    let mut text = Vec::new();
    inspect::write(
        &experiment.results(),
        &experiment.report,
        0,
        &origin(),
        &mut text,
    )
    .unwrap();
    let log: Value = serde_json::from_slice(&text).unwrap();
    let keys: Vec<_> = log
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "version", "status", "eval", "plan", "results", "stats", "samples"
        ]
    );
    assert_eq!(
        (&log["version"], &log["status"]),
        (&json!(2), &json!("success"))
    );
    assert_eq!(log["eval"]["dataset"]["sample_ids"], json!(["tea", "=1+1"]));
    assert_eq!(log["results"]["total_samples"], 4);
    assert_eq!(
        log["results"]["scores"][0],
        json!({
            "name": "judge", "scorer": "judge", "reducer": "mean", "scored_samples": 1, "unscored_samples": 2,
            "metrics": {
                "mean": { "name": "mean", "value": 3.5 },
                "median": { "name": "median", "value": 3.5 },
                "ci_lower": { "name": "ci_lower", "value": 3.0 },
                "ci_upper": { "name": "ci_upper", "value": 3.75 },
            },
        })
    );
    assert_eq!(
        log["results"]["scores"][1]["metrics"]["pass^2"]["value"],
        0.5
    );
    let samples = log["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 4);
    let first = &samples[0];
    assert_eq!(
        (&first["id"], &first["epoch"], &first["input"]),
        (&json!("tea"), &json!(1), &json!("tea"))
    );
    assert_eq!(first["target"], json!(["green", "black"]));
    assert_eq!(first["scores"]["judge"]["explanation"], "=fine");
    assert_eq!(
        first["output"]["choices"][0]["message"]["content"],
        "Tea, \"green\"\n<b>&amp;</b>"
    );
    assert_eq!(samples[2]["scores"].as_object().unwrap().len(), 1);
    assert_eq!(
        samples[2]["metadata"]["unscored"],
        json!({ "judge": "The judge gave no number." })
    );
    assert_eq!(samples[2]["target"], "");

    let mut text = Vec::new();
    inspect::write(
        &experiment.results(),
        &experiment.report,
        1,
        &origin(),
        &mut text,
    )
    .unwrap();
    let log: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(log["status"], "cancelled");
    assert_eq!(log["results"]["completed_samples"], 1);
    assert_eq!(log["samples"].as_array().unwrap().len(), 2);
    assert_eq!(
        log["samples"][1]["error"]["message"],
        "HTTP 500 \u{1}<html>\nline two"
    );

    let error = inspect::write(
        &experiment.results(),
        &experiment.report,
        2,
        &origin(),
        Vec::new(),
    )
    .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
}

#[test]
fn an_error_of_the_writer_is_passed_on() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let experiment = experiment();
    let (results, report) = (experiment.results(), &experiment.report);
    for error in [
        results::write(&results, Full),
        cases::write(&results, Full),
        junit::write(&results, report, Full),
        inspect::write(&results, report, 0, &origin(), Full),
    ] {
        assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    }
}
