//! Templates and expressions, based on Tera. This crate parses them, finds their references, and renders them within limits. It
//! also contains the values that templates read, and the meter that counts and limits work.
//!
//! A template is split into tokens, rewritten so that Tera is strict and limited and preserves JSON values, and compiled once.
//! A template that only inserts names into text is rendered without Tera. The scanner limits nesting. Rendering executes flat
//! instructions and needs little stack; compiling is recursive, so deeply nested templates are compiled on a large stack.
//!
//! Architecture Invariant: this crate has no knowledge of documents, nodes or runs. A rendering is a pure function of its
//! template and its scope. It is limited in steps and bytes, never in time.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bounds;
pub mod by_name;
mod compiled;
mod convert;
mod error;
mod expression;
mod filters;
mod language;
mod lookup;
pub mod meter;
mod names;
mod occurrence;
mod operation;
mod places;
mod plain;
mod reference;
mod rewrite;
pub mod scan;
pub mod suggest;
mod template;
pub mod value;

pub use self::{
    error::TemplateError,
    expression::Expression,
    language::{LANGUAGE, Word, WordKind},
    lookup::lookup,
    names::Scope,
    occurrence::Occurrence,
    reference::Reference,
    rewrite::words::WORDS as KEYWORDS,
    template::Template,
};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_cost;
