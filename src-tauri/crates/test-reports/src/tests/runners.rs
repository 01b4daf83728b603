//! Tests the outputs of more real programs: the failed tests, their locations, and the counts. `outputs/README.md` describes
//! how the outputs were recorded.

use crate::{Counts, Format, Report, detect};

fn output(name: &str) -> String {
    let path = format!("{}/tests/outputs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a stored output")
}

/// Reads an output by detection, which must find only the format `format`.
fn read(name: &str, format: Format) -> Report {
    let output = output(name);
    let report = detect(&output).unwrap_or_else(|| panic!("{name} is not recognised"));
    assert_eq!(report.format, format, "{name}");
    assert_eq!(format.read(&output).as_ref(), Some(&report), "{name}");
    for other in Format::ALL.into_iter().filter(|other| *other != format) {
        assert_eq!(other.read(&output), None, "{name} as {other:?}");
    }
    report
}

fn counts(passed: u64, failed: u64) -> Option<Counts> {
    Some(Counts {
        passed: Some(passed),
        failed: Some(failed),
    })
}

/// Returns each failure as `name @ file:line`.
fn places(report: &Report) -> Vec<String> {
    let place = |failure: &crate::Failure| {
        let file = failure.file.as_deref().unwrap_or("-");
        let line = failure
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        format!(
            "{} @ {}{line}",
            failure.name,
            file.rsplit('/').next().unwrap_or(file)
        )
    };
    report.failures.iter().map(place).collect()
}

/// Returns the message of the failure whose name ends with `name`.
fn message<'a>(report: &'a Report, name: &str) -> &'a str {
    let failure = report
        .failures
        .iter()
        .find(|failure| failure.name.ends_with(name));
    failure
        .and_then(|failure| failure.message.as_deref())
        .unwrap_or_else(|| panic!("{name} has no message in {report:#?}"))
}

#[track_caller]
fn check(name: &str, format: Format, numbers: Option<Counts>, expected: &[&str]) -> Report {
    let report = read(name, format);
    assert_eq!(places(&report), expected, "{name}");
    assert_eq!(report.counts, numbers, "{name}");
    assert_eq!(report.failed, !expected.is_empty(), "{name}");
    report
}

#[test]
fn unittest() {
    let rest = [
        "setUpClass (tests.test_sums.TestBroken) @ test_sums.py:38",
        "test_late (tests.test_sums.TestLate.test_late) @ test_sums.py:46",
        "test_raises (tests.test_sums.TestSums.test_raises) @ test_sums.py:13",
        "test_rows (tests.test_sums.TestSums.test_rows) [words] (case='x') @ test_sums.py:20",
        "test_adds_badly (tests.test_sums.TestSums.test_adds_badly) @ test_sums.py:10",
        "test_rows (tests.test_sums.TestSums.test_rows) (row=1) @ test_sums.py:18",
        "test_unexpected (tests.test_sums.TestSums.test_unexpected) @ -",
    ];
    let mut expected = vec![
        "tests.test_import (unittest.loader._FailedTest.tests.test_import) @ test_import.py:1",
    ];
    expected.extend(rest);
    let report = check("unittest.txt", Format::Unittest, counts(2, 8), &expected);
    assert_eq!(
        message(&report, "TestSums.test_raises)"),
        "ValueError: no\nsum"
    );
    assert_eq!(
        message(&report, "test_import)"),
        "ModuleNotFoundError: No module named 'nothing_of_that_name'"
    );
    let verbose = read("unittest-verbose.txt", Format::Unittest);
    assert_eq!((verbose.failures.len(), verbose.counts), (8, counts(1, 8)));
    check("unittest-good.txt", Format::Unittest, counts(1, 0), &[]);
    let report = read("unittest-unexpected.txt", Format::Unittest);
    assert_eq!((report.failures.len(), report.counts), (1, counts(0, 1)));
}

