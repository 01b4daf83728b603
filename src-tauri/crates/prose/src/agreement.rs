//! Subject and verb agree: "the dogs is", "he don't", "cats that sleeps", "there is many reasons".

use harper_brill::UPOS;

use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, Number},
    subject::{Reader, Subject},
    token::Token,
};

/// Singular and plural forms of the verbs that have their own.
const PAIRS: &[(&str, &str)] = &[
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("does", "do"),
    ("isn't", "aren't"),
    ("wasn't", "weren't"),
    ("hasn't", "haven't"),
    ("doesn't", "don't"),
];

pub(crate) fn check(lexicon: &Lexicon, words: &[Token], out: &mut Vec<Draft>) {
    let reader = Reader { lexicon, words };
    for (verb, token) in words.iter().enumerate() {
        let Some(shown) = reader.shown_number(verb) else {
            continue;
        };
        let subject = reader
            .existential(verb)
            .or_else(|| reader.question(verb))
            .or_else(|| reader.relative(verb, shown))
            .or_else(|| {
                reader
                    .subject(verb)
                    .filter(|subject| reader.is_finite(verb, subject))
            });
        let with = subject
            .as_ref()
            .and_then(|subject| reader.agreeing(verb, shown, subject));
        if let (Some(subject), Some(with)) = (subject, with) {
            out.push(Draft::word(
                Kind::Agreement,
                "agreement",
                token,
                &with,
                message(&subject, &with),
            ));
        }
    }
}

fn message(subject: &Subject<'_>, with: &str) -> String {
    let about = match (subject.head, subject.number) {
        ("i", _) => return format!("With the subject “I” the verb is “{with}”."),
        ("and", _) => "The subject joins two with “and”".to_owned(),
        (head, Number::Singular) => format!("The subject “{head}” is singular"),
        (head, Number::Plural) => format!("The subject “{head}” is plural"),
    };
    format!("{about}, so the verb is “{with}”.")
}

fn is_auxiliary(verb: &Token) -> bool {
    PAIRS
        .iter()
        .any(|(singular, plural)| verb.is(singular) || verb.is(plural))
}

impl<'a> Reader<'a> {
    /// The number that a finite verb in the present (or `was`, `were`) shows.
    fn shown_number(self, at: usize) -> Option<Number> {
        let token = &self.words[at];
        if is_auxiliary(token) {
            let singular = PAIRS.iter().any(|(singular, _)| token.is(singular));
            return Some(if singular {
                Number::Singular
            } else {
                Number::Plural
            });
        }
        let meta = token.meta.as_ref()?;
        if !token.tagged(&[UPOS::VERB]) || token.capitalised() {
            return None;
        }
        if token.lower.ends_with('s') && self.lexicon.lemma(&token.lower).is_some() {
            return Some(Number::Singular);
        }
        // `put` and `read` may be past.
        let past = meta.is_verb_past_form()
            || meta.is_verb_simple_past_form()
            || meta.is_verb_past_participle_form();
        (meta.is_verb_lemma() && !past || self.has("same-as-participle", at))
            .then_some(Number::Plural)
    }

    /// The form of the verb that agrees, where it is another.
    fn agreeing(self, at: usize, shown: Number, subject: &Subject<'_>) -> Option<String> {
        let verb = &self.words[at];
        if subject.head == "i" {
            let with = match verb.lower.as_str() {
                "is" | "are" => "am",
                "has" => "have",
                "does" => "do",
                "doesn't" => "don't",
                "were" if !self.any_before(at, at, "unreal") => "was",
                _ => return None,
            };
            return Some(with.to_owned());
        }
        let singular = subject.number == Number::Singular;
        let unreal = verb.lower.starts_with("were") && self.any_before(at, at, "unreal");
        let collective = self.lexicon.classes.lists("collectives", subject.head);
        if subject.number == shown || singular && (unreal || collective) {
            return None;
        }
        if let Some(pair) = PAIRS
            .iter()
            .find(|(singular, plural)| verb.is(singular) || verb.is(plural))
        {
            return Some((if singular { pair.0 } else { pair.1 }).to_owned());
        }
        // "The invention lead to": the past is meant far more often than "leads".
        if verb.is("lead") && !(0..self.words.len()).any(|at| self.has("present-auxiliaries", at)) {
            return Some("led".to_owned());
        }
        if singular {
            self.lexicon.third_person(&verb.lower)
        } else {
            self.lexicon.lemma(&verb.lower)
        }
    }

