//! Warns of agents that a flow uses and that are not known on this computer, or cannot keep a session.

use loopwright_engine::{host::Tools, trust::Grants};
use loopwright_model::{Flow, Problem, kind::Kinds, subflow};

use crate::app::App;

impl App {
    /// What the settings of this computer make of a flow's agents: said before the run.
    pub(crate) fn warn_of_sessions(&self, flow: &Flow, path: Option<&str>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let tools = self.tool_set(path, Grants::default());
        lost_sessions(flow, self.kinds().specs(), &*tools, "", &mut problems);
        problems
    }
}

/// Nodes that mean to keep a session with a program that cannot take one up.
fn lost_sessions(
    flow: &Flow,
    kinds: &Kinds,
    tools: &dyn Tools,
    inside: &str,
    into: &mut Vec<Problem>,
) {
    for node in flow.nodes.iter().filter(|node| !node.disabled()) {
        let place = format!("{inside}{}", node.id);
        if let Some(Ok(inner)) = subflow::inline(node) {
            lost_sessions(&inner, kinds, tools, &format!("{place}/"), into);
        }
        let resumes = node
            .text("session")
            .is_none_or(|session| session == "resume");
        for reach in kinds
            .of(node)
            .map_or_else(Vec::new, |kind| kind.reaches(&node.data))
        {
            let Some(name) = reach.tool.strip_prefix("agent:") else {
                continue;
            };
            let message = match tools.find(&reach.tool) {
                None => format!(
                    "\"{}\" uses the agent `{name}`, which is not known here. There are `claude-code`, `codex` and `gemini`; add it in \
                     Settings.",
                    node.title()
                ),
                Some(tool) if resumes && tool.info().args["x-resumes"] == false => format!(
                    "\"{}\" is to keep its session, and the agent `{name}` cannot take one up: each visit begins anew. Give it \
                     `resumeArgs` in Settings, or set `session` to `fresh`.",
                    node.title()
                ),
                Some(_) => continue,
            };
            let problem = Problem::warning("session_not_kept", message);
            into.push(problem.at(&place).place("session"));
        }
    }
}
