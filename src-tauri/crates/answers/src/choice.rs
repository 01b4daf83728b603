//! Reads which of several names an answer chooses: a branch, or the better of two responses.

use serde_json::Value;

use crate::{
    REASONS, Verdict, json,
    thoughts::split,
    words::{
        DEPTH, LONGEST, STRUCK, Says, bare, before_reason, begins_with_fault, box_of, boxed,
        denies, doubts, in_fields, in_tag, inner, is_comment, is_label, key, plain, reason_in,
        sentences, sides, takes_back, turns, without_number, without_struck, without_tokens,
    },
};

/// The field names that models use for a choice.
const FIELDS: [&str; 28] = [
    "branch",
    "final",
    "selectedbranch",
    "chosenbranch",
    "decision",
    "verdict",
    "choice",
    "selected",
    "selection",
    "chosen",
    "answer",
    "finalanswer",
    "result",
    "label",
    "category",
    "class",
    "classification",
    "route",
    "option",
    "output",
    "next",
    "action",
    "status",
    "judgement",
    "judgment",
    "conclusion",
    "outcome",
    "vote",
];

/// Returns the index of the name that an answer chooses from `names`, and the reason. `field` is the name under which the
/// prompt asked for the choice.
///
/// Returns `None` if the answer chooses no name or more than one, or if an object in it repeats a key.
pub fn choice(answer: &str, names: &[String], field: &str) -> Option<Verdict<usize>> {
    let text = without_tokens(split(answer).text);
    let names = Names::of(names);
    let values = json::values(text);
    let mut said = Says::Nothing;
    let mut reason = String::new();
    let mut rest = text.to_owned();
    if values.values.len() < 16 {
        for written in &values.values {
            // An object with a repeated key contradicts itself.
            let value = json::parse(written)?;
            let says = names.in_value(&value, field, DEPTH);
            if says != Says::Nothing {
                if reason.is_empty()
                    && let Value::Object(fields) = &value
                {
                    reason = reason_in(fields);
                }
                said = said.and(says);
            }
            // The value is replaced by a line break, so that the text before and after it does not form one word or one
            // sentence.
            rest = rest.replace(written, "\n");
        }
    }
    if said == Says::Nothing {
        return names.in_text(&rest, field).because(|| text.to_owned());
    }
    // The text around the value may contradict it.
    if let Says::One(other) = names.in_text(&rest, field) {
        said = said.and(Says::One(other));
    }
    said.because(|| reason)
}

/// Returns the index of the name that a parsed value chooses from `names`, and the reason. Returns `None` in the same cases
/// as [`choice`].
pub fn choice_in(value: &Value, names: &[String], field: &str) -> Option<Verdict<usize>> {
    let reason = value.as_object().map(reason_in).unwrap_or_default();
    Names::of(names)
        .in_value(value, field, DEPTH)
        .because(|| reason)
}

/// Returns the index of the name that equals `text`, ignoring case, Markdown and punctuation, or `None` if no name or several
/// names do.
pub fn named(text: &str, names: &[String]) -> Option<usize> {
    Names::of(names).named(text)
}

struct Names<'a> {
    names: &'a [String],
    keys: Vec<String>,
}

/// An occurrence of one of the names in the text, as whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mention {
    name: usize,
    start: usize,
    end: usize,
}

impl<'a> Names<'a> {
    fn of(names: &'a [String]) -> Self {
        Self {
            names,
            keys: names.iter().map(|name| key(name)).collect(),
        }
    }

    fn named(&self, text: &str) -> Option<usize> {
        let whole = text.trim();
        let exact = |part: &str| self.names.iter().position(|name| name == part);
        let by_key = |part: &str| {
            // A name is on one line. Lines that consist only of punctuation, such as a fence, are skipped.
            let with_words = |line: &&str| line.chars().any(char::is_alphanumeric);
            if part.lines().filter(with_words).nth(1).is_some() {
                return None;
            }
            let part = key(part);
            let mut found =
                (0..self.keys.len()).filter(|index| !part.is_empty() && self.keys[*index] == part);
            match (found.next(), found.next()) {
                (Some(index), None) => Some(index),
                _ => None,
            }
        };
        exact(whole)
            .or_else(|| exact(bare(whole)))
            .or_else(|| by_key(whole))
            .or_else(|| by_key(without_number(whole)?))
    }

