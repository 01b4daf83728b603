//! Detects when the computer sleeps. The driver tells its host when the computer should stay awake for a run, and the host
//! tells the driver when the computer slept nevertheless.

use std::{sync::Arc, time::Duration};

use loopwright_engine::session::Slept;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The interval at which the driver checks whether the computer slept, if nothing else happens in the run.
const LOOK: Duration = Duration::from_secs(5);

/// If a run has no work in progress and its next timer fires later than this, the run counts as only waiting.
pub(crate) const LONG_WAIT: Duration = Duration::from_secs(60);

/// Measures the time for which the computer slept.
pub trait SleepMeter: Send + Sync {
    /// Returns the period of sleep that ended since the last call, or `None` if the computer was awake. The driver calls this
    /// often, so it must be fast.
    fn slept(&self) -> Option<Slept>;
}

/// A function that the driver calls with `true` when a run becomes active, and with `false` when the run only waits for a
/// person or for a timer that fires in more than a minute. The driver calls it from its own task, so it must not block.
pub type ActivitySink = Arc<dyn Fn(bool) + Send + Sync>;

/// Returns an interval that ticks when the driver should check whether the computer slept.
pub(crate) fn looks() -> Interval {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks
}
