//! The flow document: its nodes, edges and values, how it is read and written, its regions, and its validation.
//!
//! Architecture Invariant: this crate has no knowledge of runs, the journal or the network. Its only file access is reading a
//! named file, finding the files that a flow refers to, and writing one flow file. It never names a node kind: kinds are
//! described to it by [`kind::KindSpec`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod document;
pub mod duration;
pub mod environment;
pub mod exact_numbers;
pub mod file;
pub mod flows_on_disk;
pub mod graph;
pub mod handles;
pub mod json;
pub mod kind;
pub mod named_file;
pub mod problem;
pub mod regions;
pub mod retry;
pub mod schema;
pub mod subflow;
pub mod validate;

pub use document::{Edge, Flow, Node, Settings};
pub use handles::{Handle, Handles, ValueType};
pub use kind::{Category, EffectClass, KindSpec, Kinds, Repetition, Shape};
pub use loopwright_template::{by_name, meter, value};
pub use problem::{Edit, Fix, Problem, Severity, Span};
