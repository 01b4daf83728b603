//! The differences between two trees, and the content of trees. No lock is needed: recorded objects never change, so a run
//! may use the workspace at the same time.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    git::{Git, GitError, Repository},
    paths,
    person::Person,
    tree::{Tree, is_hash},
    workspace::Workspace,
};

/// The options of every comparison. The last option keeps git from reading `.gitmodules`, which a program may have written.
/// That file could hide the change of a submodule, and git fails if the file is malformed.
pub(crate) const DIFF_OPTIONS: [&str; 4] = [
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
];

/// Makes git detect renamed files, as `git diff` does. If there are more files than this limit, git detects only those that
/// were renamed without a change.
pub(crate) const RENAMES: [&str; 2] = ["-M", "-l1000"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// The file was moved, and perhaps changed. Only comparisons that are shown to the user detect this.
    Renamed,
    /// A file became a link or a repository, or vice versa.
    TypeChanged,
}

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// The previous path of a renamed file; `None` for other files.
    pub from: Option<PathBuf>,
    pub kind: ChangeKind,
    /// The numbers of added and removed lines, or `None` for a file that is not text.
    pub lines: Option<(u64, u64)>,
    /// The file in the first tree, or `None` if that tree does not contain it. `after` is the file in the second tree.
    pub before: Option<Version>,
    pub after: Option<Version>,
}

/// A file in one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub mode: FileMode,
    /// The hash by which git identifies the content; for a nested repository, the hash of its commit.
    pub hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    File,
    Executable,
    Link,
    /// A submodule, or another nested repository.
    Repository,
}

impl Version {
    /// Creates the version of a file from its mode and hash.
    ///
    /// # Errors
    /// [`NotATree`](Error::NotATree) if `hash` is not a git hash.
    pub fn new(mode: FileMode, hash: &str) -> Result<Self> {
        if !is_hash(hash) {
            return Err(Error::NotATree(hash.to_owned()));
        }
        Ok(Self {
            mode,
            hash: hash.to_owned(),
        })
    }

    /// Parses the mode and the hash in a raw difference. Returns `None` for mode 000000, which means that the file does not
    /// exist.
    fn read(mode: &str, hash: &str) -> Option<Self> {
        let mode = match mode {
            "100755" => FileMode::Executable,
            "120000" => FileMode::Link,
            "160000" => FileMode::Repository,
            mode if mode.starts_with("100") => FileMode::File,
            _ => return None,
        };
        Self::new(mode, hash).ok()
    }
}

/// The content of a file in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Whole(Vec<u8>),
    /// The file is larger than the limit. The value is its size in bytes.
    TooLarge(u64),
}

/// The numbers of files and lines that differ between two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub files: u64,
    pub insertions: u64,
    pub deletions: u64,
}

/// The recorded trees of a workspace, for reading only.
#[derive(Debug, Clone)]
pub struct Trees {
    pub(crate) record: Repository,
    place: PathBuf,
}

/// All files that differ between two trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub files: Vec<Change>,
    pub insertions: u64,
    pub deletions: u64,
}

/// The difference between two trees, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub text: String,
    /// Whether the text was truncated.
    pub is_cut: bool,
}

impl Trees {
    /// Returns the trees of the workspace at `place`. Nothing is opened or locked.
    ///
    /// # Errors
    /// [`Missing`](Error::Missing) if the workspace has no record; an error if git is missing or unsuitable.
    pub fn of(place: &Path, person: &Person) -> Result<Self> {
        let dir = place.join("record.git");
        if !dir.join("HEAD").is_file() {
            return Err(Error::Missing(place.to_path_buf()));
        }
        let git = Git::new(person)?;
        Ok(Self {
            record: Repository::new(&git, &dir, &place.join("files")),
            place: place.to_path_buf(),
        })
    }

    /// Lists the files that differ between two trees. Renamed files are detected.
    ///
    /// # Errors
    /// [`NoTree`](Error::NoTree) if the workspace lacks one of the trees; an error if git cannot compare them.
    pub fn changes(&self, from: &Tree, to: &Tree) -> Result<Changes> {
        self.list(from, to, &RENAMES)
    }

