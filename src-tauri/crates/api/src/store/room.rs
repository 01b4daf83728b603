//! How much history is kept: beyond the limit the oldest runs go that are over.

use loopwright_engine::{
    event::RunStatus,
    journal::{JournalError, RunFilter},
};

use crate::{App, error::ApiError};

/// How many runs are looked at when room is made.
const BATCH: usize = 100;

impl App {
    /// Deletes the oldest runs that are over until the store keeps within the limit that the settings give. A run that can go
    /// on is never deleted. Gives how many went. Happens where a run ends or is imported, and not where the limit is set: a number
    /// that is being typed is smaller at first.
    pub fn make_room(&self) -> Result<u32, ApiError> {
        let Some(limit) = self.settings().history_limit_mb else {
            return Ok(0);
        };
        let limit = u64::from(limit) * 1_000_000;
        let journal = self.journal();
        let mut gone = 0;
        if journal.size()?.used <= limit {
            return Ok(gone);
        }
        let over = RunFilter {
            statuses: vec![
                RunStatus::Completed,
                RunStatus::Failed,
                RunStatus::Cancelled,
            ],
            ..RunFilter::default()
        };
        'more: loop {
            let count = usize::try_from(journal.tally(&over)?.runs).unwrap_or(usize::MAX);
            let oldest = journal.find(&over, BATCH, count.saturating_sub(BATCH))?;
            let before = gone;
            for (header, _) in oldest.iter().rev() {
                if journal.size()?.used <= limit {
                    break 'more;
                }
                // One that another program is just looking after, or has deleted, is left to it.
                match self.delete_run(&header.run_id) {
                    Ok(()) => gone += 1,
                    Err(error) => tracing::debug!("{} stays: {error}", header.run_id),
                }
            }
            if gone == before {
                break;
            }
        }
        if gone > 0 {
            match journal.compact() {
                // Another program writes; the pages are given back another time.
                Ok(()) | Err(JournalError::Busy(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(gone)
    }
}
