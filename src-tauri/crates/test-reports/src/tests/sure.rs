//! Tests lines that report a failure of programs whose output is otherwise not read, and outputs that only look like such
//! lines.

use crate::{Format, Report, detect};

/// The output of a program, the program's name, and the names of the failures.
type Case = (&'static str, &'static str, &'static [&'static str]);

fn read(output: &str) -> Report {
    detect(output).unwrap_or_else(|| panic!("not read: {output}"))
}

#[track_caller]
fn check(cases: &[Case]) {
    for (output, program, names) in cases {
        let report = read(output);
        assert!(report.failed, "{output}");
        assert_eq!(report.format, Format::Other, "{output}");
        assert_eq!(report.partly.unwrap().program, *program, "{output}");
        let found: Vec<&str> = report
            .failures
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(found, *names, "{output}");
    }
}

#[test]
fn a_program_that_runs_others_says_that_they_failed() {
    check(&[
        (
            "npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /x\n",
            "npm",
            &[],
        ),
        (
            "npm ERR! Test failed.  See above for more details.\n",
            "npm",
            &[],
        ),
        (
            " ELIFECYCLE  Test failed. See above for more details.\n",
            "pnpm",
            &[],
        ),
        ("error Command failed with exit code 1.\n", "Yarn", &[]),
        (
            "Failed:    x#test\n\n ERROR  run failed: command  exited (1)\n",
            "Turborepo",
            &[],
        ),
        (
            " NX   Ran target test for project x (3s)\n\n    ✖    1/2 targets failed, including the following:\n",
            "Nx",
            &[],
        ),
        ("lerna ERR! npm run test exited 1 in 'x'\n", "Lerna", &[]),
        (
            "cc -o x x.c\nmake[1]: *** [Makefile:5: test] Error 1\n",
            "make",
            &[],
        ),
        (
            "FAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s\n",
            "Gradle, Ant or Maven",
            &[],
        ),
        ("[INFO] BUILD FAILURE\n", "Gradle, Ant or Maven", &[]),
        (
            "Testing failed:\n\tSumTests:\n\n** TEST FAILED **\n",
            "Xcode",
            &[],
        ),
        ("ninja: build stopped: subcommand failed.\n", "Ninja", &[]),
        (
            "error: Recipe `test` failed on line 3 with exit code 1\n",
            "just",
            &[],
        ),
        (
            "task: Failed to run task \"test\": exit status 1\n",
            "Task",
            &[],
        ),
        (
            "[ RUN      ] Sums.Adds\nSegmentation fault (core dumped)\n",
            "the shell",
            &[],
        ),
    ]);
}

#[test]
fn linters_say_what_they_found() {
    check(&[
        (
            "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n",
            "Ruff or Flake8",
            &["F401"],
        ),
        (
            "F401 [*] `os` imported but unused\n --> a.py:1:8\n\nFound 1 error.\n",
            "Ruff or Biome",
            &[],
        ),
        (
            "a.py:1:0: E0602: Undefined variable 'x' (undefined-variable)\n",
            "Pylint",
            &["E0602"],
        ),
        (
            "/x/a.py\n  /x/a.py:1:10 - error: Type \"str\" is no \"int\" (reportAssignmentType)\n1 error, 0 warnings, 0 informations \n",
            "Pyright",
            &["reportAssignmentType"],
        ),
        (
            "would reformat a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.\n",
            "Black",
            &["black"],
        ),
        (
            "Would reformat: a.py\n1 file would be reformatted\n",
            "Ruff's formatter",
            &["ruff format"],
        ),
        (
            "ERROR: /x/a.py Imports are incorrectly sorted and/or formatted.\n",
            "isort",
            &["isort"],
        ),
        (
            "Checking formatting...\n[warn] a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\n",
            "Prettier",
            &["prettier"],
        ),
        (
            "sum.go:5:2: ineffectual assignment to x (ineffassign)\n\tx = 1\n\t^\n1 issues:\n* ineffassign: 1\n",
            "golangci-lint or staticcheck",
            &["ineffassign"],
        ),
        (
            "Offenses:\n\na.rb:1:1: C: [Correctable] Style/X: no\n\n1 file inspected, 1 offense detected, 1 offense autocorrectable\n",
            "RuboCop",
            &["Style/X"],
        ),
        (" [ERROR] Found 1 error\n", "PHPStan", &[]),
        (
            "svelte-check found 1 error and 0 warnings in 1 file\n",
            "svelte-check",
            &[],
        ),
        ("Found 2 warnings and 1 error.\n", "oxlint", &[]),
        (
            "Diff in /x/src/main.rs:1:\n-fn main(){}\n+fn main() {}\n",
            "rustfmt",
            &["rustfmt"],
        ),
    ]);
    let report = read("a.py:1:8: F401 [*] `os` imported but unused\n");
    let failure = &report.failures[0];
    assert_eq!(
        (failure.file.as_deref(), failure.line),
        (Some("a.py"), Some(1))
    );
    assert_eq!(
        failure.message.as_deref(),
        Some("[*] `os` imported but unused")
    );
}

