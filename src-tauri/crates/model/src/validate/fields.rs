//! Rule: a node's fields are known, and hold what they may hold.

use serde_json::{Map, Value};

use super::{Flowing, common, quoted, schema};
use crate::{
    document::Node,
    problem::{Edit, Problem},
};

pub(super) fn check(flowing: &Flowing<'_>, problems: &mut Vec<Problem>) {
    let empty = Map::new();
    let shared = common::FIELDS
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    // A kind's schema is made anew each time; many nodes are of few kinds.
    let mut schemas: Vec<(&str, Value)> = Vec::new();
    for (index, node) in flowing.flow.nodes.iter().enumerate() {
        let Some(kind) = flowing.spec(index).filter(|_| !node.is_placeholder()) else {
            continue;
        };
        let name = kind.type_name();
        if !schemas.iter().any(|(known, _)| *known == name) {
            schemas.push((name, kind.schema()));
        }
        let own = schemas
            .iter()
            .find(|(known, _)| *known == name)
            .and_then(|(_, schema)| schema.get("properties"))
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
    }
}

fn problem(node: &Node, finding: schema::Finding) -> Problem {
    let message = format!(
        "`{}` of {} {}",
        finding.field,
        quoted(node),
        finding.message
    );
    let problem = if finding.warning {
        Problem::warning(finding.code, message)
    } else {
        Problem::error(finding.code, message)
    };
    let problem = problem.at(&node.id).place(&finding.field);
    match finding.instead {
        Some(value) if node.data.contains_key(&finding.field) => problem.fix(
            format!("Set it to {value}"),
            vec![Edit::SetData {
                node: node.id.clone(),
                field: finding.field,
                value,
            }],
        ),
        _ => problem,
    }
}
