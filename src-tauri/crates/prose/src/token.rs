//! A word or a punctuation mark of a sentence, with the facts that the rules use.

use std::ops::Range;

use harper_brill::UPOS;
use harper_core::DictWordMetadata;

/// The grammatical number of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Singular,
    Plural,
}

/// A word or a punctuation mark, without white space.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The text in lower case, with a straight apostrophe.
    pub(crate) lower: String,
    /// The range of characters in the document.
    pub(crate) span: Range<usize>,
    pub(crate) tag: Option<UPOS>,
    pub(crate) is_word: bool,
    pub(crate) is_number: bool,
    /// Whether the dictionary has the word.
    pub(crate) is_known: bool,
    /// The word's dictionary entry. It is empty if the word is not in the dictionary.
    pub(crate) meta: DictWordMetadata,
    /// The grammatical number of a noun according to its form. `None` for other words, and if the form fits both numbers.
    pub(crate) number: Option<Number>,
    /// The grammatical number of a verb according to its form. Only the present tense, `was` and `were` show one.
    pub(crate) shows: Option<Number>,
    /// Whether the word is the same as the previous word.
    pub(crate) again: bool,
}

impl Token {
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Returns whether the word can be a past tense (`went`, `walked`). Returns `false` for a word that is only a participle
    /// (`gone`).
    pub(crate) fn is_past(&self) -> bool {
        self.meta.is_verb_past_form() || self.meta.is_verb_simple_past_form()
    }

    /// Returns whether the word is a participle in -ing.
    pub(crate) fn is_progressive(&self) -> bool {
        self.lower.len() > 4 && self.lower.ends_with("ing") && self.meta.is_verb_progressive_form()
    }
}