#[test]
fn pytest() {
    let expected = [
        "test_rows.py::test_rows [row] (row=1) @ test_rows.py:6",
        "test_rows.py::test_rows @ test_rows.py",
        "test_rows.py::test_each[2] @ test_rows.py:13",
        "test_rows.py::test_strict @ test_rows.py",
        "test_rows.py::test_with @ test_rows.py:17",
    ];
    for name in ["pytest-subtests.txt", "pytest-subtests-verbose.txt"] {
        let report = check(name, Format::Pytest, counts(2, 5), &expected);
        assert_eq!(message(&report, "(row=1)"), "assert (1 % 2) == 0", "{name}");
    }
    // Without its final line, the output does not contain the number of passed tests.
    check("pytest-brief.txt", Format::Pytest, None, &expected);
    let xdist = read("pytest-xdist.txt", Format::Pytest);
    assert_eq!((xdist.failures.len(), xdist.counts), (6, counts(2, 6)));
    let unit = read("pytest-unittest.txt", Format::Pytest);
    assert_eq!((unit.failures.len(), unit.counts), (7, counts(2, 7)));
    assert_eq!(message(&unit, "[words] (case='x')"), "KeyError: 'x'");
    check(
        "pytest-errors.txt",
        Format::Pytest,
        counts(0, 2),
        &[
            "test_import.py @ test_import.py:1",
            "test_syntax.py @ test_syntax.py:1",
        ],
    );
    // The output says that tests failed, but does not name them.
    let silent = read("pytest-no-summary.txt", Format::Pytest);
    assert!(silent.failed && silent.failures.is_empty() && silent.counts == counts(2, 5));
    check(
        "pytest-report.json",
        Format::Pytest,
        counts(0, 1),
        &["test_import.py @ test_import.py:1"],
    );
}

#[test]
fn jest() {
    let expected = [
        "sums › of numbers › adds badly @ sum.test.js:5",
        "sums › throws @ sum.test.js:9",
        "sums › compares objects @ sum.test.js:10",
        "sums › waits too long @ sum.test.js:11",
        "looks as before @ snap.test.js:1",
    ];
    for name in [
        "jest.txt",
        "jest-verbose.txt",
        "jest-colour.txt",
        "jest.json",
    ] {
        let report = read(name, Format::Jest);
        assert_eq!(&places(&report)[..5], &expected, "{name}");
        assert!(
            report.failures[5].name.ends_with("broken.test.js"),
            "{name}"
        );
        assert_eq!(
            (report.failures.len(), report.counts),
            (6, counts(2, 6)),
            "{name}"
        );
        assert!(
            message(&report, "adds badly").ends_with("Expected: 5\nReceived: 4"),
            "{name}"
        );
        assert!(
            message(&report, "broken.test.js").starts_with("Cannot find module"),
            "{name}"
        );
    }
    check("jest-good.txt", Format::Jest, counts(1, 0), &[]);
    let totals = read("jest-totals.txt", Format::Jest);
    assert!(totals.failed && totals.failures.is_empty());
}

#[test]
fn vitest() {
    let expected = [
        "src/broken.test.js @ broken.test.js:1",
        "with a hook @ hook.test.js:3",
        "sums > of numbers > adds badly @ sum.test.js:6",
        "sums > throws @ sum.test.js:10",
        "sums > compares objects @ sum.test.js:11",
        "sums > waits too long @ sum.test.js:12",
        "Uncaught Exception @ hook.test.js:6",
    ];
    for name in ["vitest.txt", "vitest-dot.txt"] {
        let report = check(name, Format::Vitest, counts(3, 7), &expected);
        let words = "AssertionError: expected 4 to be 5 // Object.is equality\n\n- Expected\n+ Received\n\n- 5\n+ 4";
        assert_eq!(message(&report, "adds badly"), words);
    }
    let json = read("vitest.json", Format::Vitest);
    assert_eq!((json.failures.len(), json.counts), (6, counts(3, 6)));
    assert_eq!(
        places(&json)[2],
        "sums › of numbers › adds badly @ sum.test.js:6"
    );
    let tap = read("vitest.tap", Format::Tap);
    assert_eq!((tap.failures.len(), tap.counts), (6, counts(3, 6)));
    assert_eq!(message(&tap, "waits too long"), "Test timed out in 50ms.");
    assert_eq!(read("vitest.junit.xml", Format::Junit).counts, counts(3, 6));
    check("vitest-good.txt", Format::Vitest, counts(1, 0), &[]);
    // The failures are printed only as CI annotations.
    let github = detect(&output("vitest-github.txt")).unwrap();
    assert_eq!((github.failures.len(), github.failed), (7, true));
    assert_eq!(
        places(&github)[3],
        "src/sum.test.js > sums > of numbers > adds badly @ sum.test.js:6"
    );
}

