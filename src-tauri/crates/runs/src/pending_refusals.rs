//! Permissions that this program's runs were refused and that are not yet written to the file of approvals.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Refusals that are not yet in the file of approvals, by flow.
#[derive(Default)]
pub(crate) struct PendingRefusals {
    items: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// Held while refusals are written. A thread that gets the lock can rely on this: all refusals that other threads
    /// removed from `items` are in the file.
    writing: Mutex<()>,
}

impl PendingRefusals {
    /// Adds items. Returns `true` if nothing was pending before.
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

    /// Takes the lock for writing refusals. Waits until other threads have written the refusals that they removed.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
