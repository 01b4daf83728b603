//! Plans a flow and runs it. A pure core ([`run`]) decides the next step, and a driver executes it; the crate `driver` has
//! the driver for tokio.
//!
//! Architecture Invariant: the engine never names a node kind; it matches on a kind's shape. The core knows no clock, no
//! randomness and no I/O, and the crate needs no async runtime. Only a driver knows its environment. A call receives its
//! context as a value ([`NodeContext`], [`host::ModelContext`], [`host::ToolContext`]), never through state of its thread or
//! task.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
pub mod budget;
pub mod calls;
mod cancel;
pub mod compute;
pub mod costs;
pub mod duration;
mod effective;
pub mod event;
mod exit;
pub mod host;
pub mod jitter;
pub mod journal;
pub mod kept;
pub mod kind;
pub mod named;
pub mod outcome;
pub mod plan;
pub mod price;
pub mod printed;
pub mod question;
pub mod quota;
pub mod reading;
pub mod redact;
pub mod resources;
pub mod run;
pub mod session;
pub mod similarity;
mod skip_cause;
pub mod spending;
mod status;
mod tickets;
pub mod transcript;
pub mod trust;
mod warning;

pub use answer::{Answer, AnswerScope, Expiry, TimeToAnswer};
pub use cancel::CancellationToken;
pub use compute::{computations_under_way, compute};
pub use event::{Event, EventBody};
pub use exit::{ExitChoice, ExitCondition, ExitFamily, ExitNeed, ExitReason, ExitReasonInfo};
pub use kind::{ApprovalPolicy, Execute, Kind, KindSet, NodeContext, NodeInput, Step, ToolCall};
pub use outcome::{Checked, ErrorClass, NodeError, Outcome, Trace, Usage};
pub use plan::{LoopConfig, ScopeConfig};
pub use skip_cause::SkipCause;
pub use status::RunStatus;
pub use warning::Warning;
