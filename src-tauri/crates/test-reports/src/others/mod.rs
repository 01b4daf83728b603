//! Reads the output of programs of which only totals and the names of failed tests are read. Their JUnit XML contains more
//! details.

mod compiled;
mod lines;
mod script;
mod sure;

use crate::{
    hints::Unread,
    report::{Counts, Failure, Found},
};
use compiled::{
    catch, dart, dart_failed, gotestsum, gotestsum_failed, gradle, gradle_failed, gtest,
    gtest_failed, maven, maven_failed, robot, robot_failed, sentences, sentences_failed, swift,
    swift_failed, xctest, xctest_failed,
};
use lines::JUNIT;
use script::{
    ava, ava_failed, bun, bun_failed, deno, deno_failed, exunit, exunit_failed, jasmine,
    jasmine_failed, minitest, minitest_failed, playwright, playwright_failed, prove, prove_failed,
};
pub(crate) use sure::{build_failed, sure};

/// A program and the parsers of its lines.
struct Program {
    name: &'static str,
    hint: &'static str,
    /// Parses a line with the number of tests. Returns `None` for any other line.
    sum: fn(&str) -> Option<Counts>,
    /// Parses a line with the name of a failure. Returns `None` for any other line.
    failed: fn(&str) -> Option<Failure>,
    /// Whether the last total includes all others. If false, the totals are added up.
    last: bool,
    /// Whether the line above a total contains the name of the suite, in the same form as the name of a test.
    suites: bool,
}

const PROGRAMS: [Program; 18] = [
    Program {
        name: "Maven Surefire",
        hint: "Choose a report file under `target/surefire-reports`.",
        sum: maven,
        failed: maven_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Gradle",
        hint: "Choose a report file under `build/test-results`.",
        sum: gradle,
        failed: gradle_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "GoogleTest or cmocka",
        hint: "Use `--gtest_output=xml:report.xml` and choose that report file.",
        sum: gtest,
        failed: gtest_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Catch2 or doctest",
        hint: "Use `--reporter junit`.",
        sum: catch,
        failed: nothing,
        last: false,
        suites: false,
    },
    Program {
        name: "ExUnit",
        hint: "Use the package `junit_formatter` and choose its report file.",
        sum: exunit,
        failed: exunit_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "minitest or test-unit",
        hint: JUNIT,
        sum: minitest,
        failed: minitest_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Playwright",
        hint: "Use `--reporter=junit` and choose that report file.",
        sum: playwright,
        failed: playwright_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Bun",
        hint: "Use `--reporter=junit --reporter-outfile=report.xml` and choose that report file.",
        sum: bun,
        failed: bun_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Deno",
        hint: "Use `--junit-path=report.xml` and choose that report file.",
        sum: deno,
        failed: deno_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "XCTest",
        hint: "Use `swift test --xunit-output report.xml` and choose that report file.",
        sum: xctest,
        failed: xctest_failed,
        last: true,
        suites: false,
    },
    Program {
        name: "Swift Testing",
        hint: "Use `swift test --xunit-output report.xml` and choose that report file.",
        sum: swift,
        failed: swift_failed,
        last: true,
        suites: false,
    },
    Program {
        name: "AVA",
        hint: "Use `--tap`.",
        sum: ava,
        failed: ava_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Jasmine or Karma",
        hint: JUNIT,
        sum: jasmine,
        failed: jasmine_failed,
        last: true,
        suites: false,
    },
    Program {
        name: "gotestsum",
        hint: "Use `--junitfile report.xml` and choose that report file.",
        sum: gotestsum,
        failed: gotestsum_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "prove",
        hint: "Use `prove --verbose`, or run the tests themselves, which print TAP.",
        sum: prove,
        failed: prove_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Dart or Flutter",
        hint: JUNIT,
        sum: dart,
        failed: dart_failed,
        last: true,
        suites: false,
    },
    Program {
        name: "ScalaTest, Cucumber or behave",
        hint: JUNIT,
        sum: sentences,
        failed: sentences_failed,
        last: false,
        suites: false,
    },
    Program {
        name: "Robot Framework",
        hint: "Use `--xunit report.xml` and choose that report file.",
        sum: robot,
        failed: robot_failed,
        // The total of each suite is included in the total of the suite around it.
        last: true,
        suites: true,
    },
];

