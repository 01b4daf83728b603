//! The changes that an iteration made to the files in its loop's workspace: the numbers of changes, the files and their
//! text. All functions here work even while a run is using the workspace.

use std::{collections::BTreeMap, path::PathBuf};

use loopwright_runs::{ApiError, Code, Env};
use loopwright_workspaces::{
    Change, ChangeKind, Changes, Content, Counts, Diff, FileMode, Listed, Tree, Trees, Version,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    files::{is_binary, path_name},
    given_back::{
        WorkspaceState, branch_name, failed, find_workspace, made_ms, recorded, remove_workspace,
        workspace_size, workspace_state, workspaces,
    },
    test_changes::{CheckScripts, TestChanges, test_changes},
    workspaces::{RunWorkspace, run_workspaces},
};

/// The maximum size of a diff that is shown, in bytes.
const LARGEST_DIFF: usize = 16 * 1024 * 1024;
/// The maximum size of a file whose text is shown, in bytes. Comparing two larger files takes seconds.
const LARGEST_TEXT: usize = 2 * 1024 * 1024;
/// The maximum length of a line in displayed text, in bytes. Laying out a longer line takes seconds.
const LONGEST_LINE: usize = 100_000;
/// The maximum number of files that are listed. Further files are only counted.
const MOST_FILES: usize = 5_000;
/// The changes that an iteration made to the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct IterationFiles {
    /// The number of the iteration, from 1.
    pub iteration: u32,
    pub files_changed: u64,
    pub insertions: u64,
    pub deletions: u64,
    /// The changes in tests; `None` if there is nothing to report.
    pub tests: Option<TestChanges>,
}

/// The state of the files that is the result of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LoopFiles {
    /// The number of the iteration in which these files were first recorded; 0 for the state before the first iteration.
    pub iteration: u32,
    /// Whether the iteration ended with these files. If not, later steps of the iteration changed them again.
    pub is_whole: bool,
}

/// The workspace of a loop, with the changes of its iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LoopWorkspace {
    /// The path of the loop.
    pub path: String,
    /// The folder that was copied; empty if the workspace is not on this computer.
    pub source: String,
    /// The time of the copy, in milliseconds since the Unix epoch, UTC; `None` if the workspace is not on this
    /// computer.
    pub made_at: Option<i64>,
    /// The time at which a result was last applied, in milliseconds since the Unix epoch, UTC; `None` if none was.
    pub applied_at: Option<i64>,
    /// Whether the run is using the workspace.
    pub is_open: bool,
    /// The number of the last iteration that recorded its files; 0 if no iteration did.
    pub last: u32,
    /// The files that are the result of the loop, if these are not the files after the last iteration; otherwise
    /// `None`.
    pub result: Option<LoopFiles>,
    /// The iterations that recorded their files. Iterations that ran no step that may change files are left out.
    pub iterations: Vec<IterationFiles>,
    /// The name to propose for a branch with the result.
    pub branch_name: String,
    /// The reason why the files cannot be shown; `None` if they can be shown.
    pub problem: Option<String>,
}

/// A file that differs between two states of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The path relative to the top folder of the repository, with `/` between folders. Invisible characters, and bytes that
    /// are not text, are escaped.
    pub name: String,
    /// The previous name if the file was renamed; otherwise `None`.
    pub old_name: Option<String>,
    pub change: FileChange,
    /// The number of added lines; `None` if the file is not text.
    pub insertions: Option<u64>,
    /// The number of removed lines; `None` if the file is not text.
    pub deletions: Option<u64>,
    pub before: Option<FileVersion>,
    pub after: Option<FileVersion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FileChange {
    Added,
    Edited,
    Deleted,
    Renamed,
    /// The type of the entry changed, such as from a file to a link or to a repository.
    Retyped,
}

/// A version of a file, as one state of a workspace contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FileVersion {
    pub kind: FileKind,
    /// The hash by which git identifies the content.
    pub hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    File,
    Executable,
    Link,
    Repository,
}

/// The files that differ between two states of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FileChanges {
    /// The files in order of path, at most 5,000.
    pub files: Vec<ChangedFile>,
    /// The number of all files that differ.
    pub total: u64,
    pub insertions: u64,
    pub deletions: u64,
    /// The changes in tests; `None` if there is nothing to report, or if the changes are unknown.
    pub tests: Option<TestChanges>,
}

/// The text of a file, or the reason why the text is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum FileText {
    /// The file does not exist in this state.
    Absent,
    Text {
        text: String,
        /// Whether bytes that are not UTF-8 were replaced.
        is_lossy: bool,
    },
    Binary {
        bytes: u64,
    },
    TooLarge {
        bytes: u64,
    },
    /// A line is too long to be shown.
    LongLine {
        bytes: u64,
    },
}

