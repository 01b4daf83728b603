//! `node --test` with its reporters `spec`, the default since Node.js 23, and `dot`.

use std::collections::HashMap;

use crate::{
    jest,
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_body, dedent, indent, without_time},
};

/// Depths of tests that are told apart.
const MAX_DEPTH: usize = 64;

/// `ℹ pass 3`
fn info<'a>(line: &'a str, what: &str) -> Option<&'a str> {
    line.strip_prefix("ℹ ")?
        .strip_prefix(what)?
        .strip_prefix(' ')
}

struct Block {
    name: String,
    place: Option<Place>,
    body: String,
}

impl Block {
    /// A group that failed because of what is in it says how many that were: `'2 subtests failed'`.
    fn is_group(&self) -> bool {
        let said = self.body.trim().trim_matches('\'');
        said.strip_suffix(" failed")
            .is_some_and(|rest| rest.ends_with(" subtest") || rest.ends_with(" subtests"))
    }

    fn failure(self) -> Failure {
        let own = |found: &Place| match &self.place {
            Some((file, _)) => found.0.ends_with(file.as_str()) || file.ends_with(found.0.as_str()),
            None => true,
        };
        let place = location::all(&self.body).find(own).or(self.place.clone());
        let lines = self.body.lines().take_while(|line| !jest::is_frame(line));
        let said: Vec<&str> = lines.collect();
        let said = dedent(&said.join("\n"));
        Failure::at(&self.name, said.trim_matches('\''), place)
    }
}

/// A failed line of the tree, in its order, with what failed below it.
struct Line {
    name: String,
    group: bool,
}

#[derive(Default)]
struct Session {
    listed: Vec<Block>,
    lines: Vec<Line>,
    /// By depth: names of groups that began and have not ended.
    open: HashMap<usize, String>,
    passed: Option<u64>,
    failed: u64,
}

impl Session {
    fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.lines.is_empty() && self.passed.is_none()
    }

    fn end(self, found: &mut Found) {
        if let Some(passed) = self.passed {
            let counts = Counts::of(passed, self.failed);
            found.counts = crate::report::sum(found.counts, Some(counts));
        }
        let listed = !self.listed.is_empty();
        for block in self.listed.into_iter().filter(|block| !block.is_group()) {
            found.add(block.failure());
        }
        if !listed {
            for line in self.lines.into_iter().filter(|line| !line.group) {
                found.add(Failure {
                    name: line.name,
                    ..Failure::default()
                });
            }
        }
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    if !output.contains(['ℹ', '✖']) {
        return None;
    }
    let mut found = Found::default();
    let mut session = Session::default();
    let (mut recognised, mut listed) = (false, false);
    let (mut listing, mut placed) = (false, false);
    let mut at: Option<Place> = None;
    for line in output.lines() {
        if let Some(count) = info(line, "pass").and_then(|count| count.trim().parse().ok()) {
            recognised = true;
            if session.passed.is_some() {
                std::mem::take(&mut session).end(&mut found);
            }
            session.passed = Some(count);
            listing = false;
        } else if let Some(count) = info(line, "fail").or_else(|| info(line, "cancelled")) {
            let count: u64 = count.trim().parse().unwrap_or(0);
            session.failed = session.failed.saturating_add(count);
        } else if line == "✖ failing tests:" || line == "Failed tests:" {
            listing = true;
            // Only `spec` says where each test is.
            placed = line == "✖ failing tests:";
        } else if let Some(place) = line.strip_prefix("test at ").and_then(location::exact) {
            // The list may have lost its title.
            (listing, placed) = (true, true);
            at = Some(place);
        } else if listing
            && (!placed || at.is_some())
            && let Some(name) = line.strip_prefix("✖ ")
        {
            (recognised, listed) = (true, true);
            let name = without_time(name).to_owned();
            session.listed.push(Block {
                name,
                place: at.take(),
                body: String::new(),
            });
        } else if listing && (line.starts_with("  ") || line.is_empty()) {
            if let Some(block) = session.listed.last_mut() {
                add_body(&mut block.body, line.strip_prefix("  ").unwrap_or(line));
            }
        } else {
            let text = line.trim_start();
            let depth = indent(line).min(MAX_DEPTH);
            if text.starts_with(['▶', '✖', '✔', '﹣']) && listing {
                // Another run begins.
                listing = false;
                std::mem::take(&mut session).end(&mut found);
            } else if session.passed.is_some()
                && !listing
                && text.starts_with(['▶', '✔'])
                && depth == 0
            {
                std::mem::take(&mut session).end(&mut found);
            }
            if let Some(name) = text.strip_prefix("▶ ") {
                let name = without_time(name);
                // Older versions end a group with the mark that began it.
                if session.open.get(&depth).map(String::as_str) == Some(name) {
                    session.open.remove(&depth);
                } else {
                    session.open.insert(depth, name.to_owned());
                }
            } else if let Some(name) = text.strip_prefix("✖ ") {
                let name = without_time(name.split(" # ").next().unwrap_or(name));
                let group = session.open.get(&depth).map(String::as_str) == Some(name);
                if group {
                    session.open.remove(&depth);
                }
                session.lines.push(Line {
                    name: name.to_owned(),
                    group,
                });
            }
        }
    }
    if !session.is_empty() {
        session.end(&mut found);
    }
    // ESLint's own last line has the same sign.
    recognised
        .then_some(found)
        .filter(|found| found.counts.is_some() || listed)
}
