//! A question taken apart: names, other words, what must be said of the answer, what describes the subject.

use super::{
    expects::{self, Expects},
    lexicon,
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
    /// How close to a name of the question it stands, 0 to 1: what stands closest is resolved first.
    pub(super) nearness: f64,
    /// It describes the subject rather than what is asked of it.
    pub(crate) inner: bool,
}

const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "must", "may", "might",
    "will", "would", "should", "has", "have", "had", "be", "been",
];
/// Words that begin a description of the noun before them.
const RELATIVES: &[&str] = &["that", "which", "who", "whom", "whose", "where", "to"];
/// Words that begin a side clause, which narrows nothing.
const SIDE: &[&str] = &["before", "after", "while", "when", "until", "during"];

impl Question {
    pub(crate) fn new(text: &str) -> Self {
        let text = &without_brackets(text);
        let words = tokens(text);
        let spans = name_spans(&words, text);
        let in_name = |at: usize| spans.iter().any(|&(from, to)| (from..to).contains(&at));
        let content = |at: usize| !words[at].stop && !in_name(at);

        let asks = words.iter().position(|word| {
            matches!(
                word.lower.as_str(),
                "who" | "whom" | "whose" | "what" | "which" | "when" | "where" | "how" | "why"
            )
        });
        let how = asks.is_some_and(|at| words[at].lower == "how");
        let after = asks.map_or(0, |at| at + 1);
        let asks_kind = asks.map(|at| words[at].lower.as_str());
        // The noun after which, what or how many; the adjective after how.
        let noun_at = match asks_kind {
            Some("which" | "what" | "whose") => {
                (after < words.len() && content(after)).then_some(after)
            }
            Some("how")
                if words
                    .get(after)
                    .is_some_and(|word| matches!(word.lower.as_str(), "many" | "much")) =>
            {
                (after + 1 < words.len() && content(after + 1)).then_some(after + 1)
            }
            _ => None,
        };
        // The last of a run of nouns is its head: which chess champion.
        let noun_at = noun_at.map(|at| {
            let mut head = at;
            while head + 1 < words.len()
                && content(head + 1)
                && words
                    .get(head + 2)
                    .is_some_and(|next| AUXILIARIES.contains(&next.lower.as_str()))
            {
                head += 1;
            }
            head
        });
        let adjective_at = (how && noun_at.is_none())
            .then_some(after)
            .filter(|&at| at < words.len() && lexicon::measure(&words[at].lower).is_some());
        let expects = Expects::of(&words, noun_at.map(|at| words[at].lower.as_str()));
        let keys = key_words(&words, &spans, asks, noun_at, adjective_at, expects);
        let side_from = side_clause(&words, after, &spans);

        // The words that stand with a key word, `chief executive`, ask as it does.
        let asked_run: Vec<usize> = keys
            .iter()
            .flat_map(|&key| {
                let from = (0..key)
                    .rev()
                    .take_while(|&at| content(at))
                    .last()
                    .unwrap_or(key);
                from..key
            })
            .collect();
        let tail = Tail::new(&words, &spans, after);
        let described: Vec<usize> = tail.describes.into_iter().chain(tail.asks).collect();
        let last_name_end = spans.last().map_or(0, |span| span.1);
        let mut units = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if let Some(&(from, to)) = spans.iter().find(|span| span.0 == at) {
                let parts: Vec<_> = words[from..to].iter().filter(|word| !word.stop).collect();
                units.push(Unit {
                    text: text[words[from].start..words[to - 1].end].to_owned(),
                    words: parts.iter().map(|word| vec![word.stem.clone()]).collect(),
                    related: Vec::new(),
                    name: true,
                    weight: 2.0,
                    key: false,
                    nearness: 0.0,
                    inner: true,
                });
                at = to;
                continue;
            }
            let word = &words[at];
            let measure = Some(at) == adjective_at;
            if (!word.stop || keys.contains(&at))
                && (!asked_kind_word(&words, at, noun_at, expects) || keys.contains(&at))
            {
                let key = keys.contains(&at);
                let side = side_from.is_some_and(|from| at >= from);
                let related = match expects {
                    Expects::Measure(measured)
                        if key && (measure || lexicon::measure(&word.lower).is_some()) =>
                    {
                        let said = measured.said.iter().map(|word| lexicon::stem(word));
                        said.chain(related_forms(&word.lower)).collect()
                    }
                    _ => related_forms(&word.lower),
                };
                units.push(Unit {
                    text: word.lower.clone(),
                    words: vec![lexicon::forms(&word.lower)],
                    related,
                    name: false,
                    weight: weight(word, key, Some(at) == noun_at, side),
                    key,
                    nearness: 0.0,
                    inner: !key
                        && !asked_run.contains(&at)
                        && !side
                        && Some(at) != noun_at
                        && (at < last_name_end || last_name_end == 0 || described.contains(&at)),
                });
            }
            at += 1;
        }
        let names: Vec<usize> = (0..units.len()).filter(|&at| units[at].name).collect();
        for (at, unit) in units.iter_mut().enumerate() {
            let gap = names.iter().map(|name| name.abs_diff(at)).min();
            unit.nearness = gap.map_or(0.0, |gap| 1.0 / (gap.max(1) as f64));
        }
        let kind = noun_at.filter(|_| matches!(expects, Expects::Name));
        let kind = kind.map_or_else(Vec::new, |at| {
            let mut stems = lexicon::forms(&words[at].lower);
            stems.extend(related_forms(&words[at].lower));
            stems
        });
        Self {
            units,
            expects,
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

    /// Whether `name` holds a whole name of the question, as `Captain Lavinia Stroud` does.
    pub(super) fn named_within(&self, name: &[Token]) -> bool {
        self.units.iter().filter(|unit| unit.name).any(|unit| {
            let mut parts = unit.words.iter();
            parts.all(|forms| name.iter().any(|word| forms.contains(&word.stem)))
        })
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

/// Words that only say what kind of answer is asked for.
fn asked_kind_word(words: &[Token], at: usize, noun_at: Option<usize>, expects: Expects) -> bool {
    let counted_unit = lexicon::unit(&words[at].lower).is_some() && Some(at) == noun_at;
    match expects {
        Expects::Year | Expects::Time => Some(at) == noun_at,
        Expects::Count => counted_unit || words[at].lower == "age",
        Expects::Measure(_) => false,
        Expects::Occupation => expects::is_occupation(&words[at].lower),
        _ => false,
    }
}

fn related_forms(lower: &str) -> Vec<String> {
    let mut all: Vec<String> = lexicon::forms(lower)
        .iter()
        .flat_map(|form| lexicon::related(form))
        .cloned()
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn weight(word: &Token, key: bool, noun: bool, side: bool) -> f64 {
    if key {
        1.0
    } else if side || lexicon::is_light(&word.lower) || word.lower.ends_with("ly") {
        0.2
    } else if noun || word.lower.ends_with("est") {
        0.4
    } else {
        1.0
    }
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
        let imperative = from == 0
            && to == 1
            && words.len() > 1
            && matches!(
                words[0].lower.as_str(),
                "name" | "tell" | "list" | "find" | "give"
            );
        if free && !imperative {
            spans.push((from, to));
        }
    }
    spans.sort_unstable();
    spans
}

/// Where a clause like `before he became an astronomer` begins.
fn side_clause(words: &[Token], after: usize, spans: &[(usize, usize)]) -> Option<usize> {
    let last_name = spans.first().map_or(after, |span| span.1);
    (last_name.max(after)..words.len()).find(|&at| {
        let named_after = at > 0 && matches!(words[at - 1].lower.as_str(), "named" | "called");
        SIDE.contains(&words[at].lower.as_str()) && !named_after
    })
}

/// The words that the answering sentence must say: the verb at the end (`… born?`), the verb after who or what, the noun before `of`,
/// the counted noun, the adjective of a measure.
fn key_words(
    words: &[Token],
    spans: &[(usize, usize)],
    asks: Option<usize>,
    noun_at: Option<usize>,
    adjective_at: Option<usize>,
    expects: Expects,
) -> Vec<usize> {
    let Some(asks) = asks else { return Vec::new() };
    if let Some(at) = adjective_at {
        // How long must it be seasoned: the verb says more than the adjective.
        let weak = matches!(
            words[at].lower.as_str(),
            "long" | "far" | "fast" | "big" | "large"
        );
        return match Tail::new(words, spans, at + 1).asks {
            Some(verb) if weak => vec![verb],
            _ => vec![at],
        };
    }
    let in_name = |at: usize| spans.iter().any(|&(from, to)| (from..to).contains(&at));
    let content = |at: usize| !words[at].stop && !in_name(at);
    let counted = matches!(expects, Expects::Count)
        && noun_at.is_some_and(|at| {
            lexicon::unit(&words[at].lower).is_none() && words[at].lower != "age"
        });
    if counted {
        return noun_at.into_iter().collect();
    }
    if matches!(expects, Expects::Occupation) {
        return Vec::new();
    }
    // How much does, how often does.
    let asks = if words[asks].lower == "how" && noun_at.is_none() {
        asks + 1
    } else {
        asks
    };
    let from = noun_at.map_or(asks + 1, |at| at + 1);
    let Some(next) = words.get(from) else {
        return Vec::new();
    };
    if !AUXILIARIES.contains(&next.lower.as_str()) {
        // Who founded …, which town lies …
        let verb = (from..words.len()).find(|&at| content(at));
        return verb.into_iter().collect();
    }
    // Who was the commander of the brig on which Ambrose Keel came: what follows the name describes the brig.
    let attribute = matches!(words[asks].lower.as_str(), "who" | "what")
        && noun_at.is_none()
        && matches!(next.lower.as_str(), "is" | "was" | "are" | "were")
        && spans
            .last()
            .is_some_and(|&(name, _)| name_ends_description(words, from, name));
    if let Some(verb) = Tail::new(words, spans, from + 1)
        .asks
        .filter(|_| !attribute)
    {
        return vec![verb];
    }
    // The run of nouns behind the auxiliary: `is the chief executive of`, `was the firm founded that`.
    let Some(start) = (from + 1..words.len()).find(|&at| !words[at].stop || in_name(at)) else {
        return Vec::new();
    };
    if in_name(start) {
        // Was the Sallow Bridge opened to traffic; did Ilse Quandt design.
        let name_end = spans
            .iter()
            .find(|span| span.0 == start)
            .map_or(start + 1, |span| span.1);
        let verb =
            (name_end..words.len()).find(|&at| content(at) && !lexicon::is_light(&words[at].lower));
        return verb.into_iter().collect();
    }
    let mut end = start;
    while end + 1 < words.len() && content(end + 1) {
        end += 1;
    }
    if lexicon::is_light(&words[end].lower) {
        return Vec::new();
    }
    vec![end]
}

/// What stands behind the last name: words that still describe the subject (`… in which the Thirty meets`) and the verb that asks (`… put up?`).
#[derive(Debug, Default)]
struct Tail {
    describes: Vec<usize>,
    asks: Option<usize>,
}

impl Tail {
    fn new(words: &[Token], spans: &[(usize, usize)], from: usize) -> Self {
        let end = side_clause(words, from, spans).unwrap_or(words.len());
        let content = |at: &usize| !words[*at].stop && !words[*at].lower.ends_with("ly");
        let Some(&(name_from, name_to)) = spans.last() else {
            // Without a name: the last word, when something stands between.
            let found: Vec<usize> = (from..end).filter(content).collect();
            return Self {
                describes: Vec::new(),
                asks: found.last().copied().filter(|_| found.len() > 1),
            };
        };
        let start = name_to.max(from);
        let heavy: Vec<usize> = (start..end)
            .filter(content)
            .filter(|&at| !lexicon::is_light(&words[at].lower))
            .collect();
        let possessive = words.get(start).is_some_and(|word| word.lower == "s");
        if possessive || name_ends_description(words, from, name_from) {
            let (last, others) = match heavy.split_last() {
                Some((last, others)) if possessive || !others.is_empty() => (Some(*last), others),
                Some((only, _)) => (None, std::slice::from_ref(only)),
                None => (None, &[][..]),
            };
            return Self {
                describes: others.to_vec(),
                asks: last,
            };
        }
        let asks = heavy.first().copied().filter(|&first| {
            !words[start..first].iter().any(|word| {
                RELATIVES.contains(&word.lower.as_str())
                    || matches!(word.lower.as_str(), "of" | "in" | "at" | "by" | "from")
            })
        });
        Self {
            describes: Vec::new(),
            asks,
        }
    }
}

/// Whether the name is the subject of a description whose verb follows: `that Ilse Quandt built`, `in which the Thirty meets`, `the woman
/// the Grey Midwife is named after`.
fn name_ends_description(words: &[Token], from: usize, name_from: usize) -> bool {
    let before = words.get(from..name_from).unwrap_or_default();
    let relative = before
        .iter()
        .rposition(|word| RELATIVES.contains(&word.lower.as_str()) && word.lower != "to");
    if let Some(at) = relative {
        let clause = &before[at + 1..];
        // On which the founder of NAME came: the clause has its subject, and its verb is still to come.
        let subject = matches!(clause, [article, .., of] | [article, .., of, _]
            if article.lower == "the" && (of.lower == "of" || clause.iter().rev().take(2).any(|word| word.lower == "of")));
        return subject || clause.iter().all(|word| word.stop);
    }
    matches!(before, [.., noun, article] if article.lower == "the" && !noun.stop)
}
