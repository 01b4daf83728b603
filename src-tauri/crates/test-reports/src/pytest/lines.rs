//! Parses single lines of pytest's output.

use crate::report::Counts;

/// Parses `3 failed, 2 passed, 1 skipped, 2 errors in 0.08s`, with or without `=` around it. Unknown words are ignored.
pub(super) fn sum(line: &str) -> Option<Counts> {
    let line = line.trim_matches('=').trim();
    let (counts, took) = line.rsplit_once(" in ")?;
    let took = took.split(' ').next()?;
    took.strip_suffix('s')?.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(Counts::of(0, 0));
    }
    let (mut passed, mut failed, mut known) = (0_u64, 0_u64, false);
    for part in counts.split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        match what {
            "passed" => passed = passed.saturating_add(count),
            "skipped" | "xfailed" | "xpassed" | "deselected" | "warning" | "warnings" | "rerun" => {
            }
            what if what.ends_with("failed") || what == "error" || what == "errors" => {
                failed = failed.saturating_add(count);
            }
            _ => continue,
        }
        known = true;
    }
    known.then(|| Counts::of(passed, failed))
}

/// Parses `name` between fill characters: `___ test_adds ___`, `=== FAILURES ===`.
pub(super) fn title(line: &str, mark: char) -> Option<&str> {
    let inner = line.strip_prefix(mark)?.trim_matches(mark);
    let inner = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (line.ends_with(mark) && !inner.is_empty()).then_some(inner)
}

/// Splits `path::test[a - b] - message` at the first ` - ` outside brackets.
fn described(rest: &str) -> (&str, Option<&str>) {
    let mut depth = 0_i32;
    for (at, char) in rest.char_indices() {
        match char {
            '[' => depth += 1,
            ']' => depth -= 1,
            ' ' if depth <= 0 && rest[at..].starts_with(" - ") => {
                return (&rest[..at], Some(&rest[at + 3..]));
            }
            _ => {}
        }
    }
    match rest.split_once(" - ") {
        // If a bracket is not closed, the first ` - ` is used.
        Some((name, message)) => (name, Some(message)),
        None => (rest, None),
    }
}

/// Splits `[row two] (row=1) test_x.py::test_rows - message` into the part that identifies the subtest and the rest.
fn subtest(rest: &str) -> (&str, &str) {
    let mut at = 0;
    for (open, close) in [("[", "] "), ("(", ") ")] {
        let tail = &rest[at..];
        let blank = tail.len() - tail.trim_start().len();
        if tail.trim_start().starts_with(open)
            && let Some(end) = tail.find(close)
        {
            at += end + 1;
        } else if at == 0 {
            at = blank;
        }
    }
    (rest[..at].trim(), rest[at..].trim_start())
}

/// The name of a failed test, as it appears in a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Named {
    /// The path and the name of the test, such as `a/test_x.py::TestGroup::test_raises`.
    pub(super) test: String,
    /// The name of the subtest, such as `[row] (row=1)`. It may be empty.
    part: String,
    error: bool,
}

impl Named {
    pub(super) fn new(test: &str, part: &str, error: bool) -> Self {
        Self {
            test: test.trim().to_owned(),
            part: part.to_owned(),
            error,
        }
    }

    pub(super) fn name(&self) -> String {
        if self.part.is_empty() {
            self.test.clone()
        } else {
            format!("{} {}", self.test, self.part)
        }
    }

    /// Returns the possible titles of the test's traceback: `TestGroup.test_raises` for `a/test_x.py::TestGroup::test_raises`.
    pub(super) fn titles(&self) -> Vec<String> {
        let parts: Vec<&str> = self.test.split("::").collect();
        let inner = parts[1..].join(".");
        if !self.part.is_empty() {
            return vec![format!("{inner} {}", self.part)];
        }
        if !self.error {
            return vec![inner];
        }
        if inner.is_empty() {
            return vec![format!("ERROR collecting {}", self.test)];
        }
        vec![
            format!("ERROR at setup of {inner}"),
            format!("ERROR at teardown of {inner}"),
        ]
    }
}

/// Parses a line of the short summary into the test and its message.
pub(super) fn summarised(line: &str) -> Option<(Named, Option<&str>)> {
    for (begins, error) in [("FAILED ", false), ("ERROR ", true)] {
        if let Some(rest) = line.strip_prefix(begins) {
            let (name, message) = described(rest);
            return Some((Named::new(name, "", error), message));
        }
    }
    let rest = line
        .strip_prefix("SUBFAILED")
        .or_else(|| line.strip_prefix("SUBFAIL"));
    if let Some(rest) = rest {
        let (part, rest) = subtest(rest);
        let (name, message) = described(rest);
        return Some((Named::new(name, part, false), message));
    }
    // The plugin pytest-subtests used the form `[row] (row=1) SUBFAIL test_x.py::test_rows - message`.
    let (part, rest) = line.split_once(" SUBFAIL ")?;
    if !part.starts_with(['[', '(']) {
        return None;
    }
    let (name, message) = described(rest);
    Some((Named::new(name, part, false), message))
}

