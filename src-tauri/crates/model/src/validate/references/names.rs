//! Lists the names that have a value in a template. The rule that validates references also checks each candidate.

use serde_json::{Map, Value, json};

use super::place::{ALWAYS, LOOP_NAMES, Meaning, Place, WORKSPACE, WORKSPACE_FIELDS};
use crate::{
    document::{Flow, Node},
    graph::Graph,
    handles::ValueType,
    kind::{Kinds, Repetition, Shape, TemplateMode, TemplateSite},
    regions::{Regions, regions},
    validate::flow_context::FlowContext,
};
use loopwright_template::{KEYWORDS, Reference};

/// The source of a name's value. The lists that users see are grouped by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// An input of the node, or the start value or result of an iteration.
    Input,
    /// A variable of a loop.
    Variable,
    /// An output of an earlier node.
    Node,
    /// An output of a node in the previous iteration.
    Previous,
    /// A property of the current iteration, such as its number, its item, or the time at which the loop started.
    Loop,
    /// An input of the run.
    Run,
}

/// A name that a template can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeName {
    pub reference: Reference,
    pub group: Group,
    pub value_type: ValueType,
    /// A short description of the value, for users.
    pub description: String,
    /// The id of the node that produces the value. `None` if no node does.
    pub node: Option<String>,
    /// Whether validation warns if the name is read without a default.
    pub may_be_missing: bool,
}

