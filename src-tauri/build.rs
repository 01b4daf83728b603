//! Runs Tauri's build steps: the checks of the capability files and the platform resources.

fn main() {
    tauri_build::build();
}
