//! The handling of runs when the window closes.

use std::time::Duration;

use loopwright_api::App;
use loopwright_runs as runs;

/// The time that closing the window waits for runs to record that they were stopped.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The time that closing waits for programs started by runs to end. Programs that need longer are killed after the window is
/// gone.
const ENDING: Duration = Duration::from_secs(3);

/// Detaches all runs, so that they can be resumed at the next start.
pub(crate) async fn detach_runs(app: &App) {
    runs::detach_all(app.env(), CLOSE_TIMEOUT).await;
}

/// Stops all runs and the programs that they started.
pub(crate) async fn stop_runs(app: &App) {
    runs::stop_all(app.env(), CLOSE_TIMEOUT).await;
    loopwright_process::all_ended(ENDING).await;
}
