//! Translates the nodes of an agent, sequences of steps, and points at which the agent stops for a person.

use serde_json::{Map, Value, json};

use super::{
    action_names::canonical_name,
    actions,
    agent::AgentNode,
    retry::retry_loop,
    steps::{Steps, tested},
};
use crate::{Outcome, build::Port, error::ImportError};

/// Fields without an equivalent that change how often a node runs or how its failure is handled.
const UNSUPPORTED_FIELDS: [&str; 5] = [
    "strategy",
    "matrix",
    "parallel_each",
    "on_error",
    "fallback",
];

/// The fields of nodes that this module reads. Any other field is reported as left out.
const KNOWN_FIELDS: [&str; 29] = [
    "parallel_config",
    "items",
    "item_var",
    "index_var",
    "max_concurrency",
    "fail_fast",
    "fan_in",
    "parallel_strategy",
    "name",
    "language",
    "run",
    "script",
    "uses",
    "action",
    "with",
    "params",
    "output",
    "output_key",
    "steps",
    "type",
    "condition",
    "max_iterations",
    "body",
    "goto",
    "next",
    "interrupt",
    "edges",
    "when",
    "id",
];

impl Steps<'_, '_> {
    /// Translates a node. Returns the ports that carry the state after it. Fails if the node is invalid in TEA.
    pub(super) fn node(
        &mut self,
        node: &AgentNode<'_>,
        from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        let place = node.place();
        let from = if self.agent.interrupts(node.name, "before") {
            self.stop(node.name, "before", &place, &from)
        } else {
            from
        };
        let ports = self.body(node.name, node.config, &place, from)?;
        Ok(if self.agent.interrupts(node.name, "after") {
            self.stop(node.name, "after", &place, &ports)
        } else {
            ports
        })
    }

    /// Adds an Approval for a point at which the agent stops for a person. Returns the port that carries the state after an
    /// approval.
    fn stop(&mut self, name: &str, when: &str, place: &str, from: &[Port]) -> Vec<Port> {
        let id = self.build.node(
            "approval",
            &format!("Look {when} {name}"),
            json!({ "message": format!("The agent stops {when} “{name}”. Continue?") }),
        );
        self.build.wire_all(from, &Port::of(&id));
        self.build.approximated(
            place,
            Some(&id),
            format!("The interrupt {when} “{name}” becomes an Approval, whose answer may change the state. If a person rejects the value, the agent stops."),
        );
        vec![Port::at(&id, "approved")]
    }

    /// Translates a node's work, which is defined by one of its fields: `run`, `uses`, `steps`, or a loop. Fails if the node
    /// is invalid in TEA.
    pub(super) fn body(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        place: &str,
        from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        let unknown: Vec<&str> = config
            .keys()
            .map(String::as_str)
            .filter(|field| !KNOWN_FIELDS.contains(field))
            .collect();
        let kind = config
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("standard");
        if kind == "while_loop" {
            self.left_out(name, &unknown, place);
            return self.while_loop(name, config, place, from);
        }
        if kind == "dynamic_parallel" && !config.contains_key("subgraph") {
            self.left_out(name, &unknown, place);
            return self.each(name, config, place, from);
        }
        // A node's condition decides whether the node runs.
        let (from, skipped) = match config.get("condition").or_else(|| config.get("when")) {
            Some(Value::String(condition)) => self.guard(name, condition, place, from),
            _ => (from, None),
        };
        if let Some(field) = UNSUPPORTED_FIELDS
            .iter()
            .find(|field| config.contains_key(**field))
        {
            let why = format!("its `{field}` has no counterpart here");
            return Ok(self.keep(name, config, place, &from, &why));
        }
        if !["standard", "node", "action", "function", "llm", "script"].contains(&kind) {
            return Ok(self.keep(
                name,
                config,
                place,
                &from,
                &format!("nodes of the type `{kind}` have no counterpart here"),
            ));
        }
        self.left_out(name, &unknown, place);
        let mut ports = self.work(name, config, place, from)?;
        ports.extend(skipped);
        Ok(ports)
    }

