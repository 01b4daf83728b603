//! The known keys of the format: kinds of nodes, and the fields of nodes and workflows that are read or do not affect a run.

/// The kinds of nodes, each with its own `data` fields.
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

/// The kinds of nodes that have no specific fields except [`OTHER`].
const PLAIN_KINDS: &str =
    "wire interface-input interface-output workdir script interface-continue container";
const OTHER: &str = "path";

/// Fields that the `data` of every node can have.
const SHARED: &str = "nodeType label description inputs outputs continueOnFailure";

/// Fields outside the `data` of nodes, or nested inside one of its fields.
const OUTSIDE: [&str; 4] = [
    // Fields of a workflow.
    "version metadata name description rootDirectory nodes edges components interface",
    // Fields of nodes and edges.
    "id type data parentId position x y style extent width height selected dragging measured \
     source target sourceHandle targetHandle animated",
    // Fields of ports.
    "required default array arrayParent arrayIndex extract pattern schema",
    // Fields of the mappings and of the condition of a loop that contains a workflow.
    "operator output input node iterations take",
];

/// Returns whether this kind of node is known.
pub(super) fn is_kind(name: &str) -> bool {
    KINDS.iter().any(|(kind, _)| *kind == name) || PLAIN_KINDS.split(' ').any(|kind| kind == name)
}

/// Returns whether the `data` of this kind of node has this field.
pub(super) fn is_field(kind: &str, name: &str) -> bool {
    let own = KINDS.iter().find(|(known, _)| *known == kind);
    let own = own.map_or(OTHER, |(_, fields)| fields);
    let mut fields = SHARED.split(' ').chain(own.split(' '));
    fields.any(|field| field == name)
}

/// Returns all known keys of the format.
pub(super) fn all() -> Vec<&'static str> {
    let fields = KINDS.iter().map(|(_, fields)| *fields);
    let lists = OUTSIDE.into_iter().chain([SHARED]).chain(fields);
    lists.flat_map(|list| list.split(' ')).collect()
}
