//! Creates commits in a record.

use crate::git::{GitError, Repository};

/// The author of a commit, and the commit's time.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    pub(crate) name: String,
    pub(crate) email: String,
    /// The time of the commit, in seconds since the Unix epoch.
    pub(crate) time: u64,
}

impl Author {
    /// Returns Loopwright as the author, for commits that are not shown to the user.
    pub(crate) fn own(time: u64) -> Self {
        Self {
            name: "Loopwright".to_owned(),
            email: "loopwright@localhost".to_owned(),
            time,
        }
    }
}

/// Creates a commit of a tree. Returns its hash.
///
/// # Errors
/// Returns an error if git cannot create the commit.
pub(crate) fn commit_tree(
    repository: &Repository,
    tree: &str,
    parent: Option<&str>,
    message: &str,
    author: &Author,
) -> Result<String, GitError> {
    // Without `@`, git does not accept a small number as a time.
    let date = format!("@{} +0000", author.time);
    let parent: Vec<&str> = parent
        .map(|parent| ["-p", parent])
        .into_iter()
        .flatten()
        .collect();
    repository
        .call(["commit-tree", tree])
        .args(parent)
        .args(["-F", "-"])
        .env("GIT_AUTHOR_NAME", &author.name)
        .env("GIT_AUTHOR_EMAIL", &author.email)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_NAME", &author.name)
        .env("GIT_COMMITTER_EMAIL", &author.email)
        .env("GIT_COMMITTER_DATE", &date)
        .input(message.as_bytes().to_vec())
        .text()
}
