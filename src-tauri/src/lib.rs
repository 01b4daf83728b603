//! The shell: one window, native dialogs, and commands that call the `api` crate.
//!
//! Architecture Invariant: the shell has no rules about flows or runs. A command turns its arguments into a call of `api`, and
//! the result into a reply. Everything else belongs to `api` and the crates below, which the command line also uses.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod attention;
mod bindings;
mod closing;
mod commands;
mod dialogs;
mod drawing;
mod environment;
mod events;
mod followed_runs;
mod links;
mod page_process;
#[cfg(test)]
mod permissions;
mod stores;
mod web_view_heap;
mod window;

use std::{process::ExitCode, sync::Arc};

use loopwright_api::App;
use loopwright_process::EndSignals;
use loopwright_runs::{ApiError, default_data_dir};
use tauri::{Manager, RunEvent, async_runtime};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

pub use bindings::typescript;

/// Runs the desktop program until it ends, and returns its exit code. `main` must call this function before anything else.
pub fn run(context: tauri::Context) -> ExitCode {
    if let Some(code) = loopwright_process::supervise_if_asked() {
        return code;
    }
    web_view_heap::keep_small();
    let software = drawing::choose();
    // The app is opened before any window, so that no page can call a command too early.
    let opened = App::open(&default_data_dir(), async_runtime::handle().inner().clone());
    let builder = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(drawing::tell_page(software));
    let built = match opened {
        Ok(app) => builder
            .manage(Arc::<attention::Attention>::default())
            .setup({
                let app = Arc::clone(&app);
                move |shell| {
                    let attention = Arc::clone(shell.state::<Arc<attention::Attention>>().inner());
                    attention.begin(&app, shell.handle(), window::open);
                    let (attention, seen) = (Arc::clone(&attention), Arc::clone(&app));
                    let watching = move |flow: &str| {
                        attention.watching(&seen, flow.to_owned(), Arc::new(|_| {}))
                    };
                    let continues = app.env().settings().continue_runs;
                    // Before the page asks which runs are interrupted.
                    loopwright_runs::resume_left_runs(app.env(), continues, &watching)
                        .unwrap_or_else(|error| app.env().give_notice(error.message));
                    loopwright_runs::resume_expired_runs(app.env(), watching);
                    async_runtime::spawn(end_when_asked(app, shell.handle().clone()));
                    Ok(window::open(shell.handle())?)
                }
            })
            .manage(app)
            .manage(stores::Stores::default())
            .manage(followed_runs::FollowedRuns::default())
            .manage(page_process::PageProcess::default())
            .manage(closing::Background::default())
            .invoke_handler(bindings::builder().invoke_handler()),
        Err(error) => builder.setup(move |app| {
            say_why_not(app.handle(), &error);
            Ok(())
        }),
    }
    .build(context);
    match built {
        Ok(app) => ExitCode::from(u8::try_from(app.run_return(stop_runs_at_exit)).unwrap_or(1)),
        Err(error) => {
            eprintln!("Loopwright cannot open its window: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Shows why the data folder cannot be used. No window opens, because every command would fail without that folder.
fn say_why_not(handle: &tauri::AppHandle, error: &ApiError) {
    eprintln!("Loopwright cannot start: {error}");
    let exit = handle.clone();
    handle
        .dialog()
        .message(error.message.clone())
        .title("Loopwright cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| exit.exit(1));
}

/// Ends the program on Ctrl-C, SIGTERM or SIGHUP, without asking the user. Runs are detached and can be resumed. A second
/// signal ends the program immediately.
async fn end_when_asked(app: Arc<App>, handle: tauri::AppHandle) {
    if let Err(error) = loopwright_process::survive_file_size_limit() {
        tracing::debug!("{error}");
    }
    let mut signals = match EndSignals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            eprintln!("Loopwright cannot listen for signals: {error}");
            return;
        }
    };
    signals.next().await;
    let leaving = async {
        closing::detach_runs(&app).await;
        handle.exit(0);
        // The event loop carries out the exit. Until then, the code below waits for a second signal.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = leaving => {}
        () = signals.next() => std::process::exit(1),
    }
}

/// When the last window closes: lets the program continue without a window if the user chose that. When the program exits:
/// stops all runs.
fn stop_runs_at_exit(handle: &tauri::AppHandle, event: RunEvent) {
    let Some(app) = handle.try_state::<Arc<App>>() else {
        return;
    };
    match event {
        // Without a code, the last window was closed.
        RunEvent::ExitRequested {
            code: None, api, ..
        } if handle.state::<closing::Background>().stays() => {
            api.prevent_exit();
            closing::show_tray(&app, handle, |shell| {
                attention::open_soon(shell, window::open)
            });
            closing::end_after_runs(Arc::clone(&app), handle.clone());
        }
        RunEvent::Exit => {
            async_runtime::block_on(closing::stop_runs(&app));
            app.env().close();
        }
        _ => {}
    }
}
