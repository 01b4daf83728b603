//! Exports flows as programs for other systems. The result is either an exact program or the reasons why the flow cannot be
//! exported.
//!
//! Architecture Invariant: this crate knows no runs, network or files. A document comes in; the text of a program goes out.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod langgraph;
pub mod ralph;
mod remark;

pub use remark::{Export, NotExported, Remark};
