//! The building blocks of an agent's translation: scripts, joined branches, values that accompany the state, placeholders.

use loopwright_jinja::{self as jinja, Templates};
use serde_json::{Map, Value, json};

use super::agent::Agent;
use crate::build::{Builder, Port};

/// Adds a Python script that reads the state as `input`, and further values as `given`. Returns the node's id.
pub(super) fn script(
    build: &mut Builder,
    name: &str,
    source: &str,
    given: Option<Value>,
    from: &[Port],
) -> String {
    let mut args = Map::new();
    args.insert("source".to_owned(), jinja::with_helpers(source).into());
    if let Some(given) = given {
        args.insert("given".to_owned(), given);
    }
    let id = build.node(
        "tool",
        name,
        json!({ "tool": "script.python", "args": args }),
    );
    build.wire_all(from, &Port::at(&id, "input"));
    id
}

/// Merges several ports, of which only one carries a value during a run. A single port is needed if a node is wired to them more
/// than once.
pub(super) fn joined(build: &mut Builder, from: Vec<Port>) -> Vec<Port> {
    if from.len() < 2 {
        return from;
    }
    let id = build.node("transform", "Join", json!({ "template": "{{ input }}" }));
    build.wire_all(&from, &Port::at(&id, "input"));
    vec![Port::of(&id)]
}

/// Returns a script that returns the state together with the value of `value`. `before` is the Python that the templates in
/// `value` need.
pub(super) fn testing(before: &str, value: &str) -> String {
    format!("state = input\n{before}return {{\"state\": state, \"test\": {value}}}")
}

/// Adds a node that extracts the state from the result of [`testing`]. Returns the node's port.
pub(super) fn state_of(build: &mut Builder, name: &str, from: &[Port]) -> Vec<Port> {
    let label = format!("State of {name}");
    let id = build.node(
        "transform",
        &label,
        json!({ "template": "{{ input.state }}" }),
    );
    build.wire_all(from, &Port::at(&id, "input"));
    vec![Port::of(&id)]
}

/// Adds a script that computes a value from the state. Returns the ports that carry the state after it, and the expression
/// that reads the value in templates of the flow.
pub(super) fn tested(
    build: &mut Builder,
    name: &str,
    before: &str,
    value: &str,
    from: &[Port],
) -> (Vec<Port>, String) {
    let label = format!("Condition of {name}");
    let id = script(build, &label, &testing(before, value), None, from);
    (
        state_of(build, name, &[Port::of(&id)]),
        format!("{id}.test"),
    )
}

pub(super) struct Steps<'b, 'a> {
    pub(super) agent: &'a Agent<'a>,
    pub(super) build: &'b mut Builder,
    /// Whether the current node is inside a sequence of steps or the body of a loop.
    pub(super) within: bool,
}

impl<'b, 'a> Steps<'b, 'a> {
    pub(super) fn new(agent: &'a Agent<'a>, build: &'b mut Builder) -> Self {
        Self {
            agent,
            build,
            within: false,
        }
    }

    /// Returns new templates for one script.
    pub(super) fn templates(&self) -> Templates<'a> {
        let agent: &'a Agent<'a> = self.agent;
        Templates::new(&agent.constants)
    }
}

impl Steps<'_, '_> {
    /// Adds a placeholder that stores a node, and returns its port.
    pub(super) fn keep(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        place: &str,
        from: &[Port],
        reason: &str,
    ) -> Vec<Port> {
        let id = self
            .build
            .placeholder(name, place, Value::Object(config.clone()), reason);
        self.build.wire_all(from, &Port::of(&id));
        vec![Port::of(&id)]
    }

    /// Converts a node's fields to templates of a flow, which read the values that a preceding script computes. Also returns
    /// the ports that the node reads from. Fields without templates are unchanged. Fails if a template has no equivalent.
    /// The error is the reason.
    pub(super) fn computed(
        &mut self,
        name: &str,
        mut fields: Map<String, Value>,
        from: Vec<Port>,
    ) -> Result<(Map<String, Value>, Vec<Port>), jinja::Why> {
        let mut templates = self.templates();
        let mut given = Vec::new();
        for (field, value) in &mut fields {
            if jinja::has_templates(value) {
                let code = templates
                    .value(value)
                    .map_err(|why| format!("its `{field}` {why}"))?;
                given.push(format!("{}: {code}", jinja::quoted(field)));
                *value = format!("{{{{ input.{field} }}}}").into();
            }
        }
        if given.is_empty() {
            return Ok((fields, from));
        }
        let label = format!("Arguments of {name}");
        let (before, given) = (templates.before, given.join(", "));
        let source = format!("state = input\n{before}return {{{given}}}");
        let id = script(self.build, &label, &source, None, &from);
        Ok((fields, vec![Port::of(&id)]))
    }
}
