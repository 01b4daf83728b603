//! The built-in summariser: keeps the sentences that say most of what a text says, fewer with each reading.
//!
//! Sentences are ranked by LexRank (Erkan and Radev, *LexRank: Graph-based Lexical Centrality as Salience in Text
//! Summarization*, 2004), in its continuous form: a sentence is central when it shares rare words with other central ones.

use std::collections::{BTreeMap, HashMap};

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest},
};
use loopwright_text::{sentences, words};

use super::{Builtin, BuiltinInfo, labels};

pub(crate) struct Summariser;

/// Words of a summary where the prompt names no number.
const WORDS: usize = 60;
/// One reading leaves at least this part of the text's words, so that what is central is judged anew in what is left.
const KEEP: f64 = 0.65;
/// LexRank's damping: the chance of going on along a likeness, and not anywhere.
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 60;
/// Each is compared with each.
const MOST_SENTENCES: usize = 2000;

impl Builtin for Summariser {
    fn info(&self) -> BuiltinInfo {
        BuiltinInfo {
            id: "summariser",
            name: "Built-in summariser",
            does: "Shortens a text to its most central sentences, about a third less with each reading, until it has no more words than the prompt allows.",
            cannot: "It cannot write sentences of its own, nor shorten a single one.",
        }
    }

    fn answer(&self, request: &ModelRequest) -> Result<ModelReply, NodeError> {
        let text = labels::last(&request.prompt, "TEXT")
            .unwrap_or(&request.prompt)
            .trim();
        if text.is_empty() {
            return Err(NodeError::new(
                "empty_prompt",
                "Built-in summariser was given no text: wire one to its prompt.",
            ));
        }
        if sentences(text).len() > MOST_SENTENCES {
            return Err(NodeError::new(
                "builtin_cannot",
                format!(
                    "Built-in summariser reads at most {MOST_SENTENCES} sentences at once. Summarise parts of the text, or set up a model provider."
                ),
            ));
        }
        let told = labels::parts(&request.prompt);
        let order = told.first().map_or("", |part| part.body);
        let most = request
            .system
            .as_deref()
            .and_then(number_of_words)
            .or_else(|| number_of_words(order).filter(|_| told.len() > 1))
            .unwrap_or(WORDS);
        Ok(ModelReply {
            text: shorter(text, most),
            ..ModelReply::default()
        })
    }
}

/// The number before the first "words": of "in at most 80 words", 80.
fn number_of_words(text: &str) -> Option<usize> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.windows(2).find_map(|pair| {
        let is_words = pair[1]
            .trim_matches(|c: char| !c.is_alphabetic())
            .eq_ignore_ascii_case("words");
        is_words
            .then(|| pair[0].parse().ok())
            .flatten()
            .filter(|&number: &usize| number > 0)
    })
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The text with its least central sentences left out; as it is when it is short enough, or has but one.
fn shorter(text: &str, most: usize) -> String {
    let all = sentences(text);
    let total = count(text);
    if total <= most || all.len() < 2 {
        return text.to_owned();
    }
    let aim = most.max((total as f64 * KEEP) as usize);
    let ranks = ranks(&all);
    let mut order: Vec<usize> = (0..all.len()).collect();
    // The least central first; of equals the later, since texts say the main thing early.
    order.sort_by(|&one, &other| ranks[one].total_cmp(&ranks[other]).then(other.cmp(&one)));
    let mut kept = vec![true; all.len()];
    let mut left = all.iter().map(|sentence| count(sentence)).sum::<usize>();
    for index in order.into_iter().take(all.len() - 1) {
        if left <= aim {
            break;
        }
        kept[index] = false;
        left -= count(all[index]);
    }
    let chosen: Vec<&str> = all
        .iter()
        .zip(kept)
        .filter_map(|(sentence, kept)| kept.then_some(*sentence))
        .collect();
    chosen.join(" ")
}

