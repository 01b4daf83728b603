//! Examines the folder that the user named: its kind, and whether a workspace can be created from it.

mod base;
mod configuration;
mod guard;
mod index;
mod refused;
mod repository;
mod state;
pub(crate) use state::commit;

use std::path::{Path, PathBuf};

pub(crate) use configuration::Configuration;
pub use guard::{Difference, SourceGuard};
pub(crate) use index::{IndexCopy, take_index};
pub use refused::Refused;
pub use repository::SourceRepository;

use crate::{error::Result, git::Git, paths, person::Person};

/// A folder from which a workspace can be created.
#[derive(Debug, Clone)]
pub struct Source {
    /// The folder that the user named, with links resolved.
    pub path: PathBuf,
    pub person: Person,
    /// The repository, or `None` for a folder without git and for a folder that its repository ignores.
    pub repository: Option<SourceRepository>,
}

impl Source {
    /// Examines a folder. `data` is Loopwright's data folder, in which workspaces are created. Writes nothing.
    ///
    /// # Errors
    /// [`Refused`](crate::Error::Refused) if no workspace can be created from the folder; an error if git fails.
    pub fn look(path: &Path, data: &Path, person: &Person) -> Result<Self> {
        let path = real_folder(path)?;
        let data = data.canonicalize().unwrap_or_else(|_| data.to_path_buf());
        if path.parent().is_none() || person.is_home(&path) {
            return Err(Refused::TooLarge(path).into());
        }
        if path.starts_with(&data) {
            return Err(Refused::InData { path, data }.into());
        }
        let git = Git::new(person)?;
        let repository = find(&git, &path)?;
        refuse_around(&git, &path, repository.as_ref(), &data)?;
        Ok(Self {
            path,
            person: person.clone(),
            repository,
        })
    }

    /// Returns the folder that a workspace copies as a whole: the top folder of a repository, or the folder itself.
    pub fn top(&self) -> &Path {
        self.repository
            .as_ref()
            .map_or(&self.path, |repository| &repository.top)
    }
}

fn real_folder(path: &Path) -> Result<PathBuf, Refused> {
    let refused = |why: String| Refused::NoFolder {
        path: path.to_path_buf(),
        why,
    };
    let real = path
        .canonicalize()
        .map_err(|error| refused(error.to_string()))?;
    match std::fs::read_dir(&real) {
        Ok(_) => Ok(real),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Returns an error for a folder whose copy would contain the data folder.
fn refuse_around(
    git: &Git,
    path: &Path,
    repository: Option<&SourceRepository>,
    data: &Path,
) -> Result<()> {
    let top = repository.map_or(path, |repository| &repository.top);
    let is_ignored = || match repository {
        Some(repository) => is_ignored(&repository.git(git), repository, data),
        None => Ok(false),
    };
    if data.starts_with(top) && !is_ignored()? {
        return Err(Refused::HoldsData {
            path: top.to_path_buf(),
            data: data.to_path_buf(),
        }
        .into());
    }
    Ok(())
}

fn is_ignored(git: &Git, repository: &SourceRepository, path: &Path) -> Result<bool> {
    let excludes = configuration::personal_excludes(git, &repository.top)?;
    let index = IndexCopy::of(git, repository)?;
    let ignored = index.ignored(excludes.as_deref(), paths::joined(&[paths::bytes(path)]))?;
    Ok(!ignored.is_empty())
}

/// Finds the repository of a folder. Returns `None` if there is none, or if the repository ignores the folder.
///
/// # Errors
/// [`Refused`](crate::Error::Refused) if the repository is bare or damaged, or if the folder is inside `.git`; an error if git
/// fails.
pub(crate) fn find(git: &Git, path: &Path) -> Result<Option<SourceRepository>> {
    // git requires that repositories are trusted by path, but the path is not known before the repository is found. The user
    // named this folder, so any path is trusted here.
    let finder = git.clone().trusting(&[Path::new("*")]);
    let ask = |question: &str| finder.within(path, ["rev-parse", question]).line();
    match ask("--is-inside-git-dir") {
        Ok(answer) if answer == b"true" => {
            let is_bare = ask("--is-bare-repository")? == b"true";
            return Err(if is_bare {
                Refused::Bare(path.to_path_buf())
            } else {
                Refused::GitFolder(path.to_path_buf())
            }
            .into());
        }
        Ok(_) => {}
        Err(error) if error.mentions("not a git repository") => return Ok(None),
        Err(error) => {
            return Err(Refused::Damaged {
                path: path.to_path_buf(),
                why: error.to_string(),
            }
            .into());
        }
    }
    if ask("--is-bare-repository")? == b"true" {
        return Err(Refused::Bare(path.to_path_buf()).into());
    }
    let folder = |question: &str| ask(question).map(|line| paths::path(&line));
    let (top, git_dir) = (folder("--show-toplevel")?, folder("--absolute-git-dir")?);
    let common_dir = path.join(folder("--git-common-dir")?);
    let common_dir = common_dir.canonicalize().unwrap_or(common_dir);
    let exact = git.clone().trusting(&[&top, &git_dir, &common_dir]);
    let object_format = String::from_utf8_lossy(&ask("--show-object-format")?).into_owned();
    let is_shallow = ask("--is-shallow-repository")? == b"true";
    let subfolder = path
        .strip_prefix(&top)
        .unwrap_or(Path::new(""))
        .to_path_buf();
    let found = SourceRepository {
        top,
        subfolder,
        git_dir,
        common_dir,
        object_format,
        is_shallow,
        branch: None,
        head: None,
        is_partial: false,
        is_sparse: false,
        has_submodules: false,
        has_lfs: false,
        in_progress: None,
    };
    if path != found.top && is_ignored(&exact, &found, path)? {
        return Ok(None);
    }
    Ok(Some(state::read(&exact, found)?))
}
