//! Finds the paths to permit when a folder is hidden. A rule permits a folder with everything in it, so the ancestors of the
//! hidden folder cannot have rules. Each neighbour of the hidden folder and of its ancestors needs its own rule.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the paths next to `hidden` and next to each of its ancestors. Links are left out, because a rule would follow a
/// link, perhaps into the hidden folder. The target of a link has its own rule.
pub(super) fn of(hidden: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let way: Vec<&Path> = hidden.ancestors().collect();
    for folder in hidden.ancestors().skip(1) {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let neighbours = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
            .map(|entry| entry.path())
            .filter(|path| !way.contains(&path.as_path()));
        found.extend(neighbours);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_leave_out_the_way_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("way/hidden/inside")).unwrap();
        fs::create_dir_all(root.join("way/other")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(root.join("way/hidden"), root.join("link")).unwrap();
        let mut found: Vec<PathBuf> = of(&root.join("way/hidden"))
            .into_iter()
            .filter(|path| path.starts_with(&root))
            .collect();
        found.sort();
        assert_eq!(found, [root.join("file"), root.join("way/other")]);
        assert!(of(&root.join("way/hidden")).contains(&PathBuf::from("/usr")));
    }
}
