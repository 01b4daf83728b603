//! The document of a TEA agent: its nodes, its constants, and checks for errors.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::action_names::canonical_name;
use crate::{
    Outcome,
    build::{Builder, MOST_ITERATIONS},
    error::ImportError,
};

/// The maximum number of nodes of an agent.
const MAX_NODES: usize = 1_000;
/// The maximum number of edges of an agent.
const MAX_EDGES: usize = 5_000;

/// A node of the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct AgentNode<'a> {
    pub(super) name: &'a str,
    pub(super) config: &'a Map<String, Value>,
    /// The node's index in the list.
    pub(super) index: usize,
}

impl AgentNode<'_> {
    pub(super) fn place(&self) -> String {
        format!("nodes[{}]", self.index)
    }

    /// Returns the node at which the parallel items of this node join, or `None` if it has no parallel items.
    pub(super) fn joins_at(&self) -> Option<&str> {
        let parallel = text(self.config, "type") == Some("dynamic_parallel")
            || self.config.contains_key("parallel_each")
            || self.config.contains_key("strategy");
        text(self.config, "fan_in").filter(|_| parallel)
    }
}

pub(super) struct Agent<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) nodes: Vec<AgentNode<'a>>,
    pub(super) edges: Vec<&'a Map<String, Value>>,
    /// The values of `variables`, `settings` and `data` in templates.
    pub(super) constants: Map<String, Value>,
    pub(super) state_schema: Option<&'a Map<String, Value>>,
    pub(super) initial_state: Option<&'a Map<String, Value>>,
    pub(super) document: &'a Map<String, Value>,
}

/// The parts of a document that are read.
const READ: [&str; 15] = [
    "name",
    "description",
    "version",
    "nodes",
    "edges",
    "variables",
    "settings",
    "data",
    "state_schema",
    "initial_state",
    "extraction_schema",
    "validation_constraints",
    "semantic_probes",
    "config",
    "type",
];

fn text<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    map.get(name).and_then(Value::as_str)
}

impl<'a> Agent<'a> {
    pub(super) fn read(document: &'a Value) -> Result<Self, ImportError> {
        let document = document
            .as_object()
            .ok_or_else(|| ImportError::refused("file", "an agent must be an object"))?;
        let list = |name: &str| document.get(name).and_then(Value::as_array);
        for (name, most) in [("nodes", MAX_NODES), ("edges", MAX_EDGES)] {
            if let Some(listed) = list(name).filter(|listed| listed.len() > most) {
                return Err(ImportError::refused(
                    name,
                    format!(
                        "there are {} {name}, but an import reads at most {most}. Split the agent",
                        listed.len()
                    ),
                ));
            }
        }
        let mut known: HashSet<&str> = HashSet::new();
        let mut nodes: Vec<AgentNode<'a>> = Vec::new();
        for (index, node) in list("nodes").into_iter().flatten().enumerate() {
            let place = format!("nodes[{index}]");
            let config = node.as_object().ok_or_else(|| {
                ImportError::refused(&place, "a node must be an object with a `name`")
            })?;
            let name = text(config, "name")
                .ok_or_else(|| ImportError::refused(&place, "this node has no `name`"))?;
            if !known.insert(name) {
                return Err(ImportError::refused(
                    place,
                    format!("there are two nodes called “{name}”. Rename one of them"),
                ));
            }
            nodes.push(AgentNode {
                name,
                config,
                index,
            });
        }
        let mut edges = Vec::new();
        for (index, edge) in list("edges").into_iter().flatten().enumerate() {
            let edge = edge.as_object().ok_or_else(|| {
                ImportError::refused(
                    format!("edges[{index}]"),
                    "an edge must be an object with `from` and `to`",
                )
            })?;
            edges.push(edge);
        }
        let mut constants = Map::new();
        for name in ["variables", "settings", "data"] {
            constants.insert(
                name.to_owned(),
                document
                    .get(name)
                    .cloned()
                    .unwrap_or(Value::Object(Map::new())),
            );
        }
        let agent = Self {
            name: text(document, "name").filter(|name| !name.trim().is_empty()),
            description: text(document, "description"),
            nodes,
            edges,
            constants,
            state_schema: document.get("state_schema").and_then(Value::as_object),
            initial_state: document.get("initial_state").and_then(Value::as_object),
            document,
        };
        for node in &agent.nodes {
            match text(node.config, "type") {
                Some("while_loop") => check_loop(node.name, node.config, &node.place())?,
                Some("dynamic_parallel") => agent.check_parallel(node)?,
                _ => agent.check_fan_in(node)?,
            }
        }
        agent.check_settings()?;
        Ok(agent)
    }

