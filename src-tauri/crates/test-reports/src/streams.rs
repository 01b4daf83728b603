//! Splits output whose lines have a prefix. CI systems add the time as a prefix. `turbo`, `pnpm -r`, `lerna`, `concurrently`
//! and `docker compose` add the name of a package or a container.

use std::{borrow::Cow, collections::HashMap};

/// The maximum number of prefixes that are distinguished. Lines with other prefixes are not separated.
const MAX_MARKS: usize = 400;
/// The maximum number of nested prefixes that are removed, such as the prefix of a package inside the prefix of a container.
pub(crate) const MAX_DEPTH: usize = 2;
/// The maximum length of a prefix in bytes.
const MAX_MARK: usize = 100;
/// Words in brackets that are log levels rather than names.
const LEVELS: [&str; 9] = [
    "INFO", "ERROR", "WARNING", "WARN", "DEBUG", "TRACE", "FATAL", "FAIL", "PASS",
];

/// Returns the text after a prefix of the form `form`, in which `0` stands for any digit and `T` also matches a space.
/// Returns `None` if the text does not begin with this form.
fn digits<'a>(text: &'a str, form: &str) -> Option<&'a str> {
    let mut bytes = text.as_bytes().iter();
    for sign in form.bytes() {
        let byte = bytes.next()?;
        let fits = match sign {
            b'0' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b' '),
            sign => *byte == sign,
        };
        if !fits {
            return None;
        }
    }
    Some(&text[form.len()..])
}

/// Returns the line without a leading `2026-01-02T03:04:05.678Z ` or `[03:04:05] `, or `None` if it does not begin with a time.
fn after_time(line: &str) -> Option<&str> {
    let (open, rest) = match line.strip_prefix('[') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let rest = digits(rest, "0000-00-00T").unwrap_or(rest);
    let mut rest = digits(rest, "00:00:00")?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|char: char| char.is_ascii_digit());
    }
    rest = rest
        .strip_prefix('Z')
        .or_else(|| digits(rest, "+00:00"))
        .or_else(|| digits(rest, "-00:00"))
        .unwrap_or(rest);
    if open {
        rest = rest.strip_prefix(']')?;
    }
    // GitLab writes the number of a stream after the time.
    if let Some(behind) = rest.strip_prefix(' ')
        && let Some(kind) = digits(behind, "00")
        && let Some(text) = kind.strip_prefix(['O', 'E'])
    {
        return text
            .strip_prefix(['+', ' '])
            .or(text.is_empty().then_some(""));
    }
    rest.strip_prefix(' ').or(rest.is_empty().then_some(""))
}

/// Removes the time at the start of each line, if most lines have one.
pub(crate) fn without_times(output: &str) -> Cow<'_, str> {
    if !output.contains(':') {
        return Cow::Borrowed(output);
    }
    let (mut timed, mut filled) = (0_usize, 0_usize);
    for line in output.lines().filter(|line| !line.trim().is_empty()) {
        filled += 1;
        timed += usize::from(after_time(line).is_some());
    }
    if timed < 2 || timed * 2 <= filled {
        return Cow::Borrowed(output);
    }
    let mut plain = String::with_capacity(output.len());
    for line in output.lines() {
        plain.push_str(after_time(line).unwrap_or(line));
        plain.push('\n');
    }
    Cow::Owned(plain)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"@/._:#-".contains(&byte))
}

/// Splits a line into its prefix and the rest. Returns `None` if it has no prefix.
fn mark(line: &str) -> Option<(&str, &str)> {
    // Prefixes are short, so only the start of the line is searched.
    let mut end = line.len().min(MAX_MARK);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let head = &line[..end];
    let behind = |from: usize| {
        let rest = &line[from..];
        rest.strip_prefix(' ').or(rest.is_empty().then_some(""))
    };
    if let Some(inner) = head.strip_prefix('[') {
        let close = inner.find(']')?;
        let name = inner[..close].trim();
        if name.is_empty() || LEVELS.contains(&name) || name.ends_with('%') {
            return None;
        }
        let at = close + 2;
        let at = at + usize::from(line[at..].starts_with(':'));
        return Some((&line[..at], behind(at)?));
    }
    // The form is `web-1  | line`.
    if let Some((name, _)) = head.split_once('|')
        && name.ends_with(' ')
        && is_name(name.trim_end())
    {
        return Some((name.trim_end(), behind(name.len() + 1)?));
    }
    // The forms are `web:test: line`, `packages/web test: line` and `packages/web test$ command`.
    let colon = head
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| line[at + 1..].starts_with(' ') || line.len() == at + 1);
    let dollar = head.find("$ ");
    let at = match (colon, dollar) {
        (Some(colon), Some(dollar)) => colon.min(dollar),
        (colon, dollar) => colon.or(dollar)?,
    };
    let mut names = line[..at].split(' ');
    let (first, second) = (names.next()?, names.next());
    let fits = is_name(first) && second.is_none_or(is_name) && names.next().is_none();
    fits.then_some((&line[..at], behind(at + 1)?))
}

