//! The repository of a source.

use std::path::PathBuf;

use crate::git::Git;

/// The repository of a source.
#[derive(Debug, Clone)]
pub struct SourceRepository {
    /// The top folder of its files.
    pub top: PathBuf,
    /// The folder that was named, from the top. Empty if it is the top.
    pub subfolder: PathBuf,
    /// The folder with HEAD and the index.
    pub git_dir: PathBuf,
    /// The folder with objects and refs. It differs from `git_dir` in a worktree.
    pub common_dir: PathBuf,
    /// `sha1` or `sha256`.
    pub object_format: String,
    /// The branch that is checked out; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// The commit that is checked out; `None` if there is no commit yet.
    pub head: Option<String>,
    pub is_shallow: bool,
    /// Whether objects may be missing because they were not fetched.
    pub is_partial: bool,
    pub is_sparse: bool,
    pub has_submodules: bool,
    /// Whether its top folder names files of Git LFS.
    pub has_lfs: bool,
    /// What is in progress, such as `a rebase`.
    pub in_progress: Option<&'static str>,
}

impl SourceRepository {
    pub(crate) fn objects(&self) -> PathBuf {
        self.common_dir.join("objects")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// git for commands in this repository.
    pub(crate) fn git(&self, git: &Git) -> Git {
        git.clone()
            .trusting(&[&self.top, &self.git_dir, &self.common_dir])
    }
}
