//! The switch by which a person pauses a run and lets it continue.

use std::sync::Arc;

use tokio::sync::watch;

/// Paused or not; clones are one switch.
#[derive(Debug, Clone)]
pub struct PauseSwitch(Arc<watch::Sender<bool>>);

impl Default for PauseSwitch {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl PauseSwitch {
    /// What is under way ends, and nothing is started.
    pub fn pause(&self) {
        self.0.send_replace(true);
    }

    /// Continues a run that is not suspended yet; one that is suspended must be resumed.
    pub fn unpause(&self) {
        self.0.send_replace(false);
    }

    pub fn is_paused(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) fn changes(&self) -> watch::Receiver<bool> {
        let mut changes = self.0.subscribe();
        // Paused before it began is a change as well.
        if self.is_paused() {
            changes.mark_changed();
        }
        changes
    }
}