/// The lines of an output, separated by their prefixes.
pub(crate) struct Marked {
    /// For each prefix, the lines that begin with it, without the prefix.
    pub(crate) streams: Vec<String>,
    /// For each line of the output, the index of the stream to which it belongs, if any.
    lines: Vec<Option<u32>>,
}

impl Marked {
    /// Returns the lines of the output that belong to none of the chosen streams.
    pub(crate) fn without(&self, output: &str, chosen: &[bool]) -> String {
        let mut rest = String::new();
        for (line, stream) in output.lines().zip(&self.lines) {
            let taken = stream.is_some_and(|at| chosen.get(at as usize) == Some(&true));
            if !taken {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        rest
    }
}

/// Separates the lines of an output by their prefixes. Returns `None` unless two lines share a prefix.
pub(crate) fn split(output: &str) -> Option<Marked> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut counts: Vec<usize> = Vec::new();
    for (name, _) in output.lines().filter_map(mark) {
        match numbers.get(name) {
            Some(at) => counts[*at as usize] += 1,
            None if counts.len() < MAX_MARKS => {
                numbers.insert(name, u32::try_from(counts.len()).unwrap_or(u32::MAX));
                counts.push(1);
            }
            None => {}
        }
    }
    if counts.iter().all(|count| *count < 2) {
        return None;
    }
    let mut streams = vec![String::new(); counts.len()];
    let mut lines = Vec::new();
    for line in output.lines() {
        let found = mark(line).and_then(|(name, rest)| {
            let at = *numbers.get(name)?;
            (counts[at as usize] >= 2).then_some((at, rest))
        });
        if let Some((at, rest)) = found {
            let stream = &mut streams[at as usize];
            stream.push_str(rest);
            stream.push('\n');
        }
        lines.push(found.map(|(at, _)| at));
    }
    Some(Marked { streams, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_taken_off() {
        for (line, expected) in [
            ("2026-01-02T03:04:05.6789Z ok 1", Some("ok 1")),
            ("2026-01-02 03:04:05,678 ok 1", Some("ok 1")),
            ("[03:04:05]  ok 1", Some(" ok 1")),
            ("2026-01-02T03:04:05.678901Z 00O ok 1", Some("ok 1")),
            ("2026-01-02T03:04:05+01:00", Some("")),
            ("ok 1", None),
            ("12:30 ok", None),
        ] {
            assert_eq!(after_time(line), expected, "{line}");
        }
        assert_eq!(without_times("a\nb\n10:00:00 c\n"), "a\nb\n10:00:00 c\n");
        assert_eq!(without_times("10:00:00 a\n10:00:01 b\n"), "a\nb\n");
    }

    #[test]
    fn marks_are_told_from_lines() {
        for (line, expected) in [
            ("@a/web:test:  FAIL  x", Some(("@a/web:test", " FAIL  x"))),
            ("web:test:", Some(("web:test", ""))),
            (
                "packages/web test: ok 1",
                Some(("packages/web test", "ok 1")),
            ),
            (
                "packages/web test$ vitest run",
                Some(("packages/web test", "vitest run")),
            ),
            ("[web] ok 1", Some(("[web]", "ok 1"))),
            ("[@a/web]: ok 1", Some(("[@a/web]:", "ok 1"))),
            ("web-1  | ok 1", Some(("web-1", "ok 1"))),
            ("[INFO] ok", None),
            ("[ 50%] ok", None),
            ("ok 1 - a: b", None),
            ("  a: b", None),
            ("a:b", None),
        ] {
            assert_eq!(mark(line), expected, "{line}");
        }
    }
}