#[test]
fn builds_say_what_stopped_them() {
    check(&[
        (
            "/usr/bin/ld: a.o: undefined reference to `x'\ncollect2: error: ld returned 1 exit status\n",
            "the linker",
            &["linker", "linker"],
        ),
        (
            "a.obj : error LNK2019: unresolved external symbol x\n",
            "the linker",
            &["linker"],
        ),
        ("> Task :compileJava FAILED\n", "Gradle", &["Gradle"]),
        (
            "e: file:///src/a.kt:3:5 Unresolved reference: x\n",
            "Kotlin",
            &["error"],
        ),
        (
            "[ERROR] COMPILATION ERROR : \n[ERROR] /src/Sum.java:[3,5] cannot find symbol\n",
            "Maven",
            &["error"],
        ),
        (
            "CMake Error at CMakeLists.txt:3 (message):\n  no\n",
            "CMake",
            &[],
        ),
        (
            "webpack 5.90.0 compiled with 1 error in 30 ms\n",
            "webpack",
            &[],
        ),
        ("error during build:\nno\n", "Vite or Next.js", &[]),
        (
            "✘ [ERROR] Could not resolve \"./nothere\"\n",
            "esbuild",
            &["esbuild"],
        ),
        (
            "==> X SumSuite.adds  0.05s munit.ComparisonFailException\n[error] Failed: Total 2, Failed 1, Errors 0, Passed 1\n",
            "sbt",
            &["SumSuite.adds"],
        ),
        (
            "[error] (Compile / compileIncremental) Compilation failed\n",
            "sbt",
            &[],
        ),
        (
            "PHP Fatal error:  Uncaught Error: no in /app/a.php:3\nStack trace:\n#0 {main}\n",
            "PHP",
            &["PHP"],
        ),
        (
            "** (CompileError) test/sum_test.exs: cannot compile module SumTest\n",
            "Elixir",
            &["CompileError"],
        ),
        (
            "\n Exception during run: Error: Cannot find module './nothere'\nRequire stack:\n",
            "Mocha",
            &["Mocha"],
        ),
        (
            "Error: No test files found: \"m/zzz.js\"\n",
            "Mocha",
            &["Mocha"],
        ),
        (
            "Could not find '/x/n/zzz.mjs'\n",
            "node --test",
            &["node --test"],
        ),
    ]);
}

