//! Detects changes in the source's repository that an unconfined program made.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{IndexCopy, Source, SourceRepository};
use crate::{
    error::Result,
    git::{Git, GitError},
    paths,
};

/// A part of a source that has changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The branch or commit that is checked out.
    Head,
    /// A branch, tag or other ref.
    Ref(String),
    /// The stashed changes.
    Stash,
    /// The staged files.
    Index,
    /// A file of the configuration, a hook, or a list of ignored files.
    File(PathBuf),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => f.write_str("HEAD"),
            Self::Ref(name) => f.write_str(name),
            Self::Stash => f.write_str("the stash"),
            Self::Index => f.write_str("the staged files"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The state of a source before a step: refs, HEAD, index, configuration and hooks.
#[derive(Debug)]
pub struct SourceGuard {
    looked: Option<(Git, SourceRepository)>,
    also: Vec<PathBuf>,
    before: State,
}

#[derive(Debug, Default)]
struct State {
    parts: BTreeMap<Difference, Vec<u8>>,
    /// The size and the time of the index file; `None` if they cannot be read. As long as both stay the same, its entries
    /// are not read again.
    stamp: Option<(u64, SystemTime)>,
}

impl SourceGuard {
    /// Remembers the state of a source. `also` lists other files to watch, such as the settings of an agent that are stored
    /// next to its state.
    ///
    /// # Errors
    /// Returns an error if git cannot read the repository.
    pub fn new(source: &Source, also: &[PathBuf]) -> Result<Self> {
        let looked = match &source.repository {
            Some(repository) => {
                let git = repository.git(&Git::new(&source.person)?);
                Some((git, repository.clone()))
            }
            None => None,
        };
        let before = state(looked.as_ref(), also, None)?;
        Ok(Self {
            looked,
            also: also.to_vec(),
            before,
        })
    }

    /// Lists the parts that have changed, and remembers the new state. The refs of workspaces are not compared.
    ///
    /// # Errors
    /// Returns an error if git cannot read the repository.
    pub fn differences(&mut self) -> Result<Vec<Difference>> {
        let now = state(self.looked.as_ref(), &self.also, Some(&self.before))?;
        let mut found: Vec<Difference> = now
            .parts
            .iter()
            .filter(|(part, value)| self.before.parts.get(part) != Some(value))
            .chain(
                self.before
                    .parts
                    .iter()
                    .filter(|(part, _)| !now.parts.contains_key(part)),
            )
            .map(|(part, _)| part.clone())
            .collect();
        found.sort();
        self.before = now;
        Ok(found)
    }
}

fn state(
    looked: Option<&(Git, SourceRepository)>,
    also: &[PathBuf],
    before: Option<&State>,
) -> Result<State> {
    let mut state = State::default();
    if let Some((git, repository)) = looked {
        refs(git, repository, &mut state)?;
        index(git, repository, before, &mut state)?;
        for file in files(repository) {
            add_file(&file, &mut state);
        }
    }
    for file in also {
        add_file(file, &mut state);
    }
    Ok(state)
}

fn refs(git: &Git, repository: &SourceRepository, state: &mut State) -> Result<(), GitError> {
    let format = "--format=%(objectname) %(symref) %(refname)";
    let listed = git
        .within(&repository.top, ["for-each-ref", format])
        .bytes()?;
    for line in listed.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some((value, name)) = line.rsplit_once(' ') else {
            continue;
        };
        if !name.starts_with(crate::pin::PREFIX) {
            let part = match name {
                "refs/stash" => Difference::Stash,
                name => Difference::Ref(name.to_owned()),
            };
            state.parts.insert(part, value.as_bytes().to_vec());
        }
    }
    let head = git
        .within(
            &repository.top,
            ["rev-parse", "--symbolic-full-name", "HEAD"],
        )
        .output()?;
    let commit = super::state::commit(git, &repository.top, "HEAD")?;
    let mut value = head.stdout;
    // Only a detached HEAD has its own commit here. The commit of a branch is compared with the branch.
    if value.starts_with(b"HEAD") {
        value.extend(commit.unwrap_or_default().into_bytes());
    }
    state.parts.insert(Difference::Head, value);
    // Only the newest stash has a ref. Older ones have an entry in this log.
    let stash = repository.common_dir.join("logs/refs/stash");
    if let Ok(log) = fs::read(stash) {
        let value = state.parts.entry(Difference::Stash).or_default();
        value.extend(blake3::hash(&log).as_bytes());
    }
    Ok(())
}