/// The text of a file in two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FileTexts {
    pub before: FileText,
    pub after: FileText,
}

fn version(version: &Version) -> FileVersion {
    FileVersion {
        kind: match version.mode {
            FileMode::File => FileKind::File,
            FileMode::Executable => FileKind::Executable,
            FileMode::Link => FileKind::Link,
            FileMode::Repository => FileKind::Repository,
        },
        hash: version.hash.clone(),
    }
}

impl From<&Change> for ChangedFile {
    fn from(change: &Change) -> Self {
        let (insertions, deletions) = change.lines.unzip();
        Self {
            name: path_name(&change.path),
            old_name: change.from.as_deref().map(path_name),
            change: match change.kind {
                ChangeKind::Added => FileChange::Added,
                ChangeKind::Modified => FileChange::Edited,
                ChangeKind::Deleted => FileChange::Deleted,
                ChangeKind::Renamed => FileChange::Renamed,
                ChangeKind::TypeChanged => FileChange::Retyped,
            },
            insertions,
            deletions,
            before: change.before.as_ref().map(version),
            after: change.after.as_ref().map(version),
        }
    }
}

impl From<&Changes> for FileChanges {
    fn from(changes: &Changes) -> Self {
        let files = changes.files.iter().take(MOST_FILES);
        Self {
            files: files.map(ChangedFile::from).collect(),
            total: changes.files.len() as u64,
            insertions: changes.insertions,
            deletions: changes.deletions,
            tests: None,
        }
    }
}

/// Read-only access to the recorded states of a workspace.
pub struct WorkspaceStates {
    recorded: RunWorkspace,
    trees: Trees,
    listed: Listed,
    /// The scripts that the Check nodes of the run's flow execute.
    scripts: CheckScripts,
}

impl WorkspaceStates {
    /// Finds a workspace as [`find_workspace`](crate::find_workspace) does, and returns its recorded states.
    ///
    /// # Errors
    /// [`Code::NotFound`] if the workspace is not on this computer; [`Code::InvalidArgument`] if the run has several
    /// workspaces and `path` is `None`.
    pub fn find(env: &Env, run_id: &str, path: Option<&str>) -> Result<Self, ApiError> {
        let listed = find_workspace(env, run_id, path)?;
        let recorded = recorded(env, &listed)?;
        Self::of(env, listed, recorded)
    }

    fn of(env: &Env, listed: Listed, recorded: RunWorkspace) -> Result<Self, ApiError> {
        let trees = env.workspaces().trees(&listed);
        let (header, _) = env.journal().run(&listed.run)?;
        Ok(Self {
            trees: trees.map_err(|error| failed(&error))?,
            scripts: CheckScripts::of(&header.document),
            recorded,
            listed,
        })
    }

    fn pair(&self, from: u32, to: Option<u32>) -> Result<(Tree, Tree), ApiError> {
        let to = self.recorded.tree_of(to)?;
        Ok((self.recorded.tree_at(from)?, to))
    }

    /// Lists the files that differ between iterations `from` and `to`, where 0 is the state before the first iteration.
    /// Without `to`, the result of the loop is compared.
    ///
    /// # Errors
    /// Returns an error if the workspace lacks one of the states.
    pub fn changes(&self, from: u32, to: Option<u32>) -> Result<FileChanges, ApiError> {
        let pair = self.pair(from, to)?;
        let changes = self.trees.changes(&pair.0, &pair.1);
        let changes = changes.map_err(|error| failed(&error))?;
        Ok(FileChanges {
            tests: self.tests(&[pair])?.pop().flatten(),
            ..FileChanges::from(&changes)
        })
    }

    fn tests(&self, pairs: &[(Tree, Tree)]) -> Result<Vec<Option<TestChanges>>, ApiError> {
        test_changes(&self.trees, pairs, &self.scripts)
    }

    /// Returns the changes in tests between two iterations, which are selected as in [`Self::changes`]; `None` if there is
    /// nothing to report.
    ///
    /// # Errors
    /// Returns an error if the workspace lacks one of the states.
    pub fn test_changes(
        &self,
        from: u32,
        to: Option<u32>,
    ) -> Result<Option<TestChanges>, ApiError> {
        Ok(self.tests(&[self.pair(from, to)?])?.pop().flatten())
    }

