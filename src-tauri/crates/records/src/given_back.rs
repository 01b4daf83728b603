//! How the result in a workspace is given back, and how workspaces are found and removed.

use std::path::Path;

use loopwright_engine::trust::for_shell;
use loopwright_runs::{ApiError, Code, Env};
use loopwright_workspaces::{
    AppliedBranch, ApplyBranch, ApplyError, Kept, Listed, Size, Tree, WorkingPlan, Workspace,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::workspaces::{RunWorkspace, run_workspaces};

/// The number of characters of a run's id in the name of its branch.
const BRANCH_ID: usize = 8;

/// A workspace of a run, open in this process.
pub struct OpenedWorkspace {
    pub recorded: RunWorkspace,
    listed: Listed,
    workspace: Workspace,
}

/// The way in which a result is given back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ApplyAs {
    /// As a branch of the source with this name.
    Branch { name: String, squash: bool },
    /// Merged into the files of the source.
    Working,
}

/// What was given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenBack {
    Branch(AppliedBranch),
    Working(WorkingPlan),
}

impl GivenBack {
    /// Returns what a person can type now in the folder of the source: what it does, and the command.
    pub fn next_commands(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Branch(branch) => {
                let name = for_shell(&branch.name);
                vec![
                    ("See it", format!("git log {name}")),
                    ("Switch to it", format!("git switch {name}")),
                    ("Take it", format!("git merge {name}")),
                ]
            }
            Self::Working(_) => vec![("See it", "git diff".to_owned())],
        }
    }
}

/// Returns the name of the branch of a run, unless the person chooses another.
pub fn branch_name(run_id: &str) -> String {
    let from = run_id.char_indices().nth_back(BRANCH_ID - 1);
    format!("loopwright/{}", &run_id[from.map_or(0, |(at, _)| at)..])
}

pub(crate) fn failed(error: &loopwright_workspaces::Error) -> ApiError {
    ApiError::new(Code::InvalidArgument, error.to_string())
}

fn not_applied(error: &ApplyError) -> ApiError {
    ApiError::new(Code::InvalidArgument, error.to_string())
}

/// Lists the workspaces of all runs on this computer, the oldest first.
pub fn workspaces(env: &Env) -> Vec<Listed> {
    env.workspaces().all()
}

/// Measures the bytes that a workspace takes on the disk.
pub fn workspace_size(listed: &Listed) -> Size {
    Workspace::size(&listed.place)
}

/// Finds the workspace of a run's loop on the disk. Without a path, the run must have one workspace only.
///
/// # Errors
/// [`Code::NotFound`] if there is none, or [`Code::InvalidArgument`] if there are several.
pub fn find_workspace(env: &Env, run_id: &str, path: Option<&str>) -> Result<Listed, ApiError> {
    let mut found: Vec<Listed> = workspaces(env)
        .into_iter()
        .filter(|listed| listed.run == run_id)
        .filter(|listed| path.is_none_or(|path| listed.loop_path == path))
        .collect();
    let newest = found.pop().ok_or_else(|| {
        let of = path.map_or_else(String::new, |path| format!(" of \"{path}\""));
        ApiError::new(
            Code::NotFound,
            format!(
                "Run {run_id} has no workspace{of} on this computer. It may have been removed."
            ),
        )
    })?;
    let others = found
        .iter()
        .find(|listed| listed.loop_path != newest.loop_path);
    match others {
        None => Ok(newest),
        Some(other) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "Run {run_id} has several workspaces, such as those of \"{}\" and \"{}\". Choose one with --loop.",
                other.loop_path, newest.loop_path
            ),
        )),
    }
}

/// Opens the workspace of a run's loop.
///
/// # Errors
/// As [`find_workspace`]; [`Code::InvalidArgument`] if a run works in it, or if it is damaged.
pub fn open_workspace(
    env: &Env,
    run_id: &str,
    path: Option<&str>,
) -> Result<OpenedWorkspace, ApiError> {
    let listed = find_workspace(env, run_id, path)?;
    let recorded = recorded(env, &listed)?;
    if env.workspaces().is_open(run_id, &listed.loop_path) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The run still works in this workspace. Wait until the loop has ended, or pause the run.",
        ));
    }
    let workspace = env
        .workspaces()
        .open_listed(&listed)
        .map_err(|error| failed(&error))?;
    Ok(OpenedWorkspace {
        recorded,
        listed,
        workspace,
    })
}

