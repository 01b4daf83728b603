//! Reads the output of test programs. Only two kinds of lines are read: those with the number of failed tests, and those with
//! the names of failed tests.

use super::{
    super::lines::{JUNIT, named},
    row::{Row, counts, is_above_zero, nothing},
};
use crate::{
    location,
    report::Failure,
    text::{indent, pair, without_time},
};

/// Returns whether `text` consists of digits.
fn is_uint(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the name before `mark`, such as `adds` for `  adds: FAIL` if `mark` is `: FAIL`.
fn before<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    without_time(line).trim().strip_suffix(mark)
}

/// Parses `   FAIL  "adds numbers"`, which may begin with the name of a suite.
fn uvu(line: &str) -> Option<Failure> {
    let rest = line.strip_prefix("   FAIL  ")?.trim_end();
    let (suite, name) = rest.strip_suffix('"')?.split_once('"')?;
    (suite.is_empty() || suite.ends_with("  ")).then(|| named(name))?
}

/// Matches lines like `INFO: Build completed, 1 test FAILED, 2 total actions`, `Executed 1 out of 1 test: 1 fails locally.`.
fn bazel(line: &str) -> bool {
    let completed = line
        .strip_prefix("INFO: Build completed, ")
        .is_some_and(|list| counts(list, &["test FAILED", "tests FAILED"]));
    let executed = line
        .strip_prefix("Executed ")
        .and_then(|rest| rest.split_once(": "))
        .is_some_and(|(head, list)| {
            head.contains(" out of ")
                && head.contains(" test")
                && counts(
                    list.trim_end().trim_end_matches('.'),
                    &[
                        "fails locally",
                        "fail locally",
                        "fails remotely",
                        "fail remotely",
                    ],
                )
        });
    completed
        || executed
        || line.starts_with("ERROR: Build did NOT complete successfully")
        || line.starts_with("FAILED: Build did NOT complete successfully")
        || bazel_found(line).is_some()
}

/// Parses `//sum:sum_test               FAILED in 0.1s`.
fn bazel_found(line: &str) -> Option<Failure> {
    let (target, rest) = line.split_once("  ")?;
    let rest = rest.trim_start();
    let fits = target.starts_with("//")
        && target.contains(':')
        && (rest.starts_with("FAILED ") || rest.starts_with("TIMEOUT "));
    fits.then(|| named(target))?
}

/// Matches lines like `Fail:               1` (Meson), whose numbers are aligned in a column.
fn meson(line: &str) -> bool {
    let labels = ["Fail:", "Unexpected Pass:", "Timeout:"];
    labels.iter().any(|label| {
        line.strip_prefix(label).is_some_and(|rest| {
            rest.starts_with("   ") && rest.trim() != "0" && is_uint(rest.trim())
        })
    })
}

/// Parses `1/2 adds  FAIL            0.01s   exit status 1`.
fn meson_found(line: &str) -> Option<Failure> {
    let (number, rest) = line.trim_start().split_once(' ')?;
    let (at, all) = number.split_once('/')?;
    let (name, rest) = rest
        .split_once(" FAIL ")
        .or_else(|| rest.split_once(" TIMEOUT "))?;
    let time = rest.trim_start().split(' ').next()?;
    (is_uint(at) && is_uint(all) && time.ends_with('s')).then(|| named(name))?
}

/// Matches lines like `# FAIL:  1`.
fn automake(line: &str) -> bool {
    let labels = ["# FAIL:  ", "# XPASS: ", "# ERROR: "];
    labels.iter().any(|label| {
        line.strip_prefix(label)
            .is_some_and(|count| is_uint(count.trim()) && count.trim() != "0")
    })
}

fn automake_found(line: &str) -> Option<Failure> {
    let name = line
        .strip_prefix("FAIL: ")
        .or_else(|| line.strip_prefix("ERROR: "))?;
    // The name of a test program is a single word.
    (!name.trim().contains(' ')).then(|| named(name))?
}

/// Matches lines like `*** 1 failure is detected in the test module "sums"`.
fn boost(line: &str) -> bool {
    line.strip_prefix("*** ")
        .and_then(|rest| rest.split_once(" detected in the test module "))
        .and_then(|(list, _)| pair(list))
        .is_some_and(|(count, _)| count > 0)
}

/// Parses `a.cpp(5): error: in "adds": check 1 - 2 == 3 has failed`.
fn boost_found(line: &str) -> Option<Failure> {
    let (place, rest) = line.split_once(": ")?;
    let (file, row) = place.strip_suffix(')')?.rsplit_once('(')?;
    let (_, rest) = rest.split_once("error: in \"")?;
    let (name, said) = rest.split_once("\": ")?;
    Some(Failure::at(
        name,
        said,
        Some((file.to_owned(), row.parse().ok()?)),
    ))
}

