//! Selects the part of a document that best answers a query, in whole sentences.

use std::collections::HashMap;

use loopwright_text::{sentences, window, words};

/// The sentences of a document, each with its score for a query.
pub(crate) struct Passages<'a> {
    parts: Vec<&'a str>,
    scores: Vec<f64>,
}

impl<'a> Passages<'a> {
    /// Scores the sentences of `body`. `weights` contains the query's stems with their importance.
    ///
    /// A stem counts once in each sentence, with its full weight, so two adjacent matching sentences beat one long one.
    pub(crate) fn of(body: &'a str, weights: &HashMap<String, f64>) -> Self {
        let parts: Vec<&str> = sentences(body)
            .into_iter()
            .filter(|part| !part.starts_with('#'))
            .collect();
        let score = |part: &&str| {
            let mut seen: Vec<String> = words(part).into_iter().map(|word| word.stem).collect();
            seen.sort_unstable();
            seen.dedup();
            seen.iter().filter_map(|stem| weights.get(stem)).sum()
        };
        let scores = parts.iter().map(score).collect();
        Self { parts, scores }
    }

    /// Returns the best consecutive sentences, at most `limit` characters together, or the start of the document if no
    /// sentence matches.
    pub(crate) fn best(&self, limit: usize) -> String {
        let mut text = String::new();
        for part in &self.parts[window(&self.parts, &self.scores, limit)] {
            if !text.is_empty() {
                text.push(' ');
            }
            text.extend(part.split_whitespace().flat_map(|word| [word, " "]));
            text.truncate(text.trim_end().len());
        }
        cut(text, limit)
    }
}

/// Truncates a sentence that is longer than `limit` characters at the end of a word, and adds an ellipsis.
fn cut(text: String, limit: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(limit) else {
        return text;
    };
    let end = text[..at].rfind(' ').unwrap_or(at);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matching_sentences_are_taken_whole() {
        let weights = HashMap::from([("keeper".to_owned(), 2.0), ("last".to_owned(), 1.0)]);
        let body = "# A Light\n\nThe tower is grey. The last keeper\nleft in 1988. He played chess. It rained.";
        let best = |body: &str, weights: &HashMap<String, f64>, limit: usize| {
            Passages::of(body, weights).best(limit)
        };
        assert_eq!(best(body, &weights, 40), "The last keeper left in 1988.");
        assert_eq!(best(body, &HashMap::new(), 20), "The tower is grey.");
        assert_eq!(best("one two three", &weights, 8), "one two…");
        assert_eq!(best("", &weights, 8), "");
    }
}
