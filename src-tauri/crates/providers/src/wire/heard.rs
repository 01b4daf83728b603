//! The time of an answer's last progress.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// The time of an answer's last progress: a part of the answer or of the model's reasoning arrived. Clones share it.
#[derive(Clone)]
pub(crate) struct Heard(Arc<Mutex<Instant>>);

impl Heard {
    /// Creates a value with the current time, for a call that is about to be sent.
    pub(crate) fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(super) fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(super) fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
