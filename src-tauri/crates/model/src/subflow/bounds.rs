//! Size limits of a flow, including the flows inside it.

use serde_json::Value;

use super::fields::{FLOW, inline_nodes};
use crate::{document::Flow, file, problem::Problem};

/// The maximum nesting depth of flows, including the outermost one.
pub const MAX_DEPTH: usize = 16;
/// The maximum number of nodes of a flow, including the nodes of all flows that it refers to.
pub const MAX_NODES: usize = 10_000;
/// The maximum total size of the files that a flow refers to, in bytes. A file counts once for each reference to it.
pub const MAX_BYTES: usize = 2 * file::MAX_BYTES;

/// Returns whether `flow`, including the flows inside it, is within the limits on nodes and nesting depth. Code that recurses
/// into inner flows must check this first. [`super::link`] reports flows that exceed the limits.
pub fn is_bounded(flow: &Flow) -> bool {
    let mut nodes = flow.nodes.len();
    let inner = flow.nodes.iter().filter_map(|node| node.data.get(FLOW));
    inner
        .filter(|inner| inner.is_object())
        .all(|inner| counts_within(inner, 2, MAX_NODES, &mut nodes))
}

/// Returns the problem to report for a flow that exceeds the limits of [`is_bounded`].
pub(crate) fn unbounded() -> Problem {
    Problem::error(
        "subflow_too_large",
        format!(
            "Including the flows inside its nodes, this workflow has more than {MAX_NODES} nodes, or flows nested more than \
             {MAX_DEPTH} levels deep. Remove some nodes or levels."
        ),
    )
}

/// Adds the number of nodes of an inline flow, including those of its own subflows, to `nodes`. Returns whether the counts are
/// within all limits.
fn counts_within(flow: &Value, depth: usize, limit: usize, nodes: &mut usize) -> bool {
    depth <= MAX_DEPTH
        && inline_nodes(flow).all(|(_, data)| {
            *nodes += 1;
            let inner = data.and_then(|data| data.get(FLOW));
            *nodes <= limit
                && inner
                    .filter(|inner| inner.is_object())
                    .is_none_or(|inner| counts_within(inner, depth + 1, limit, nodes))
        })
}
