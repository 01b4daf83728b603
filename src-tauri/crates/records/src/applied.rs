//! Applying an iteration from the window: what it would change, and what it did.

use loopwright_runs::{ApiError, Env};
use serde::Serialize;
use specta::Type;

use crate::{
    changed_files::FileChanges,
    files::path_name,
    given_back::{ApplyAs, GivenBack, open_workspace},
};

/// What was applied.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AppliedResult {
    /// The branch that was made; `None` if files were changed.
    pub branch: Option<String>,
    /// The number of its commits on top of the source's.
    pub commits: u64,
    /// The files that were changed; `None` if a branch was made.
    pub changes: Option<FileChanges>,
    /// The folder to which the result was applied.
    pub folder: String,
    /// What a person can type there now.
    pub next: Vec<NextCommand>,
}

/// A command for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NextCommand {
    /// What it does: `Switch to it`.
    pub title: String,
    pub command: String,
}

/// Returns what merging an iteration, or without a number the result, into the source's files would change. Nothing is written.
///
/// # Errors
/// [`Code::InvalidArgument`](loopwright_runs::Code::InvalidArgument) with the files that are in conflict.
pub fn plan_apply(
    env: &Env,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
) -> Result<FileChanges, ApiError> {
    let open = open_workspace(env, run_id, Some(path))?;
    Ok(FileChanges::from(&open.plan(iteration)?.changes))
}

/// Gives an iteration back; without a number the result.
///
/// # Errors
/// As [`OpenedWorkspace::apply`](crate::OpenedWorkspace::apply).
pub fn apply_iteration(
    env: &Env,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
    apply_as: &ApplyAs,
) -> Result<AppliedResult, ApiError> {
    let open = open_workspace(env, run_id, Some(path))?;
    let given = open.apply(iteration, apply_as)?;
    let next = given.next_commands();
    let (branch, commits, changes) = match given {
        GivenBack::Branch(branch) => (Some(branch.name), branch.commits as u64, None),
        GivenBack::Working(plan) => (None, 0, Some(FileChanges::from(&plan.changes))),
    };
    Ok(AppliedResult {
        branch,
        commits,
        changes,
        folder: path_name(open.source()),
        next: next
            .into_iter()
            .map(|(title, command)| NextCommand {
                title: title.to_owned(),
                command,
            })
            .collect(),
    })
}
