//! Counts the running programs, so that Loopwright can wait for their end before it exits.

use std::{sync::LazyLock, time::Duration};

use tokio::sync::watch;

/// The number of programs that are running or being ended.
static UNDER_WAY: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// Counts a program as running until this value is dropped.
pub(crate) struct Counted;

impl Counted {
    pub(crate) fn new() -> Self {
        UNDER_WAY.send_modify(|count| *count += 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        UNDER_WAY.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Waits up to `patience` until every program that was started and dropped has ended. Call this before Loopwright exits.
/// Processes that remain after that are ended by their supervisor.
pub async fn all_ended(patience: Duration) {
    let mut count = UNDER_WAY.subscribe();
    let _ = tokio::time::timeout(patience, count.wait_for(|count| *count == 0)).await;
}
