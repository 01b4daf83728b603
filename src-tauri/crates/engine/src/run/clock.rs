//! The time of a run, and the amount of work that the current step has done.

use loopwright_model::meter::{self, Limit};

/// The limit of the computation in one step of the core: the expressions and variables between two iterations. Timers, events
/// and the cancellation of the run wait during a step, so the limit is well below a second of work.
const IN_A_STEP: Limit = Limit {
    work: 500_000 * meter::STEP,
    bytes: 64 * 1024 * 1024,
    too_much_work: "what is computed between two iterations takes more than 500,000 steps",
    too_many_bytes: "what is computed between two iterations reads and makes more than 64 MB",
};
/// The amount of work, in units of the meter, after which the next iteration begins in a new step.
const MUCH: u64 = IN_A_STEP.work / 8;

/// The time of a run. Every input carries it, because the core has no clock.
#[derive(Default)]
pub(super) struct Clock {
    /// The run's own time, in milliseconds since the Unix epoch. It stops while the run is suspended.
    pub(super) now: i64,
    pub(super) started_at: i64,
    /// The difference between the wall clock and the run's own time, in milliseconds.
    pub(super) suspended_ms: i64,
    /// The work that the thread's meter had counted when the step began.
    step_began: u64,
}

impl Clock {
    pub(super) fn begin_step(&mut self, now: i64) {
        self.now = now;
        self.step_began = meter::work();
    }

    /// Returns the run's own time since `since`, in milliseconds.
    pub(super) fn elapsed(&self, since: i64) -> u64 {
        u64::try_from(self.now.saturating_sub(since)).unwrap_or(0)
    }

    /// Returns the wall-clock time, in milliseconds since the Unix epoch.
    pub(super) fn wall(&self) -> i64 {
        self.now.saturating_add(self.suspended_ms)
    }

    /// Returns the remaining time of a limit that began at `since`, in milliseconds.
    pub(super) fn left(&self, limit: u64, since: i64) -> u64 {
        limit.saturating_sub(self.elapsed(since))
    }

    /// Returns whether this step has computed so much that other inputs should be processed first. The answer depends only on
    /// the run's inputs, so a rebuilt run makes the same decision.
    pub(super) fn has_computed_much(&self) -> bool {
        self.computed() > MUCH
    }

    fn computed(&self) -> u64 {
        meter::work().saturating_sub(self.step_began)
    }

    /// Runs a computation within the remaining part of the step's limit, and returns its result.
    pub(super) fn computing<T>(&self, computation: impl FnOnce() -> T) -> T {
        let left = Limit {
            work: IN_A_STEP.work.saturating_sub(self.computed()),
            ..IN_A_STEP
        };
        meter::within(left, computation)
    }
}
