//! What happens to runs when the window closes.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loopwright_api::App;
use loopwright_attention::{Tray, TrayAnswer, TrayPicture};
use loopwright_runs as runs;
use tauri::{AppHandle, Manager as _, async_runtime};

/// The maximum time for which closing the window waits until all runs have recorded that they were stopped or detached.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum time for which closing the window waits for the programs of runs to end. Programs that take longer are killed
/// after the window has closed.
const ENDING: Duration = Duration::from_secs(3);

/// Whether the program continues without a window until its runs are over, and its icon in the tray meanwhile.
#[derive(Default)]
pub(crate) struct Background {
    stays: AtomicBool,
    tray: Mutex<Option<Tray>>,
}

impl Background {
    /// Makes the program continue when its window closes.
    pub(crate) fn stay(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stays(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    /// Removes the icon from the tray.
    pub(crate) fn hide_tray(&self) {
        self.set_tray(None);
    }

    fn set_tray(&self, tray: Option<Tray>) {
        *self.tray.lock().unwrap_or_else(PoisonError::into_inner) = tray;
    }

    /// Shows this number of active runs at the icon. Returns false if there is no icon.
    fn set_runs(&self, runs: usize) -> bool {
        let tray = self.tray.lock().unwrap_or_else(PoisonError::into_inner);
        tray.as_ref().inspect(|tray| tray.set_runs(runs)).is_some()
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

/// Shows an icon in the tray until the program has a window again or ends. `open` opens the window.
pub(crate) fn show_tray(app: &Arc<App>, handle: &AppHandle, open: fn(&AppHandle)) {
    let icon = tauri::include_image!("icons/32x32.png");
    let picture = TrayPicture {
        width: icon.width(),
        height: icon.height(),
        rgba: icon.rgba().to_vec(),
    };
    let mut active = app.env().active_runs();
    let runs = *active.borrow_and_update();
    let (answered, shell) = (Arc::clone(app), handle.clone());
    let tray = Tray::show(&picture, runs, move |answer| match answer {
        TrayAnswer::Open => open(&shell),
        // The program ends when its last run is suspended.
        TrayAnswer::Pause => runs::pause_all(answered.env()),
        // Every run is stopped before the program ends.
        TrayAnswer::Stop => shell.exit(0),
    });
    handle.state::<Background>().set_tray(Some(tray));
    let handle = handle.clone();
    async_runtime::spawn(async move {
        while active.changed().await.is_ok() {
            let runs = *active.borrow_and_update();
            if !handle.state::<Background>().set_runs(runs) {
                break;
            }
        }
    });
}

/// Detaches all runs, so that they can be resumed at the next start. Waits at most [`CLOSE_TIMEOUT`].
pub(crate) async fn detach_runs(app: &App) {
    runs::note_left_runs(app.env());
    runs::detach_all(app.env(), CLOSE_TIMEOUT).await;
}

/// Stops all runs and the programs that they started. Waits at most [`CLOSE_TIMEOUT`] and then [`ENDING`].
pub(crate) async fn stop_runs(app: &App) {
    runs::stop_all(app.env(), CLOSE_TIMEOUT).await;
    loopwright_process::all_ended(ENDING).await;
}
