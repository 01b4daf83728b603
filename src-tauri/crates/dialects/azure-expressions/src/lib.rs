//! The Workflow Definition Language of Azure Logic Apps: reads its expressions and evaluates them over their syntax tree.
//!
//! Reference: Microsoft, "Schema reference guide for the Workflow Definition Language in Azure Logic Apps" and "Reference
//! guide to workflow expression functions in Azure Logic Apps and Power Automate".
//!
//! An evaluation is a pure function of the expression and the context. It has no clock and no randomness but what the
//! context gives, and it is bounded in work and bytes. Names compare without regard to case. What the definition does not
//! have (a function, a variable, a parameter, an action, a loop) is an error and never null.
//!
//! Architecture Invariant: knows no flows, no nodes and no tools.

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

pub use ast::{Expr, Part, Reading, Step};
pub use catalog::{check, is_boolean};
pub use condition::condition;
pub use dialect::Dialect;
pub use environment::Context;
pub use eval::{evaluate, evaluate_each};
pub use failure::Failure;
pub use names::{Name, names};
pub use parse::{MAX_SOURCE, Mistake, bare, read};
