//! Small closed lists of general English, read from `words.txt`: related words, measures, irregular forms.

use std::{collections::HashMap, sync::LazyLock};

type Row = Vec<&'static str>;

/// The rows of each name, in the order of the file.
static ROWS: LazyLock<HashMap<&str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<Row>> = HashMap::new();
    let lines = include_str!("words.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        if let Some((name, words)) = line.split_once(" = ") {
            let row = words.split_whitespace().collect();
            rows.entry(name).or_default().push(row);
        }
    }
    rows
});

/// Groups of stems that say the same of a subject.
static RELATED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let stems = |row: &Row| row.iter().map(|word| stem(word)).collect();
    rows("related").iter().map(stems).collect()
});

fn rows(name: &str) -> &'static [Row] {
    let rows = ROWS.get(name);
    debug_assert!(rows.is_some(), "no list {name}");
    rows.map_or(&[], Vec::as_slice)
}

/// Whether the list of that name has the lower-case word.
pub(crate) fn lists(name: &str, lower: &str) -> bool {
    rows(name).iter().any(|row| row.contains(&lower))
}

/// The stem under which a lower-case word is matched: that of its base form.
pub(super) fn stem(lower: &str) -> String {
    if lower.starts_with("building") {
        // The noun is not the verb.
        return "building".to_owned();
    }
    let mut irregular = rows("irregular").iter();
    let found = irregular.find(|row| row[1..].contains(&lower));
    loopwright_text::stem(found.map_or(lower, |row| row[0]))
}

/// Stems of other words that say what the word of a stem says.
pub(super) fn related(stem: &str) -> Vec<String> {
    let groups = RELATED
        .iter()
        .filter(|group| group.iter().any(|word| word == stem));
    groups
        .flatten()
        .filter(|word| *word != stem)
        .cloned()
        .collect()
}

/// Whether a word is a year as texts write it: 1066, 1839, 2024; with an `s` a decade.
pub(super) fn is_year(lower: &str) -> bool {
    let year = lower.trim_end_matches('s').parse();
    year.is_ok_and(|year| (1000..2100).contains(&year))
}

pub(super) fn is_unit(lower: &str) -> bool {
    let units = ["length", "mass", "time", "area", "speed"];
    units.iter().any(|unit| lists(unit, lower))
}

/// A row of measures.
#[derive(Clone, Copy)]
pub(crate) struct Measure(&'static Row);

impl Measure {
    /// The measure that a word asks for.
    pub(super) fn new(asked: &str) -> Option<Self> {
        let mut measures = rows("measure").iter().map(Self);
        measures.find(|measure| measure.part(0).contains(&asked))
    }

    fn part(self, at: usize) -> &'static [&'static str] {
        let mut parts = self.0.split(|word| *word == "|");
        parts.nth(at).unwrap_or_default()
    }

    /// The words by which a text says it.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        self.part(0).iter().chain(self.part(1)).copied()
    }

    pub(super) fn has_unit(self, lower: &str) -> bool {
        self.part(2).iter().any(|unit| lists(unit, lower))
    }
}