#[test]
fn mocha() {
    let expected = [
        "sums throws @ sum.js:9",
        "sums compares objects @ sum.js:10",
        "sums waits too long @ -",
        "sums of numbers adds badly @ sum.js:5",
        "with a hook \"before all\" hook for \"cannot run\" @ sum.js:14",
    ];
    for name in ["mocha.txt", "mocha-nyan.txt"] {
        let report = check(name, Format::Mocha, counts(2, 5), &expected);
        assert_eq!(message(&report, "throws"), "TypeError: no sum");
        assert!(
            message(&report, "adds badly")
                .starts_with("AssertionError [ERR_ASSERTION]: Expected values")
        );
    }
    for name in ["mocha.json", "mocha.jsonl"] {
        let report = read(name, Format::Mocha);
        assert_eq!(
            (report.failures.len(), report.counts),
            (5, counts(2, 5)),
            "{name}"
        );
        assert_eq!(places(&report)[3], expected[3], "{name}");
    }
    let tap = check("mocha.tap", Format::Tap, counts(2, 5), &expected);
    assert_eq!(message(&tap, "throws"), "no sum\nTypeError: no sum");
    check("mocha-good.txt", Format::Mocha, counts(1, 0), &[]);
}

#[test]
fn node() {
    let expected = [
        "broken.test.mjs @ broken.test.mjs:1",
        "adds badly @ sums.test.mjs:6",
        "throws # \"it\" @ sums.test.mjs:10",
        "compares objects @ sums.test.mjs:11",
        "cannot run @ sums.test.mjs:15",
        "with a hook @ sums.test.mjs:14",
        "inner bad @ sums.test.mjs:19",
        "waits too long @ sums.test.mjs:22",
    ];
    for name in ["node-spec.txt", "node-spec-colour.txt"] {
        let report = check(name, Format::Node, counts(4, 8), &expected);
        assert_eq!(message(&report, "inner bad"), "Error: inner");
        assert_eq!(
            message(&report, "waits too long"),
            "test timed out after 50ms"
        );
    }
    let older = read("node20-spec.txt", Format::Node);
    assert_eq!((older.failures.len(), older.counts), (8, counts(4, 8)));
    // Groups that failed because of their tests are not counted as failures.
    let dot = read("node-dot.txt", Format::Node);
    assert_eq!(
        (dot.failures.len(), dot.counts, dot.failed),
        (8, None, true)
    );
    check("node-good.txt", Format::Node, counts(1, 0), &[]);
}

#[test]
fn nextest() {
    let expected = [
        "sums tests::crashes @ -",
        "sums tests::returns_an_error @ -",
        "sums tests::should_panic_and_does_not @ lib.rs:11",
        "sums tests::adds_badly @ lib.rs:6",
        "sums tests::slow @ -",
    ];
    for name in ["nextest.txt", "nextest-retry.txt"] {
        let report = check(name, Format::Nextest, counts(1, 5), &expected);
        assert_eq!(
            message(&report, "returns_an_error"),
            "Error: \"no sum\"",
            "{name}"
        );
        assert!(
            message(&report, "adds_badly").ends_with("  left: 4\n right: 5"),
            "{name}"
        );
    }
    check("nextest-good.txt", Format::Nextest, counts(1, 0), &[]);
}

