//! The desktop program: the built-in pages, and the shell that shows them.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

/// The allocator of the program. Runs allocate many short-lived strings, for which the system's own allocator is slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    loopwright_desktop::run(tauri::generate_context!())
}