/// Matches lines like `Totals: 1 passed, 1 failed, 0 skipped, 0 blacklisted, 3ms`.
fn qtest(line: &str) -> bool {
    line.strip_prefix("Totals: ")
        .is_some_and(|list| list.contains(" skipped") && counts(list, &["failed"]))
}

/// Parses `FAIL!  : Sums::adds() Compared values are not the same`.
fn qtest_found(line: &str) -> Option<Failure> {
    let rest = line.strip_prefix("FAIL!  : ")?;
    let (name, said) = rest.split_once(") ").unwrap_or((rest, ""));
    let name = if said.is_empty() {
        name.to_owned()
    } else {
        format!("{name})")
    };
    Some(Failure::at(name.trim(), said, None))
}

/// Matches lines like `2 Tests 1 Failures 0 Ignored ` (Unity).
fn unity(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [tests, "Tests", failures, "Failures", ignored, "Ignored"] = words[..] else {
        return false;
    };
    is_uint(tests) && is_uint(ignored) && is_uint(failures) && failures != "0"
}

/// Parses `a.c:5:test_adds:FAIL: Expected 3 Was -1`.
fn unity_found(line: &str) -> Option<Failure> {
    let (place, rest) = location::leading(line)?;
    let (name, said) = rest.split_once(":FAIL")?;
    let said = said.trim_start_matches(':').trim();
    Some(Failure::at(name, said, Some(place)))
}

/// Matches lines like `50%: Checks: 2, Failures: 1, Errors: 0` (Check).
fn check(line: &str) -> bool {
    let list = line.split_once("%: ").filter(|(share, _)| is_uint(share));
    list.is_some_and(|(_, list)| {
        list.starts_with("Checks: ")
            && (is_above_zero(list, ", Failures: ") || is_above_zero(list, ", Errors: "))
    })
}

/// Parses `a.c:5:F:Core:test_adds:0: no`.
fn check_found(line: &str) -> Option<Failure> {
    let (place, rest) = location::leading(line)?;
    let mut parts = rest.splitn(5, ':');
    let (mark, _, name) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next().filter(|number| is_uint(number))?;
    let said = parts.next().unwrap_or_default().trim();
    matches!(mark, "F" | "E").then(|| Failure::at(name, said, Some(place)))
}

/// Matches clojure.test's `1 failures, 0 errors.` and Kaocha's `2 tests, 2 assertions, 1 failures.`
fn clojure(line: &str) -> bool {
    let Some(list) = line.trim_end().strip_suffix('.') else {
        return false;
    };
    let own = ["test", "assertion", "failure", "error", "pending"];
    let parts = crate::text::pairs(list, ", ").unwrap_or_default();
    parts.len() > 1
        && parts
            .iter()
            .all(|(_, what)| own.contains(&what.strip_suffix('s').unwrap_or(what)))
        && counts(list, &["failures", "failure", "errors", "error"])
}

/// Parses `FAIL in (adds) (sum_test.clj:5)`.
fn clojure_found(line: &str) -> Option<Failure> {
    let rest = line
        .strip_prefix("FAIL in (")
        .or_else(|| line.strip_prefix("ERROR in ("))?;
    let (name, place) = rest.split_once(") (")?;
    let place = place.trim_end().strip_suffix(')')?;
    Some(Failure::at(name, "", location::exact(place)))
}

/// Matches lines like `1 out of 2 tests failed (0.00s)` (tasty).
fn tasty(line: &str) -> bool {
    let text = without_time(line);
    let list = text
        .strip_suffix(" tests failed")
        .and_then(|list| list.split_once(" out of "));
    text.len() < line.trim_end().len()
        && list.is_some_and(|(failed, all)| is_uint(failed) && is_uint(all) && failed != "0")
}

fn tasty_found(line: &str) -> Option<Failure> {
    let line = line.split_once(" (").map_or(line, |(line, _)| line);
    (indent(line) > 0).then(|| named(before(line, " FAIL")?.trim_end().strip_suffix(':')?))?
}

/// Matches lines like `1 passed; 0 skipped; 1 failed.` (Zig).
fn zig(line: &str) -> bool {
    let list = line.trim_end().strip_suffix('.').unwrap_or_default();
    let parts = crate::text::pairs(list, "; ").unwrap_or_default();
    matches!(parts[..], [(_, "passed"), (_, "skipped"), (failed, "failed")] if failed > 0)
}

/// Parses `2/2 sum.test.adds...FAIL (TestUnexpectedResult)`.
fn zig_found(line: &str) -> Option<Failure> {
    let (name, said) = line.split_once("...FAIL (")?;
    let (number, name) = name.split_once(' ')?;
    let said = said.trim_end().strip_suffix(')')?;
    number.contains('/').then(|| Failure::at(name, said, None))
}

