//! The words of the format: kinds of nodes, and what they and the workflow have that is read, or that changes nothing that a run
//! gives.

/// The kinds of nodes, each with the fields of its `data` beside those of every node.
const KINDS: [(&str, &str); 7] = [
    ("trigger", "triggerType cron idleMinutes enabled"),
    ("constant", "value valueType"),
    ("shell", "script commands path"),
    ("function", "code file"),
    (
        "agent",
        "runner model prompt promptFiles outputSchema \
         tools allowedTools mcpServers mcpConfig cwd path sandbox permissionMode",
    ),
    ("component", "componentRef workflowPath inlineWorkflow"),
    (
        "loop",
        "maxIterations dockSlots inlineWorkflow workflowRef \
         continueWhile inputMappings outputMappings",
    ),
];

/// The kinds of nodes that have no field of their own but [`OTHER`].
const PLAIN_KINDS: &str =
    "wire interface-input interface-output workdir script interface-continue container";
const OTHER: &str = "path";

/// Fields that the `data` of every node may have.
const SHARED: &str = "nodeType label description inputs outputs continueOnFailure";

/// What stands outside the `data` of nodes, or within one of its fields.
const OUTSIDE: [&str; 4] = [
    // A workflow.
    "version metadata name description rootDirectory nodes edges components interface",
    // Nodes and edges.
    "id type data parentId position x y style extent width height selected dragging measured \
     source target sourceHandle targetHandle animated",
    // Ports.
    "required default array arrayParent arrayIndex extract pattern schema",
    // Mappings and the condition of a loop that holds a workflow.
    "operator output input node iterations take",
];

/// Whether nodes of this kind are known by their name.
pub(super) fn is_kind(name: &str) -> bool {
    KINDS.iter().any(|(kind, _)| *kind == name) || PLAIN_KINDS.split(' ').any(|kind| kind == name)
}

/// Whether the `data` of nodes of this kind has such a field.
pub(super) fn is_field(kind: &str, name: &str) -> bool {
    let own = KINDS.iter().find(|(known, _)| *known == kind);
    let own = own.map_or(OTHER, |(_, fields)| fields);
    let mut fields = SHARED.split(' ').chain(own.split(' '));
    fields.any(|field| field == name)
}

/// All words of the format.
pub(super) fn all() -> Vec<&'static str> {
    let fields = KINDS.iter().map(|(_, fields)| *fields);
    let lists = OUTSIDE.into_iter().chain([SHARED]).chain(fields);
    lists.flat_map(|list| list.split(' ')).collect()
}
