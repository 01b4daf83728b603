//! Replaces an exact piece of text in a file. Error messages say why the text was not found.

use std::borrow::Cow;

use loopwright_engine::NodeError;

/// The maximum number of occurrences that are counted.
const COUNTED: usize = 100;
/// The maximum number of line numbers in a message.
const NAMED: usize = 5;
/// The maximum number of characters of text that a message quotes.
const SHOWN: usize = 300;
/// The limits of a comparison that ignores spaces: the number of lines of the wanted text, and the number of lines of the
/// file.
const COMPARED: (usize, usize) = (100, 200_000);

/// One replacement in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    pub(super) old: String,
    pub(super) new: String,
    /// Whether every occurrence is replaced. Otherwise the text must occur exactly once.
    pub(super) all: bool,
}

/// The text of a file after a replacement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) text: String,
    pub(super) count: usize,
    /// The line of the first change, from 1.
    pub(super) line: usize,
}

/// The kind of line breaks that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Unix,
    Windows,
    /// Both kinds occur, or the text has no line break.
    Any,
}

impl Ends {
    fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let windows = text.matches("\r\n").count();
        match (all, windows) {
            (0, _) => Self::Any,
            (_, 0) => Self::Unix,
            (all, windows) if all == windows => Self::Windows,
            _ => Self::Any,
        }
    }

    fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Unix if text.contains("\r\n") => text.replace("\r\n", "\n").into(),
            Self::Windows if text.contains('\n') => {
                text.replace("\r\n", "\n").replace('\n', "\r\n").into()
            }
            _ => text.into(),
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns the positions of all occurrences, including overlapping ones, but at most [`COUNTED`].
fn places(text: &str, wanted: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(wanted) {
        found.push(from + at);
        let next = text[from + at..].chars().next().map_or(1, char::len_utf8);
        from += at + next;
        if found.len() == COUNTED {
            break;
        }
    }
    found
}

/// Makes one replacement in `text`. The new text gets the line breaks of the file. `path` is the file's name for messages.
///
/// # Errors
/// `edit_empty` if the replacement changes nothing, `text_not_found` if the text does not occur, or `text_not_unique` if it
/// occurs several times and not all occurrences are to be replaced.
pub(super) fn replace(path: &str, text: &str, wanted: &Replacement) -> Result<Replaced, NodeError> {
    if wanted.old == wanted.new {
        return Err(NodeError::new(
            "edit_empty",
            format!("The edit of {path} changes nothing: `old` and `new` are the same text."),
        ));
    }
    // A file with mixed line breaks may contain the text with either kind.
    let forms = match Ends::of(text) {
        Ends::Any => &[Ends::Any, Ends::Unix, Ends::Windows][..],
        Ends::Unix => &[Ends::Unix],
        Ends::Windows => &[Ends::Windows],
    };
    for form in forms {
        let (old, new) = (form.apply(&wanted.old), form.apply(&wanted.new));
        let found = places(text, &old);
        let Some(first) = found.first() else { continue };
        if !wanted.all && found.len() > 1 {
            return Err(not_unique(path, text, &found));
        }
        let count = match wanted.all {
            true => text.matches(&*old).count(),
            false => 1,
        };
        return Ok(Replaced {
            line: line_of(text, *first),
            text: match wanted.all {
                true => text.replace(&*old, &new),
                false => text.replacen(&*old, &new, 1),
            },
            count,
        });
    }
    Err(not_found(path, text, wanted))
}

fn not_unique(path: &str, text: &str, found: &[usize]) -> NodeError {
    let lines: Vec<String> = found
        .iter()
        .take(NAMED)
        .map(|at| line_of(text, *at).to_string())
        .collect();
    let times = match found.len() {
        COUNTED => format!("at least {COUNTED}"),
        times => times.to_string(),
    };
    let more = match found.len() > NAMED {
        true => " and others",
        false => "",
    };
    NodeError::new(
        "text_not_unique",
        format!(
            "The text in `old` occurs {times} times in {path}, in lines {}{more}. Add lines before or after it until it occurs \
             only once, or set `all` to replace every occurrence.",
            lines.join(", ")
        ),
    )
}

fn not_found(path: &str, text: &str, wanted: &Replacement) -> NodeError {
    let hint = hint(text, wanted).unwrap_or_else(|| {
        "Read the file again, because it may have changed, and copy the text exactly.".to_owned()
    });
    NodeError::new(
        "text_not_found",
        format!("The text in `old` is not in {path}. {hint}"),
    )
}

/// Returns the probable reason why the text was not found, or `None` if no reason is known.
fn hint(text: &str, wanted: &Replacement) -> Option<String> {
    let (old, new) = (&wanted.old, Ends::of(text).apply(&wanted.new));
    let without_end = old.strip_suffix('\n').unwrap_or(old);
    let without_end = without_end.strip_suffix('\r').unwrap_or(without_end);
    let as_in_file = Ends::of(text).apply(without_end);
    if without_end.len() < old.len() && !without_end.is_empty() && text.ends_with(&*as_in_file) {
        return Some(
            "It differs only in its final line break: the file ends without one. Leave out the line break at the end of `old` and `new`."
                .to_owned(),
        );
    }
    if let Some((line, lines)) = same_without_spaces(text, old) {
        let shown: String = lines.chars().take(SHOWN).collect();
        let more = match lines.chars().nth(SHOWN) {
            Some(_) => "…",
            None => "",
        };
        return Some(format!(
            "The text that starts in line {line} differs only in indentation, trailing white space or surrounding blank lines. Copy it exactly:\n{shown}{more}"
        ));
    }
    if !new.trim().is_empty()
        && let Some(at) = text.find(&*new)
    {
        let line = line_of(text, at);
        return Some(format!(
            "The text in `new` is already there, in line {line}. The edit may already have been made."
        ));
    }
    let first = old
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .filter(|line| line.len() > 2)?;
    let line = line_of(text, text.find(first)?);
    Some(format!(
        "Its first line matches in line {line}, but the following lines differ. Read the file again and copy the text exactly."
    ))
}

