//! The only code that starts git: its program, its environment, and the settings that no repository may change.

mod call;
mod error;
mod execute;
mod output;
mod program;

pub(crate) use call::{Call, Git, Repository};
pub use error::GitError;
pub(crate) use error::said;
pub(crate) use output::Output;
pub(crate) use program::Program;
