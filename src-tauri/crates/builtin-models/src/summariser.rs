//! The built-in summariser keeps the most central sentences of the input, fewer in each call.
//!
//! Sentences are ranked by their degree centrality (Erkan and Radev, *LexRank: Graph-based Lexical Centrality as Salience in
//! Text Summarization*, 2004): a sentence is central when it shares rare words with many others.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use loopwright_engine::host::ModelRequest;
use loopwright_text::{sentences, words};
use regex::Regex;

use super::{
    answer::{Answer, required_text, text_reply},
    pattern::pattern,
    prompt,
};

/// The maximum number of words in a summary if the prompt gives no number.
const WORDS: usize = 60;
/// The share of the words that each call keeps at least. A call removes only a part, so that the next call can rank the
/// remaining sentences again.
const KEEP: f64 = 0.65;

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let text = prompt::below(&request.prompt, "TEXT").unwrap_or(&request.prompt);
    let text = required_text(
        text.trim(),
        "The built-in summariser received no text. Wire its prompt input.",
    )?;
    let told = prompt::labelled(&request.prompt);
    let order = told.first().map_or("", |(_, body)| body);
    let system = request.system.as_deref().and_then(number_of_words);
    let most = system.or_else(|| number_of_words(order).filter(|_| told.len() > 1));
    Ok(text_reply(shorter(text, most.unwrap_or(WORDS))))
}

/// Returns the number before the first "words", such as 80 for "in at most 80 words". Returns `None` if there is no such
/// number.
fn number_of_words(text: &str) -> Option<usize> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b([1-9]\d*)\s+words\b"));
    NUMBER.captures(text)?[1].parse().ok()
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Removes the least central sentences from `text`. If `text` is short enough or has only one sentence, it is returned
/// unchanged.
fn shorter(text: &str, most: usize) -> String {
    let mut kept: Vec<(usize, &str)> = sentences(text).into_iter().enumerate().collect();
    let total = count(text);
    if total <= most || kept.len() < 2 {
        return text.to_owned();
    }
    let aim = most.max((total as f64 * KEEP) as usize);
    let ranks = ranks(&sentences(text));
    // The most central sentences come first. Of two equally central sentences, the earlier one comes first, because writers
    // state the main point early.
    kept.sort_by(|one, other| ranks[other.0].total_cmp(&ranks[one.0]));
    let mut left: usize = kept.iter().map(|(_, sentence)| count(sentence)).sum();
    while let Some((_, least)) = kept.last().filter(|_| left > aim && kept.len() > 1) {
        left -= count(least);
        kept.pop();
    }
    kept.sort_unstable();
    let chosen: Vec<&str> = kept.into_iter().map(|(_, sentence)| sentence).collect();
    chosen.join(" ")
}

/// Returns the centrality of each sentence: the sum of its similarities to the others.
fn ranks(sentences: &[&str]) -> Vec<f64> {
    let number = sentences.len() as f64;
    let stems = |sentence: &&str| {
        let words = words(sentence).into_iter().filter(|word| !word.is_stop());
        words.map(|word| word.stem).collect()
    };
    let bags: Vec<BTreeSet<String>> = sentences.iter().map(stems).collect();
    let mut holding: HashMap<&String, f64> = HashMap::new();
    for stem in bags.iter().flatten() {
        *holding.entry(stem).or_default() += 1.0;
    }
    let weight = |stem: &String| (1.0 + number / holding[stem]).ln().powi(2);
    let length = |bag: &BTreeSet<String>| bag.iter().map(weight).sum::<f64>().sqrt();
    let lengths: Vec<f64> = bags.iter().map(length).collect();
    // Summing the similarities stem by stem avoids a table of all pairs.
    let mut shared: HashMap<&String, f64> = HashMap::new();
    for (bag, length) in bags.iter().zip(&lengths) {
        for stem in bag {
            *shared.entry(stem).or_default() += 1.0 / length;
        }
    }
    let central = |(bag, length): (&BTreeSet<String>, &f64)| {
        let others = |stem| weight(stem) * (shared[stem] - 1.0 / length) / length;
        bag.iter().map(others).sum()
    };
    bags.iter().zip(&lengths).map(central).collect()
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
        answer(&request).unwrap().text
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
    fn readings_reach_an_end_that_stays() {
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
