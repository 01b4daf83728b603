//! Combines everything in an output into one report, even if it comes from several programs, one after the other or
//! interleaved and with line prefixes.

use std::borrow::Cow;

use crate::{
    annotations,
    format::Format,
    limits::MAX_FAILURES,
    others, parsers,
    report::{Report, sum},
    streams, text,
};

/// Reads every one of `formats` that occurs in the output. Returns `None` if none of them does.
pub(crate) fn read(output: &str, formats: &[Format]) -> Option<Report> {
    let output = text::plain(output);
    let mut parts = Vec::new();
    gather(&output, formats, 0, &mut parts);
    if formats.contains(&Format::Other) {
        let sure = others::sure(&output, &parts);
        parts.extend(sure);
    }
    parts.into_iter().reduce(join)
}

fn gather(output: &str, formats: &[Format], depth: usize, parts: &mut Vec<Report>) {
    let output = streams::without_times(output);
    let mut rest: Cow<str> = Cow::Borrowed(&output);
    if depth < streams::MAX_DEPTH
        && let Some(marked) = streams::split(&output)
    {
        // Lines with a prefix form a separate stream only if some format can be read from that stream.
        let read: Vec<bool> = marked
            .streams
            .iter()
            .map(|stream| {
                let before = parts.len();
                gather(stream, formats, depth + 1, parts);
                parts.len() > before
            })
            .collect();
        if read.contains(&true) {
            rest = Cow::Owned(marked.without(&output, &read));
        }
    }
    let mut found: Vec<Report> = Vec::new();
    for format in formats {
        if let Some(report) = parsers::parse(*format, &rest) {
            found.push(report);
        }
    }
    if formats.contains(&Format::Other) && found.iter().all(|one| one.failures.is_empty()) {
        // If no format names the failures, CI annotations may name them.
        let failures = annotations::failures(&rest);
        match found.iter_mut().find(|one| one.failed) {
            Some(report) => report.failures = failures,
            None if !failures.is_empty() => found.push(Report {
                format: Format::Other,
                failures,
                counts: None,
                failed: true,
                partly: None,
            }),
            None => {}
        }
    }
    let nextest = found.iter().any(|one| one.format == Format::Nextest);
    // nextest repeats the output of each test program, so the results of `cargo test` are dropped.
    found.retain(|one| !(nextest && one.format == Format::Cargo && one.counts.is_some()));
    // If a machine-readable report and plain output have the same results, they come from the same run.
    let machine = |format| matches!(format, Format::Junit | Format::Tap);
    let doubled: Vec<Format> = found
        .iter()
        .filter(|one| machine(one.format) && one.counts.is_some())
        .flat_map(|one| {
            found.iter().filter(move |other| {
                !machine(other.format)
                    && other.counts == one.counts
                    && other.failures.len() == one.failures.len()
            })
        })
        .map(|other| other.format)
        .collect();
    found.retain(|one| !doubled.contains(&one.format));
    if found.len() > 1 {
        // Results that consist only of totals are probably already in the results that another parser read in more detail.
        found.retain(|one| one.format != Format::Other || one.failed);
    }
    parts.extend(found);
}

fn join(mut one: Report, other: Report) -> Report {
    if other.failed && !one.failed {
        one.format = other.format;
    }
    let left = MAX_FAILURES.saturating_sub(one.failures.len());
    one.failures.extend(other.failures.into_iter().take(left));
    one.counts = sum(one.counts, other.counts);
    one.failed |= other.failed;
    one.partly = one.partly.or(other.partly);
    one
}
