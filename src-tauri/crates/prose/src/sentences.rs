//! The sentences of a document as words and punctuation marks, with the tags and numbers that the rules use.

use harper_brill::UPOS;
use harper_core::{Document, Token as HarperToken, TokenStringExt};

use crate::{
    lexicon::Lexicon,
    token::{Number, Token},
};

fn token_of(lexicon: &Lexicon, token: &HarperToken, source: &[char]) -> Token {
    let text: String = source[token.span.start..token.span.end].iter().collect();
    let lower = text.to_lowercase().replace('’', "'");
    let meta = token.kind.as_word().and_then(Clone::clone);
    let number = lexicon.number(&lower);
    let mut tag = meta.as_ref().and_then(|meta| meta.pos_tag);
    // Some plurals, such as "hikers", are not in the dictionary and have no tag.
    let untagged = token.kind.is_word() && tag.is_none() && number == Some(Number::Plural);
    if untagged || lower == "people" {
        tag = Some(UPOS::NOUN);
    }
    Token {
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

/// Returns the sentences of a document, each as a list of tokens. A heading or list item counts as a sentence.
pub(crate) fn read_sentences(document: &Document, lexicon: &Lexicon) -> Vec<Vec<Token>> {
    let source = document.get_source();
    let sentences = document.get_tokens().iter_sentences().map(|sentence| {
        let tokens = sentence.iter().filter(|token| !token.kind.is_whitespace());
        let tokens = tokens.map(|token| token_of(lexicon, token, source));
        let mut sentence: Vec<Token> = tokens.collect();
        retag(lexicon, &mut sentence);
        set_forms(lexicon, &mut sentence);
        sentence
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns whether a clause ends before `token`.
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
    // The verbs `put` and `read` may be past forms.
    let lemma = lexicon
        .irregular_verbs
        .get_lemma_for_preterite(&token.lower);
    let past = lemma.is_some()
        || token.meta.is_verb_past_form()
        || token.meta.is_verb_past_participle_form();
    let base = token.meta.is_verb_lemma() && !past;
    (base || lexicon.classes.has("same-as-participle", token)).then_some(Number::Plural)
}

/// Corrects frequent errors that the tagger makes in text with mistakes. In "my neighbour clear his driveway", the middle
/// word can only be the verb, because a noun cannot occur between a noun and a determiner, and the clause has no other verb.
fn retag(lexicon: &Lexicon, sentence: &mut [Token]) {
    let has = |class: &str, token: &Token| lexicon.classes.has(class, token);
    for at in 1..sentence.len() {
        let (before, rest) = sentence.split_at(at);
        let [token, behind @ ..] = rest else { continue };
        let third = token.meta.is_verb_third_person_singular_present_form();
        let verb = (third || token.meta.is_verb_lemma())
            && matches!(token.tag, Some(UPOS::NOUN | UPOS::ADJ))
            && !token.is_capitalised();
        // A plural cannot follow a noun either: "The children picks up".
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
