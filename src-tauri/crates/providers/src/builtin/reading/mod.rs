//! Reading for the search models: what a question asks, what passages say, and which sentences answer it.
//!
//! Planner, judge and answerer share this reading, so that they agree: what the judge calls covered is what the answerer answers
//! from, and what it calls missing is what the planner looks for. Everything is a pure function of the text.
//!
//! The method, step by step, is that of classical question answering over retrieved text: the answer type is derived from the
//! question word (Li and Roth, "Learning Question Classifiers", 2002), passages are matched by stems with weights and a small
//! lexicon of related words, and a question with a described instead of a named subject is answered by a chain of two
//! sentences joined by the entity that the first one names (the bridge of Yang et al., "HotpotQA", 2018). The next query joins
//! that entity with the words still unmatched, a form of relevance feedback (Rocchio, 1971).

mod answering;
mod bridging;
mod chain;
mod expects;
mod found;
mod lexicon;
mod matching;
mod names;
mod notes;
mod question;

pub(super) use answering::{Reading, read_notes};
pub(super) use chain::Hop;
pub(super) use notes::Notes;
pub(super) use question::Unit;
