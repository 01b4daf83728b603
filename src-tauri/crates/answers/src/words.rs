//! Splits an answer into the words, lines and sentences that may state a verdict.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{tags::without_turn_ends, verdict::Verdict};

/// The character that replaces text that is struck through, U+FFFC. The text before and after it never forms one verdict.
pub(crate) const STRUCK: char = '\u{fffc}';

/// Returns the letters and digits of `text` in lower case. [`STRUCK`] is kept if it is between them.
pub(crate) fn key(text: &str) -> String {
    let key: String = text
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == STRUCK)
        .flat_map(char::to_lowercase)
        .collect();
    match key.contains(STRUCK) {
        true => key.trim_matches(STRUCK).to_owned(),
        false => key,
    }
}

/// Returns whether a character may surround a verdict without being part of it: any character except letters, digits, `+`,
/// `-`, `−` and `%`.
fn is_around(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '+' | '-' | '−' | '%')
}

/// Removes a leading list marker, and the characters at both ends that [`is_around`] accepts.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = text
        .strip_prefix("- ")
        .or_else(|| text.strip_prefix("+ "))
        .unwrap_or(text);
    text.trim_start_matches(is_around)
        .trim_end_matches(|c| is_around(c) || c == '-')
}

/// Removes the number or letter of a list item: `1. done`, `b) done`. Returns `None` if `text` does not begin with one.
pub(crate) fn without_number(text: &str) -> Option<&str> {
    let (mark, rest) = bare(text).split_once([' ', '\t'])?;
    let inner = mark.trim_end_matches(['.', ')', ':']);
    let is_mark = inner.len() < mark.len()
        && (inner.bytes().all(|byte| byte.is_ascii_digit()) || inner.len() == 1);
    (is_mark && !inner.is_empty()).then(|| bare(rest))
}

/// Removes the characters of Markdown and quotation marks.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '*' | '`' | '"' | '“' | '”' | '„' | '«' | '»' | '~'))
        .collect()
}

/// A sentence, or a line of a list or a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sentence<'a> {
    pub(crate) text: &'a str,
    pub(crate) is_question: bool,
}

/// Returns the sentences of `text`, in order. A point within a number does not end a sentence.
pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        // The end of the punctuation that was scanned last, and whether white space follows it, so that a series of points
        // is scanned only once.
        let (mut signs_end, mut before_space) = (0, false);
        for (at, c) in line.char_indices() {
            if !matches!(c, '.' | '!' | '?' | ';' | '。' | '！' | '？') {
                continue;
            }
            // Markdown and quotation marks may follow the full stop.
            let behind = at + c.len_utf8();
            if behind > signs_end {
                let rest = line[behind..]
                    .trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
                signs_end = line.len() - rest.len();
                before_space = rest.starts_with(char::is_whitespace);
            }
            let ends = before_space || !c.is_ascii();
            // `1. done`: the point belongs to the number.
            let is_number = c == '.' && line[from..at].trim().bytes().all(|b| b.is_ascii_digit());
            if ends && !is_number {
                push(&mut found, &line[from..at], c);
                from = at + c.len_utf8();
            }
        }
        let rest = &line[from..];
        let end = rest.trim_end().chars().next_back().unwrap_or('.');
        push(&mut found, rest, end);
    }
    found
}

fn push<'a>(found: &mut Vec<Sentence<'a>>, text: &'a str, end: char) {
    if text.chars().any(char::is_alphanumeric) {
        found.push(Sentence {
            text,
            is_question: matches!(end, '?' | '？'),
        });
    }
}