/// How central each sentence is; the ranks add up to one.
fn ranks(sentences: &[&str]) -> Vec<f64> {
    let number = sentences.len();
    let bags: Vec<BTreeMap<String, f64>> = sentences
        .iter()
        .map(|sentence| {
            let mut bag = BTreeMap::new();
            for word in words(sentence).into_iter().filter(|word| !word.is_stop()) {
                *bag.entry(word.stem).or_insert(0.0) += 1.0;
            }
            bag
        })
        .collect();
    let mut holding: HashMap<&str, f64> = HashMap::new();
    for stem in bags.iter().flat_map(BTreeMap::keys) {
        *holding.entry(stem).or_insert(0.0) += 1.0;
    }
    let vectors: Vec<BTreeMap<&str, f64>> = bags
        .iter()
        .map(|bag| {
            let weight =
                |stem: &str, times: f64| times * (1.0 + number as f64 / holding[stem]).ln();
            let vector: BTreeMap<&str, f64> = bag
                .iter()
                .map(|(stem, times)| (stem.as_str(), weight(stem, *times)))
                .collect();
            let length = vector
                .values()
                .map(|weight| weight * weight)
                .sum::<f64>()
                .sqrt();
            vector
                .into_iter()
                .map(|(stem, weight)| (stem, weight / length.max(f64::MIN_POSITIVE)))
                .collect()
        })
        .collect();
    let likeness = |one: usize, other: usize| -> f64 {
        vectors[one]
            .iter()
            .filter_map(|(stem, weight)| Some(weight * vectors[other].get(stem)?))
            .sum()
    };
    let like: Vec<Vec<f64>> = (0..number)
        .map(|one| {
            (0..number)
                .map(|other| match one == other {
                    true => 0.0,
                    // The same order of addition both ways, so that the two agree to the last bit.
                    false => likeness(one.max(other), one.min(other)),
                })
                .collect()
        })
        .collect();
    let sums: Vec<f64> = like.iter().map(|row| row.iter().sum()).collect();
    let mut rank = vec![1.0 / number as f64; number];
    for _ in 0..ROUNDS {
        rank = (0..number)
            .map(|to| {
                let from: f64 = (0..number)
                    .map(|from| {
                        if sums[from] > 0.0 {
                            rank[from] * like[from][to] / sums[from]
                        } else {
                            rank[from] / number as f64
                        }
                    })
                    .sum();
                (1.0 - DAMPING) / number as f64 + DAMPING * from
            })
            .collect();
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The harbour of Ostrel freezes in most winters. Ships that reach Ostrel in winter wait for the ice breaker of the harbour. \
        My cousin likes marmalade. The ice breaker clears the harbour twice a day while ships wait. Fares were last raised in spring. \
        In the coldest winters the ice is too thick for the ice breaker, and ships wait for weeks outside of the harbour of Ostrel.";

    fn summary(system: &str, prompt: &str) -> String {
        let request = ModelRequest {
            system: Some(system.to_owned()),
            prompt: prompt.to_owned(),
            ..ModelRequest::default()
        };
        Summariser.answer(&request).unwrap().text
    }

    #[test]
    fn what_belongs_to_nothing_goes_first() {
        let once = summary("Summarise the text in at most 30 words.", TEXT);
        assert!(
            !once.contains("marmalade") && !once.contains("Fares"),
            "{once}"
        );
        assert!(
            once.contains("ice breaker") && count(&once) < count(TEXT),
            "{once}"
        );
        for sentence in sentences(&once) {
            assert!(TEXT.contains(sentence), "{sentence}");
        }
    }

    #[test]
    fn readings_come_to_an_end_that_stays() {
        let mut text = TEXT.to_owned();
        let mut lengths = vec![count(&text)];
        loop {
            let next = summary("In at most 30 words.", &text);
            if next == text {
                break;
            }
            text = next;
            lengths.push(count(&text));
            assert!(lengths.len() < 10, "{lengths:?}");
        }
        assert!(
            lengths.len() >= 3 && lengths.windows(2).all(|pair| pair[1] < pair[0]),
            "{lengths:?}"
        );
        assert!(count(&text) <= 30 || sentences(&text).len() == 1, "{text}");
    }

    #[test]
    fn odd_texts_are_kept() {
        for text in [
            "One.",
            "a b c",
            "Je ne sais pas. Moi non plus.",
            "…",
            "1. 2. 3.",
        ] {
            assert_eq!(summary("", text), text);
        }
        let long = "word ".repeat(200);
        assert_eq!(summary("at most 10 words", &long), long.trim());
        assert_eq!(
            number_of_words("Use 5 of them, at most 40 words."),
            Some(40)
        );
        assert_eq!(number_of_words("few words"), None);
        let labelled = format!("Shorten it to 30 words.\nTEXT:\n{TEXT}");
        assert!(!summary("", &labelled).contains("Shorten"));
    }
}
