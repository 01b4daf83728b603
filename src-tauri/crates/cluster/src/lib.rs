//! Runs on several machines: the run store in PostgreSQL and the queue that hands runs to workers.
//!
//! Architecture Invariant: the records alone determine the state of a run. The program with the newest *epoch* of a run leads it,
//! and the store rejects writes of earlier leaders. The records of a run therefore stay intact even if the queue hands the run
//! out twice or late.

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

#[cfg(test)]
mod tests;

pub use batches::{Batch, BatchCounts, OutputLine};
pub use claims::{Claim, Taken, WorkerInfo};
pub use client::{Client, Submission, set_up};
pub use graphile::GraphileQueue;
pub use queue::{Advance, Job, Queue, QueueError, Serving};
pub use store::{Connection, PgStore};
pub use submit::{NewBatch, NewRun, run_id};
pub use worker::{TAKEOVER_AFTER, WorkerOptions, open, serve};