#[test]
fn test_programs_say_that_a_test_failed() {
    check(&[
        (
            "✘ •   (1 / 2)\n\n   FAIL  \"adds numbers\"\n    -1 == 3  (==)\n\n  Total:     2\n  Passed:    1\n",
            "uvu",
            &["adds numbers"],
        ),
        (
            "//sum:sum_test                                  FAILED in 0.1s\n\nExecuted 1 out of 1 test: 1 fails locally.\n",
            "Bazel",
            &["//sum:sum_test"],
        ),
        (
            "INFO: Build completed, 1 test FAILED, 2 total actions\n",
            "Bazel",
            &[],
        ),
        (
            "1/2 adds  FAIL            0.01s   exit status 1\n2/2 zero  OK              0.01s\n\nOk:                 1\nFail:               1\nTimeout:            0\n",
            "Meson",
            &["adds"],
        ),
        (
            "PASS: a\nFAIL: b\n# TOTAL: 2\n# PASS:  1\n# FAIL:  1\n# ERROR: 0\n",
            "Automake",
            &["b"],
        ),
        (
            "a.cpp(5): error: in \"adds\": check 1 - 2 == 3 has failed\n\n*** 1 failure is detected in the test module \"sums\"\n",
            "Boost.Test",
            &["adds"],
        ),
        (
            "FAIL!  : Sums::adds() Compared values are not the same\nTotals: 1 passed, 1 failed, 0 skipped, 0 blacklisted, 3ms\n",
            "Qt Test",
            &["Sums::adds()"],
        ),
        (
            "a.c:5:test_adds:FAIL: Expected 3 Was -1\n\n2 Tests 1 Failures 0 Ignored \nFAIL\n",
            "Unity",
            &["test_adds"],
        ),
        (
            "50%: Checks: 2, Failures: 1, Errors: 0\na.c:5:F:Core:test_adds:0: no\n",
            "Check",
            &["test_adds"],
        ),
        (
            "FAIL in (adds) (sum_test.clj:5)\nexpected: 3\n\nRan 2 tests containing 2 assertions.\n1 failures, 0 errors.\n",
            "clojure.test",
            &["adds"],
        ),
        ("2 tests, 2 assertions, 1 failures.\n", "clojure.test", &[]),
        (
            "sums\n  adds: FAIL\n    expected: 3\n  zero: OK\n\n1 out of 2 tests failed (0.00s)\n",
            "tasty",
            &["adds"],
        ),
        (
            "2/2 sum.test.adds...FAIL (TestUnexpectedResult)\n1 passed; 0 skipped; 1 failed.\n",
            "Zig",
            &["sum.test.adds"],
        ),
        (
            "adds: Test Failed at /x/runtests.jl:5\nERROR: Some tests did not pass: 1 passed, 1 failed, 0 errored, 0 broken.\n",
            "Julia",
            &["adds"],
        ),
        (
            "── Failure ('test-sums.R:3:3'): adds ────\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS 1 ]\n",
            "testthat",
            &["adds"],
        ),
        (
            "1 success / 1 failure / 0 errors / 0 pending : 0.002 seconds\n",
            "busted",
            &[],
        ),
        (
            "│              assertions │        2 │        1 │\n",
            "Newman",
            &[],
        ),
        (
            "time=\"2026-01-02T03:04:05Z\" level=error msg=\"thresholds on metrics 'checks' have been crossed\"\n",
            "k6",
            &[],
        ),
        (
            "File \"a.py\", line 3, in a.f\nFailed example:\n    f(1)\n***Test Failed*** 1 failures.\n",
            "doctest",
            &["a.f"],
        ),
        (
            "[FAIL: assertion failed: -1 != 3] test_adds() (gas: 100)\n\nEncountered a total of 1 failing tests, 1 tests succeeded\n",
            "Forge",
            &["test_adds()"],
        ),
        (
            "10:00:00  Done. PASS=1 WARN=0 ERROR=1 SKIP=0 TOTAL=2\n",
            "dbt",
            &[],
        ),
        (
            "  run \"adds\"... fail\nFailure! 1 passed, 1 failed.\n",
            "Terraform",
            &["adds"],
        ),
        (
            "data.sums.test_adds: FAIL (1ms)\nPASS: 1/2\nFAIL: 1/2\n",
            "OPA",
            &["data.sums.test_adds"],
        ),
        (
            "  │ ✖  sum.cy.js                                00:01        2        1        1        -        - │\n    ✖  1 of 1 failed (100%)                     00:01        2        1        1        -        -\n",
            "Cypress",
            &["sum.cy.js"],
        ),
        (
            "Spec Files:\t 0 passed, 1 failed, 1 total (100% completed) in 00:00:03\n",
            "WebdriverIO",
            &[],
        ),
        ("1/2 failed (3s)\n", "TestCafe", &[]),
        (
            "Chrome: 1/1 test files | 1 passed, 1 failed\n",
            "Web Test Runner",
            &[],
        ),
        ("Test suite spec: FAIL\n", "Cabal", &["spec"]),
        (
            "  py311: FAIL code 1 (0.5=setup[0.1]+cmd[0.4] seconds)\n  evaluation failed :( (0.6 seconds)\n",
            "tox",
            &["py311"],
        ),
        ("nox > * tests: failed\n", "nox", &["tests"]),
    ]);
}

