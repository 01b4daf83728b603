//! A question taken apart: names, other words, what must be said of the answer, what describes the subject.

use super::{
    expects::{self, Expects},
    lexicon::{self, lists},
    notes::{Token, tokens},
};

/// A question, ready to be matched.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) units: Vec<Unit>,
    pub(crate) expects: Expects,
    /// What *which* asks for, as stems that say it: an island. Empty where it asks for no kind of thing.
    pub(super) kind: Vec<String>,
}

/// A name or a word of the question.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// As the question has it.
    pub(crate) text: String,
    /// For each word the stems under which it may stand.
    pub(super) words: Vec<Vec<String>>,
    /// Stems that say the same.
    pub(super) related: Vec<String>,
    pub(crate) name: bool,
    /// How much of the question it is.
    pub(super) weight: f64,
    /// The sentence that answers must say it: the verb or noun that asks.
    pub(crate) key: bool,
    /// It describes the subject rather than what is asked of it.
    pub(crate) inner: bool,
}

/// The words of a question with what is known of their places.
struct Parsed<'a> {
    words: &'a [Token],
    /// Names and quoted titles.
    spans: Vec<(usize, usize)>,
    /// The word that asks.
    asks: Option<usize>,
    /// The noun after which, what or how many.
    noun: Option<usize>,
    /// The adjective after how.
    adjective: Option<usize>,
    expects: Expects,
}

impl Question {
    pub(crate) fn new(text: &str) -> Self {
        let text = &without_brackets(text);
        let words = tokens(text);
        let parsed = Parsed::new(&words, text);
        let keys = parsed.keys();
        let mut units = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if let Some(&(from, to)) = parsed.spans.iter().find(|span| span.0 == at) {
                units.push(Unit {
                    text: text[words[from].start..words[to - 1].end].to_owned(),
                    words: words[from..to]
                        .iter()
                        .filter(|word| !word.stop)
                        .map(|word| vec![word.stem.clone()])
                        .collect(),
                    related: Vec::new(),
                    name: true,
                    weight: 2.0,
                    key: false,
                    inner: true,
                });
                at = to;
                continue;
            }
            units.extend(parsed.unit(at, keys == Some(at)));
            at += 1;
        }
        let kind = parsed
            .noun
            .filter(|_| matches!(parsed.expects, Expects::Name));
        let kind = kind.map_or_else(Vec::new, |at| {
            let mut stems = lexicon::forms(&words[at].lower);
            stems.extend(lexicon::related(&words[at].lower));
            stems
        });
        Self {
            units,
            expects: parsed.expects,
            kind,
        }
    }

    /// Whether every word of `name` belongs to the question's names.
    pub(super) fn names_all(&self, name: &[Token]) -> bool {
        let said = |word: &Token| {
            self.units
                .iter()
                .any(|unit| unit.words.iter().any(|forms| forms.contains(&word.stem)))
        };
        name.iter().filter(|word| !word.stop).all(said)
    }

    /// The words to look for first: the description of the subject when the question describes one rather than naming it, else
    /// everything. Finding the subject first keeps its articles from being crowded out by those that match the words asked about it.
    pub(crate) fn first_query(&self) -> Vec<&Unit> {
        let inner: Vec<&Unit> = self.units.iter().filter(|unit| unit.inner).collect();
        let names = inner.iter().filter(|unit| unit.name).count();
        let describes = inner.iter().any(|unit| !unit.name && unit.weight >= 0.5);
        if describes && (names > 0 || inner.len() >= 2) {
            return inner;
        }
        self.units.iter().collect()
    }
}

impl<'a> Parsed<'a> {
    fn new(words: &'a [Token], text: &str) -> Self {
        let asks = words
            .iter()
            .position(|word| lists("question-words", &word.lower));
        let mut parsed = Self {
            words,
            spans: name_spans(words, text),
            asks,
            noun: None,
            adjective: None,
            expects: Expects::Thing,
        };
        let after = asks.map_or(0, |at| at + 1);
        let is = |at: usize, list: &[&str]| {
            words
                .get(at)
                .is_some_and(|word| list.contains(&word.lower.as_str()))
        };
        let noun = match asks {
            Some(asks) if is(asks, &["which", "what", "whose"]) => Some(after),
            Some(asks) if is(asks, &["how"]) && is(after, &["many", "much"]) => Some(after + 1),
            _ => None,
        };
        // The last of a run of nouns is its head: which chess champion.
        parsed.noun = noun.filter(|&at| parsed.is_content(at)).map(|mut head| {
            while parsed.is_content(head + 1) && parsed.is_auxiliary(head + 2) {
                head += 1;
            }
            head
        });
        let how = asks.is_some_and(|asks| is(asks, &["how"])) && parsed.noun.is_none();
        let measured = |&at: &usize| {
            words
                .get(at)
                .is_some_and(|word| lexicon::measure(&word.lower).is_some())
        };
        parsed.adjective = Some(after).filter(|at| how && measured(at));
        parsed.expects = Expects::of(words, parsed.noun.map(|at| words[at].lower.as_str()));
        parsed
    }

    fn in_name(&self, at: usize) -> bool {
        self.spans
            .iter()
            .any(|&(from, to)| (from..to).contains(&at))
    }

