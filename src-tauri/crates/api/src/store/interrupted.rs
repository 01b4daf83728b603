//! Runs whose program ended unexpectedly: they are stored as running, and no program holds their lock.

use loopwright_engine::{
    Usage,
    event::RunStatus,
    host::Models as _,
    journal::{JournalError, RunFilter, Select},
};
use loopwright_model::{Flow, file};

use crate::{app::App, error::ApiError, model_nodes::request_of, progress::catch_up};

impl App {
    /// The usage of a call that the end of the program cut off, of a node that calls a model.
    fn cut_off_call(&self, flow: &Flow, id: &str) -> Option<Usage> {
        let node = flow.node(id)?;
        let kind = self.kinds().specs().of(node)?;
        if !kind.calls_model(&node.data) {
            return None;
        }
        let quote = self
            .provider_set()
            .map(|providers| providers.quote(&request_of(node, kind)));
        let is_free = quote.is_ok_and(|quote| quote.microusd == Some(0));
        Some(Usage::cut_off_call(is_free))
    }

    /// Marks runs that are stored as running, and that no program drives, as interrupted.
    pub(crate) fn mark_interrupted(&self) -> Result<(), ApiError> {
        if self.is_shared() {
            // A worker resumes them.
            return Ok(());
        }
        let running = RunFilter {
            statuses: vec![RunStatus::Running],
            ..RunFilter::default()
        };
        for (header, _) in self.journal().find(&running, usize::MAX, 0)? {
            if header.damage.is_some() || self.is_led(&header.run_id) {
                continue;
            }
            // Under its lock, for it may have been resumed, or have ended, since it was listed.
            let Ok(_lock) = self.lock_run(&header.run_id) else {
                continue;
            };
            match self.journal().run(&header.run_id) {
                Ok((whole, mut state)) if state.status == RunStatus::Running => {
                    // Where they cannot be read it is listed all the same, and says so when it is opened.
                    if let Ok(records) = self.journal().read(&header.run_id, Select::All) {
                        let flow = file::read_value(whole.document).ok();
                        catch_up(&mut state, &records, |node| {
                            self.cut_off_call(flow.as_ref()?, node)
                        });
                    }
                    state.status = RunStatus::Interrupted;
                    match self.journal().set_state(&header.run_id, &state) {
                        // It is listed as what it is all the same.
                        Ok(())
                        | Err(
                            JournalError::ReadOnly(_)
                            | JournalError::Full
                            | JournalError::DamagedRun { .. },
                        ) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(_) | Err(JournalError::NoRun(_) | JournalError::DamagedRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
