//! Parses lines of test programs for the JVM, C++, Swift, Go and Dart, and of tools for behavior-driven development.

use super::lines::{named, without_level};
use crate::{
    location,
    report::{Counts, Failure},
    text::{after, indent, pair, pairs, without_time},
};

/// Parses `[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`. Lines for single classes, which end with a time, do
/// not match.
pub(super) fn maven(line: &str) -> Option<Counts> {
    let text = without_level(line).trim();
    if !text.starts_with("Tests run: ")
        || text.contains("Time elapsed")
        || !text.contains("Errors: ")
    {
        return None;
    }
    let count = |label| after(text, label).unwrap_or(0);
    let failed = count("Failures: ").saturating_add(count("Errors: "));
    let run = count("Tests run: ").saturating_sub(count("Skipped: "));
    Some(Counts::of(run.saturating_sub(failed), failed))
}

/// Parses `[ERROR]   SumsTest.adds:12 expected: <5> but was: <4>`.
pub(super) fn maven_failed(line: &str) -> Option<Failure> {
    let text = line.strip_prefix("[ERROR]   ")?;
    let (name, message) = text.split_once(' ').unwrap_or((text, ""));
    let name = name.split("->").next().unwrap_or(name);
    let (test, number) = name.rsplit_once(':').unwrap_or((name, ""));
    if !test.contains('.')
        || test.contains('/')
        || !number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let mut failure = Failure::at(test, message.trim(), None);
    failure.line = number.parse().ok().filter(|line| *line > 0);
    Some(failure)
}

/// Parses `5 tests completed, 1 failed, 1 skipped`.
pub(super) fn gradle(line: &str) -> Option<Counts> {
    let parts = pairs(line.trim(), ", ")?;
    let (total, what) = *parts.first()?;
    if what != "tests completed" && what != "test completed" {
        return None;
    }
    let count = |word: &str| {
        parts
            .iter()
            .find(|(_, what)| *what == word)
            .map_or(0, |(count, _)| *count)
    };
    let failed = count("failed");
    Some(Counts::of(
        total
            .saturating_sub(failed)
            .saturating_sub(count("skipped")),
        failed,
    ))
}

/// Parses `SumsTest > adds() FAILED`.
pub(super) fn gradle_failed(line: &str) -> Option<Failure> {
    let name = line.strip_suffix(" FAILED")?;
    (indent(line) == 0 && name.contains(" > ")).then(|| named(name))?
}

/// Parses `[  PASSED  ] 4 tests.` and `[  FAILED  ] 1 test, listed below:`.
pub(super) fn gtest(line: &str) -> Option<Counts> {
    let (passed, rest) = match line.strip_prefix("[  PASSED  ] ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("[  FAILED  ] ")?),
    };
    let (count, what) = pair(rest)?;
    if !what.starts_with("test") {
        return None;
    }
    Some(if passed {
        Counts::of(count, 0)
    } else {
        Counts::of(0, count)
    })
}

/// Parses `[  FAILED  ] Sums.Adds (0 ms)`, and cmocka's `[  FAILED  ] test_adds`.
pub(super) fn gtest_failed(line: &str) -> Option<Failure> {
    let rest = line.strip_prefix("[  FAILED  ] ")?;
    let name = without_time(rest);
    if !rest.trim_end().contains([' ', '.', ':', ',']) {
        return named(rest);
    }
    (name.len() < rest.trim_end().len() && name.contains('.'))
        .then(|| named(name.split(", where").next().unwrap_or(name)))?
}