    fn is_content(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| !word.stop) && !self.in_name(at)
    }

    fn is_auxiliary(&self, at: usize) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| lists("auxiliaries", &word.lower))
    }

    /// A word outside of names, where it says something.
    fn unit(&self, at: usize, key: bool) -> Option<Unit> {
        let word = &self.words[at];
        if !key && (word.stop || self.says_only_the_kind(at)) {
            return None;
        }
        let noun = self.noun == Some(at);
        let related = match self.expects {
            Expects::Measure(measured) if key && lexicon::measure(&word.lower).is_some() => {
                let said = measured.said.iter().map(|word| lexicon::stem(word));
                said.chain(lexicon::related(&word.lower)).collect()
            }
            _ => lexicon::related(&word.lower),
        };
        let weight = match &word.lower {
            _ if key => 1.0,
            lower if lexicon::is_light(lower) || lower.ends_with("ly") => 0.2,
            lower if noun || lower.ends_with("est") => 0.4,
            _ => 1.0,
        };
        let last_name = self.spans.last().map_or(usize::MAX, |span| span.1);
        Some(Unit {
            text: word.lower.clone(),
            words: vec![lexicon::forms(&word.lower)],
            related,
            name: false,
            weight,
            key,
            inner: !key && !noun && at < last_name,
        })
    }

    /// Whether a word only says what kind of answer is asked for.
    fn says_only_the_kind(&self, at: usize) -> bool {
        let lower = &self.words[at].lower;
        let noun = self.noun == Some(at);
        match self.expects {
            Expects::Year | Expects::Time => noun,
            Expects::Count => lower == "age" || noun && lexicon::unit(lower).is_some(),
            Expects::Occupation => lists("occupations", lower),
            _ => false,
        }
    }

    /// The word that the answering sentence must say: the verb at the end (`… born?`), the verb after who or what, the noun before `of`,
    /// the counted noun, the adjective of a measure.
    fn keys(&self) -> Option<usize> {
        let words = self.words;
        if let Some(at) = self.adjective {
            // How long must it be seasoned: the verb says more than the adjective.
            let weak = lists("weak-adjectives", &words[at].lower);
            return self.asking_verb(at + 1).filter(|_| weak).or(Some(at));
        }
        let counted = self.noun.filter(|&at| {
            let lower = &words[at].lower;
            matches!(self.expects, Expects::Count)
                && lexicon::unit(lower).is_none()
                && lower != "age"
        });
        if counted.is_some() || matches!(self.expects, Expects::Occupation) {
            return counted;
        }
        // How much does, how often does.
        let asks = self.asks?;
        let how = words[asks].lower == "how" && self.noun.is_none();
        let from = self.noun.unwrap_or(asks + usize::from(how)) + 1;
        if !self.is_auxiliary(from) {
            // Who founded …, which town lies …
            return (from..words.len()).find(|&at| self.is_content(at));
        }
        if let Some(verb) = self.asking_verb(from + 1) {
            return Some(verb);
        }
        // The run of nouns behind the auxiliary: `is the chief executive of`, `was the firm founded that`.
        let start = (from + 1..words.len()).find(|&at| !words[at].stop || self.in_name(at))?;
        if let Some(&(_, end)) = self.spans.iter().find(|span| span.0 == start) {
            // Was the Sallow Bridge opened to traffic; did Ilse Quandt design.
            let heavy = |&at: &usize| self.is_content(at) && !lexicon::is_light(&words[at].lower);
            return (end..words.len()).find(heavy);
        }
        let end = (start..words.len())
            .take_while(|&at| self.is_content(at))
            .last()?;
        (!lexicon::is_light(&words[end].lower)).then_some(end)
    }

    /// The verb at the end that asks: behind the last name, or the last word of a question without one.
    fn asking_verb(&self, from: usize) -> Option<usize> {
        let words = self.words;
        let content = |&at: &usize| !words[at].stop && !words[at].lower.ends_with("ly");
        let Some(&(_, name_end)) = self.spans.last() else {
            let found: Vec<usize> = (from..words.len()).filter(content).collect();
            return found.last().copied().filter(|_| found.len() > 1);
        };
        let start = name_end.max(from);
        let mut heavy = (start..words.len())
            .filter(content)
            .filter(|&at| !lexicon::is_light(&words[at].lower));
        if words.get(start).is_some_and(|word| word.lower == "s") {
            return heavy.next_back();
        }
        let first = heavy.next()?;
        let described = words[start..first]
            .iter()
            .any(|word| lists("descriptions", &word.lower));
        (!described).then_some(first)
    }
}

/// A question without its bracketed explanations: `Hypocrite (Film)`.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    kept
}

/// Names and quoted titles. The question's first word is none unless more of a name follows.
fn name_spans(words: &[Token], text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let quotes: Vec<usize> = text
        .match_indices(['"', '“', '”'])
        .map(|(at, _)| at)
        .collect();
    for pair in quotes.chunks_exact(2) {
        let inside = |word: &Token| word.start > pair[0] && word.end <= pair[1];
        let from = words.iter().position(inside);
        let to = words.iter().rposition(inside);
        if let (Some(from), Some(to)) = (from, to)
            && words[from..=to].iter().any(|word| !word.stop)
        {
            spans.push((from, to + 1));
        }
    }
    for (from, to) in expects::names(words) {
        let free = spans.iter().all(|&(start, end)| to <= start || from >= end);
        let imperative =
            from == 0 && to == 1 && words.len() > 1 && lists("orders", &words[0].lower);
        if free && !imperative {
            spans.push((from, to));
        }
    }
    spans.sort_unstable();
    spans
}