#[test]
fn an_exception_ends_a_program_of_python() {
    let traceback = "Traceback (most recent call last):\n  File \"test_a.py\", line 3, in <module>\n    assert 1 == 2\n           ^^^^^^\nAssertionError: no\n";
    let report = read(&format!("starts\n{traceback}\n"));
    assert!(report.failed);
    let failure = &report.failures[0];
    assert_eq!(
        (
            failure.name.as_str(),
            failure.message.as_deref(),
            failure.file.as_deref(),
            failure.line
        ),
        (
            "Python",
            Some("AssertionError: no"),
            Some("test_a.py"),
            Some(3)
        )
    );
    // The error is found even if `make` appends lines.
    let made = read(&format!(
        "{traceback}make: *** [Makefile:2: test] Error 1\n"
    ));
    assert_eq!(made.failures, report.failures);
    for output in [
        // The program continues after the traceback.
        format!("{traceback}retried, and all is well\n"),
        // The traceback comes from a log, a thread or a destructor.
        format!("ERROR:root:no sum\n{traceback}"),
        format!("2026-01-02 03:04:05,678 - shop - ERROR - no sum\n{traceback}"),
        format!("Exception in thread Thread-1 (work):\n{traceback}"),
        format!("Exception ignored in: <function A.__del__ at 0x7f>\n{traceback}"),
        "Traceback (most recent call last):\n".to_owned(),
        "Traceback (most recent call last):\nAssertionError\n".to_owned(),
    ] {
        assert_eq!(detect(&output), None, "{output}");
    }
}