    fn list(&self, from: &Tree, to: &Tree, options: &[&str]) -> Result<Changes> {
        let listed = self
            .record
            .call(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--numstat"])
            .args(DIFF_OPTIONS)
            .args(options)
            .args([from.hash(), to.hash()])
            .bytes();
        match listed {
            Ok(listed) => Ok(read(&listed)?),
            Err(error) => {
                self.must_have(from)?;
                self.must_have(to)?;
                Err(error.into())
            }
        }
    }

    /// Counts the differences between the trees of each pair with one git command. The counts agree with [`Self::changes`].
    ///
    /// # Errors
    /// Returns the errors of [`Self::changes`].
    pub fn counts(&self, pairs: &[(Tree, Tree)]) -> Result<Vec<Counts>> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let lines: Vec<String> = pairs
            .iter()
            .map(|(from, to)| format!("{} {}\n", from.hash(), to.hash()))
            .collect();
        let counted = self
            .record
            .call(["diff-tree", "-r", "-z", "--numstat", "--stdin"])
            .args(DIFF_OPTIONS)
            .args(RENAMES)
            .input(lines.concat().into_bytes())
            .bytes();
        // git silently omits a pair if it lacks one of the trees.
        match counted.and_then(|counted| read_counts(&counted, &lines)) {
            Ok(counts) => Ok(counts),
            Err(error) => {
                for (from, to) in pairs {
                    self.must_have(from)?;
                    self.must_have(to)?;
                }
                Err(error.into())
            }
        }
    }

