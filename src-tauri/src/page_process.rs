//! Supervision of the process that draws the page. That process can crash, be killed or hang; runs continue, because they are
//! not in it. If it ends, the page is loaded again and shows what the previous one showed. If the page does not answer, the
//! window can still be closed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use loopwright_api::App;
use tauri::{AppHandle, Manager, Runtime, WebviewWindow, WindowEvent, async_runtime};

#[cfg(target_os = "linux")]
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tokio::time::sleep;

use crate::closing::detach_runs;

/// If the page crashes again within this time, the user is asked before it is reloaded, because the cause may persist.
const CRASH_INTERVAL: Duration = Duration::from_secs(60);

/// The time that the page has to answer a request to close.
const CLOSE_ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// The state of the page, which the shell supervises.
#[derive(Default)]
pub(crate) struct PageProcess(Mutex<State>);

#[derive(Default)]
struct State {
    /// The view that the page shows, as the page last reported; `None` before its first report.
    view: Option<String>,
    /// Whether the page's process has crashed and no later page has reported this to the user yet.
    crashed: bool,
    last_crash: Option<Instant>,
    /// How many requests to close the page has answered.
    close_answers: u64,
}

/// The action to take after the page has crashed.
#[derive(Debug, PartialEq, Eq)]
enum AfterCrash {
    Reload,
    Ask,
}

impl PageProcess {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the view that the page shows. After a crash or reload, the next page shows the same view.
    pub(crate) fn keep_view(&self, view: String) {
        self.state().view = Some(view);
    }

    /// Returns what the previous page showed, and whether its process crashed. Returns `None` if no page has reported a view
    /// yet. The report of a crash is returned only once.
    pub(crate) fn restored_view(&self) -> Option<(String, bool)> {
        let mut state = self.state();
        let crashed = std::mem::take(&mut state.crashed);
        // The view stays stored. If the restored page crashes before it reports its own view, the next page can restore this
        // one again.
        state.view.clone().map(|view| (view, crashed))
    }

    pub(crate) fn answer_close(&self) {
        self.state().close_answers += 1;
    }

    fn close_answers(&self) -> u64 {
        self.state().close_answers
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn note_crash(&self, now: Instant) -> AfterCrash {
        let mut state = self.state();
        state.crashed = true;
        let before = state.last_crash.replace(now);
        match before.map(|at| now.duration_since(at)) {
            Some(since) if since < CRASH_INTERVAL => AfterCrash::Ask,
            _ => AfterCrash::Reload,
        }
    }
}

/// Watches the page of a window.
///
/// # Errors
/// Returns an error if the system's web view cannot be reached.
pub(crate) fn watch<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let closed = window.clone();
    window.on_window_event(move |event| {
        if matches!(event, WindowEvent::CloseRequested { .. }) {
            close_without_answer(closed.clone());
        }
    });
    watch_crashes(window)
}

/// Ends the program if the page does not answer the request to close. A page that has answered may take any length of time to
/// ask the user.
fn close_without_answer<R: Runtime>(window: WebviewWindow<R>) {
    let page = window.state::<PageProcess>();
    let before = page.close_answers();
    async_runtime::spawn(async move {
        sleep(CLOSE_ANSWER_TIMEOUT).await;
        if window.state::<PageProcess>().close_answers() == before {
            end_page(&window);
            leave(window.app_handle().clone()).await;
        }
    });
}

/// Ends the program without the page. Runs are detached and can be resumed, and drafts are kept.
async fn leave<R: Runtime>(handle: AppHandle<R>) {
    if let Some(app) = handle.try_state::<Arc<App>>() {
        detach_runs(&app).await;
    }
    handle.exit(0);
}

/// Ends the page's process, because a stopped or hanging process would outlive the window.
fn end_page<R: Runtime>(window: &WebviewWindow<R>) {
    #[cfg(target_os = "linux")]
    // An error means that the window is already gone.
    let _ = window.with_webview(|view| {
        webkit2gtk::WebViewExt::terminate_web_process(&view.inner());
    });
    #[cfg(not(target_os = "linux"))]
    let _ = window;
}

#[cfg(not(target_os = "linux"))]
fn watch_crashes<R: Runtime>(_: &WebviewWindow<R>) -> tauri::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn watch_crashes<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    use webkit2gtk::{WebProcessTerminationReason, WebViewExt as _};

    let watched = window.clone();
    window.with_webview(move |view| {
        view.inner()
            .connect_web_process_terminated(move |view, reason| {
                // This is not a crash: this program ended the process in order to close the window.
                if reason == WebProcessTerminationReason::TerminatedByApi {
                    return;
                }
                let what = match reason {
                    WebProcessTerminationReason::Crashed => "crashed",
                    WebProcessTerminationReason::ExceededMemoryLimit => "used too much memory",
                    _ => "ended unexpectedly",
                };
                eprintln!("The process that draws the window {what}.");
                match watched.state::<PageProcess>().note_crash(Instant::now()) {
                    AfterCrash::Reload => view.reload(),
                    AfterCrash::Ask => ask_after_crash(watched.clone()),
                }
            });
    })
}

/// Asks the user whether to reload the page or to close the program. Uses a system dialog, because the page cannot show one.
#[cfg(target_os = "linux")]
fn ask_after_crash<R: Runtime>(window: WebviewWindow<R>) {
    window
        .app_handle()
        .dialog()
        .message(
            "The process that draws the window ended twice within a minute. Runs continue, and unsaved changes are kept as drafts.\n\n\
             Reload the view, or close Loopwright. At the next start, Loopwright offers the drafts and the runs again. If the process ends again, start \
             Loopwright with LOOPWRIGHT_DRAWING=software, which does not use the graphics card.",
        )
        .title("The view crashed again")
        .kind(MessageDialogKind::Error)
        .buttons(MessageDialogButtons::OkCancelCustom(
            "Reload the view".to_owned(),
            "Close Loopwright".to_owned(),
        ))
        .show(move |reload| {
            if reload {
                if let Err(error) = window.reload() {
                    eprintln!("The view could not be reloaded: {error}. Restart Loopwright.");
                }
            } else {
                async_runtime::spawn(leave(window.app_handle().clone()));
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_crash_within_a_minute_is_asked_about() {
        let page = PageProcess::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(page.note_crash(at(0)), AfterCrash::Reload);
        assert_eq!(page.note_crash(at(59)), AfterCrash::Ask);
        assert_eq!(page.note_crash(at(100)), AfterCrash::Ask);
        assert_eq!(page.note_crash(at(160)), AfterCrash::Reload);
    }

    #[test]
    fn a_crash_is_told_once_and_the_view_stays() {
        let page = PageProcess::default();
        assert_eq!(page.restored_view(), None);
        page.keep_view("a".to_owned());
        page.keep_view("b".to_owned());
        page.note_crash(Instant::now());
        assert_eq!(page.restored_view(), Some(("b".to_owned(), true)));
        // This page was reloaded without a crash.
        assert_eq!(page.restored_view(), Some(("b".to_owned(), false)));
    }
}
