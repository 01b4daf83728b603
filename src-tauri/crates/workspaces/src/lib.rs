//! Manages workspaces: private copies of a repository or a folder, in which loops work. Their states are recorded as trees.
//!
//! [`Source::look`] examines a folder, and [`Workspace::make`] copies it. [`Workspace::record`] writes the state of its
//! files as a [`Tree`]. [`Workspace::restore`] and [`Workspace::fork`] restore a tree byte for byte.
//! [`Workspace::apply_branch`] and [`Workspace::apply_working`] apply the result to the source. The git program does this
//! work (`docs/decisions/022-workspaces.md`). All functions block; call them on a thread that may block.
//!
//! [`Workspaces`] opens and closes workspaces for the loops of a run.
//!
//! Architecture Invariant: the crate knows no flows and no nodes, and nothing about a run except its id. In a source, it
//! changes only its own refs below `refs/loopwright/`, except in `apply`. Its git commands never open a repository that a
//! program may write.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod apply;
mod changes;
mod confine;
mod contents;
mod copy;
mod delete;
mod error;
mod fork;
mod git;
mod host;
mod make;
mod paths;
mod person;
mod pin;
mod prepare;
mod protect;
mod record;
mod remove;
mod source;
#[cfg(all(test, unix))]
mod tests;
mod tree;
mod workspace;

pub use apply::{AppliedBranch, ApplyBranch, ApplyError, Kept, WorkingPlan};
pub use changes::{Change, ChangeKind, Changes, Content, Counts, Diff, FileMode, Trees, Version};
pub use confine::{
    Confined, Confinement, SpawnWithin, Writable, can_confine, environment, state_of_runner,
};
pub use error::{Error, Result};
pub use fork::Fork;
pub use git::GitError;
pub use host::{Confine, KIND, Listed, Settings, SetupProgram, Workspaces};
pub use make::{Base, Note, Report, Request};
pub use person::Person;
pub use prepare::{Found, PreparePlan, copy_ignored};
pub use protect::{Protected, check_patterns};
pub use record::{Recorded, Restored};
pub use remove::Size;
pub use source::{Difference, Refused, Source, SourceGuard, SourceRepository};
pub use tree::Tree;
pub use workspace::Workspace;