    /// Returns the difference between two trees as a unified diff of at most `limit` bytes. Longer text is truncated at the
    /// end of a line.
    ///
    /// # Errors
    /// Returns the errors of [`Self::changes`].
    pub fn diff(&self, from: &Tree, to: &Tree, limit: usize) -> Result<Diff> {
        let options = ["-p", RENAMES[0], RENAMES[1]];
        let (bytes, is_cut) = self.unified(from, to, &options, limit)?;
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            text.truncate(end);
        }
        Ok(Diff { text, is_cut })
    }

    /// Returns the content of a file. The content of a link is its target path, and that of a nested repository is a line
    /// with its commit. A file of more than `limit` bytes becomes [`Content::TooLarge`].
    ///
    /// # Errors
    /// Returns an error if git cannot read the file, for example because the workspace does not have it.
    pub fn content(&self, version: &Version, limit: usize) -> Result<Content> {
        if version.mode == FileMode::Repository {
            return Ok(Content::Whole(
                format!("commit {}\n", version.hash).into_bytes(),
            ));
        }
        let args = ["cat-file", "blob", version.hash.as_str()];
        let output = self.record.call(args).limit(limit).output()?;
        if output.is_cut {
            let args = ["cat-file", "-s", version.hash.as_str()];
            let size = self.record.call(args).text()?;
            return Ok(Content::TooLarge(size.parse().unwrap_or(u64::MAX)));
        }
        if !output.is_success() {
            let folder = self.record.dir.clone();
            return Err(GitError::failed("git cat-file".to_owned(), folder, &output).into());
        }
        Ok(Content::Whole(output.stdout))
    }

    /// Returns whether the workspace has all objects of a tree.
    ///
    /// # Errors
    /// Returns an error if git cannot be started.
    pub fn has(&self, tree: &Tree) -> Result<bool> {
        for hash in [Some(tree.hash()), tree.exact()].into_iter().flatten() {
            let args = ["rev-list", "--objects", "--quiet", hash];
            if !self.record.call(args).succeeds()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn must_have(&self, tree: &Tree) -> Result<()> {
        if self.has(tree)? {
            return Ok(());
        }
        Err(Error::NoTree {
            tree: tree.to_string(),
            place: self.place.clone(),
        })
    }

    fn unified(
        &self,
        from: &Tree,
        to: &Tree,
        options: &[impl AsRef<OsStr>],
        limit: usize,
    ) -> Result<(Vec<u8>, bool)> {
        let output = self
            .record
            .call(["diff-tree", "-r", "--no-color"])
            .args(DIFF_OPTIONS)
            .args(options)
            .args([from.hash(), to.hash()])
            .limit(limit)
            .output()?;
        if output.is_success() {
            return Ok((output.stdout, output.is_cut));
        }
        self.must_have(from)?;
        self.must_have(to)?;
        let folder = self.record.dir.clone();
        Err(GitError::failed("git diff-tree".to_owned(), folder, &output).into())
    }
}

impl Workspace {
    /// Returns the recorded trees, for reading only.
    pub fn trees(&self) -> Trees {
        Trees {
            record: self.record.clone(),
            place: self.place.clone(),
        }
    }

    /// Lists the files that differ between two trees. A renamed file appears as a deleted and an added one.
    ///
    /// # Errors
    /// Returns the errors of [`Trees::changes`].
    pub fn changes(&self, from: &Tree, to: &Tree) -> Result<Changes> {
        self.trees().list(from, to, &[])
    }

    /// Returns a patch with which `git apply` turns the tree `from` into the tree `to`, including binary files. Returns
    /// `None` if the patch has more than `limit` bytes.
    ///
    /// # Errors
    /// Returns the errors of [`Trees::changes`].
    pub fn patch(&self, from: &Tree, to: &Tree, limit: usize) -> Result<Option<Vec<u8>>> {
        let options = ["-p", "--binary", "--full-index"];
        let (bytes, is_cut) = self.trees().unified(from, to, &options, limit)?;
        Ok((!is_cut).then_some(bytes))
    }

    /// Writes the patch from one tree to another into a file of the workspace, and returns its path.
    ///
    /// # Errors
    /// Returns the errors of [`Trees::changes`].
    pub(crate) fn write_patch(&self, from: &Tree, to: &Tree) -> Result<PathBuf> {
        let file = self.place.join("result.patch");
        let mut output = std::ffi::OsString::from("--output=");
        output.push(&file);
        let options = ["-p", "--binary", "--full-index"].map(std::ffi::OsString::from);
        let options: Vec<_> = options.into_iter().chain([output]).collect();
        self.trees().unified(from, to, &options, usize::MAX)?;
        Ok(file)
    }
}

/// Parses the output of `diff-tree --stdin --numstat -z`: a line for each pair of trees, followed by the files of the pair.
fn read_counts(counted: &[u8], pairs: &[String]) -> Result<Vec<Counts>, GitError> {
    let unreadable = |item: &[u8]| GitError::Unreadable {
        command: "git diff-tree",
        what: String::from_utf8_lossy(item).into_owned(),
    };
    let mut rest = counted;
    let mut counts: Vec<Counts> = Vec::with_capacity(pairs.len());
    let mut last = Vec::new();
    let next_item = |rest: &mut &[u8]| {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (item, after) = rest.split_at(end);
        *rest = &after[1..];
        Some(item.to_vec())
    };
    while !rest.is_empty() {
        // The line of a file cannot begin like this, because it has a tab after its first number.
        if let Some(after) = pairs
            .get(counts.len())
            .and_then(|pair| rest.strip_prefix(pair.as_bytes()))
        {
            counts.push(Counts::default());
            rest = after;
            last.clear();
            continue;
        }
        let item = next_item(&mut rest).ok_or_else(|| unreadable(rest))?;
        let file = FileLine::read(&item).ok_or_else(|| unreadable(&item))?;
        if file.path.is_empty() {
            // The two paths of a renamed file follow.
            next_item(&mut rest);
            next_item(&mut rest);
        }
        let count = counts.last_mut().ok_or_else(|| unreadable(&item))?;
        let (plus, minus) = file.lines.unwrap_or_default();
        // A type change has two lines for the same file.
        if file.path.is_empty() || file.path != last.as_slice() {
            count.files += 1;
        }
        last = file.path.to_vec();
        count.insertions += plus;
        count.deletions += minus;
    }
    if counts.len() < pairs.len() {
        return Err(unreadable(b"the end"));
    }
    Ok(counts)
}

/// A line of `--numstat`: `insertions deletions path`. The path of a renamed file is empty; its two paths follow.
struct FileLine<'a> {
    lines: Option<(u64, u64)>,
    path: &'a [u8],
}

impl<'a> FileLine<'a> {
    fn read(item: &'a [u8]) -> Option<Self> {
        let mut fields = item.splitn(3, |byte| *byte == b'\t');
        let (plus, minus, path) = (fields.next()?, fields.next()?, fields.next()?);
        let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<u64>().ok();
        Some(Self {
            lines: number(plus).zip(number(minus)),
            path,
        })
    }
}

