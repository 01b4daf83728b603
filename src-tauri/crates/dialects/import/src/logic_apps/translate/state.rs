//! The state and the nodes that change it: a template where nothing is computed, else a node that evaluates expressions.

use serde_json::{Map, Value, json};

use super::{Ends, Translator};
use crate::{
    build::Port,
    logic_apps::{
        document::Action,
        expression::{Code, Dialect, literal, outputs_in, tera_text},
    },
};

/// Longer templates become scripts.
const LONG_TEMPLATE: usize = 48 * 1024;

/// One entry of the state that an action changes.
#[derive(Clone)]
pub(super) struct Change {
    section: &'static str,
    key: String,
    code: Code,
}

impl Change {
    pub(super) fn new(section: &'static str, key: &str, code: Code) -> Self {
        Self {
            section,
            key: key.to_owned(),
            code,
        }
    }
}

impl Translator {
    /// An id that is an identifier, close to `wish`, and that no other node has.
    pub(super) fn id(&mut self, wish: &str) -> String {
        let mut id: String = wish
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        id.truncate(60);
        if id.is_empty() || id.starts_with(|c: char| c.is_ascii_digit()) {
            id.insert_str(0, "n_");
        }
        let id = id.trim_start_matches('_');
        self.build.free_id(if id.is_empty() { "node" } else { id })
    }

    /// Adds a node behind `at`, with an id near `name`. Its label is `name`, unless `data` has one.
    pub(super) fn node(&mut self, kind: &str, name: &str, data: Value, at: &[Port]) -> Port {
        let id = self.id(name);
        self.build.node_as(&id, kind, name, data);
        let node = Port::of(&id);
        self.build.wire_all(at, &node);
        node
    }

    /// One end for the state where several branches meet, for what must be wired twice.
    pub(super) fn single(&mut self, at: Ends) -> Ends {
        if at.len() == 1 {
            return at;
        }
        let data = json!({ "label": "Join", "template": "{{ input }}" });
        vec![self.node("transform", "join", data, &at)]
    }

    /// A node that hands the state on with some entries changed. `reply` is wired to a handle of that name.
    ///
    /// What computes nothing is a template, the rest is one node that evaluates the expressions.
    pub(super) fn change(
        &mut self,
        label: &str,
        at: &[Port],
        changes: &[Change],
        reply: Option<&Port>,
    ) -> Ends {
        let whole = template_of(changes).filter(|template| template.len() <= LONG_TEMPLATE);
        let (template, computed) = match whole {
            Some(template) => (Some(template), Vec::new()),
            None => {
                let (plain, computed): (Vec<Change>, Vec<Change>) = changes
                    .iter()
                    .cloned()
                    .partition(|change| matches!(change.code, Code::Tera(_)));
                let template = template_of(&plain).filter(|_| !plain.is_empty());
                (template, computed)
            }
        };
        // A key that no template can hold leads to no node, which validation says.
        let (mut at, mut after) = (at.to_vec(), Port::of(""));
        if !computed.is_empty() {
            after = self.computed_changes(label, &at, computed);
            at = vec![after.clone()];
        }
        if let Some(template) = template {
            let mut data = json!({ "template": template });
            if reply.is_some() {
                data["inputs"] = json!(["reply"]);
            }
            after = self.node("transform", label, data, &at);
            if let Some(reply) = reply {
                self.build.wire(reply, &Port::at(&after.node, "reply"));
            }
        }
        vec![after]
    }

    /// The node that evaluates these changes.
    fn computed_changes(&mut self, label: &str, at: &[Port], changes: Vec<Change>) -> Port {
        let (mut source, mut args) = (json!({}), Map::new());
        for change in changes {
            if let Code::Source { value, args: more } = change.code {
                // Two expressions may read the same section.
                for (section, fields) in more {
                    match (args.get_mut(&section), fields) {
                        (Some(Value::Object(before)), Value::Object(fields)) => {
                            before.extend(fields)
                        }
                        (_, fields) => {
                            args.insert(section, fields);
                        }
                    }
                }
                source[change.section][literal(&change.key)] = value;
            }
        }
        args.insert("merge".to_owned(), json!(true));
        self.expression(label, source, args, at)
    }