#[test]
fn rspec() {
    let expected = [
        "Sums raises @ sums_spec.rb:10",
        "Sums compares @ sums_spec.rb:12",
        "Sums fails twice @ sums_spec.rb:15",
        "Sums of numbers adds badly @ sums_spec.rb:5",
        "Sums with a hook cannot run @ sums_spec.rb:19",
    ];
    for name in ["rspec.txt", "rspec-documentation.txt"] {
        let report = check(name, Format::Rspec, counts(3, 5), &expected);
        assert!(
            message(&report, "adds badly").contains("expected: 5\n       got: 4"),
            "{name}"
        );
    }
    let json = read("rspec.json", Format::Rspec);
    assert_eq!((json.failures.len(), json.counts), (5, counts(3, 5)));
    assert_eq!(message(&json, "raises"), "ArgumentError: no\nsum");
    let name = "An error occurred while loading ./bad/load_spec.rb @ load_spec.rb:1";
    check("rspec-load.txt", Format::Rspec, counts(0, 1), &[name]);
    check("rspec-good.txt", Format::Rspec, counts(1, 0), &[]);
}

#[test]
fn phpunit() {
    let expected = [
        "SumTest::testRaises @ SumTest.php:9",
        "SumTest::testAddsBadly @ SumTest.php:6",
        "SumTest::testRows with data set #1 (1) @ SumTest.php:12",
        "SumTest::testRows with data set \"named\" (3) @ SumTest.php:12",
        "SumTest::testArrays @ SumTest.php:17",
    ];
    let report = check("phpunit.txt", Format::Phpunit, counts(5, 5), &expected);
    assert_eq!(
        message(&report, "testAddsBadly"),
        "two and two\nFailed asserting that 4 is identical to 5."
    );
    let testdox = read("phpunit-testdox.txt", Format::Phpunit);
    assert_eq!((testdox.failures.len(), testdox.counts), (5, counts(5, 5)));
    assert_eq!(places(&testdox)[0], "Sum › Adds badly @ SumTest.php:6");
    // A test without assertions is risky but did not fail.
    let junit = read("phpunit.junit.xml", Format::Junit);
    assert_eq!((junit.failures.len(), junit.counts), (5, counts(4, 5)));
    let teamcity = detect(&output("phpunit-teamcity.txt")).unwrap();
    assert_eq!(
        (teamcity.failures.len(), teamcity.counts),
        (6, counts(5, 5))
    );
    check("phpunit-exit.txt", Format::Phpunit, None, &["PHPUnit @ -"]);
    check("phpunit-good.txt", Format::Phpunit, counts(1, 0), &[]);
}

#[test]
fn ctest() {
    let plain = [
        "adds badly @ -",
        "crashes @ -",
        "slow @ -",
        "missing @ -",
        "words @ -",
    ];
    check("ctest.txt", Format::Ctest, counts(1, 5), &plain);
    let mut expected = plain;
    expected[0] = "adds badly @ sums.c:12";
    for name in ["ctest-output.txt", "ctest-verbose.txt"] {
        let report = check(name, Format::Ctest, counts(1, 5), &expected);
        assert!(
            message(&report, "adds badly").contains("Failure: 4 is not 5"),
            "{name}"
        );
        assert_eq!(message(&report, "slow"), "Timeout", "{name}");
    }
    // A missing program does not count as skipped.
    let junit = read("ctest.junit.xml", Format::Junit);
    assert_eq!(
        (junit.failures.len(), junit.counts.unwrap().failed),
        (5, Some(5))
    );
    check("ctest-good.txt", Format::Ctest, counts(1, 0), &[]);
}

