//! Answers a question in the words of the retrieved passages, with citations. If the passages do not contain the answer, the
//! reply says what is missing.

use std::collections::HashSet;

use loopwright_engine::host::ModelRequest;

use super::{
    answer::{Answer, text_reply},
    reading::{Hop, Notes, Reading, read_notes},
};

/// The start of a reply that does not answer the question. The judge recognises such a reply by this text.
pub(super) const NOT_ANSWERED: &str = "**Not answered**";

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let notes = Notes::with_question(request, "answerer")?;
    let reading = read_notes(&notes);
    Ok(text_reply(compose(&notes, &reading)))
}

fn compose(notes: &Notes, reading: &Reading<'_>) -> String {
    let Some(answer) = &reading.answer else {
        let missing = what_is_missing(notes, reading);
        let hops = &reading.closest;
        let closest = match hops.is_empty() {
            true => String::new(),
            false => format!(
                "\n\nThe closest sentences that were found:\n\n{}",
                cited(hops, hops.iter())
            ),
        };
        return format!("{NOT_ANSWERED}: {missing}{closest}");
    };
    let short = answer.short.as_ref();
    let short = short.map_or_else(String::new, |short| format!("**{short}**\n\n"));
    // The sentence with the answer comes first, followed by those that lead to it.
    format!("{short}{}", cited(&answer.hops, answer.hops.iter().rev()))
}

/// Returns the sentences in the order of `shown`, each with the number of its source, followed by the numbered sources of
/// `hops`.
fn cited<'h>(hops: &[Hop<'_>], shown: impl Iterator<Item = &'h Hop<'h>>) -> String {
    let sources = hops.iter().map(|hop| hop.passage.citation());
    let mut known = HashSet::from([String::new()]);
    let sources: Vec<String> = sources.filter(|one| known.insert(one.clone())).collect();
    let mut text = String::new();
    for hop in shown {
        let source = hop.passage.citation();
        let at = sources.iter().position(|known| *known == source);
        let mark = at.map_or_else(String::new, |at| format!(" [{}]", at + 1));
        text.push_str(&format!("{}{mark}\n\n", hop.sentence.text));
    }
    let list = sources.iter().zip(1..);
    let list = list.map(|(source, number)| format!("{number}. {source}"));
    let list: Vec<String> = list.collect();
    if !list.is_empty() {
        text.push_str(&format!("Sources:\n\n{}", list.join("\n")));
    }
    text.trim_end().to_owned()
}

