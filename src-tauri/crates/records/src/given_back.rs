//! Applies the results in workspaces to their sources, and finds and removes workspaces.

use std::path::{Path, PathBuf};

use loopwright_engine::trust::for_shell;
use loopwright_runs::{ApiError, Code, Env};
use loopwright_workspaces::{
    AppliedBranch, ApplyBranch, ApplyError, FileMode, Kept, Listed, Size, Tree, WorkingPlan,
    Workspace,
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

/// How a result is applied to the source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ApplyAs {
    /// The result becomes a branch of the source with this name. It has one commit per iteration that changed files, or
    /// a single commit if `squash` is true.
    Branch { name: String, squash: bool },
    /// The result is merged into the files of the source.
    Working,
}

/// The result of applying an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenBack {
    Branch(AppliedBranch),
    Working(WorkingPlan),
}

/// A submodule whose commit a result changes. Only the private copy is sure to have the new commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSubmodule {
    /// The path of the submodule in the repository.
    pub path: PathBuf,
    /// The new commit.
    pub commit: String,
}

/// Returns the default name for a branch with the result of a run: `loopwright/` and the end of the run's id.
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

/// Returns the space that a workspace takes on disk, in bytes.
pub fn workspace_size(listed: &Listed) -> Size {
    Workspace::size(&listed.place)
}

/// Finds the workspace of a run's loop on disk. Without a path, the run must have exactly one workspace.
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
/// Returns the errors of [`find_workspace`], and [`Code::InvalidArgument`] if a run is using the workspace or the workspace
/// is damaged.
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
            "The run is still using this workspace. Wait until the loop ends, or pause the run.",
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

/// Returns what a run recorded about a workspace.
///
/// # Errors
/// [`Code::NotFound`] if the run recorded nothing about the workspace.
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
    /// Returns the tree after an iteration. For 0, returns the tree before the first iteration.
    pub(crate) fn tree_at(&self, iteration: u32) -> Result<Tree, ApiError> {
        let name = match iteration {
            0 => self.base.as_str(),
            number => self.tree_after(number),
        };
        name.parse().map_err(|error| failed(&error))
    }

    /// Returns the tree after an iteration. Without a number, returns the tree of the loop's result.
    pub(crate) fn tree_of(&self, iteration: Option<u32>) -> Result<Tree, ApiError> {
        match (iteration, &self.earlier) {
            (None, Some(result)) => result.tree.parse().map_err(|error| failed(&error)),
            _ => self.tree_at(iteration.unwrap_or(u32::MAX)),
        }
    }
}

impl OpenedWorkspace {
    /// Returns the folder that was copied. The result is applied to this folder.
    pub fn source(&self) -> &Path {
        &self.listed.source
    }

    /// Returns the changes that merging an iteration into the source's files would make. Writes nothing.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if files conflict. The message names them.
    pub fn plan(&self, iteration: Option<u32>) -> Result<WorkingPlan, ApiError> {
        let tree = self.recorded.tree_of(iteration)?;
        self.workspace
            .plan_working(&tree)
            .map_err(|error| not_applied(&error))
    }

    /// Returns the submodules whose commit an iteration changes. Applying it does not copy these commits. Without a number,
    /// returns those of the loop's result.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the trees cannot be compared.
    pub fn changed_submodules(
        &self,
        iteration: Option<u32>,
    ) -> Result<Vec<ChangedSubmodule>, ApiError> {
        let (base, tree) = (self.recorded.tree_at(0)?, self.recorded.tree_of(iteration)?);
        let changes = self
            .workspace
            .changes(&base, &tree)
            .map_err(|error| failed(&error))?;
        let submodules = changes.files.into_iter().filter_map(|file| {
            let version = file.after?;
            (version.mode == FileMode::Repository).then_some(ChangedSubmodule {
                path: file.path,
                commit: version.hash,
            })
        });
        Ok(submodules.collect())
    }

    /// Returns the commands that the user can run next in the source's folder, each after its purpose.
    pub fn next_commands(
        &self,
        given: &GivenBack,
        submodules: &[ChangedSubmodule],
    ) -> Vec<(String, String)> {
        let mut commands: Vec<(String, String)> = Vec::new();
        for ChangedSubmodule { path, commit } in submodules {
            let shell = |path: PathBuf| for_shell(&path.display().to_string());
            let copy = shell(self.workspace.files().join(path));
            let here = shell(path.clone());
            commands.push((
                format!("Update {}", path.display()),
                format!("git -C {here} fetch {copy} HEAD && git -C {here} checkout {commit}"),
            ));
        }
        let mut add = |title: &str, command: String| commands.push((title.to_owned(), command));
        match given {
            GivenBack::Branch(branch) => {
                let name = for_shell(&branch.name);
                add("See it", format!("git log {name}"));
                add("Switch to it", format!("git switch {name}"));
                add("Merge it", format!("git merge {name}"));
            }
            GivenBack::Working(_) => add("See it", "git diff".to_owned()),
        }
        commands
    }

    /// Applies an iteration. Without a number, applies the result of the loop.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the result cannot be applied. The message contains the reason. The source is then
    /// unchanged, unless the message says otherwise.
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
        // The copy may be the only place with the new commits of submodules, so it must not count as applied: applied
        // workspaces are removed.
        if !self.changed_submodules(iteration)?.is_empty() {
            return Ok(given);
        }
        let is_result = tree.to_string() == self.recorded.result_tree();
        let marked = self.listed.mark_applied(&tree, is_result);
        marked.map_err(|error| failed(&error))?;
        Ok(given)
    }

    /// Returns the iterations up to this one that changed files, each as a commit. Without a number, returns the iterations up
    /// to the loop's result.
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
/// [`Code::InvalidArgument`] if a run is using the workspace, or if the workspace cannot be removed.
pub fn remove_workspace(env: &Env, listed: &Listed) -> Result<(), ApiError> {
    if env.workspaces().is_open(&listed.run, &listed.loop_path) && !listed.is_closed {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "A run is using this workspace. Wait until it ends, or stop it.",
        ));
    }
    env.workspaces()
        .remove(listed)
        .map_err(|error| failed(&error))
}

/// The result of [`clean_workspaces`].
#[derive(Debug, Default)]
pub struct Cleaned {
    pub removed: Vec<Listed>,
    /// The workspaces that were not removed because their result was not applied.
    pub kept: Vec<Listed>,
    /// The workspaces that could not be removed, each with the error.
    pub failed: Vec<(Listed, ApiError)>,
}

/// Removes the workspaces whose result was applied or that changed nothing. With `unapplied`, removes the other workspaces too.
/// With `before`, in milliseconds since the Unix epoch, removes only workspaces that were created before that time.
///
/// # Errors
/// Returns an error if the records of runs cannot be read.
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

/// Returns the time at which a workspace was created, in milliseconds since the Unix epoch, UTC.
pub(crate) fn made_ms(listed: &Listed) -> i64 {
    i64::try_from(listed.made_at)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000)
}

/// Whether the changes in a workspace were applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum WorkspaceState {
    /// The loop has not ended.
    Open,
    /// The result was applied.
    Applied,
    /// An iteration other than the result was applied.
    PartlyApplied,
    /// The result has the same files as the start, so there is nothing to apply.
    Unchanged,
    NotApplied,
}

impl WorkspaceState {
    /// Returns whether removing the workspace may lose changes.
    pub fn may_lose_changes(self) -> bool {
        !matches!(self, Self::Applied | Self::Unchanged)
    }
}

/// Returns the state of a workspace: whether its changes were applied.
///
/// # Errors
/// Returns an error if the records of the run cannot be read.
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
