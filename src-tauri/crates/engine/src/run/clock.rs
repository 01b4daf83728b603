//! The time of a run, and how much the present step has computed.

use loopwright_model::meter::{self, Limit};

/// What the core computes in one step: the expressions and variables between two iterations. It computes where the run's
/// clock, its events and its cancel are waited for, so this is well below a second.
const IN_A_STEP: Limit = Limit {
    work: 500_000 * meter::STEP,
    bytes: 64 * 1024 * 1024,
    too_much_work: "what is computed between two iterations takes more than 500,000 steps",
    too_many_bytes: "what is computed between two iterations reads and makes more than 64 MB",
};
/// A step that has computed this much begins the next iteration in a step of its own.
const MUCH: u64 = IN_A_STEP.work / 8;

/// Time comes in with every input; the core has no clock of its own.
#[derive(Default)]
pub(super) struct Clock {
    /// The run's own time, which stops while nothing runs, in milliseconds since the Unix epoch.
    pub(super) now: i64,
    pub(super) started_at: i64,
    /// How far the clock is ahead of the run's own time, in milliseconds.
    pub(super) suspended_ms: i64,
    /// What the thread's meter showed when the step began.
    step_began: u64,
}

impl Clock {
    pub(super) fn begin_step(&mut self, now: i64) {
        self.now = now;
        self.step_began = meter::work();
    }

    /// The run's own time since `since`, in milliseconds.
    pub(super) fn elapsed(&self, since: i64) -> u64 {
        u64::try_from(self.now.saturating_sub(since)).unwrap_or(0)
    }

    /// The time that a clock shows, in milliseconds since the Unix epoch.
    pub(super) fn wall(&self) -> i64 {
        self.now.saturating_add(self.suspended_ms)
    }

    /// What is left at present of a limit that began at `since`, in milliseconds.
    pub(super) fn left(&self, limit: u64, since: i64) -> u64 {
        limit.saturating_sub(self.elapsed(since))
    }

    /// Whether this step has computed for so long that others should have their turn. It depends on the
    /// run's inputs alone, so that a rebuilt run decides the same.
    pub(super) fn has_computed_much(&self) -> bool {
        self.computed() > MUCH
    }

    fn computed(&self) -> u64 {
        meter::work().saturating_sub(self.step_began)
    }

    /// Computes within what is left of the step's share.
    pub(super) fn computing<T>(&self, computation: impl FnOnce() -> T) -> T {
        let left = Limit {
            work: IN_A_STEP.work.saturating_sub(self.computed()),
            ..IN_A_STEP
        };
        meter::within(left, computation)
    }
}
