//! A noun agrees with what counts or points at it: "five year", "this dogs", "one of my friend".

use harper_brill::UPOS;

use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, Number},
    subject::Reader,
    token::Token,
};

pub(crate) fn check(lexicon: &Lexicon, words: &[Token], out: &mut Vec<Draft>) {
    let reader = Reader { lexicon, words };
    for at in 0..words.len() {
        let draft = reader.one_of(at).or_else(|| reader.counted(at));
        out.extend(draft);
    }
}

impl Reader<'_> {
    fn plural_instead(self, noun: usize, message: String) -> Option<Draft> {
        let found = &self.words[noun];
        let with = self.lexicon.plural(&found.lower)?;
        (with != found.lower).then(|| {
            let message = format!("{message} the noun is plural: “{with}”.");
            Draft::word(Kind::Agreement, "number", found, &with, message)
        })
    }

    /// "One of the reason": the noun after `of` is plural.
    fn one_of(self, at: usize) -> Option<Draft> {
        if !(self.is(at, "one") && self.is(at + 1, "of") && self.has("definite", at + 2)) {
            return None;
        }
        let mut noun = at + 2;
        while self.has("in-counted-noun", noun + 1) {
            noun += 1;
        }
        // "One of my friend lives": the last of the run is the verb that the sentence needs.
        let verb = |at: usize| self.has("finite", at);
        let needed = noun > at + 3
            && self.words[noun].lower.ends_with('s')
            && self.words[noun].can_be_verb()
            && !(noun..self.words.len()).any(verb);
        noun -= usize::from(needed);
        let word = &self.words[noun];
        let whole = !self.has("goes-on-counting", noun + 1);
        let singular = self.lexicon.number(&word.lower) == Some(Number::Singular)
            && self.lexicon.countable(&word.lower);
        if noun == at + 2
            || !self.has("common-nouns", noun)
            || word.capitalised()
            || !whole
            || !singular
        {
            return None;
        }
        self.plural_instead(noun, "After “one of”".to_owned())
    }

    /// "Five year", "many person", "a dogs", "this dogs".
    fn counted(self, at: usize) -> Option<Draft> {
        let word = &self.words[at];
        // "A 6-4 record", "in 1963"
        if at > 0 && self.has("joining-marks", at - 1) {
            return None;
        }
        let digits =
            word.is_number && is_many(&word.text) && !(at > 0 && self.has("before-year", at - 1));
        let plural = digits
            || !word.is_number && self.has("many", at)
            || self.has("indefinite", at) && self.has("plural-verb", at + 2);
        let singular = self.has("singular-determiners", at);
        if !plural && !singular {
            return None;
        }
        let mut noun = at + 1;
        while self.has("before-counted-noun", noun) {
            noun += 1;
        }
        let found = self.words.get(noun)?;
        let ends = !self.has("goes-on-counting", noun + 1)
            // What follows may be the noun, and one that the dictionary lacks: "two diesel railcars".
            && self.words.get(noun + 1).is_none_or(|next| !next.is_word || next.meta.is_some());
        if !ends
            || !self.has("common-nouns", noun)
            || self.has("auxiliaries", noun)
            || found.capitalised()
            || found.text.contains('-')
        {
            return None;
        }
        let number = self.lexicon.number(&found.lower)?;
        if plural && number == Number::Singular {
            // "Both friend and foe", "these go", "many a day", "two thirds"
            let verb = self.has("demonstratives", at) && noun == at + 1 && found.can_be_verb();
            let unsure = word.is("both")
                || verb && self.has("after-verb", noun + 1)
                || !word.tagged(&[UPOS::NUM]) && found.can_be_verb() && found.can_be_adjective()
                || self.has("uncountable-after-many", noun);
            return self
                .plural_instead(noun, format!("After “{}”", word.lower))
                .filter(|_| !unsure);
        }
        if !singular || number == Number::Singular || !found.lower.ends_with('s') {
            return None;
        }
        if word.is("this") {
            // "This dogs" is a slip for "these dogs".
            let message = format!("“{}” is plural, so it is “these”.", found.lower);
            return (!found.can_be_verb() || noun > at + 1)
                .then(|| Draft::word(Kind::Agreement, "number", word, "these", message));
        }
        let with = self.lexicon.singular(&found.lower)?;
        let message = format!("After “{}” the noun is singular: “{with}”.", word.lower);
        (noun == at + 1 && !found.can_be_adjective())
            .then(|| Draft::word(Kind::Agreement, "number", found, &with, message))
    }
}

fn is_many(number: &str) -> bool {
    number
        .parse::<u32>()
        .is_ok_and(|number| number > 1 && !(1000..2200).contains(&number))
}