    pub(super) fn node(&self, name: &str) -> Option<&AgentNode<'a>> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Returns the value of a template that reads only constants, such as `{{ variables.tries }}`, or `None` for any other value.
    pub(super) fn constant(&self, value: &Value) -> Option<Value> {
        let Value::String(text) = value else {
            return None;
        };
        let path = loopwright_jinja::bare(text);
        let mut parts = path.split('.');
        let mut found = self.constants.get(parts.next()?)?;
        for part in parts {
            found = found.get(part)?;
        }
        (path != text.trim()).then(|| found.clone())
    }

    /// Fails if a `dynamic_parallel` lacks a required field, or has several that define its work.
    fn check_parallel(&self, node: &AgentNode<'_>) -> Result<(), ImportError> {
        let (name, place) = (node.name, node.place());
        let has = |field: &&str| {
            node.config
                .get(*field)
                .is_some_and(|value| !value.is_null())
        };
        if !has(&"items") {
            return Err(ImportError::refused(
                format!("{place}.items"),
                format!("the dynamic_parallel “{name}” requires `items`, the list to iterate over"),
            ));
        }
        let ways: Vec<&str> = ["action", "steps", "subgraph"]
            .into_iter()
            .filter(|way| has(way))
            .collect();
        match ways.as_slice() {
            [_] => {}
            [] => {
                return Err(ImportError::refused(
                    place,
                    format!(
                        "the dynamic_parallel “{name}” requires one of `action`, `steps` and `subgraph`"
                    ),
                ));
            }
            several => {
                return Err(ImportError::refused(
                    place,
                    format!(
                        "the dynamic_parallel “{name}” has `{}`, but only one of them may define the work on an item. Remove the others",
                        several.join("` and `")
                    ),
                ));
            }
        }
        self.check_join(node)
    }

    /// Fails if a field that `strategy` or `parallel_each` requires is missing or invalid.
    fn check_fan_in(&self, node: &AgentNode<'_>) -> Result<(), ImportError> {
        let matrix = node
            .config
            .get("strategy")
            .and_then(|strategy| strategy.get("matrix"));
        if let Some(matrix) = matrix.and_then(Value::as_object)
            && let Some((field, _)) = matrix.iter().find(|(_, values)| !values.is_array())
        {
            return Err(ImportError::refused(
                format!("{}.strategy.matrix.{field}", node.place()),
                format!("each value in the matrix of “{}” must be a list", node.name),
            ));
        }
        if matrix.is_some() || node.config.contains_key("parallel_each") {
            return self.check_join(node);
        }
        Ok(())
    }

    fn check_join(&self, node: &AgentNode<'_>) -> Result<(), ImportError> {
        let place = format!("{}.fan_in", node.place());
        let Some(fan_in) = text(node.config, "fan_in") else {
            return Err(ImportError::refused(
                place,
                format!(
                    "“{}” requires `fan_in`, the node that its results go to",
                    node.name
                ),
            ));
        };
        if self.node(fan_in).is_some() {
            return Ok(());
        }
        let names = self.nodes.iter().map(|node| node.name);
        Err(ImportError::refused(
            place,
            format!(
                "“{}” joins at “{fan_in}”, which is not a node{}",
                node.name,
                crate::naming::hint(fan_in, names)
            ),
        ))
    }