    fn in_value(&self, value: &Value, field: &str, depth: usize) -> Says<usize> {
        if depth == 0 {
            return Says::Nothing;
        }
        let one = |name: Option<usize>| name.map_or(Says::Nothing, Says::One);
        match value {
            Value::String(text) => match self.named(text) {
                Some(name) => Says::One(name),
                None => self.in_text(text, field),
            },
            Value::Number(_) | Value::Bool(_) => one(self.named(&value.to_string())),
            Value::Array(items) => items.iter().fold(Says::Nothing, |says, item| {
                says.and(self.in_value(item, field, depth - 1))
            }),
            Value::Object(fields) => {
                let mut says = in_fields(fields, field, &FIELDS, |value| match value {
                    Value::Object(inner) => match self.in_value(value, field, depth - 1) {
                        Says::Nothing => in_fields(inner, "name", &["value", "id"], |value| {
                            self.in_value(value, field, depth - 1)
                        }),
                        says => says,
                    },
                    value => self.in_value(value, field, depth - 1),
                });
                // The names may be the keys of the object: `{"done": true, "needs work": false}`.
                if says == Says::Nothing {
                    says = fields
                        .iter()
                        .filter(|(_, value)| **value == true)
                        .fold(says, |says, (name, _)| says.and(one(self.named(name))));
                }
                if says == Says::Nothing {
                    says = fields
                        .iter()
                        .filter(|(name, _)| !REASONS.contains(&key(name).as_str()))
                        .filter_map(|(_, value)| value.as_str())
                        .fold(says, |says, text| says.and(one(self.named(text))));
                }
                match inner(fields) {
                    Some(inner) if says == Says::Nothing => self.in_value(inner, field, depth - 1),
                    _ => says,
                }
            }
            Value::Null => Says::Nothing,
        }
    }

