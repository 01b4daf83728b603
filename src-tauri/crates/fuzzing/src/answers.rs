//! Checks how the answers of models are read: their reasoning, their text, the JSON in the text, and a verdict.

use loopwright_answers::{
    Splitter,
    choice::choice,
    json::{self, values},
    rating::{Scale, rating},
    split,
    thoughts::Part,
};

/// Returns the byte positions at which `part` starts and ends in `whole`.
fn place(whole: &str, part: &str) -> (usize, usize) {
    let start = part.as_ptr().addr().wrapping_sub(whole.as_ptr().addr());
    let end = start.wrapping_add(part.len());
    assert_eq!(
        whole.get(start..end),
        Some(part),
        "{part:?} is not a part of the answer"
    );
    (start, end)
}

pub(crate) fn answer(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = split(&text);
    let mut from = 0;
    for thought in &read.thoughts {
        let (start, end) = place(&text, thought);
        assert!(
            start >= from,
            "{thought:?} is not after the thought before it in the list"
        );
        from = end;
    }
    let (start, _) = place(&text, read.text);
    assert!(
        start >= from,
        "the text begins before the last thought ends"
    );
    let is_plain = !text.contains(['<', '[', '◁'])
        && !["analysis", "assistantfinal"]
            .iter()
            .any(|word| text.to_ascii_lowercase().contains(word));
    if is_plain {
        assert_eq!(read.text, text, "an answer without tags was changed");
    }
    if read.is_open {
        assert_eq!(
            read.text, "",
            "an answer that ends inside its thoughts has a text"
        );
    }

    let found = values(read.text);
    for value in found.values.iter().chain(&found.asides) {
        place(&text, value);
        assert!(json::is_value(value), "{value:?} is not a JSON value");
    }
    if serde_json::from_str::<serde_json::Value>(read.text.trim()).is_ok() {
        assert_eq!(
            found.one(),
            Ok(read.text.trim()),
            "an answer that is one JSON value was not read as that value"
        );
    }

    let names = ["done", "needs work", "A"].map(str::to_owned);
    if let Some(verdict) = choice(&text, &names, "branch") {
        let name = &names[verdict.value];
        let has = |text: &str| {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect::<String>()
        };
        // JSON may contain the name in escaped form.
        assert!(
            has(&text).contains(&has(name)) || text.contains('\\'),
            "the answer does not contain {name:?}"
        );
    }
    let scale = Scale {
        least: Some(1.0),
        most: Some(10.0),
    };
    if let Some(verdict) = rating(&text, scale, "score") {
        let number = verdict.value.as_f64().unwrap_or(f64::NAN);
        assert!(
            (1.0..=10.0).contains(&number),
            "{number} is not on the scale"
        );
    }

    let whole = shown([text.as_ref()].into_iter());
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    cuts.push(text.len());
    let letters = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]);
    assert_eq!(
        whole,
        shown(letters),
        "the reader shows something else if the answer arrives in other pieces"
    );
    let has = |ends: [&str; 2]| {
        ends.iter()
            .any(|end| text.to_ascii_lowercase().contains(end))
    };
    if has(["<unused95>", "assistantfinal"]) {
        // If the reasoning has an end tag but no start tag, it was already shown as text before the end tag arrived. The
        // text after the tag must then also have been shown.
        let is_shown = has(["/", "|"]) || whole.1.contains(read.text);
        assert!(is_shown, "the reader did not show the text {:?}", read.text);
    } else if !has(["/", "|"]) {
        assert_eq!(
            whole.1, read.text,
            "the reader showed another text than the answer's"
        );
    }
}

/// Returns the reasoning and the text that a reader shows for a stream of these pieces.
fn shown<'a>(pieces: impl Iterator<Item = &'a str>) -> (String, String) {
    let mut splitter = Splitter::default();
    let (mut thoughts, mut text) = (String::new(), String::new());
    let mut show = |part: Part, piece: &str| match part {
        Part::Thought => thoughts.push_str(piece),
        Part::Text => text.push_str(piece),
    };
    for piece in pieces {
        splitter.push(piece, &mut show);
    }
    splitter.end(&mut show);
    (thoughts, text)
}
