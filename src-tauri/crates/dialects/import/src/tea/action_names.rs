//! The names of TEA's actions (`uses:`).

/// Actions that are computed by a script.
const COMPUTED: [&str; 6] = [
    "json.parse",
    "json.stringify",
    "memory.store",
    "memory.retrieve",
    "validate.extraction",
    "actions.notify",
];

/// Where the names of TEA's own actions begin: an action among these exists there, whether or not it has a counterpart here.
const NAMESPACES: [&str; 56] = [
    "a2a",
    "academic",
    "actions",
    "agent",
    "auth",
    "cache",
    "catalog",
    "checkpoint",
    "code",
    "core",
    "csv",
    "data",
    "error",
    "execution",
    "file",
    "firestore",
    "git",
    "github",
    "graph",
    "http",
    "input",
    "json",
    "learn",
    "llamaextract",
    "llamaindex",
    "llm",
    "ltm",
    "markdown",
    "memory",
    "neo4j",
    "notify",
    "observability",
    "opik",
    "plan",
    "prolog",
    "rag",
    "ratelimit",
    "reason",
    "reflection",
    "retry",
    "schema",
    "search",
    "secrets",
    "semtools",
    "session",
    "state",
    "storage",
    "text",
    "tools",
    "trace",
    "validate",
    "vector",
    "web",
    "tabular",
    "embedding",
    "dspy",
];

/// The name without the older prefix: `actions.http_get` is `http.get`.
pub(super) fn canonical_name(action: &str) -> String {
    // `actions.http_get` and `json_parse`: the first `_` stands for the dot.
    let older = match action {
        "json_parse" | "json_stringify" => action,
        "notify" => return "actions.notify".to_owned(),
        "actions.notify" => return action.to_owned(),
        _ => match action.strip_prefix("actions.") {
            Some(older) => older,
            None => return action.to_owned(),
        },
    };
    match older.split_once('_') {
        Some((space, name)) if NAMESPACES.contains(&space) => format!("{space}.{name}"),
        _ => action.to_owned(),
    }
}

/// Whether TEA has an action of this name, or the agent, with imports, may load one.
pub(super) fn is_known(action: &str, has_imports: bool) -> bool {
    let name = canonical_name(action);
    if COMPUTED.contains(&name.as_str()) {
        return true;
    }
    let Some((space, _)) = name.split_once('.') else {
        return false;
    };
    // Of validations there is one; the others of that namespace are misspelt.
    let exists = NAMESPACES.contains(&space) && space != "validate" && space != "actions";
    exists || has_imports
}

/// `, did you mean “validate.extraction”?`
pub(super) fn suggest_action(action: &str) -> String {
    crate::naming::hint(action, COMPUTED.into_iter())
}