    /// Returns the non-overlapping mentions of the names in the text. At each position, the longest name wins.
    fn mentions(&self, text: &str) -> Vec<Mention> {
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices() {
            match (c.is_alphanumeric(), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    words.push((from, at));
                    start = None;
                }
                _ => {}
            }
            // A name never spans text that is struck through.
            if c == STRUCK {
                words.push((at, at + c.len_utf8()));
            }
        }
        words.extend(start.map(|from| (from, text.len())));
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let best = (0..self.keys.len())
                .filter_map(|name| {
                    let count = words_of(&self.keys[name], text, &words[at..])?;
                    let place = &text[words[at].0..words[at + count - 1].1];
                    // A name of a single letter must also match in case. In the other case, the letter is usually an article or
                    // the marker of a list item.
                    let is_small = self.keys[name].chars().count() == 1;
                    (!is_small || place == self.names[name]).then_some((count, name))
                })
                .max();
            match best {
                Some((count, name)) => {
                    found.push(Mention {
                        name,
                        start: words[at].0,
                        end: words[at + count - 1].1,
                    });
                    at += count;
                }
                None => at += 1,
            }
        }
        found
    }

    fn in_text(&self, text: &str, field: &str) -> Says<usize> {
        if text.len() > LONGEST {
            return Says::Nothing;
        }
        let text = &*without_struck(text);
        if let Some((ticked, rest)) = self.ticked(text) {
            return ticked.and(self.in_text(&rest, field));
        }
        if let Some(name) = self.named(text) {
            return Says::One(name);
        }
        if let Some(inner) = in_tag(text, field, &FIELDS).or_else(|| boxed(text)) {
            return self.in_text(inner, field);
        }
        let text = before_reason(text);
        if let Some(name) = self.named(text) {
            return Says::One(name);
        }
        let sentences = sentences(text);
        let mut said = Says::Nothing;
        let mut last = 0;
        for (index, sentence) in sentences.iter().enumerate() {
            if sentence.is_question {
                continue;
            }
            let says = self.in_sentence(sentence.text, field);
            if says != Says::Nothing {
                last = index;
                said = said.and(says);
            }
        }
        match said {
            Says::Nothing => self.marked(text),
            Says::Unclear => Says::Unclear,
            Says::One(name) => {
                let behind = &sentences[last + 1..];
                let is_taken_back = behind.iter().any(|sentence| {
                    let mentions = self.mentions(sentence.text);
                    turns(sentence.text)
                        || mentions.iter().any(|mention| {
                            mention.name != name || denies(&sentence.text[..mention.start])
                        })
                });
                if is_taken_back {
                    Says::Unclear
                } else {
                    Says::One(name)
                }
            }
        }
    }

    /// Reads a checklist of names, such as `- [x] done`. Returns the verdict of the checked boxes, and the text without the
    /// lines of the checklist. A tick and a cross without boxes also form a checklist. Returns `None` if there is no
    /// checklist.
    fn ticked(&self, text: &str) -> Option<(Says<usize>, String)> {
        let mut says = Says::Nothing;
        let (mut has_box, mut has_tick, mut has_cross) = (false, false, false);
        let mut rest = Vec::new();
        for line in text.lines() {
            let named = box_of(line).and_then(|found| Some((self.named(found.item)?, found)));
            let Some((name, found)) = named else {
                rest.push(line);
                continue;
            };
            has_box |= !found.is_sign;
            has_tick |= found.is_ticked;
            has_cross |= !found.is_ticked;
            if found.is_ticked {
                says = says.and(Says::One(name));
            }
        }
        // A lone `✅ done` means the same as `done`.
        if !has_box && !(has_tick && has_cross) {
            return None;
        }
        let says = if has_tick { says } else { Says::Unclear };
        Some((says, rest.join("\n")))
    }

    /// Reads a sentence that is a verdict: the name alone, the name with a comment, or the name after a label such as
    /// `Verdict:`.
    fn in_sentence(&self, sentence: &str, field: &str) -> Says<usize> {
        if let Some(name) = self.named(sentence) {
            return Says::One(name);
        }
        let mut mentions = self.mentions(sentence);
        // The `no` in `Yes, there are no errors` is not a verdict.
        mentions.retain(|mention| {
            self.keys[mention.name] != "no" || !begins_with_fault(&sentence[mention.end..])
        });
        let [first, others @ ..] = mentions.as_slice() else {
            return Says::Nothing;
        };
        if others.iter().any(|other| other.name != first.name) {
            let is_verdict = sides(sentence).any(|(left, _)| is_label(left, field, &FIELDS));
            return if is_verdict || bare(&sentence[..first.start]).is_empty() {
                Says::Unclear
            } else {
                Says::Nothing
            };
        }
        let before = &sentence[..first.start];
        let behind = &sentence[first.end..];
        if is_winner(before, behind) {
            return Says::One(first.name);
        }
        let is_clear = is_comment(behind) && !takes_back(&self.names[first.name], behind);
        if !is_clear {
            return Says::Nothing;
        }
        if bare(before).is_empty() || without_number(&format!("{before}x")) == Some("x") {
            return Says::One(first.name);
        }
        let labelled = sides(before)
            .any(|(left, right)| bare(right).is_empty() && is_label(left, field, &FIELDS))
            || is_choosing(before);
        if labelled && !denies(before) {
            return Says::One(first.name);
        }
        Says::Nothing
    }

    /// Reads the verdict from the only name in `text`. The name must be in code, bold or quotation marks, its sentence must
    /// contain little else, and nothing may deny it.
    fn marked(&self, text: &str) -> Says<usize> {
        let mentions = self.mentions(text);
        let Some(first) = mentions.first() else {
            return Says::Nothing;
        };
        if mentions.iter().any(|mention| mention.name != first.name) {
            return Says::Unclear;
        }
        if denies(text) || turns(text) || text.contains('?') {
            return Says::Nothing;
        }
        let is_verdict = sentences(text).iter().any(|sentence| {
            self.mentions(sentence.text).iter().any(|mention| {
                let before = &sentence.text[..mention.start];
                let behind = &sentence.text[mention.end..];
                is_in_marks(before, behind)
                    && !doubts(sentence.text)
                    && ((bare(behind).is_empty() && leads_to_verdict(before))
                        || (bare(before).is_empty() && crate::words::words(behind).len() <= 6))
            })
        });
        if is_verdict {
            Says::One(first.name)
        } else {
            Says::Nothing
        }
    }
}

