//! How a test is made, and the run that is made of it.

use std::sync::Arc;

use loopwright_engine::{journal::RunState, trust::Grants};
use loopwright_journal::MemoryJournal;

use super::answers::FileAnswers;

/// How names of test files end.
pub const TEST_ENDING: &str = ".test.json";

/// How a test is made.
#[derive(Debug, Clone, Default)]
pub struct TestOptions {
    /// Asks what is not recorded. Otherwise the test fails and names it.
    pub live: bool,
    /// Writes what came out into the file.
    pub update: bool,
    /// What is allowed for calls that are made.
    pub allow: Grants,
}

/// A test's run.
pub(super) struct Made {
    pub(super) state: RunState,
    pub(super) answers: Arc<FileAnswers>,
    pub(super) journal: Arc<MemoryJournal>,
}

/// The id of its run.
pub(super) const RUN: &str = "test";
