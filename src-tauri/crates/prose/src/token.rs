//! The words and marks of a sentence as the rules read them.

use std::ops::Range;

use crate::lexicon::{Lexicon, Number};
use harper_brill::UPOS;
use harper_core::{DictWordMetadata, Document, Token as HarperToken, TokenStringExt};

/// A word or a mark. White space is not kept.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Lower case, with a straight apostrophe.
    pub(crate) lower: String,
    /// Characters of the document.
    pub(crate) span: Range<usize>,
    pub(crate) tag: Option<UPOS>,
    pub(crate) meta: Option<DictWordMetadata>,
    pub(crate) is_word: bool,
    pub(crate) is_number: bool,
    /// The number that a noun shows by its form.
    pub(crate) number: Option<Number>,
    /// The number that a finite verb shows in the present, and `was` and `were`.
    pub(crate) shows: Option<Number>,
    /// Whether what is taken for a verb may be a noun, since the clause has another verb.
    pub(crate) nounlike: bool,
}

impl Token {
    fn new(token: &HarperToken, source: &[char]) -> Self {
        let text: String = source[token.span.start..token.span.end].iter().collect();
        let meta = token.kind.as_word().and_then(Clone::clone);
        Self {
            lower: text.to_lowercase().replace('’', "'"),
            text,
            span: token.span.start..token.span.end,
            tag: meta.as_ref().and_then(|meta| meta.pos_tag),
            is_word: token.kind.is_word(),
            is_number: token.kind.is_number(),
            meta,
            number: None,
            shows: None,
            nounlike: false,
        }
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.lower == word
    }

    pub(crate) fn any(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
    }

    pub(crate) fn tagged(&self, tags: &[UPOS]) -> bool {
        self.tag.is_some_and(|tag| tags.contains(&tag))
    }

    pub(crate) fn capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    pub(crate) fn meta_is(&self, test: impl Fn(&DictWordMetadata) -> bool) -> bool {
        self.meta.as_ref().is_some_and(test)
    }

    pub(crate) fn can_be_noun(&self) -> bool {
        self.meta_is(DictWordMetadata::is_noun)
    }

    pub(crate) fn can_be_adjective(&self) -> bool {
        self.meta_is(DictWordMetadata::is_adjective)
    }

    pub(crate) fn can_be_verb(&self) -> bool {
        self.meta_is(DictWordMetadata::is_verb)
    }

    /// A participle in -ing.
    pub(crate) fn is_progressive(&self) -> bool {
        self.lower.len() > 4
            && self.lower.ends_with("ing")
            && self.meta_is(DictWordMetadata::is_verb_progressive_form)
    }

    pub(crate) fn is_comparative(&self) -> bool {
        self.meta_is(DictWordMetadata::is_comparative_adjective)
            || self.any(&["more", "less", "rather", "better", "worse", "fewer"])
    }
}

/// The sentences of a document; a heading or list item is one too.
pub(crate) fn sentences(document: &Document, lexicon: &Lexicon) -> Vec<Vec<Token>> {
    let source = document.get_source();
    document
        .get_tokens()
        .iter_sentences()
        .map(|sentence| {
            sentence
                .iter()
                .filter(|token| !token.kind.is_whitespace())
                .map(|token| {
                    let mut token = Token::new(token, source);
                    // Not every plural is in the dictionary, nor tagged: "hikers".
                    if token.is_word
                        && token.tag.is_none()
                        && lexicon.number(&token.lower) == Some(Number::Plural)
                        || token.is("people")
                    {
                        token.tag = Some(UPOS::NOUN);
                    }
                    token
                })
                .collect::<Vec<_>>()
        })
        .filter(|sentence| !sentence.is_empty())
        .map(|sentence| with_numbers(lexicon, retag(lexicon, sentence)))
        .collect()
}

fn with_numbers(lexicon: &Lexicon, mut sentence: Vec<Token>) -> Vec<Token> {
    for token in &mut sentence {
        token.number = lexicon.number(&token.lower);
        token.shows = shown_number(lexicon, token);
    }
    let joins = |token: &Token| !token.is_word || lexicon.classes.has("ends-clause", token);
    for at in 0..sentence.len() {
        let clause = sentence[at + 1..].iter().take_while(|token| !joins(token));
        let finite = |token: &Token| {
            lexicon.classes.has("certain-verbs", token)
                || !token.can_be_noun() && token.shows == Some(Number::Singular)
        };
        sentence[at].nounlike = sentence[at].can_be_noun() && clause.into_iter().any(finite);
    }
    sentence
}

fn shown_number(lexicon: &Lexicon, token: &Token) -> Option<Number> {
    if let Some(number) = lexicon.auxiliary_number(&token.lower) {
        return Some(number);
    }
    if !token.tagged(&[UPOS::VERB]) || token.capitalised() {
        return None;
    }
    if token.lower.ends_with('s') && lexicon.lemma(&token.lower).is_some() {
        return Some(Number::Singular);
    }
    // `put` and `read` may be past.
    let past = lexicon.is_preterite(&token.lower)
        || token.meta_is(|meta| meta.is_verb_past_form() || meta.is_verb_past_participle_form());
    let base = token.meta_is(DictWordMetadata::is_verb_lemma) && !past;
    (base || lexicon.classes.has("same-as-participle", token)).then_some(Number::Plural)
}

/// Puts right what the tagger often gets wrong in texts with errors: in "my neighbour clear his driveway" the middle word
/// can only be the verb, since a noun cannot stand between a noun and a determiner, and the clause has no other.
fn retag(lexicon: &Lexicon, mut sentence: Vec<Token>) -> Vec<Token> {
    let has = |class: &str, token: &Token| lexicon.classes.has(class, token);
    for at in 1..sentence.len() {
        let token = &sentence[at];
        let next = sentence.get(at + 1);
        let third = token.meta_is(DictWordMetadata::is_verb_third_person_singular_present_form);
        let verb = (third || token.meta_is(DictWordMetadata::is_verb_lemma))
            && token.tagged(&[UPOS::NOUN, UPOS::ADJ]);
        // "The children picks up": a plural may not follow a noun either.
        let placed = sentence[at - 1].tagged(&[UPOS::NOUN])
            && next.is_some_and(|next| {
                has("objects-of-verbs", next) || third && has("after-verbs", next)
            });
        if verb && placed && !token.capitalised() {
            let joins = |token: &Token| !token.is_word || has("ends-clause", token);
            let from = sentence[..at].iter().rposition(joins).unwrap_or(0);
            let clause = sentence[at..].iter().take_while(|token| !joins(token));
            let mut clause = sentence[from..at].iter().chain(clause);
            if !clause.any(|token| has("finite", token)) {
                sentence[at].tag = Some(UPOS::VERB);
            }
        }
    }
    sentence
}