    /// Fails if the document has a setting that TEA's runtime rejects.
    fn check_settings(&self) -> Result<(), ImportError> {
        let language = self.document.get("validation_constraints");
        let language = language.and_then(|constraints| constraints.get("language"));
        if let Some(language) = language.filter(|language| *language != "prolog") {
            return Err(ImportError::refused(
                "validation_constraints.language",
                format!("the language of constraints must be prolog, not {language}"),
            ));
        }
        let settings = self.document.get("settings");
        let setting = |name: &str| settings.and_then(|settings| settings.get(name));
        let refused = |name: &str, message: &str| {
            Err(ImportError::refused(format!("settings.{name}"), message))
        };
        let days = "trace_payload_retention_days";
        if setting(days)
            .is_some_and(|days| !days.is_null() && days.as_u64().is_none_or(|days| days == 0))
        {
            return refused(days, "it must be a whole number of days, 1 or more");
        }
        let codec = "trace_payload_compress";
        if setting(codec)
            .and_then(Value::as_str)
            .is_some_and(|codec| codec != "gzip")
        {
            return refused(codec, "the runtime supports only `gzip`");
        }
        let traced = "auto_trace_llm_payloads";
        let every = setting(traced).and_then(Value::as_array);
        if every.is_some_and(|names| names.iter().any(|name| name == "*")) {
            return refused(traced, "`*` alone is not allowed; `true` means every node");
        }
        for (index, import) in self
            .document
            .get("imports")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            if import.get("path").is_none() && import.get("package").is_none() {
                return Err(ImportError::refused(
                    format!("imports[{index}]"),
                    "an import must have a `path` or a `package`",
                ));
            }
        }
        Ok(())
    }

    /// Reports parts of the document without an equivalent.
    pub(super) fn say_what_is_left_out(&self, build: &mut Builder) {
        for name in self.document.keys() {
            let message = match name.as_str() {
                "imports" => {
                    "Modules and other agents that this agent loads are not read. Nodes that use their actions become placeholders."
                }
                "config" => {
                    "These are settings of TEA's runtime. Only the interrupts are imported."
                }
                "validation_logging" => "No log is written. The run's history shows every check.",
                known if READ.contains(&known) => continue,
                _ => "This setting has no effect in a flow, so it is left out.",
            };
            build.say(Outcome::Ignored, name.clone(), None, message);
        }
    }

    /// Returns whether the document uses an action whose name begins with `space`.
    pub(super) fn uses(&self, space: &str) -> bool {
        fn within(value: &Value, space: &str) -> bool {
            match value {
                Value::Object(fields) => fields.iter().any(|(name, value)| {
                    let named = (name == "uses" || name == "action")
                        && value
                            .as_str()
                            .is_some_and(|action| canonical_name(action).starts_with(space));
                    named || within(value, space)
                }),
                Value::Array(items) => items.iter().any(|item| within(item, space)),
                _ => false,
            }
        }
        self.document
            .get("nodes")
            .is_some_and(|nodes| within(nodes, space))
    }

    /// Returns whether the agent stops for a person at a node. `when` is `before` or `after`.
    pub(super) fn interrupts(&self, name: &str, when: &str) -> bool {
        let own = self
            .node(name)
            .and_then(|node| node.config.get("interrupt"))
            .and_then(Value::as_str)
            .is_some_and(|at| at == when);
        let listed = self
            .document
            .get("config")
            .and_then(|config| config.get(format!("interrupt_{when}")))
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|listed| listed.as_str() == Some(name)));
        own || listed
    }
}

/// Fails if a required field of a `while_loop` is missing or invalid, or if its body contains another `while_loop`.
pub(super) fn check_loop(
    name: &str,
    config: &Map<String, Value>,
    place: &str,
) -> Result<(), ImportError> {
    let refused = |field: &str, message: String| {
        Err(ImportError::refused(format!("{place}.{field}"), message))
    };
    match config.get("condition") {
        Some(Value::Bool(_)) => {}
        Some(Value::String(condition)) if !condition.trim().is_empty() => {}
        _ => {
            return refused(
                "condition",
                format!("the while_loop “{name}” requires `condition`"),
            );
        }
    }
    match config.get("max_iterations") {
        None | Some(Value::Null) => {
            return refused(
                "max_iterations",
                format!("the while_loop “{name}” requires `max_iterations`"),
            );
        }
        Some(most)
            if most
                .as_u64()
                .is_some_and(|most| (1..=MOST_ITERATIONS).contains(&most)) => {}
        Some(most) => {
            return refused(
                "max_iterations",
                format!(
                    "max_iterations of the while_loop “{name}” must be a whole number in the range 1-1000, but is {most}"
                ),
            );
        }
    }
    let body = config.get("body").and_then(Value::as_array);
    let Some(body) = body.filter(|body| !body.is_empty()) else {
        return refused(
            "body",
            format!("the while_loop “{name}” requires `body` with at least one node"),
        );
    };
    for (index, inner) in body.iter().enumerate() {
        if inner.get("type").and_then(Value::as_str) == Some("while_loop") {
            let inner = inner
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("unnamed");
            return refused(
                &format!("body[{index}]"),
                format!(
                    "Nested while loops are not supported: the while_loop “{name}” contains the while_loop “{inner}”"
                ),
            );
        }
        if !inner.is_object() {
            return refused(
                &format!("body[{index}]"),
                "a node of a body must be an object".to_owned(),
            );
        }
    }
    Ok(())
}
