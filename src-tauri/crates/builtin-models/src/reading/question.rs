//! Parses a question: its names and other words, the word that the answer must contain, and the words that describe the
//! subject.

use loopwright_text::Word;

use super::{
    lexicon::{self, Measure, lists},
    names::proper_names,
    notes::tokens,
};

/// A question, ready for matching.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) units: Vec<Unit>,
    pub(super) expects: Expects,
}

/// The kind of answer that a question expects, according to its question word.
#[derive(Clone, Copy)]
pub(super) enum Expects {
    /// The question asks for a name: who. The answer is the name of a person or an organisation.
    Name,
    /// The question asks for a place: where, or in which town.
    Place,
    /// The question asks for a year.
    Year,
    /// The question asks for a date or a time: when, or on which day.
    Time,
    /// The question asks for a number of things.
    Count,
    /// The question asks for a measure, such as how high or how long.
    Measure(Measure),
    /// The question asks for anything else.
    Thing,
}

/// A name or a word of the question.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// The text in the question.
    pub(crate) text: String,
    pub(super) stems: Vec<String>,
    /// Stems of other words with the same meaning.
    pub(super) related: Vec<String>,
    pub(crate) name: bool,
    /// How much a match of the unit contributes, relative to other units: 2 for a name, less for other words.
    pub(super) weight: f64,
    /// Whether the answering sentence must contain this unit, because it is the verb or noun that the question asks about.
    pub(crate) key: bool,
    /// Whether this unit describes the subject rather than what is asked about it.
    pub(crate) inner: bool,
}

/// The words of a question, and the positions of the words that determine what it asks for.
struct Parsed<'a> {
    words: &'a [Word],
    names: Vec<(usize, usize)>,
    /// The position of the question word, such as "who", or `None` if the question has none.
    asks: Option<usize>,
    /// The position of the noun after "which", "what" or "how many", or `None` if the question has none.
    noun: Option<usize>,
    expects: Expects,
}

impl Question {
    pub(super) fn new(text: &str) -> Self {
        let words = tokens(text);
        let parsed = Parsed::new(&words);
        let key = parsed.key();
        let mut units = Vec::new();
        for at in 0..words.len() {
            let mut names = parsed.names.iter();
            match names.find(|name| (name.0..name.1).contains(&at)) {
                Some(&(from, to)) if from == at => units.push(Unit::name(text, &words[from..to])),
                Some(_) => {}
                None => units.extend(parsed.unit(at, key == Some(at))),
            }
        }
        let expects = parsed.expects;
        Self { units, expects }
    }

    /// Returns whether every word of `name` belongs to the question.
    pub(super) fn names_all(&self, name: &[Word]) -> bool {
        let mut words = name.iter().filter(|word| !word.is_stop());
        let has = |word: &Word, unit: &Unit| unit.stems.contains(&word.stem);
        words.all(|word| self.units.iter().any(|unit| has(word, unit)))
    }

    /// Returns the units to search for first: those that describe the subject, if any of them is a word rather than a name;
    /// otherwise all units. If everything were searched at once, passages that match the rest of the question could crowd out
    /// those about the subject.
    pub(crate) fn first_query(&self) -> Vec<&Unit> {
        let inner: Vec<&Unit> = self.units.iter().filter(|unit| unit.inner).collect();
        let describes = inner.iter().any(|unit| !unit.name && unit.weight >= 0.5);
        if describes && inner.len() >= 2 {
            return inner;
        }
        self.units.iter().collect()
    }
}

impl Unit {
    fn name(text: &str, words: &[Word]) -> Self {
        let ends = words.first().zip(words.last());
        let text = ends.and_then(|(first, last)| text.get(first.start..last.end));
        let words = words.iter().filter(|word| !word.is_stop());
        Self {
            text: text.unwrap_or_default().to_owned(),
            stems: words.map(|word| word.stem.clone()).collect(),
            related: Vec::new(),
            name: true,
            weight: 2.0,
            key: false,
            inner: true,
        }
    }
}

