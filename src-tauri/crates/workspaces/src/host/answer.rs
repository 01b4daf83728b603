//! The answers of the host that are recorded in a run.

use std::{path::Path, sync::Arc};

use loopwright_engine::NodeError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    changes::{Change, ChangeKind, Diff},
    error::Result,
    make::Report,
    tree::Tree,
    workspace::Workspace,
};

/// The maximum size of a patch that is stored in a value, in bytes. A larger one is stored in a file.
const LARGEST_PATCH: usize = 1024 * 1024;

/// The maximum size of the diff that templates read, in bytes.
const LARGEST_DIFF: usize = 64 * 1024;

/// The maximum number of changed files that are listed for templates. A single entry represents all other files.
const MOST_CHANGES: usize = 1_000;

/// The answer to the opening of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Opened {
    /// The folder in which nodes work.
    pub(super) path: String,
    /// The commit that the workspace started from.
    pub(super) base: String,
    /// The tree that the workspace started from.
    pub(super) tree: Tree,
    /// The branch that was checked out in the source; `None` if it was a commit without a branch.
    pub(super) branch: Option<String>,
    /// The differences between the workspace and the source, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// The tree of the files that an interrupted step left behind, so that they can be recovered; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) left: Option<Tree>,
    /// The changes of the iteration in progress; `None` outside of iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) iteration: Option<Iteration>,
}

/// The changes of the current iteration. Only the fields that templates of the flow read have a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Iteration {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<ChangedFile>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// A file that the iteration changed, or one entry for all files that are not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ChangedFile {
    path: String,
    /// The earlier path of a renamed file; `None` for other files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// `added`, `modified`, `deleted`, `renamed`, `type_changed`, or `others` for the files that are not listed.
    kind: String,
    /// The number of added lines, or `None` if the file is not text.
    insertions: Option<u64>,
    deletions: Option<u64>,
}

impl ChangedFile {
    fn of(change: &Change) -> Self {
        let kind = match change.kind {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Renamed => "renamed",
            ChangeKind::TypeChanged => "type_changed",
        };
        Self {
            path: text(&change.path),
            from: change.from.as_deref().map(text),
            kind: kind.to_owned(),
            insertions: change.lines.map(|(plus, _)| plus),
            deletions: change.lines.map(|(_, minus)| minus),
        }
    }

    /// Returns one entry for all files that are not listed, or `None` if there are none.
    fn others(others: &[Change]) -> Option<Self> {
        let lines = || others.iter().filter_map(|change| change.lines);
        (!others.is_empty()).then(|| Self {
            path: format!("[{} more files]", others.len()),
            from: None,
            kind: "others".to_owned(),
            insertions: Some(lines().map(|(plus, _)| plus).sum()),
            deletions: Some(lines().map(|(_, minus)| minus).sum()),
        })
    }
}

impl Iteration {
    /// Returns the changes from the tree `before` an iteration to the tree `now`. Returns `None` if no template reads them.
    ///
    /// # Errors
    /// Returns an error if the trees cannot be compared.
    pub(super) fn of(
        reads: &[Arc<str>],
        workspace: &Workspace,
        before: &Tree,
        now: &Tree,
    ) -> Result<Option<Self>> {
        let reads = |name: &str| reads.iter().any(|read| **read == *name);
        if !reads("changes") && !reads("diff") {
            return Ok(None);
        }
        let trees = workspace.trees();
        let changes = match reads("changes") {
            true => {
                let files = trees.changes(before, now)?.files;
                let (listed, others) = files.split_at(files.len().min(MOST_CHANGES));
                let listed = listed.iter().map(ChangedFile::of);
                Some(listed.chain(ChangedFile::others(others)).collect())
            }
            false => None,
        };
        let diff = match reads("diff") {
            true => Some(cut(trees.diff(before, now, LARGEST_DIFF)?)),
            false => None,
        };
        Ok(Some(Self { changes, diff }))
    }
}

/// Returns the text of a diff. If the diff was truncated, the last line says so.
fn cut(diff: Diff) -> String {
    match diff.is_cut {
        true => format!(
            "{}[The diff has more than {} KB. The rest was left out.]\n",
            diff.text,
            LARGEST_DIFF / 1024
        ),
        false => diff.text,
    }
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
            iteration: None,
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
    /// The changes of the iteration up to this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) iteration: Option<Iteration>,
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

/// Returns the answer to the close of a workspace. `tree` has the resulting files of the loop.
///
/// # Errors
/// Returns an error if the changes cannot be determined.
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
