//! What happens to runs when the window closes.

use std::time::Duration;

use loopwright_api::App;
use loopwright_runs as runs;

/// The maximum time for which closing the window waits until all runs have recorded that they were stopped or detached.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum time for which closing the window waits until the programs that runs started have ended. Programs that need
/// longer are killed after the window is gone.
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
