//! Facts about tools that nodes need outside a run: the arguments of the built-in tools, and the tools that run without
//! asking.

use loopwright_script::Language;

use super::config::ToolApproval;

/// The names of the arguments of built-in tools that can be wired. Nodes have handles for these.
pub(super) const KNOWN_ARGS: [(&str, &[&str]); 13] = [
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
    ("files.edit", &["path", "old", "new", "edits"]),
    ("search.web", &["query", "limit"]),
];

/// For each tool, the argument that takes the value at the primary input if the argument is not set.
pub(super) const MAIN_ARGS: [(&str, &str); 7] = [
    ("search.documents", "query"),
    ("search.web", "query"),
    ("http.request", "url"),
    ("files.read", "path"),
    ("files.glob", "pattern"),
    ("files.write", "text"),
    ("files.edit", "edits"),
];

/// The tool that runs programs. The user approves programs before the run, so this tool does not ask again.
pub(crate) const COMMAND: &str = "command";

/// The tool whose arguments in [`EXPRESSIONS`] are expressions of the Workflow Definition Language.
pub(super) const EXPRESSION: &str = "expression.azure";

/// The tool whose `source` is a Jinja template instead of a flow template.
pub(super) const JINJA: &str = "template.jinja";
const EXPRESSIONS: [&str; 3] = ["source", "from", "where"];

/// The name prefix of tools whose `source` is a script. A script is not a template, but can read the same names, as variables.
const SCRIPT: &str = "script.";

/// The arguments of a script tool that are not variables of the script.
pub(super) const SCRIPT_ARGS: [&str; 4] = ["source", "onError", "timeout", "memory"];

/// The name prefix of tools on MCP servers.
pub(super) const MCP: &str = "mcp:";

/// The name prefixes of tools that may not exist on every computer.
pub(super) const ELSEWHERE: [&str; 2] = [MCP, "agent:"];

/// The tools that run without asking if the node does not set `approval`.
const AUTOMATIC: [&str; 7] = [
    "search.documents",
    "script.lua",
    "script.python",
    "script.javascript",
    EXPRESSION,
    JINJA,
    COMMAND,
];

/// Returns the script language of a tool that runs scripts. `None` for other tools.
pub(super) fn language(tool: &str) -> Option<Language> {
    Language::from_name(tool.strip_prefix(SCRIPT)?)
}

/// Returns whether this argument of the tool is passed as written, without rendering templates in it.
pub(super) fn is_plain(tool: &str, argument: &str) -> bool {
    // The user approves the folder before the run, so values from the run must not influence it.
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
