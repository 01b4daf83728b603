//! What kind of thing a question asks for.

use loopwright_text::Word;

use super::lexicon::{self, Measure, lists};

/// The kind of answer that a question expects, from its question word.
#[derive(Clone, Copy)]
pub(crate) enum Expects {
    /// Who: somebody's (or some body's) name.
    Name,
    /// Where, in which town.
    Place,
    /// In which year.
    Year,
    /// When, on which day.
    Time,
    /// How many.
    Count,
    /// How high, how long.
    Measure(&'static Measure),
    /// Anything else.
    Thing,
}

impl Expects {
    /// From the words of the question; `noun` is the one after *which*, *what* or *how many*.
    pub(super) fn of(words: &[Word], noun: Option<&str>) -> Self {
        let mut pairs = words.windows(2);
        let how = pairs
            .find(|pair| pair[0].lower == "how")
            .map(|pair| pair[1].lower.as_str());
        match how {
            Some("many" | "much" | "often") => return Self::Count,
            Some(adjective) if lexicon::measure(adjective).is_some() => {
                return lexicon::measure(adjective).map_or(Self::Thing, Self::Measure);
            }
            _ => {}
        }
        for (list, expects) in [
            ("years", Self::Year),
            ("days", Self::Time),
            ("named", Self::Name),
            ("persons", Self::Name),
        ] {
            if noun.is_some_and(|noun| lists(list, noun)) {
                return expects;
            }
        }
        let first = words.iter().find(|token| token.is_stop());
        match first.map(|token| token.lower.as_str()) {
            Some("who" | "whom" | "whose") => Self::Name,
            Some("when") => Self::Time,
            Some("where") => Self::Place,
            _ => Self::Thing,
        }
    }
}
