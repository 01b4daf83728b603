//! For tests of runs: a [`simulation`] that drives a run in one thread and virtual time, scripted models and tools, cases in
//! folders, random flows, and what is true of every run.
//!
//! Architecture Invariant: only tests use this crate. It needs no runtime; a test that has one is a [`Host`] of its own.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on ends with the place"
)]

pub mod case;
pub mod chance;
pub mod check;
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
    Entry, Event, Record,
    host::Services,
    journal::{Input, RunState},
    plan::Plan,
    run::Plans,
};
use serde_json::{Map, Value};

use people::People;

/// The clock's start in virtual time: 2026-01-01T00:00:00Z, in milliseconds since the Unix epoch.
pub const BEGAN: i64 = 1_767_225_600_000;

/// How long a run was suspended before it resumes, in milliseconds.
pub const PAUSE: i64 = 3_600_000;

/// The id of every run of a test.
pub const RUN: &str = "run";

/// When a person stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Never,
    /// After so many virtual milliseconds.
    After(u64),
    /// When the node of this path starts.
    At(String),
}

/// What a run left behind.
pub struct Done {
    pub state: RunState,
    pub records: Vec<Record>,
    pub events: Vec<Event>,
    /// Virtual milliseconds from the start to the end.
    pub took_ms: u64,
}

/// A run that is to be driven.
#[derive(Clone, Copy)]
pub struct Begin<'a> {
    pub plan: &'a Arc<Plan>,
    pub inputs: &'a Map<String, Value>,
    pub services: &'a Services,
    pub stop: &'a Stop,
    pub people: &'a People,
    /// Where these are it resumes behind them, an hour after the last one.
    pub records: Option<&'a [Record]>,
}

/// Waits for so long in the time of a host.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// Drives runs.
pub trait Host {
    /// How the world of its runs waits.
    fn sleep(&self) -> Sleep;

    /// Drives a run until it is over, or suspended and nobody answers. A run that hangs ends the test.
    fn run(&self, begin: Begin<'_>) -> Done;
}

/// The plans of a run of `plan` whose forks, where it has some among `records`, change nothing.
pub fn plans(plan: &Arc<Plan>, records: &[Record]) -> Plans {
    let forks = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::Input(Input::Forked { .. })));
    forks.fold(Plans::from(Arc::clone(plan)), |plans, _| {
        plans.then(Arc::clone(plan))
    })
}
