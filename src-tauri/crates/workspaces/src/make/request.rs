//! The request to create a workspace, and the parts of its description that follow from the request.

use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{paths, source::Source, tree::Tree, workspace::Manifest};

/// The state of the source that a workspace starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// The commit that is checked out.
    Head,
    /// The current files, including uncommitted changes.
    Working,
    /// A branch, tag or commit.
    Named(String),
}

impl Base {
    /// Returns the base that a flow names: `head`, `working`, or a branch, tag or commit.
    pub fn named(text: &str) -> Self {
        match text {
            "head" => Self::Head,
            "working" => Self::Working,
            name => Self::Named(name.to_owned()),
        }
    }
}

/// The request to create a workspace.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub source: &'a Source,
    pub base: Base,
    pub run: &'a str,
    /// The path of the loop in the flow.
    pub loop_path: &'a str,
    /// The folder for the workspace. It does not exist, or contains the remains of an interrupted attempt.
    pub place: &'a Path,
}

/// Returns the parts of a workspace's description that follow from its request and its base.
pub(super) fn manifest_of(request: &Request<'_>, base: String, base_tree: Tree) -> Manifest {
    let source = request.source;
    let repository = source.repository.as_ref();
    Manifest {
        version: Manifest::VERSION,
        run: request.run.to_owned(),
        loop_path: request.loop_path.to_owned(),
        source: paths::to_text(&source.path),
        subfolder: repository.map_or_else(String::new, |found| paths::to_text(&found.subfolder)),
        common_dir: repository.map(|found| paths::to_text(&found.common_dir)),
        object_format: repository
            .map_or("sha1", |found| &found.object_format)
            .to_owned(),
        base,
        base_tree,
        pinned: None,
        is_working: request.base == Base::Working,
        converts_all: false,
        branch: repository.and_then(|found| found.branch.clone()),
        made_at: now(),
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