    /// Returns the difference between two iterations, which are selected as in [`Self::changes`], as a unified diff.
    ///
    /// # Errors
    /// Returns an error if the workspace lacks one of the states.
    pub fn diff(&self, from: u32, to: Option<u32>) -> Result<Diff, ApiError> {
        let (from, to) = self.pair(from, to)?;
        let diff = self.trees.diff(&from, &to, LARGEST_DIFF);
        diff.map_err(|error| failed(&error))
    }

    /// Counts the changes of each iteration, from iteration `first` on.
    fn iterations(&self, first: u32) -> Result<Vec<IterationFiles>, ApiError> {
        let numbers: Vec<u32> = self
            .recorded
            .iterations
            .keys()
            .copied()
            .filter(|number| *number >= first)
            .collect();
        let pairs = numbers
            .iter()
            .map(|number| self.pair(number - 1, Some(*number)))
            .collect::<Result<Vec<_>, _>>()?;
        let counts = self.trees.counts(&pairs).map_err(|error| failed(&error))?;
        let iterations = numbers.into_iter().zip(counts).zip(self.tests(&pairs)?);
        Ok(iterations
            .map(|((iteration, counts), tests)| iteration_files(iteration, counts, tests))
            .collect())
    }

    fn text(&self, version: Option<&FileVersion>) -> Result<FileText, ApiError> {
        let Some(FileVersion { kind, hash }) = version else {
            return Ok(FileText::Absent);
        };
        let mode = match kind {
            FileKind::File => FileMode::File,
            FileKind::Executable => FileMode::Executable,
            FileKind::Link => FileMode::Link,
            FileKind::Repository => FileMode::Repository,
        };
        let content = Version::new(mode, hash)
            .and_then(|version| self.trees.content(&version, LARGEST_TEXT))
            .map_err(|error| failed(&error))?;
        Ok(match content {
            Content::TooLarge(bytes) => FileText::TooLarge { bytes },
            Content::Whole(content) => text_of(content),
        })
    }

    /// Returns the text of both versions of a file that [`Self::changes`] listed.
    ///
    /// # Errors
    /// Returns an error if the workspace does not have the file.
    pub fn texts(
        &self,
        before: Option<&FileVersion>,
        after: Option<&FileVersion>,
    ) -> Result<FileTexts, ApiError> {
        Ok(FileTexts {
            before: self.text(before)?,
            after: self.text(after)?,
        })
    }
}

fn iteration_files(iteration: u32, counts: Counts, tests: Option<TestChanges>) -> IterationFiles {
    IterationFiles {
        iteration,
        files_changed: counts.files,
        insertions: counts.insertions,
        deletions: counts.deletions,
        tests,
    }
}

fn text_of(content: Vec<u8>) -> FileText {
    let bytes = content.len() as u64;
    if is_binary(&content) {
        return FileText::Binary { bytes };
    }
    let longest = content.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
    if longest.is_some_and(|longest| longest > LONGEST_LINE) {
        return FileText::LongLine { bytes };
    }
    match String::from_utf8(content) {
        Ok(text) => FileText::Text {
            text,
            is_lossy: false,
        },
        Err(error) => FileText::Text {
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            is_lossy: true,
        },
    }
}

/// Returns the workspace of a loop, with the changes of its iterations from iteration `first` on. Returns `None` if the loop
/// has no workspace.
///
/// # Errors
/// Returns an error if the run does not exist or its records cannot be read.
pub fn loop_workspace(
    env: &Env,
    run_id: &str,
    path: &str,
    first: u32,
) -> Result<Option<LoopWorkspace>, ApiError> {
    let recorded = run_workspaces(env, run_id)?;
    let Some(recorded) = recorded.into_iter().find(|recorded| recorded.path == path) else {
        return Ok(None);
    };
    let last = recorded.iterations.keys().next_back();
    let mut shown = LoopWorkspace {
        path: path.to_owned(),
        source: String::new(),
        made_at: None,
        applied_at: None,
        is_open: env.workspaces().is_open(run_id, path),
        last: last.copied().unwrap_or(0),
        result: recorded.earlier.as_ref().map(|result| LoopFiles {
            iteration: result.iteration,
            is_whole: recorded.tree_after(result.iteration) == result.tree,
        }),
        iterations: Vec::new(),
        branch_name: branch_name(run_id),
        problem: None,
    };
    let states = find_workspace(env, run_id, Some(path))
        .and_then(|listed| WorkspaceStates::of(env, listed, recorded));
    match states {
        Ok(states) => {
            shown.source = path_name(&states.listed.source);
            shown.made_at = Some(made_ms(&states.listed));
            shown.applied_at = applied_ms(&states.listed);
            match states.iterations(first) {
                Ok(iterations) => shown.iterations = iterations,
                Err(error) => shown.problem = Some(error.message),
            }
        }
        Err(error) => shown.problem = Some(error.message),
    }
    Ok(Some(shown))
}

