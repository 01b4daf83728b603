//! The delivery of a run's events to the page. Each message costs time in both processes, whatever its size, and a model may
//! stream thousands of pieces of text a second. Events within a few milliseconds are therefore sent together, in order.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use loopwright_api::{App, Event, EventBody, RunStatus};
use loopwright_runs as runs;
use tauri::{async_runtime, ipc::Channel};
use tokio::time::sleep;

/// How long an event waits at most to be sent together with others. This is shorter than a frame of the window.
const WAIT: Duration = Duration::from_millis(12);

/// When this many events are waiting, they are sent immediately. About as many pieces of text fit into the largest message that
/// the web view receives directly (8 KB). A larger message has to be fetched by the web view, which is slower.
const MAX_BATCH: usize = 24;

/// Collects values, so that several can be sent together.
struct Batches<T, F> {
    send: F,
    waiting: Mutex<Vec<T>>,
}

impl<T, F: Fn(Vec<T>)> Batches<T, F> {
    fn new(send: F) -> Self {
        Self {
            send,
            waiting: Mutex::new(Vec::new()),
        }
    }

    /// Adds a value. Returns `true` if no other value is waiting. The caller must then call `flush` after [`WAIT`].
    fn push(&self, value: T) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(value);
        if waiting.len() >= MAX_BATCH {
            // The lock is still held, so that no later value can be sent before these.
            (self.send)(mem::take(&mut *waiting));
            return false;
        }
        waiting.len() == 1
    }

    /// Sends the waiting values.
    fn flush(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.is_empty() {
            (self.send)(mem::take(&mut *waiting));
        }
    }
}

/// Returns the receiver of a run's events, which sends them to the page. If the page is gone or was reloaded, the run
/// continues, and its journal contains all events. Once the end of a run has been sent to the page, the run is marked as seen.
pub(crate) fn sink(
    app: &Arc<App>,
    channel: Channel<Vec<Event>>,
) -> Arc<dyn Fn(&Event) + Send + Sync> {
    let app = Arc::clone(app);
    let batches = Arc::new(Batches::new(move |events: Vec<Event>| {
        let end = events.last().and_then(end);
        if channel.send(events).is_ok()
            && let Some((run_id, status)) = end
        {
            // The page's id of a run may begin with the name of the store, but the store's own id does not.
            let run_id = run_id.rsplit('/').next().unwrap_or(&run_id);
            runs::mark_seen(app.env(), run_id, status);
        }
    }));
    Arc::new(move |event| {
        if batches.push(event.clone()) {
            let batches = Arc::clone(&batches);
            async_runtime::spawn(async move {
                sleep(WAIT).await;
                batches.flush();
            });
        }
    })
}

/// Returns the id and the status of the run if this event ends the run, otherwise `None`.
fn end(event: &Event) -> Option<(String, RunStatus)> {
    let status = match &event.body {
        EventBody::Completed { .. } => RunStatus::Completed,
        EventBody::Failed { status, .. } => *status,
        _ => return None,
    };
    Some((event.run_id.clone(), status))
}

/// Runs `make` and sends the events that it produces. When this function returns, all of them have been sent.
pub(crate) fn send_all<R>(
    channel: &Channel<Vec<Event>>,
    make: impl FnOnce(&mut dyn FnMut(&Event)) -> R,
) -> R {
    let batches = Batches::new(|events| drop(channel.send(events)));
    let made = make(&mut |event| {
        batches.push(event.clone());
    });
    batches.flush();
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sent_together_and_in_order() {
        let sent = Mutex::new(Vec::new());
        let batches =
            Batches::new(|values: Vec<usize>| sent.lock().expect("no panic").push(values));
        let firsts: Vec<usize> = (0..60).filter(|value| batches.push(*value)).collect();
        // Each batch needs one `flush`.
        assert_eq!(firsts, [0, MAX_BATCH, 2 * MAX_BATCH]);
        batches.flush();
        batches.flush();
        let sent = sent.lock().expect("no panic");
        let sizes: Vec<usize> = sent.iter().map(Vec::len).collect();
        assert_eq!(sizes, [MAX_BATCH, MAX_BATCH, 60 - 2 * MAX_BATCH]);
        assert!(sent.concat().into_iter().eq(0..60));
    }
}
