//! How many programs are under way, so that the end of Loopwright can wait for theirs.

use std::{sync::LazyLock, time::Duration};

use tokio::sync::watch;

/// How many programs are under way or being ended.
static UNDER_WAY: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// One of them.
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

/// Waits until every program has ended that was started and dropped, `patience` at most. For the end of Loopwright itself: what
/// is left then is ended by its supervisor.
pub async fn all_ended(patience: Duration) {
    let mut count = UNDER_WAY.subscribe();
    let _ = tokio::time::timeout(patience, count.wait_for(|count| *count == 0)).await;
}
