//! The sentences of a document, with the tags and numbers by which the rules read their words.

use harper_brill::UPOS;
use harper_core::{DictWordMetadata, Document, TokenStringExt};

use crate::{
    lexicon::Lexicon,
    token::{Number, Token},
};

/// The sentences of a document; a heading or list item is one too.
pub(crate) fn read_sentences(document: &Document, lexicon: &Lexicon) -> Vec<Vec<Token>> {
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