/// Returns the text before the first line that introduces a reason, because a verdict is not read from reasons. Without such
/// a line, returns the whole text.
pub(crate) fn before_reason(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let line_text = bare(line);
        let head = line_text.split([':', '–', '—']).next().unwrap_or_default();
        if at > 0 && head.len() < line_text.len() && REASONS.contains(&key(head).as_str()) {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

/// Returns the words of `text` in lower case. Words consist of letters, digits and apostrophes.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .map(|word| word.trim_matches(['\'', '’']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Words that negate a sentence.
const NEGATIONS: [&str; 29] = [
    "not",
    "no",
    "never",
    "neither",
    "nor",
    "none",
    "nothing",
    "without",
    "cannot",
    "isn't",
    "isn’t",
    "aren't",
    "wasn't",
    "don't",
    "don’t",
    "doesn't",
    "doesn’t",
    "didn't",
    "can't",
    "can’t",
    "won't",
    "won’t",
    "wouldn't",
    "shouldn't",
    "nicht",
    "kein",
    "keine",
    "pas",
    "non",
];

/// Words that qualify a sentence.
const LIMITS: [&str; 17] = [
    "hardly", "if", "unless", "until", "once", "only", "when", "before", "instead", "rather",
    "than", "except", "almost", "nearly", "or", "yet", "maybe",
];

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

fn is_limit(word: &str) -> bool {
    LIMITS.contains(&word)
}

/// Returns whether `text` contains a word that negates or qualifies a statement.
pub(crate) fn denies(text: &str) -> bool {
    words(text)
        .iter()
        .any(|word| is_negation(word) || is_limit(word))
}

/// Verdicts that agree with a negation: `No, it does not meet the criteria.`
const NEGATIVE: [&str; 14] = [
    "no",
    "fail",
    "failed",
    "failing",
    "reject",
    "rejected",
    "false",
    "incorrect",
    "invalid",
    "wrong",
    "incomplete",
    "needswork",
    "revise",
    "nogo",
];

/// Words for faults. Their absence is praise: `Yes, there are no errors.`
const FAULTS: [&str; 19] = [
    "error", "errors", "issue", "issues", "problem", "problems", "mistake", "mistakes", "fault",
    "faults", "flaw", "flaws", "gap", "gaps", "concerns", "missing", "wrong", "further", "left",
];

/// Returns whether `text` begins with a word for a fault, as in ` errors in it`.
pub(crate) fn begins_with_fault(text: &str) -> bool {
    let first = words(text).into_iter().next();
    text.starts_with(' ') && first.is_some_and(|word| FAULTS.contains(&word.as_str()))
}

/// Returns whether the negation in a comment confirms the verdict before it.
fn agrees(verdict: &str, comment: &str) -> bool {
    let words = words(comment);
    if words.iter().any(|word| is_limit(word)) {
        return false;
    }
    let Some(at) = words.iter().position(|word| is_negation(word)) else {
        return false;
    };
    let behind = &words[at + 1..];
    if behind.iter().any(|word| is_negation(word)) {
        return false;
    }
    let is_fault = |word: &String| FAULTS.contains(&word.as_str());
    if NEGATIVE.contains(&key(verdict).as_str()) {
        // `No, there are no errors` answers a different question.
        !behind.iter().any(is_fault)
    } else {
        behind.iter().any(is_fault)
    }
}

/// Returns whether a comment after a verdict denies or limits it: `done, but not really`, `done (not yet)`. Text after a dash,
/// a colon or `because` is a reason and does not count.
pub(crate) fn takes_back(verdict: &str, comment: &str) -> bool {
    if turns(comment) {
        return true;
    }
    let sign = comment.trim_start_matches(['*', '`', '"', '”', '\'', '_']);
    let denied = if sign.starts_with([',', ';']) {
        denies(comment)
    } else {
        let first = words(comment).into_iter().next();
        first.is_some_and(|word| is_negation(&word) || is_limit(&word))
    };
    denied && !agrees(verdict, comment)
}

/// Words that occur in sentences that mention a verdict without stating it.
const DOUBTS: [&str; 30] = [
    "doubt", "doubtful", "unlikely", "fail", "fails", "failed", "lack", "lacks", "refuse",
    "whether", "ask", "asks", "asked", "far", "hard", "would", "could", "should", "might", "may",
    "must", "wrote", "says", "said", "claims", "claimed", "after", "need", "needs", "seems",
];

/// Returns whether a sentence only considers a verdict, or reports the verdict of someone else.
pub(crate) fn doubts(sentence: &str) -> bool {
    words(sentence)
        .iter()
        .any(|word| DOUBTS.contains(&word.as_str()))
}

/// Replaces each struck-through passage, such as `~~done~~`, with [`STRUCK`].
pub(crate) fn without_struck(text: &str) -> Cow<'_, str> {
    if !text.contains("~~") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, inner)) = rest.split_once("~~") {
            // A fence of tildes does not strike text.
            let Some((_, behind)) = inner
                .split_once("~~")
                .filter(|(struck, _)| !struck.is_empty() && !struck.starts_with('~'))
            else {
                break;
            };
            kept.push_str(before);
            kept.push(STRUCK);
            rest = behind;
        }
        kept.push_str(rest);
    }
    Cow::Owned(kept)
}