/// Matches lines like `ERROR: Some tests did not pass: 1 passed, 1 failed, 0 errored, 0 broken.` (Julia).
fn julia(line: &str) -> bool {
    line.starts_with("ERROR: Some tests did not pass: ")
}

/// Parses `adds: Test Failed at /src/runtests.jl:5`.
fn julia_found(line: &str) -> Option<Failure> {
    let (name, place) = line
        .split_once(": Test Failed at ")
        .or_else(|| line.split_once(": Error During Test at "))?;
    (indent(line) == 0).then(|| Failure::at(name, "", location::exact(place)))
}

/// Matches lines like `[ FAIL 1 | WARN 0 | SKIP 0 | PASS 1 ]` (testthat).
fn testthat(line: &str) -> bool {
    line.starts_with("[ FAIL ")
        && line.contains(" | WARN ")
        && line.contains(" | PASS ")
        && is_above_zero(line, "[ FAIL ")
}

/// Parses `── Failure ('test-sums.R:3:3'): adds ──────`.
fn testthat_found(line: &str) -> Option<Failure> {
    let rest = line
        .strip_prefix("── Failure (")
        .or_else(|| line.strip_prefix("── Error ("))?;
    let (place, name) = rest.split_once("): ")?;
    let place = location::exact(place.trim_matches('\''));
    let name = name.trim_end().trim_end_matches('─').trim_end();
    Some(Failure::at(name, "", place))
}

/// Matches lines like `1 success / 1 failure / 0 errors / 0 pending : 0.002 seconds`.
fn busted(line: &str) -> bool {
    let list = line.split_once(" : ").map_or("", |(list, _)| list);
    let parts = crate::text::pairs(list, " / ").unwrap_or_default();
    let failed = |what: &str| what.starts_with("failure") || what.starts_with("error");
    parts.len() == 4
        && parts[0].1.starts_with("success")
        && parts.iter().any(|(count, what)| *count > 0 && failed(what))
}

/// Matches lines like `│              assertions │        2 │        1 │` (Newman).
fn newman(line: &str) -> bool {
    let cells: Vec<&str> = line.trim().split('│').map(str::trim).collect();
    let ["", label, executed, failed, ""] = cells[..] else {
        return false;
    };
    let own = [
        "iterations",
        "requests",
        "test-scripts",
        "prerequest-scripts",
        "assertions",
    ];
    own.contains(&label) && is_uint(executed) && is_uint(failed) && failed != "0"
}

/// Matches lines like `time="…" level=error msg="thresholds on metrics 'checks' have been crossed"` (k6). A failed check alone
/// does not fail a k6 run.
fn k6(line: &str) -> bool {
    (line.starts_with("time=\"") || line.starts_with("ERRO["))
        && line.contains("thresholds on metrics '")
        && (line.contains("' have been crossed") || line.contains("' have been breached"))
}

/// Matches lines like `***Test Failed*** 1 failures.` (Python's doctest).
fn doctest(line: &str) -> bool {
    line.starts_with("***Test Failed*** ")
}

/// Parses `File "a.py", line 3, in a.f`.
fn doctest_found(line: &str) -> Option<Failure> {
    let (_, name) = line.strip_prefix("File \"")?.rsplit_once(", in ")?;
    Some(Failure::at(name.trim(), "", location::python_frame(line)))
}

/// Matches lines like `Encountered a total of 1 failing tests, 1 tests succeeded` (Forge).
fn forge(line: &str) -> bool {
    line.starts_with("Encountered a total of ") && is_above_zero(line, "Encountered a total of ")
}

/// Parses `[FAIL: assertion failed: -1 != 3] test_adds() (gas: 100)`.
fn forge_found(line: &str) -> Option<Failure> {
    let (said, name) = line.strip_prefix("[FAIL")?.split_once("] ")?;
    let name = name.split(" (").next().unwrap_or(name);
    let said = said.trim_start_matches([':', '.']).trim();
    Some(Failure::at(name, said, None))
}

/// Matches lines like `Done. PASS=1 WARN=0 ERROR=1 SKIP=0 TOTAL=2` (dbt), which begins with the time.
fn dbt(line: &str) -> bool {
    line.split_once("Done. PASS=").is_some_and(|(time, list)| {
        time.bytes()
            .all(|byte| byte.is_ascii_digit() || b": ".contains(&byte))
            && is_above_zero(list, " ERROR=")
    })
}

/// Matches lines like `Failure! 1 passed, 1 failed.` (`terraform test`).
fn terraform(line: &str) -> bool {
    let list = line.trim_end().strip_prefix("Failure! ");
    list.is_some_and(|list| counts(list.trim_end_matches('.'), &["failed"]))
}

/// Parses `  run "adds"... fail`.
fn terraform_found(line: &str) -> Option<Failure> {
    let name = line
        .trim()
        .strip_prefix("run \"")?
        .strip_suffix("\"... fail")?;
    named(name)
}

