//! Small closed lists of general English, read from `words.json`: related words, measures, irregular forms.

use std::{collections::HashMap, sync::LazyLock};

use serde::{Deserialize, Deserializer};

/// Words parted by spaces.
fn split<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(from)?;
    Ok(text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect())
}

#[derive(Deserialize)]
struct Words(#[serde(deserialize_with = "split")] Vec<String>);

/// The words that ask for a measure, those by which a text says it, and its units; without units, a span of time.
#[derive(Deserialize)]
pub(crate) struct Measure {
    #[serde(deserialize_with = "split")]
    pub(crate) asked: Vec<String>,
    #[serde(deserialize_with = "split")]
    pub(crate) said: Vec<String>,
    pub(crate) units: Vec<Unit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(crate) enum Unit {
    Length,
    Mass,
    Time,
    Area,
    Speed,
}

#[derive(Deserialize)]
struct Lexicon {
    lists: HashMap<String, Words>,
    /// Groups of words that say the same of a subject.
    related: Vec<Words>,
    measures: Vec<Measure>,
    units: HashMap<Unit, Words>,
    /// `found` is of *find*, so that it is not taken for *founded*.
    irregular: HashMap<String, String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let read = serde_json::from_str(include_str!("words.json"));
    read.unwrap_or_else(|error| panic!("words.json: {error}"))
});

static RELATED: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<String>> = HashMap::new();
    for Words(group) in &LEXICON.related {
        let stems: Vec<String> = group.iter().map(|word| stem(word)).collect();
        for word in &stems {
            let others = stems.iter().filter(|other| *other != word).cloned();
            groups.entry(word.clone()).or_default().extend(others);
        }
    }
    groups
});

/// Whether the list of that name has the lower-case word.
pub(super) fn lists(name: &str, lower: &str) -> bool {
    let list = LEXICON.lists.get(name);
    debug_assert!(list.is_some(), "no list {name}");
    list.is_some_and(|Words(words)| words.iter().any(|word| word == lower))
}

/// The stem under which a lower-case word is matched: that of its base form.
pub(super) fn stem(lower: &str) -> String {
    if lower.starts_with("building") {
        // The noun is not the verb.
        return "building".to_owned();
    }
    let base = LEXICON.irregular.get(lower);
    loopwright_text::stem(base.map_or(lower, String::as_str))
}

/// Stems of other words that say what the word of a stem says.
pub(super) fn related(stem: &str) -> Vec<String> {
    RELATED.get(stem).cloned().unwrap_or_default()
}

/// Whether a word frames a question without narrowing it.
pub(super) fn is_light(lower: &str) -> bool {
    lists("light", lower) || lists("persons", lower)
}

pub(super) fn unit(lower: &str) -> Option<Unit> {
    let mut units = LEXICON.units.iter();
    let found = units.find(|(_, Words(words))| words.iter().any(|word| word == lower));
    found.map(|(unit, _)| *unit)
}

pub(super) fn measure(asked: &str) -> Option<&'static Measure> {
    let mut measures = LEXICON.measures.iter();
    measures.find(|measure| measure.asked.iter().any(|word| word == asked))
}

pub(super) fn is_time_word(lower: &str) -> bool {
    let day = lower.strip_suffix('s').filter(|day| day.ends_with("day"));
    lists("times", lower) || day.is_some_and(|day| lists("times", day))
}

/// Whether a word is a year as texts write it: 1066, 1839, 2024; with an `s` a decade.
pub(super) fn is_year(lower: &str) -> bool {
    let digits = lower.trim_end_matches('s');
    digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(digits.as_bytes()[0], b'1' | b'2')
        && digits < "2100"
}
