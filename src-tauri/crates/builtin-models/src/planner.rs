//! Writes the next search query, from a question and the passages that have been found.

use std::collections::BTreeSet;

use loopwright_engine::host::ModelRequest;
use loopwright_text::words;

use super::{
    answer::{Answer, text_reply},
    reading::{Notes, Reading, Unit, read_notes},
};

/// The maximum number of words in a query.
const MAX_WORDS: usize = 14;

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let notes = Notes::with_question(request, "planner")?;
    let reading = read_notes(&notes);
    let made = |query: &String| {
        notes
            .searched
            .iter()
            .any(|earlier| same_words(earlier, query))
    };
    let mut new = queries(&notes, &reading)
        .into_iter()
        .filter(|query| !made(query));
    let text = new.next().unwrap_or_else(|| notes.question.clone());
    Ok(text_reply(text))
}

/// Returns the queries that are worth searching, best first.
fn queries(notes: &Notes, reading: &Reading<'_>) -> Vec<String> {
    let units = &reading.question.units;
    let text = |unit: &Unit| unit.text.clone();
    let mut wanted = reading.missing.clone();
    if wanted.is_empty() {
        // If no word is missing, only the answer itself is missing, so the key words are searched.
        wanted.extend(units.iter().filter(|unit| unit.key).map(text));
    }
    let mut queries: Vec<Vec<String>> = Vec::new();
    if notes.passages.is_empty() {
        let first = reading.question.first_query().into_iter();
        queries.push(first.map(text).collect());
    }
    let onward = reading.bridges.iter().take(3);
    queries.extend(onward.map(|bridge| [std::slice::from_ref(bridge), &wanted].concat()));
    queries.push(units.iter().map(text).collect());
    queries.extend(reading.bridges.iter().map(|bridge| vec![bridge.clone()]));
    queries.extend(units.iter().map(|unit| vec![unit.text.clone()]));
    let queries = queries.iter().map(|parts| join(parts));
    queries.filter(|query| !query.is_empty()).collect()
}

fn join(parts: &[String]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in parts.iter().flat_map(|part| part.split_whitespace()) {
        if !words.iter().any(|known| known.eq_ignore_ascii_case(word)) && words.len() < MAX_WORDS {
            words.push(word);
        }
    }
    words.join(" ")
}

fn same_words(one: &str, other: &str) -> bool {
    let stems = |text| words(text).into_iter().map(|word| word.stem).collect();
    let (one, other): (BTreeSet<String>, BTreeSet<String>) = (stems(one), stems(other));
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(prompt: &str) -> String {
        let request = ModelRequest {
            prompt: prompt.to_owned(),
            ..ModelRequest::default()
        };
        answer(&request).unwrap().text
    }

    #[test]
    fn the_subject_is_looked_for_first() {
        assert_eq!(
            plan("Where was the engineer who built the Harrow Light born?"),
            "engineer built Harrow Light"
        );
        assert_eq!(plan("How high is the Harrow Light?"), "high Harrow Light");
        assert_eq!(
            plan("Who founded the charity that restored the Wether Bay Tide Mill?"),
            "charity restored Wether Bay Tide Mill"
        );
    }

    #[test]
    fn then_what_the_evidence_names_and_never_the_same_again() {
        let mut prompt = "Where was the engineer who built the Harrow Light born?\n---\nSearched for: engineer built Harrow Light\n\n\
                          [The Harrow Light](light.md)\nThe Harrow Light was built in 1871 by the engineer Ilse Quandt."
            .to_owned();
        let mut queries = vec![plan(&prompt)];
        assert_eq!(queries[0], "Ilse Quandt born");
        for _ in 0..3 {
            prompt.push_str(&format!(
                "\n---\nSearched for: {}\n",
                queries[queries.len() - 1]
            ));
            let next = plan(&prompt);
            assert!(!queries.contains(&next), "{next} again after {queries:?}");
            queries.push(next);
        }
    }

    #[test]
    fn any_text_gives_a_query() {
        for prompt in ["?", "the of", "日本の首都は?", &"word ".repeat(5000)] {
            assert!(!plan(prompt).is_empty(), "{prompt}");
        }
        assert_eq!(
            answer(&ModelRequest::default()).unwrap_err().code,
            "no_question"
        );
    }
}
