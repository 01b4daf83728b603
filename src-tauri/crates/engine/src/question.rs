//! The questions about tool calls that wait for a person: how they are written. Which tool one is about is known from the node
//! that asks, and never from these words: an approval's message may say the same.

/// Whether a tool may be used.
pub fn allow(title: &str, tool: &str) -> String {
    format!("\"{title}\" wants to use `{tool}`. Allow it?")
}

/// Whether a call that was cut off is made again.
pub fn again(title: &str, tool: &str) -> String {
    format!(
        "\"{title}\" was cut off while it used `{tool}`. The call may have changed something. Make it again?"
    )
}

/// A question about a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolQuestion<'t> {
    pub tool: &'t str,
    /// The call may have been made before, and is made again as it was.
    pub again: bool,
}

/// What `question` asks, of a node with this title that uses `tool`. `None`: it is about something else.
pub fn of<'t>(question: &str, title: &str, tool: &'t str) -> Option<ToolQuestion<'t>> {
    let again = question == again(title, tool);
    (again || question == allow(title, tool)).then_some(ToolQuestion { tool, again })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_its_nodes_own() {
        let title = "A \" wants to use `x`. Allow it?";
        let tool = "mcp:loud/shout";
        let known = |question: &str| of(question, title, tool);
        let asked = |again| Some(ToolQuestion { tool, again });
        assert_eq!(known(&allow(title, tool)), asked(false));
        assert_eq!(known(&again(title, tool)), asked(true));
        for other in [
            String::new(),
            "Allow it?".to_owned(),
            allow("B", tool),
            allow(title, "x"),
            again(title, "mcp:loud/whisper"),
        ] {
            assert_eq!(known(&other), None, "{other}");
        }
    }
}
