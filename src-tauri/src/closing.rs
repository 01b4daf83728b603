//! What happens to runs when the window closes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loopwright_api::App;
use loopwright_runs as runs;
use tauri::{AppHandle, Manager as _, async_runtime};

/// The maximum time for which closing the window waits until all runs have recorded that they were stopped or detached.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum time for which closing the window waits until the programs that runs started have ended. Programs that need
/// longer are killed after the window is gone.
const ENDING: Duration = Duration::from_secs(3);

/// Whether the program stays without a window until its runs are over.
#[derive(Default)]
pub(crate) struct Background(AtomicBool);

impl Background {
    /// Lets the program stay when its window closes.
    pub(crate) fn stay(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stays(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends the program when its last run has ended or is suspended, unless a window was opened meanwhile.
pub(crate) fn end_after_runs(app: Arc<App>, handle: AppHandle) {
    async_runtime::spawn(async move {
        runs::all_over(app.env()).await;
        // Programs that runs started may still write their last files.
        loopwright_process::all_ended(ENDING).await;
        if handle.webview_windows().is_empty() {
            handle.exit(0);
        }
    });
}

/// Detaches all runs, so that they can be resumed at the next start.
pub(crate) async fn detach_runs(app: &App) {
    runs::detach_all(app.env(), CLOSE_TIMEOUT).await;
}

/// Stops all runs and the programs that they started.
pub(crate) async fn stop_runs(app: &App) {
    runs::stop_all(app.env(), CLOSE_TIMEOUT).await;
    loopwright_process::all_ended(ENDING).await;
}
