//! The common parts of the wire formats: the steps of a call, bounded reading, and error messages.
//!
//! A format is a [`format::Wire`]: it writes a request and reads events. Everything else is implemented here once, so that
//! every provider behaves in the same way: sending, size and time limits, fallbacks after a refusal, the single correction,
//! usage and its price.

mod asides;
mod body;
mod call;
pub(crate) mod client;
pub(crate) mod counts;
pub(crate) mod ends;
mod events;
mod failure;
pub(crate) mod format;
mod halves;
mod heard;
mod limits;
pub(crate) mod loose;
mod memory;
pub(crate) mod models;
mod numbers;
pub mod offline;
mod page;
mod provider;
mod read;
mod refusal;
mod remote;
pub(crate) mod reported;
mod said;
mod sending;
mod silence;
pub(crate) mod tool_uses;
mod usage;
mod wait;
pub(crate) mod without;

pub use format::Protocol;
pub use limits::Limits;
pub use remote::{Remote, RemoteConfig};