    /// As [`Self::change`], of one entry.
    pub(super) fn set(
        &mut self,
        label: &str,
        at: &[Port],
        (section, key): (&'static str, &str),
        code: Code,
    ) -> Ends {
        self.change(label, at, &[Change::new(section, key, code)], None)
    }

    /// As [`Self::change`], at the end of an action, whose status is noted where something asks.
    pub(super) fn keep(
        &mut self,
        label: &str,
        action: &str,
        at: &[Port],
        mut changes: Vec<Change>,
        reply: Option<&Port>,
    ) -> Ends {
        changes.extend(self.succeeded(action));
        self.change(label, at, &changes, reply)
    }

    /// Keeps what a node gives as the outputs of an action.
    pub(super) fn keep_reply(
        &mut self,
        (label, action): (&str, &str),
        at: &[Port],
        reply: &Port,
        outputs: impl Into<String>,
    ) -> Ends {
        let changes = vec![Change::new("outputs", action, Code::Tera(outputs.into()))];
        self.keep(label, action, at, changes, Some(reply))
    }

    /// The node of an action that only changes the state.
    pub(super) fn changed(
        &mut self,
        action: Action<'_>,
        at: &[Port],
        changes: Vec<Change>,
        says: &str,
    ) -> Ends {
        let after = self.keep(action.name, action.name, at, changes, None);
        self.mapped_to(action, &after, says);
        after
    }

    /// Says that an action became the node at whose end the state continues.
    pub(super) fn mapped_to(&mut self, action: Action<'_>, after: &[Port], says: &str) {
        if let [end] = after {
            self.build.mapped(action.place, &end.node, says);
        }
    }

    /// A node that evaluates expressions.
    pub(super) fn expression(
        &mut self,
        label: &str,
        source: Value,
        more: Map<String, Value>,
        at: &[Port],
    ) -> Port {
        let mut args = json!({ "source": source });
        if self.dialect == Dialect::Loom {
            args["dialect"] = json!("loom");
        }
        for (name, value) in more {
            args[name] = value;
        }
        let data = json!({ "tool": "expression.azure", "args": args });
        self.node("tool", label, data, at)
    }

    /// A node that computes one value and gives nothing else.
    pub(super) fn value_node(&mut self, label: &str, at: &[Port], code: Code) -> Port {
        match code {
            Code::Tera(text) => {
                let data = json!({ "template": format!("{{{{ {text} }}}}") });
                self.node("transform", label, data, at)
            }
            Code::Source { value, args } => self.expression(label, value, args, at),
        }
    }

    /// A script that reads the state and what `reply` gives.
    pub(super) fn script(
        &mut self,
        label: &str,
        source: String,
        at: &[Port],
        reply: &Port,
    ) -> Port {
        let args = json!({ "source": source, "reply": null });
        let data = json!({ "tool": "script.lua", "args": args });
        let node = self.node("tool", label, data, at);
        self.build.wire(reply, &Port::at(&node.node, "reply"));
        node
    }

    /// The change that says an action succeeded, where something asks.
    fn succeeded(&self, name: &str) -> Option<Change> {
        self.watched
            .contains(name)
            .then(|| Change::new("status", name, Code::constant(json!("Succeeded"))))
    }

    /// Notes that a structure is done, where something asks for its outputs or its status.
    pub(super) fn done(&mut self, name: &str, at: Ends, outputs: Option<Code>) -> Ends {
        let mut changes: Vec<Change> = self.succeeded(name).into_iter().collect();
        if let Some(code) = outputs.filter(|_| self.survey.referenced.contains(name)) {
            changes.push(Change::new("outputs", name, code));
        }
        if changes.is_empty() || at.is_empty() {
            return at;
        }
        self.change(&format!("{name} done"), &at, &changes, None)
    }

    /// The outputs of these actions, as one object: a loop's or a scope's result.
    pub(super) fn outputs_of(actions: &Map<String, Value>) -> Code {
        Code::Tera(outputs_in("input", actions.keys()))
    }
}

/// The template that makes these changes, where none of them computes anything.
fn template_of(changes: &[Change]) -> Option<String> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for change in changes {
        let (key, value) = (tera_text(&change.key)?, change.code.as_tera()?);
        let field = format!(", {key}: {value}");
        match sections
            .iter_mut()
            .find(|(name, _)| *name == change.section)
        {
            Some((_, fields)) => fields.push_str(&field),
            None => sections.push((change.section, field)),
        }
    }
    let sections: String = sections
        .iter()
        .map(|(name, fields)| format!(", \"{name}\": {{...input.{name}{fields}}}"))
        .collect();
    Some(format!("{{{{ {{...input{sections}}} }}}}"))
}
