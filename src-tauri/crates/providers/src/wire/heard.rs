//! When an answer moved last.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// When an answer moved last: a part of it came, or of the model's reasoning. Clones are one.
#[derive(Clone)]
pub(crate) struct Heard(Arc<Mutex<Instant>>);

impl Heard {
    /// Of a call that is sent now.
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
