//! The checks of the code reviewer, line by line, ignoring strings and comments. The patterns are in `rules.txt`.

use std::{fmt, sync::LazyLock};

use loopwright_engine::NodeError;
use loopwright_script::{Language, mistakes_in, wait_until_built};
use regex::{Captures, Regex};

use crate::pattern::pattern;

/// The kind of a mistake. A review lists the mistakes of only one level, in this order of priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Keywords and operators of other languages.
    Words,
    /// Syntax errors, and names that are not declared.
    Names,
    /// Loops and calls that look correct but do something else.
    Logic,
}

/// A mistake in a line, with its replacement if one is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// The line of the mistake, from 1.
    line: usize,
    replace: Option<(String, String)>,
    why: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, why, .. } = self;
        match &self.replace {
            Some((from, to)) => write!(f, "Line {line}: replace `{from}` with `{to}`. {why}"),
            None => write!(f, "Line {line}: {why}"),
        }
    }
}

struct Rule {
    level: Level,
    wrong: Regex,
    instead: &'static str,
    why: &'static str,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut level = Level::Words;
    let mut rules = Vec::new();
    for line in include_str!("rules.txt").lines() {
        let parts: Vec<&str> = line.split(" => ").collect();
        match parts.as_slice() {
            ["[logic]"] => level = Level::Logic,
            &[wrong, instead, why] => {
                rules.push(Rule {
                    level,
                    wrong: pattern(wrong),
                    instead,
                    why,
                });
            }
            _ => {}
        }
    }
    rules
});

/// A pattern that matches strings and comments. An unfinished string ends with its line.
static STRINGS: LazyLock<Regex> = LazyLock::new(|| {
    let strings = r#"(?s)--\[\[.*?(?:\]\]|$)|--[^\n]*|\[\[.*?(?:\]\]|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?"#;
    pattern(strings)
});

/// Returns the findings of all rules, in the order of the lines. If no rule finds words of another language, the mistakes that
/// the compiler reports are included.
///
/// # Errors
/// `script_worker` if the script compiler cannot be reached.
pub(super) fn check(code: &str) -> Result<Vec<Finding>, NodeError> {
    let bare = without_strings(code);
    let mut found = Vec::new();
    for (index, (text, bare)) in code.lines().zip(bare.lines()).enumerate() {
        let mut taken = Vec::new();
        for rule in RULES.iter() {
            for captures in rule.wrong.captures_iter(bare) {
                let span = captures.get_match().range();
                let overlaps = |other: &std::ops::Range<usize>| {
                    span.start < other.end && other.start < span.end
                };
                if is_whole(bare, &captures) && !taken.iter().any(overlaps) {
                    found.push(rule.finding(index + 1, text, bare, &captures));
                    taken.push(span);
                }
            }
        }
    }
    // The compiler's messages are useful only if the code contains no words of another language.
    if !found.iter().any(|finding| finding.level == Level::Words) {
        wait_until_built();
        let mistakes = mistakes_in(Language::Luau, code)
            .map_err(|why| NodeError::new(why.code(), why.to_string()))?;
        for mistake in mistakes {
            let line = code.lines().nth(mistake.line - 1).unwrap_or_default();
            found.push(Finding {
                level: Level::Names,
                line: mistake.line,
                replace: declared(line, mistake.column, &mistake.message),
                why: mistake.message,
            });
        }
    }
    found.sort_by_key(|finding| finding.line);
    Ok(found)
}

/// Returns whether a match begins at the start of a word. Its group `same`, if any, must also equal its first group.
fn is_whole(bare: &str, captures: &Captures<'_>) -> bool {
    let found = captures.get_match();
    let name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let cut = found.as_str().starts_with(name) && bare[..found.start()].ends_with(name);
    let same = captures
        .name("same")
        .is_none_or(|same| Some(same.as_str()) == captures.get(1).map(|first| first.as_str()));
    !cut && same
}

impl Rule {
    fn finding(&self, line: usize, text: &str, bare: &str, captures: &Captures<'_>) -> Finding {
        let span = captures.get_match().range();
        let from = &text[span.clone()];
        let mut to = self.instead.to_owned();
        for (index, group) in captures.iter().enumerate().skip(1) {
            // Groups are read from the original text, because strings are blank in `bare`.
            let group = group.map_or("", |group| &text[group.range()]);
            to = to
                .replace(&format!("${{{index}}}"), group)
                .replace(&format!("${index}"), group);
        }
        // The fixer replaces the first occurrence of the text in the line. If the first occurrence is inside a string, the
        // finding has no replacement, and only its explanation mentions it.
        let certain = text.find(from) == bare.find(&bare[span]) && !from.contains('`');
        let why = if certain {
            self.why.to_owned()
        } else {
            format!("write {to} for {from}. {}", self.why)
        };
        Finding {
            level: self.level,
            line,
            replace: certain.then(|| (from.to_owned(), to)),
            why,
        }
    }
}

/// Returns the text to replace and its replacement, which puts `local` before an undeclared name, or `None` if `local` would
/// not be correct.
fn declared(line: &str, column: Option<usize>, message: &str) -> Option<(String, String)> {
    let at = column?.checked_sub(1)?;
    let (start, _) = line.char_indices().nth(at)?;
    if message.contains("declared without `local`") {
        let start = line[..start].rfind("function")?;
        let whole = line[start..].split('(').next()?;
        return Some((whole.to_owned(), format!("local {whole}")));
    }
    // `local` would declare all names in `a, b = …`. `a.b = …` and `a += 1` declare nothing.
    if message.contains("without being declared") {
        let rest = &line[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let sets = rest[end..].trim_start().starts_with('=');
        let first = line[..start].trim().is_empty();
        let written = &rest[..rest.find('=').map_or(end, |equal| equal + 1)];
        return (sets && first).then(|| (written.to_owned(), format!("local {written}")));
    }
    None
}

/// Replaces the contents of strings and comments with spaces, which preserves all positions. Quotation marks are kept.
fn without_strings(code: &str) -> String {
    let blank = |captures: &Captures<'_>| {
        let whole = &captures[0];
        let quoted = whole.starts_with(['"', '\'', '`']);
        let mark = whole.bytes().next().filter(|_| quoted);
        let bytes = whole.bytes().enumerate().map(|(at, byte)| match byte {
            b'\n' => '\n',
            _ if (at == 0 || at + 1 == whole.len()) && mark == Some(byte) => char::from(byte),
            _ => ' ',
        });
        bytes.collect::<String>()
    };
    STRINGS.replace_all(code, blank).into_owned()
}
