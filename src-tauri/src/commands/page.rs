//! What the page tells the shell about itself, so that another page can take its place.

use serde::Serialize;
use specta::Type;
use tauri::State;

use crate::page_process::PageProcess;

/// What the page before this one showed.
#[derive(Debug, Serialize, Type)]
pub(crate) struct RestoredView {
    /// As that page wrote it with `keep_view`.
    view: String,
    /// Its process ended unexpectedly; else it was reloaded.
    crashed: bool,
}

/// Remembers what the page shows, for a page that is loaded in its place.
#[tauri::command]
#[specta::specta]
pub(crate) fn keep_view(page: State<'_, PageProcess>, view: String) {
    page.keep_view(view);
}

/// What the page before this one showed; `null` for the first page of the window.
#[tauri::command]
#[specta::specta]
pub(crate) fn restored_view(page: State<'_, PageProcess>) -> Option<RestoredView> {
    let (view, crashed) = page.restored_view()?;
    Some(RestoredView { view, crashed })
}

/// Answers a request to close. Without an answer the shell closes the window itself after a few seconds.
#[tauri::command]
#[specta::specta]
pub(crate) fn answer_close(page: State<'_, PageProcess>) {
    page.answer_close();
}
