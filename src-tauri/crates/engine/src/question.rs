//! The questions about tool calls that wait for a person: how they are written, and which tool one is about.

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

/// The tool that a question is about. `None`: it is about something else.
pub fn read(question: &str) -> Option<ToolQuestion<'_>> {
    let between = |before: &str, end: &str| {
        let (_, tool) = question.strip_suffix(end)?.rsplit_once(before)?;
        (!tool.is_empty() && !tool.contains('`')).then_some(tool)
    };
    let tool = between("\" wants to use `", "`. Allow it?");
    tool.map(|tool| ToolQuestion { tool, again: false })
        .or_else(|| {
            let end = "`. The call may have changed something. Make it again?";
            let tool = between("\" was cut off while it used `", end)?;
            Some(ToolQuestion { tool, again: true })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_as_it_was_written() {
        let title = "A \" wants to use `x`. Allow it?";
        let tool = "mcp:loud/shout";
        assert_eq!(
            read(&allow(title, tool)),
            Some(ToolQuestion { tool, again: false })
        );
        assert_eq!(
            read(&again(title, tool)),
            Some(ToolQuestion { tool, again: true })
        );
        for other in [
            "",
            "Allow it?",
            "\"Check\" asks for your approval.",
            "\" wants to use ``. Allow it?",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
