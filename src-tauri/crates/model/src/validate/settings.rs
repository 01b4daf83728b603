//! Rule: the workflow's settings are known and have valid values.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{common::FIELDS, flow_context::FlowContext, schema};
use crate::problem::{Edit, Problem, set_it_to};

static SETTINGS: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "allowNestedLoops": { "type": "boolean" },
            "maxIterationsCeiling": { "type": "integer", "minimum": 1, "maximum": 1000 },
            "budget": {
                "type": "object",
                "properties": {
                    "usd": { "type": "number", "minimum": 0 },
                    "tokens": { "type": "integer", "minimum": 0 }
                }
            },
            "timeout": { "type": "string", "x-format": "duration" },
            "concurrency": { "type": "integer", "minimum": 1, "maximum": 1024 },
            "quotaWait": { "type": "string", "x-format": "duration" },
            "retry": FIELDS["properties"]["retry"].clone()
        }
    })
});

pub(super) fn check(context: &FlowContext<'_>, problems: &mut Vec<Problem>) {
    let Some(settings) = &context.flow.settings else {
        return;
    };
    let mut findings = Vec::new();
    schema::check(
        &Value::Object(settings.clone()),
        &SETTINGS,
        "settings",
        &mut findings,
    );
    for finding in findings {
        let message = format!("`{}` {}", finding.field, finding.message);
        let problem = if finding.warning {
            Problem::warning(finding.code, message)
        } else {
            Problem::error(finding.code, message)
        };
        let problem = problem.place(&finding.field);
        let name = finding.field.trim_start_matches("settings.").to_owned();
        problems.push(match finding.instead {
            Some(value) if settings.contains_key(&name) => problem.fix(
                set_it_to(&value),
                vec![Edit::SetSetting { field: name, value }],
            ),
            _ => problem,
        });
    }
}
