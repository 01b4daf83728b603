//! Applies iterations at the request of the window: lists the changes that applying an iteration would make, and
//! returns the result of applying it.

use loopwright_runs::{ApiError, Env};
use serde::Serialize;
use specta::Type;

use crate::{
    changed_files::FileChanges,
    files::path_name,
    given_back::{ApplyAs, GivenBack, open_workspace},
};

/// The result of applying an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AppliedResult {
    /// The branch that was created; `None` if the files of the source were changed instead.
    pub branch: Option<String>,
    /// The number of commits on the new branch that the source lacks; 0 if no branch was created.
    pub commits: u64,
    /// The files that were changed; `None` if a branch was created.
    pub changes: Option<FileChanges>,
    /// The folder to which the result was applied.
    pub folder: String,
    /// Commands that the user can run in `folder` next.
    pub next: Vec<NextCommand>,
}

/// A command to run in a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NextCommand {
    /// The purpose of the command: `Switch to it`.
    pub title: String,
    pub command: String,
}

/// Returns the changes that merging an iteration into the source's files would make. Without a number, the result of the
/// loop is merged. Writes nothing.
///
/// # Errors
/// [`Code::InvalidArgument`](loopwright_runs::Code::InvalidArgument) if files conflict. The message names them.
pub fn plan_apply(
    env: &Env,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
) -> Result<FileChanges, ApiError> {
    let open = open_workspace(env, run_id, Some(path))?;
    Ok(FileChanges::from(&open.plan(iteration)?.changes))
}

/// Applies an iteration to the source of its workspace. Without a number, applies the result of the loop.
///
/// # Errors
/// Returns the errors of [`OpenedWorkspace::apply`](crate::OpenedWorkspace::apply).
pub fn apply_iteration(
    env: &Env,
    run_id: &str,
    path: &str,
    iteration: Option<u32>,
    apply_as: &ApplyAs,
) -> Result<AppliedResult, ApiError> {
    let open = open_workspace(env, run_id, Some(path))?;
    let given = open.apply(iteration, apply_as)?;
    let next = open.next_commands(&given, &open.changed_submodules(iteration)?);
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
            .map(|(title, command)| NextCommand { title, command })
            .collect(),
    })
}
