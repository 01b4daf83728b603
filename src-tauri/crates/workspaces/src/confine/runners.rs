//! The files outside the workspace that the runners of agents must write.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// A path outside the workspace that a program may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writable {
    /// A folder with everything in it. The folder is created if it does not exist.
    Folder(PathBuf),
    /// A file. A missing file is skipped, because a rule can only be created for an existing file.
    File(PathBuf),
}

impl Writable {
    pub(super) fn make(&self) -> Result<Option<PathBuf>> {
        match self {
            Self::Folder(path) => {
                fs::create_dir_all(path).map_err(Error::file("create", path))?;
                Ok(Some(path.clone()))
            }
            Self::File(path) => Ok(path.is_file().then(|| path.clone())),
        }
    }
}

/// Returns two lists of paths in the home folder: those that a runner writes, and the writable files that contain settings.
/// Changed settings could later make the runner start another program. `runner` is the name of an agent program, such as
/// `codex`. An unknown runner has no such paths.
pub fn state_of_runner(runner: &str, home: &Path) -> (Vec<Writable>, Vec<PathBuf>) {
    let folder = |name: &str| Writable::Folder(home.join(name));
    let files = |names: &[&str]| names.iter().map(|name| home.join(name)).collect();
    match runner {
        // Settings and hooks are not writable. `.claude.json` changes whenever the program runs, so its changes are not
        // reported.
        "claude-code" => (
            vec![
                folder(".claude/projects"),
                folder(".claude/session-env"),
                Writable::File(home.join(".claude.json")),
            ],
            Vec::new(),
        ),
        // These two programs need their whole folder. A `SourceGuard` watches the settings in it.
        "codex" => (
            vec![folder(".codex")],
            files(&[
                ".codex/config.toml",
                ".codex/AGENTS.md",
                ".codex/hooks.json",
            ]),
        ),
        "gemini" => (
            vec![folder(".gemini")],
            files(&[".gemini/settings.json", ".gemini/GEMINI.md", ".gemini/.env"]),
        ),
        _ => (Vec::new(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_missing_files_left_out() {
        let home = tempfile::tempdir().unwrap();
        let (writable, settings) = state_of_runner("claude-code", home.path());
        let made: Vec<_> = writable
            .iter()
            .filter_map(|one| one.make().unwrap())
            .collect();
        assert_eq!(made.len(), 2);
        assert!(home.path().join(".claude/session-env").is_dir());
        assert!(!home.path().join(".claude.json").exists());
        assert!(settings.is_empty());
        assert_eq!(state_of_runner("other", home.path()), (vec![], vec![]));
    }
}
