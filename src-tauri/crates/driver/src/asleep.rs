//! Detects sleep of the computer. The driver tells its host when the computer should stay awake for a run, and the host
//! tells the driver when the computer slept anyway.

use std::{sync::Arc, time::Duration};

use loopwright_engine::session::Slept;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The time between two checks of whether the computer slept, if nothing else happens in the run.
const LOOK: Duration = Duration::from_secs(5);

/// A run without work in progress whose next timer fires later than this only waits.
pub(crate) const LONG_WAIT: Duration = Duration::from_secs(60);

/// Measures the time for which the computer slept.
pub trait SleepMeter: Send + Sync {
    /// Returns the sleep that has ended since the last call, or `None` if the computer was awake. This is called often, so
    /// it must be fast.
    fn slept(&self) -> Option<Slept>;
}

/// A function that is called with `true` when a run becomes active, and with `false` when it only waits for a person or for
/// a timer that fires in more than a minute. The driver calls it from its own task, so it must not block.
pub type ActivitySink = Arc<dyn Fn(bool) + Send + Sync>;

/// Returns the ticks at which the driver checks whether the computer slept.
pub(crate) fn looks() -> Interval {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks
}
