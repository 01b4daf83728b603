//! The only window, which shows only the built-in pages. If text in a flow or in a model's answer were interpreted as markup or
//! code, it could try to navigate to another page, open another window, or download a file. This module prevents that. Links
//! open in the system's browser, through a command that checks them (`links.rs`).

use std::sync::Arc;

use tauri::{
    AppHandle, Manager as _, Runtime, Url, WebviewWindow, WebviewWindowBuilder, WindowEvent,
    webview::NewWindowResponse,
};

use crate::{attention::Attention, closing::Background, page_process};

/// A script that prevents changes to `Object.prototype`. It runs before any code of the page.
const FROZEN: &str = include_str!("frozen.js");

/// Opens the window that the configuration of the program describes, and removes the tray icon.
///
/// # Errors
/// Returns an error if the system cannot create a window.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    app.try_state::<Background>()
        .inspect(|background| background.hide_tray());
    for config in &app.config().app.windows {
        let dev = tauri::is_dev()
            .then(|| app.config().build.dev_url.clone())
            .flatten();
        let window = WebviewWindowBuilder::from_config(app, config)?
            .initialization_script(FROZEN)
            .on_navigation(move |url| is_own_page(url, dev.as_ref()))
            .on_new_window(|_, _| NewWindowResponse::Deny)
            .on_download(|_, _| false)
            .build()?;
        page_process::watch(&window)?;
        watch_focus(&window);
    }
    Ok(())
}

/// Records whether the window has the focus, so that a user who is looking at it is not notified.
fn watch_focus<R: Runtime>(window: &WebviewWindow<R>) {
    let app = window.app_handle().clone();
    window.on_window_event(move |event| {
        if let WindowEvent::Focused(in_front) = event {
            app.state::<Arc<Attention>>().set_in_front(*in_front);
        }
    });
}

/// Returns whether an address is one of the built-in pages, as Tauri serves them on this system, or a page of the development
/// server `dev`.
fn is_own_page(url: &Url, dev: Option<&Url>) -> bool {
    let built_in = if cfg!(any(target_os = "windows", target_os = "android")) {
        matches!(url.scheme(), "http" | "https") && url.host_str() == Some("tauri.localhost")
    } else {
        url.scheme() == "tauri" && url.host_str() == Some("localhost")
    };
    built_in || dev.is_some_and(|dev| dev.origin() == url.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    #[test]
    #[cfg(not(target_os = "windows"))]
    fn the_window_stays_with_its_own_pages() {
        assert!(is_own_page(&url("tauri://localhost"), None));
        assert!(is_own_page(&url("tauri://localhost/index.html#x"), None));
        for other in [
            "https://example.org/",
            "http://localhost/",
            "http://tauri.localhost/",
            "http://127.0.0.1:5173/",
            "tauri://example.org/",
            "tauri://localhost.example.org/",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
            "blob:tauri://localhost/1",
            "javascript:alert(1)",
        ] {
            assert!(!is_own_page(&url(other), None), "{other}");
        }
        let dev = url("http://127.0.0.1:5173");
        assert!(is_own_page(&url("http://127.0.0.1:5173/a"), Some(&dev)));
        assert!(!is_own_page(&url("http://127.0.0.1:5174/a"), Some(&dev)));
        // Two addresses without an origin do not have the same origin.
        assert!(!is_own_page(&url("data:,a"), Some(&url("data:,a"))));
    }
}
