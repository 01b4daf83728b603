//! Templates and expressions (Tera): parsing, the references they make, and rendering within bounds; the values that they read,
//! and the meter that bounds them.
//!
//! A template is scanned into tokens, rewritten so that Tera is strict and bounded and keeps JSON as JSON, and compiled
//! once. What only puts names into text is rendered without Tera. Nesting is bounded while it is scanned: rendering runs flat
//! instructions and needs little stack; compiling recurses, and what is nested deeply is compiled on a large one.
//!
//! Architecture Invariant: this crate knows no document, no nodes and no runs. A rendering is a pure function of its text and its
//! scope, limited in steps and bytes and never in time.

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
