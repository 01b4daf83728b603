//! Confused small words: its and it's, your and you're, there, their and they're, to and too, than and then, whose
//! and who's, were and where. Their places are special enough for a function each.

mod look_alikes;
mod pronouns;
mod small_words;

use harper_brill::UPOS;

use super::{replace, replace_span, subject::reporting};
use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// What a check sees: the word and its neighbours.
struct Place<'a> {
    sentence: &'a [Token],
    at: usize,
}

impl<'a> Place<'a> {
    fn before(&self, distance: usize) -> Option<&'a Token> {
        self.at.checked_sub(distance).map(|at| &self.sentence[at])
    }

    fn after(&self, distance: usize) -> Option<&'a Token> {
        self.sentence.get(self.at + distance)
    }

    fn next_any(&self, words: &[&str]) -> bool {
        self.after(1).is_some_and(|token| token.any(words))
    }

    fn before_any(&self, words: &[&str]) -> bool {
        self.before(1).is_some_and(|token| token.any(words))
    }

    /// Whether nothing of the clause stands before the word.
    fn opens_clause(&self) -> bool {
        self.before(1).is_none_or(|before| {
            !before.is_word
                || reporting(before)
                || before.tagged(&[UPOS::SCONJ])
                || before.any(&[
                    "and", "but", "because", "that", "if", "when", "so", "while", "although",
                    "since",
                ])
        })
    }

    fn next_ends(&self, distance: usize) -> bool {
        self.after(distance).is_none_or(|token| !token.is_word)
    }

    fn next_is_noun(&self) -> bool {
        self.after(1).is_some_and(|next| {
            next.is_word && next.tagged(&[UPOS::NOUN]) && !next.is_progressive()
        })
    }
}

type Check = fn(&Place) -> Option<&'static str>;

/// (the word, what decides, what is meant)
const CHECKS: &[(&str, Check)] = &[
    ("its", pronouns::its),
    ("it's", pronouns::it_is),
    ("your", pronouns::your),
    ("you're", pronouns::you_are),
    ("there", pronouns::there),
    ("their", pronouns::their),
    ("they're", pronouns::they_are),
    ("to", small_words::to),
    ("too", small_words::too),
    ("two", small_words::two),
    ("then", small_words::then),
    ("than", small_words::than),
    ("whose", pronouns::whose),
    ("who's", pronouns::who_is),
    ("were", small_words::were),
    ("where", small_words::where_),
    ("quiet", small_words::quiet),
    ("accept", look_alikes::accept),
    ("except", look_alikes::except),
    ("principle", look_alikes::principle),
    ("principal", look_alikes::principal),
    ("piece", look_alikes::piece),
    ("weak", look_alikes::weak),
    ("know", small_words::know),
    ("hear", look_alikes::hear),
    ("brake", look_alikes::brake),
    ("breaks", look_alikes::breaks),
    ("roll", look_alikes::roll),
    ("affect", look_alikes::affect),
    ("effects", look_alikes::effects),
    ("affects", look_alikes::affects),
    ("effected", look_alikes::effected),
    ("loosing", look_alikes::loosing),
    ("chose", look_alikes::chose),
    ("of", small_words::of),
    ("dessert", look_alikes::dessert),
    ("desert", look_alikes::desert),
    ("mourning", look_alikes::mourning),
    ("now", small_words::now),
    ("no", small_words::no),
    ("are", small_words::are),
    ("weather", look_alikes::weather),
    ("threw", look_alikes::threw),
    ("begun", look_alikes::begun),
    ("yesterdays", look_alikes::of_day),
    ("todays", look_alikes::of_day),
    ("tomorrows", look_alikes::of_day),
];

pub(super) fn check(_: &Lexicon, sentence: &[Token], out: &mut Vec<Draft>) {
    for (at, token) in sentence.iter().enumerate() {
        let place = Place { sentence, at };
        for (word, decide) in CHECKS {
            if token.is(word)
                && let Some(meant) = decide(&place)
            {
                let mut draft = replace(
                    Kind::ConfusedWords,
                    "confusion",
                    token,
                    meant,
                    format!(
                        "“{}” and “{meant}” are easily confused; “{meant}” is meant here.",
                        token.lower
                    ),
                );
                if *word == "of" {
                    draft = replace_span(
                        Kind::ConfusedWords,
                        "confusion",
                        token.span.clone(),
                        with_case_of(&token.text, meant),
                        "A modal verb is followed by “have”, not “of”.".to_owned(),
                    );
                }
                out.push(draft);
            }
        }
    }
}