    /// Whether a verb after its subject is finite: "made the dog go" and "the company plan for growth is" have none there.
    fn is_finite(self, at: usize, subject: &Subject<'_>) -> bool {
        let verb = &self.words[at];
        let start = (0..at)
            .rev()
            .take(7)
            .take_while(|&at| self.words[at].is_word && !self.has("ends-inversion", at))
            .last()
            .unwrap_or(at);
        let inverted = (start..at).any(|at| self.has("takes-base-form", at));
        if is_auxiliary(verb) {
            return !inverted || verb.any(&["is", "are", "was", "were"]);
        }
        let noun = verb.can_be_noun()
            && !self.lexicon.classes.lists("pronouns", subject.head)
            && (self.finite_later(at) || self.has("after-noun", at + 1));
        subject.certain && !inverted && !noun
    }

    /// Whether another finite verb follows in the clause, so that this one was perhaps none.
    fn finite_later(self, at: usize) -> bool {
        (at + 1..self.words.len())
            .take_while(|&at| self.words[at].is_word && !self.has("ends-clause", at))
            .any(|at| {
                let word = &self.words[at];
                is_auxiliary(word)
                    || self.has("modals", at)
                    || !word.can_be_noun() && self.shown_number(at) == Some(Number::Singular)
            })
    }

    /// "There is many reasons": the verb agrees with what follows.
    fn existential(self, verb: usize) -> Option<Subject<'a>> {
        let there = verb.checked_sub(1)?;
        if !self.is(there, "there") || !is_auxiliary(&self.words[verb]) {
            return None;
        }
        let (mut one, mut many) = (false, false);
        let phrase = (verb + 1..self.words.len()).take_while(|&at| self.has("counted-phrase", at));
        let mut noun = None;
        for at in phrase {
            one |= self.has("ones", at);
            many |= self.has("many", at);
            if self.has("nouns", at) {
                noun = Some(at);
                if !self.has("nouns", at + 1) {
                    break;
                }
            }
        }
        let noun = noun.filter(|_| !(one && many))?;
        let number = match self.lexicon.number(&self.words[noun].lower) {
            _ if many => Number::Plural,
            Some(Number::Plural) if !one => Number::Plural,
            Some(Number::Singular) if one => Number::Singular,
            _ => return None,
        };
        Some(self.sure(noun, number))
    }

    /// "Where is my keys?", "Do he know?"
    fn question(self, verb: usize) -> Option<Subject<'a>> {
        let asked = verb == 1 && self.has("question-adverbs", 0) || verb == 0;
        let ends = self.words.len() - 1;
        if !asked || !self.is(ends, "?") || !is_auxiliary(&self.words[verb]) {
            return None;
        }
        let next = verb + 1;
        if self.has("third-person", next) {
            return Some(self.sure(next, Number::Singular));
        }
        if self.has("plural-pronouns", next) && !self.has("determiners", next) {
            return Some(self.sure(next, Number::Plural));
        }
        let noun = next + 1;
        if !self.has("starts-phrase", next)
            || !self.has("nouns", noun)
            || self.has("after-noun", noun + 1)
            || self.has("nouns", noun + 1)
        {
            return None;
        }
        let number = self.lexicon.number(&self.words[noun].lower)?;
        Some(self.sure(noun, number))
    }

    /// "Cats that sleeps", "a man who go", "the budget, which have".
    fn relative(self, verb: usize, shown: Number) -> Option<Subject<'a>> {
        let mut pronoun = verb.checked_sub(1)?;
        while pronoun > 0 && self.has("adverbs", pronoun) {
            pronoun -= 1;
        }
        if pronoun == 0 || !self.has("relatives", pronoun) {
            return None;
        }
        let comma = self.is(pronoun - 1, ",") && !self.is(pronoun, "that") && pronoun > 1;
        let noun = pronoun - 1 - usize::from(comma);
        let named = self.has("those", noun);
        let word = &self.words[noun];
        if !(named || self.has("common-nouns", noun)) || word.capitalised() && noun > 0 {
            return None;
        }
        let number = if named {
            Number::Plural
        } else {
            self.lexicon.number(&word.lower)?
        };
        // "A list of items that is": the head may be further left. After a comma "which" may mean the whole clause.
        let further = (0..noun)
            .rev()
            .take(5)
            .take_while(|&at| self.words[at].is_word)
            .skip_while(|&at| !self.has("prepositions", at) && !self.is(at, "and"))
            .skip(1)
            .any(|at| {
                self.has("nouns", at) && self.lexicon.number(&self.words[at].lower) != Some(number)
            });
        let unsure = further && !self.is(pronoun, "who")
            || self.any_before(noun, 6, "one")
            || comma && shown == Number::Singular && self.is(pronoun, "which")
            || self.words[verb].can_be_noun()
                && self.is(pronoun, "that")
                && number == Number::Singular
                && !is_auxiliary(&self.words[verb]);
        (!unsure).then(|| self.sure(noun, number))
    }
}
