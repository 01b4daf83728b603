//! Reads the output of CTest, with or without the output of its tests.

use std::collections::HashMap;

use crate::{
    location,
    report::{Counts, Failure, Found},
    text::{add_body, dedent, some},
};

/// A line with the result of a test: `2/8 Test #2: adds badly ......***Failed    0.01 sec`.
struct Ended<'a> {
    number: &'a str,
    name: &'a str,
    /// The reason for the failure, or `None` if the test passed.
    failed: Option<&'a str>,
}

fn ended(line: &str) -> Option<Ended<'_>> {
    let (_, rest) = line.split_once(" Test ")?;
    let (number, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    let (name, status) = match rest.split_once("***") {
        Some((name, status)) => (name, Some(status)),
        None => (rest.split_once(" Passed ")?.0, None),
    };
    let name = name.trim_end().trim_end_matches('.').trim_end();
    let failed = status.map(|status| {
        let words = status.strip_suffix(" sec").unwrap_or(status).trim_end();
        words
            .trim_end_matches(|char: char| char.is_ascii_digit() || char == '.')
            .trim_end()
    });
    let aside =
        |status: &str| status.starts_with("Skipped") || status.starts_with("Not Run (Disabled)");
    Some(Ended {
        number,
        name,
        failed: failed.filter(|status| !aside(status)),
    })
}

/// Parses the numbers of passed and failed tests from `29% tests passed, 5 tests failed out of 7`.
fn sum(line: &str) -> Option<(u64, u64)> {
    let (share, rest) = line.split_once("% tests passed, ")?;
    share.trim().parse::<u64>().ok()?;
    let (failed, rest) = rest.split_once(' ')?;
    let (_, total) = rest.split_once("failed out of ")?;
    let failed = failed.parse().ok()?;
    let total: u64 = total.trim().parse().ok()?;
    Some((total.saturating_sub(failed), failed))
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    if !output.contains(" Test ")
        && !output.contains("% tests passed")
        && !output.contains("No tests were found!!!")
    {
        return None;
    }
    let mut found = Found::default();
    let mut totals: Option<Counts> = None;
    let mut listed: Vec<(String, String, String)> = Vec::new();
    let mut bodies: HashMap<String, String> = HashMap::new();
    let mut current: Option<String> = None;
    let (mut listing, mut skipping, mut skipped, mut seen) = (false, false, 0_u64, false);
    for line in output.lines() {
        if let Some(test) = ended(line) {
            seen = true;
            current = None;
            if let Some(status) = test.failed {
                current = Some(test.number.to_owned());
                listed.push((
                    test.number.to_owned(),
                    test.name.to_owned(),
                    status.to_owned(),
                ));
            }
        } else if let Some((passed, failed)) = sum(line) {
            totals = crate::report::sum(totals, Some(Counts::of(passed, failed)));
            current = None;
        } else if line.starts_with("No tests were found!!!") {
            totals = crate::report::sum(totals, Some(Counts::of(0, 0)));
        } else if line.starts_with("The following tests FAILED:") {
            (listing, skipping, current) = (true, false, None);
        } else if line.starts_with("The following tests did not run:") {
            (skipping, listing) = (true, false);
        } else if (listing || skipping)
            && let Some((number, rest)) = line.trim_start().split_once(" - ")
        {
            if number.parse::<u64>().is_err() {
                continue;
            }
            let (name, status) = rest.rsplit_once(" (").unwrap_or((rest, ""));
            if skipping {
                skipped += u64::from(status.starts_with("Skipped"));
            } else if listed.len() < crate::limits::MAX_FAILURES
                && !listed.iter().any(|(known, _, _)| known == number)
            {
                let status = status.split(')').next().unwrap_or(status);
                listed.push((
                    number.to_owned(),
                    name.trim_end().to_owned(),
                    status.to_owned(),
                ));
            }
        } else if let Some((number, said)) = line
            .split_once(": ")
            .filter(|(number, _)| number.parse::<u64>().is_ok())
        {
            // With `-V`, the output precedes the result.
            if !said.starts_with("Test command: ")
                && !said.starts_with("Working Directory: ")
                && !said.starts_with("Test timeout computed")
            {
                add_body(bodies.entry(number.to_owned()).or_default(), said);
            }
        } else if line.starts_with("    Start ") || line.starts_with("test ") {
            current = None;
        } else if let Some(number) = &current {
            add_body(bodies.entry(number.clone()).or_default(), line);
        }
    }
    if totals.is_none() && !seen {
        return None;
    }
    for (number, name, status) in listed {
        let body = bodies
            .get(&number)
            .map(|body| dedent(body))
            .unwrap_or_default();
        let place = location::first(&body).or_else(|| {
            body.lines()
                .find_map(|line| location::leading(line).map(|(place, _)| place))
        });
        let message = match (status.is_empty(), some(&body)) {
            (_, None) => status,
            (true, Some(body)) => body,
            (false, Some(body)) => format!("{status}\n{body}"),
        };
        found.add(Failure::at(&name, &message, place));
    }
    found.counts = totals.map(|counts| Counts {
        passed: counts.passed.map(|passed| passed.saturating_sub(skipped)),
        ..counts
    });
    Some(found)
}
