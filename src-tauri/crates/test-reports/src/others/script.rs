//! Parses lines of test programs for JavaScript, Ruby, Elixir and Perl.

use super::lines::named;
use crate::{
    location,
    report::{Counts, Failure},
    text::{indent, pair, pairs, without_time},
};

/// Parses `1 doctest, 5 tests, 1 failure, 1 skipped`.
pub(super) fn exunit(line: &str) -> Option<Counts> {
    let parts = pairs(line, ", ")?;
    let known = [
        "test", "doctest", "propert", "failure", "skipped", "excluded", "invalid",
    ];
    if !parts
        .iter()
        .all(|(_, what)| known.iter().any(|word| what.starts_with(word)))
    {
        return None;
    }
    let count = |word: &str| {
        parts
            .iter()
            .filter(|(_, what)| what.starts_with(word))
            .map(|(count, _)| *count)
            .sum::<u64>()
    };
    parts.iter().find(|(_, what)| what.starts_with("failure"))?;
    let total = count("test")
        .saturating_add(count("doctest"))
        .saturating_add(count("propert"));
    let failed = count("failure").saturating_add(count("invalid"));
    let aside = count("skipped").saturating_add(count("excluded"));
    Some(Counts::of(
        total.saturating_sub(failed).saturating_sub(aside),
        failed,
    ))
}

/// Parses `  1) test adds (SumsTest)`.
pub(super) fn exunit_failed(line: &str) -> Option<Failure> {
    let (number, name) = line.trim_start().split_once(") ")?;
    number.parse::<u32>().ok()?;
    let name = name.trim_end();
    let fits = ["test ", "doctest ", "property "]
        .iter()
        .any(|word| name.starts_with(word))
        && name.ends_with(')');
    (fits && indent(line) >= 2).then(|| named(name))?
}

/// Parses `12 runs, 20 assertions, 1 failures, 0 errors, 0 skips`.
pub(super) fn minitest(line: &str) -> Option<Counts> {
    let list = line
        .split(", ")
        .take_while(|part| !part.contains("% passed"));
    let parts: Vec<_> = list.map(pair).collect::<Option<_>>()?;
    let count = |words: &[&str]| {
        parts
            .iter()
            .find(|(_, what)| words.contains(what))
            .map(|(count, _)| *count)
    };
    let total = count(&["runs", "tests", "run", "test"])?;
    count(&["assertions", "assertion"])?;
    let failed = count(&["failures", "failure"])?.saturating_add(count(&["errors", "error"])?);
    let aside = count(&["skips", "pendings"])
        .unwrap_or(0)
        .saturating_add(count(&["omissions"]).unwrap_or(0));
    Some(Counts::of(
        total.saturating_sub(failed).saturating_sub(aside),
        failed,
    ))
}

/// Parses `SumsTest#test_adds [test/sums_test.rb:10]:` and `Failure: test_adds(SumsTest)`.
pub(super) fn minitest_failed(line: &str) -> Option<Failure> {
    if let Some(name) = line
        .strip_prefix("Failure: ")
        .or_else(|| line.strip_prefix("Error: "))
    {
        return (name.contains('(') && name.starts_with("test")).then(|| {
            named(
                name.split(')')
                    .next()
                    .map(|name| format!("{name})"))
                    .as_deref()
                    .unwrap_or(name),
            )
        })?;
    }
    let text = line.strip_suffix(':')?;
    let (name, place) = text.split_once(" [").map_or((text, None), |(name, place)| {
        (name, place.strip_suffix(']'))
    });
    let (class, test) = name.split_once('#')?;
    (!class.contains(' ') && test.starts_with("test_"))
        .then(|| Failure::at(name.trim(), "", place.and_then(location::exact)))
}

/// Parses `  1 failed`, `  2 flaky`, `  5 passed (3.2s)`.
pub(super) fn playwright(line: &str) -> Option<Counts> {
    if indent(line) != 2 {
        return None;
    }
    let (count, what) = pair(line)?;
    match what.split_once(" (") {
        Some(("passed", time)) if time.ends_with("s)") || time.ends_with("m)") => {
            Some(Counts::of(count, 0))
        }
        None if matches!(what, "failed" | "interrupted") => Some(Counts::of(0, count)),
        None if what == "flaky" => Some(Counts::of(count, 0)),
        _ => None,
    }
}

/// Parses `    [chromium] › a.spec.ts:3:1 › adds ─────`.
pub(super) fn playwright_failed(line: &str) -> Option<Failure> {
    let text = line.trim().trim_end_matches('─').trim_end();
    let text = match text.split_once(") ") {
        Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
        // The list at the end also contains these failures.
        _ => return None,
    };
    let mut parts = text.split(" › ");
    let first = parts.next()?;
    let place = if first.starts_with('[') {
        parts.next()?
    } else {
        first
    };
    let place = location::exact(place)?;
    let name: Vec<&str> = parts.collect();
    (!name.is_empty()).then(|| Failure::at(&name.join(" › "), "", Some(place)))
}

