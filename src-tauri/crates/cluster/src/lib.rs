//! More than one machine: runs in PostgreSQL, and the queue that hands them to workers.
//!
//! Architecture Invariant: records are the truth. A run is led by whoever holds its newest *epoch*; nothing that an earlier
//! leader writes is taken. So the queue may hand a run out twice, or late, and no record is wrong for it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batches;
mod claims;
mod client;
mod controls;
mod graphile;
mod queue;
mod store;
mod submit;
mod worker;

pub use batches::{Batch, BatchCounts, OutputLine};
pub use claims::{Claim, Taken, WorkerInfo};
pub use client::{Client, Submission, set_up};
pub use graphile::GraphileQueue;
pub use loopwright_api::ApprovalPolicy;
pub use loopwright_runs::Control;
pub use queue::{Advance, Job, Queue, QueueError, Serving};
pub use store::{Connection, PgStore};
pub use submit::{NewBatch, NewRun, run_id};
pub use worker::{TAKEOVER_AFTER, WorkerOptions, open, serve};
