//! Examines a source before a workspace is created: whether a base can be used, and whether there are uncommitted changes.

use super::{Configuration, IndexCopy, Refused, Source, SourceRepository};
use crate::{
    error::{Error, Result},
    git::{Git, GitError},
    make::{Base, refuse_unmerged},
};

impl SourceRepository {
    /// Returns an error if the state of the repository does not allow this base. `has_commit` is true if a commit is checked
    /// out.
    pub(crate) fn refuse_base(&self, base: &Base, has_commit: bool) -> Result<(), Refused> {
        let path = self.top.clone();
        match (base, self.in_progress) {
            (Base::Named(_), _) => Ok(()),
            (_, Some(operation)) => Err(Refused::InProgress { operation, path }),
            (Base::Head, None) if !has_commit => Err(Refused::NoCommit(path)),
            _ => Ok(()),
        }
    }
}

impl Source {
    /// Returns the reason why a workspace cannot start from `base`, or `None` if it can. Whether a named commit exists is
    /// not checked, and missing objects of a partial clone are detected only when the workspace is created. Writes nothing.
    ///
    /// # Errors
    /// Returns an error if the repository's index cannot be copied or read.
    pub fn refused_base(&self, base: &Base) -> Result<Option<Refused>> {
        let Some(repository) = &self.repository else {
            return Ok(None);
        };
        if let Err(refused) = repository.refuse_base(base, repository.head.is_some()) {
            return Ok(Some(refused));
        }
        if *base != Base::Working {
            return Ok(None);
        }
        let git = repository.git(&Git::new(&self.person)?);
        let copy = IndexCopy::of(&git, repository)?;
        match refuse_unmerged(&copy.index(), repository) {
            Ok(()) => Ok(None),
            Err(Error::Refused(refused)) => Ok(Some(refused)),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the repository has uncommitted changes: changed, staged or new files. A folder without git has none.
    /// Writes nothing, and starts no filter or hook.
    ///
    /// # Errors
    /// Returns an error if git fails, or if the repository's index cannot be copied.
    pub fn has_changes(&self) -> Result<bool> {
        let Some(repository) = &self.repository else {
            return Ok(false);
        };
        let git = repository.git(&Git::new(&self.person)?);
        let configuration = Configuration::read(&git, &repository.top)?;
        let copy = IndexCopy::of(&git, repository)?;
        // `git status` is not used: it would also run in nested repositories, with their filters.
        let listed = copy
            .configured(&configuration)
            .args(["ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"])
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", repository.objects())
            .limit(1)
            .bytes()?;
        if !listed.is_empty() {
            return Ok(true);
        }
        let against = match &repository.head {
            Some(head) => head.clone(),
            None => empty_tree(&repository.object_format).to_owned(),
        };
        let staged = git
            .within(
                &repository.top,
                ["diff-index", "--cached", "--quiet", "--no-ext-diff"],
            )
            .arg(against)
            .arg("--")
            .output()?;
        match staged.code {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => {
                let (name, folder) = ("git diff-index".to_owned(), repository.top.clone());
                Err(GitError::failed(name, folder, &staged).into())
            }
        }
    }
}

/// Returns git's hash of the empty tree.
fn empty_tree(object_format: &str) -> &'static str {
    match object_format {
        "sha256" => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
}
