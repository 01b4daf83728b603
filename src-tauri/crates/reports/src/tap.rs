//! The Test Anything Protocol, versions 12 to 14: test points, directives, YAML diagnostics and subtests.
//!
//! A point that only sums up the subtests before it is not counted, and it fails by itself only where none of them did.

use crate::{
    Counts, Failure, Found,
    location::{self, Place},
    text::{add_line, some},
};

/// Depths of subtests that are told apart; deeper ones count as this deep.
const MAX_DEPTH: usize = 32;

struct Point {
    ok: bool,
    name: String,
    /// `# SKIP` or `# todo`: neither passed nor failed.
    aside: bool,
    /// It ends with `{`, and its subtests follow.
    opens: bool,
}

/// `ok 1 - name # SKIP why`, without its indent.
fn point(line: &str) -> Option<Point> {
    let (ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let digits = rest.len()
        - rest
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    let rest = match rest[digits..].chars().next() {
        None | Some(' ') => rest[digits..].trim_start(),
        // Digits that belong to the name.
        _ => rest,
    };
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (mut name, mut directive) = (String::new(), "");
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some((_, next @ ('#' | '\\'))) => name.push(next),
                Some((_, next)) => name.extend(['\\', next]),
                None => name.push('\\'),
            },
            '#' if rest[..at].is_empty() || rest[..at].ends_with(' ') => {
                let after = rest[at + 1..].trim_start();
                let word = after.get(..4).unwrap_or_default();
                if word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo") {
                    directive = after;
                    break;
                }
                name.push('#');
            }
            char => name.push(char),
        }
    }
    let opens = directive.trim_end().ends_with('{') || name.trim_end().ends_with(" {");
    let name = name.trim_end();
    let name = name.strip_suffix('{').filter(|_| opens).unwrap_or(name);
    // How long it took, as some harnesses write it behind the name.
    let name = match name.rsplit_once(" # time=") {
        Some((name, _)) => name,
        None => name,
    };
    Some(Point {
        ok,
        name: name.trim().to_owned(),
        aside: !directive.is_empty(),
        opens,
    })
}

/// A scalar without its quotes.
fn scalar(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''))
    {
        return inner.replace("''", "'");
    }
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str(text)
    {
        return inner;
    }
    text.to_owned()
}

/// What a YAML block says of a failure; only the keys that harnesses write are read.
#[derive(Default)]
struct Diagnostics {
    message: String,
    location: Option<Place>,
    file: Option<String>,
    line: Option<u32>,
    stack: String,
    /// The key whose block of lines is being read, and its indent.
    block: Option<(String, usize)>,
}

impl Diagnostics {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some((key, at)) = &self.block {
            if indent > *at || trimmed.is_empty() {
                match key.as_str() {
                    "message" | "error" => add_line(&mut self.message, trimmed),
                    "stack" => add_line(&mut self.stack, trimmed),
                    _ => {}
                }
                return;
            }
            self.block = None;
        }
        let Some((key, value)) = trimmed.split_once(':') else {
            return;
        };
        let value = value.trim();
        if matches!(value, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            self.block = Some((key.to_owned(), indent));
            return;
        }
        if value.is_empty() {
            return;
        }
        match key {
            "message" | "error" if self.message.is_empty() => self.message = scalar(value),
            "location" | "at" => self.location = location::exact(&scalar(value)),
            "stack" => self.stack = scalar(value),
            "file" | "fileName" => self.file = Some(scalar(value)),
            "line" | "lineNumber" => self.line = value.parse().ok().filter(|line| *line > 0),
            _ => {}
        }
    }

    fn place(&self) -> Option<Place> {
        let own = self
            .location
            .clone()
            .or_else(|| Some((self.file.clone()?, self.line?)));
        match own {
            // Where it failed is worth more than where the test begins.
            Some((file, line)) => {
                let failed = location::all(&self.stack).find(|(found, _)| *found == file);
                Some(failed.unwrap_or((file, line)))
            }
            None => location::first(&self.stack),
        }
    }
}

#[derive(Default)]
struct State {
    found: Found,
    passed: u64,
    failed: u64,
    /// By depth: subtests that were seen since the last point of the depth above, and whether one of them failed.
    below: Vec<Option<bool>>,
    /// Points in front of their own subtests.
    opened: Vec<(usize, Point)>,
    /// The failure that diagnostics may follow.
    last: Option<usize>,
}