/// Parses the output of a comparison: for each file, `:mode mode hash hash status` and its path, or both paths of a renamed
/// file; then the lines of `--numstat`.
///
/// # Errors
/// Returns an error if the output does not have this form.
pub(crate) fn read(listed: &[u8]) -> Result<Changes, GitError> {
    let unreadable = |item: &[u8]| GitError::Unreadable {
        command: "git diff-tree",
        what: String::from_utf8_lossy(item).into_owned(),
    };
    let mut items = paths::list(listed).peekable();
    let mut changes = Changes::default();
    while let Some(item) = items.next_if(|item| item.starts_with(b":")) {
        let line = std::str::from_utf8(item).map_err(|_| unreadable(item))?;
        let mut fields = line.trim_start_matches(':').split(' ');
        let mut field = || fields.next().ok_or_else(|| unreadable(item));
        let (mode_before, mode_after) = (field()?, field()?);
        let (hash_before, hash_after) = (field()?, field()?);
        let kind = match field()?.bytes().next() {
            Some(b'A') => ChangeKind::Added,
            Some(b'D') => ChangeKind::Deleted,
            Some(b'T') => ChangeKind::TypeChanged,
            Some(b'R') => ChangeKind::Renamed,
            _ => ChangeKind::Modified,
        };
        let mut path = || {
            items
                .next()
                .map(paths::path)
                .ok_or_else(|| unreadable(item))
        };
        let from = match kind {
            ChangeKind::Renamed => Some(path()?),
            _ => None,
        };
        changes.files.push(Change {
            path: path()?,
            from,
            kind,
            lines: None,
            before: Version::read(mode_before, hash_before),
            after: Version::read(mode_after, hash_after),
        });
    }
    let mut at = 0;
    while let Some(item) = items.next() {
        let line = FileLine::read(item).ok_or_else(|| unreadable(item))?;
        let path = match line.path {
            b"" => items.nth(1).ok_or_else(|| unreadable(item))?,
            path => path,
        };
        let path = paths::path(path);
        // Both parts have the same order. A type change has two lines of counts.
        while changes.files.get(at).is_some_and(|file| file.path != path) {
            at += 1;
        }
        if let (Some(file), Some((plus, minus))) = (changes.files.get_mut(at), line.lines) {
            let before = file.lines.unwrap_or_default();
            file.lines = Some((before.0 + plus, before.1 + minus));
            changes.insertions += plus;
            changes.deletions += minus;
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_lines_and_counts_are_joined() {
        let (one, other, zero) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let listed = format!(
            ":100644 100644 {one} {other} M\0a\tb\0:000000 100755 {zero} {one} A\0bin\0\
            :100644 100644 {one} {one} R100\0old\0new\0:100644 120000 {one} {other} T\0t\0\
            3\t1\ta\tb\0-\t-\tbin\x001\t0\t\0old\0new\x001\t0\tt\x000\t2\tt\0"
        );
        let changes = read(listed.as_bytes()).unwrap();
        let seen: Vec<_> = changes
            .files
            .iter()
            .map(|file| (file.kind, file.lines))
            .collect();
        assert_eq!(
            seen,
            [
                (ChangeKind::Modified, Some((3, 1))),
                (ChangeKind::Added, None),
                (ChangeKind::Renamed, Some((1, 0))),
                (ChangeKind::TypeChanged, Some((1, 2))),
            ]
        );
        assert_eq!((changes.insertions, changes.deletions), (5, 3));
        assert_eq!(changes.files[2].from, Some("old".into()));
        assert_eq!(changes.files[1].before, None);
        let modes = changes.files.iter().map(|file| file.after.clone().unwrap());
        assert_eq!(
            modes.map(|version| version.mode).collect::<Vec<_>>(),
            [
                FileMode::File,
                FileMode::Executable,
                FileMode::File,
                FileMode::Link
            ]
        );
        assert!(read(b"nonsense\0").is_err());
    }

    #[test]
    fn counts_of_several_pairs_are_told_apart() {
        let (one, other) = ("a".repeat(40), "b".repeat(40));
        let pairs = [
            format!("{one} {other}\n"),
            format!("{other} {other}\n"),
            format!("{other} {one}\n"),
        ];
        let counted = format!(
            "{}3\t1\tx\ny\0-\t-\tbin\x001\t0\tt\x000\t2\tt\0{}{}1\t0\t\0{}\0new\0",
            pairs[0], pairs[1], pairs[2], pairs[0]
        );
        let counts = read_counts(counted.as_bytes(), &pairs).unwrap();
        let seen: Vec<_> = counts
            .iter()
            .map(|count| (count.files, count.insertions, count.deletions))
            .collect();
        assert_eq!(seen, [(3, 4, 3), (0, 0, 0), (1, 1, 0)]);
        assert!(read_counts(pairs[0].as_bytes(), &pairs).is_err());
    }
}