    /// Reports the fields that have no effect because another field defines the node's work.
    fn shadowed(&mut self, name: &str, config: &Map<String, Value>, fields: &[&str], place: &str) {
        let taken = ["run", "script", "uses"]
            .into_iter()
            .find(|way| config.contains_key(*way))
            .unwrap_or("action");
        let behind: Vec<&str> = fields
            .iter()
            .copied()
            .filter(|field| {
                *field != taken && config.get(*field).is_some_and(|value| !value.is_null())
            })
            .collect();
        if !behind.is_empty() {
            self.build.approximated(
                place,
                None,
                format!(
                    "`{}` of “{name}” has no effect: `{taken}` takes precedence.",
                    behind.join("`, `")
                ),
            );
        }
    }

    /// Reports the fields of a node that are not translated.
    fn left_out(&mut self, name: &str, fields: &[&str], place: &str) {
        let (words, unknown): (Vec<&str>, Vec<&str>) = fields
            .iter()
            .partition(|field| ["description", "metadata", "tags"].contains(field));
        if !words.is_empty() {
            self.build.say(
                Outcome::Ignored,
                place,
                None,
                format!(
                    "`{}` of “{name}” has no effect on a run.",
                    words.join("`, `")
                ),
            );
        }
        if !unknown.is_empty() {
            self.build.approximated(
                place,
                None,
                format!("`{}` of “{name}” is not imported.", unknown.join("`, `")),
            );
        }
    }

    fn guard(
        &mut self,
        name: &str,
        condition: &str,
        place: &str,
        from: Vec<Port>,
    ) -> (Vec<Port>, Option<Port>) {
        let mut templates = self.templates();
        match templates.condition(condition) {
            Ok(test) => {
                let (from, test) = tested(self.build, name, &templates.before, &test, &from);
                let id = self.build.node(
                    "router",
                    &format!("Whether {name}"),
                    json!({ "mode": "rules", "branches": [{ "name": "run", "when": test }, { "name": "skip" }], "fallback": "skip" }),
                );
                self.build.wire_all(&from, &Port::of(&id));
                self.build.mapped(
                    &format!("{place}.condition"),
                    &id,
                    format!("“{name}” runs only if its condition is true."),
                );
                (vec![Port::at(&id, "run")], Some(Port::at(&id, "skip")))
            }
            Err(why) => {
                let id = self.build.placeholder(
                    &format!("Whether {name}"),
                    &format!("{place}.condition"),
                    Value::String(condition.to_owned()),
                    &format!("its condition `{condition}` {why}"),
                );
                self.build.wire_all(&from, &Port::of(&id));
                (vec![Port::of(&id)], None)
            }
        }
    }

    fn work(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        place: &str,
        from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        if let Some(run) = config.get("run").or_else(|| config.get("script")) {
            self.shadowed(
                name,
                config,
                &[
                    "script",
                    "uses",
                    "action",
                    "with",
                    "params",
                    "output",
                    "output_key",
                    "steps",
                ],
                place,
            );
            return Ok(self.run(name, config, run, place, &from));
        }
        if let Some(action) = config
            .get("uses")
            .or_else(|| config.get("action"))
            .and_then(Value::as_str)
        {
            self.shadowed(name, config, &["steps"], place);
            if canonical_name(action) == "retry.loop" {
                return retry_loop(self, name, config, place, from);
            }
            return Ok(actions::action(self, name, action, config, place, from));
        }
        if let Some(Value::Array(steps)) = config.get("steps") {
            return self.row(name, steps, &format!("{place}.steps"), from);
        }
        if from.len() == 1 {
            self.build.say(
                Outcome::Ignored,
                place,
                None,
                format!("“{name}” does nothing and passes its input through."),
            );
        }
        Ok(from)
    }

    /// Translates steps that run one after another. Fails if a step is invalid in TEA.
    pub(super) fn row(
        &mut self,
        name: &str,
        steps: &[Value],
        place: &str,
        mut from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        let outside = std::mem::replace(&mut self.within, true);
        for (index, step) in steps.iter().enumerate() {
            self.build.check_size()?;
            let place = format!("{place}[{index}]");
            let Some(config) = step.as_object() else {
                return Err(ImportError::refused(place, "a step must be an object"));
            };
            let own = config.get("name").and_then(Value::as_str);
            let label = own.map_or_else(|| format!("{name} {}", index + 1), str::to_owned);
            from = self.body(&label, config, &place, from)?;
        }
        self.within = outside;
        Ok(from)
    }
}
