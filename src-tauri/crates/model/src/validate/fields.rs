//! Rule: the fields of a node are known and have valid values.

use serde_json::{Map, Value};

use super::{common, flow_context::FlowContext, schema};
use crate::{
    document::Node,
    kind::{KindSpec, Repetition, Shape},
    problem::{Edit, Problem, quoted, with_article},
};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let empty = Map::new();
    let shared = common::FIELDS
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    for (index, node) in context.flow.nodes.iter().enumerate() {
        let Some(kind) = context.spec(index).filter(|_| !node.is_placeholder()) else {
            continue;
        };
        let own = context
            .kinds
            .schema(kind.type_name())
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let mut findings = Vec::new();
        for (field, value) in &node.data {
            match own.get(field).or_else(|| shared.get(field)) {
                Some(schema) => schema::check(value, schema, field, &mut findings),
                None => {
                    let known = own
                        .iter()
                        .filter(|(_, schema)| schema.get("x-hidden").is_none())
                        .map(|(name, _)| name.as_str())
                        .chain(shared.keys().map(String::as_str));
                    findings.push(schema::unknown(field, field.clone(), known));
                }
            }
        }
        problems.extend(findings.into_iter().map(|finding| problem(node, finding)));
        problems.extend(without_effect(node, kind));
    }
}

/// Warns about settings for calls, such as `retry`, on a node that is never executed as a step, such as an input or the end of
/// a loop. The `timeout` of a loop is not such a setting, because it is one of the loop's limits.
fn without_effect<'n>(
    node: &'n Node,
    kind: &'n dyn KindSpec,
) -> impl Iterator<Item = Problem> + 'n {
    let (is_step, is_loop) = match kind.shape() {
        Shape::Plain | Shape::Branching | Shape::Subflow => (true, false),
        Shape::ScopeStart { repeats, .. } => (false, repeats == Repetition::Loop),
        Shape::Input | Shape::Output | Shape::ScopeEnd { .. } | Shape::Annotation => (false, false),
    };
    ["timeout", "retry", "whenInterrupted"]
        .into_iter()
        .filter(move |field| !is_step && !(is_loop && *field == "timeout"))
        .filter(|field| node.data.get(*field).is_some_and(|value| !value.is_null()))
        .map(|field| {
            Problem::warning(
                "field_without_effect",
                format!(
                    "`{field}` of {} has no effect, because {} makes no calls. Set it on nodes that make calls.",
                    quoted(node),
                    with_article(kind.title())
                ),
            )
            .at(&node.id)
            .place(field)
            .fix(
                "Remove it",
                vec![Edit::SetData {
                    node: node.id.clone(),
                    field: field.to_owned(),
                    value: Value::Null,
                }],
            )
        })
}

fn problem(node: &Node, finding: schema::Finding) -> Problem {
    let message = format!(
        "`{}` of {} {}",
        finding.field,
        quoted(node),
        finding.message
    );
    // The fields of a bypassed node are not used, so its problems are only warnings.
    let problem = if finding.warning || node.disabled() {
        Problem::warning(finding.code, message)
    } else {
        Problem::error(finding.code, message)
    };
    let problem = problem.at(&node.id).place(&finding.field);
    match finding.instead {
        Some(value) if node.data.contains_key(&finding.field) => {
            problem.set_to(&node.id, &finding.field, value)
        }
        _ => problem,
    }
}
