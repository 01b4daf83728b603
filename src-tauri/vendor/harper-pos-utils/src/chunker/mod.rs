//! Chunkers: which tokens of a sentence belong to a noun phrase.

use crate::UPOS;

mod bilstm;
mod brill_chunker;
mod cached_chunker;
mod upos_freq_dict;
mod weights;

pub use bilstm::{BiLstmChunker, BurnChunkerCpu};
pub use brill_chunker::BrillChunker;
pub use cached_chunker::CachedChunker;
pub use upos_freq_dict::UPOSFreqDict;
pub use weights::ModelError;

/// An implementer of this trait is capable of identifying the noun phrases in a provided sentence.
/// [See here](https://en.wikipedia.org/wiki/Shallow_parsing) for more details on what this is and how it can work.
pub trait Chunker {
    /// Iterate over the sentence, identifying the noun phrases contained within.
    /// A token marked `true` is a component of a noun phrase.
    /// A token marked `false` is not.
    fn chunk_sentence(&self, sentence: &[String], tags: &[Option<UPOS>]) -> Vec<bool>;
}
