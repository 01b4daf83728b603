//! Finds git, once per process.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use super::GitError;

/// The oldest supported version of git. It is the first one with all features that are used, such as
/// `merge-tree --write-tree` and `safe.directory` on the command line.
const OLDEST: (u32, u32) = (2, 38);

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) version: (u32, u32),
}

/// The git program that was found, with the `PATH` in which it was found.
static FOUND: Mutex<Option<(std::ffi::OsString, Arc<Program>)>> = Mutex::new(None);

impl Program {
    /// Finds git in the `PATH`.
    ///
    /// # Errors
    /// Returns an error if git is missing or too old.
    pub(crate) fn find() -> Result<Arc<Self>, GitError> {
        let places = env::var_os("PATH").unwrap_or_default();
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, program)) = &*found
            && *before == places
        {
            return Ok(Arc::clone(program));
        }
        let path = in_path(&places).ok_or(GitError::NotFound)?;
        let program = Arc::new(Self::look(path)?);
        *found = Some((places, Arc::clone(&program)));
        Ok(program)
    }

    fn look(path: PathBuf) -> Result<Self, GitError> {
        let output = Command::new(&path)
            .arg("version")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| GitError::NotStarted {
                command: "git version".to_owned(),
                error,
            })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match version(&text) {
            Some(version) if version >= OLDEST => Ok(Self { path, version }),
            _ => Err(GitError::TooOld {
                path,
                version: text.trim().trim_start_matches("git version ").to_owned(),
            }),
        }
    }
}

/// Returns the first git in the `PATH`; `None` if there is none. Relative folders are skipped, because a workspace could
/// contain a program with that name.
fn in_path(places: &std::ffi::OsStr) -> Option<PathBuf> {
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    env::split_paths(places)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

/// Parses a version such as `git version 2.39.5 (Apple Git-154)`. Returns its first two numbers.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text
        .strip_prefix("git version ")?
        .split(|c: char| !c.is_ascii_digit());
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_vendors_write_them() {
        assert_eq!(version("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(version("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(version("git version 2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(version("git version 3"), None);
        assert_eq!(version("hg 6"), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_old_git_is_refused_and_a_relative_one_is_not_found() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("git");
        std::fs::write(&path, "#!/bin/sh\necho git version 2.37.1\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let places = env::join_paths([Path::new("relative"), folder.path()]).unwrap();
        let found = in_path(&places).unwrap();
        assert_eq!(found, path);
        let error = Program::look(found).unwrap_err().to_string();
        assert!(
            error.contains("is git 2.37.1") && error.contains("2.38 or later"),
            "{error}"
        );
        assert_eq!(in_path("relative".as_ref()), None);
    }
}
