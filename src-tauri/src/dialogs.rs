//! The system's file dialogs, and their replacement for automation.
//!
//! A test cannot press a button in a native dialog. If `LOOPWRIGHT_DIALOG_ANSWERS` names a file, no dialog is shown. Each takes
//! the first line of that file as its answer and removes the line. An empty line or an empty file means that the user
//! cancelled. Without the variable, dialogs work as usual.

use std::{env, fs, io, path::PathBuf};

use tauri::{AppHandle, Runtime};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tokio::sync::oneshot;

/// The extensions of files that can be opened: flows, and files to import.
const OPENED: &[&str] = &["loop", "json", "yaml", "yml", "md", "toml"];

const ANSWERS: &str = "LOOPWRIGHT_DIALOG_ANSWERS";

/// The purpose of a file dialog, which determines its title and its file types.
pub(crate) enum DialogPurpose {
    Open,
    Save {
        suggested: String,
    },
    Folder,
    /// Opens an exported run.
    OpenRun,
    SaveRun {
        suggested: String,
    },
    /// Opens a data set.
    OpenData,
    OpenEvaluation,
    /// Saves an experiment, or a run as a test.
    SaveExport {
        suggested: String,
    },
    /// Saves a program that was generated from a flow.
    SaveProgram {
        suggested: String,
    },
}

/// Asks the user for a file or folder. Returns the path, or `None` if the user cancelled.
///
/// # Errors
/// Returns an error if the answers file cannot be read or written, or if the chosen file has no path on this computer.
pub(crate) async fn ask<R: Runtime>(
    app: &AppHandle<R>,
    ask: DialogPurpose,
) -> io::Result<Option<PathBuf>> {
    if let Some(file) = env::var_os(ANSWERS) {
        return next_answer(&PathBuf::from(file));
    }
    let (sender, receiver) = oneshot::channel();
    // If the receiver is closed, the window is gone and nobody waits for the answer.
    let reply = move |chosen: Option<FilePath>| drop(sender.send(chosen));
    let dialog = app.dialog().file();
    match ask {
        DialogPurpose::Open => dialog
            .add_filter("Workflows", OPENED)
            .add_filter("All files", &["*"])
            .set_title("Open a workflow")
            .pick_file(reply),
        DialogPurpose::Save { suggested } => dialog
            .add_filter("Workflows", &["loop", "json"])
            .add_filter("All files", &["*"])
            .set_title("Save the workflow")
            .set_file_name(suggested)
            .save_file(reply),
        DialogPurpose::Folder => dialog.set_title("Choose a folder").pick_folder(reply),
        DialogPurpose::OpenRun => dialog
            .add_filter("Runs", &["json"])
            .add_filter("All files", &["*"])
            .set_title("Import a run")
            .pick_file(reply),
        DialogPurpose::SaveRun { suggested } => dialog
            .add_filter("Runs", &["json"])
            .add_filter("All files", &["*"])
            .set_title("Export the run")
            .set_file_name(suggested)
            .save_file(reply),
        DialogPurpose::OpenData => dialog
            .add_filter(
                "Data sets",
                &["jsonl", "ndjson", "json", "csv", "tsv", "yaml", "yml"],
            )
            .add_filter("All files", &["*"])
            .set_title("Choose a data set")
            .pick_file(reply),
        DialogPurpose::OpenEvaluation => dialog
            .add_filter("Evaluations", &["json"])
            .set_title("Open an evaluation")
            .pick_file(reply),
        DialogPurpose::SaveExport { suggested } => dialog
            .add_filter("All files", &["*"])
            .set_title("Save as")
            .set_file_name(suggested)
            .save_file(reply),
        DialogPurpose::SaveProgram { suggested } => dialog
            .add_filter("Python", &["py"])
            .set_title("Export as a LangGraph program")
            .set_file_name(suggested)
            .save_file(reply),
    }
    receiver
        .await
        .ok()
        .flatten()
        .map(|chosen| chosen.into_path().map_err(io::Error::other))
        .transpose()
}

fn next_answer(file: &PathBuf) -> io::Result<Option<PathBuf>> {
    let answers = fs::read_to_string(file)?;
    let (first, rest) = answers.split_once('\n').unwrap_or((&answers, ""));
    fs::write(file, rest)?;
    Ok(Some(first.trim_end())
        .filter(|path| !path.is_empty())
        .map(PathBuf::from))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_in_order_and_run_out_as_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answers");
        fs::write(&file, "/a flow.loop\n\n/b.loop").unwrap();
        let next = || next_answer(&file).unwrap();
        assert_eq!(next(), Some(PathBuf::from("/a flow.loop")));
        assert_eq!(next(), None);
        assert_eq!(next(), Some(PathBuf::from("/b.loop")));
        assert_eq!(next(), None);
    }
}
