//! The user of this computer: the home folder, and the parts of git's personal configuration that affect files.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The location of a user's personal settings. [`Person::here`] returns that of the user who runs this program.
#[derive(Debug, Clone, Default)]
pub struct Person {
    pub home: Option<PathBuf>,
    /// The folder of personal settings (`XDG_CONFIG_HOME`), if it is not `.config` in the home folder.
    pub config_home: Option<PathBuf>,
}

impl Person {
    /// Returns the user who runs this program, from the environment.
    pub fn here() -> Self {
        let absolute = |name: &str| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        Self {
            home: absolute("HOME").or_else(|| absolute("USERPROFILE")),
            config_home: absolute("XDG_CONFIG_HOME"),
        }
    }

    /// Sets the variables that make a program use this user's settings.
    pub(crate) fn enter(&self, command: &mut Command) {
        if let Some(home) = &self.home {
            command.env("HOME", home).env("USERPROFILE", home);
        }
        if let Some(folder) = &self.config_home {
            command.env("XDG_CONFIG_HOME", folder);
        }
    }

    /// Returns the path of a file in git's folder of personal settings, such as `ignore`; `None` if the user has no home
    /// folder.
    pub(crate) fn git_file(&self, name: &str) -> Option<PathBuf> {
        let own = self.home.as_ref().map(|home| home.join(".config"));
        Some(self.config_home.clone().or(own)?.join("git").join(name))
    }

    /// Resolves a path in git's configuration, which may begin with `~/`.
    pub(crate) fn resolve(&self, value: &[u8]) -> PathBuf {
        match (value.strip_prefix(b"~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(crate::paths::path(rest)),
            _ => crate::paths::path(value),
        }
    }

    pub(crate) fn is_home(&self, folder: &Path) -> bool {
        self.home.as_ref().is_some_and(|home| {
            home == folder || home.canonicalize().is_ok_and(|home| home == folder)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_configuration_begin_at_the_home_folder() {
        let person = Person {
            home: Some("/home/p".into()),
            config_home: None,
        };
        assert_eq!(person.resolve(b"~/x/y"), Path::new("/home/p/x/y"));
        assert_eq!(person.resolve(b"/x"), Path::new("/x"));
        assert_eq!(
            person.git_file("ignore").unwrap(),
            Path::new("/home/p/.config/git/ignore")
        );
        assert!(person.is_home(Path::new("/home/p")));
        assert!(!person.is_home(Path::new("/home/p/x")));
    }
}
