//! Tests hostile outputs. Every parser must be fast and bounded, and must never panic.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::{Format, MAX_FAILURES, MAX_MESSAGE, MAX_NAME, detect};

fn check(output: &str) {
    for format in Format::ALL {
        if let Some(report) = format.read(output) {
            assert!(report.failures.len() <= MAX_FAILURES);
            for failure in report.failures {
                assert!(failure.name.len() <= MAX_NAME);
                assert!(
                    failure
                        .message
                        .is_none_or(|message| message.len() <= MAX_MESSAGE)
                );
                assert!(failure.file.is_none_or(|file| file.len() <= MAX_NAME));
            }
        }
    }
    detect(output);
}

#[test]
fn a_large_output_is_read_in_time() {
    let many = 20_000;
    let outputs = [
        format!(
            "<testsuite>{}",
            "<testcase name='a'><failure message='b'>x.rs:1</failure></testcase>".repeat(many)
        ),
        format!("<testsuite>{}", "<a>".repeat(many)),
        format!(
            "<testsuite><testcase {}/></testsuite>",
            "a='b' ".repeat(many)
        ),
        format!(
            "<testsuite><testcase name='a'><failure>{}</failure></testcase>",
            "&amp;".repeat(many)
        ),
        format!(
            "TAP version 14\n{}",
            "not ok 1 - a\n  ---\n  message: x\n  ...\n".repeat(many)
        ),
        format!("TAP version 14\n{}", "    not ok 1 - a {\n".repeat(many)),
        format!(
            "TAP version 14\nnot ok 1\n  ---\n{}",
            " a: |\n".repeat(many)
        ),
        format!(
            "running 1 test\n{}failures:\n{}test result: FAILED. 0 passed; 1 failed; 0",
            "test a ... FAILED\n---- a stdout ----\n".repeat(many),
            "    a\n".repeat(many)
        ),
        "running 1 test\ntest result: FAILED. 0 passed; 1 failed; 0\n".repeat(many),
        "{\"type\":\"test\",\"event\":\"failed\",\"name\":\"a\",\"stdout\":\"b\"}\n".repeat(many),
        format!(
            "=== short test summary info ===\n{}",
            "FAILED a.py::b[ - c\n".repeat(many)
        ),
        format!(
            "== test session starts ==\n== FAILURES ==\n{}",
            "__ a __\nE   x\na.py:1: x\n".repeat(many)
        ),
        format!(
            "== test session starts ==\nFAILED {}",
            "[".repeat(many * 10)
        ),
        format!(
            "{}\n✖ 1 problem (1 error, 0 warnings)",
            "a.js\n  1:1  error  x  y\n".repeat(many)
        ),
        "[".repeat(many),
        format!("[{{{}", "\"a\":{".repeat(many)),
        format!("--- FAIL: {} (0.0s)\n", "a/".repeat(many)).repeat(4),
        (0..many)
            .map(|at| format!("--- FAIL: T/{at} (0.00s)\n    a.go:1: x\n"))
            .collect(),
        "{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"t\"}\n".repeat(many),
        ":".repeat(many * 10),
        "1:".repeat(many * 10),
        "\x1b[".repeat(many * 10),
        "error: a\n --> b:1:1\n".repeat(many),
    ];
    for output in outputs {
        let start = Instant::now();
        check(&output);
        let took = start.elapsed();
        // The limit is generous because tests run unoptimized and in parallel.
        assert!(
            took < Duration::from_secs(20),
            "{} bytes took {took:?}: {}",
            output.len(),
            output.chars().take(60).collect::<String>()
        );
    }
}

