//! Reports everything that neither the flow nor the report of an import mentions, so that no part of a source is dropped
//! silently.
//!
//! A format reports how it translates everything that it reads. This module finds the rest: a field of another version, a
//! misplaced setting, a node that is not reachable. Every name, and every key that the format does not define, must appear in the
//! flow or in the report.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::{Entry, Outcome, format::Import};

/// The maximum number of places listed for one name or key.
const SHOWN: usize = 3;
/// The maximum number of names and keys that are reported separately.
const MOST: usize = 200;

/// Fields whose values are names.
const NAMING: [&str; 2] = ["name", "id"];

/// Adds to the report the parts of `source` that neither the flow nor the report mentions. `reads` are the keys that the format
/// defines. If `with_names` is false, only keys are checked, for a format that reports the outcome for each name itself.
pub(crate) fn complete(source: &Value, import: &mut Import, reads: &[&str], with_names: bool) {
    let mut seen = HashSet::new();
    if let Ok(flow) = serde_json::to_value(&import.flow) {
        collect(&flow, &mut seen);
    }
    for entry in &import.report.entries {
        words(&entry.place, &mut seen);
        words(&entry.message, &mut seen);
    }
    let mut search = Search {
        seen: &seen,
        reads,
        with_names,
        place: String::new(),
        missing: BTreeMap::new(),
    };
    search.walk(source);
    let mut missing: Vec<_> = search.missing.into_values().collect();
    missing.sort_by(|one, other| one.places[0].cmp(&other.places[0]));
    let more = missing.len().saturating_sub(MOST);
    missing.truncate(MOST);
    // Names and keys that occur once are grouped by the part of the source, so that a trigger's settings take one line
    // instead of twenty.
    let mut rest = missing.as_slice();
    while let Some(first) = rest.first() {
        let key = |found: &Missing| (found.count, found.name, part(&found.places[0]).to_owned());
        let same = |found: &&Missing| first.count == 1 && key(found) == key(first);
        let count = rest.iter().take_while(same).count().max(1);
        let (group, further) = rest.split_at(count);
        rest = further;
        let (place, message) = match group {
            [one] => (one.places[0].as_str(), one.message()),
            several => (part(&first.places[0]), together(several)),
        };
        import.report.entries.push(entry(place, message));
    }
    if more > 0 {
        let names = if more == 1 { "name" } else { "names" };
        let message = format!("Ignored: {more} more {names} that Loopwright doesn't support.");
        import.report.entries.push(entry("file", message));
    }
}

fn entry(place: &str, message: String) -> Entry {
    Entry {
        outcome: Outcome::Approximated,
        place: place.to_owned(),
        node: None,
        message,
    }
}

/// Returns the part of the source that contains a place: a node, an action, a trigger.
fn part(place: &str) -> &str {
    let inner = place.strip_prefix("definition.").unwrap_or(place);
    let before = place.len() - inner.len();
    let mut dots = inner.match_indices('.').map(|(at, _)| at);
    let end = match (dots.next(), dots.next()) {
        (Some(first), _) if inner[..first].contains('[') => first,
        (_, Some(second)) => second,
        _ => inner.len(),
    };
    &place[..before + end]
}

/// Returns the message that reports several names and keys of one part.
fn together(found: &[Missing]) -> String {
    let words: Vec<String> = found.iter().map(Missing::quoted).collect();
    let words = words.join(", ");
    if found[0].name {
        format!("Not used: {words}.")
    } else {
        format!("Ignored: Loopwright doesn't support {words}.")
    }
}

/// A name or a key of the source that neither the flow nor the report mentions.
struct Missing {
    word: String,
    /// Whether it is a name. If not, it is a key.
    name: bool,
    places: Vec<String>,
    count: usize,
}

impl Missing {
    fn quoted(&self) -> String {
        match self.name {
            true => format!("“{}”", self.word),
            false => format!("`{}`", self.word),
        }
    }

    fn message(&self) -> String {
        let also = match (self.count - 1, &self.places[1..]) {
            (0, _) => String::new(),
            (count, []) => format!(" ({count} more)"),
            (_, places) => format!(
                " (also {}{})",
                places.join(", "),
                if self.count > SHOWN { ", …" } else { "" }
            ),
        };
        let word = self.quoted();
        if self.name {
            format!("Not used: {word}{also}.")
        } else {
            format!("Ignored: Loopwright doesn't support {word}{also}.")
        }
    }
}

fn words(text: &str, into: &mut HashSet<String>) {
    for word in split(text) {
        if !into.contains(word) {
            into.insert(word.to_owned());
        }
    }
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn collect(value: &Value, into: &mut HashSet<String>) {
    match value {
        Value::String(text) => words(text, into),
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => {
            for (name, field) in fields {
                words(name, into);
                collect(field, into);
            }
        }
        _ => {}
    }
}

/// Returns whether `word` is among the space-separated words in `words`.
pub(crate) fn holds(words: &[&str], word: &str) -> bool {
    let mut known = words.iter().flat_map(|words| words.split(' '));
    known.any(|known| known == word)
}

struct Search<'s> {
    seen: &'s HashSet<String>,
    reads: &'s [&'s str],
    with_names: bool,
    place: String,
    /// The missing names and keys, sorted alphabetically.
    missing: BTreeMap<String, Missing>,
}

impl Search<'_> {
    fn walk(&mut self, value: &Value) {
        let before = self.place.len();
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.place.push_str(&format!("[{index}]"));
                    self.walk(item);
                    self.place.truncate(before);
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields {
                    if before > 0 {
                        self.place.push('.');
                    }
                    self.place.push_str(key);
                    if !holds(self.reads, key) && self.is_missing(key) {
                        self.note(key, false);
                    }
                    match field {
                        Value::String(name)
                            if self.with_names
                                && NAMING.contains(&key.as_str())
                                && self.is_missing(name) =>
                        {
                            self.note(name, true);
                        }
                        field => self.walk(field),
                    }
                    self.place.truncate(before);
                }
            }
            _ => {}
        }
    }

    /// Returns whether any part of a word appears in neither the flow nor the report. A word without letters or digits has no
    /// parts and is never missing.
    fn is_missing(&self, word: &str) -> bool {
        split(word).any(|part| !self.seen.contains(part))
    }

    fn note(&mut self, word: &str, name: bool) {
        let word: String = word.chars().take(80).collect();
        let place: String = self.place.chars().take(200).collect();
        let found = self.missing.entry(word.clone()).or_insert(Missing {
            word,
            name,
            places: Vec::new(),
            count: 0,
        });
        found.count += 1;
        if found.places.len() < SHOWN {
            found.places.push(place);
        }
    }
}
