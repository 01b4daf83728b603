//! What a template reads: a name, and the path from it.

/// Names whose first step is a node's id: what follows it is read from the node.
pub(crate) const KEYED: [&str; 2] = ["nodes", "previous"];

/// A name that a template reads: `draft.response` is root `draft`, path `["response"]`; `nodes["id"].x` is root `nodes`,
/// path `["id", "x"]`. The path ends before a step that is only known when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    pub root: String,
    pub path: Vec<String>,
    /// A `default` filter stands behind it or a test before it, so that nothing is wrong when it is undefined.
    pub has_default: bool,
}

impl Reference {
    /// As it is written: `draft.response`, `nodes["my node"].x`.
    pub fn written(&self) -> String {
        let mut text = self.root.clone();
        for step in &self.path {
            if step
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
                && !step.starts_with(|c: char| c.is_ascii_digit())
            {
                text.push('.');
                text.push_str(step);
            } else if step.bytes().all(|byte| byte.is_ascii_digit()) {
                text.push_str(&format!("[{step}]"));
            } else {
                text.push_str(&format!("[\"{step}\"]"));
            }
        }
        text
    }
}
