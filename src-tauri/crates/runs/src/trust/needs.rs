//! The resources that the nodes of a flow would use, and the approval status of each resource.

use std::collections::{BTreeMap, HashMap};

use loopwright_engine::{
    host::Tools,
    trust::{Grants, Need, NeedKind},
};
use loopwright_model::{Edge, Flow, kind::Kinds, subflow};
use serde_json::Value;

use super::{
    allow::parse,
    dto::{NeedInfo, NeedState, TrustList},
};
use crate::mcp;

/// Whether a need of this kind starts a program. The question before each use shows the arguments of the call, not the
/// program, so a person's answer does not approve the program.
fn starts(kind: NeedKind) -> bool {
    matches!(
        kind,
        NeedKind::Command | NeedKind::Server | NeedKind::ServerTool
    )
}

/// A resource that a flow would use, and the titles of the nodes that would use it.
pub(super) struct Wants {
    pub(super) need: Need,
    pub(super) nodes: Vec<String>,
    /// Whether any of the nodes uses the resource without asking the person each time.
    unasked: bool,
}

/// Collects what the nodes of `flow` would use, including those of its subflows.
pub(super) fn wants(
    flow: &Flow,
    kinds: &Kinds,
    tools: &dyn Tools,
    inside: &str,
    into: &mut BTreeMap<String, Wants>,
) {
    let mut incoming: HashMap<&str, Vec<&Edge>> = HashMap::new();
    for edge in &flow.edges {
        incoming.entry(&edge.target).or_default().push(edge);
    }
    for node in flow.nodes.iter().filter(|node| !node.disabled()) {
        let title = format!("{inside}{}", node.title());
        if let Some(Ok(inner)) = subflow::inline(node) {
            wants(&inner, kinds, tools, &format!("{title} / "), into);
        }
        let Some(kind) = kinds.of(node) else {
            continue;
        };
        for mut reach in kind.reaches(&node.data) {
            let primary = kind
                .handles(&node.data)
                .inputs
                .into_iter()
                .find(|handle| handle.primary);
            for edge in incoming.get(node.id.as_str()).into_iter().flatten() {
                let handle = edge.target_handle.as_deref().unwrap_or_default();
                let is_primary = primary
                    .as_ref()
                    .is_some_and(|primary| primary.name == handle);
                // A wired value is unknown before the run, and overrides a written one.
                if !handle.is_empty() && (!is_primary || reach.from_input == Some(handle)) {
                    reach
                        .args
                        .insert(handle.to_owned(), Value::String("{{ wire }}".to_owned()));
                }
            }
            let Some(tool) = tools.find(&reach.tool) else {
                continue;
            };
            for need in tool.needs(&reach.args) {
                let in_settings = need.in_settings;
                let entry = into.entry(need.item()).or_insert_with(|| Wants {
                    need,
                    nodes: Vec::new(),
                    unasked: false,
                });
                entry.unasked |= !reach.asks;
                entry.need.in_settings &= in_settings;
                if !entry.nodes.contains(&title) {
                    entry.nodes.push(title.clone());
                }
            }
        }
    }
}

/// Returns the items of the list that the flow's text names and that can be approved. Items that were refused in earlier runs
/// are not included: they came from an input, a page or a model, and must be approved one by one.
pub fn needed(list: &TrustList) -> impl Iterator<Item = &str> {
    list.needs
        .iter()
        .filter(|need| need.state != NeedState::Wanted)
        .filter(|need| Need::new(need.kind, &need.what).can_be_granted())
        .map(|need| need.item.as_str())
}

/// Returns the items of the list that can be approved: all except computed ones.
pub(super) fn approvable(list: &TrustList) -> impl Iterator<Item = &str> {
    list.needs
        .iter()
        .filter(|need| Need::new(need.kind, &need.what).can_be_granted())
        .map(|need| need.item.as_str())
}

/// Returns the approval status of a need that the flow's text names. With `granted_alone`, neither the settings nor a person's
/// answers approve a need.
pub(super) fn state(wants: &Wants, granted: &Grants, granted_alone: bool) -> NeedState {
    let need = &wants.need;
    if (need.in_settings && !granted_alone) || granted.cover(need) {
        NeedState::Approved
    } else if !wants.unasked && !starts(need.kind) && !granted_alone {
        NeedState::Asks
    } else if need.can_be_granted() {
        NeedState::New
    } else {
        NeedState::Computed
    }
}

/// Returns the description of a need. If an earlier approval of the same item is no longer sufficient, the description says so.
pub(super) fn detail(need: &Need, granted: &Grants) -> Option<String> {
    let before = need
        .key_and_destination()
        .filter(|(name, _)| !granted.cover(need) && granted.items.contains(&format!("key:{name}")));
    match before {
        None => mcp::detail(need, granted),
        Some(_) => Some(format!(
            "{}. Its destination is new. Approve it again.",
            need.detail.as_deref().unwrap_or_default()
        )),
    }
}

/// Returns a list entry for a stored item that the flow's text does not name; `None` if the item cannot be parsed.
pub(super) fn beside(item: &str, state: NeedState, words: &str) -> Option<NeedInfo> {
    let need = parse(item).filter(Need::can_be_granted)?;
    Some(NeedInfo {
        item: item.to_owned(),
        kind: need.kind,
        what: need.what,
        detail: Some(words.to_owned()),
        nodes: Vec::new(),
        state,
    })
}