pub(crate) fn applied_ms(listed: &Listed) -> Option<i64> {
    let seconds = i64::try_from(listed.applied_at?).ok()?;
    Some(seconds.saturating_mul(1000))
}

/// Returns the changes of each iteration of a run's loops, keyed by the path of the loop. A loop whose workspace is not on
/// this computer is left out.
///
/// # Errors
/// Returns an error if the run does not exist or its records cannot be read.
pub fn changed_files(
    env: &Env,
    run_id: &str,
) -> Result<BTreeMap<String, Vec<IterationFiles>>, ApiError> {
    let mut found = BTreeMap::new();
    for recorded in run_workspaces(env, run_id)? {
        let path = recorded.path.clone();
        let iterations = find_workspace(env, run_id, Some(&path))
            .and_then(|listed| WorkspaceStates::of(env, listed, recorded))
            .and_then(|states| states.iterations(1));
        if let Ok(iterations) = iterations {
            found.insert(path, iterations);
        }
    }
    Ok(found)
}

/// A workspace on this computer, as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRow {
    /// The id with which other commands select the workspace.
    pub id: String,
    pub run_id: String,
    /// The name of the run's flow; `None` if the run was deleted.
    pub flow: Option<String>,
    /// The path of the loop.
    pub path: String,
    /// The folder that was copied.
    pub source: String,
    /// The folder of the copy.
    pub folder: String,
    /// The time of the copy, in milliseconds since the Unix epoch, UTC.
    pub made_at: i64,
    pub bytes: u64,
    pub state: WorkspaceState,
}

/// Lists the workspaces on this computer, the oldest first.
///
/// # Errors
/// Returns an error if the records of runs cannot be read.
pub fn workspace_rows(env: &Env) -> Result<Vec<WorkspaceRow>, ApiError> {
    let rows = workspaces(env).into_iter().map(|listed| {
        let state = workspace_state(env, &listed)?;
        let run = env.journal().run(&listed.run);
        Ok(WorkspaceRow {
            id: id(&listed),
            flow: run.ok().map(|(header, _)| header.flow),
            path: listed.loop_path.clone(),
            source: path_name(&listed.source),
            folder: path_name(&listed.path),
            made_at: made_ms(&listed),
            bytes: workspace_size(&listed).total(),
            state,
            run_id: listed.run,
        })
    });
    rows.collect()
}

/// Returns the id of a workspace: the part of its path that distinguishes it from all other workspaces.
fn id(listed: &Listed) -> String {
    let parts: Vec<_> = listed.place.components().rev().take(3).collect();
    let id: PathBuf = parts.into_iter().rev().collect();
    id.to_string_lossy().into_owned()
}

/// Finds the workspace with the id `of`.
///
/// # Errors
/// [`Code::NotFound`] if the workspace was removed.
pub fn workspace_of_row(env: &Env, of: &str) -> Result<Listed, ApiError> {
    let mut all = workspaces(env).into_iter();
    all.find(|listed| id(listed) == of)
        .ok_or_else(|| ApiError::new(Code::NotFound, "This workspace was removed."))
}

/// Removes the workspace with the id `of`. If `unapplied` is true, the workspace is removed even if changes that were not
/// applied are lost.
///
/// # Errors
/// [`Code::InvalidArgument`] if changes would be lost, if a run is using the workspace, or if the workspace cannot be
/// removed.
pub fn remove_row(env: &Env, of: &str, unapplied: bool) -> Result<(), ApiError> {
    let listed = workspace_of_row(env, of)?;
    if !unapplied && workspace_state(env, &listed)?.may_lose_changes() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The last changes in this workspace were not applied. Apply them first, or confirm that you want to lose them.",
        ));
    }
    remove_workspace(env, &listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_with_lines_of_a_usual_length_are_shown() {
        let text = |content: &[u8]| text_of(content.to_vec());
        assert_eq!(
            text(b"a\nb\n"),
            FileText::Text {
                text: "a\nb\n".to_owned(),
                is_lossy: false
            }
        );
        assert_eq!(
            text(b"caf\xe9"),
            FileText::Text {
                text: "caf\u{fffd}".to_owned(),
                is_lossy: true
            }
        );
        assert_eq!(text(b"a\0b"), FileText::Binary { bytes: 3 });
        let long = vec![b'x'; LONGEST_LINE + 1];
        assert_eq!(
            text(&long),
            FileText::LongLine {
                bytes: LONGEST_LINE as u64 + 1
            }
        );
    }
}
