//! Settings for drawing in the web view on a computer without a graphics card. WebKitGTK composites layers with OpenGL. Without
//! a graphics card, OpenGL runs in software: the CPU paints, composites and reads back every frame, which takes several times
//! as long as painting the changes directly into the window. Compositing is therefore switched off on such a computer.

use std::{env::VarError, path::Path};

use tauri::{
    Runtime,
    plugin::{self, TauriPlugin},
};

use crate::environment;

/// The variable that chooses how to draw: `auto` (the default), `accelerated` or `software`.
const CHOICE: &str = "LOOPWRIGHT_DRAWING";
/// A variable that WebKitGTK reads once, before it creates its first web view.
const WITHOUT_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";
/// A variable that is set while a WebDriver controls the window. A WebDriver's screenshot waits for a composited frame, which
/// never arrives if compositing is off.
const DRIVEN: &str = "TAURI_WEBVIEW_AUTOMATION";

/// Chooses how this process's web views draw. Returns `true` if they draw in software. Call this function before any other thread
/// starts.
pub(crate) fn choose() -> bool {
    if cfg!(not(target_os = "linux")) {
        return false;
    }
    if let Some(chosen) = std::env::var_os(WITHOUT_COMPOSITING) {
        return chosen != "0";
    }
    let choice = std::env::var(CHOICE);
    let software = match wanted(choice.as_deref(), std::env::var_os(DRIVEN).is_some()) {
        DrawingMode::Accelerated => false,
        DrawingMode::Software => true,
        DrawingMode::AsTheMachine => !has_graphics_card(Path::new("/dev")),
    };
    if software {
        environment::set(WITHOUT_COMPOSITING, "1");
    }
    software
}

/// Tells the page, before any of its code runs, whether it is drawn in software. If so, the page shows fewer animations.
pub(crate) fn tell_page<R: Runtime>(software: bool) -> TauriPlugin<R> {
    let word = if software { "software" } else { "accelerated" };
    plugin::Builder::new("drawing")
        .js_init_script(format!("globalThis.__LOOPWRIGHT_DRAWING__ = \"{word}\";"))
        .build()
}

#[derive(Debug, PartialEq, Eq)]
enum DrawingMode {
    Accelerated,
    Software,
    AsTheMachine,
}

fn wanted(choice: Result<&str, &VarError>, driven: bool) -> DrawingMode {
    match choice {
        Ok("accelerated") => DrawingMode::Accelerated,
        Ok("software") => DrawingMode::Software,
        Ok("auto") => DrawingMode::AsTheMachine,
        Ok(other) => {
            eprintln!(
                "{CHOICE} must be auto, accelerated or software, but is \"{other}\". The program uses auto."
            );
            DrawingMode::AsTheMachine
        }
        Err(VarError::NotUnicode(_)) => {
            eprintln!(
                "{CHOICE} must be auto, accelerated or software, but is not valid Unicode. The program uses auto."
            );
            DrawingMode::AsTheMachine
        }
        Err(VarError::NotPresent) if driven => DrawingMode::Accelerated,
        Err(VarError::NotPresent) => DrawingMode::AsTheMachine,
    }
}

/// Returns whether the system has a rendering device: a DRM render node, an NVIDIA device, or the device of the Windows Subsystem
/// for Linux.
fn has_graphics_card(dev: &Path) -> bool {
    let render_node = std::fs::read_dir(dev.join("dri")).is_ok_and(|nodes| {
        nodes
            .flatten()
            .any(|node| node.file_name().to_string_lossy().starts_with("renderD"))
    });
    render_node || dev.join("nvidia0").exists() || dev.join("dxg").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_counts_before_the_machine() {
        let unset = VarError::NotPresent;
        assert_eq!(wanted(Ok("software"), true), DrawingMode::Software);
        assert_eq!(wanted(Ok("accelerated"), false), DrawingMode::Accelerated);
        assert_eq!(wanted(Ok("auto"), true), DrawingMode::AsTheMachine);
        assert_eq!(wanted(Ok("fast"), false), DrawingMode::AsTheMachine);
        assert_eq!(wanted(Err(&unset), false), DrawingMode::AsTheMachine);
        assert_eq!(wanted(Err(&unset), true), DrawingMode::Accelerated);
    }

    #[test]
    fn a_render_node_is_a_graphics_card() {
        let dev = tempfile::tempdir().unwrap();
        assert!(!has_graphics_card(dev.path()));
        std::fs::create_dir(dev.path().join("dri")).unwrap();
        std::fs::write(dev.path().join("dri/card0"), "").unwrap();
        assert!(
            !has_graphics_card(dev.path()),
            "a card that only shows pictures renders none"
        );
        std::fs::write(dev.path().join("dri/renderD128"), "").unwrap();
        assert!(has_graphics_card(dev.path()));
    }
}