/// Returns a description of what the evidence lacks. It begins in lower case, because it follows a label and a colon.
pub(super) fn what_is_missing(notes: &Notes, reading: &Reading<'_>) -> String {
    if notes.passages.is_empty() {
        return "nothing has been found yet.".to_owned();
    }
    let quote = |word: &String| format!("“{word}”");
    let about = reading.bridges.first();
    let about = about.map_or_else(String::new, |bridge| {
        format!(" The evidence points to {bridge}.")
    });
    if !reading.missing.is_empty() {
        let words: Vec<String> = reading.missing.iter().map(quote).collect();
        let words = words.join(", ");
        return format!("missing from the evidence: {words}.{about}");
    }
    let mut keys = reading.question.units.iter().filter(|unit| unit.key);
    let of = keys
        .next()
        .map(|unit| format!(" for {}", quote(&unit.text)));
    let of = of.unwrap_or_default();
    format!(
        "the documents found mention the topic of the question, but no sentence contains the answer{of}.{about}"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(question: &str, passages: &[(&str, &str)]) -> String {
        let context: Vec<_> = passages
            .iter()
            .map(|(title, text)| json!({ "title": title, "path": format!("{title}.md"), "text": text }))
            .collect();
        let request = ModelRequest {
            prompt: question.to_owned(),
            context: Some(json!(context)),
            ..ModelRequest::default()
        };
        answer(&request).unwrap().text
    }

    /// Asks a question about the passages. Panics unless the first line of the reply contains `expected`.
    fn check(question: &str, passages: &[(&str, &str)], expected: &str) {
        let text = ask(question, passages);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains(expected), "{question}\n{text}");
    }

    const TOWER: (&str, &str) = (
        "Mill Tower",
        "Mill Tower is a tower in Oldham. It was built by Jane Marsh and opened on 3 May 1902. The tower is 41 metres high and has nine \
         bells, two of which are cracked.",
    );
    const MARSH: (&str, &str) = (
        "Jane Marsh",
        "Jane Marsh (12 June 1861 – 4 April 1930) was a builder. She studied at Leeds College.",
    );

    #[test]
    fn the_kind_of_answer_follows_the_question() {
        check("How high is Mill Tower?", &[TOWER], "**41 metres**");
        check("How many bells does Mill Tower have?", &[TOWER], "**nine**");
        check("When was Mill Tower opened?", &[TOWER], "**3 May 1902**");
        check("Who built Mill Tower?", &[TOWER], "**Jane Marsh**");
        check("Where did Jane Marsh study?", &[MARSH], "**Leeds College**");
        check("In which year did Jane Marsh die?", &[MARSH], "**1930**");
    }

    #[test]
    fn a_length_answers_only_its_own_dimension() {
        let pond: (&str, &str) = (
            "Mere Pond",
            "Mere Pond fills a deep hollow and is nine kilometres long and one kilometre wide. Its greatest depth is 31 metres.",
        );
        check("How deep is Mere Pond?", &[pond], "**31 metres**");
        check("How long is Mere Pond?", &[pond], "**nine kilometres**");
        check("How wide is Mere Pond?", &[pond], "**one kilometre**");
        let shallow = (
            "Mere Pond",
            "Mere Pond fills a deep hollow and is nine kilometres long.",
        );
        let text = ask("How deep is Mere Pond?", &[shallow]);
        assert!(text.starts_with(NOT_ANSWERED), "{text}");
    }

    #[test]
    fn a_place_is_where_something_is() {
        let waltz = (
            "The Flugel",
            "The best work for the flugel is Evening Waltz, which few perform twice, since it is heard best in the dark.",
        );
        let text = ask(
            "Where was the best work for the flugel first performed?",
            &[waltz],
        );
        assert!(text.starts_with(NOT_ANSWERED), "{text}");
    }

    #[test]
    fn running_and_going_to_a_school_are_matched_in_other_words() {
        let school = (
            "Moor School",
            "Moor School lies in Oldham. The motto of Moor School is \"Look again\".",
        );
        let ash = (
            "Ann Ash",
            "Ann Ash was a clerk. In 1919 Ann Ash became head of Moor School.",
        );
        let riot = ("The Bread Riot", "The Bread Riot was led by Ann Ash.");
        let text = ask(
            "What is the motto of the school that the leader of the Bread Riot went on to run?",
            &[riot, ash, school],
        );
        assert!(text.starts_with("The motto of Moor School"), "{text}");
        check(
            "Where did Jane Marsh go to school?",
            &[MARSH],
            "**Leeds College**",
        );
    }

    #[test]
    fn a_described_subject_is_followed_and_every_source_cited() {
        let text = ask(
            "In which year was the builder of Mill Tower born?",
            &[TOWER, MARSH],
        );
        assert!(text.starts_with("**1861**"), "{text}");
        assert!(
            text.contains("[Mill Tower](Mill Tower.md)")
                && text.contains("[Jane Marsh](Jane Marsh.md)"),
            "{text}"
        );
    }

    #[test]
    fn what_no_sentence_says_is_missing() {
        for question in [
            "How deep is Mill Tower?",
            "Who is the owner of Mill Tower?",
            "How many windows does Mill Tower have?",
            "When was the owner of Mill Tower born?",
            "How high is Hill Tower?",
        ] {
            let text = ask(question, &[TOWER, MARSH]);
            assert!(text.starts_with(NOT_ANSWERED), "{question}\n{text}");
        }
        assert!(ask("Who built it?", &[]).contains("nothing has been found"));
    }
}
