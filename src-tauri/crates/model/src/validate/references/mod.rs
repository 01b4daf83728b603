//! Rule: templates and expressions can be parsed, and read only names that have a value at their position in the flow.

pub(super) mod names;
mod nodes;
mod of_text;
pub(super) mod place;
pub(super) mod rename;
mod reserved;

use self::place::{Meaning, Place};
use super::flow_context::FlowContext;
use crate::problem::Problem;
use loopwright_template::Reference;

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    for (index, node, kind) in context.active() {
        for site in kind.templates(&node.data) {
            let place = Place::new(context, index, node, &site);
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

impl Place<'_> {
    fn reference(&self, reference: &Reference, problems: &mut Vec<Problem>) {
        let root = reference.root.as_str();
        let found = match self.meaning(root) {
            Some(Meaning::Input) => self.input(reference),
            Some(Meaning::Inputs) => self.inputs(reference),
            Some(Meaning::Run) => self.run(reference),
            Some(Meaning::Nodes) => self.nodes(reference),
            Some(Meaning::Loops) => self.loops(reference),
            Some(Meaning::Vars(_)) => self.vars(reference),
            Some(Meaning::Previous(_)) => self.previous(reference),
            Some(Meaning::Result) => self.result(reference),
            Some(Meaning::Workspace(_)) => self.field_of_workspace(reference),
            Some(Meaning::Handle) => self.handle(reference, root),
            Some(Meaning::Node(target)) => self.target(reference, target, &reference.path),
            Some(
                Meaning::Item(_) | Meaning::Index(_) | Meaning::Count(..) | Meaning::Second(_),
            ) => None,
            None => Some(self.unknown(reference)),
        }
        .or_else(|| self.field_of_text(reference));
        problems.extend(found.map(|problem| {
            let span = self.span(reference);
            problem.span(span)
        }));
    }
}
