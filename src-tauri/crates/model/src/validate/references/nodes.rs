//! Checks references to nodes: the node exists, comes earlier, is in scope, has the output that is read, and has certainly run.

use serde_json::json;

use super::place::{ALWAYS, LOOP_NAMES, Place};
use crate::{
    graph::NodeIx,
    handles::ValueType,
    kind::{Repetition, Shape},
    problem::{Edit, Problem, quoted},
};
use loopwright_template::Reference;

impl Place<'_> {
    /// Reports a name that has no meaning in this template.
    pub(super) fn unknown(&self, reference: &Reference) -> Problem {
        let root = reference.root.as_str();
        if LOOP_NAMES.contains(&root) {
            return self.error(
                reference,
                "this node isn't in a loop. Put it between a Loop and its Exit, or remove the name.",
            );
        }
        if root == "item" || root == "index" {
            return self.error(reference, "this node isn't in an iterator. Put it between an Iterator and its Aggregator, or remove the name.");
        }
        self.no_such_node(reference, root)
    }

    pub(super) fn no_such_node(&self, reference: &Reference, name: &str) -> Problem {
        let ids = self.context.flow.nodes.iter().map(|node| node.id.as_str());
        let handles = self.context.graph.handles[self.index]
            .inputs
            .iter()
            .map(|handle| handle.name.as_str());
        let near = self
            .context
            .nearest(name, ids.chain(handles).chain(ALWAYS).chain(LOOP_NAMES));
        let hint = match near {
            Some(near) => format!("Did you mean \"{near}\"?"),
            None => "Name an earlier node, or one of this node's inputs.".to_owned(),
        };
        let raw = self.or_raw();
        let problem = self.problem(Problem::error(
            "unknown_reference",
            format!(
                "{} refers to \"{name}\", but there is no such node. {hint}{raw}",
                self.subject()
            ),
        ));
        // A fix can only replace the whole text of a field.
        let whole = self.node.data.get(&self.site.field) == Some(&json!(self.site.source));
        match near.filter(|_| whole && reference.root == name) {
            Some(near) => problem.fix(
                format!("Replace with \"{near}\""),
                vec![Edit::SetData {
                    node: self.node.id.clone(),
                    field: self.site.field.clone(),
                    value: json!(replace_word(&self.site.source, name, near)),
                }],
            ),
            None => problem,
        }
    }

    pub(super) fn target(
        &self,
        reference: &Reference,
        target: NodeIx,
        path: &[String],
    ) -> Option<Problem> {
        let context = self.context;
        let node = context.node(target);
        if target == self.index && self.own.is_none() {
            return Some(self.error(
                reference,
                "that is the node itself. Read a node that comes before it.",
            ));
        }
        if context.graph.shapes[target] == Shape::Annotation {
            return Some(self.error(
                reference,
                "that is a note, and notes have no value. Read another node.",
            ));
        }
        let scope = context.regions.scope_of[target];
        let regions = self.regions();
        if let Some(inside) = scope.filter(|inside| !regions.contains(inside)) {
            return Some(self.outside(reference, target, inside));
        }
        let in_own_body = self.own.is_some_and(|own| scope == Some(own));
        if in_own_body && self.before_the_pass() {
            return Some(self.error(
                reference,
                format!(
                    "the expression is evaluated before {} runs. Read `previous.{}`, or set `test` to `after`.",
                    quoted(node),
                    reference.written()
                ),
            ));
        }
        let is_own_start = self.own.is_some() && target == self.index;
        if !in_own_body && !is_own_start && !context.is_before(target, self.index) {
            let in_loop = scope
                .is_some_and(|scope| context.regions.regions[scope].repeats == Repetition::Loop);
            let remedy = if in_loop {
                format!(
                    "For its value in the previous iteration, write `previous.{}`.",
                    node.id
                )
            } else {
                format!(
                    "Wire a path from {} to this node, or read an earlier node.",
                    quoted(node)
                )
            };
            return Some(self.error(
                reference,
                format!("{} does not come before this node. {remedy}", quoted(node)),
            ));
        }
        if let Some(problem) = self.not_yet(reference, target, path) {
            return Some(problem);
        }
        if let Some(problem) = self.field(reference, target, path) {
            return Some(problem);
        }
        let doubtful =
            !self.tolerant(reference) && self.own.is_none() && !context.has_run(target, self.index);
        doubtful.then(|| {
            self.problem(Problem::warning(
                "may_be_missing",
                format!(
                    "{} reads `{}`, and {} may be skipped. Write {}.",
                    self.subject(),
                    reference.written(),
                    quoted(node),
                    self.or_default(reference)
                ),
            ))
        })
    }

    /// Creates the problem of a reference that reads a node inside a region from outside the region.
    fn outside(&self, reference: &Reference, target: NodeIx, inside: usize) -> Problem {
        let region = &self.context.regions.regions[inside];
        let remedy = match region.end {
            Some(end) => format!(
                "Read {}, which gives the result.",
                quoted(self.context.node(end))
            ),
            None => "Read its output.".to_owned(),
        };
        self.error(
            reference,
            format!(
                "{} is inside {} and has a value in each iteration. {remedy}",
                quoted(self.context.node(target)),
                quoted(self.context.node(region.start))
            ),
        )
    }

    /// Reports a reference, inside a loop, to a result that the loop has only after its last iteration. Returns `None` for any
    /// other reference.
    fn not_yet(&self, reference: &Reference, target: NodeIx, path: &[String]) -> Option<Problem> {
        let step = path.first()?.as_str();
        let is_around = self.own.is_none()
            && self.regions().iter().any(|&region| {
                let region = &self.context.regions.regions[region];
                region.start == target && region.repeats == Repetition::Loop
            });
        let instead = match step {
            "count" => "Read `loopCount`, the number of this iteration.",
            "iterations" => "Read `previous` for the previous iteration.",
            "exitReason" => "Read it after the loop.",
            _ => return None,
        };
        (is_around && !self.tolerant(reference)).then(|| {
            self.error(
                reference,
                format!(
                    "{} has no `{step}` until it ends, but this node runs inside it. {instead}",
                    quoted(self.context.node(target))
                ),
            )
        })
    }

    /// Checks the first step after a node's name. The step must be a handle, or a field if the node's value can have fields.
    /// Returns the problem, or `None` if the step is valid.
    fn field(&self, reference: &Reference, target: NodeIx, path: &[String]) -> Option<Problem> {
        let step = path.first()?;
        let context = self.context;
        let handles = &context.graph.handles[target];
        context.spec(target)?;
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
            let hint = match context.nearest(step, names.iter().copied()) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => format!("It has {}.", names.join(", ")),
            };
            self.error(
                reference,
                format!(
                    "{} has no output \"{step}\". {hint}",
                    quoted(context.node(target))
                ),
            )
        })
    }
}

/// Returns `text` with `old` replaced by `new` wherever `old` is a whole word.
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
