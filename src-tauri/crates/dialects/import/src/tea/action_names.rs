//! The names of TEA's actions (`uses:`).

/// The actions that are translated to scripts alone.
const COMPUTED: [&str; 6] = [
    "json.parse",
    "json.stringify",
    "memory.store",
    "memory.retrieve",
    "validate.extraction",
    "actions.notify",
];

/// The namespaces of TEA's own actions. An action in one of them exists in TEA even if it cannot be translated.
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

/// Removes the older prefix from a name: `actions.http_get` is `http.get`.
pub(super) fn canonical_name(action: &str) -> String {
    // In `actions.http_get` and `json_parse` the first `_` stands for the dot.
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

/// Returns whether TEA has an action with this name, or the agent may load such an action through imports.
pub(super) fn is_known(action: &str, has_imports: bool) -> bool {
    let name = canonical_name(action);
    if COMPUTED.contains(&name.as_str()) {
        return true;
    }
    let Some((space, _)) = name.split_once('.') else {
        return false;
    };
    // The known actions of these two namespaces were matched above, so any other name is misspelt.
    let exists = NAMESPACES.contains(&space) && space != "validate" && space != "actions";
    exists || has_imports
}

/// Returns a hint such as ` (did you mean “validate.extraction”?)` if a known name is similar, otherwise an empty string.
pub(super) fn suggest_action(action: &str) -> String {
    crate::naming::hint(action, COMPUTED.into_iter())
}
