//! Test support for runs: a [`simulation`] that drives a run in one thread and virtual time, scripted models and tools, cases in
//! folders, random flows, and properties of every run.
//!
//! Architecture Invariant: only tests use this crate. This crate needs no async runtime; a test that has one implements [`Host`].

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends with the place"
)]

pub mod case;
pub mod chance;
pub mod check;
pub mod folders;
pub mod generate;
pub mod people;
pub mod postgres;
pub mod remember;
pub mod resumed;
pub mod scripted;
pub mod simulation;
pub mod sound;
pub mod sums;
pub mod trace;
pub mod world;

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use loopwright_engine::{
    Event,
    host::Services,
    journal::{Entry, Input, Record, RunState},
    plan::Plan,
    run::Plans,
};
use serde_json::{Map, Value};

use people::People;

/// The start of virtual time: 2026-01-01T00:00:00Z, in milliseconds since the Unix epoch.
pub const BEGAN: i64 = 1_767_225_600_000;

/// The time in milliseconds that a run is suspended before it resumes.
pub const PAUSE: i64 = 3_600_000;

/// The id of every run in tests.
pub const RUN: &str = "run";

/// The moment at which a person stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Never,
    /// The person stops the run after this many virtual milliseconds.
    After(u64),
    /// The person stops the run at the moment when the node with this path starts.
    At(String),
}

/// The result of a run.
pub struct Done {
    pub state: RunState,
    pub records: Vec<Record>,
    pub events: Vec<Event>,
    /// The virtual milliseconds from the start of the run to its end.
    pub took_ms: u64,
}

/// A run to drive.
#[derive(Clone, Copy)]
pub struct Begin<'a> {
    pub plan: &'a Arc<Plan>,
    pub inputs: &'a Map<String, Value>,
    pub services: &'a Services,
    pub stop: &'a Stop,
    pub people: &'a People,
    /// The records from which the run is resumed, an hour after the last record. `None` starts a new run.
    pub records: Option<&'a [Record]>,
}

/// A function that waits for a duration in the time of a host.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// An environment that drives runs.
pub trait Host {
    /// Returns the function with which the run's services wait.
    fn sleep(&self) -> Sleep;

    /// Drives a run until it is over, or until it is suspended and no scripted answer is left. Panics if the run hangs.
    fn run(&self, begin: Begin<'_>) -> Done;
}

/// Returns the plans of a run of `plan` with `records`. If the records contain forks, these use the same plan.
pub fn plans(plan: &Arc<Plan>, records: &[Record]) -> Plans {
    let forks = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::Input(Input::Forked { .. })));
    forks.fold(Plans::from(Arc::clone(plan)), |plans, _| {
        plans.then(Arc::clone(plan))
    })
}
