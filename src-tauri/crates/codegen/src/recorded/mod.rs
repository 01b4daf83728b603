//! Recorded answers of the program to the window. The page tests use a test double of the program that returns these answers.
//! Each answer comes from the function that the window's command calls, for a real flow, and contains no data from this
//! computer.

mod costs;
mod evaluation;
mod fixed;
mod models;
mod program;
mod questions;
mod runs;
mod trouble;
mod typescript;
mod workspace;

use std::path::Path;

use trouble::Trouble;

/// The folder of the recordings.
const FOLDER: &str = "ui/src/ipc/generated/recorded";

/// The file with the recording of a workspace. A separate process creates this recording.
pub(crate) const WORKSPACE: &str = "ui/src/ipc/generated/recorded/workspace.ts";

/// Returns the recording of a workspace. Git must be in the `PATH`.
///
/// # Errors
/// Returns an error if git is missing, or if a command fails.
pub(crate) fn workspace_recording() -> Result<String, Trouble> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(workspace::record_workspace())
}

/// Returns the names and contents of all other recordings.
///
/// # Errors
/// Returns an error if a command fails that is not expected to fail.
pub(crate) fn recordings(root: &Path) -> Result<Vec<(String, String)>, Trouble> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut program = program::Program::open(true).await?;
        let files = [
            ("program.ts", program::record_program(root).await?),
            ("runs.ts", runs::record_runs(&mut program).await?),
            ("costs.ts", costs::record_costs(&mut program)?),
            (
                "evaluation.ts",
                evaluation::record_evaluation(&mut program).await?,
            ),
            (
                "answers.ts",
                questions::answer_questions(&root.join(FOLDER), &mut program)?,
            ),
        ];
        Ok(files
            .map(|(name, text)| (format!("{FOLDER}/{name}"), text))
            .into())
    })
}
