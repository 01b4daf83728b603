//! The desktop program: the pages built into it, and the shell that shows them.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

/// Runs consist of many short-lived texts, which the system's own allocator gives and takes back more slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    loopwright_desktop::run(tauri::generate_context!())
}