/// A run that passed is not reported as failed, although one of its lines resembles a failure.
#[test]
fn what_only_mentions_a_failure_does_not_fail() {
    for output in [
        "make: *** [Makefile:5: clean] Error 1 (ignored)\n",
        "remake: *** done\n",
        "npm error: how to read one\n",
        "  npm ERR! Test failed.\n",
        "the build said BUILD FAILED in 3s\n",
        "BUILD SUCCESSFUL in 3s\n",
        "** TEST SUCCEEDED **\n",
        "All checks passed!\n",
        "Found 0 errors.\n",
        "Found 2 errors (2 fixed, 0 remaining).\n",
        "Found 2 warnings and 0 errors.\n",
        "0 errors, 2 warnings, 0 informations \n",
        "All done! ✨ 🍰 ✨\n1 file would be reformatted.\n",
        "a.py:1:0: C0114: Missing module docstring (missing-module-docstring)\n\nYour code has been rated at 9.00/10\n",
        "a.log:1:8: F401 seen\n",
        "All matched files use Prettier code style!\n",
        "1 file inspected, no offenses detected\n",
        "1 file inspected, 1 offense detected, 1 offense corrected\n",
        " [OK] No errors\n",
        "svelte-check found 0 errors and 3 warnings in 1 file\n",
        "✖ 1 problem (0 errors, 1 warning)\n",
        "webpack 5.90.0 compiled with 2 warnings in 30 ms\n",
        "webpack 5.90.0 compiled successfully in 30 ms\n",
        "> Task :test\n> Task :compileJava UP-TO-DATE\n",
        "INFO: Build completed successfully, 2 total actions\n",
        "Executed 1 out of 1 test: 1 test passes.\n",
        "//sum:sum_test                                  PASSED in 0.1s\n",
        "Ok:                 2\nFail:               0\nTimeout:            0\n",
        "Fail: 3 of the rows\n",
        "PASS: a\n# FAIL:  0\n# ERROR: 0\n",
        "FAIL: a line of a log\n",
        "*** No errors detected\n",
        "Totals: 2 passed, 0 failed, 0 skipped, 0 blacklisted, 3ms\n",
        "2 Tests 0 Failures 0 Ignored \nOK\n",
        "100%: Checks: 2, Failures: 0, Errors: 0\n",
        "Ran 2 tests containing 2 assertions.\n0 failures, 0 errors.\n",
        "All 2 tests passed (0.00s)\n",
        "2 passed; 0 skipped; 0 failed.\n",
        "[ FAIL 0 | WARN 1 | SKIP 0 | PASS 2 ]\n",
        "2 successes / 0 failures / 0 errors / 0 pending : 0.002 seconds\n",
        "│              assertions │        2 │        0 │\n",
        "│ table │ of │ 3 │\n",
        // A failed k6 check is not a crossed threshold.
        "     ✗ status is 200\n      ↳  0% — ✓ 0 / ✗ 1\n     checks.........: 0.00%  ✓ 0 ✗ 1\n",
        "Done. PASS=1 WARN=0 ERROR=0 SKIP=0 TOTAL=1\n",
        "Success! 2 passed, 0 failed.\n",
        "PASS: 2/2\n",
        "    ✔  All specs passed!                        00:01        2        2        -        -        -\n",
        "Spec Files:\t 1 passed, 1 total (100% completed) in 00:00:03\n",
        "2 passed (3s)\n",
        "Chrome: 1/1 test files | 2 passed, 0 failed\n",
        "Test suite spec: PASS\n",
        "  py311: OK (0.5=setup[0.1]+cmd[0.4] seconds)\n  congratulations :) (0.6 seconds)\n",
        "nox > * tests: success\n",
        "Could not find 'a.cfg'\n",
        "** (this is a note) of a log\n",
        "ok\nPHP Warning:  no in /app/a.php on line 3\n",
        "[error] a log line\n",
        "Segmentation fault: a title\n",
        "a.go:12:4: level=info msg=started (server)\n",
        "a.c:3:5: error: as the test expected\nok\n",
        "Hi! - failed: 0, passed: 3, skipped: 0, total: 3, took: 5 ms\n",
        "1) first step\n2) second step\n",
        "Results (1.05s):\n       3 passed\n       1 skipped\n",
    ] {
        let failed = detect(output).is_some_and(|report| report.failed);
        assert!(!failed, "{output}");
    }
}

/// A test may print anything, so the counts of the test program take precedence.
#[test]
fn tests_that_passed_are_surer_than_a_line() {
    let lines = "make: *** [Makefile:5: test] Error 1\nnpm ERR! Test failed.  See above for more details.\na.py:1:8: F401 no\nPHP Fatal error:  no\n1 failures, 0 errors.\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    no()\nValueError: no\n";
    for passed in [
        "============================== 2 passed in 0.05s ===============================\n",
        "PASS a.test.js\n\nTests:       2 passed, 2 total\n",
        "ok  \texample.org/sums\t0.01s\n",
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        "1..1\nok 1 - a\n",
        "OK (2 tests, 2 assertions)\n",
    ] {
        for output in [format!("{lines}{passed}"), format!("{passed}{lines}")] {
            let report = read(&output);
            assert!(!report.failed, "{output}: {report:?}");
        }
    }
    // ESLint's warnings do not rule out later failures.
    let eslint = "\n/x/a.js\n  1:1  warning  Unexpected console  no-console\n\n✖ 1 problem (0 errors, 1 warning)\n";
    assert!(!read(eslint).failed);
    assert!(read(&format!("{eslint}Found 1 error.\n")).failed);
    // Failures that were read are kept, and these lines add nothing to them.
    let failed = "FAILED a.py::test_one - no\n1 failed in 0.1s\n";
    assert_eq!(
        detect(&format!("{failed}{lines}")).unwrap().failures.len(),
        1
    );
}

/// A line has the same meaning with or without a package name before it.
#[test]
fn lines_have_names_in_front_of_them() {
    let output = "web:lint: a.py:1:8: F401 no\nweb:lint: Found 1 error.\napi:lint: All checks passed!\napi:lint: done\n";
    assert!(read(output).failed);
}