/// Returns what a run has recorded of a workspace.
///
/// # Errors
/// [`Code::NotFound`] if it has recorded nothing.
pub(crate) fn recorded(env: &Env, listed: &Listed) -> Result<RunWorkspace, ApiError> {
    run_workspaces(env, &listed.run)?
        .into_iter()
        .find(|recorded| recorded.path == listed.loop_path)
        .ok_or_else(|| {
            let message = format!(
                "Run {} has no record of the workspace \"{}\".",
                listed.run, listed.loop_path
            );
            ApiError::new(Code::NotFound, message)
        })
}

impl RunWorkspace {
    /// Returns the tree before the first iteration (0), or after an iteration.
    pub(crate) fn tree_at(&self, iteration: u32) -> Result<Tree, ApiError> {
        let name = match iteration {
            0 => self.base.as_str(),
            number => self.tree_after(number),
        };
        name.parse().map_err(|error| failed(&error))
    }

    /// Returns the tree after an iteration; without a number that of the result.
    pub(crate) fn tree_of(&self, iteration: Option<u32>) -> Result<Tree, ApiError> {
        match (iteration, &self.earlier) {
            (None, Some(result)) => result.tree.parse().map_err(|error| failed(&error)),
            _ => self.tree_at(iteration.unwrap_or(u32::MAX)),
        }
    }
}

impl OpenedWorkspace {
    /// The folder that was copied, to which the result is applied.
    pub fn source(&self) -> &Path {
        &self.listed.source
    }

    /// Returns what merging an iteration into the source's files would change. Nothing is written.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] with the files that are in conflict.
    pub fn plan(&self, iteration: Option<u32>) -> Result<WorkingPlan, ApiError> {
        let tree = self.recorded.tree_of(iteration)?;
        self.workspace
            .plan_working(&tree)
            .map_err(|error| not_applied(&error))
    }

    /// Gives an iteration back; without a number the result of the loop.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] with the reason. The source is unchanged then, unless the message says otherwise.
    pub fn apply(&self, iteration: Option<u32>, apply_as: &ApplyAs) -> Result<GivenBack, ApiError> {
        let given = match apply_as {
            ApplyAs::Working => self
                .workspace
                .apply_working(&self.recorded.tree_of(iteration)?)
                .map(GivenBack::Working),
            ApplyAs::Branch { name, squash } => {
                let kept = self.kept(iteration)?;
                let apply = ApplyBranch {
                    name,
                    kept: &kept,
                    squash: *squash,
                };
                self.workspace.apply_branch(&apply).map(GivenBack::Branch)
            }
        };
        let given = given.map_err(|error| not_applied(&error))?;
        let tree = self.recorded.tree_of(iteration)?;
        let is_result = tree.to_string() == self.recorded.result_tree();
        let marked = self.listed.mark_applied(&tree, is_result);
        marked.map_err(|error| failed(&error))?;
        Ok(given)
    }

    /// Returns the iterations up to this one that changed files, each as a commit; without a number those up to the result.
    fn kept(&self, iteration: Option<u32>) -> Result<Vec<Kept>, ApiError> {
        let result = self.recorded.earlier.as_ref();
        let result = result.filter(|_| iteration.is_none());
        let last = match result {
            Some(result) => result.iteration,
            None => iteration.unwrap_or(u32::MAX),
        };
        let mut kept: Vec<Kept> = Vec::new();
        for (number, iteration) in self.recorded.iterations.range(..=last) {
            let name = match result {
                Some(result) if *number == last => &result.tree,
                _ => &iteration.tree,
            };
            let tree: Tree = name.parse().map_err(|error| failed(&error))?;
            let before = kept.last().map(|kept| kept.tree.clone());
            let before = before.map_or_else(|| self.recorded.tree_at(0), Ok)?;
            if tree == before {
                continue;
            }
            let now = iteration.ended_at.unwrap_or_else(loopwright_runs::now);
            kept.push(Kept {
                tree,
                iteration: *number,
                subject: format!("{}: iteration {number}", self.recorded.path),
                body: String::new(),
                score: iteration.score.map(|score| score.to_string()),
                cost: iteration
                    .cost_microusd
                    .map(|cost| format!("${:.4}", cost as f64 / 1e6)),
                time: u64::try_from(now / 1000).unwrap_or_default(),
            });
        }
        Ok(kept)
    }
}

