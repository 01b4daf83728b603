//! Parts of speech and noun phrases of English sentences: the part of harper-pos-utils that runs, without the framework that its
//! noun phrase model was trained with.
//!
//! Architecture Invariant: pure functions of tokens and of the trained files that harper-brill passes in.

mod chunker;
mod patch_criteria;
mod tagger;
mod upos;

pub use chunker::{
    BiLstmChunker, BrillChunker, BurnChunkerCpu, CachedChunker, Chunker, ModelError, UPOSFreqDict,
};
pub use tagger::{BrillTagger, FreqDict, Tagger};
pub use upos::{UPOS, UPOSIter};
