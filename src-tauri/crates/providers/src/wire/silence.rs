//! Tells whoever looks on that an answer does not move, and for how long it is waited for.

use std::{future::Future, pin::pin, time::Duration};

use loopwright_engine::host::TokenSink;
use tokio::time::{Instant, timeout_at};

use super::failure::Server;

/// A silence is told when it has lasted so long, and again after each further such time.
const TOLD_AFTER: Duration = Duration::from_secs(15);

/// While a silence is shown, how often is looked whether it is over: a thought ends it without a word.
const LOOKED_AFTER: Duration = Duration::from_secs(1);

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

impl Server {
    /// For how long a silence that began at `since` is waited for: by then a line must have come, or a part of the answer where only
    /// pings come.
    fn patience(&self, since: Instant) -> Duration {
        let limit = if since.elapsed() < self.limits.idle {
            self.limits.idle
        } else {
            self.limits.progress
        };
        limit.min(self.until.saturating_duration_since(since))
    }
}

/// Waits for an answer, and tells the silences in it.
pub(super) async fn telling_silence<T>(
    server: &Server,
    tokens: &TokenSink,
    answer: impl Future<Output = T>,
) -> T {
    if !tokens.is_heard() {
        return answer.await;
    }
    let mut answer = pin!(answer);
    // The beginning of the silence that is shown.
    let mut shown: Option<Instant> = None;
    let mut next = TOLD_AFTER;
    loop {
        let last = server.heard.last();
        if shown.is_some_and(|since| since != last) {
            shown = None;
            next = TOLD_AFTER;
            tokens.silent(0, millis(server.patience(last)));
        }
        if shown.is_none() {
            next = TOLD_AFTER;
        }
        let look = match shown {
            Some(_) => (Instant::now() + LOOKED_AFTER).min(last + next),
            None => last + next,
        };
        if let Ok(answer) = timeout_at(look, &mut answer).await {
            return answer;
        }
        if server.heard.last() == last && last.elapsed() >= next {
            tokens.silent(millis(last.elapsed()), millis(server.patience(last)));
            shown = Some(last);
            next += TOLD_AFTER;
        }
    }
}