fn nothing(_: &str) -> Option<Failure> {
    None
}

fn read(program: &Program, output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut sums: Option<Counts> = None;
    let (mut pending, mut added) = (false, false);
    for line in output.lines() {
        let added_above = std::mem::take(&mut added);
        // Jasmine numbers pending tests like failures.
        pending = line == "Pending:" || pending && line != "Failures:";
        if let Some(counts) = (program.sum)(line) {
            sums = if program.last {
                Some(counts)
            } else {
                crate::report::sum(sums, Some(counts))
            };
            if added_above && program.suites {
                found.failures.pop();
            }
        } else if let Some(failure) = (program.failed)(line)
            && !(pending && line.starts_with(|char: char| char.is_ascii_digit()))
            && !found
                .failures
                .iter()
                .rev()
                .take(32)
                .any(|known| known.name == failure.name)
        {
            found.add(failure);
            added = true;
        }
    }
    let sums = sums?;
    if sums.failed == Some(0) {
        // Nothing failed, so lines that look like failures mean something else.
        found.failures.clear();
    }
    found.failed = sums.failed.is_none();
    found.counts = (sums != Counts::default()).then_some(sums);
    found.partly = Some(Unread {
        program: program.name,
        hint: program.hint,
    });
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    PROGRAMS
        .iter()
        .filter_map(|program| read(program, output))
        .reduce(Found::join)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of a program, the numbers of passed and failed tests, and the names of the failed tests.
    type Case = (
        &'static str,
        Option<u64>,
        Option<u64>,
        &'static [&'static str],
    );

    #[test]
    fn totals_and_names_are_read() {
        let cases: [Case; 27] = [
            (
                "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE!\n[ERROR]   SumsTest.adds:12 expected: <5> but was: <4>\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n",
                Some(2),
                Some(2),
                &["SumsTest.adds"],
            ),
            (
                "SumsTest > adds() FAILED\n\n5 tests completed, 1 failed, 1 skipped\n",
                Some(3),
                Some(1),
                &["SumsTest > adds()"],
            ),
            (
                "[ RUN      ] Sums.Adds\n[  FAILED  ] Sums.Adds (0 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Sums.Adds\n",
                Some(1),
                Some(1),
                &["Sums.Adds"],
            ),
            (
                "test cases: 3 | 2 passed | 1 failed\nassertions: 5 | 4 passed | 1 failed\n",
                Some(2),
                Some(1),
                &[],
            ),
            (
                "[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped\n",
                Some(2),
                Some(1),
                &[],
            ),
            (
                "All tests passed (5 assertions in 3 test cases)\n",
                Some(3),
                Some(0),
                &[],
            ),
            (
                "  1) test adds (SumsTest)\n     test/sums_test.exs:5\n\nFinished in 0.03 seconds\n1 doctest, 3 tests, 1 failure\n",
                Some(3),
                Some(1),
                &["test adds (SumsTest)"],
            ),
            (
                "  1) Failure:\nSumsTest#test_adds [test/sums_test.rb:10]:\nExpected: 5\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n",
                Some(1),
                Some(1),
                &["SumsTest#test_adds"],
            ),
            (
                "  1) [chromium] › a.spec.ts:3:1 › adds ───\n\n  1 failed\n    [chromium] › a.spec.ts:3:1 › adds ───\n  2 passed (3.2s)\n",
                Some(2),
                Some(1),
                &["adds"],
            ),
            (
                "(fail) sums > adds [0.12ms]\n\n 5 pass\n 1 fail\nRan 6 tests across 1 files.\n",
                Some(5),
                Some(1),
                &["sums > adds"],
            ),
            (
                "adds => ./sums_test.ts:8:6\n\nFAILED | 1 passed | 1 failed (13ms)\n",
                Some(1),
                Some(1),
                &["adds"],
            ),
            (
                "/src/T.swift:12: error: -[Sums.T testAdds] : no\nExecuted 2 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\nExecuted 2 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\n",
                Some(1),
                Some(1),
                &["Sums.T testAdds"],
            ),
            (
                "✘ Test \"adds\" failed after 0.1 seconds with 1 issue.\n✘ Test run with 5 tests failed after 0.1 seconds with 1 issue.\n",
                None,
                Some(1),
                &["adds"],
            ),
            (
                "  ✘ [fail]: adds\n  ─\n\n  1 test failed\n  3 tests passed\n",
                Some(3),
                Some(1),
                &["adds"],
            ),
            (
                "5 specs, 1 failure, 1 pending spec\n",
                Some(3),
                Some(1),
                &[],
            ),
            (
                "=== FAIL: example.org/sums TestAdds (0.00s)\nDONE 5 tests, 1 failure in 0.1s\n",
                Some(4),
                Some(1),
                &["example.org/sums TestAdds"],
            ),
            (
                "t/sums.t (Wstat: 256 Tests: 3 Failed: 1)\n  Failed test:  2\nResult: FAIL\n",
                None,
                None,
                &["t/sums.t"],
            ),
            (
                "Pending:\n\n1) sums later\n  Temporarily disabled with xit\n\nFailures:\n1) sums adds\n  Message:\n    no\n\n3 specs, 1 failure, 1 pending spec\n",
                Some(1),
                Some(1),
                &["sums adds"],
            ),
            (
                "00:01 +3 -1: test/a_test.dart: adds [E]\n  no\n00:01 +3 ~1 -1: Some tests failed.\n",
                Some(3),
                Some(1),
                &["test/a_test.dart: adds"],
            ),
            (
                "[info] - adds *** FAILED ***\n[info] - takes *** FAILED *** (3 milliseconds)\n[info] Tests: succeeded 4, failed 2, canceled 0, ignored 0, pending 0\n",
                Some(4),
                Some(2),
                &["adds", "takes"],
            ),
            (
                "Adds :: two numbers        | FAIL |\n-1 != 3\n----\nZero       | PASS |\n----\nSums       | FAIL |\n2 tests, 1 passed, 1 failed\n====\nAll        | FAIL |\n2 tests, 1 passed, 1 failed\n",
                Some(1),
                Some(1),
                &["Adds"],
            ),
            (
                "[ RUN      ] test_adds\n[  ERROR   ] --- no\n[  FAILED  ] test_adds\n[  PASSED  ] 1 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] test_adds\n",
                Some(1),
                Some(1),
                &["test_adds"],
            ),
            (
                "Failing scenarios:\n  a.feature:2  adds\n\n0 features passed, 1 failed, 0 skipped\n1 scenario passed, 1 failed, 0 skipped\n3 steps passed, 1 failed, 0 skipped\n",
                Some(1),
                Some(1),
                &["adds"],
            ),
            ("2 tests, 1 passed, 1 failed\n", Some(1), Some(1), &[]),
            ("00:01 +3 -1: Some tests failed.\n", Some(3), Some(1), &[]),
            ("5 scenarios (1 failed, 4 passed)\n", Some(4), Some(1), &[]),
            (
                "Tests: succeeded 4, failed 1, canceled 0, ignored 0, pending 0\n",
                Some(4),
                Some(1),
                &[],
            ),
        ];
        for (output, passed, failed, names) in cases {
            let found = parse(output).unwrap_or_else(|| panic!("not read: {output}"));
            let counts = found.counts.unwrap_or_default();
            assert_eq!((counts.passed, counts.failed), (passed, failed), "{output}");
            let read: Vec<&str> = found.failures.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(read, names, "{output}");
            assert!(
                found.failed || failed.is_some_and(|failed| failed > 0) || passed == Some(3),
                "{output}"
            );
        }
        assert_eq!(parse("5 passed\n3 things, 2 others\n"), None);
    }
}
