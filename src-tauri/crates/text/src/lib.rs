//! Words and sentences of English text: the one reading that the search tool and the built-in models share.
//!
//! Architecture Invariant: pure functions of text; nothing here knows of documents, models or flows.

mod sentence;
mod stop;
mod word;

pub use sentence::{sentences, window};
pub use stop::{STOP_WORDS, is_stop};
pub use word::{Word, fold, stem, words};
