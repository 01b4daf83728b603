//! The state and the nodes that change it: a template if nothing is computed, otherwise a node that evaluates expressions.

use serde_json::{Map, Value, json};

use super::{Ends, Translator};
use crate::{
    build::Port,
    logic_apps::{
        document::Action,
        expression::{Code, Dialect, literal, outputs_in, tera_text},
    },
};

/// The length in bytes above which a template becomes a script.
const LONG_TEMPLATE: usize = 48 * 1024;

/// The change of one entry of the state by an action.
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
    /// Returns an unused identifier similar to `wish`.
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

    /// Adds a node after `at`, with an id similar to `name`. Its label is `name`, unless `data` has one.
    pub(super) fn node(&mut self, kind: &str, name: &str, data: Value, at: &[Port]) -> Port {
        let id = self.id(name);
        self.build.node_as(&id, kind, name, data);
        let node = Port::of(&id);
        self.build.wire_all(at, &node);
        node
    }

    /// Merges several branches into one end, for a state that must be wired twice.
    pub(super) fn single(&mut self, at: Ends) -> Ends {
        if at.len() == 1 {
            return at;
        }
        let data = json!({ "label": "Join", "template": "{{ input }}" });
        vec![self.node("transform", "join", data, &at)]
    }

    /// Adds a node that passes the state on with some entries changed. `reply` is wired to the handle `reply`.
    ///
    /// Entries without expressions become a template. The others become one node that evaluates their expressions.
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
        // A template is needed, but no template can contain one of the keys. In this case no node is added, and the port refers
        // to no node. Validation reports the missing node.
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

    /// Adds the node that evaluates these changes and merges them into the state. Returns its port.
    fn computed_changes(&mut self, label: &str, at: &[Port], changes: Vec<Change>) -> Port {
        let (mut source, mut args) = (json!({}), Map::new());
        for change in changes {
            if let Code::Source { value, args: more } = change.code {
                // Several expressions may read the same section.
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

    /// Adds a node like [`Self::change`], with one changed entry.
    pub(super) fn set(
        &mut self,
        label: &str,
        at: &[Port],
        (section, key): (&'static str, &str),
        code: Code,
    ) -> Ends {
        self.change(label, at, &[Change::new(section, key, code)], None)
    }

    /// Adds a node like [`Self::change`], at the end of an action. Records the status of the action if something reads it.
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

    /// Adds a node that stores another node's result as the outputs of an action.
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

    /// Adds the node of an action that only changes the state.
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

    /// Reports the node that an action became, if the state continues from exactly one node.
    pub(super) fn mapped_to(&mut self, action: Action<'_>, after: &[Port], says: &str) {
        if let [end] = after {
            self.build.mapped(action.place, &end.node, says);
        }
    }

    /// Adds a node that evaluates the expressions in `source`. `more` are its further arguments. Returns its port.
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

    /// Adds a node that computes a single value: a Transform for a template, otherwise a node that evaluates expressions.
    /// Returns its port.
    pub(super) fn value_node(&mut self, label: &str, at: &[Port], code: Code) -> Port {
        match code {
            Code::Tera(text) => {
                let data = json!({ "template": format!("{{{{ {text} }}}}") });
                self.node("transform", label, data, at)
            }
            Code::Source { value, args } => self.expression(label, value, args, at),
        }
    }

    /// Adds a Luau script that reads the state as `input` and the output of `reply` as `reply`. Returns its port.
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

    /// Returns the change that records an action's success, if something reads it.
    fn succeeded(&self, name: &str) -> Option<Change> {
        self.watched
            .contains(name)
            .then(|| Change::new("status", name, Code::constant(json!("Succeeded"))))
    }

    /// Records that an action with inner actions finished, if something reads its outputs or its status.
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

    /// Returns the outputs of these actions as one object: the result of a loop or scope.
    pub(super) fn outputs_of(actions: &Map<String, Value>) -> Code {
        Code::Tera(outputs_in("input", actions.keys()))
    }
}

/// Returns the template that makes these changes, or `None` if one of them contains an expression that must be evaluated.
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
