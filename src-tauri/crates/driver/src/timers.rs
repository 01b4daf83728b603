//! The timers of one run. Those that are over together fire in the order of their names.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use loopwright_engine::session::Timer;
use tokio::time::{Instant, sleep_until};

#[derive(Default)]
pub(crate) struct Timers {
    due: BTreeSet<(Instant, Timer)>,
    by_name: BTreeMap<Timer, Instant>,
    /// What was skipped: so much later it is here than it is.
    ahead: Duration,
}

impl Timers {
    /// Lets a timer fire after so many milliseconds; one that is running starts again.
    pub(crate) fn start(&mut self, timer: Timer, after_ms: u64) {
        self.stop(timer);
        let now = self.now();
        // What is further away than time can be counted never comes.
        if let Some(due) = now.checked_add(Duration::from_millis(after_ms)) {
            self.due.insert((due, timer));
            self.by_name.insert(timer, due);
        }
    }

    pub(crate) fn stop(&mut self, timer: Timer) {
        if let Some(due) = self.by_name.remove(&timer) {
            self.due.remove(&(due, timer));
        }
    }

    /// How long it is until the next one fires; `None` where none runs.
    pub(crate) fn until_next(&self) -> Option<Duration> {
        let (due, _) = self.due.first()?;
        Some(due.saturating_duration_since(self.now()))
    }

    fn now(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.ahead).unwrap_or(now)
    }

    /// The next timer that fires, when it does, or at once where the time until then is skipped. It can be dropped and asked for again
    /// at any time.
    pub(crate) async fn next(&mut self, skips: bool) -> Timer {
        let Some(&(due, timer)) = self.due.first() else {
            return std::future::pending().await;
        };
        if skips {
            self.ahead += due.saturating_duration_since(self.now());
        }
        sleep_until(due.checked_sub(self.ahead).unwrap_or(due)).await;
        self.stop(timer);
        timer
    }
}