/// Returns the first lines that equal `old` if leading and trailing white space of each line is ignored: the number of the
/// first of them, from 1, and their text. `None` if no lines do.
fn same_without_spaces<'t>(text: &'t str, old: &str) -> Option<(usize, &'t str)> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    if wanted.len() > COMPARED.0 || wanted.first().is_none_or(|first| first.is_empty()) {
        return None;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').take(COMPARED.1).collect();
    let at = lines.windows(wanted.len()).position(|window| {
        let mut pairs = window.iter().zip(&wanted);
        pairs.all(|(line, wanted)| line.trim() == *wanted)
    })?;
    let from: usize = lines[..at].iter().map(|line| line.len()).sum();
    let length: usize = lines[at..at + wanted.len()]
        .iter()
        .map(|line| line.len())
        .sum();
    Some((
        at + 1,
        text[from..from + length].trim_end_matches(['\r', '\n']),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, (String, String)> {
        let wanted = Replacement {
            old: old.to_owned(),
            new: new.to_owned(),
            all,
        };
        replace("a.txt", text, &wanted).map_err(|error| (error.code, error.message))
    }

    #[test]
    fn a_text_is_replaced_where_it_is_once_or_everywhere() {
        let one = edit("a\nb\nc\n", "b\n", "B\n", false).unwrap();
        assert_eq!(
            (one.text.as_str(), one.count, one.line),
            ("a\nB\nc\n", 1, 2)
        );
        let all = edit("b\nb\n", "b", "é", true).unwrap();
        assert_eq!((all.text.as_str(), all.count, all.line), ("é\né\n", 2, 1));
        assert_eq!(edit("ab", "b", "", false).unwrap().text, "a");
        // `$1` and `\n` in a replacement are literal text, not patterns.
        assert_eq!(edit("x", "x", r"$0\1", false).unwrap().text, r"$0\1");
    }

    #[test]
    fn line_ends_of_the_file_are_kept() {
        let windows = edit("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\nb\n", false).unwrap();
        assert_eq!(windows.text, "a\r\nx\r\nb\r\nc\r\n");
        let same = edit("a\r\nb\r\n", "a\r\nb", "c\r\nd", false).unwrap();
        assert_eq!(same.text, "c\r\nd\r\n");
        let unix = edit("a\nb\n", "a\r\nb\r\n", "c\r\n", false).unwrap();
        assert_eq!(unix.text, "c\n");
        // In a file with mixed line breaks, the line breaks of the replaced text may differ from those in `old`.
        let mixed = edit("a\r\nb\nc\n", "a\nb", "x\ny", false).unwrap();
        assert_eq!(mixed.text, "x\r\ny\nc\n");
        let no_end = edit("a\nb", "b", "c", false).unwrap();
        assert_eq!(no_end.text, "a\nc");
        let mark = edit("\u{feff}a\n", "a", "b", false).unwrap();
        assert_eq!(mark.text, "\u{feff}b\n");
    }

    #[test]
    fn a_mismatch_says_what_is_wrong_and_where() {
        for (text, old, new, code, says) in [
            (
                "a\nb\na\n",
                "a",
                "c",
                "text_not_unique",
                "2 times in a.txt, in lines 1, 3.",
            ),
            // Overlapping occurrences count as two.
            ("aaa", "aa", "b", "text_not_unique", "2 times"),
            ("a", "a", "a", "edit_empty", "the same text"),
            ("", "a", "b", "text_not_found", "Read the file again"),
            (
                "x\n  if a:\n\tb\n",
                "if a:\n  b",
                "c",
                "text_not_found",
                "that starts in line 2 differs only in indentation, trailing white space or surrounding blank lines. Copy it exactly:\n  if a:\n\tb",
            ),
            (
                "a\nb",
                "b\n",
                "c\n",
                "text_not_found",
                "the file ends without one",
            ),
            (
                "one\ntwo\n",
                "eins",
                "two",
                "text_not_found",
                "already there, in line 2",
            ),
            (
                "one two\nthree\n",
                "one two\nfour",
                "x",
                "text_not_found",
                "in line 1",
            ),
        ] {
            let (found, message) = edit(text, old, new, false).unwrap_err();
            assert_eq!(found, code, "{text:?} {old:?}: {message}");
            assert!(message.contains(says), "{text:?} {old:?}: {message}");
        }
        let many = "a\n".repeat(500);
        let (_, message) = edit(&many, "a", "b", false).unwrap_err();
        assert!(message.contains("at least 100 times") && message.contains("and others"));
        assert_eq!(edit(&many, "a", "b", true).unwrap().count, 500);
    }

    #[test]
    fn texts_that_are_slow_to_compare_end_soon() {
        let began = std::time::Instant::now();
        let text = "a".repeat(8 << 20);
        assert!(edit(&text, &"a".repeat(4 << 20), "b", false).is_err());
        let lines = "\n".repeat(8 << 20);
        assert!(edit(&lines, &format!("x{}y", "\n".repeat(99)), "b", false).is_err());
        assert!(began.elapsed() < std::time::Duration::from_secs(20));
    }
}
