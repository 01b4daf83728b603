//! Rule: a loop's iteration limit is within the workflow's limit.

use serde_json::Value;

use super::flow_context::FlowContext;
use crate::problem::{Problem, quoted};

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let ceiling = context.flow.settings().max_iterations_ceiling;
    for (index, node, _) in context.active() {
        if !context.graph.is_loop(index) {
            continue;
        }
        let wanted = node.data.get("maxIterations").and_then(Value::as_f64);
        if let Some(wanted) = wanted.filter(|wanted| *wanted > f64::from(ceiling)) {
            problems.push(
                Problem::warning(
                    "clamped",
                    format!(
                        "{} asks for {wanted} iterations, but this workflow allows {ceiling}. Lower the number, or raise the \
                         limit in Workflow settings.",
                        quoted(node)
                    ),
                )
                .at(&node.id)
                .place("maxIterations")
                .set_to(&node.id, "maxIterations", ceiling),
            );
        }
    }
}
