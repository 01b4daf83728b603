//! What nodes know of the tools that come with the program: their arguments, and which of them ask before they run.

use loopwright_script::Language;

use super::config::ToolApproval;

/// Argument names of the tools that come with the program, so that their handles are known without a run.
pub(super) const KNOWN_ARGS: [(&str, &[&str]); 12] = [
    ("search.documents", &["query", "limit"]),
    ("script.lua", &["source"]),
    ("script.python", &["source"]),
    ("script.javascript", &["source"]),
    (EXPRESSION, &["source"]),
    (JINJA, &["source"]),
    (
        "http.request",
        &["url", "method", "headers", "body", "timeout"],
    ),
    (COMMAND, &["stdin"]),
    ("files.read", &["path"]),
    ("files.glob", &["pattern"]),
    ("files.write", &["path", "text"]),
    ("search.web", &["query", "limit"]),
];

/// The argument that a tool takes from the primary input where it is not given.
pub(super) const MAIN_ARGS: [(&str, &str); 6] = [
    ("search.documents", "query"),
    ("search.web", "query"),
    ("http.request", "url"),
    ("files.read", "path"),
    ("files.glob", "pattern"),
    ("files.write", "text"),
];

/// The tool that runs programs. Its needs are approved before the run, so that it does not ask again.
pub(crate) const COMMAND: &str = "command";

/// The tool whose arguments of [`EXPRESSIONS`] are expressions of the Workflow Definition Language.
pub(super) const EXPRESSION: &str = "expression.azure";

/// The tool whose `source` is a template of Jinja, and none of flows.
pub(super) const JINJA: &str = "template.jinja";
const EXPRESSIONS: [&str; 3] = ["source", "from", "where"];

/// How the names of tools begin whose `source` is a script: no template, and what a template could read are its variables.
const SCRIPT: &str = "script.";

/// Arguments of a script's tool that are no variables of the script.
pub(super) const SCRIPT_ARGS: [&str; 4] = ["source", "onError", "timeout", "memory"];

/// How the names of tools begin that a server has.
pub(super) const MCP: &str = "mcp:";

/// How the names begin of what one computer has and another has not.
pub(super) const ELSEWHERE: [&str; 2] = [MCP, "agent:"];

/// Tools that run without asking unless told otherwise.
const AUTOMATIC: [&str; 7] = [
    "search.documents",
    "script.lua",
    "script.python",
    "script.javascript",
    EXPRESSION,
    JINJA,
    COMMAND,
];

/// The language of a tool that runs scripts.
pub(super) fn language(tool: &str) -> Option<Language> {
    Language::from_name(tool.strip_prefix(SCRIPT)?)
}

/// Whether `argument` of this tool is handed over as it is written.
pub(super) fn is_plain(tool: &str, argument: &str) -> bool {
    // A folder is granted before the run, so that nothing of the run may have a say in it.
    (language(tool).is_some() && argument == "source")
        || (tool == EXPRESSION && EXPRESSIONS.contains(&argument))
        || (tool == JINJA && argument == "source")
        || (tool.starts_with("files.") && argument == "folder")
}

pub(super) fn default_approval(tool: &str) -> ToolApproval {
    if AUTOMATIC.contains(&tool) {
        ToolApproval::Auto
    } else {
        ToolApproval::Ask
    }
}
