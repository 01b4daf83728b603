//! Commands by which the page reports its state to the shell, so that the page can be restored after a crash or reload.

use serde::Serialize;
use specta::Type;
use tauri::{State, ipc::Channel};

use super::SharedAttention;
use crate::{attention::AttentionMessage, page_process::PageProcess};

/// The view that the previous page showed, and whether that page crashed.
#[derive(Debug, Serialize, Type)]
pub(crate) struct RestoredView {
    /// The value that the page passed to `keep_view`.
    view: String,
    /// Whether the page's process ended unexpectedly. False if the page was reloaded.
    crashed: bool,
}

/// Stores the view that the page shows. After a crash or reload, the next page shows the same view.
#[tauri::command]
#[specta::specta]
pub(crate) fn keep_view(page: State<'_, PageProcess>, view: String) {
    page.keep_view(view);
}

/// Returns the view that the previous page showed, or `null` for the first page of the window.
#[tauri::command]
#[specta::specta]
pub(crate) fn restored_view(page: State<'_, PageProcess>) -> Option<RestoredView> {
    let (view, crashed) = page.restored_view()?;
    Some(RestoredView { view, crashed })
}

/// Reports that the page handles a request to close the window. Without this report, the shell closes the window itself after a
/// few seconds.
#[tauri::command]
#[specta::specta]
pub(crate) fn answer_close(page: State<'_, PageProcess>) {
    page.answer_close();
}

/// Sends the state of unattended runs, immediately and after each change: whether the computer is kept awake, and if not, why.
/// Also sends the run whose notification the user clicked.
#[tauri::command]
#[specta::specta]
pub(crate) fn watch_attention(attention: SharedAttention<'_>, messages: Channel<AttentionMessage>) {
    attention.tell_page(messages);
}
