//! What runs left in their workspaces, and how it is given back: listed, shown as a diff, applied and removed.

use loopwright_runs::{ApiError, Code, Env};
use loopwright_workspaces::{
    AppliedBranch, ApplyBranch, ApplyError, Changes, Diff, Kept, Listed, Size, Tree, WorkingPlan,
    Workspace,
};

use crate::workspaces::{RunWorkspace, run_workspaces};

/// The largest diff that is shown, in bytes.
const LARGEST_DIFF: usize = 16 * 1024 * 1024;

/// A workspace of a run, open in this process.
pub struct OpenedWorkspace {
    pub recorded: RunWorkspace,
    listed: Listed,
    workspace: Workspace,
}

/// The way in which a result is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
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

fn failed(error: &loopwright_workspaces::Error) -> ApiError {
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
    let recorded = run_workspaces(env, run_id)?
        .into_iter()
        .find(|recorded| recorded.path == listed.loop_path)
        .ok_or_else(|| {
            let message = format!(
                "Run {run_id} has no record of the workspace \"{}\".",
                listed.loop_path
            );
            ApiError::new(Code::NotFound, message)
        })?;
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

impl OpenedWorkspace {
    /// Returns the tree before the first iteration (0), or after an iteration.
    fn tree(&self, iteration: u32) -> Result<Tree, ApiError> {
        let name = match iteration {
            0 => self.recorded.base.as_str(),
            number => self.recorded.tree_after(number),
        };
        name.parse().map_err(|error| failed(&error))
    }

    /// Lists the files that differ between two iterations; 0 is the start. Without `to`, up to the last iteration.
    ///
    /// # Errors
    /// An error if the workspace lacks one of the states.
    pub fn changes(&self, from: u32, to: Option<u32>) -> Result<Changes, ApiError> {
        let (from, to) = (self.tree(from)?, self.tree(to.unwrap_or(u32::MAX))?);
        self.workspace
            .changes(&from, &to)
            .map_err(|error| failed(&error))
    }

    /// Returns the difference between two iterations as a unified diff, as [`Self::changes`].
    ///
    /// # Errors
    /// An error if the workspace lacks one of the states.
    pub fn diff(&self, from: u32, to: Option<u32>) -> Result<Diff, ApiError> {
        let (from, to) = (self.tree(from)?, self.tree(to.unwrap_or(u32::MAX))?);
        self.workspace
            .diff(&from, &to, LARGEST_DIFF)
            .map_err(|error| failed(&error))
    }

    /// Returns what merging an iteration into the source's files would change. Nothing is written.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] with the files that are in conflict.
    pub fn plan(&self, iteration: Option<u32>) -> Result<WorkingPlan, ApiError> {
        let tree = self.tree(iteration.unwrap_or(u32::MAX))?;
        self.workspace
            .plan_working(&tree)
            .map_err(|error| not_applied(&error))
    }

    /// Gives an iteration back; without a number the last one.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] with the reason. The source is unchanged then, unless the message says otherwise.
    pub fn apply(&self, iteration: Option<u32>, apply_as: &ApplyAs) -> Result<GivenBack, ApiError> {
        let last = iteration.unwrap_or(u32::MAX);
        let given = match apply_as {
            ApplyAs::Working => self
                .workspace
                .apply_working(&self.tree(last)?)
                .map(GivenBack::Working),
            ApplyAs::Branch { name, squash } => {
                let kept = self.kept(last)?;
                let apply = ApplyBranch {
                    name,
                    kept: &kept,
                    squash: *squash,
                };
                self.workspace.apply_branch(&apply).map(GivenBack::Branch)
            }
        };
        let given = given.map_err(|error| not_applied(&error))?;
        self.listed.mark_applied().map_err(|error| failed(&error))?;
        Ok(given)
    }

    /// Returns the iterations up to `last` that changed files, each as a commit.
    fn kept(&self, last: u32) -> Result<Vec<Kept>, ApiError> {
        let mut kept: Vec<Kept> = Vec::new();
        for (number, iteration) in self.recorded.iterations.range(..=last) {
            let tree: Tree = iteration.tree.parse().map_err(|error| failed(&error))?;
            let before = kept.last().map(|kept| kept.tree.clone());
            let before = before.map_or_else(|| self.tree(0), Ok)?;
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
    env.workspaces()
        .remove(listed)
        .map_err(|error| failed(&error))
}
