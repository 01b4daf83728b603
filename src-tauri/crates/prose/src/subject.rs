//! Finds the subject of a verb by walking left over the noun phrase before it. Gives none where the number is not sure.

use crate::{
    lexicon::{Lexicon, Number},
    token::Token,
};

/// A sentence as the rules of agreement read it.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) words: &'a [Token],
}

pub(crate) struct Subject<'a> {
    pub(crate) head: &'a str,
    pub(crate) number: Number,
    /// A determiner, a pronoun or a plural: surely a noun phrase.
    pub(crate) certain: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn has(self, class: &str, at: usize) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| self.lexicon.classes.has(class, word))
    }

    pub(crate) fn is(self, at: usize, word: &str) -> bool {
        self.words.get(at).is_some_and(|token| token.is(word))
    }

    pub(crate) fn any_before(self, at: usize, within: usize, class: &str) -> bool {
        (at.saturating_sub(within)..at).any(|at| self.has(class, at))
    }

    fn is_mark(self, at: usize) -> bool {
        !self.words[at].is_word && !self.words[at].is_number
    }

    /// The subject of the finite verb at `verb`, when it stands right before it and its number is sure.
    pub(crate) fn subject(self, verb: usize) -> Option<Subject<'a>> {
        let mut last = verb.checked_sub(1)?;
        while self.has("adverbs", last) {
            last = last.checked_sub(1)?;
        }
        // "The secret, she says, is"
        if last > 3
            && self.is(last, ",")
            && self.is(last - 3, ",")
            && self.has("reporting", last - 1)
        {
            last -= 4;
        }
        if self.is_mark(last) || self.has("not-a-subject", last) {
            return None;
        }
        for (class, number) in [
            ("singular-pronouns", Number::Singular),
            ("plural-pronouns", Number::Plural),
        ] {
            if self.has(class, last) {
                return self
                    .is_subject_pronoun(last)
                    .then(|| self.sure(last, number));
            }
        }
        let mut first = last;
        while first > 0 && (self.has("noun-phrase", first - 1) || self.is_modifier(first - 1)) {
            first -= 1;
        }
        self.noun_phrase(first, last)
            .filter(|_| self.has("nominal", last))
    }

    pub(crate) fn sure(self, at: usize, number: Number) -> Subject<'a> {
        Subject {
            head: &self.words[at].lower,
            number,
            certain: true,
        }
    }

    /// "One of them are", "each year", "you and I" have their head elsewhere.
    fn is_subject_pronoun(self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        let nominative = self.has("nominative", at) && !self.has("before-nominative", before);
        let joined = self.is(before, "and")
            && before
                .checked_sub(1)
                .is_none_or(|at| self.is_mark(at) || self.has("verb-or-modifier", at));
        let clear =
            nominative || self.is_mark(before) || self.has("before-pronoun", before) || joined;
        clear && !(self.is(before, "that") && self.any_before(at, 4, "subjunctive"))
    }

    /// A participle within a phrase: "the reading room", "a broken chair".
    fn is_modifier(self, at: usize) -> bool {
        let word = &self.words[at];
        at > 0
            && word.tagged(&[harper_brill::UPOS::VERB])
            && self.has("starts-phrase", at - 1)
            && !self.is(at - 1, "that")
            && (word.is_progressive() || word.can_be_noun() || word.lower.ends_with("ed"))
    }

    fn noun_phrase(self, mut first: usize, last: usize) -> Option<Subject<'a>> {
        if self.has("conjunctions", first) {
            if first > 0 && !self.is_mark(first - 1) {
                return None;
            }
            first += 1;
        }
        // "In the morning the dogs": the last phrase that begins after a noun. "The issues the book addresses": a clause within.
        let inner = (first + 1..=last)
            .rev()
            .find(|&at| self.has("starts-phrase", at) && self.has("nouns", at - 1));
        let fronted = inner.is_some();
        if let Some(inner) = inner {
            if !self.has("opens-adverbial", first) {
                return None;
            }
            first = inner;
        }
        if first > last
            || self.has("prepositions", first)
            || !fronted && !self.begins_clause(first)
            || (first..=last).any(|at| self.has("alternatives", at))
        {
            return None;
        }
        let end = (first..=last).find(|&at| self.has("prepositions", at));
        let core = first..end.unwrap_or(last + 1);
        let title = !self.has("starts-phrase", first)
            && self.words[first].capitalised()
            && (first + 1..=last).any(|at| self.words[at].capitalised());
        let hyphenated = core.len() > 1 && self.words[core.end - 2].text == "-";
        if title || hyphenated {
            return None;
        }
        if let Some(joined) = core.clone().find(|&at| self.is(at, "and")) {
            return self
                .joined(first, joined, core.end - 1)
                .filter(|_| !fronted);
        }
        let of = end.filter(|&at| self.is(at, "of"));
        self.head(first, core.end, of, last)
    }

    /// "The cat and the dog": plural when both halves are phrases of their own.
    fn joined(self, first: usize, joined: usize, last: usize) -> Option<Subject<'a>> {
        // "Fruit and soup contain", but "Trial and error is".
        let bare = joined == first + 1
            && last == joined + 1
            && self.has("nouns", first)
            && self.has("nouns", last)
            && !self.has("one-thing", first);
        let own = |at: usize| self.has("own-phrase", at);
        let each = self.has("each", first);
        (bare || own(first) && own(joined + 1) && !each).then(|| self.sure(joined, Number::Plural))
    }

    /// The subject whose core is `first..end`, followed by `of` and what stands up to `last`.
    fn head(self, first: usize, end: usize, of: Option<usize>, last: usize) -> Option<Subject<'a>> {
        let at = (first..end).rev().find(|&at| self.has("nominal", at))?;
        let head = &self.words[at];
        if self.has("numerals", at) {
            return None;
        }
        if of.is_some() && end == first + 1 && self.has("one-each", first)
            || self.has("each", first)
            || self.has("singular-pronouns", end - 1) && !self.has("determiners", first)
        {
            return Some(self.sure(at, Number::Singular));
        }
        let number = self.lexicon.number(&head.lower);
        if of.is_some()
            && self.has("quantities", at)
            && !(head.is("number") && self.is(first, "the"))
        {
            // "A lot of maps were": after a quantity the number is that of what is counted.
            let counted = (end..=last).rev().find(|&at| self.has("nouns", at))?;
            let prepositions = (first..=last).filter(|&at| self.has("prepositions", at));
            let number = self.lexicon.number(&self.words[counted].lower)?;
            return (prepositions.count() == 1).then(|| Subject {
                certain: number == Number::Plural,
                ..self.sure(counted, number)
            });
        }
        if head.capitalised() && at > 0 || head.tagged(&[harper_brill::UPOS::PROPN]) {
            let plural = head.lower.ends_with('s') || number == Some(Number::Plural);
            return (!plural).then(|| Subject {
                certain: false,
                ..self.sure(at, Number::Singular)
            });
        }
        let number = number?;
        // "A group of boys", "Ten years is a long time", "some employee feel", "the rich are".
        if of.is_some() && self.has("groups", at)
            || self.has("measures", at) && (first..end).any(|at| self.has("numerals", at))
            || number == Number::Singular && self.has("indefinite", first)
            || self.is(first, "the") && self.has("people-of-a-kind", at)
        {
            return None;
        }
        let alone = end == first + 1 && first == 0 && !head.can_be_verb();
        Some(Subject {
            certain: number == Number::Plural || self.has("starts-phrase", first) || alone,
            ..self.sure(at, number)
        })
    }

    /// Whether a phrase that begins at `first` begins a clause, and is not some verb's object.
    fn begins_clause(self, first: usize) -> bool {
        let Some(at) = first.checked_sub(1) else {
            return true;
        };
        if self.is_mark(at) {
            // After a comma: a clause after an opening one, rather than a list or an apposition.
            return !self.is(at, ",")
                || self.has("starts-phrase", first)
                || (0..at).all(|at| !self.is(at, ","));
        }
        if self.has("before-phrase", at) {
            return !(self.is(at, "that") && self.any_before(at, 3, "subjunctive"));
        }
        if self.has("conjunctions", at) {
            return at > 0 && self.is_mark(at - 1);
        }
        if at > 0 && self.is(at - 1, "how") {
            return true;
        }
        if self.has("adverbs", at) {
            return at == 0;
        }
        self.has("reporting", at)
            && (0..at).all(|at| !self.has("relatives", at))
            && !(at > 0 && self.is(at - 1, "to"))
    }
}
