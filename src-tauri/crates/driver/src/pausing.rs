//! What a person wants of a run that is under way: that it pauses or continues, and that a call is made once more.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Debug, Default)]
struct Wanted {
    paused: bool,
    /// Where a call is to be made once more: paths of nodes.
    again: Vec<String>,
}

/// Paused or not; clones are one switch.
#[derive(Debug, Clone)]
pub struct PauseSwitch(Arc<watch::Sender<Wanted>>);

/// Hears of changes.
pub(crate) struct Changes(watch::Receiver<Wanted>);

impl Default for PauseSwitch {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Wanted::default())))
    }
}

impl Changes {
    pub(crate) async fn changed(&mut self) -> Result<(), watch::error::RecvError> {
        self.0.changed().await
    }
}

impl PauseSwitch {
    /// What is under way ends, and nothing is started.
    pub fn pause(&self) {
        self.0.send_modify(|wanted| wanted.paused = true);
    }

    /// Continues a run that is not suspended yet; one that is suspended must be resumed.
    pub fn unpause(&self) {
        self.0.send_modify(|wanted| wanted.paused = false);
    }

    pub fn is_paused(&self) -> bool {
        self.0.borrow().paused
    }

    /// Lets the node at this path make its call once more, instead of waiting for its answer on.
    pub fn ask_again(&self, path: String) {
        self.0.send_modify(|wanted| wanted.again.push(path));
    }

    /// Whether the run is to be paused, and the paths at which a call was asked for once more since this was last called.
    pub(crate) fn take(&self) -> (bool, Vec<String>) {
        let mut again = Vec::new();
        // Nobody needs to hear that they were taken.
        self.0.send_if_modified(|wanted| {
            again = std::mem::take(&mut wanted.again);
            false
        });
        (self.is_paused(), again)
    }

    pub(crate) fn changes(&self) -> Changes {
        let mut changes = self.0.subscribe();
        // Paused before it began is a change as well.
        if self.is_paused() {
            changes.mark_changed();
        }
        Changes(changes)
    }
}
