//! Determines which nodes of a workflow are executed. Robomesh starts a node when all its predecessors have provided outputs in
//! the same run or, inside a loop, in the same iteration.

use std::collections::{BTreeMap, BTreeSet};

use super::{Container, Spec, Wire, loops::slots_of_type, port_of, ports, split_dock, text};

pub(super) struct Running<'c, 'v> {
    /// The nodes that run, in an order in which each node follows its enclosing loop and the nodes that it waits for.
    pub(super) order: Vec<&'c Spec<'v>>,
    /// The nodes that never run, by id, each with the reason.
    pub(super) others: BTreeMap<&'v str, (&'c Spec<'v>, String)>,
}

pub(super) fn of<'c, 'v>(container: &'c Container<'v>) -> Running<'c, 'v> {
    let (mut ids, mut order) = (BTreeSet::new(), Vec::new());
    let mut open: Vec<&Spec<'v>> = container.nodes.iter().collect();
    while !open.is_empty() {
        open.retain(|spec| why_not(container, spec, &ids).is_none());
        let ran: BTreeSet<&str> = open.iter().map(|spec| spec.id).collect();
        ids.extend(&ran);
        order.append(&mut open);
        // Only successors of these nodes are checked again. Checking every node would take minutes for a long chain.
        let waits = |spec: &&Spec<'v>| {
            let before = container.into(spec.id).map(|wire| wire.source);
            before.chain(spec.parent).any(|id| ran.contains(id)) && !ids.contains(spec.id)
        };
        open = container.nodes.iter().filter(waits).collect();
    }
    let nodes = container.nodes.iter();
    let others = nodes.filter_map(|spec| Some((spec.id, (spec, why_not(container, spec, &ids)?))));
    Running {
        others: others.collect(),
        order,
    }
}

fn why_not(container: &Container<'_>, spec: &Spec<'_>, ids: &BTreeSet<&str>) -> Option<String> {
    if let Some(parent) = spec.parent.and_then(|parent| container.node(parent)) {
        if parent.kind != "loop" {
            return Some(format!("it is inside “{}”, which is not a loop", parent.id));
        }
        if !ids.contains(parent.id) {
            return Some(format!("it is inside “{}”, which never runs", parent.id));
        }
    }
    container.before(spec.id).find_map(|wire| {
        let from = container.node(wire.source)?;
        let name = from.id;
        if spec.parent == Some(name) {
            return (!is_given(from, wire))
                .then(|| format!("the loop “{name}” provides no “{}” to the nodes inside it", wire.out));
        }
        match from.parent == spec.parent {
            true if ids.contains(name) => None,
            true => Some(format!("it waits for “{name}”, which never ends")),
            false => Some(format!(
                "an edge leads to it from “{name}” across the boundary of a loop. Values enter a loop through its inputs and leave it through its outputs"
            )),
        }
    })
}

/// Returns whether an edge carries a value that a loop provides to the nodes inside it: the value of a dock or of one of the
/// loop's inputs.
fn is_given(spec: &Spec<'_>, wire: &Wire<'_>) -> bool {
    match split_dock(wire.out) {
        Some((name, "output")) => slots_of_type(spec, "iteration").contains(&name),
        Some((name, "prev")) => slots_of_type(spec, "feedback").contains(&name),
        Some(_) => false,
        // The translation of the loop determines whether the input has a value.
        None => ports(spec, "inputs")
            .iter()
            .any(|port| text(port, "name") == Some(port_of(wire.out))),
    }
}
