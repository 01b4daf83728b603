//! Records the costs of runs.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_engine::{
    Usage,
    costs::{Charge, CostRow, slot_of},
    event::parse_time,
};
use loopwright_records::{self as records, CostGroup, CostQuery, CostReport};

use super::{
    program::Program,
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

/// The recorded calls: flow, node, model, day of March 2026, number of calls, and cost in micro-dollars (0 if the price is
/// unknown).
const CALLS: &[(&str, &str, &str, u8, u64, u64)] = &[
    (
        "Self-Refine",
        "refine/draft",
        "openai/gpt-4.1",
        2,
        12,
        1_250_000,
    ),
    (
        "Self-Refine",
        "refine/critique",
        "openai/gpt-4.1-mini",
        2,
        12,
        84_000,
    ),
    ("Repair", "repair/agent", "claude", 3, 3, 4_100_000),
    (
        "Self-Refine",
        "refine/draft",
        "openai/gpt-4.1",
        5,
        20,
        2_000_000,
    ),
    ("Repair", "repair/agent", "", 5, 2, 0),
    ("Translate", "each/translate", "ollama/qwen3", 5, 40, 0),
    ("Repair", "repair/agent", "claude", 6, 1, 900_500),
];

/// Records a report for some days of 2026 in each grouping, and a report for days without calls.
///
/// # Errors
/// Returns an error if a command fails.
pub(crate) fn record_costs(program: &mut Program) -> Result<String, Trouble> {
    let env = Arc::clone(program.app.env());
    let rows: Vec<CostRow> = CALLS
        .iter()
        .map(|(flow, node, model, day, calls, microusd)| {
            // Noon in UTC is on the same day in nearly every time zone.
            let at = parse_time(&format!("2026-03-{day:02}T12:00:00Z")).unwrap_or_default();
            CostRow {
                run_id: None,
                flow: (*flow).to_owned(),
                flow_path: None,
                schedule: None,
                charge: Charge {
                    slot: slot_of(at),
                    node: (*node).to_owned(),
                    model: (*model).to_owned(),
                    usage: Usage {
                        calls: *calls,
                        input_tokens: calls * 1_000,
                        output_tokens: calls * 150,
                        cost_microusd: *microusd,
                        unpriced_calls: if *microusd == 0 { *calls } else { 0 },
                        ..Usage::default()
                    },
                },
            }
        })
        .collect();
    env.journal().add_costs(&rows)?;
    let report = |by, day: &str| -> Result<CostReport, Trouble> {
        let query = CostQuery {
            by,
            parts: CostGroup::Model,
            since: Some("2026-03-01".to_owned()),
            until: Some(day.to_owned()),
            flow: None,
        };
        Ok(CostReport {
            time_zone: "UTC".to_owned(),
            ..records::costs(&env, &query)?
        })
    };
    let mut module = Module::new("What runs cost.", REPLIES);
    let mut by_group = BTreeMap::new();
    for (name, group) in [
        ("day", CostGroup::Day),
        ("flow", CostGroup::Flow),
        ("model", CostGroup::Model),
        ("node", CostGroup::Node),
    ] {
        by_group.insert(name, report(group, "2026-03-07")?);
    }
    module.constant(
        "costsBy",
        "{ readonly [by: string]: Reply<\"costs\"> }",
        &program.fix(by_group)?,
    );
    module.constant(
        "noCosts",
        "Reply<\"costs\">",
        &program.fix(report(CostGroup::Day, "2026-03-01")?)?,
    );
    Ok(module.text())
}
