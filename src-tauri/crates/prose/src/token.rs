//! A word or a mark of a sentence, with what the rules read of it.

use std::ops::Range;

use harper_brill::UPOS;
use harper_core::DictWordMetadata;

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
