//! Merges a result with the files of the source, which the user may have changed in the meantime. If the result conflicts
//! with them, nothing is applied. The source's index, refs and hooks are not changed.

use std::{collections::HashSet, path::PathBuf};

use super::{ApplyError, in_the_way};
use crate::{
    changes::Changes,
    delete,
    error::Error,
    git::Repository,
    make::{self, Author, commit_tree},
    paths,
    record::{Index, modules, update},
    source::{self, Source},
    tree::Tree,
    workspace::Workspace,
};

/// The name of the index, in the record, that describes the source's files.
const INDEX: &str = "apply-index";

/// The changes that applying a result would make in the files of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingPlan {
    /// The current files of the source. `after` has the files after the merge.
    pub before: Tree,
    pub after: Tree,
    pub changes: Changes,
}

impl Workspace {
    /// Computes the changes that applying a tree would make in the files of the source. Writes nothing in the source.
    ///
    /// # Errors
    /// [`ApplyError::Conflict`] names the files that changed in both places. [`ApplyError::InTheWay`] names ignored files
    /// that would be overwritten.
    pub fn plan_working(&self, tree: &Tree) -> Result<WorkingPlan, ApplyError> {
        let source = self.look_at_source()?;
        self.plan(&source, tree).map(|(plan, _)| plan)
    }

    /// Merges a tree into the files of the source, and returns the changes that were made. They appear as unstaged changes.
    ///
    /// # Errors
    /// Returns [`ApplyError`]. In that case, nothing was changed, except after [`ApplyError::Partly`].
    pub fn apply_working(&self, tree: &Tree) -> Result<WorkingPlan, ApplyError> {
        let source = self.look_at_source()?;
        let (plan, at_source) = self.plan(&source, tree)?;
        if plan.changes.files.is_empty() {
            return Err(ApplyError::Nothing);
        }
        let index = Index::private(&at_source, &self.record.dir.join(INDEX));
        match write(&index, &plan) {
            Ok(None) => {
                let files = plan.changes.files.iter().map(|file| file.path.as_path());
                make::lfs::fill_files(&self.record, source.top(), files)?;
                if let Some(repository) = &source.repository {
                    make::lfs::give_contents(&self.record.dir, &repository.common_dir)?;
                }
                Ok(plan)
            }
            Ok(Some(why)) => Err(self.undo(&source, &at_source, &plan, why)?),
            Err(error) => Err(self.undo(&source, &at_source, &plan, error.to_string())?),
        }
    }

    /// Reverts the files that a failed apply has written, and returns the reason for the failure.
    fn undo(
        &self,
        source: &Source,
        at_source: &Repository,
        plan: &WorkingPlan,
        why: String,
    ) -> Result<ApplyError, ApplyError> {
        let source_folder = source.path.clone();
        let now = self.record_source(source, at_source)?;
        let not_ours: HashSet<PathBuf> = self.paths(&plan.after, &now)?.into_iter().collect();
        let mut files = self.paths(&plan.before, &plan.after)?;
        // The merge wrote those files that have their planned content. Another program changed the others in the meantime.
        files.retain(|path| !not_ours.contains(path));
        if files.is_empty() {
            return Ok(ApplyError::Changed { source_folder, why });
        }
        let back = self.with_some_of(&now, &plan.before, &files)?;
        let index = Index::private(at_source, &self.record.dir.join(INDEX));
        let undone = WorkingPlan {
            before: now,
            after: back,
            changes: Changes::default(),
        };
        Ok(match write(&index, &undone) {
            Ok(None) => ApplyError::NotWritable { source_folder, why },
            _ => ApplyError::Partly {
                source_folder,
                files,
                why,
            },
        })
    }

    fn paths(&self, from: &Tree, to: &Tree) -> Result<Vec<PathBuf>, Error> {
        let changes = self.changes(from, to)?;
        Ok(changes.files.into_iter().map(|file| file.path).collect())
    }

