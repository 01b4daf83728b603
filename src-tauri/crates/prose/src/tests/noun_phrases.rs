//! Tests that `vendor/harper-pos-utils` finds the same tags and noun phrases as the original, whose results on these
//! sentences were recorded.
//!
//! A line in `noun_phrases.txt` is a sentence. Each token is `+` or `-` (whether it belongs to a noun phrase), its tag or
//! `X`, a colon, and the word.

use std::str::FromStr;

use harper_brill::{Chunker as _, Tagger as _, UPOS, brill_tagger, burn_chunker};

const RECORDED: &str = include_str!("../../../../vendor/harper-pos-utils/tests/noun_phrases.txt");

#[test]
fn tags_and_noun_phrases_are_those_of_the_original() {
    let (tagger, chunker) = (brill_tagger(), burn_chunker());
    let mut tokens = 0;
    for line in RECORDED.lines() {
        let (mut words, mut tags, mut flags) = (Vec::new(), Vec::new(), Vec::new());
        for token in line.split(' ') {
            let (told, word) = token.split_once(':').unwrap();
            let (flag, tag) = told.split_at(1);
            flags.push(flag == "+");
            tags.push((tag != "X").then(|| UPOS::from_str(tag).unwrap()));
            words.push(word.to_owned());
        }
        assert_eq!(tagger.tag_sentence(&words), tags, "{line}");
        assert_eq!(chunker.chunk_sentence(&words, &tags), flags, "{line}");
        tokens += words.len();
    }
    assert!(tokens > 4_000, "{tokens}");
}
