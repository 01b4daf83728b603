//! The reasons why a folder cannot be the source of a workspace, each with a remedy.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{path} cannot be used: {why}. Name a folder that exists and that you may read.", path = .path.display())]
    NoFolder { path: PathBuf, why: String },
    #[error("{path} is too large to copy: it contains all of your files, or other people's files. Name the folder of one project.", path = .0.display())]
    TooLarge(PathBuf),
    #[error("{path} is in Loopwright's own data folder, {data}. Name the folder of the project instead.", path = .path.display(), data = .data.display())]
    InData { path: PathBuf, data: PathBuf },
    #[error("{path} contains Loopwright's own data folder, {data}, so a copy would contain itself. Name a folder of one project, or add the data folder to its .gitignore.", path = .path.display(), data = .data.display())]
    HoldsData { path: PathBuf, data: PathBuf },
    #[error("{path} is a bare repository, which has no files to work on. Clone it, and name the clone.", path = .0.display())]
    Bare(PathBuf),
    #[error("{path} is the `.git` folder of a repository. Name the folder that contains the files.", path = .0.display())]
    GitFolder(PathBuf),
    #[error("{operation} is in progress in {path}. Finish or abort it, or name a branch, tag or commit as the base.", path = .path.display())]
    InProgress {
        operation: &'static str,
        path: PathBuf,
    },
    #[error("{path} has unmerged files ({files}). Resolve them, or use `head` as the base.", path = .path.display())]
    Unmerged { path: PathBuf, files: String },
    #[error("{path} has no commit yet. Make a first commit, or use `working` as the base.", path = .0.display())]
    NoCommit(PathBuf),
    #[error("{path} has no branch, tag or commit `{name}`. Check the name of the base.", path = .path.display())]
    NoSuchBase { path: PathBuf, name: String },
    #[error("{path} is not a git repository, so it has no `{name}`. Use `working` as the base: the folder's current files.", path = .path.display())]
    NotARepository { path: PathBuf, name: String },
    #[error("{path} is a partial clone that lacks objects of this commit ({missing} in all), and workspaces never fetch missing objects. Check out the commit in {path} once, or run `git fetch --refetch`.", path = .path.display())]
    Partial { path: PathBuf, missing: usize },
    #[error("The repository of {path} cannot be read: {why}. Run `git status` in it and correct the problem that it reports.", path = .path.display())]
    Damaged { path: PathBuf, why: String },
}
