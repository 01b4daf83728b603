//! Keeps recorded trees: their objects are stored in the record itself, and a ref points to each tree.

use std::{fs, path::Path};

use crate::{
    changes::DIFF_OPTIONS,
    error::{Error, Result},
    git::GitError,
    make::{Author, commit_tree},
    paths,
    tree::Tree,
    workspace::Workspace,
};

/// The name of the file in the record that contains the last complete tree. Each object of a complete tree is in the
/// record, or is kept in the source by the pin of the base.
const COMPLETE: &str = "complete";

/// Copies into the record those objects of a tree that only the source has. Git does not store an object that the source
/// already has, for example because a file there has the same content by chance. No ref of the source keeps such an object, so
/// git could remove it there.
///
/// # Errors
/// Returns an error if git cannot copy the objects, or if the note of the last complete tree cannot be written.
pub(super) fn own_objects(workspace: &Workspace, tree: &Tree) -> Result<()> {
    let record = &workspace.record;
    let file = record.dir.join(COMPLETE);
    let before = fs::read_to_string(&file).unwrap_or_default();
    let before = match before.parse::<Tree>() {
        Ok(before) => before,
        Err(_) => workspace.manifest.base_tree.clone(),
    };
    if before == *tree {
        return Ok(());
    }
    let mut missing = added(workspace, Some(before.hash()), tree.hash())?;
    if let Some(exact) = tree.exact() {
        missing.extend(added(workspace, before.exact(), exact)?);
    }
    missing.retain(|hash| !is_loose(&record.dir, hash));
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        pack(workspace, &missing)?;
    }
    fs::write(&file, tree.to_string()).map_err(Error::file("write", &file))
}

/// Returns the objects that the new tree has and the previous tree does not.
fn added(workspace: &Workspace, before: Option<&str>, tree: &str) -> Result<Vec<String>, GitError> {
    let record = &workspace.record;
    let before = match before {
        Some(before) => before.to_owned(),
        None => {
            let args = ["hash-object", "-w", "-t", "tree", "--stdin"];
            record.call(args).input(Vec::new()).text()?
        }
    };
    let listed = record
        .call(["diff-tree", "-r", "-t", "-z", "--raw"])
        .args(DIFF_OPTIONS)
        .args([before.as_str(), tree])
        .bytes()?;
    Ok(new_objects(&listed).chain([tree.to_owned()]).collect())
}

/// Returns the objects on the new side of a raw difference, which has the form `:mode mode hash hash status`, followed by the
/// path.
fn new_objects(listed: &[u8]) -> impl Iterator<Item = String> {
    paths::list(listed)
        .filter(|item| item.first() == Some(&b':'))
        .filter_map(|item| {
            let line = std::str::from_utf8(item).ok()?;
            let mut fields = line.split(' ').skip(1);
            let (mode, hash) = (fields.next()?, fields.nth(1)?);
            let is_object = mode != "160000" && hash.bytes().any(|byte| byte != b'0');
            is_object.then(|| hash.to_owned())
        })
}

fn is_loose(dir: &Path, hash: &str) -> bool {
    let (folder, name) = hash.split_at(2);
    dir.join("objects").join(folder).join(name).is_file()
}

fn pack(workspace: &Workspace, hashes: &[String]) -> Result<(), GitError> {
    let record = &workspace.record;
    let mut input = hashes.join("\n").into_bytes();
    input.push(b'\n');
    record
        .call(["pack-objects", "-q"])
        .arg(record.dir.join("objects/pack/pack"))
        .input(input)
        .done()
}

impl Workspace {
    /// Creates a commit of a tree, with the base as its parent, and a ref in the record that keeps the commit. Returns the
    /// commit's hash.
    ///
    /// # Errors
    /// Returns an error if git cannot create the commit or the ref.
    pub(crate) fn commit(&self, tree: &Tree) -> Result<String, GitError> {
        let author = Author::own(self.made_at());
        let message = "The result of the loop\n";
        let commit = commit_tree(
            &self.record,
            tree.hash(),
            Some(self.base()),
            message,
            &author,
        )?;
        let name = format!("refs/results/{commit}");
        self.record.call(["update-ref", &name, &commit]).done()?;
        Ok(commit)
    }
}

/// Creates a ref that keeps a tree reachable.
///
/// # Errors
/// Returns an error if git cannot create the ref.
pub(crate) fn reference(workspace: &Workspace, tree: &Tree) -> Result<(), GitError> {
    let hashes = [Some(tree.hash()), tree.exact()];
    for hash in hashes.into_iter().flatten() {
        let name = format!("refs/trees/{hash}");
        if !workspace.record.dir.join(&name).is_file() {
            workspace.record.call(["update-ref", &name, hash]).done()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_objects_are_read_without_deletions_and_repositories() {
        let (a, b, zero) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let listed = format!(
            ":100644 100644 {a} {b} M\0x y\0:100644 000000 {a} {zero} D\0:z\0:000000 160000 {zero} {a} A\0sub\0"
        );
        // A path that begins with a colon must not be parsed as the start of an entry.
        let found: Vec<String> = new_objects(listed.as_bytes()).collect();
        assert_eq!(found, [b]);
    }
}
