//! The sentences of a document as words and marks, with the tags and numbers by which the rules read them.

use std::ops::Range;

use harper_brill::UPOS;
use harper_core::{DictWordMetadata, Document, Token as HarperToken, TokenStringExt};

use crate::lexicon::Lexicon;

/// Whether a word is of one or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Singular,
    Plural,
}

/// A word or a mark. White space is not kept.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Lower case, with a straight apostrophe.
    pub(crate) lower: String,
    /// Characters of the document.
    pub(crate) span: Range<usize>,
    pub(crate) tag: Option<UPOS>,
    pub(crate) is_word: bool,
    pub(crate) is_number: bool,
    /// Whether the dictionary has the word.
    pub(crate) is_known: bool,
    /// What the dictionary says of it; nothing where it does not have it.
    pub(crate) meta: DictWordMetadata,
    /// The number that a noun shows by its form.
    pub(crate) number: Option<Number>,
    /// The number that a finite verb shows in the present, and `was` and `were`.
    pub(crate) shows: Option<Number>,
    /// Whether it is the word before once more.
    pub(crate) again: bool,
}

impl Token {
    fn new(lexicon: &Lexicon, token: &HarperToken, source: &[char]) -> Self {
        let text: String = source[token.span.start..token.span.end].iter().collect();
        let lower = text.to_lowercase().replace('’', "'");
        let meta = token.kind.as_word().and_then(Clone::clone);
        let number = lexicon.number(&lower);
        let mut tag = meta.as_ref().and_then(|meta| meta.pos_tag);
        // Not every plural is in the dictionary, nor tagged: "hikers".
        let untagged = token.kind.is_word() && tag.is_none() && number == Some(Number::Plural);
        if untagged || lower == "people" {
            tag = Some(UPOS::NOUN);
        }
        Self {
            text,
            lower,
            span: token.span.start..token.span.end,
            tag,
            is_word: token.kind.is_word(),
            is_number: token.kind.is_number(),
            is_known: meta.is_some(),
            meta: meta.unwrap_or_default(),
            number,
            shows: None,
            again: false,
        }
    }

    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// A past form that is no participle alone.
    pub(crate) fn is_past(&self) -> bool {
        self.meta.is_verb_past_form() || self.meta.is_verb_simple_past_form()
    }

    /// A participle in -ing.
    pub(crate) fn is_progressive(&self) -> bool {
        self.lower.len() > 4 && self.lower.ends_with("ing") && self.meta.is_verb_progressive_form()
    }
}

/// The sentences of a document; a heading or list item is one too.
pub(crate) fn read_sentences(document: &Document, lexicon: &Lexicon) -> Vec<Vec<Token>> {
    let source = document.get_source();
    let sentences = document.get_tokens().iter_sentences().map(|sentence| {
        let tokens = sentence.iter().filter(|token| !token.kind.is_whitespace());
        let tokens = tokens.map(|token| Token::new(lexicon, token, source));
        let mut sentence: Vec<Token> = tokens.collect();
        retag(lexicon, &mut sentence);
        set_forms(lexicon, &mut sentence);
        sentence
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// Whether a clause ends before the token.
fn ends_clause(lexicon: &Lexicon, token: &Token) -> bool {
    !token.is_word || lexicon.classes.has("ends-clause", token)
}

fn set_forms(lexicon: &Lexicon, sentence: &mut [Token]) {
    for token in &mut *sentence {
        token.shows = shown_number(lexicon, token);
    }
    for at in 1..sentence.len() {
        let (before, token) = (&sentence[at - 1], &sentence[at]);
        let apart = before.span.end < token.span.start;
        sentence[at].again = apart && before.lower == token.lower;
    }
}

fn shown_number(lexicon: &Lexicon, token: &Token) -> Option<Number> {
    if let Some(number) = lexicon.auxiliary_number(&token.lower) {
        return Some(number);
    }
    if token.tag != Some(UPOS::VERB) || token.is_capitalised() {
        return None;
    }
    if token.lower.ends_with('s') && lexicon.lemma(&token.lower).is_some() {
        return Some(Number::Singular);
    }
    // `put` and `read` may be past.
    let lemma = lexicon
        .irregular_verbs
        .get_lemma_for_preterite(&token.lower);
    let past = lemma.is_some()
        || token.meta.is_verb_past_form()
        || token.meta.is_verb_past_participle_form();
    let base = token.meta.is_verb_lemma() && !past;
    (base || lexicon.classes.has("same-as-participle", token)).then_some(Number::Plural)
}

/// Puts right what the tagger often gets wrong in texts with errors: in "my neighbour clear his driveway" the middle word
/// can only be the verb, since a noun cannot stand between a noun and a determiner, and the clause has no other.
fn retag(lexicon: &Lexicon, sentence: &mut [Token]) {
    let has = |class: &str, token: &Token| lexicon.classes.has(class, token);
    for at in 1..sentence.len() {
        let (before, rest) = sentence.split_at(at);
        let [token, behind @ ..] = rest else { continue };
        let third = token.meta.is_verb_third_person_singular_present_form();
        let verb = (third || token.meta.is_verb_lemma())
            && matches!(token.tag, Some(UPOS::NOUN | UPOS::ADJ))
            && !token.is_capitalised();
        // "The children picks up": a plural may not follow a noun either.
        let placed = before[at - 1].tag == Some(UPOS::NOUN)
            && behind.first().is_some_and(|next| {
                has("objects-of-verbs", next) || third && has("after-verbs", next)
            });
        let inside = |token: &&Token| !ends_clause(lexicon, token);
        let mut clause = before
            .iter()
            .rev()
            .take_while(inside)
            .chain(rest.iter().take_while(inside));
        if verb && placed && !clause.any(|token| has("finite", token)) {
            sentence[at].tag = Some(UPOS::VERB);
        }
    }
}