/// Calls `read` with the scope of the template or expression at `field` of the node `node`. The field may be empty or
/// malformed. Returns `None` if the node does not exist or has no template at `field`.
pub fn at_field<T>(
    flow: &Flow,
    kinds: &Kinds,
    node: &str,
    field: &str,
    read: impl FnOnce(&Place<'_>, &TemplateSite) -> T,
) -> Option<T> {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    let context = FlowContext::new(flow, kinds, &graph, &regions);
    let index = graph.index(node)?;
    let found = context.node(index);
    let site = site(context.spec(index)?, found, field)?;
    let place = Place::new(&context, index, found, &site);
    Some(read(&place, &site))
}

/// Returns the template at `field`. If the field is empty, returns a minimal template of the same mode. `None` if the field
/// cannot contain a template.
fn site(kind: &dyn crate::kind::KindSpec, node: &Node, field: &str) -> Option<TemplateSite> {
    let at = |data: &Map<String, Value>| {
        kind.templates(data)
            .into_iter()
            .find(|site| site.field == field)
    };
    at(&node.data).or_else(|| {
        // To find out the field's mode, a minimal template is put into it. As a script, this template reads no names.
        let mut data = node.data.clone();
        put(&mut data, field, &json!("{{ input }}"))?;
        let found = at(&data)?;
        Some(TemplateSite {
            source: node.text(field).unwrap_or_default().to_owned(),
            read: found.read.map(|_| Ok(Vec::new())),
            ..found
        })
    })
}

/// Sets the value at a path such as `branches[0].when`. Returns `None` if the path names an item that a list does not have.
fn put(data: &mut Map<String, Value>, path: &str, value: &Value) -> Option<()> {
    let mut steps = path
        .split(['.', '['])
        .map(|step| step.strip_suffix(']').unwrap_or(step));
    let mut at = data
        .entry(steps.next()?.to_owned())
        .or_insert_with(|| Value::Object(Map::new()));
    for step in steps {
        if let Value::Array(items) = at {
            at = items.get_mut(step.parse::<usize>().ok()?)?;
        } else {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            at = at
                .as_object_mut()?
                .entry(step.to_owned())
                .or_insert(Value::Null);
        }
    }
    *at = value.clone();
    Some(())
}

impl<'a> Place<'a> {
    pub fn mode(&self) -> TemplateMode {
        self.site.mode
    }

    pub fn flow(&self) -> &'a Flow {
        self.context.flow
    }

    pub fn graph(&self) -> &'a Graph {
        self.context.graph
    }

    pub fn all_regions(&self) -> &'a Regions {
        self.context.regions
    }

    /// Returns the index of the node that contains the template.
    pub fn node_index(&self) -> usize {
        self.index
    }

    /// Returns the field that contains the template, as a path within the node's data.
    pub fn data_field(&self) -> &str {
        &self.site.field
    }

    /// Calls `read` with the scope of a template in another field of the same or another node. Returns `None` if there is no
    /// template in that field.
    pub fn beside<T>(
        &self,
        node: usize,
        field: &str,
        read: impl FnOnce(&Place<'_>) -> T,
    ) -> Option<T> {
        let found = self.context.node(node);
        let site = site(self.context.spec(node)?, found, field)?;
        Some(read(&Place::new(self.context, node, found, &site)))
    }

    /// Returns the index of the region that starts at the node, or `None` if no region starts there.
    pub fn own_region(&self) -> Option<usize> {
        self.own
    }

    /// Returns every name that has a value in this template, the most likely ones first.
    pub fn names(&self) -> Vec<ScopeName> {
        let mut candidates = Vec::new();
        self.at_the_node(&mut candidates);
        self.of_the_loop(&mut candidates);
        self.of_nodes(&mut candidates);
        self.of_the_run(&mut candidates);
        candidates.retain_mut(|name| {
            let mut problems = Vec::new();
            self.reference(&name.reference, &mut problems);
            name.may_be_missing = !problems.is_empty();
            !problems.iter().any(crate::problem::Problem::is_error)
        });
        candidates
    }

    fn at_the_node(&self, names: &mut Vec<ScopeName>) {
        let mut add = |root: &str, path: &[&str], value_type, description: String| {
            names.push(name(root, path, Group::Input, value_type, description));
        };
        if self.own.is_some() {
            if !self.before_the_pass() {
                add(
                    "result",
                    &[],
                    ValueType::Any,
                    "this iteration's result".to_owned(),
                );
            }
            let what = match self.before_the_pass() {
                true => "the input of the next iteration",
                false => "the input of this iteration",
            };
            add("input", &[], ValueType::Any, what.to_owned());
        }
        for handle in &self.context.graph.handles[self.index].inputs {
            if self.own.is_some() {
                break;
            }
            if handle.primary {
                let description = format!("the value at input \"{}\"", handle.name);
                add("input", &[], handle.value_type, description);
                continue;
            }
            let description = format!("the value at input \"{}\"", handle.name);
            if is_identifier(&handle.name) && self.meaning(&handle.name) == Some(Meaning::Handle) {
                add(&handle.name, &[], handle.value_type, description);
            } else {
                add("inputs", &[&handle.name], handle.value_type, description);
            }
        }
    }

    /// Adds the names that the enclosing loops and iterators define: items, variables, counters.
    fn of_the_loop(&self, names: &mut Vec<ScopeName>) {
        if self.around(Repetition::Each).is_some() {
            names.push(name(
                "item",
                &[],
                Group::Input,
                ValueType::Any,
                "the current item",
            ));
            names.push(name(
                "index",
                &[],
                Group::Loop,
                ValueType::Number,
                "the item's number, from 0",
            ));
        }
        let (mut first, mut has_workspace) = (true, false);
        for region in self.regions() {
            let start = self.start(region);
            if self.context.regions.regions[region].repeats != Repetition::Loop {
                continue;
            }
            if let Some(second) = start
                .text("inputName")
                .filter(|second| is_identifier(second))
            {
                let description = format!(
                    "the input of the current iteration of \"{}\"",
                    start.title()
                );
                names.push(name(second, &[], Group::Input, ValueType::Any, description));
            }
            let kind = self.context.kinds.of(start);
            if !has_workspace && kind.is_some_and(|kind| kind.workspace(&start.data).is_some()) {
                has_workspace = true;
                for (field, value_type, what) in WORKSPACE_FIELDS {
                    names.push(name(WORKSPACE, &[field], Group::Loop, value_type, what));
                }
            }
            if first {
                self.variables(start, names);
                for (root, value_type, what) in [
                    ("loopCount", ValueType::Number, "the iteration, from 1"),
                    ("loopIndex", ValueType::Number, "the iteration, from 0"),
                    (
                        "loopResult",
                        ValueType::Any,
                        "the previous iteration's result, null at first",
                    ),
                    ("loopStartTime", ValueType::Text, "when the loop started"),
                    (
                        "loopEscalated",
                        ValueType::Boolean,
                        "whether the loop made no progress and is trying another way",
                    ),
                ] {
                    if root == "loopEscalated" && !escalates(start) {
                        continue;
                    }
                    names.push(name(root, &[], Group::Loop, value_type, what));
                }
                first = false;
                continue;
            }
            for (key, what) in [("loopCount", "from 1"), ("loopIndex", "from 0")] {
                let description = format!("the iteration of \"{}\", {what}", start.title());
                names.push(name(
                    "loops",
                    &[&start.id, key],
                    Group::Loop,
                    ValueType::Number,
                    description,
                ));
            }
        }
    }

    fn variables(&self, start: &Node, names: &mut Vec<ScopeName>) {
        let variables = start.data.get("variables").and_then(Value::as_array);
        for variable in variables.into_iter().flatten() {
            if let Some(called) = variable.get("name").and_then(Value::as_str)
                && !called.is_empty()
            {
                let description = format!("a variable of \"{}\"", start.title());
                names.push(name(
                    "vars",
                    &[called],
                    Group::Variable,
                    ValueType::Any,
                    description,
                ));
            }
        }
    }

    fn of_nodes(&self, names: &mut Vec<ScopeName>) {
        let around = self.around(Repetition::Loop);
        let mut previous = Vec::new();
        for (index, node) in self.context.flow.nodes.iter().enumerate() {
            let shape = self.context.graph.shapes[index];
            let handles = &self.context.graph.handles[index].outputs;
            // An output node passes its value out of the flow, so it is not listed. The start of a region around the template
            // is not listed either, because its value is already listed as `input`.
            let opens = self
                .regions()
                .iter()
                .any(|&region| self.context.regions.regions[region].start == index);
            if handles.is_empty() || matches!(shape, Shape::Annotation | Shape::Output) || opens {
                continue;
            }
            let (root, path): (&str, Vec<&str>) = if self.reads_as_itself(&node.id) {
                (node.id.as_str(), Vec::new())
            } else {
                ("nodes", vec![node.id.as_str()])
            };
            let primary = handles.iter().find(|handle| handle.primary);
            let branching = self.context.graph.branching[index] && shape == Shape::Branching;
            let value_type = primary.map_or(ValueType::Json, |handle| handle.value_type);
            let whole = if branching {
                ValueType::Json
            } else {
                value_type
            };
            let what = |of: Option<&str>| match of {
                Some(handle) => format!("\"{}\" of {}", handle, node.title()),
                None => format!("the output of {}", node.title()),
            };
            let mut push = |root: &str, path: &[&str], group, value_type, description| {
                names.push(ScopeName {
                    node: Some(node.id.clone()),
                    ..name(root, path, group, value_type, description)
                });
            };
            push(root, &path, Group::Node, whole, what(None));
            // A branching node sends its value through only one branch, so the handles of the other branches have no value. The
            // node's verdict says which branch it took.
            for handle in handles
                .iter()
                .filter(|handle| !handle.primary && !branching)
            {
                let path: Vec<&str> = path.iter().copied().chain([handle.name.as_str()]).collect();
                push(
                    root,
                    &path,
                    Group::Node,
                    handle.value_type,
                    what(Some(&handle.name)),
                );
            }
            if around.is_some() && self.context.regions.scope_of[index] == around {
                previous.push(ScopeName {
                    node: Some(node.id.clone()),
                    ..name(
                        "previous",
                        &[&node.id],
                        Group::Previous,
                        whole,
                        format!(
                            "the output of {} in the previous iteration, null at first",
                            node.title()
                        ),
                    )
                });
            }
        }
        names.append(&mut previous);
    }

    fn of_the_run(&self, names: &mut Vec<ScopeName>) {
        for node in &self.context.flow.nodes {
            if self.context.kinds.shape(node) == Shape::Input {
                let called = node.boundary_name();
                let description = format!("the run's input \"{called}\"");
                names.push(name(
                    "run",
                    &["inputs", called],
                    Group::Run,
                    ValueType::Any,
                    description,
                ));
            }
        }
    }

    /// Returns whether the id of a node, written alone, refers to that node in this template.
    fn reads_as_itself(&self, id: &str) -> bool {
        is_identifier(id)
            && !ALWAYS.contains(&id)
            && !LOOP_NAMES.contains(&id)
            && matches!(self.meaning(id), Some(Meaning::Node(_)))
    }
}

fn is_identifier(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        && text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && !text.starts_with("__")
        && !KEYWORDS.contains(&text)
}

/// Returns whether a loop continues once after it made no progress. In every other loop, `loopEscalated` is always false.
fn escalates(start: &Node) -> bool {
    let no_progress = start
        .data
        .get("limits")
        .and_then(|limits| limits.get("noProgress"));
    no_progress
        .and_then(|own| own.get("escalate"))
        .and_then(Value::as_bool)
        == Some(true)
}

fn name(
    root: &str,
    path: &[&str],
    group: Group,
    value_type: ValueType,
    description: impl Into<String>,
) -> ScopeName {
    ScopeName {
        reference: Reference {
            root: root.to_owned(),
            path: path.iter().map(|step| (*step).to_owned()).collect(),
            has_default: false,
        },
        group,
        value_type,
        description: description.into(),
        node: None,
        may_be_missing: false,
    }
}
