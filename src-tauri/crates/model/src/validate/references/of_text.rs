//! Finds references to a field of a value that cannot have fields. If `result` is text, `result.score` has no value.

use super::place::{Meaning, Place};
use crate::{
    graph::NodeIx,
    handles::ValueType,
    kind::TemplateMode,
    problem::{Problem, quoted},
};
use loopwright_template::Reference;

impl Place<'_> {
    /// Warns if an expression reads a field of a value that is always text, a number or a boolean. In a condition, a missing
    /// field counts as false, so nothing else would report this mistake. Returns `None` for any other reference.
    pub(super) fn field_of_text(&self, reference: &Reference) -> Option<Problem> {
        let is_expression = matches!(
            self.site.mode,
            TemplateMode::Condition | TemplateMode::Expression
        );
        if !is_expression || reference.has_default {
            return None;
        }
        let root = reference.root.as_str();
        let (field, kinds) = match self.meaning(root)? {
            Meaning::Result => {
                let own = self.own?;
                let end = self.context.regions.regions[own].end?;
                (reference.path.first()?, self.wired_types(end))
            }
            Meaning::Input if self.own.is_none() => {
                (reference.path.first()?, self.wired_types(self.index))
            }
            // In every other kind of template, another rule reports this reference as an error.
            Meaning::Node(target) if self.site.mode == TemplateMode::Condition => {
                let step = reference.path.first()?;
                let handles = &self.context.graph.handles[target];
                if step == "output" || handles.outputs.iter().any(|handle| handle.name == *step) {
                    return None;
                }
                (step, vec![handles.primary_output()?.value_type])
            }
            _ => return None,
        };
        let (&first, others) = kinds.split_first()?;
        let what = match first {
            ValueType::Text => "text",
            ValueType::Number => "a number",
            ValueType::Boolean => "true or false",
            _ => return None,
        };
        if others.iter().any(|other| *other != first) {
            return None;
        }
        let remedy = match first {
            ValueType::Text => {
                " If a model should return the field, set its response format to JSON with that field. Otherwise, read the text itself."
            }
            _ => " Read the value itself.",
        };
        let never = match self.site.mode {
            TemplateMode::Condition => format!(
                ", so the condition of {} never finds a value",
                quoted(self.node)
            ),
            _ => String::new(),
        };
        let owner = match reference.written().rsplit_once(&format!(".{field}")) {
            Some((owner, _)) if !owner.is_empty() => owner.to_owned(),
            _ => root.to_owned(),
        };
        Some(self.problem(Problem::warning(
            "field_of_text",
            format!("`{owner}` is {what} here and has no field `{field}`{never}.{remedy}"),
        )))
    }

    /// Returns the types of the values wired to a node's primary input, as declared by the handles.
    fn wired_types(&self, index: NodeIx) -> Vec<ValueType> {
        let context = self.context;
        let graph = context.graph;
        let primary = graph.handles[index]
            .input(None)
            .map(|handle| handle.name.as_str());
        graph.incoming[index]
            .iter()
            .map(|&edge| &context.flow.edges[edge])
            .filter(|edge| {
                let handle = graph.handles[index].input(edge.target_handle.as_deref());
                handle.map(|handle| handle.name.as_str()) == primary
            })
            .map(|edge| {
                graph
                    .index(&edge.source)
                    .filter(|&source| !context.node(source).disabled())
                    .and_then(|source| graph.handles[source].output(edge.source_handle.as_deref()))
                    .map_or(ValueType::Any, |handle| handle.value_type)
            })
            .collect()
    }
}
