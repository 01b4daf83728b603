//! Rule: templates and expressions parse, and read names that have a value where they stand.

mod nodes;
pub(super) mod rename;
mod reserved;

use super::{Flowing, quoted};
use crate::{
    document::Node,
    graph::NodeIx,
    kind::{Repetition, TemplateMode, TemplateSite},
    problem::Problem,
    template::Reference,
};

/// Names of the nearest loop's iteration.
const LOOP_NAMES: [&str; 4] = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];
/// Names that are there wherever a template stands.
const ALWAYS: [&str; 6] = ["input", "inputs", "run", "nodes", "loops", "previous"];

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in flowing.active() {
        for site in kind.templates(&node.data) {
            let place = Place::new(flowing, index, node, &site);
            match site.references() {
                Ok(references) => {
                    for reference in &references {
                        place.reference(reference, problems);
                    }
                }
                Err(error) => problems.push(place.mistake(&error)),
            }
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
            TemplateMode::Script => "Script",
        };
        format!("{what} of {}", quoted(self.node))
    }

    fn mistake(&self, error: &crate::template::TemplateError) -> Problem {
        let at = error
            .at
            .map(|(line, column)| match column {
                0 => format!(" in line {line}"),
                _ => format!(" in line {line}, column {column}"),
            })
            .unwrap_or_default();
        self.problem(Problem::error(
            error.code,
            format!(
                "{} has a mistake{at} (`{}`): {error} Correct it there.",
                self.subject(),
                self.site.field
            ),
        ))
    }

    /// How to write that something may be missing.
    fn or_default(&self, reference: &Reference) -> String {
        let written = reference.written();
        match self.site.mode {
            TemplateMode::Script => format!("`{written} or \"\"`"),
            _ => format!("`{written} | default(value=\"\")`"),
        }
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

    /// Whether `root` means something of its own here, whatever nodes there are.
    fn is_reserved(&self, root: &str) -> bool {
        ALWAYS.contains(&root)
            || root == "vars"
            || (root == "result" && self.own.is_some())
            || (matches!(root, "item" | "index") && self.around(Repetition::Each).is_some())
            || (LOOP_NAMES.contains(&root) && self.around(Repetition::Loop).is_some())
            || self.is_own_input(root)
            || self.is_second_name(root)
            || self.outer_loop(root).is_some()
    }

    /// A scope start's own expressions stand in its region, where its inputs have no names.
    fn is_own_input(&self, root: &str) -> bool {
        let handles = &self.flowing.graph.handles[self.index].inputs;
        self.own.is_none() && handles.iter().any(|handle| handle.name == root)
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
}
