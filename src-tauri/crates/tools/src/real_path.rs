//! Resolves links in paths.

use std::path::{Path, PathBuf};

/// Returns the path with links resolved. Parts that do not exist are kept unchanged.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for known in path.ancestors() {
        if let Ok(mut found) = std::fs::canonicalize(known) {
            found.extend(rest.iter().rev());
            return found;
        }
        rest.extend(known.file_name());
    }
    path.to_path_buf()
}
