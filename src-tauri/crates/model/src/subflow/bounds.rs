//! How large a flow may be with the flows inside it.

use serde_json::Value;

use super::fields::{FLOW, inline_nodes};
use crate::{document::Flow, file, problem::Problem};

/// How many flows may lie within one another, the outermost included.
pub const MAX_DEPTH: usize = 16;
/// How many nodes a flow may have with everything that it refers to.
pub const MAX_NODES: usize = 10_000;
/// How large the files may be together that a flow reads, in bytes, each counted as often as it is put inline.
pub const MAX_BYTES: usize = 2 * file::MAX_BYTES;

/// Whether `flow` has no more nodes, those of the flows inside it included, and no more levels than may be. What follows each
/// flow inside asks this first: [`super::link`] reports what is larger.
pub fn is_bounded(flow: &Flow) -> bool {
    let mut nodes = flow.nodes.len();
    let inner = flow.nodes.iter().filter_map(|node| node.data.get(FLOW));
    inner
        .filter(|inner| inner.is_object())
        .all(|inner| counts_within(inner, 2, MAX_NODES, &mut nodes))
}

/// Says that [`is_bounded`] does not hold.
pub(crate) fn unbounded() -> Problem {
    Problem::error(
        "subflow_too_large",
        format!(
            "With the flows inside its nodes this workflow has more than {MAX_NODES} nodes, or more than {MAX_DEPTH} flows within one \
             another. Take some out."
        ),
    )
}

/// Adds the nodes of a flow that is inline to `nodes`, those of its own subflows included; `false` once a limit is passed.
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
