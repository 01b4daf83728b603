//! What differs between two trees.

use std::{ffi::OsStr, path::PathBuf};

use crate::{error::Result, git::GitError, paths, tree::Tree, workspace::Workspace};

/// Options of every comparison. The last one keeps git from reading `.gitmodules`, which a program may have written: it could
/// hide the change of a submodule, and git fails if it cannot read the file.
pub(crate) const DIFF_OPTIONS: [&str; 4] = [
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// A file became a link or a repository, or the reverse.
    TypeChanged,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: ChangeKind,
    /// Added and removed lines; `None` for a file that is not text.
    pub lines: Option<(u64, u64)>,
}

/// All files that differ between two trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub files: Vec<Change>,
    pub insertions: u64,
    pub deletions: u64,
}

/// A difference as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub text: String,
    /// Whether the text ends before the difference does.
    pub is_cut: bool,
}

impl Workspace {
    /// Lists the files that differ between two trees.
    ///
    /// # Errors
    /// [`NoTree`](crate::Error::NoTree) if the workspace lacks one of them, or an error of git.
    pub fn changes(&self, from: &Tree, to: &Tree) -> Result<Changes> {
        let listed = self
            .record
            .call(["diff-tree", "-r", "-z", "--raw", "--numstat"])
            .args(DIFF_OPTIONS)
            .args([from.hash(), to.hash()])
            .bytes();
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                self.must_have(from)?;
                self.must_have(to)?;
                return Err(error.into());
            }
        };
        Ok(read(&listed)?)
    }

    /// Returns the difference between two trees as a unified diff of at most `limit` bytes, which ends at a line.
    ///
    /// # Errors
    /// As [`Self::changes`].
    pub fn diff(&self, from: &Tree, to: &Tree, limit: usize) -> Result<Diff> {
        let (bytes, is_cut) = self.unified(from, to, &["-p"], limit)?;
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            text.truncate(end);
        }
        Ok(Diff { text, is_cut })
    }

    /// Returns a patch that `git apply` turns one tree into the other with, also for files that are not text. `None` if it has
    /// more than `limit` bytes.
    ///
    /// # Errors
    /// As [`Self::changes`].
    pub fn patch(&self, from: &Tree, to: &Tree, limit: usize) -> Result<Option<Vec<u8>>> {
        let options = ["-p", "--binary", "--full-index"];
        let (bytes, is_cut) = self.unified(from, to, &options, limit)?;
        Ok((!is_cut).then_some(bytes))
    }

    /// Writes the patch from one tree to another into a file of the workspace, and returns its path.
    ///
    /// # Errors
    /// As [`Self::changes`].
    pub(crate) fn write_patch(&self, from: &Tree, to: &Tree) -> Result<PathBuf> {
        let file = self.place.join("result.patch");
        let mut output = std::ffi::OsString::from("--output=");
        output.push(&file);
        let options = ["-p", "--binary", "--full-index"].map(std::ffi::OsString::from);
        let options: Vec<_> = options.into_iter().chain([output]).collect();
        self.unified(from, to, &options, usize::MAX)?;
        Ok(file)
    }

    fn unified(
        &self,
        from: &Tree,
        to: &Tree,
        options: &[impl AsRef<OsStr>],
        limit: usize,
    ) -> Result<(Vec<u8>, bool)> {
        let output = self
            .record
            .call(["diff-tree", "-r", "--no-color"])
            .args(DIFF_OPTIONS)
            .args(options)
            .args([from.hash(), to.hash()])
            .limit(limit)
            .output()?;
        if output.is_success() {
            return Ok((output.stdout, output.is_cut));
        }
        self.must_have(from)?;
        self.must_have(to)?;
        let folder = self.record.dir.clone();
        Err(GitError::failed("git diff-tree".to_owned(), folder, &output).into())
    }
}

/// Reads `:mode mode hash hash status`, a path, and so on, then `insertions deletions path` of each file.
fn read(listed: &[u8]) -> Result<Changes, GitError> {
    let unreadable = |item: &[u8]| GitError::Unreadable {
        command: "git diff-tree",
        what: String::from_utf8_lossy(item).into_owned(),
    };
    let mut items = paths::list(listed).peekable();
    let mut changes = Changes::default();
    while let Some(item) = items.next_if(|item| item.starts_with(b":")) {
        let path = items.next().ok_or_else(|| unreadable(item))?;
        let kind = match item.iter().rev().find(|byte| byte.is_ascii_uppercase()) {
            Some(b'A') => ChangeKind::Added,
            Some(b'D') => ChangeKind::Deleted,
            Some(b'T') => ChangeKind::TypeChanged,
            _ => ChangeKind::Modified,
        };
        changes.files.push(Change {
            path: paths::path(path),
            kind,
            lines: None,
        });
    }
    let mut at = 0;
    for item in items {
        let mut fields = item.splitn(3, |byte| *byte == b'\t');
        let (Some(plus), Some(minus), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(unreadable(item));
        };
        let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<u64>().ok();
        let lines = number(plus).zip(number(minus));
        let path = paths::path(path);
        // Both parts have the same order. A type change has two counts.
        while changes.files.get(at).is_some_and(|file| file.path != path) {
            at += 1;
        }
        if let (Some(file), Some((plus, minus))) = (changes.files.get_mut(at), lines) {
            let before = file.lines.unwrap_or_default();
            file.lines = Some((before.0 + plus, before.1 + minus));
            changes.insertions += plus;
            changes.deletions += minus;
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_lines_and_counts_are_joined() {
        let listed =
            b":100644 100644 a b M\0a\tb\0:000000 100644 0 c A\0bin\0:100644 120000 d e T\0t\0\
            3\t1\ta\tb\0-\t-\tbin\x001\t0\tt\x000\t2\tt\0";
        let changes = read(listed).unwrap();
        let seen: Vec<_> = changes
            .files
            .iter()
            .map(|file| (file.kind, file.lines))
            .collect();
        assert_eq!(
            seen,
            [
                (ChangeKind::Modified, Some((3, 1))),
                (ChangeKind::Added, None),
                (ChangeKind::TypeChanged, Some((1, 2))),
            ]
        );
        assert_eq!((changes.insertions, changes.deletions), (4, 3));
        assert!(read(b"nonsense\0").is_err());
    }
}
