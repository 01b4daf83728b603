//! Short, closed lists of general English words, read from `words.txt`: related words, measures, irregular forms.

use std::{collections::HashMap, sync::LazyLock};

type Row = Vec<&'static str>;

/// The rows of each list, in the order of the file.
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

/// Groups of stems with the same meaning.
static RELATED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let stems = |row: &Row| row.iter().map(|word| stem(word)).collect();
    rows("related").iter().map(stems).collect()
});

fn rows(name: &str) -> &'static [Row] {
    let rows = ROWS.get(name);
    debug_assert!(rows.is_some(), "no list {name}");
    rows.map_or(&[], Vec::as_slice)
}

/// Returns whether the list `name` contains the lower-case word.
pub(crate) fn lists(name: &str, lower: &str) -> bool {
    rows(name).iter().any(|row| row.contains(&lower))
}

/// Returns the stem under which a lower-case word is matched: the stem of its base form.
pub(super) fn stem(lower: &str) -> String {
    if lower.starts_with("building") {
        // The noun "building" differs from the verb.
        return "building".to_owned();
    }
    let mut irregular = rows("irregular").iter();
    let found = irregular.find(|row| row[1..].contains(&lower));
    loopwright_text::stem(found.map_or(lower, |row| row[0]))
}

/// Returns the stems of other words with the same meaning.
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

/// Returns whether a word is a year from 1000 to 2099, such as 1839, or a decade, such as 1920s.
pub(super) fn is_year(lower: &str) -> bool {
    let year = lower.trim_end_matches('s').parse();
    year.is_ok_and(|year| (1000..2100).contains(&year))
}

pub(super) fn is_unit(lower: &str) -> bool {
    let units = ["length", "mass", "time", "area", "speed"];
    units.iter().any(|unit| lists(unit, lower))
}

/// A row of the list of measures.
#[derive(Clone, Copy)]
pub(crate) struct Measure(&'static Row);

impl Measure {
    /// Returns the measure that the question word `asked` asks for, such as height for *high*, or `None` if it asks for no
    /// measure.
    pub(super) fn new(asked: &str) -> Option<Self> {
        let mut measures = rows("measure").iter().map(Self);
        measures.find(|measure| measure.part(0).contains(&asked))
    }

    fn part(self, at: usize) -> &'static [&'static str] {
        let mut parts = self.0.split(|word| *word == "|");
        parts.nth(at).unwrap_or_default()
    }

    /// Returns the words that name the measure in text.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        self.part(0).iter().chain(self.part(1)).copied()
    }

    pub(super) fn has_unit(self, lower: &str) -> bool {
        self.part(2).iter().any(|unit| lists(unit, lower))
    }
}