/// Parses `test_x.py::test_adds FAILED   [ 28%]`, and xdist's `[gw0] [ 50%] FAILED test_x.py::test_adds`.
pub(super) fn verbose(line: &str) -> Option<Named> {
    let is_test = |name: &str| name.contains("::") || name.ends_with(".py");
    let without_share = |text: &str| -> String {
        let text = text.trim_end();
        match text.rsplit_once(" [") {
            Some((before, share)) if share.ends_with("%]") => before.trim_end().to_owned(),
            _ => text.to_owned(),
        }
    };
    if let Some((before, after)) = line.split_once(" SUBFAIL") {
        let after = without_share(after.strip_prefix("ED").unwrap_or(after));
        if before.starts_with("[gw") {
            let (part, name) = subtest(&after);
            return is_test(name).then(|| Named::new(name, part, false));
        }
        let (name, own) = before.split_once(' ').unwrap_or((before, ""));
        let part = if after.trim().is_empty() {
            own
        } else {
            after.trim()
        };
        return is_test(name).then(|| Named::new(name, part.trim(), false));
    }
    for (mark, error) in [("FAILED", false), ("ERROR", true)] {
        let Some((before, after)) = line.split_once(mark) else {
            continue;
        };
        let found = |name: &str| is_test(name).then(|| Named::new(name, "", error));
        if before.starts_with("[gw") && before.ends_with(' ') {
            return found(after.trim());
        }
        let after = after.trim();
        if before.ends_with(' ') && (after.is_empty() || after.starts_with('[')) {
            return found(before.trim_end());
        }
    }
    None
}

/// Returns whether a progress line contains a failure: `test_x.py ..F.E   [ 50%]`.
pub(super) fn has_failure(line: &str) -> bool {
    let line = match line.rsplit_once(" [") {
        Some((line, share)) if share.trim_end().ends_with("%]") => line,
        _ => line,
    };
    let marks = match line.trim_end().rsplit_once(' ') {
        Some((file, marks)) if file.trim_end().ends_with(".py") => marks,
        Some(_) => return false,
        None => line.trim_end(),
    };
    marks.contains(['F', 'E']) && marks.chars().all(|char| ".FEsxXRu,-".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtests_have_their_names() {
        let named = |test: &str, part: &str| Named::new(test, part, false);
        for (line, expected) in [
            (
                "SUBFAILED[row two] test_a.py::test_rows - assert 1 == 2",
                named("test_a.py::test_rows", "[row two]"),
            ),
            (
                "SUBFAILED[row] (row=1) test_a.py::test_rows - no",
                named("test_a.py::test_rows", "[row] (row=1)"),
            ),
            (
                "SUBFAILED(row=1) test_a.py::T::test_rows",
                named("test_a.py::T::test_rows", "(row=1)"),
            ),
            (
                "SUBFAIL test_a.py::test_rows - no",
                named("test_a.py::test_rows", ""),
            ),
            (
                "[row] (row=1) SUBFAIL test_a.py::test_rows - no",
                named("test_a.py::test_rows", "[row] (row=1)"),
            ),
        ] {
            assert_eq!(summarised(line).unwrap().0, expected, "{line}");
        }
        let line = "test_a.py::test_rows SUBFAILED[row] (row=1)         [ 16%]";
        assert_eq!(
            verbose(line),
            Some(named("test_a.py::test_rows", "[row] (row=1)"))
        );
        assert_eq!(verbose("test_a.py::test_rows SUBPASSED[row]  [ 16%]"), None);
    }

    #[test]
    fn sums_are_told_from_other_lines() {
        assert_eq!(
            sum("=== 1 failed, 2 passed, 4 subtests passed in 0.08s ==="),
            Some(Counts::of(2, 1))
        );
        assert_eq!(
            sum("1 failed, 3 oddities in 109.44s (0:01:49)"),
            Some(Counts::of(0, 1))
        );
        assert_eq!(sum("took 3 in 4s"), None);
        assert_eq!(sum("3 things in 4s"), None);
        assert!(has_failure("test_a.py ..F.  [ 50%]") && has_failure("..E"));
        assert!(!has_failure("test_a.py ....  [ 50%]") && !has_failure("an E"));
    }
}
