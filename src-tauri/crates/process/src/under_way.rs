//! Counts the running programs, so that the end of Loopwright can wait for theirs.

use std::{sync::LazyLock, time::Duration};

use tokio::sync::watch;

/// The number of programs that are running or being ended.
static UNDER_WAY: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// One counted program.
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

/// Waits up to `patience` until every program that was started and dropped has ended. Use it at the end of Loopwright
/// itself: a supervisor ends what is left.
pub async fn all_ended(patience: Duration) {
    let mut count = UNDER_WAY.subscribe();
    let _ = tokio::time::timeout(patience, count.wait_for(|count| *count == 0)).await;
}
