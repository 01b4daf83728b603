//! Parses source locations (a file and a line) in the forms in which programs write them in messages and stack traces.

use crate::text::some;

/// The extensions of files that a user or an agent would edit.
const SOURCES: [&str; 44] = [
    "rs", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java", "kt", "kts",
    "scala", "rb", "php", "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "fs", "swift", "ex", "exs",
    "lua", "luau", "sh", "pl", "t", "dart", "vue", "svelte", "astro", "pyi", "vb", "m", "mm",
    "zig", "bats", "phpt",
];

/// Parts of paths that identify third-party code.
const FOREIGN: [&str; 13] = [
    "/rustc/",
    "/.cargo/registry/",
    "/rustlib/",
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "/node_modules/",
    "/vendor/",
    "/gems/",
    "/usr/share/php/",
    "/src/runtime/",
    "/src/testing/",
    "node:internal",
];

/// A file and a line number, counted from 1.
pub(crate) type Place = (String, u32);

fn is_source(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && SOURCES.contains(&ending))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let line = text.get(..end)?.parse().ok().filter(|line| *line > 0)?;
    Some((line, &text[end..]))
}

/// Parses text that is exactly `path:12` or `path:12:5`.
pub(crate) fn exact(text: &str) -> Option<Place> {
    let text = text.trim();
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (before, last) = text.rsplit_once(':')?;
    let (last, "") = number(last)? else {
        return None;
    };
    // If two numbers follow, the last one is the column.
    let (path, line) = match before.rsplit_once(':') {
        Some((path, line)) => match number(line) {
            Some((line, "")) => (path, line),
            _ => (before, last),
        },
        None => (before, last),
    };
    Some((some(path)?, line))
}

/// Parses the location at the start of a line, `path:12:`, and returns it with the rest of the line.
pub(crate) fn leading(line: &str) -> Option<(Place, &str)> {
    let mut from = 0;
    // A path may contain a colon, as on Windows. Only a few colons are tried, so that a line with many colons takes little
    // time.
    for _ in 0..3 {
        let colon = from + line.get(from..)?.find(':')?;
        if let Some((number, rest)) = number(&line[colon + 1..])
            && let Some(rest) = rest.strip_prefix(':')
        {
            let path = &line[..colon];
            return (!path.is_empty() && !path.starts_with(char::is_whitespace))
                .then(|| ((path.to_owned(), number), rest));
        }
        from = colon + 1;
    }
    None
}

/// Returns the source locations that `text` mentions, in order, except those in third-party code.
pub(crate) fn all(text: &str) -> impl Iterator<Item = Place> {
    let breaks = |char: char| char.is_whitespace() || "()[]{}<>\"'`,;".contains(char);
    text.split(breaks).filter_map(|word| {
        let word = word.strip_prefix("file://").unwrap_or(word);
        // Only the first colons of a word are tried, because a word with many colons is not a place.
        let mut colons = word.match_indices(':').take(4).map(|(at, _)| at);
        let (path, line) = colons.find_map(|at| {
            let (line, rest) = number(&word[at + 1..])?;
            let path = &word[..at];
            (is_source(path) && (rest.is_empty() || rest.starts_with(':'))).then_some((path, line))
        })?;
        (!is_foreign(path)).then(|| (path.to_owned(), line))
    })
}

/// Returns whether a path belongs to third-party code.
pub(crate) fn is_foreign(path: &str) -> bool {
    path.starts_with('<')
        || path.starts_with("node_modules/")
        || path.starts_with("node:")
        || FOREIGN.iter().any(|part| path.contains(part))
}

/// Parses a Python stack frame: `  File "tests/test_sums.py", line 12, in test_adds`.
pub(crate) fn python_frame(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (path, rest) = rest.split_once('"')?;
    let (line, _) = number(rest.strip_prefix(", line ")?)?;
    Some((path.to_owned(), line))
}

/// Parses a .NET stack frame: `at Shop.Tests.Sums.Adds() in /src/Shop Tests/Sums.cs:line 12`.
pub(crate) fn net_frame(line: &str) -> Option<Place> {
    let (before, number_) = line.rsplit_once(":line ")?;
    let (line, _) = number(number_)?;
    let (_, path) = before.split_once(" in ")?;
    Some((path.to_owned(), line))
}

/// Returns the first of the locations that [`all`] returns.
pub(crate) fn first(text: &str) -> Option<Place> {
    all(text).next()
}

/// Splits a location into its file and its line. Both are `None` if `place` is `None`.
pub(crate) fn apart(place: Option<Place>) -> (Option<String>, Option<u32>) {
    match place {
        Some((file, line)) => (Some(file), Some(line)),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32) -> Place {
        (file.to_owned(), line)
    }

    #[test]
    fn places_are_found_in_messages() {
        for (text, expected) in [
            (
                "at x (file:///a/b.test.mjs:7:35)",
                Some(place("/a/b.test.mjs", 7)),
            ),
            (
                "panicked at src/lib.rs:22:9:\nno",
                Some(place("src/lib.rs", 22)),
            ),
            ("/rustc/59/library/std/src/panicking.rs:689:5", None),
            (
                "at node:internal/test_runner/test:796:25\n at /x/y.ts:3",
                Some(place("/x/y.ts", 3)),
            ),
            (
                "C:\\a\\b.py:14: AssertionError",
                Some(place("C:\\a\\b.py", 14)),
            ),
            ("12:30:15 http://a.example:80 x.rs:0", None),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }

    #[test]
    fn exact_and_leading_places() {
        assert_eq!(exact("/a b/c.mjs:7:1"), Some(place("/a b/c.mjs", 7)));
        assert_eq!(exact("src - add:4"), Some(place("src - add", 4)));
        assert_eq!(exact("nothing"), None);
        assert_eq!(
            leading("a.go:12: got 4"),
            Some((place("a.go", 12), " got 4"))
        );
        assert_eq!(leading("a:b:c:d:e:1:"), None);
    }
}