/// Strips special tokens and the role name from the start and end of `text`. Some servers leave them in the answer.
pub(crate) fn without_tokens(text: &str) -> &str {
    let text = text.trim();
    let text = ["<|begin_of_box|>", "Assistant:", "assistant:"]
        .iter()
        .find_map(|left| text.strip_prefix(left))
        .unwrap_or(text);
    without_turn_ends(text).trim()
}

/// Returns the content of the last `\boxed{…}`, which models for mathematics use for their answer. Returns `None` if there
/// is none.
pub(crate) fn boxed(text: &str) -> Option<&str> {
    const BOXED: &str = "\\boxed{";
    let from = text.rfind(BOXED)? + BOXED.len();
    let mut depth = 1;
    let end = text[from..].find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    let inner = text[from..from + end].trim();
    let plain = ["\\text{", "\\textbf{", "\\mathrm{", "\\mathbf{"]
        .iter()
        .find_map(|open| inner.strip_prefix(open)?.strip_suffix('}'));
    Some(plain.unwrap_or(inner))
}

/// A line of a checklist.
pub(crate) struct Boxed<'a> {
    pub(crate) item: &'a str,
    pub(crate) is_ticked: bool,
    /// Whether the mark is a tick or a cross instead of a box. A tick or a cross may also precede text that is not a
    /// checklist.
    pub(crate) is_sign: bool,
}

/// Reads a line that begins with a box, a tick or a cross. Returns `None` for any other line.
pub(crate) fn box_of(line: &str) -> Option<Boxed<'_>> {
    const SIGNS: [(&str, bool, bool); 14] = [
        ("[ ]", false, false),
        ("[]", false, false),
        ("[x]", true, false),
        ("[X]", true, false),
        ("[✓]", true, false),
        ("[✔]", true, false),
        ("☐", false, false),
        ("☑", true, false),
        ("☒", true, false),
        ("✅", true, true),
        ("✔", true, true),
        ("✓", true, true),
        ("❌", false, true),
        ("✗", false, true),
    ];
    let item = line.trim_start_matches([' ', '\t', '>']);
    let item = ["- ", "* ", "+ "]
        .iter()
        .find_map(|sign| item.strip_prefix(sign))
        .unwrap_or(item)
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches(['.', ')', ' ']);
    SIGNS.iter().find_map(|(sign, is_ticked, is_sign)| {
        Some(Boxed {
            item: item.strip_prefix(sign)?,
            is_ticked: *is_ticked,
            is_sign: *is_sign,
        })
    })
}

/// Returns the content of the tag that is called `field` or one of `names`, such as `<branch>done</branch>`. Returns `None` if
/// there is no such tag, or if it occurs more than once.
pub(crate) fn in_tag<'t>(text: &'t str, field: &str, names: &[&str]) -> Option<&'t str> {
    let small = text.to_ascii_lowercase();
    let inner = |name: &str| {
        let (open, end) = (format!("<{name}>"), format!("</{name}>"));
        let from = small.find(&open)? + open.len();
        let to = from + small[from..].find(&end)?;
        (!small[to + end.len()..].contains(&open)).then(|| text[from..to].trim())
    };
    let field = field.to_ascii_lowercase();
    std::iter::once(field.as_str())
        .chain(names.iter().copied())
        .find_map(inner)
}

/// Words that retract the text before them.
const TURNS: [&str; 8] = [
    "but",
    "however",
    "actually",
    "wait",
    "although",
    "though",
    "instead",
    "correction",
];

/// Pairs of words that retract the text before them, as in `on second thought`.
const TURNS_OF_TWO: [[&str; 2]; 3] = [
    ["second", "thought"],
    ["second", "thoughts"],
    ["scratch", "that"],
];

pub(crate) fn turns(text: &str) -> bool {
    let words = words(text);
    let is_turn = |pair: &[String]| TURNS_OF_TWO.iter().any(|turn| turn == pair);
    words.iter().any(|word| TURNS.contains(&word.as_str())) || words.windows(2).any(is_turn)
}

/// Returns whether the text after a verdict is a comment: it is in brackets, follows a dash, a colon or a comma, or begins with
/// a reason.
pub(crate) fn is_comment(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '`', '"', '”', '\'', '_']);
    if !rest.contains(char::is_alphanumeric) {
        return true;
    }
    // `8, 9` and `7 - 8` each contain two numbers.
    let inner = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    if inner.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let close = rest.starts_with([':', ',', ';', '.', '!', '—', '–']);
    let apart = rest.trim_start();
    close
        || apart.starts_with(['—', '–', '(', '['])
        || (apart.len() < rest.len() && apart.starts_with("- "))
        || ["because ", "since ", "as "]
            .iter()
            .any(|word| apart.len() < rest.len() && apart.starts_with(word))
}

