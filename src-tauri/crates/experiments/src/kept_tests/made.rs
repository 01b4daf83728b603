//! The options for running a test, and the run that a test performs.

use std::sync::Arc;

use loopwright_engine::{journal::RunState, trust::Grants};
use loopwright_journal::MemoryJournal;

use super::answers::FileAnswers;

/// The ending of test file names.
pub const TEST_ENDING: &str = ".test.json";

/// The options with which a kept test is run.
#[derive(Debug, Clone, Default)]
pub struct TestOptions {
    /// Whether to make calls that have no recorded answer. If `false`, such a call fails the test.
    pub live: bool,
    /// Whether to update the expectations and the answers in the file.
    pub update: bool,
    /// The permissions for calls that are made because they have no recorded answer.
    pub allow: Grants,
}

/// The run that a test performed.
pub(super) struct Made {
    pub(super) state: RunState,
    pub(super) answers: Arc<FileAnswers>,
    pub(super) journal: Arc<MemoryJournal>,
}

/// The id of every test's run.
pub(super) const RUN: &str = "test";