/// Removes a workspace with all its states and its ref in the source.
///
/// # Errors
/// [`Code::InvalidArgument`] if a run works in it, or if it cannot be removed.
pub fn remove_workspace(env: &Env, listed: &Listed) -> Result<(), ApiError> {
    if env.workspaces().is_open(&listed.run, &listed.loop_path) && !listed.is_closed {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "A run works in this workspace. Wait until it has ended, or stop it.",
        ));
    }
    env.workspaces()
        .remove(listed)
        .map_err(|error| failed(&error))
}

/// What [`clean_workspaces`] did.
#[derive(Debug, Default)]
pub struct Cleaned {
    pub removed: Vec<Listed>,
    /// Those whose result was not applied.
    pub kept: Vec<Listed>,
    /// Those that could not be removed.
    pub failed: Vec<(Listed, ApiError)>,
}

/// Removes the workspaces whose result was applied or that changed nothing, and with `unapplied` all. With `before`, in milliseconds
/// since 1970, only those that were made earlier.
///
/// # Errors
/// An error if the records of runs cannot be read.
pub fn clean_workspaces(
    env: &Env,
    before: Option<i64>,
    unapplied: bool,
) -> Result<Cleaned, ApiError> {
    let mut cleaned = Cleaned::default();
    for listed in workspaces(env) {
        if before.is_some_and(|before| made_ms(&listed) >= before) {
            continue;
        }
        if !unapplied && workspace_state(env, &listed)?.may_lose_changes() {
            cleaned.kept.push(listed);
            continue;
        }
        match remove_workspace(env, &listed) {
            Ok(()) => cleaned.removed.push(listed),
            Err(error) => cleaned.failed.push((listed, error)),
        }
    }
    Ok(cleaned)
}

/// The time at which a workspace was made, in milliseconds since 1970.
pub(crate) fn made_ms(listed: &Listed) -> i64 {
    i64::try_from(listed.made_at)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000)
}

/// What became of the changes in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum WorkspaceState {
    /// The loop has not ended.
    Open,
    /// The result was applied.
    Applied,
    /// Only another iteration was applied.
    PartlyApplied,
    /// The result has the files of the start.
    Unchanged,
    NotApplied,
}

impl WorkspaceState {
    /// Whether removing the workspace may lose changes.
    pub fn may_lose_changes(self) -> bool {
        !matches!(self, Self::Applied | Self::Unchanged)
    }
}

/// Returns what became of the changes in a workspace.
///
/// # Errors
/// An error if the records of the run cannot be read.
pub fn workspace_state(env: &Env, listed: &Listed) -> Result<WorkspaceState, ApiError> {
    let last = match recorded(env, listed) {
        Ok(recorded) => Some(recorded),
        Err(error) if error.code == Code::NotFound => None,
        Err(error) => return Err(error),
    };
    let is_applied = |tree: &str| listed.applied.iter().any(|one| one.to_string() == tree);
    Ok(match &last {
        _ if !listed.is_closed => WorkspaceState::Open,
        Some(recorded) if recorded.result_tree() == recorded.base => WorkspaceState::Unchanged,
        Some(recorded) if is_applied(recorded.result_tree()) => WorkspaceState::Applied,
        // A run without records has no further iterations.
        None if listed.has_applied_last => WorkspaceState::Applied,
        _ if listed.applied_at.is_some() => WorkspaceState::PartlyApplied,
        _ => WorkspaceState::NotApplied,
    })
}
