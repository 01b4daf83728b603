//! Taggers: which part of speech each token of a sentence is.

mod brill_tagger;
mod freq_dict;

use crate::UPOS;

pub use brill_tagger::BrillTagger;
pub use freq_dict::FreqDict;

/// An implementer of this trait is capable of assigned Part-of-Speech tags to a provided sentence.
/// This is widely useful for various applications. [See here.](https://en.wikipedia.org/wiki/Part-of-speech_tagging)
pub trait Tagger {
    fn tag_sentence(&self, sentence: &[String]) -> Vec<Option<UPOS>>;
}
