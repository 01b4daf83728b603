//! Generates what Tauri needs at compile time: the capability files' checks and the platform resources.

fn main() {
    tauri_build::build();
}