#[test]
fn several_programs_in_one_output_all_count() {
    let npm = detect(&output("npm-test.txt")).unwrap();
    assert_eq!(
        places(&npm),
        [
            "doubles @ double.test.ts:1",
            "no-undef @ half.js:1",
            "TS2835 @ double.test.ts:1",
            "TS2322 @ double.ts:1",
        ]
    );
    assert_eq!(npm.counts, counts(1, 2));
    // The lines of two packages are prefixed with their names.
    let turbo = detect(&output("turbo.txt")).unwrap();
    assert_eq!(places(&turbo), ["adds @ a.test.cjs:1", "b takes @ t.cjs:1"]);
    assert_eq!(turbo.counts, counts(2, 2));
}

/// Prefixes and colours do not change the result.
#[test]
fn the_dress_of_an_output_does_not_matter() {
    for name in [
        "pytest-subtests.txt",
        "jest.txt",
        "vitest.txt",
        "mocha.txt",
        "node-spec.txt",
        "rspec.txt",
        "phpunit.txt",
        "unittest.txt",
        "nextest.txt",
        "cargo.txt",
        "node.tap",
    ] {
        let plain = output(name);
        let expected = detect(&plain).unwrap();
        let lines = |dress: &dyn Fn(usize, &str) -> String| -> String {
            plain
                .lines()
                .enumerate()
                .map(|(at, line)| dress(at, line))
                .collect()
        };
        let dressed = [
            ("Windows line ends", lines(&|_, line| format!("{line}\r\n"))),
            (
                "times",
                lines(&|at, line| format!("2026-01-02T03:04:{:02}.0000000Z {line}\n", at % 60)),
            ),
            (
                "a package",
                lines(&|_, line| format!("@shop/web:test: {line}\n")),
            ),
            (
                "a folder",
                lines(&|_, line| format!("packages/web test: {line}\n")),
            ),
            (
                "a name in brackets",
                lines(&|_, line| format!("[web] {line}\n")),
            ),
            (
                "a container",
                lines(&|_, line| format!("web-1  | {line}\n")),
            ),
            (
                "a package and times",
                lines(&|at, line| format!("2026-01-02T03:04:{:02}Z web:test: {line}\n", at % 60)),
            ),
            (
                "colours",
                lines(&|_, line| format!("\x1b[2m\x1b[31m{line}\x1b[39m\x1b[22m\n")),
            ),
            (
                "words around it",
                format!(
                    "> shop@1.0.0 test\n> run\n\n{plain}\nnpm error code 1\nnpm error path /shop\n"
                ),
            ),
        ];
        for (dress, output) in dressed {
            let report = detect(&output).unwrap_or_else(|| panic!("{name} with {dress}"));
            assert_eq!(places(&report), places(&expected), "{name} with {dress}");
            assert_eq!(report.counts, expected.counts, "{name} with {dress}");
        }
        // The same output twice counts twice.
        let twice = detect(&format!("{plain}\n{plain}")).unwrap();
        assert_eq!(
            twice.failures.len(),
            2 * expected.failures.len(),
            "{name} twice"
        );
        let sum = |count: Option<u64>| count.map(|count| 2 * count);
        let counts = expected.counts.unwrap();
        assert_eq!(
            twice.counts.map(|counts| (counts.passed, counts.failed)),
            Some((sum(counts.passed), sum(counts.failed))),
            "{name} twice"
        );
    }
}

/// The last lines of the output, as `tail` prints them, are enough to show that a run failed.
#[test]
fn the_end_of_an_output_says_that_it_failed() {
    for name in [
        "pytest-subtests.txt",
        "jest.txt",
        "vitest.txt",
        "mocha.txt",
        "node-spec.txt",
        "rspec.txt",
        "phpunit.txt",
        "unittest.txt",
        "nextest.txt",
        "cargo.txt",
        "ctest.txt",
    ] {
        let output = output(name);
        let lines: Vec<&str> = output.trim_end().lines().collect();
        let end = lines[lines.len().saturating_sub(25)..].join("\n");
        let report = detect(&end).unwrap_or_else(|| panic!("the end of {name}: {end}"));
        assert!(report.failed, "{name}");
    }
}
