//! The references in templates. A reference is a name and the path that is read from the name's value.

/// The names whose first path step is the id of a node. The remaining steps are read from that node.
pub(crate) const KEYED: [&str; 2] = ["nodes", "previous"];

/// A name that a template reads: `draft.response` has the root `draft` and the path `["response"]`; `nodes["id"].x` has the
/// root `nodes` and the path `["id", "x"]`. The path ends before a step that is known only at run time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    pub root: String,
    pub path: Vec<String>,
    /// Whether the template can handle a missing value, because a `default` filter follows the name or a test of the value
    /// precedes it.
    pub has_default: bool,
}

impl Reference {
    /// Returns the reference as it is written, such as `draft.response` or `nodes["my node"].x`.
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
