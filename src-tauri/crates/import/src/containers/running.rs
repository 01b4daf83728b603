//! Which nodes of a workflow run. The source starts a node once everything that leads to it gave its outputs, in the run that
//! the node belongs to: the workflow's, or that of one iteration of its loop.

use std::collections::{BTreeMap, BTreeSet};

use super::{Container, Spec, Wire, docks::dock, inputs};

pub(super) struct Running<'v> {
    pub(super) ids: BTreeSet<&'v str>,
    /// The nodes that never run, each with the reason.
    pub(super) others: BTreeMap<&'v str, String>,
}

pub(super) fn of<'v>(container: &Container<'v>) -> Running<'v> {
    let mut ids: BTreeSet<&'v str> = BTreeSet::new();
    loop {
        let ready: Vec<&'v str> = container
            .nodes
            .iter()
            .filter(|spec| !ids.contains(spec.id))
            .filter(|spec| why_not(container, spec, &ids).is_none())
            .map(|spec| spec.id)
            .collect();
        if ready.is_empty() {
            break;
        }
        ids.extend(ready);
    }
    let others = container
        .nodes
        .iter()
        .filter_map(|spec| Some((spec.id, why_not(container, spec, &ids)?)))
        .collect();
    Running { ids, others }
}

/// Whether an edge carries a value back to the loop that its source stands in, which does not wait for it.
pub(super) fn leads_back(container: &Container<'_>, wire: &Wire<'_>) -> bool {
    let returns = wire.into.ends_with(":internal")
        || dock(wire.into).is_some_and(|(_, end)| ["input", "current"].contains(&end));
    let inside = |spec: &Spec<'_>| spec.parent == Some(wire.target);
    returns && container.node(wire.source).is_some_and(inside)
}

fn why_not(container: &Container<'_>, spec: &Spec<'_>, ids: &BTreeSet<&str>) -> Option<String> {
    if let Some(parent) = spec.parent.and_then(|parent| container.node(parent)) {
        if parent.kind != "loop" {
            return Some(format!("it stands in “{}”, which is no loop", parent.id));
        }
        if !ids.contains(parent.id) {
            return Some(format!("“{}”, which it stands in, never runs", parent.id));
        }
    }
    container
        .into(spec.id)
        .filter(|wire| !leads_back(container, wire))
        .find_map(|wire| {
            let from = container.node(wire.source)?;
            let name = from.id;
            if spec.parent == Some(name) {
                return (!is_given(from, wire.out)).then(|| {
                    format!("the loop “{name}” gives no “{}” to what is in it", wire.out)
                });
            }
            match from.parent == spec.parent {
                true if ids.contains(name) => None,
                true => Some(format!("it waits for “{name}”, which never ends")),
                false => Some(format!(
                    "an edge leads to it from “{name}” across the border of a loop. A value leaves a loop by the loop's own outputs, and enters by its inputs"
                )),
            }
        })
}

/// Whether a loop gives this to the nodes in it: a dock's value, or what it is given itself.
fn is_given(spec: &Spec<'_>, out: &str) -> bool {
    let slot = |name: &str, kind: &str| {
        let slots = spec
            .data
            .get("dockSlots")
            .and_then(|slots| slots.as_array());
        let is_it = |slot: &serde_json::Value| {
            slot.get("name").is_some_and(|given| given == name)
                && slot.get("type").is_some_and(|given| given == kind)
        };
        slots.is_some_and(|slots| slots.iter().any(is_it))
    };
    match dock(out) {
        Some((name, "output")) => slot(name, "iteration"),
        Some((name, "prev")) => slot(name, "feedback"),
        Some(_) => false,
        // Whether a value comes to it is seen when the loop is made.
        None => inputs::ports(spec).iter().any(|port| {
            port.get("name").and_then(|name| name.as_str())
                == Some(out.trim_end_matches(":internal"))
        }),
    }
}
