//! The answers about workspaces that a run records.

use std::path::Path;

use loopwright_engine::NodeError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{error::Result, make::Report, tree::Tree, workspace::Workspace};

/// The maximum size of a patch that is stored in a value, in bytes. A larger one is stored in a file.
const LARGEST_PATCH: usize = 1024 * 1024;

/// The answer to the opening of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Opened {
    /// The folder in which nodes work.
    pub(super) path: String,
    /// The commit with which the workspace began.
    pub(super) base: String,
    /// The tree with which the workspace began.
    pub(super) tree: Tree,
    /// The branch that was checked out in the source.
    pub(super) branch: Option<String>,
    /// The differences between the workspace and the source, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// The files that a cut-off step left. This tree is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) left: Option<Tree>,
}

impl Opened {
    pub(super) fn of(workspace: &Workspace, report: &Report) -> Self {
        Self {
            path: text(&workspace.path()),
            base: report.base.clone(),
            tree: report.tree.clone(),
            branch: workspace.branch().map(str::to_owned),
            notes: report.notes.iter().map(ToString::to_string).collect(),
            left: None,
        }
    }

    pub(super) fn to_value(&self) -> Result<Value, NodeError> {
        to_value(self)
    }
}

/// The state of the workspace after a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) tree: Tree,
}

impl State {
    pub(super) fn to_value(&self) -> Result<Value, NodeError> {
        to_value(self)
    }
}

fn to_value(of: &impl Serialize) -> Result<Value, NodeError> {
    serde_json::to_value(of).map_err(|error| NodeError::new("workspace_failed", error.to_string()))
}

/// Converts a path to text. Bytes that are not UTF-8 are replaced.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the answer to a close: the result of the loop, which is `tree`.
pub(super) fn closed(workspace: &Workspace, tree: &Tree) -> Result<Value> {
    let base = workspace.base_tree();
    let changes = workspace.trees().changes(base, tree)?;
    let commit = workspace.commit(tree)?;
    let patch = workspace.patch(base, tree, LARGEST_PATCH)?;
    let patch = patch.and_then(|patch| String::from_utf8(patch).ok());
    let file = match &patch {
        Some(_) => None,
        None => Some(workspace.write_patch(base, tree)?),
    };
    Ok(json!({
        "base": workspace.base(),
        "tree": tree,
        "commit": commit,
        "branch": workspace.branch(),
        "filesChanged": changes.files.len(),
        "insertions": changes.insertions,
        "deletions": changes.deletions,
        "patch": patch,
        "patchFile": file.as_deref().map(text),
    }))
}