/// Parses ` 5 pass` and ` 1 fail`.
pub(super) fn bun(line: &str) -> Option<Counts> {
    if indent(line) != 1 {
        return None;
    }
    let (count, what) = pair(line)?;
    match what {
        "pass" => Some(Counts::of(count, 0)),
        "fail" => Some(Counts::of(0, count)),
        _ => None,
    }
}

/// Parses `(fail) sums > adds [0.12ms]`.
pub(super) fn bun_failed(line: &str) -> Option<Failure> {
    let rest = line
        .strip_prefix("(fail) ")
        .or_else(|| line.strip_prefix("✗ "))?;
    named(rest.rsplit_once(" [").map_or(rest, |(name, _)| name))
}

/// Parses `FAILED | 1 passed | 1 failed (13ms)`.
pub(super) fn deno(line: &str) -> Option<Counts> {
    let line = without_time(line);
    let rest = line
        .strip_prefix("FAILED | ")
        .or_else(|| line.strip_prefix("ok | "))?;
    let mut counts = Counts::of(0, 0);
    for part in rest.split(" | ") {
        let (count, what) = pair(part)?;
        match what.split(' ').next()? {
            "passed" => counts.passed = Some(count),
            "failed" => counts.failed = Some(count),
            _ => {}
        }
    }
    Some(counts)
}

/// Parses `adds => ./sums_test.ts:8:6`. This line occurs in two lists. In one of them, a line that begins with `error:`
/// follows it.
pub(super) fn deno_failed(line: &str) -> Option<Failure> {
    let (name, place) = line.split_once(" => ")?;
    let place = location::exact(place)?;
    (indent(line) == 0 && place.0.starts_with('.')).then(|| Failure::at(name, "", Some(place)))
}

/// Parses `  3 tests passed` and `  1 test failed`.
pub(super) fn ava(line: &str) -> Option<Counts> {
    if indent(line) != 2 {
        return None;
    }
    let (count, what) = pair(line)?;
    match what {
        "tests passed" | "test passed" => Some(Counts::of(count, 0)),
        "tests failed"
        | "test failed"
        | "uncaught exceptions"
        | "uncaught exception"
        | "unhandled rejection"
        | "unhandled rejections" => Some(Counts::of(0, count)),
        _ => None,
    }
}

/// Parses `  ✘ [fail]: adds badly Difference`.
pub(super) fn ava_failed(line: &str) -> Option<Failure> {
    let (_, name) = line
        .trim_start()
        .strip_prefix(['✘', '✖'])?
        .split_once("[fail]: ")?;
    named(name)
}

/// Parses `5 specs, 1 failure` and `Executed 5 of 5 (1 FAILED) (0.1 secs / 0.1 secs)`.
pub(super) fn jasmine(line: &str) -> Option<Counts> {
    if let Some((_, rest)) = line.split_once("Executed ") {
        let (done, rest) = rest.split_once(" of ")?;
        let done: u64 = done.parse().ok()?;
        rest.contains("secs").then_some(())?;
        let failed = rest
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(" FAILED")?.0.parse().ok());
        let failed: u64 = failed.unwrap_or(0);
        return Some(Counts::of(done.saturating_sub(failed), failed));
    }
    let parts = pairs(line, ", ")?;
    let (total, what) = *parts.first()?;
    let failed = parts
        .iter()
        .find(|(_, what)| what.starts_with("failure"))?
        .0;
    let pending = parts
        .iter()
        .find(|(_, what)| what.starts_with("pending"))
        .map_or(0, |(count, _)| *count);
    (what == "specs" || what == "spec")
        .then(|| Counts::of(total.saturating_sub(failed).saturating_sub(pending), failed))
}

/// Parses Jasmine's `1) sums adds` and Karma's `Chrome Headless 120 (Linux) sums adds FAILED`.
pub(super) fn jasmine_failed(line: &str) -> Option<Failure> {
    if let Some((number, name)) = line.split_once(") ")
        && number.parse::<u32>().is_ok()
    {
        return named(name);
    }
    let name = line.strip_suffix(" FAILED")?;
    (indent(line) == 0 && name.contains(") ") && !name.contains("Executed "))
        .then(|| named(name))?
}

/// Parses `Result: FAIL`.
pub(super) fn prove(line: &str) -> Option<Counts> {
    match line.trim_end() {
        "Result: PASS" => Some(Counts {
            passed: None,
            failed: Some(0),
        }),
        "Result: FAIL" => Some(Counts {
            passed: None,
            failed: None,
        }),
        _ => None,
    }
}

/// Parses `t/sums.t (Wstat: 256 Tests: 3 Failed: 1)`.
pub(super) fn prove_failed(line: &str) -> Option<Failure> {
    let (name, rest) = line.split_once(" (Wstat: ")?;
    let name = name.trim();
    let mut failure = named(name)?;
    failure.file = Some(name.to_owned());
    failure.message = rest
        .trim_end()
        .strip_suffix(')')
        .map(|rest| format!("Wstat: {rest}"));
    Some(failure)
}
