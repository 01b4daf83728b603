//! Says what neither the flow nor the report of an import mentions, so that nothing of a source is dropped in silence.
//!
//! A format says what it does with each thing that it reads. What it does not know (a field of another version, a setting in an
//! odd place, a node that nothing leads to) is found here: the keys of the source that are no words of the format, and the names
//! that it gives, must stand somewhere in the flow or in the report.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::{Entry, Outcome, format::Import};

/// Further places of the same word that are written out.
const SHOWN: usize = 3;
/// Words that are written out one by one.
const MOST: usize = 200;

/// Fields whose values are names.
const NAMING: [&str; 2] = ["name", "id"];

/// Adds to the report what of `source` neither the flow nor the report mentions. `reads` are the words of the format. Without
/// `with_names` the keys alone: for a format that says itself what becomes of each name.
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
    // What stands once goes with the rest of the part that it stands in: a trigger's settings are one line and not twenty.
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
        let message = format!("Ignored: {more} more words that Loopwright doesn't support.");
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

/// The part of the source that a place is in: a node, an action, a trigger.
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

/// What is said of several words of one part.
fn together(found: &[Missing]) -> String {
    let words: Vec<String> = found.iter().map(Missing::quoted).collect();
    let words = words.join(", ");
    if found[0].name {
        format!("Not used: {words}.")
    } else {
        format!("Ignored: Loopwright doesn't support {words}.")
    }
}

/// A word of the source that is mentioned nowhere.
struct Missing {
    word: String,
    /// Whether it is a name that the source gives, and no key.
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
            (count, []) => format!(" ({count} times more)"),
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

/// Whether a word is one of those that the texts of a list are made of.
pub(crate) fn holds(words: &[&str], word: &str) -> bool {
    let mut known = words.iter().flat_map(|words| words.split(' '));
    known.any(|known| known == word)
}

struct Search<'s> {
    seen: &'s HashSet<String>,
    reads: &'s [&'s str],
    with_names: bool,
    place: String,
    /// By word, in the order of the source.
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

    /// Whether some part of a word stands nowhere. A word without letters says nothing that could be missed.
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
