//! Reports to the user that an answer makes no progress, and how long the call will continue to wait.

use std::{future::Future, pin::pin, time::Duration};

use loopwright_engine::host::TokenSink;
use tokio::time::{Instant, timeout_at};

use super::failure::Server;

/// The length of a silence before it is first reported, and the interval of further reports.
const TOLD_AFTER: Duration = Duration::from_secs(15);

/// The interval at which a reported silence is checked. Reasoning ends a silence but sends nothing to the token sink, so
/// only this check notices it.
const LOOKED_AFTER: Duration = Duration::from_secs(1);

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

impl Server {
    /// Returns how long a silence that began at `since` may last. Within that time a line must arrive or, if only pings
    /// arrive, a part of the answer.
    fn patience(&self, since: Instant) -> Duration {
        let limit = if since.elapsed() < self.limits.idle {
            self.limits.idle
        } else {
            self.limits.progress
        };
        limit.min(self.until.saturating_duration_since(since))
    }
}

/// Waits for an answer, and reports silences in the meantime.
pub(super) async fn telling_silence<T>(
    server: &Server,
    tokens: &TokenSink,
    answer: impl Future<Output = T>,
) -> T {
    if !tokens.is_heard() {
        return answer.await;
    }
    let mut answer = pin!(answer);
    // The start of the silence that was last reported.
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