impl<'a> Parsed<'a> {
    fn new(words: &'a [Word]) -> Self {
        let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
        let asks = words
            .iter()
            .position(|word| lists("question-words", &word.lower));
        let (asking, after) = asks.map_or(("", 0), |at| (lower(at), at + 1));
        let how = if asking == "how" { lower(after) } else { "" };
        let mut parsed = Self {
            words,
            names: proper_names(words),
            asks,
            noun: None,
            expects: Expects::Thing,
        };
        let noun = match (asking, how) {
            ("which" | "what" | "whose", _) => Some(after),
            (_, "many" | "much") => Some(after + 1),
            _ => None,
        };
        parsed.noun = noun.filter(|&at| parsed.is_content(at));
        let noun_is = |list| parsed.noun.is_some_and(|at| lists(list, lower(at)));
        parsed.expects = match asking {
            _ if matches!(how, "many" | "much" | "often") => Expects::Count,
            "how" => Measure::new(how).map_or(Expects::Thing, Expects::Measure),
            _ if noun_is("years") => Expects::Year,
            _ if noun_is("days") => Expects::Time,
            _ if noun_is("named") || noun_is("persons") => Expects::Name,
            "who" | "whom" | "whose" => Expects::Name,
            "when" => Expects::Time,
            "where" => Expects::Place,
            _ => Expects::Thing,
        };
        parsed
    }

    fn is_content(&self, at: usize) -> bool {
        let mut names = self.names.iter();
        let named = names.any(|&(from, to)| (from..to).contains(&at));
        let word = self.words.get(at);
        word.is_some_and(|word| !word.is_stop()) && !named
    }

    /// Returns whether a word is informative: a content word that is not in the list `light`.
    fn is_heavy(&self, at: usize) -> bool {
        self.is_content(at) && !lists("light", &self.words[at].lower)
    }

    /// Returns the unit for a word that is not part of a name. Returns `None` for a stop word, unless it is the key.
    fn unit(&self, at: usize, key: bool) -> Option<Unit> {
        let word = &self.words[at];
        if !key && word.is_stop() {
            return None;
        }
        let mut related = lexicon::related(&word.stem);
        if let Expects::Measure(measure) = self.expects
            && key
            && Measure::new(&word.lower).is_some()
        {
            related.extend(measure.words().map(lexicon::stem));
        }
        let light = lists("light", &word.lower);
        Some(Unit {
            text: word.lower.clone(),
            stems: vec![word.stem.clone()],
            related,
            name: false,
            weight: if light && !key { 0.2 } else { 1.0 },
            key,
            inner: !key && self.noun != Some(at),
        })
    }

    /// Returns the position of the word that the answering sentence must contain: the verb at the end (`… born?`), the verb
    /// after "who" or "what", the noun before `of`, the counted noun, or the adjective of a measure. Returns `None` if there
    /// is no such word.
    fn key(&self) -> Option<usize> {
        let words = self.words;
        let asks = self.asks?;
        match (self.expects, self.noun) {
            (Expects::Measure(_), _) => {
                // In `How long must it be seasoned`, the verb is more informative than the adjective.
                let weak = lists("weak-adjectives", &words[asks + 1].lower);
                let verb = self.asking_verb(asks + 2).filter(|_| weak);
                return verb.or(Some(asks + 1));
            }
            (Expects::Count, Some(noun)) if !lexicon::is_unit(&words[noun].lower) => {
                return Some(noun);
            }
            _ => {}
        }
        // In `How much does …` and `How often does …`, one more word belongs to "how".
        let how = words[asks].lower == "how" && self.noun.is_none();
        let from = self.noun.unwrap_or(asks + usize::from(how)) + 1;
        if !lists("auxiliaries", &words.get(from)?.lower) {
            // In `Who founded …` and `Which town lies …`, no auxiliary verb precedes the verb.
            return (from..words.len()).find(|&at| self.is_content(at));
        }
        self.asking_verb(from + 1)
            .or_else(|| self.asking_noun(from + 1))
    }

    /// Returns the position of the last of the nouns after the auxiliary: `is the chief executive of`, `was the firm founded
    /// that`. Returns `None` if there is none.
    fn asking_noun(&self, from: usize) -> Option<usize> {
        let words = self.words;
        let start = (from..words.len()).find(|&at| !words[at].is_stop())?;
        let run = (start..words.len()).take_while(|&at| self.is_content(at));
        run.last().filter(|&at| self.is_heavy(at))
    }

    /// Returns the position of the verb near the end of the question: the first informative word after the last name or, in a
    /// question without names, the last of several content words. Returns `None` if no such word is found.
    fn asking_verb(&self, from: usize) -> Option<usize> {
        let words = self.words;
        let content = |&at: &usize| !words[at].is_stop() && !words[at].lower.ends_with("ly");
        let Some(&(_, name_end)) = self.names.last() else {
            let found: Vec<usize> = (from..words.len()).filter(content).collect();
            return found.last().copied().filter(|_| found.len() > 1);
        };
        let start = name_end.max(from);
        let mut behind = (start..words.len()).filter(content);
        let first = behind.find(|&at| self.is_heavy(at))?;
        let mut between = words[start..first].iter();
        let described = between.any(|word| lists("descriptions", &word.lower));
        (!described).then_some(first)
    }
}
