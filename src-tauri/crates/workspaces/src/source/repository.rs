//! The repository to which a source belongs.

use std::path::PathBuf;

use crate::git::Git;

/// The repository to which a source belongs.
#[derive(Debug, Clone)]
pub struct SourceRepository {
    /// The top folder of the repository's files.
    pub top: PathBuf,
    /// The path of the named folder, relative to the top folder. It is empty for the top folder itself.
    pub subfolder: PathBuf,
    /// The folder with HEAD and the index.
    pub git_dir: PathBuf,
    /// The folder with objects and refs. It differs from `git_dir` in a worktree.
    pub common_dir: PathBuf,
    /// The hash algorithm: `sha1` or `sha256`.
    pub object_format: String,
    /// The branch that is checked out, or `None` if HEAD is detached.
    pub branch: Option<String>,
    /// The commit that is checked out, or `None` if there is no commit yet.
    pub head: Option<String>,
    pub is_shallow: bool,
    /// Whether objects may be missing because they were not fetched.
    pub is_partial: bool,
    pub is_sparse: bool,
    pub has_submodules: bool,
    /// Whether `.gitattributes` in the top folder uses the filter of Git LFS (`filter=lfs`).
    pub has_lfs: bool,
    /// The operation in progress, such as `a rebase`, or `None` if there is none.
    pub in_progress: Option<&'static str>,
}

impl SourceRepository {
    pub(crate) fn objects(&self) -> PathBuf {
        self.common_dir.join("objects")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// Returns the git program for commands in this repository.
    pub(crate) fn git(&self, git: &Git) -> Git {
        git.clone()
            .trusting(&[&self.top, &self.git_dir, &self.common_dir])
    }
}
