//! Reads the output of `node --test` with the reporters `dot` and `spec`, which is the default since Node.js 23.

use std::collections::HashMap;

use crate::{
    jest,
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_body, dedent, indent, without_time},
};

/// The maximum nesting depth of tests that is distinguished. Deeper tests are treated as if they had this depth.
const MAX_DEPTH: usize = 64;

/// Parses the number in a line such as `ℹ pass 3`, where `what` is `pass`.
fn info<'a>(line: &'a str, what: &str) -> Option<&'a str> {
    line.strip_prefix("ℹ ")?
        .strip_prefix(what)?
        .strip_prefix(' ')
}

/// Returns whether a directive follows the time on a line, as in `name (0.5ms) # …`. Such a test is marked as todo or
/// skipped, and cannot fail. The text after `#` is the directive itself or the reason for it.
fn is_excused(name: &str) -> bool {
    let name = name.trim_end();
    let is_timed = |name: &str| without_time(name).len() < name.len();
    !is_timed(name) && (name.match_indices(" # ")).any(|(at, _)| is_timed(&name[..at]))
}

struct Block {
    excused: bool,
    name: String,
    place: Option<Place>,
    body: String,
}

impl Block {
    /// Returns whether this is a group that failed only because of its subtests: `'2 subtests failed'`.
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

/// A line of the tree that reports a failure.
struct Line {
    name: String,
    group: bool,
}

#[derive(Default)]
struct Session {
    listed: Vec<Block>,
    lines: Vec<Line>,
    /// The names of the open groups, keyed by depth.
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
        let blocks = self.listed.into_iter();
        for block in blocks.filter(|block| !block.excused && !block.is_group()) {
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
            // Only `spec` prints the place of each test.
            placed = line == "✖ failing tests:";
        } else if let Some(place) = line.strip_prefix("test at ").and_then(location::exact) {
            // The title of the list may be cut off.
            (listing, placed) = (true, true);
            at = Some(place);
        } else if listing
            && (!placed || at.is_some())
            && let Some(name) = line.strip_prefix("✖ ")
        {
            (recognised, listed) = (true, true);
            session.listed.push(Block {
                excused: is_excused(name),
                name: without_time(name).to_owned(),
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
                // The result of another run begins.
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
                // In older versions, the lines at the start and at the end of a group look the same.
                if session.open.get(&depth).map(String::as_str) == Some(name) {
                    session.open.remove(&depth);
                } else {
                    session.open.insert(depth, name.to_owned());
                }
            } else if let Some(name) = text.strip_prefix("✖ ").filter(|name| !is_excused(name)) {
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
    // ESLint's final line begins with the same sign.
    recognised
        .then_some(found)
        .filter(|found| found.counts.is_some() || listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_to_do_does_not_fail() {
        let marked = |output: &str| output.replace("MARK", &"todo".to_uppercase());
        let spec = &marked(
            "✔ fine (1.0ms)\n✖ later (0.5ms) # MARK\n  1\n\nℹ tests 2\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 1\n\n✖ failing tests:\n\ntest at a.mjs:1:54\n✖ later (0.5ms) # MARK\n  1\n",
        );
        let dot = ".X\n\nFailed tests:\n\n✖ later (0.6ms) # when there is time\n  1\n";
        for output in [spec.as_str(), dot] {
            let found = parse(output).unwrap();
            assert!(found.failures.is_empty() && !found.failed, "{output}");
        }
        assert_eq!(parse(spec).unwrap().counts, Some(Counts::of(1, 0)));
        // The output of a todo test is not part of a failed test.
        let both = &marked(
            "\nFailed tests:\n\n✖ adds (0.2ms)\n  Error: no\n✖ later (0.6ms) # MARK\n  1\n",
        );
        let found = parse(both).unwrap();
        assert_eq!(found.failures.len(), 1);
        assert_eq!(found.failures[0].message.as_deref(), Some("Error: no"));
        // The output has only the tree, without the list.
        let tree = &marked("✖ later (0.5ms) # MARK\n✖ adds (0.5ms)\nℹ pass 0\nℹ fail 1\n");
        let found = parse(tree).unwrap();
        let names: Vec<_> = found.failures.iter().map(|one| &one.name).collect();
        assert_eq!(names, ["adds"]);
        // A name may contain the same sign.
        assert!(!is_excused("adds (5ms) # 3 (0.1ms)") && !is_excused("adds # 3 (0.1ms)"));
    }
}