/// Parses `test cases: 3 | 2 passed | 1 failed`.
pub(super) fn catch(line: &str) -> Option<Counts> {
    if let Some(rest) = line.strip_prefix("All tests passed (") {
        let (_, cases) = rest.split_once(" in ")?;
        return Some(Counts::of(pair(cases)?.0, 0));
    }
    let rest = line.strip_prefix("[doctest] ").unwrap_or(line);
    let rest = rest.strip_prefix("test cases:")?;
    let mut parts = rest.split('|').map(str::trim);
    parts.next()?.parse::<u64>().ok()?;
    let mut counts = Counts::of(0, 0);
    for (count, what) in parts.filter_map(pair) {
        match what {
            "passed" => counts.passed = Some(count),
            "failed" => counts.failed = Some(count),
            _ => {}
        }
    }
    Some(counts)
}

/// Parses `Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds`.
pub(super) fn xctest(line: &str) -> Option<Counts> {
    let rest = line.trim().strip_prefix("Executed ")?;
    let (tests, rest) = rest.split_once(", with ")?;
    let (total, what) = pair(tests)?;
    let failed = rest.split(" (").next().and_then(|words| {
        let failures = words.split(" and ").last()?;
        pair(failures)
    })?;
    (what.starts_with("test") && failed.1.starts_with("failure"))
        .then(|| Counts::of(total.saturating_sub(failed.0), failed.0))
}

/// Parses `/src/SumsTests.swift:12: error: -[Sums.SumsTests testAdds] : XCTAssertEqual failed`.
pub(super) fn xctest_failed(line: &str) -> Option<Failure> {
    let (place, rest) = location::leading(line)?;
    let (name, message) = rest
        .trim_start()
        .strip_prefix("error: ")?
        .split_once(" : ")?;
    let name = name.trim_start_matches("-[").trim_end_matches(']');
    (place.0.ends_with(".swift") || place.0.ends_with(".m"))
        .then(|| Failure::at(name, message, Some(place)))
}

/// Parses `✘ Test run with 5 tests failed after 0.1 seconds with 2 issues.`.
pub(super) fn swift(line: &str) -> Option<Counts> {
    let (_, rest) = line.split_once(" Test run with ")?;
    let (total, rest) = rest.split_once(" test")?;
    let total: u64 = total.parse().ok()?;
    Some(if rest.contains(" failed after") {
        Counts {
            passed: None,
            failed: Some(after(rest, " with ").unwrap_or(1)),
        }
    } else {
        Counts::of(total, 0)
    })
}

/// Parses `✘ Test "adds" failed after 0.1 seconds with 1 issue.`.
pub(super) fn swift_failed(line: &str) -> Option<Failure> {
    let rest = line
        .trim_start()
        .strip_prefix(['✘', '􀢄'])?
        .trim_start()
        .strip_prefix("Test ")?;
    let (name, _) = rest.split_once(" failed after")?;
    (!name.starts_with("run with")).then(|| named(name.trim_matches('"')))?
}

/// Parses `DONE 5 tests, 1 skipped, 1 failure in 0.1s`.
pub(super) fn gotestsum(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("DONE ")?;
    let (list, _) = rest.rsplit_once(" in ")?;
    let parts = pairs(list, ", ")?;
    let count = |word: &str| {
        parts
            .iter()
            .filter(|(_, what)| what.starts_with(word))
            .map(|(count, _)| *count)
            .sum::<u64>()
    };
    parts.iter().find(|(_, what)| what.starts_with("test"))?;
    let failed = count("failure").saturating_add(count("error"));
    Some(Counts::of(
        count("test")
            .saturating_sub(failed)
            .saturating_sub(count("skipped")),
        failed,
    ))
}

/// Parses `=== FAIL: example.org/sums TestAdds (0.00s)`.
pub(super) fn gotestsum_failed(line: &str) -> Option<Failure> {
    named(without_time(line.strip_prefix("=== FAIL: ")?))
}

/// Parses `00:01 +3 -1: Some tests failed.`.
pub(super) fn dart(line: &str) -> Option<Counts> {
    let (head, said) = line.split_once(": ")?;
    if !matches!(said.trim_end(), "Some tests failed." | "All tests passed!") {
        return None;
    }
    let count = |mark: char| {
        head.split(' ')
            .find_map(|word| word.strip_prefix(mark)?.parse().ok())
            .unwrap_or(0)
    };
    Some(Counts::of(count('+'), count('-')))
}

