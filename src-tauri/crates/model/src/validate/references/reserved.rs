//! Checks references to reserved names: `input`, `inputs`, `run`, `nodes`, `loops`, `vars`, `previous`, `result`.

use super::place::{LOOP_NAMES, Place, WORKSPACE_FIELDS};
use crate::{
    document::Node,
    kind::{Repetition, Shape, TemplateMode},
    problem::{Problem, quoted},
};
use loopwright_template::Reference;

impl Place<'_> {
    pub(super) fn input(&self, reference: &Reference) -> Option<Problem> {
        let unwired = self.own.is_none() && !self.context.wired(self.index, None);
        (unwired && !self.tolerant(reference)).then(|| {
            let twin = self.context.flow.node("input").map_or(
                "",
                |_| " To read the node called \"input\", write `nodes[\"input\"]`.",
            );
            self.not_wired(
                reference,
                format!("nothing is wired to its main input. Wire a value to it.{twin}"),
            )
        })
    }

    pub(super) fn inputs(&self, reference: &Reference) -> Option<Problem> {
        let name = reference.path.first()?;
        let handles = &self.context.graph.handles[self.index].inputs;
        if handles.iter().any(|handle| handle.name == *name) {
            return self.handle(reference, name);
        }
        let near = self
            .context
            .nearest(name, handles.iter().map(|handle| handle.name.as_str()));
        Some(self.error(
            reference,
            match near {
                Some(near) => format!("this node has no input `{name}`. Did you mean `{near}`?"),
                None => format!(
                    "this node has no input `{name}`. Add the input, or read an existing one."
                ),
            },
        ))
    }

    /// Reports a reference to a value at one of the node's own input handles if that handle is not wired. Returns `None` if it
    /// is wired.
    pub(super) fn handle(&self, reference: &Reference, name: &str) -> Option<Problem> {
        let missing = !self.tolerant(reference) && !self.context.wired(self.index, Some(name));
        missing.then(|| {
            self.not_wired(
                reference,
                format!("this node's input `{name}` isn't wired. Wire a value to it."),
            )
        })
    }

    pub(super) fn run(&self, reference: &Reference) -> Option<Problem> {
        let first = reference.path.first()?;
        if first != "inputs" {
            return Some(self.error(
                reference,
                "`run` has only `inputs`. Write `run.inputs.<name>`.",
            ));
        }
        let name = reference.path.get(1)?;
        let names: Vec<&str> = self
            .context
            .flow
            .nodes
            .iter()
            .filter(|node| self.context.kinds.shape(node) == Shape::Input)
            .map(Node::boundary_name)
            .collect();
        if names.contains(&name.as_str()) {
            return None;
        }
        Some(self.error(
            reference,
            match self.context.nearest(name, names.iter().copied()) {
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

    pub(super) fn nodes(&self, reference: &Reference) -> Option<Problem> {
        let (id, path) = reference.path.split_first()?;
        match self.context.graph.index(id) {
            Some(target) => self.target(reference, target, path),
            None => Some(self.no_such_node(reference, id)),
        }
    }

    pub(super) fn loops(&self, reference: &Reference) -> Option<Problem> {
        let id = reference.path.first()?;
        if !self.loop_called(id) {
            return Some(self.error(
                reference,
                format!("this node is not inside a loop with the id \"{id}\". Name a loop that contains it."),
            ));
        }
        let name = reference.path.get(1)?;
        (!LOOP_NAMES.contains(&name.as_str()))
            .then(|| self.error(reference, format!("a loop has {}.", LOOP_NAMES.join(", "))))
    }

    pub(super) fn field_of_workspace(&self, reference: &Reference) -> Option<Problem> {
        let name = reference.path.first()?;
        let mut names = WORKSPACE_FIELDS.iter().map(|(name, ..)| *name);
        if names.any(|known| known == name) {
            return None;
        }
        let names: Vec<String> = WORKSPACE_FIELDS
            .iter()
            .map(|(name, ..)| format!("`workspace.{name}`"))
            .collect();
        Some(self.error(
            reference,
            format!("a workspace has no `{name}`. Use {}.", names.join(", ")),
        ))
    }

    pub(super) fn vars(&self, reference: &Reference) -> Option<Problem> {
        let Some(region) = self.around(Repetition::Loop) else {
            return Some(self.error(reference, "only loops have variables, and this node isn't in a loop. Put it between a Loop and its Exit, or remove the name."));
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
        let hint = match self.context.nearest(name, names.iter().copied()) {
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

    pub(super) fn previous(&self, reference: &Reference) -> Option<Problem> {
        let Some(region) = self.around(Repetition::Loop) else {
            return Some(self.error(
                reference,
                "there is no previous iteration, because this node isn't in a loop. Put it between a Loop and its Exit, or remove the \
                 name.",
            ));
        };
        let id = reference.path.first()?;
        let Some(target) = self.context.graph.index(id) else {
            return Some(self.no_such_node(reference, id));
        };
        let start = self.start(region);
        if self.context.regions.scope_of[target] != Some(region) {
            return Some(self.error(
                reference,
                format!(
                    "{} is not in the body of {}. Read a node of that body.",
                    quoted(self.context.node(target)),
                    quoted(start)
                ),
            ));
        }
        let first = self.site.field.ends_with(".next");
        (!self.tolerant(reference) && !first).then(|| {
            self.problem(Problem::warning(
                "may_be_missing",
                format!(
                    "{} reads `{}`, which is null in the first iteration. {}.",
                    self.subject(),
                    reference.written(),
                    match self.site.mode {
                        TemplateMode::Script =>
                            format!("Compare `previous.{id}` with `null` first"),
                        _ => format!("Write {}", self.or_default(reference)),
                    }
                ),
            ))
        })
    }

    pub(super) fn result(&self, reference: &Reference) -> Option<Problem> {
        self.before_the_pass().then(|| {
            self.error(
                reference,
                "the expression is evaluated before the iteration has a result. Read `loopResult`, the previous result, or set `test` to \
                 `after`.",
            )
        })
    }
}
