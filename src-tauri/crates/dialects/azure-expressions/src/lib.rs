//! The Workflow Definition Language of Azure Logic Apps: parses and evaluates expressions.
//!
//! Reference: Microsoft, "Schema reference guide for the Workflow Definition Language in Azure Logic Apps" and "Reference guide
//! to workflow expression functions in Azure Logic Apps and Power Automate".
//!
//! An evaluation is a pure function of the expression and the context. Clock and randomness come only from the context, and work
//! and bytes are limited. Names are case-insensitive. Anything that the definition lacks (a function, a variable, a parameter, an
//! action, a loop) is an error and never null.
//!
//! Architecture Invariant: this crate knows no flows, nodes or tools.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod args;
mod ast;
mod budget;
mod catalog;
mod condition;
mod culture;
mod date;
mod dialect;
mod environment;
mod eval;
mod failure;
mod functions;
mod names;
mod number;
mod operators;
mod parse;
mod strings;
mod uri;
mod value;
mod xml;
mod zones;

#[cfg(test)]
mod tests;

pub use ast::{Expr, Part, Reading, Step};
pub use catalog::{check, is_boolean};
pub use condition::condition;
pub use dialect::Dialect;
pub use environment::Context;
pub use eval::{evaluate, evaluate_each};
pub use failure::Failure;
pub use names::{Name, names};
pub use parse::{MAX_SOURCE, Mistake, bare, read};
