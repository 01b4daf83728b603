//! The timers of one run. Timers that are due at the same time fire in the order of [`Timer`].

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
    /// The total time of the waits that were skipped. The clock of these timers is ahead of the real clock by this amount.
    ahead: Duration,
}

impl Timers {
    /// Starts a timer that fires after `after_ms` milliseconds. A running timer is restarted.
    pub(crate) fn start(&mut self, timer: Timer, after_ms: u64) {
        self.stop(timer);
        let now = self.now();
        // A time beyond the range of the clock never arrives.
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

    /// Makes a timer fire `by_ms` milliseconds earlier, or at once if it would then already be due.
    pub(crate) fn hasten(&mut self, timer: Timer, by_ms: u64) {
        let Some(&due) = self.by_name.get(&timer) else {
            return;
        };
        let left = due.saturating_duration_since(self.now());
        let left = left.saturating_sub(Duration::from_millis(by_ms));
        self.start(timer, u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
    }

    /// Of the timers for which `counts` returns true, finds the next one to fire. Returns the time until then, or `None` if no
    /// such timer is running.
    pub(crate) fn until_next(&self, counts: impl Fn(Timer) -> bool) -> Option<Duration> {
        let (due, _) = self.due.iter().find(|(_, timer)| counts(*timer))?;
        Some(due.saturating_duration_since(self.now()))
    }

    fn now(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.ahead).unwrap_or(now)
    }

    /// Waits for the next timer and returns it. If `skips` is true, the wait is skipped and the clock is advanced. Waits
    /// forever if no timer is running. The future may be dropped at any time.
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
