//! The desktop program: the pages built into it, and the shell that shows them.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    loopwright_desktop::run(tauri::generate_context!())
}
