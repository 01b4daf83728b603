//! Rule: templates and expressions parse, and read names that have a value where they stand.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Flowing, quoted, suggest::nearest, upstream};
use crate::{
    document::Node,
    graph::NodeIx,
    handles::ValueType,
    kind::{KindSpec, Repetition, Shape, TemplateMode, TemplateSite},
    problem::{Edit, Problem},
    template::{Expression, Reference, Template},
};

/// Names of the nearest loop's iteration.
const LOOP_NAMES: [&str; 4] = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];
/// Names that are there wherever a template stands.
const ALWAYS: [&str; 6] = ["input", "inputs", "run", "nodes", "loops", "previous"];

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in flowing.active() {
        for site in kind.templates(&node.data) {
            let place = Place::new(flowing, index, node, &site);
            match references(&site) {
                Ok(references) => {
                    for reference in &references {
                        place.reference(reference, problems);
                    }
                    place.constant(kind, &references, problems);
                }
                Err(error) => problems.push(place.mistake(&error)),
            }
        }
    }
}

fn references(site: &TemplateSite) -> Result<Vec<Reference>, crate::template::TemplateError> {
    match site.mode {
        TemplateMode::Template => Ok(Template::parse(&site.source)?.references().to_vec()),
        TemplateMode::Condition | TemplateMode::Expression => {
            Ok(Expression::parse(&site.source)?.references().to_vec())
        }
    }
}

/// Where a template stands, and what it sees from there.
struct Place<'a> {
    flowing: &'a Flowing<'a>,
    index: NodeIx,
    node: &'a Node,
    site: &'a TemplateSite,
    /// The region that a scope start's own expressions look into.
    own: Option<usize>,
}

impl<'a> Place<'a> {
    fn new(
        flowing: &'a Flowing<'a>,
        index: NodeIx,
        node: &'a Node,
        site: &'a TemplateSite,
    ) -> Self {
        let own = flowing
            .regions
            .regions
            .iter()
            .position(|region| region.start == index);
        Self {
            flowing,
            index,
            node,
            site,
            own,
        }
    }

    fn problem(&self, problem: Problem) -> Problem {
        problem.at(&self.node.id).place(&self.site.field)
    }

    /// `Template of "Merge"`
    fn subject(&self) -> String {
        let what = match self.site.mode {
            TemplateMode::Template => "Template",
            TemplateMode::Condition => "Condition",
            TemplateMode::Expression => "Expression",
        };
        format!("{what} of {}", quoted(self.node))
    }

    fn mistake(&self, error: &crate::template::TemplateError) -> Problem {
        let at = error
            .at
            .map(|(line, column)| format!(" in line {line}, column {column}"))
            .unwrap_or_default();
        self.problem(Problem::error(
            "template_syntax",
            format!(
                "{} has a mistake{at} (`{}`): {error}",
                self.subject(),
                self.site.field
            ),
        ))
    }

    fn error(&self, reference: &Reference, why: impl std::fmt::Display) -> Problem {
        self.problem(Problem::error(
            "bad_reference",
            format!(
                "{} refers to \"{}\": {why}",
                self.subject(),
                reference.written()
            ),
        ))
    }

    /// Missing is no error here: a condition takes it as false.
    fn tolerant(&self, reference: &Reference) -> bool {
        reference.has_default || self.site.mode == TemplateMode::Condition
    }

    /// Regions around, innermost first; a start's own expressions stand in its own.
    fn regions(&self) -> Vec<usize> {
        self.own
            .into_iter()
            .chain(self.flowing.regions.enclosing(self.index))
            .collect()
    }

    fn around(&self, repeats: Repetition) -> Option<usize> {
        self.regions()
            .into_iter()
            .find(|&region| self.flowing.regions.regions[region].repeats == repeats)
    }

