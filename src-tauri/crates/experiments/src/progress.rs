//! The progress of an experiment, reported at most ten times a second.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use loopwright_evaluation::result::{CellResult, CellStatus};

use super::dto::{ExperimentProgress, ExperimentStatus};

/// A function called with each update. It must not block.
pub type ProgressSink = Arc<dyn Fn(ExperimentProgress) + Send + Sync>;

const INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct Progress {
    id: String,
    total: u32,
    sink: ProgressSink,
    state: Mutex<State>,
}

struct State {
    begun: Instant,
    told: Option<Instant>,
    /// The number of cells that this process finished. The speed is computed from these cells alone.
    ended_here: u32,
    done: u32,
    failed: u32,
    scoring: u32,
    microusd: u64,
    finished: Vec<CellResult>,
}

impl Progress {
    pub(super) fn new(
        id: &str,
        total: u32,
        done: u32,
        failed: u32,
        microusd: u64,
        sink: ProgressSink,
    ) -> Self {
        Self {
            id: id.to_owned(),
            total,
            sink,
            state: Mutex::new(State {
                begun: Instant::now(),
                told: None,
                ended_here: 0,
                done,
                failed,
                scoring: 0,
                microusd,
                finished: Vec::new(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of finished cells, and how many of them failed.
    pub(super) fn counts(&self) -> (u32, u32) {
        let state = self.state();
        (state.done, state.failed)
    }

    pub(super) fn scoring(&self, change: i32) {
        let mut state = self.state();
        state.scoring = state.scoring.saturating_add_signed(change);
    }

    pub(super) fn ended(&self, result: CellResult, microusd: u64) {
        {
            let mut state = self.state();
            state.microusd = microusd;
            if result.status != CellStatus::OverBudget {
                state.done += 1;
                state.ended_here += 1;
            }
            if result.status == CellStatus::Failed {
                state.failed += 1;
            }
            state.finished.push(CellResult {
                iterations: Vec::new(),
                ..result
            });
            if state.told.is_some_and(|told| told.elapsed() < INTERVAL) {
                return;
            }
        }
        self.tell(ExperimentStatus::Running);
    }

    /// Reports the current progress.
    pub(super) fn tell(&self, status: ExperimentStatus) {
        let progress = {
            let mut state = self.state();
            state.told = Some(Instant::now());
            let seconds = state.begun.elapsed().as_secs_f64().max(1e-3);
            let per_second = f64::from(state.ended_here) / seconds;
            let left = self.total.saturating_sub(state.done);
            ExperimentProgress {
                id: self.id.clone(),
                done: state.done,
                total: self.total,
                failed: state.failed,
                cost_usd: state.microusd as f64 / 1e6,
                per_second,
                seconds_left: (per_second > 0.0).then(|| f64::from(left) / per_second),
                finished: std::mem::take(&mut state.finished),
                status,
                scoring: state.scoring,
            }
        };
        (self.sink)(progress);
    }
}