proptest! {
    #[test]
    fn made_up_lines_never_panic(lines in prop::collection::vec(prop_oneof![
        Just("TAP version 13".to_owned()),
        Just("<testsuite><testcase name=\"é\">".to_owned()),
        Just("<failure message=\"é\"><![CDATA[x]]>".to_owned()),
        Just("    not ok 1 - é # todo".to_owned()),
        Just("  ---".to_owned()),
        Just("  ...".to_owned()),
        Just("running 2 tests".to_owned()),
        Just("failures:".to_owned()),
        Just("---- é stdout ----".to_owned()),
        Just("test é ... FAILED".to_owned()),
        Just("test result: FAILED. 1 passed; 2 failed; 0 ignored".to_owned()),
        Just("= FAILURES =".to_owned()),
        Just("_ é _".to_owned()),
        Just("=== short test summary info ===".to_owned()),
        Just("FAILED é.py::é[ - é".to_owned()),
        Just("1 failed in 0.1s".to_owned()),
        Just("--- FAIL: é/é (0.00s)".to_owned()),
        Just("FAIL\té\t0.1s".to_owned()),
        Just("# é".to_owned()),
        Just("é.go:1:2: é".to_owned()),
        Just("  1:2  error  é  é".to_owned()),
        Just("✖ 1 problem (1 error, 0 warnings)".to_owned()),
        Just("=".repeat(70)),
        Just("-".repeat(70)),
        Just("FAIL: é (é) (é=1)".to_owned()),
        Just("Ran 3 tests in 0.1s".to_owned()),
        Just("FAILED (failures=1)".to_owned()),
        Just("SUBFAILED[é] (é=1) é.py::é - é".to_owned()),
        Just("FAIL ./é.test.js".to_owned()),
        Just("  ● é › é".to_owned()),
        Just("Tests:       1 failed, 2 passed, 3 total".to_owned()),
        Just(" FAIL  é.ts > é".to_owned()),
        Just("⎯⎯⎯ Unhandled Errors ⎯⎯⎯".to_owned()),
        Just("      Tests  1 failed | 2 passed (3)".to_owned()),
        Just("  1 passing (é)".to_owned()),
        Just("  1 failing".to_owned()),
        Just("  1) é:".to_owned()),
        Just("▶ é".to_owned()),
        Just("✖ é (1ms)".to_owned()),
        Just("✖ failing tests:".to_owned()),
        Just("test at é.js:1:2".to_owned()),
        Just("ℹ pass 1".to_owned()),
        Just("     Summary [   1.0s] 3 tests run: 1 passed (1 flaky), 2 failed".to_owned()),
        Just("  TRY 2 FAIL [   0.0s] (1/3) é é::é".to_owned()),
        Just("Failures:".to_owned()),
        Just("3 examples, 1 failure, 1 error occurred outside of examples".to_owned()),
        Just("PHPUnit 9.6 by Sebastian Bergmann".to_owned()),
        Just("There was 1 failure:".to_owned()),
        Just("1) É::é".to_owned()),
        Just("Tests: 2, Assertions: 1, Failures: 1.".to_owned()),
        Just(" ✘ é [1 ms]".to_owned()),
        Just("   │ é".to_owned()),
        Just("  Failed É.É [3 ms]".to_owned()),
        Just("Test run summary: Failed!".to_owned()),
        Just("  total: é".to_owned()),
        Just("/é.cs(1): error TESTERROR:".to_owned()),
        Just("2/8 Test #2: é ...***Failed    0.01 sec".to_owned()),
        Just("50% tests passed, 1 tests failed out of 2".to_owned()),
        Just("é.ts(1,2): error TS1: é".to_owned()),
        Just("::error file=é,line=1::é%0A".to_owned()),
        Just("##teamcity[testFailed name='é|é' details='é']".to_owned()),
        Just("@é/é:test: ok 1".to_owned()),
        Just("[é] ok 1".to_owned()),
        Just("2026-01-02T03:04:05Z é".to_owned()),
        Just("{\"stats\":{\"passes\":1,\"failures\":1},\"failures\":[]}".to_owned()),
        Just("<TestRun é><UnitTestResult outcome=\"Failed\"><Message>é".to_owned()),
        Just("<?xml?><testsuites errors=\"1\"/>".to_owned()),
        Just("1..3".to_owned()),
        "\\PC{0,40}",
        "[ -~é\u{1b}\n:]{0,40}",
    ], 0..30)) {
        check(&lines.join("\n"));
    }
}
