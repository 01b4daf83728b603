//! A word or a mark as the rules read it.

use std::ops::Range;

use harper_brill::UPOS;
use harper_core::{DictWordMetadata, Token as HarperToken};

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
    pub(crate) fn new(token: &HarperToken, source: &[char]) -> Self {
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