    /// Returns `tree` with the files in `some` replaced by those in `other`.
    fn with_some_of(&self, tree: &Tree, other: &Tree, some: &[PathBuf]) -> Result<Tree, Error> {
        let record = &self.record;
        let file = record.dir.join("undo-index");
        let index = Index::private(record, &file);
        index.call(["read-tree", tree.hash()]).done()?;
        let zero = "0".repeat(tree.hash().len());
        let mut lines = Vec::new();
        for path in some {
            lines.extend(format!("0 {zero}\t").into_bytes());
            lines.extend_from_slice(paths::bytes(path));
            lines.push(0);
        }
        let listed = record.call(["ls-tree", "-r", "-z", other.hash()]).bytes()?;
        let some: HashSet<&[u8]> = some.iter().map(|path| paths::bytes(path)).collect();
        for line in paths::list(&listed) {
            // `--index-info` reads lines of the same form: `mode kind hash`, a tab, and the path.
            let path = line.splitn(2, |byte| *byte == b'\t').nth(1);
            if path.is_some_and(|path| some.contains(path)) {
                lines.extend_from_slice(line);
                lines.push(0);
            }
        }
        index
            .call(["update-index", "-z", "--index-info"])
            .input(lines)
            .done()?;
        let hash = index.call(["write-tree"]).text()?;
        delete::file(&file)?;
        Tree::new(&hash, None)
    }

    fn plan(&self, source: &Source, tree: &Tree) -> Result<(WorkingPlan, Repository), ApplyError> {
        self.must_have(tree)?;
        let at_source = Repository::new(&self.record.git, &self.record.dir, source.top());
        let before = self.record_source(source, &at_source)?;
        let merged = self.merge(before.hash(), tree.hash())?;
        let after = Tree::new(&merged, None)?;
        let changes = self.changes(&before, &after)?;
        let in_the_way = in_the_way::find(source.top(), &changes);
        if !in_the_way.is_empty() {
            return Err(ApplyError::InTheWay(in_the_way));
        }
        let plan = WorkingPlan {
            before,
            after,
            changes,
        };
        Ok((plan, at_source))
    }

    /// Writes the files of the source as a tree of the record, with a private index. Returns the tree.
    fn record_source(&self, source: &Source, at_source: &Repository) -> Result<Tree, ApplyError> {
        let file = self.record.dir.join(INDEX);
        delete::file(&file)?;
        let index = Index::private(at_source, &file);
        match &source.repository {
            Some(repository) => {
                source::take_index(repository, &self.record.dir, INDEX)?;
                make::refuse_unmerged(&index, repository)?;
            }
            None => index.call(["read-tree", self.base_tree().hash()]).done()?,
        }
        update(&index, false)?;
        // Refreshes the times of unchanged files in the index: git changes only files that match the index. Status 1 means
        // that a file has changed in the meantime.
        index.call(["update-index", "-q", "--refresh"]).output()?;
        let hash = index.call(["write-tree"]).text()?;
        Ok(Tree::new(&hash, None)?)
    }

    /// Merges two trees that are both based on the workspace's base. Returns the merged tree.
    fn merge(&self, ours: &str, theirs: &str) -> Result<String, ApplyError> {
        let record = &self.record;
        let author = Author::own(make::now());
        // With two commits on top of the base, git finds the base itself, even in versions without `--merge-base`.
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

/// Writes a merge into the files of the source. Returns git's message if git refused or failed to write the files, otherwise
/// `None`.
fn write(index: &Index<'_>, plan: &WorkingPlan) -> Result<Option<String>, Error> {
    let record = index.repository;
    let (before, after) = (plan.before.hash(), plan.after.hash());
    let entries = (
        modules::in_tree(record, before)?,
        modules::in_tree(record, after)?,
    );
    let rest = if entries.0 == entries.1 {
        after.to_owned()
    } else {
        let changed = ["ls-files", "-m", "--", modules::MODULES];
        if !index.call(changed).bytes()?.is_empty() {
            return Ok(Some(format!("{} has changed", modules::MODULES)));
        }
        modules::with(record, after, entries.0.clone())?
    };
    // git checks all files first. It changes none of them if one differs from the private index.
    let output = index
        .call(["read-tree", "-m", "-u", before, &rest])
        .output()?;
    if !output.is_success() {
        return Ok(Some(crate::git::said(&output)));
    }
    if entries.0 != entries.1 {
        modules::write(index, entries.1.as_ref())?;
    }
    Ok(None)
}
