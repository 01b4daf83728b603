//! The result in the files of the source: merged with what the person changed meanwhile, or refused as a whole. The source's
//! index, refs and hooks are not touched.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::ApplyError;
use crate::{
    changes::Changes,
    error::Error,
    git::Repository,
    make::{self, Author, commit_tree},
    paths,
    record::{Index, update},
    source::Source,
    tree::Tree,
    workspace::Workspace,
};

/// The index of the source's files, in the record.
const INDEX: &str = "apply-index";

/// What applying would change in the files of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingPlan {
    /// The files as they are in the source, and as they would be.
    pub before: Tree,
    pub after: Tree,
    pub changes: Changes,
}

impl Workspace {
    /// Works out what applying a tree to the files of the source would change. Nothing is written in the source.
    ///
    /// # Errors
    /// [`ApplyError::Conflict`] names the files that changed in both places.
    pub fn plan_working(&self, tree: &Tree) -> Result<WorkingPlan, ApplyError> {
        let source = self.look_at_source()?;
        self.plan(&source, tree).map(|(plan, _)| plan)
    }

    /// Merges a tree into the files of the source. They show up as changes that are not staged.
    ///
    /// # Errors
    /// [`ApplyError`]. Nothing was changed then.
    pub fn apply_working(&self, tree: &Tree) -> Result<WorkingPlan, ApplyError> {
        let source = self.look_at_source()?;
        let (plan, at_source) = self.plan(&source, tree)?;
        if plan.changes.files.is_empty() {
            return Err(ApplyError::Nothing);
        }
        let index = Index::private(&at_source, &self.record.dir.join(INDEX));
        // git looks at all files first: it changes none if one is not as the private index says, or if one is in the way.
        let output = index
            .call(["read-tree", "-m", "-u"])
            .args([plan.before.hash(), plan.after.hash()])
            .output()?;
        if output.is_success() {
            return Ok(plan);
        }
        Err(ApplyError::Changed {
            source_folder: source.path,
            why: crate::git::said(&output),
        })
    }

    fn plan(&self, source: &Source, tree: &Tree) -> Result<(WorkingPlan, Repository), ApplyError> {
        self.must_have(tree)?;
        let at_source = Repository::new(&self.record.git, &self.record.dir, source.top());
        let before = self.record_source(source, &at_source)?;
        let merged = self.merge(before.hash(), tree.hash())?;
        let after = Tree::new(&merged, None)?;
        let changes = self.changes(&before, &after)?;
        let plan = WorkingPlan {
            before,
            after,
            changes,
        };
        Ok((plan, at_source))
    }

    /// Writes the files of the source as a tree of the record, with a private index.
    fn record_source(&self, source: &Source, at_source: &Repository) -> Result<Tree, ApplyError> {
        let file = self.record.dir.join(INDEX);
        remove(&file)?;
        let index = Index::private(at_source, &file);
        match &source.repository {
            Some(repository) => {
                make::take_index(repository, &self.record.dir, INDEX)?;
                make::refuse_unmerged(&index, repository)?;
            }
            None => index.call(["read-tree", self.base_tree().hash()]).done()?,
        }
        update(&index)?;
        let hash = index.call(["write-tree"]).text()?;
        Ok(Tree::new(&hash, None)?)
    }

    /// Merges two trees that both began with the base. Returns the merged tree.
    fn merge(&self, ours: &str, theirs: &str) -> Result<String, ApplyError> {
        let record = &self.record;
        let author = Author::own(make::now());
        // Two commits on the base: git then finds the base by itself, also before `--merge-base` existed.
        let base = Some(self.base());
        let ours = commit_tree(record, ours, base, "source\n", &author)?;
        let theirs = commit_tree(record, theirs, base, "workspace\n", &author)?;
        let output = record
            .call([
                "merge-tree",
                "--write-tree",
                "-z",
                "--name-only",
                "--no-messages",
            ])
            .args([&ours, &theirs])
            .output()?;
        let mut items = paths::list(&output.stdout);
        let merged = items
            .next()
            .map(|hash| String::from_utf8_lossy(hash).trim().to_owned());
        match (output.code, merged) {
            (Some(0), Some(merged)) => Ok(merged),
            (Some(1), Some(_)) => {
                let mut files: Vec<PathBuf> = items.map(paths::path).collect();
                files.dedup();
                Err(ApplyError::Conflict(files))
            }
            _ => Err(Error::Damaged {
                place: self.place.clone(),
                why: crate::git::said(&output),
            }
            .into()),
        }
    }
}

fn remove(file: &Path) -> Result<(), Error> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::file("remove", file)(error))
        }
        _ => Ok(()),
    }
}