/// Adds the staged files to `state`, without their times, because `git status` updates the times.
fn index(
    git: &Git,
    repository: &SourceRepository,
    before: Option<&State>,
    state: &mut State,
) -> Result<()> {
    let stamp = repository.index().metadata().ok();
    state.stamp = stamp.and_then(|meta| Some((meta.len(), meta.modified().ok()?)));
    let known = before
        .filter(|before| before.stamp == state.stamp && state.stamp.is_some())
        .and_then(|before| before.parts.get(&Difference::Index));
    let value = match known {
        Some(known) => known.clone(),
        None => {
            let copy = IndexCopy::of(git, repository)?;
            let listed = copy.call(["ls-files", "-z", "-s", "-v"]);
            // An unreadable index also counts as a state, which differs from all others.
            let output = listed.output()?;
            let mut hasher = blake3::Hasher::new();
            hasher.update(&output.stdout).update(&output.stderr);
            hasher.finalize().as_bytes().to_vec()
        }
    };
    state.parts.insert(Difference::Index, value);
    Ok(())
}

/// The files of a repository that are watched in addition to its configuration and hooks. Files that `git gc` writes are not
/// watched.
const WATCHED: [&str; 5] = [
    "info/exclude",
    "info/attributes",
    "info/sparse-checkout",
    "info/grafts",
    "objects/info/alternates",
];

/// Returns the files that determine what git starts or ignores in this repository and its submodules.
fn files(repository: &SourceRepository) -> Vec<PathBuf> {
    let mut found = vec![repository.top.join(".git").join("config")];
    let mut open = vec![repository.common_dir.clone(), repository.git_dir.clone()];
    while let Some(folder) = open.pop() {
        found.extend([folder.join("config"), folder.join("config.worktree")]);
        found.extend(entries(&folder.join("hooks")));
        found.extend(WATCHED.map(|name| folder.join(name)));
        // A submodule's repository may be several folders deep, like the submodule's path.
        let mut modules = entries(&folder.join("modules"));
        while let Some(module) = modules.pop() {
            if module.join("HEAD").is_file() {
                open.push(module);
            } else {
                modules.extend(entries(&module));
            }
        }
    }
    if let Ok(file) = fs::read_to_string(repository.top.join(".git"))
        && file.starts_with("gitdir:")
    {
        found.push(repository.top.join(".git"));
    }
    found.extend(own_hooks(repository));
    found.sort();
    found.dedup();
    found
}

/// Returns the hooks in a folder that the configuration names.
fn own_hooks(repository: &SourceRepository) -> Vec<PathBuf> {
    // The file is searched as text, without its includes. If an included file names the folder, a change of that file is
    // detected separately.
    let Ok(text) = fs::read(repository.common_dir.join("config")) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&text);
    let named = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"');
        key.trim()
            .eq_ignore_ascii_case("hookspath")
            .then(|| repository.top.join(value))
    });
    named.flat_map(|folder| entries(&folder)).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

fn add_file(path: &Path, state: &mut State) {
    let Ok(meta) = path.symlink_metadata() else {
        return;
    };
    let mut value = Vec::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        value.extend(meta.permissions().mode().to_le_bytes());
    }
    if meta.is_symlink() {
        let target = fs::read_link(path).unwrap_or_default();
        value.extend_from_slice(paths::bytes(&target));
    } else if meta.is_file() {
        let content = fs::read(path).unwrap_or_default();
        value.extend(blake3::hash(&content).as_bytes());
    }
    state
        .parts
        .insert(Difference::File(path.to_path_buf()), value);
}
