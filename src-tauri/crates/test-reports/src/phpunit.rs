//! Reads the output of PHPUnit, with or without `--testdox`, and of Pest.

use std::collections::HashSet;

use crate::{
    location,
    report::{Counts, Failure, Found},
    text::{add_body, after, dedent, indent, pairs, without_time},
};

/// Parses `Tests: 12, Assertions: 8, Errors: 1, Failures: 4, Skipped: 1.` or `OK (3 tests, 4 assertions)`.
fn sum(line: &str) -> Option<Counts> {
    if line.starts_with("Tests: ") && line.contains("Assertions: ") {
        let count = |label| after(line, label).unwrap_or(0);
        let failed = count("Errors: ").saturating_add(count(" Failures: "));
        let aside = count("Skipped: ").saturating_add(count("Incomplete: "));
        let passed = after(line, "Tests: ")?
            .saturating_sub(failed)
            .saturating_sub(aside);
        return Some(Counts::of(passed, failed));
    }
    let rest = line.strip_prefix("OK (")?.strip_suffix(')')?;
    let parts = pairs(rest, ", ")?;
    let (tests, what) = *parts.first()?;
    (what.starts_with("test") && parts.get(1)?.1.starts_with("assertion"))
        .then(|| Counts::of(tests, 0))
}

/// Parses Pest's `  Tests:    1 failed, 2 passed (3 assertions)`.
fn pest(line: &str) -> Option<Counts> {
    let rest = line.trim_start().strip_prefix("Tests:")?;
    let rest = match rest.rsplit_once(" (") {
        Some((rest, assertions)) if assertions.contains(" assertion") => rest,
        // Only versions that indent their output omit the assertions.
        _ if line.starts_with("  ") => rest,
        _ => return None,
    };
    let parts = pairs(rest, ", ")?;
    let count = |word: &str| {
        parts
            .iter()
            .filter(|(_, what)| *what == word)
            .map(|(count, _)| *count)
            .sum::<u64>()
    };
    let known = [
        "passed",
        "failed",
        "skipped",
        "todo",
        "todos",
        "risky",
        "warnings",
        "incomplete",
        "pending",
        "notices",
        "deprecated",
    ];
    parts
        .iter()
        .all(|(_, what)| known.contains(what))
        .then(|| Counts::of(count("passed"), count("failed")))
}

/// Parses `1) SumTest::testAdds`.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.split_once(") ")?;
    number.parse::<u32>().ok()?;
    (!name.is_empty()).then_some(name.trim_end())
}

fn failure(name: &str, body: &str) -> Failure {
    let place = location::first(body);
    let said: Vec<&str> = body
        .lines()
        .filter(|line| location::exact(line).is_none_or(|(path, _)| path.contains(' ')))
        .collect();
    Failure::at(name, &dedent(&said.join("\n")), place)
}

/// Reads the blocks below `There were 4 failures:`.
fn blocks(output: &str, found: &mut Found) {
    let mut bad = false;
    let mut open: Option<(String, String)> = None;
    let mut end = |open: &mut Option<(String, String)>| {
        if let Some((name, body)) = open.take() {
            found.add(failure(&name, &body));
        }
    };
    for line in output.lines() {
        let heading = line
            .strip_prefix("There was ")
            .or_else(|| line.strip_prefix("There were "));
        if let Some(what) = heading.and_then(|rest| rest.strip_suffix(':')) {
            end(&mut open);
            bad = ["error", "errors", "failure", "failures"]
                .iter()
                .any(|word| what.ends_with(&format!(" {word}")))
                && !what.contains("warning")
                && !what.contains("deprecat");
        } else if line == "--"
            || sum(line).is_some()
            || matches!(line, "ERRORS!" | "FAILURES!")
            || line.starts_with("OK, but ")
        {
            end(&mut open);
            bad &= line == "--";
        } else if bad && let Some(name) = numbered(line) {
            end(&mut open);
            open = Some((name.to_owned(), String::new()));
        } else if let Some((_, body)) = &mut open {
            add_body(body, line);
        }
    }
    end(&mut open);
}

/// Reads ` ✘ Adds badly` below the name of its class, with the details after `│`.
fn testdox(output: &str, found: &mut Found) {
    let mut class = "";
    let mut known = HashSet::new();
    let mut run = 0_u32;
    let mut open: Option<(String, String)> = None;
    let mut end = |open: &mut Option<(String, String)>, run: u32| {
        if let Some((name, body)) = open.take()
            && known.insert((run, name.clone()))
        {
            found.add(failure(&name, &body));
        }
    };
    for line in output.lines() {
        if sum(line).is_some() {
            end(&mut open, run);
            // PHPUnit lists failures twice within a run, but a failure in another run is a separate one.
            run += 1;
        } else if let Some(name) = line.strip_prefix(" ✘ ") {
            end(&mut open, run);
            let name = match name.rsplit_once(" [") {
                Some((name, time)) if time.ends_with(" ms]") => name,
                _ => name,
            };
            open = Some((format!("{class} › {}", name.trim_end()), String::new()));
        } else if let Some(said) = line.trim_start().strip_prefix(['│', '┐', '├', '┊', '┴'])
        {
            if let Some((_, body)) = &mut open {
                add_body(body, said.strip_prefix(' ').unwrap_or(said));
            }
        } else if !line.is_empty() && indent(line) == 0 {
            end(&mut open, run);
            class = line.trim_end();
        } else if !line.trim().is_empty() {
            end(&mut open, run);
        }
    }
    end(&mut open, run);
}

