//! Exports flows to files for other systems. The result is either the file or the reasons why the flow cannot be exported.
//!
//! Architecture Invariant: this crate knows no runs, network or files. It converts a flow to the text of a file.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod langgraph;
pub mod ralph;
mod remark;

pub use remark::{Export, NotExported, Remark};
