//! What a driver and its host tell each other so that the computer stays awake for a run, and so that the run knows when the
//! computer slept anyway.

use std::{sync::Arc, time::Duration};

use loopwright_engine::session::Slept;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The time between two looks whether the computer slept, if nothing else happens in the run.
const LOOK: Duration = Duration::from_secs(5);

/// A run without work in progress whose next timer fires later than this only waits.
pub(crate) const LONG_WAIT: Duration = Duration::from_secs(60);

/// Measures the time in which the computer slept.
pub trait SleepMeter: Send + Sync {
    /// Returns the sleep that is over since the last call; `None` if the computer was awake. Called often, so it must be quick.
    fn slept(&self) -> Option<Slept>;
}

/// A function that learns when a run becomes active (`true`), and when it only waits for a person or for a timer that fires in
/// more than a minute (`false`). The driver calls it from its own task, so it must not block.
pub type ActivitySink = Arc<dyn Fn(bool) + Send + Sync>;

/// Returns the ticks at which the driver looks whether the computer slept.
pub(crate) fn looks() -> Interval {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks
}
