//! The resources that the nodes of a flow would use, and the approval status of each resource.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use loopwright_engine::{
    host::Tools,
    trust::{Grants, Need, NeedKind},
};
use loopwright_model::{
    Edge, Flow, Node,
    graph::Graph,
    kind::{Kinds, Workspace},
    regions::regions,
    subflow,
};
use serde_json::{Value, json};

use super::{
    allow::parse,
    dto::{NeedInfo, NeedState, TrustList},
};
use crate::{mcp, workspace_setup};

/// Returns whether a need of this kind starts a program. The question before each use shows the arguments of the call, not the
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
    /// Whether any node uses the resource without asking the user each time.
    unasked: bool,
}

/// The context of a flow whose needs are collected.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) kinds: &'a Kinds,
    pub(super) tools: &'a dyn Tools,
    /// The titles of the nodes around a subflow, each with a separator; empty for the flow itself.
    pub(super) inside: &'a str,
    /// The workspace of the loop around a subflow.
    pub(super) workspace: Option<Workspace<'a>>,
}

/// Returns the workspace of each node of a flow. `outer` is the workspace of the loop around the flow.
fn workspaces<'a>(
    flow: &'a Flow,
    kinds: &Kinds,
    outer: Option<Workspace<'a>>,
) -> Vec<Option<Workspace<'a>>> {
    let of_loop = |node: &'a Node| kinds.of(node)?.workspace(&node.data);
    if !flow.nodes.iter().any(|node| of_loop(node).is_some()) {
        return vec![outer; flow.nodes.len()];
    }
    let regions = regions(flow, kinds, &Graph::new(flow, kinds));
    (0..flow.nodes.len())
        .map(|node| {
            let mut starts = regions
                .enclosing(node)
                .map(|region| &flow.nodes[regions.regions[region].start]);
            starts.find_map(of_loop).or(outer)
        })
        .collect()
}

/// Returns the permission that is needed to copy the folder of a workspace; `None` if none is needed.
fn copy_need(tools: &dyn Tools, workspace: Workspace<'_>) -> Option<Need> {
    let args = json!({ "folder": workspace.folder });
    // The file tools know where the flow's relative paths begin, and which folders no flow may use.
    let need = tools.find("files.glob")?.needs(args.as_object()?).pop()?;
    let detail = match &need.detail {
        None => "the loop works in a private copy, and the folder itself is not changed".to_owned(),
        Some(detail) => format!("a private copy is made; {detail}"),
    };
    Some(need.detail(detail))
}

/// Returns the needs of the commands in the set-up files of a copied folder. `copied` is the need for copying that folder.
fn setup_needs(tools: &dyn Tools, workspace: Workspace<'_>, copied: &Need) -> Vec<Need> {
    if !workspace.reads_setup_files {
        return Vec::new();
    }
    let Some(tool) = tools.find("command") else {
        return Vec::new();
    };
    let calls = workspace_setup::calls_of_files(Path::new(&copied.what));
    let needs = calls
        .iter()
        .flat_map(|args| tool.needs_in_workspace(args, workspace));
    needs.collect()
}

/// Collects what the nodes of `flow` would use, including those of its subflows.
pub(super) fn wants(flow: &Flow, around: Around<'_>, into: &mut BTreeMap<String, Wants>) {
    let Around {
        kinds,
        tools,
        inside,
        workspace: outer,
    } = around;
    let workspaces = workspaces(flow, kinds, outer);
    let mut incoming: HashMap<&str, Vec<&Edge>> = HashMap::new();
    for edge in &flow.edges {
        incoming.entry(&edge.target).or_default().push(edge);
    }
    for (node, workspace) in flow.nodes.iter().zip(workspaces) {
        if node.disabled() {
            continue;
        }
        let title = format!("{inside}{}", node.title());
        if let Some(Ok(inner)) = subflow::inline(node) {
            let around = Around {
                inside: &format!("{title} / "),
                workspace,
                ..around
            };
            wants(&inner, around, into);
        }
        let Some(kind) = kinds.of(node) else {
            continue;
        };
        let copied = kind.workspace(&node.data);
        if let Some(copied) = copied
            && let Some(need) = copy_need(tools, copied)
        {
            for need in setup_needs(tools, copied, &need) {
                add(into, need, &title, true);
            }
            add(into, need, &title, true);
        }
        // A loop itself uses resources only to set up its own workspace.
        let workspace = copied.or(workspace);
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
                // A wired value is unknown before the run, and overrides a value in the node.
                if !handle.is_empty() && (!is_primary || reach.from_input == Some(handle)) {
                    reach
                        .args
                        .insert(handle.to_owned(), Value::String("{{ wire }}".to_owned()));
                }
            }
            let Some(tool) = tools.find(&reach.tool) else {
                continue;
            };
            let needs = match workspace {
                Some(workspace) => tool.needs_in_workspace(&reach.args, workspace),
                None => tool.needs(&reach.args),
            };
            for need in needs {
                add(into, need, &title, !reach.asks);
            }
        }
    }
}

/// Adds a need of the node `title`. `unasked` is true if the node uses the resource without asking the user each time.
fn add(into: &mut BTreeMap<String, Wants>, need: Need, title: &str, unasked: bool) {
    let in_settings = need.in_settings;
    let entry = into.entry(need.item()).or_insert_with(|| Wants {
        need,
        nodes: Vec::new(),
        unasked: false,
    });
    entry.unasked |= unasked;
    entry.need.in_settings &= in_settings;
    if !entry.nodes.iter().any(|known| known == title) {
        entry.nodes.push(title.to_owned());
    }
}

/// Returns the items of the list that the flow's text names and that can be approved. Items that earlier runs were refused
/// are left out. They came from an input, a web page or a model, and must be approved one by one.
pub fn needed(list: &TrustList) -> impl Iterator<Item = &str> {
    list.needs
        .iter()
        .filter(|need| need.state != NeedState::Wanted)
        .filter(|need| Need::new(need.kind, &need.what).can_be_granted())
        .map(|need| need.item.as_str())
}

/// Returns the items of the list that can be approved: all except computed items.
pub(super) fn approvable(list: &TrustList) -> impl Iterator<Item = &str> {
    list.needs
        .iter()
        .filter(|need| Need::new(need.kind, &need.what).can_be_granted())
        .map(|need| need.item.as_str())
}

/// Returns the approval status of a need that the flow's text names. If `granted_alone` is true, neither the settings nor a
/// person's answers approve a need.
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

/// Returns the description of a need; `None` if it has none. If an earlier approval of the same item is no longer
/// sufficient, the description asks for a new one.
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

/// Returns a list entry for a stored item that the flow's text does not name, or `None` if the item is invalid.
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
