//! Notes for the user about a new workspace: its differences from the source.

use std::{fmt, path::PathBuf};

/// The maximum number of paths that a note names.
const NAMED: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A submodule that stays empty.
    EmptySubmodule { path: PathBuf, why: String },
    /// The number of Git LFS files that remain pointers, because the source does not have their contents.
    LfsPointers(usize),
    /// Links that lead out of the workspace.
    LinksOut(Vec<PathBuf>),
    /// Files whose changes the source hides from git. The workspace has their committed content.
    Hidden(Vec<PathBuf>),
    /// Nested repositories, of which only the commit is recorded.
    Inner(Vec<PathBuf>),
    /// Filters that are defined only in the source's configuration. They are not run.
    Filters(Vec<String>),
    /// The objects of the base were copied, because the source cannot be written.
    NotPinned(String),
    /// Files that git cannot record, such as pipes and sockets.
    LeftOut(Vec<PathBuf>),
    /// Patterns of protected files that match no file.
    NothingProtected(Vec<String>),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptySubmodule { path, why } => {
                write!(f, "The submodule {} is empty: {why}", path.display())
            }
            Self::LfsPointers(1) => f.write_str(
                "1 Git LFS file is only a pointer, because the source does not have its content",
            ),
            Self::LfsPointers(count) => write!(
                f,
                "{count} Git LFS files are only pointers, because the source does not have their content"
            ),
            Self::LinksOut(paths) => {
                write!(f, "These links point outside the folder: {}", some(paths))
            }
            Self::Hidden(paths) => write!(
                f,
                "Changes that the source hides from git (skip-worktree, assume-unchanged) are left out: {}",
                some(paths)
            ),
            Self::Inner(paths) => write!(
                f,
                "These nested repositories are recorded only as commits: {}",
                some(paths)
            ),
            Self::Filters(names) => write!(
                f,
                "These filters are defined only in the source, and are not run: {}",
                names.join(", ")
            ),
            Self::NotPinned(why) => write!(
                f,
                "The objects of the base were copied, because the source folder cannot be written: {why}"
            ),
            Self::LeftOut(paths) => write!(f, "git cannot record these files: {}", some(paths)),
            Self::NothingProtected(patterns) => write!(
                f,
                "No file matches these patterns of protected files: {}. A pattern is relative to the top of the repository",
                patterns.join(", ")
            ),
        }
    }
}

fn some(paths: &[PathBuf]) -> String {
    let named: Vec<String> = paths
        .iter()
        .take(NAMED)
        .map(|path| path.display().to_string())
        .collect();
    let more = paths.len().saturating_sub(NAMED);
    match more {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_some_paths_and_counts_the_others() {
        let paths: Vec<PathBuf> = (1..=6).map(|n| PathBuf::from(format!("p{n}"))).collect();
        let said = Note::LinksOut(paths).to_string();
        assert!(said.ends_with("p1, p2, p3, p4 and 2 more"), "{said}");
    }
}