/// Parses `00:01 +1 -1: adds [E]`.
pub(super) fn dart_failed(line: &str) -> Option<Failure> {
    let (head, name) = line.split_once(": ")?;
    let mut words = head.split(' ');
    let time = words.next()?;
    let is_time = time.contains(':')
        && time
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_count = |word: &str| {
        word.strip_prefix(['+', '~', '-'])
            .is_some_and(|count| count.parse::<u32>().is_ok())
    };
    let name = name.trim_end().strip_suffix(" [E]")?;
    (is_time && words.all(is_count)).then(|| named(name))?
}

/// Parses `2 tests, 1 passed, 1 failed`, which may end with `, 1 skipped`.
pub(super) fn robot(line: &str) -> Option<Counts> {
    let (total, list) = line
        .split_once(" tests, ")
        .or_else(|| line.split_once(" test, "))?;
    total.parse::<u64>().ok()?;
    let parts = pairs(list.trim_end(), ", ")?;
    let count = |word: &str| {
        let part = parts.iter().find(|(_, what)| *what == word);
        part.map(|(count, _)| *count)
    };
    Some(Counts::of(count("passed")?, count("failed")?))
}

/// Parses `Adds :: two numbers      | FAIL |`.
pub(super) fn robot_failed(line: &str) -> Option<Failure> {
    let name = line.trim_end().strip_suffix(" | FAIL |")?;
    (indent(line) == 0).then(|| named(name.split(" :: ").next().unwrap_or(name)))?
}

/// Parses ScalaTest's `- adds *** FAILED *** (3 milliseconds)` and behave's `  a.feature:2  adds`.
pub(super) fn sentences_failed(line: &str) -> Option<Failure> {
    let text = line.strip_prefix("[info] ").unwrap_or(line);
    if let Some((name, _)) = text.split_once(" *** FAILED ***") {
        return named(name.trim_start().strip_prefix("- ")?);
    }
    let (place, name) = line.strip_prefix("  ")?.split_once("  ")?;
    let place = location::exact(place).filter(|(file, _)| file.ends_with(".feature"))?;
    Some(Failure::at(name.trim(), "", Some(place)))
}

/// Parses `Tests: succeeded 4, failed 1, canceled 0, …`, `5 scenarios (1 failed, 4 passed)` and `4 scenarios passed, 1 failed, 0
/// skipped`.
pub(super) fn sentences(line: &str) -> Option<Counts> {
    let text = without_level(line.strip_prefix("[info] ").unwrap_or(line)).trim();
    if let Some(rest) = text.strip_prefix("Tests: succeeded ") {
        let failed = after(rest, "failed ")?;
        return Some(Counts::of(rest.split(',').next()?.parse().ok()?, failed));
    }
    let behave = text
        .split_once(" scenarios passed, ")
        .or_else(|| text.split_once(" scenario passed, "));
    if let Some((passed, list)) = behave {
        let parts = pairs(list, ", ")?;
        let failed = parts
            .iter()
            .filter(|(_, what)| matches!(*what, "failed" | "error" | "errors" | "undefined"));
        let failed = failed.map(|(count, _)| *count).sum();
        return Some(Counts::of(passed.parse().ok()?, failed));
    }
    let (total, list) = text
        .split_once(" scenarios (")
        .or_else(|| text.split_once(" scenario ("))?;
    total.parse::<u64>().ok()?;
    let list = list.strip_suffix(')')?;
    let parts = pairs(list, ", ")?;
    let count = |word: &str| {
        parts
            .iter()
            .find(|(_, what)| *what == word)
            .map_or(0, |(count, _)| *count)
    };
    Some(Counts::of(
        count("passed"),
        count("failed").saturating_add(count("undefined")),
    ))
}