/// Reads Pest's `   FAILED  Tests\Unit\SumTest > it adds   AssertionFailed`, or its list with check marks.
fn pest_blocks(output: &str, found: &mut Found) {
    let mut open: Option<(String, String)> = None;
    let mut crosses: Vec<String> = Vec::new();
    let end = |open: &mut Option<(String, String)>, found: &mut Found| {
        if let Some((name, body)) = open.take() {
            let said: Vec<&str> = body
                .lines()
                .take_while(|line| {
                    let line = line.trim_start();
                    !line.starts_with("at ") && !line.starts_with('─')
                })
                .collect();
            found.add(Failure::at(
                &name,
                &dedent(&said.join("\n")),
                location::first(&body),
            ));
        }
    };
    for line in output.lines() {
        let text = line.trim_start();
        let failed = text
            .strip_prefix("FAILED  ")
            .or_else(|| text.strip_prefix("• "))
            .filter(|name| name.contains(" > "));
        if let Some(name) = failed.filter(|_| indent(line) > 0) {
            end(&mut open, found);
            // The type of the exception is right-aligned.
            let name = name.split("  ").next().unwrap_or(name);
            open = Some((name.trim().to_owned(), String::new()));
        } else if pest(line).is_some() {
            end(&mut open, found);
        } else if let Some((_, body)) = &mut open {
            add_body(body, line);
        } else if let Some(name) = text.strip_prefix("⨯ ") {
            crosses.push(without_time(name.split("  ").next().unwrap_or(name)).to_owned());
        }
    }
    end(&mut open, found);
    if found.failures.is_empty() {
        for name in crosses {
            found.add(Failure {
                name,
                ..Failure::default()
            });
        }
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut pests = false;
    for line in output.lines() {
        if let Some(counts) = sum(line) {
            found.counts = crate::report::sum(found.counts, Some(counts));
        } else if let Some(counts) = pest(line) {
            found.counts = crate::report::sum(found.counts, Some(counts));
            pests = true;
        }
    }
    let php = output.contains("by Sebastian Bergmann");
    if found.counts.is_none() && php && output.lines().any(|line| line == "No tests executed!") {
        found.counts = Some(Counts::of(0, 0));
    }
    // If a test ends the program, even with exit code 0, there is progress output but no result.
    let progress =
        |line: &str| !line.is_empty() && line.chars().all(|char| ".FEWSIRND".contains(char));
    let broken = php
        && found.counts.is_none()
        && (output.contains("There w") || output.lines().any(progress));
    if found.counts.is_none() && !broken {
        return None;
    }
    blocks(output, &mut found);
    if found.failures.is_empty() {
        testdox(output, &mut found);
    }
    if pests {
        pest_blocks(output, &mut found);
    }
    if broken && found.failures.is_empty() {
        found.add(Failure::at("PHPUnit", "It ended without a result.", None));
    }
    found.failed = broken
        || output
            .lines()
            .any(|line| matches!(line, "ERRORS!" | "FAILURES!"));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pest_names_its_failures() {
        let output = "\n   FAIL  Tests\\Unit\\SumTest\n  ✓ it holds                    0.01s\n  ⨯ it adds                     0.02s\n  ────────────\n   FAILED  Tests\\Unit\\SumTest > it adds\n  Failed asserting that 4 is identical to 5.\n\n  at tests/Unit/SumTest.php:6\n      2▕\n  ➜   6▕     expect(4)->toBe(5);\n\n\n  Tests:    1 failed, 1 passed (2 assertions)\n  Duration: 0.09s\n";
        let found = parse(output).unwrap();
        assert_eq!(found.counts, Some(Counts::of(1, 1)));
        let failure = &found.failures[0];
        assert_eq!(failure.name, "Tests\\Unit\\SumTest > it adds");
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("tests/Unit/SumTest.php"), Some(6))
        );
        assert_eq!(
            failure.message.as_deref(),
            Some("Failed asserting that 4 is identical to 5.")
        );
        // Jest prints a line of this form with a total.
        assert_eq!(parse("Tests:       1 failed, 2 passed, 3 total\n"), None);
    }
}
