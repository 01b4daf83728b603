//! The end of a run: its outputs, or its error.

use loopwright_model::graph::NodeIx;

use crate::{named::Named, outcome::NodeError, status::RunStatus};

/// How a run ends: with its outputs, or with an error.
pub(super) enum End {
    Completed(Named),
    Failed {
        status: RunStatus,
        error: Box<NodeError>,
        node: Option<NodeIx>,
    },
}