    fn start(&self, region: usize) -> &'a Node {
        self.flowing
            .node(self.flowing.regions.regions[region].start)
    }

    /// The loop around whose id is `id`.
    fn loop_called(&self, id: &str) -> bool {
        self.regions().into_iter().any(|region| {
            self.flowing.regions.regions[region].repeats == Repetition::Loop
                && self.start(region).id == id
        })
    }

    /// Whether the expression is read before an iteration has run.
    fn before_the_pass(&self) -> bool {
        let test = self
            .node
            .data
            .get("condition")
            .and_then(|condition| condition.get("test"))
            .and_then(serde_json::Value::as_str);
        self.own.is_some()
            && ((self.site.field.starts_with("condition.") && test != Some("after"))
                || self.site.field.ends_with(".initial"))
    }

    fn reference(&self, reference: &Reference, problems: &mut Vec<Problem>) {
        let root = reference.root.as_str();
        let found = match root {
            "input" => self.input(reference),
            "inputs" => self.inputs(reference),
            "run" => self.run(reference),
            "nodes" => self.nodes(reference),
            "loops" => self.loops(reference),
            "vars" => self.vars(reference),
            "previous" => self.previous(reference),
            "result" if self.own.is_some() => self.result(reference),
            "item" | "index" if self.around(Repetition::Each).is_some() => None,
            _ if LOOP_NAMES.contains(&root) && self.around(Repetition::Loop).is_some() => None,
            _ => self.name(reference),
        };
        problems.extend(found);
    }

    fn input(&self, reference: &Reference) -> Option<Problem> {
        let unwired = self.own.is_none() && !self.flowing.wired(self.index, None);
        (unwired && !self.tolerant(reference)).then(|| {
            let twin = self.flowing.flow.node("input").map_or(
                "",
                |_| " To read the node called \"input\", write `nodes[\"input\"]`.",
            );
            self.error(
                reference,
                format!("nothing is wired to its main input. Wire a value to it.{twin}"),
            )
        })
    }

    fn inputs(&self, reference: &Reference) -> Option<Problem> {
        let name = reference.path.first()?;
        let handles = &self.flowing.graph.handles[self.index].inputs;
        if handles.iter().any(|handle| handle.name == *name) {
            return self.handle(reference, name);
        }
        let near = nearest(name, handles.iter().map(|handle| handle.name.as_str()));
        Some(self.error(
            reference,
            match near {
                Some(near) => format!("it has no input `{name}`. Did you mean `{near}`?"),
                None => format!("it has no input `{name}`. Add it, or read one that it has."),
            },
        ))
    }

    /// A value at one of the node's own input handles.
    fn handle(&self, reference: &Reference, name: &str) -> Option<Problem> {
        let missing = !self.tolerant(reference) && !self.flowing.wired(self.index, Some(name));
        missing.then(|| {
            self.error(
                reference,
                format!(
                    "that is its own input `{name}`, to which nothing is wired. Wire a value to it."
                ),
            )
        })
    }

    fn run(&self, reference: &Reference) -> Option<Problem> {
        let first = reference.path.first()?;
        if first != "inputs" {
            return Some(self.error(
                reference,
                "`run` has `inputs` only: write `run.inputs.<name>`.",
            ));
        }
        let name = reference.path.get(1)?;
        let names: Vec<&str> = self
            .flowing
            .flow
            .nodes
            .iter()
            .filter(|node| self.flowing.kinds.shape(node) == Shape::Input)
            .map(|node| {
                node.text("name")
                    .filter(|name| !name.trim().is_empty())
                    .unwrap_or(&node.id)
            })
            .collect();
        if names.contains(&name.as_str()) {
            return None;
        }
        Some(self.error(
            reference,
            match nearest(name, names.iter().copied()) {
                Some(near) => format!("the run has no input `{name}`. Did you mean `{near}`?"),
                None if names.is_empty() => {
                    "the workflow has no inputs. Add an Input node.".to_owned()
                }
                None => format!(
                    "the run has no input `{name}`. It has {}.",
                    names.join(", ")
                ),
            },
        ))
    }

    fn nodes(&self, reference: &Reference) -> Option<Problem> {
        let (id, path) = reference.path.split_first()?;
        match self.flowing.graph.index(id) {
            Some(target) => self.target(reference, target, path),
            None => Some(self.no_such_node(reference, id)),
        }
    }

    fn loops(&self, reference: &Reference) -> Option<Problem> {
        let id = reference.path.first()?;
        if !self.loop_called(id) {
            return Some(self.error(reference, format!("no loop around it has the id \"{id}\".")));
        }
        let name = reference.path.get(1)?;
        (!LOOP_NAMES.contains(&name.as_str()))
            .then(|| self.error(reference, format!("a loop has {}.", LOOP_NAMES.join(", "))))
    }

    fn vars(&self, reference: &Reference) -> Option<Problem> {
        let Some(region) = self.around(Repetition::Loop) else {
            return Some(self.error(reference, "variables are a loop's, and it is in no loop."));
        };
        let name = reference.path.first()?;
        let names: Vec<&str> = self
            .start(region)
            .data
            .get("variables")
            .and_then(serde_json::Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|variable| variable.get("name")?.as_str())
            .collect();
        if names.contains(&name.as_str()) {
            return None;
        }
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "Add it to the loop's variables.".to_owned(),
        };
        Some(self.error(
            reference,
            format!(
                "{} has no variable `{name}`. {hint}",
                quoted(self.start(region))
            ),
        ))
    }

    fn previous(&self, reference: &Reference) -> Option<Problem> {
        let Some(region) = self.around(Repetition::Loop) else {
            return Some(self.error(
                reference,
                "there is no iteration before, for it is in no loop.",
            ));
        };
        let id = reference.path.first()?;
        let Some(target) = self.flowing.graph.index(id) else {
            return Some(self.no_such_node(reference, id));
        };
        let start = self.start(region);
        if self.flowing.regions.scope_of[target] != Some(region) {
            return Some(self.error(
                reference,
                format!(
                    "{} is not in the body of {}.",
                    quoted(self.flowing.node(target)),
                    quoted(start)
                ),
            ));
        }
        let first = self.site.field.ends_with(".next");
        (!self.tolerant(reference) && !first).then(|| {
            self.problem(Problem::warning(
                "may_be_missing",
                format!(
                    "{} reads `{}`, which is null in the first iteration. Write `{} | default(value=\"\")`.",
                    self.subject(),
                    reference.written(),
                    reference.written()
                ),
            ))
        })
    }

    fn result(&self, reference: &Reference) -> Option<Problem> {
        self.before_the_pass().then(|| {
            self.error(
                reference,
                "it is read before the iteration has a result. Read `loopResult`, the result before it, or set `test` to `after`.",
            )
        })
    }

    /// Anything that is no reserved name: an own input, a loop's second names, a node.
    fn name(&self, reference: &Reference) -> Option<Problem> {
        let root = reference.root.as_str();
        let handles = &self.flowing.graph.handles[self.index].inputs;
        if self.own.is_none() && handles.iter().any(|handle| handle.name == root) {
            return self.handle(reference, root);
        }
        let second_name = self
            .regions()
            .into_iter()
            .any(|region| self.start(region).text("inputName") == Some(root));
        let outer = LOOP_NAMES.iter().any(|name| {
            root.strip_suffix(name)
                .and_then(|id| id.strip_suffix('_'))
                .is_some_and(|id| self.loop_called(id))
        });
        if second_name || outer {
            return None;
        }
        if let Some(target) = self.flowing.graph.index(root) {
            return self.target(reference, target, &reference.path);
        }
        if LOOP_NAMES.contains(&root) {
            return Some(self.error(reference, "it is in no loop."));
        }
        if root == "item" || root == "index" {
            return Some(self.error(reference, "it is in no iterator."));
        }
        Some(self.no_such_node(reference, root))
    }

    fn no_such_node(&self, reference: &Reference, name: &str) -> Problem {
        let ids = self.flowing.flow.nodes.iter().map(|node| node.id.as_str());
        let handles = self.flowing.graph.handles[self.index]
            .inputs
            .iter()
            .map(|handle| handle.name.as_str());
        let near = nearest(name, ids.chain(handles).chain(ALWAYS).chain(LOOP_NAMES));
        let hint = match near {
            Some(near) => format!("Did you mean \"{near}\"?"),
            None => "Name a node that comes before, or one of its own inputs.".to_owned(),
        };
        let problem = self.problem(Problem::error(
            "unknown_reference",
            format!(
                "{} refers to \"{name}\": no such node. {hint}",
                self.subject()
            ),
        ));
        // Only a text that stands in a field of its own can be set as a whole.
        let whole = self.node.data.get(&self.site.field) == Some(&json!(self.site.source));
        match near.filter(|_| whole && reference.root == name) {
            Some(near) => problem.fix(
                format!("Write {near}"),
                vec![Edit::SetData {
                    node: self.node.id.clone(),
                    field: self.site.field.clone(),
                    value: json!(replace_word(&self.site.source, name, near)),
                }],
            ),
            None => problem,
        }
    }

    fn target(&self, reference: &Reference, target: NodeIx, path: &[String]) -> Option<Problem> {
        let flowing = self.flowing;
        let node = flowing.node(target);
        if target == self.index && self.own.is_none() {
            return Some(self.error(
                reference,
                "that is the node itself. Read a node that comes before it.",
            ));
        }
        if flowing.graph.shapes[target] == Shape::Annotation {
            return Some(self.error(reference, "that is a note, which has no value."));
        }
        let scope = flowing.regions.scope_of[target];
        let regions = self.regions();
        if let Some(inside) = scope.filter(|inside| !regions.contains(inside)) {
            return Some(self.outside(reference, target, inside));
        }
        let in_own_body = self.own.is_some_and(|own| scope == Some(own));
        if in_own_body && self.before_the_pass() {
            return Some(self.error(
                reference,
                format!(
                    "the expression is read before {} has run. Read `previous.{}`, or set `test` to `after`.",
                    quoted(node),
                    reference.written()
                ),
            ));
        }
        let is_own_start = self.own.is_some() && target == self.index;
        if !in_own_body && !is_own_start && !upstream::is_before(flowing, target, self.index) {
            let in_loop = scope
                .is_some_and(|scope| flowing.regions.regions[scope].repeats == Repetition::Loop);
            let remedy = if in_loop {
                format!(
                    "For its value in the iteration before, write `previous.{}`.",
                    node.id
                )
            } else {
                format!(
                    "Wire a path from {} to it, or read a node that comes before.",
                    quoted(node)
                )
            };
            return Some(self.error(
                reference,
                format!("{} does not come before it. {remedy}", quoted(node)),
            ));
        }
        if let Some(problem) = self.field(reference, target, path) {
            return Some(problem);
        }
        let doubtful = !self.tolerant(reference)
            && self.own.is_none()
            && !upstream::has_run(flowing, target, self.index);
        doubtful.then(|| {
            self.problem(Problem::warning(
                "may_be_missing",
                format!(
                    "{} reads `{}`, and {} may be skipped. Write `{} | default(value=\"\")`.",
                    self.subject(),
                    reference.written(),
                    quoted(node),
                    reference.written()
                ),
            ))
        })
    }

    /// A node inside a region, read from outside of it.
    fn outside(&self, reference: &Reference, target: NodeIx, inside: usize) -> Problem {
        let region = &self.flowing.regions.regions[inside];
        let remedy = match region.end {
            Some(end) => format!(
                "Read {}, where the result comes out.",
                quoted(self.flowing.node(end))
            ),
            None => "Read what comes out of it.".to_owned(),
        };
        self.error(
            reference,
            format!(
                "{} is inside {} and has a value in each iteration. {remedy}",
                quoted(self.flowing.node(target)),
                quoted(self.flowing.node(region.start))
            ),
        )
    }

    /// The first step after a node: a handle, or a field of its value where that can have fields.
    fn field(&self, reference: &Reference, target: NodeIx, path: &[String]) -> Option<Problem> {
        let step = path.first()?;
        let flowing = self.flowing;
        let handles = &flowing.graph.handles[target];
        flowing.spec(target)?;
        if step == "output" || handles.outputs.iter().any(|handle| handle.name == *step) {
            return None;
        }
        let primary = handles.primary_output()?;
        let has_no_fields = matches!(
            primary.value_type,
            ValueType::Text | ValueType::Number | ValueType::Boolean
        );
        (has_no_fields && !self.tolerant(reference)).then(|| {
            let names: Vec<&str> = handles
                .outputs
                .iter()
                .map(|handle| handle.name.as_str())
                .collect();
            let hint = match nearest(step, names.iter().copied()) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => format!("It has {}.", names.join(", ")),
            };
            self.error(
                reference,
                format!(
                    "{} has no output \"{step}\". {hint}",
                    quoted(flowing.node(target))
                ),
            )
        })
    }

    /// A loop's condition that reads nothing which changes from one iteration to the next.
    fn constant(
        &self,
        _kind: &dyn KindSpec,
        references: &[Reference],
        problems: &mut Vec<Problem>,
    ) {
        let Some(own) = self
            .own
            .filter(|_| self.site.mode == TemplateMode::Condition)
        else {
            return;
        };
        let region = &self.flowing.regions.regions[own];
        let body: BTreeSet<&str> = region
            .body
            .iter()
            .map(|&node| self.flowing.node(node).id.as_str())
            .collect();
        let changes = |reference: &Reference| {
            let root = reference.root.as_str();
            ["input", "vars", "previous", "result", "nodes", "loops"].contains(&root)
                || LOOP_NAMES.iter().any(|name| root.ends_with(name))
                || body.contains(root)
                || root == self.node.id
                || self.node.text("inputName") == Some(root)
        };
        if !references.iter().any(changes) {
            problems.push(self.problem(Problem::warning(
                "constant_condition",
                format!(
                    "{} reads nothing that changes from one iteration to the next, so that it is always true or always false. Read \
                     `result`, `vars`, `loopIndex` or a node of the body.",
                    self.subject()
                ),
            )));
        }
    }
}

/// Replaces `old` where it stands as a word of its own.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, from) = rest.split_at(at);
        let after = &from[old.len()..];
        let alone = !replaced
            .chars()
            .chain(before.chars())
            .next_back()
            .is_some_and(|c| is_word(c) || c == '.')
            && !after.chars().next().is_some_and(is_word);
        replaced.push_str(before);
        replaced.push_str(if alone { new } else { old });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}
