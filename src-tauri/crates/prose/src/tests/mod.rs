//! The tests of the whole crate.

mod corrections;
mod noun_phrases;
