//! The user's requests to a run in progress: to pause, to continue, or to repeat a model call.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Debug, Default)]
struct Wanted {
    paused: bool,
    /// The paths of the nodes that should repeat their call.
    again: Vec<String>,
}

/// A switch that pauses a run. Clones share one state.
#[derive(Debug, Clone)]
pub struct PauseSwitch(Arc<watch::Sender<Wanted>>);

/// The driver's receiver of changes to the switch.
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
    /// Pauses the run: running nodes finish, and no new ones start.
    pub fn pause(&self) {
        self.0.send_modify(|wanted| wanted.paused = true);
    }

    /// Continues a run that is paused but not suspended yet. A suspended run must be resumed.
    pub fn unpause(&self) {
        self.0.send_modify(|wanted| wanted.paused = false);
    }

    pub fn is_paused(&self) -> bool {
        self.0.borrow().paused
    }

    /// Requests that the node at this path repeat its call instead of waiting for the answer.
    pub fn ask_again(&self, path: String) {
        self.0.send_modify(|wanted| wanted.again.push(path));
    }

    /// Returns whether the run should pause, and the paths of the calls to repeat that were requested since the last call of
    /// this function.
    pub(crate) fn take(&self) -> (bool, Vec<String>) {
        let mut again = Vec::new();
        // `false`: the driver need not be notified when the paths are removed.
        self.0.send_if_modified(|wanted| {
            again = std::mem::take(&mut wanted.again);
            false
        });
        (self.is_paused(), again)
    }

    pub(crate) fn changes(&self) -> Changes {
        let mut changes = self.0.subscribe();
        // A pause before the run began counts as a change.
        if self.is_paused() {
            changes.mark_changed();
        }
        Changes(changes)
    }
}