/// Matches lines like `FAIL: 1/2` (`opa test`).
fn opa(line: &str) -> bool {
    line.strip_prefix("FAIL: ")
        .and_then(|share| share.trim_end().split_once('/'))
        .is_some_and(|(failed, all)| is_uint(failed) && is_uint(all) && failed != "0")
}

/// Parses `data.sums.test_adds: FAIL (1ms)`.
fn opa_found(line: &str) -> Option<Failure> {
    let name = before(line, ": FAIL")?;
    name.starts_with("data.").then(|| named(name))?
}

/// Matches lines like `    ✖  1 of 1 failed (100%)                     00:01        2` (Cypress).
fn cypress(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("✖  ");
    rest.and_then(|rest| rest.split_once(" failed ("))
        .and_then(|(list, _)| list.split_once(" of "))
        .is_some_and(|(failed, all)| is_uint(failed) && is_uint(all))
}

/// Parses `  │ ✖  sum.cy.js                                00:01        2        1 …`.
fn cypress_found(line: &str) -> Option<Failure> {
    let rest = line.trim_start().strip_prefix("│ ✖  ")?;
    let file = rest.split("  ").next()?.trim();
    let mut failure = named(file)?;
    failure.file = Some(file.to_owned());
    Some(failure)
}

/// Matches lines like `Spec Files:      0 passed, 1 failed, 1 total (100% completed) in 00:00:03` (WebdriverIO).
fn wdio(line: &str) -> bool {
    line.strip_prefix("Spec Files:")
        .is_some_and(|list| list.contains(" completed)") && counts(list.trim(), &["failed"]))
}

/// Matches lines like `1/2 failed (3s)` (TestCafe).
fn testcafe(line: &str) -> bool {
    let text = without_time(line);
    text.len() < line.trim_end().len()
        && text
            .trim_start()
            .strip_suffix(" failed")
            .and_then(|share| share.split_once('/'))
            .is_some_and(|(failed, all)| is_uint(failed) && is_uint(all) && failed != "0")
}

/// Matches lines like `Chrome: 1/1 test files | 1 passed, 1 failed` (Web Test Runner).
fn web_test_runner(line: &str) -> bool {
    line.split_once(" test files | ")
        .is_some_and(|(head, list)| {
            head.contains(": ") && head.contains('/') && counts(list.trim_end(), &["failed"])
        })
}

/// Parses `Test suite spec: FAIL` (Cabal).
fn cabal(line: &str) -> Option<Failure> {
    named(
        line.trim_end()
            .strip_prefix("Test suite ")?
            .strip_suffix(": FAIL")?,
    )
}

/// Parses `  py311: FAIL code 1 (0.5=setup[0.1]+cmd[0.4] seconds)` (tox).
fn tox(line: &str) -> Option<Failure> {
    let (name, said) = line.strip_prefix("  ")?.split_once(": FAIL code ")?;
    (!name.contains(' ') && said.contains("=setup[")).then(|| Failure::at(name, line.trim(), None))
}

/// Parses `nox > * tests: failed`.
fn nox(line: &str) -> Option<Failure> {
    named(
        line.trim_end()
            .strip_prefix("nox > * ")?
            .strip_suffix(": failed")?,
    )
}

const fn row(
    program: &'static str,
    closes: fn(&str) -> bool,
    names: fn(&str) -> Option<Failure>,
) -> Row {
    Row {
        program,
        hint: JUNIT,
        closes,
        names,
    }
}

pub(super) const ROWS: &[Row] = &[
    row("uvu", |line| uvu(line).is_some(), uvu),
    row("Bazel", bazel, bazel_found),
    row("Meson", meson, meson_found),
    row("Automake", automake, automake_found),
    row("Boost.Test", boost, boost_found),
    row("Qt Test", qtest, qtest_found),
    row("Unity", unity, unity_found),
    row("Check", check, check_found),
    row("clojure.test", clojure, clojure_found),
    row("tasty", tasty, tasty_found),
    row("Zig", zig, zig_found),
    row("Julia", julia, julia_found),
    row("testthat", testthat, testthat_found),
    row("busted", busted, nothing),
    row("Newman", newman, nothing),
    row("k6", k6, nothing),
    row("doctest", doctest, doctest_found),
    row("Forge", forge, forge_found),
    row("dbt", dbt, nothing),
    row("Terraform", terraform, terraform_found),
    row("OPA", opa, opa_found),
    row("Cypress", cypress, cypress_found),
    row("WebdriverIO", wdio, nothing),
    row("TestCafe", testcafe, nothing),
    row("Web Test Runner", web_test_runner, nothing),
    row("Cabal", |line| cabal(line).is_some(), cabal),
    row("tox", |line| tox(line).is_some(), tox),
    row("nox", |line| nox(line).is_some(), nox),
];
