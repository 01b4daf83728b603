//! What runs of this program were refused and is not written down yet.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What runs were refused and is not in the file of approvals yet, by flow.
#[derive(Default)]
pub(crate) struct PendingRefusals {
    items: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// Held while they are written, so that whoever waits for them waits for all.
    writing: Mutex<()>,
}

impl PendingRefusals {
    /// Adds items. Gives whether nothing was pending before.
    pub(crate) fn add(&self, flow: &str, items: &[String]) -> bool {
        let mut pending = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let first = pending.is_empty();
        pending
            .entry(flow.to_owned())
            .or_default()
            .extend(items.iter().cloned());
        first
    }

    pub(crate) fn take(&self) -> BTreeMap<String, BTreeSet<String>> {
        std::mem::take(&mut *self.items.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Held while they are written, so that whoever waits for them waits for all.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
