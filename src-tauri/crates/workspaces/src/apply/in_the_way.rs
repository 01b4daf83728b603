//! Finds files that a merge would overwrite although neither tree contains them. Git replaces ignored files without a warning
//! (since 2.34).

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use crate::changes::{ChangeKind, Changes};

/// Lists the files in `folder` that the changes would overwrite or remove although the changes do not contain their paths. A
/// deleted file may be replaced by a folder, and a deleted folder by a file.
pub(super) fn find(folder: &Path, changes: &Changes) -> Vec<PathBuf> {
    let deleted: HashSet<&Path> = changes
        .files
        .iter()
        .filter(|change| change.kind == ChangeKind::Deleted)
        .map(|change| change.path.as_path())
        .collect();
    let mut found = Vec::new();
    let added = changes
        .files
        .iter()
        .filter(|change| change.kind == ChangeKind::Added);
    for change in added {
        // A file is in the way if it has the path of a folder that the change needs, or of the new file itself.
        let way = change.path.ancestors().filter(|at| *at != Path::new(""));
        let in_place = way.into_iter().find(|at| {
            let meta = folder.join(at).symlink_metadata();
            meta.is_ok_and(|meta| !meta.is_dir()) && !deleted.contains(at)
        });
        match in_place {
            Some(path) => found.push(path.to_path_buf()),
            None => add_kept(folder, &change.path, &deleted, &mut found),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Adds the files below a folder that the changes do not delete. Empty folders are not added.
fn add_kept(top: &Path, at: &Path, deleted: &HashSet<&Path>, found: &mut Vec<PathBuf>) {
    let folder = top.join(at);
    if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    let Ok(entries) = fs::read_dir(&folder) else {
        found.push(at.to_path_buf());
        return;
    };
    for entry in entries.flatten() {
        let path = at.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_kept(top, &path, deleted, found);
        } else if !deleted.contains(path.as_path()) {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::Change;

    fn changes(of: &[(&str, ChangeKind)]) -> Changes {
        let files = of.iter().map(|(path, kind)| Change {
            path: path.into(),
            from: None,
            kind: *kind,
            lines: None,
            before: None,
            after: None,
        });
        Changes {
            files: files.collect(),
            ..Changes::default()
        }
    }

    #[test]
    fn files_that_no_tree_has_are_found_at_and_around_new_files() {
        use ChangeKind::{Added, Deleted, Modified};
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["plain", "d/kept", "d/gone", "e/gone", "deep/file", "m"] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        fs::create_dir_all(root.join("empty/inside")).unwrap();
        let found = find(
            root,
            &changes(&[
                ("plain", Added),
                ("new/file", Added),
                ("empty", Added),
                ("d", Added),
                ("d/gone", Deleted),
                ("e", Added),
                ("e/gone", Deleted),
                ("deep/file/below", Added),
                ("deep/file/too", Added),
                ("m", Modified),
            ]),
        );
        assert_eq!(found, ["d/kept", "deep/file", "plain"].map(PathBuf::from));
        let found = find(
            root,
            &changes(&[("plain", Deleted), ("plain/below", Added)]),
        );
        assert!(found.is_empty(), "{found:?}");
    }
}