/// Returns whether the text between `before` and `behind` is bold, code or in quotation marks.
fn is_in_marks(before: &str, behind: &str) -> bool {
    let behind = behind.trim_start_matches(['.', '!', ',']);
    matches!(
        (before.chars().next_back(), behind.chars().next()),
        (Some('`'), Some('`'))
            | (Some('*'), Some('*'))
            | (Some('"'), Some('"'))
            | (Some('“'), Some('”'))
            | (Some('„'), Some('“'))
            | (Some('\''), Some('\''))
    )
}

/// Returns whether the text before a name introduces the name as the verdict, as in `I think that it is`. The caller ensures
/// that the name ends its sentence.
fn leads_to_verdict(before: &str) -> bool {
    const LINKS: [&str; 12] = [
        "is", "are", "as", "choose", "verdict", "answer", "branch", "decision", "choice", "ist",
        "est", "es",
    ];
    let words = crate::words::words(before);
    let is_latin = before.chars().any(|c| c.is_ascii_alphabetic());
    if !is_latin {
        return !before.contains(['不', '没', '未', '非', '無', '否']);
    }
    let is_behind_sign = plain(before).trim_end().ends_with([':', '=', '：', '→']);
    words.len() <= 6
        && (is_behind_sign
            || words
                .last()
                .is_some_and(|word| LINKS.contains(&word.as_str())))
}

/// Returns whether the words around a name declare it the winner, as in `Response B is better.`
fn is_winner(before: &str, behind: &str) -> bool {
    const OF_TWO: [&str; 8] = [
        "the",
        "response",
        "answer",
        "option",
        "candidate",
        "text",
        "version",
        "draft",
    ];
    const WINS: [&str; 6] = [
        "is better",
        "wins",
        "is the better one",
        "is the better answer",
        "is the better response",
        "is stronger",
    ];
    let is_of_two = crate::words::words(before)
        .iter()
        .all(|word| OF_TWO.contains(&word.as_str()));
    let behind = crate::words::words(behind).join(" ");
    is_of_two && WINS.contains(&behind.as_str())
}

/// Returns the number of leading words that together spell `name`, which is in lower case and has no spaces, or `None` if
/// they do not. Each word is a range of `text`.
fn words_of(name: &str, text: &str, words: &[(usize, usize)]) -> Option<usize> {
    let mut rest = name.chars().peekable();
    rest.peek()?;
    for (index, (from, to)) in words.iter().enumerate() {
        for letter in text[*from..*to].chars().flat_map(char::to_lowercase) {
            rest.next_if_eq(&letter)?;
        }
        if rest.peek().is_none() {
            return Some(index + 1);
        }
    }
    None
}

/// Returns whether the words before a name choose it, such as `I choose ` or `I would go with the branch `.
fn is_choosing(before: &str) -> bool {
    const VERBS: [&str; 12] = [
        "choose", "chose", "pick", "select", "selected", "prefer", "vote", "with", "decide",
        "decided", "chosen", "picked",
    ];
    const FILL: [&str; 8] = ["the", "branch", "option", "for", "on", "as", "is", "answer"];
    let words = crate::words::words(&plain(before));
    let is_mine = words
        .iter()
        .any(|word| matches!(word.as_str(), "i" | "i'd" | "i'll" | "i’d" | "i’ll"));
    let verb = words
        .iter()
        .rev()
        .find(|word| !FILL.contains(&word.as_str()));
    is_mine && verb.is_some_and(|verb| VERBS.contains(&verb.as_str()))
}