impl State {
    fn settle(&mut self, depth: usize, point: Point) {
        let below = self.below[depth + 1..].iter_mut();
        let children = below
            .filter_map(Option::take)
            .reduce(|one, other| one | other);
        self.last = None;
        let failed = !point.ok && !point.aside;
        *self.below[depth].get_or_insert(false) |= failed || children == Some(true);
        match children {
            _ if point.aside => {}
            Some(true) => {}
            Some(false) if point.ok => {}
            _ if point.ok => self.passed += 1,
            _ => {
                self.failed += 1;
                let before = self.found.failures.len();
                self.found.add(Failure {
                    name: point.name,
                    ..Failure::default()
                });
                self.last = (self.found.failures.len() > before).then_some(before);
            }
        }
    }
}

fn is_plan(line: &str) -> bool {
    line.strip_prefix("1..").is_some_and(|rest| {
        rest.split_whitespace()
            .next()
            .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut state = State {
        below: vec![None; MAX_DEPTH + 1],
        ..State::default()
    };
    let (mut version, mut plan, mut points, mut bailed) = (false, false, false, false);
    let mut yaml: Option<Diagnostics> = None;
    for line in output.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some(diagnostics) = &mut yaml {
            if trimmed.trim_end() == "..." {
                let (file, line) = location::apart(diagnostics.place());
                let failure = state.last.and_then(|at| state.found.failures.get_mut(at));
                if let Some(failure) = failure {
                    failure.message = some(&diagnostics.message);
                    (failure.file, failure.line) = (file, line);
                    *failure = std::mem::take(failure).bounded();
                }
                yaml = None;
            } else {
                diagnostics.line(line);
            }
            continue;
        }
        let depth = (indent / 4).min(MAX_DEPTH - 1);
        if trimmed.trim_end() == "---" && points {
            yaml = Some(Diagnostics::default());
        } else if depth == 0 && trimmed.starts_with("TAP version ") {
            version = true;
        } else if is_plan(trimmed) {
            plan |= depth == 0;
        } else if let Some(why) = trimmed.strip_prefix("Bail out!") {
            bailed = true;
            state.found.add(Failure {
                name: "Bail out!".to_owned(),
                message: some(why.trim()),
                ..Failure::default()
            });
        } else if trimmed.trim_end() == "}" {
            if let Some((depth, point)) = state.opened.pop() {
                state.settle(depth, point);
            }
        } else if let Some(point) = point(trimmed) {
            points = true;
            if point.opens {
                state.below[depth + 1..].fill(None);
                state.opened.push((depth, point));
            } else {
                state.settle(depth, point);
            }
        }
    }
    while let Some((depth, point)) = state.opened.pop() {
        state.settle(depth, point);
    }
    if !(version || plan && points) {
        return None;
    }
    // A run that was given up, or whose plan is missing, does not say how many tests there were.
    state.found.counts =
        ((plan || points) && !bailed).then(|| Counts::of(state.passed, state.failed));
    Some(state.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(output: &str) -> (Vec<String>, Option<Counts>) {
        let found = parse(output).unwrap();
        let names = found.failures.into_iter().map(|failure| failure.name);
        (names.collect(), found.counts)
    }

    #[test]
    fn version_12_has_no_header() {
        let (names, found) =
            counts("1..4\nok 1 - a\nnot ok 2 b # todo later\nok 3 # skip no\nnot ok\n");
        assert_eq!(names, [""]);
        assert_eq!(found, Some(Counts::of(1, 1)));
        assert_eq!(parse("ok then\nnot okay\n"), None);
    }

    #[test]
    fn subtests_count_and_their_sums_do_not() {
        let both = "TAP version 14\n# Subtest: g\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - g\nok 2 - c\n1..2\n";
        assert_eq!(counts(both), (vec!["b".to_owned()], Some(Counts::of(2, 1))));
        let braces = "TAP version 13\nnot ok 1 - g {\n    ok 1 - a\n    not ok 2 - b\n    1..2\n}\nok 2 - c\n1..2\n";
        assert_eq!(
            counts(braces),
            (vec!["b".to_owned()], Some(Counts::of(2, 1)))
        );
        // The sum failed by itself, as by a wrong plan.
        let own = "TAP version 14\n    ok 1 - a\n    1..2\nnot ok 1 - g\n1..1\n";
        assert_eq!(counts(own), (vec!["g".to_owned()], Some(Counts::of(1, 1))));
    }

    #[test]
    fn diagnostics_name_the_place() {
        let output = "TAP version 13\nnot ok 1 - a \\# b\n  ---\n  message: \"got\\n4\"\n  at:\n    file: test.js\n    line: 5\n  ...\nBail out! no disk\n";
        let found = parse(output).unwrap();
        let failure = &found.failures[0];
        assert_eq!(failure.name, "a # b");
        assert_eq!(failure.message.as_deref(), Some("got\n4"));
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("test.js"), Some(5))
        );
        assert_eq!(found.failures[1].message.as_deref(), Some("no disk"));
        assert_eq!(found.counts, None);
    }
}
