//! A run's events on their way to the page. A message costs both processes a turn, whatever it holds, and a model may stream
//! thousands of pieces a second: so events that come within a few milliseconds travel together, in their order.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use loopwright_api::{App, Event, EventBody, RunStatus};
use loopwright_runs as runs;
use tauri::{async_runtime, ipc::Channel};
use tokio::time::sleep;

/// How long an event waits for others: less than a frame of the window.
const WAIT: Duration = Duration::from_millis(12);

/// As many are sent without waiting longer. About so many pieces of text fit into what the web view is handed at once
/// (8 KB); it has to fetch larger messages.
const MAX_BATCH: usize = 24;

/// Gathers values and sends them together.
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

    /// Takes a value. `true` where it is the first that waits: then somebody has to `flush` in a while.
    fn push(&self, value: T) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(value);
        if waiting.len() >= MAX_BATCH {
            // Under the lock, so that no later value can overtake these.
            (self.send)(mem::take(&mut *waiting));
            return false;
        }
        waiting.len() == 1
    }

    /// Sends what waits.
    fn flush(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.is_empty() {
            (self.send)(mem::take(&mut *waiting));
        }
    }
}

/// What a run tells its events to. A page that is gone or reloaded hears nothing; the run continues, and the journal has it
/// all. What the page got of a run's end counts as seen.
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
            // The store of a run knows it without the store's name.
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

/// The run that ends with this event, and how.
fn end(event: &Event) -> Option<(String, RunStatus)> {
    let status = match &event.body {
        EventBody::Completed { .. } => RunStatus::Completed,
        EventBody::Failed { status, .. } => *status,
        _ => return None,
    };
    Some((event.run_id.clone(), status))
}

/// Hands `events` over as they are made; all of them are sent when it returns.
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
        // Somebody is asked to send what waits once for each batch.
        assert_eq!(firsts, [0, MAX_BATCH, 2 * MAX_BATCH]);
        batches.flush();
        batches.flush();
        let sent = sent.lock().expect("no panic");
        let sizes: Vec<usize> = sent.iter().map(Vec::len).collect();
        assert_eq!(sizes, [MAX_BATCH, MAX_BATCH, 60 - 2 * MAX_BATCH]);
        assert!(sent.concat().into_iter().eq(0..60));
    }
}
