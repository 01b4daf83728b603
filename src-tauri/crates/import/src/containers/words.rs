//! Templates of the source, `{{ inputs.x }}`, `{{ node.output }}`, as templates here.

use serde_json::json;

use super::{Maker, Spec, names};
use crate::build::identifier;

/// A label as templates write it: `Claude Greeting` is `claude_greeting`.
fn slug(label: &str) -> String {
    label
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect()
}

impl Maker<'_, '_> {
    /// Rewrites a template of `spec`; gives it with the names that mean nothing.
    pub(super) fn template(&self, spec: &Spec<'_>, text: &str) -> (String, Vec<String>) {
        let own = names(spec.data, "inputs");
        let mut written = String::new();
        let mut unknown = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find("{{") {
            literal(&mut written, &rest[..open]);
            let Some(close) = rest[open..].find("}}") else {
                rest = &rest[open..];
                break;
            };
            let name = rest[open + 2..open + close].trim();
            match self.read(spec, &own, name) {
                Some(read) => written.push_str(&format!("{{{{ {read} }}}}")),
                None => unknown.push(name.to_owned()),
            }
            rest = &rest[open + close + 2..];
        }
        literal(&mut written, rest);
        (written, unknown)
    }

    /// What a name in a template of `spec` reads, with nothing where there is no value.
    pub(super) fn read(&self, spec: &Spec<'_>, own: &[&str], name: &str) -> Option<String> {
        let path: Vec<&str> = name.split('.').map(str::trim).collect();
        let field = |path: &[&str]| {
            path.iter()
                .map(|step| format!("[{}]", json!(step)))
                .collect::<String>()
        };
        match path.as_slice() {
            ["inputs", input, rest @ ..] => Some(format!(
                "(inputs.{}{} | default(value=\"\"))",
                identifier(input),
                field(rest)
            )),
            ["input"] => Some("(input | default(value=\"\"))".to_owned()),
            [input, rest @ ..] if own.contains(input) => Some(format!(
                "(inputs.{}{} | default(value=\"\"))",
                identifier(input),
                field(rest)
            )),
            [node, output, rest @ ..] => {
                let of = self.container.nodes.iter().find(|other| {
                    let label = other
                        .data
                        .get("label")
                        .and_then(|label| label.as_str())
                        .unwrap_or_default();
                    (other.id == *node || slug(label) == *node || slug(other.id) == *node)
                        && other.parent == spec.parent
                })?;
                let made = self.made.get(of.id)?;
                let port = made
                    .outputs
                    .get(*output)
                    .or_else(|| made.outputs.get("").filter(|_| !made.fields));
                Some(match port {
                    Some(port) => {
                        let handle = port.name().map_or_else(
                            || ".output".to_owned(),
                            |handle| format!("[{}]", json!(handle)),
                        );
                        format!(
                            "({}{handle}{} | default(value=\"\"))",
                            port.node,
                            field(rest)
                        )
                    }
                    None => format!("({}{} | default(value=\"\"))", made.node, field(&path[1..])),
                })
            }
            _ => None,
        }
    }
}

/// Text that stands for itself, also where it looks like a tag.
fn literal(into: &mut String, text: &str) {
    for (index, part) in text.split("{%").enumerate() {
        if index > 0 {
            into.push_str("{{ \"{%\" }}");
        }
        for (index, part) in part.split("{#").enumerate() {
            if index > 0 {
                into.push_str("{{ \"{#\" }}");
            }
            into.push_str(part);
        }
    }
}