/// Splits a sentence at signs such as a colon, an equals sign, an arrow or `is`. Returns the text before and after the first
/// occurrence of each sign.
pub(crate) fn sides(text: &str) -> impl Iterator<Item = (&str, &str)> {
    // A table row begins with its separator.
    let text = text.trim_start_matches(['|', ' ']);
    [":", "=", "->", "→", "：", " is ", " - ", " – ", " — ", "|"]
        .into_iter()
        .filter_map(move |sign| text.split_once(sign))
}

/// Returns whether a label of at most ten words names the field or a verdict.
pub(crate) fn is_label(left: &str, field: &str, labels: &[&str]) -> bool {
    let words = words(left);
    words.len() <= 10
        && words.iter().any(|word| {
            let word = key(word);
            word == key(field) || labels.contains(&word.as_str())
        })
}

/// Returns the reason in an object's fields, or an empty string if it has none.
pub(crate) fn reason_in(fields: &Map<String, Value>) -> String {
    let found = fields
        .iter()
        .find(|(name, value)| REASONS.contains(&key(name).as_str()) && value.is_string());
    found
        .and_then(|(_, value)| value.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// The verdict that a piece of an answer states, if any.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Says<T> {
    /// The piece contains no verdict.
    Nothing,
    One(T),
    /// The piece contains several verdicts, or one that the prompt does not allow.
    Unclear,
}

impl<T: PartialEq> Says<T> {
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, says) | (says, Self::Nothing) => says,
            (Self::One(one), Self::One(other)) if one == other => Self::One(one),
            _ => Self::Unclear,
        }
    }

    pub(crate) fn because(self, reason: impl FnOnce() -> String) -> Option<Verdict<T>> {
        match self {
            Self::One(value) => Some(Verdict {
                value,
                reason: reason(),
            }),
            Self::Nothing | Self::Unclear => None,
        }
    }
}

/// Looks up a verdict in the fields of an object: in `field`, otherwise in the fields with the other names that models use
/// for it.
pub(crate) fn in_fields<T: PartialEq>(
    fields: &Map<String, Value>,
    field: &str,
    names: &[&str],
    mut read: impl FnMut(&Value) -> Says<T>,
) -> Says<T> {
    let own = fields.iter().find(|(name, _)| key(name) == key(field));
    if let Some((_, value)) = own {
        return match read(value) {
            // The field is present, but its value is not one of the requested ones.
            Says::Nothing => Says::Unclear,
            says => says,
        };
    }
    fields
        .iter()
        .filter(|(name, _)| names.contains(&key(name).as_str()))
        .fold(Says::Nothing, |says, (_, value)| says.and(read(value)))
}

/// Returns the list or object that an object contains, if its other fields are only a reason, as in `{"answer": {"branch":
/// "done"}}`. For a tool call, returns the arguments, as in `{"name": "choose", "arguments": {"branch": "done"}}`. Returns
/// `None` for any other object.
pub(crate) fn inner(fields: &Map<String, Value>) -> Option<&Value> {
    const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "properties", "args", "input"];
    let mut arguments = fields
        .iter()
        .filter(|(name, _)| ARGUMENTS.contains(&key(name).as_str()));
    if let (Some((_, value)), None) = (arguments.next(), arguments.next()) {
        return Some(value);
    }
    let mut rest = fields
        .iter()
        .filter(|(name, _)| !REASONS.contains(&key(name).as_str()));
    match (rest.next(), rest.next()) {
        (Some((_, value)), None) if value.is_object() || value.is_array() => Some(value),
        _ => None,
    }
}

/// The depth to which nested values are searched for a verdict.
pub(crate) const DEPTH: usize = 4;

/// The maximum length in bytes of an answer whose prose is searched for a verdict. The JSON of a longer answer is still
/// read.
pub(crate) const LONGEST: usize = 64 << 10;

/// The field names that models use for the reason of a verdict, in lower case.
pub const REASONS: [&str; 10] = [
    "reason",
    "reasoning",
    "rationale",
    "explanation",
    "justification",
    "why",
    "because",
    "thoughts",
    "comment",
    "analysis",
];

/// Returns whether a field of this name contains the reason of a verdict.
pub fn is_reason(name: &str) -> bool {
    REASONS.contains(&key(name).as_str())
}
