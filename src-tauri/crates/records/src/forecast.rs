//! Forecasts the cost of the next run of a flow from the recorded runs of this flow with the same settings.

use loopwright_engine::{
    RunStatus,
    budget::{dollars, microusd},
    journal::{RunFilter, RunHeader},
};
use loopwright_evaluation::statistics::forecast::{self, Forecast};
use loopwright_model::value::canonical_text;
use loopwright_runs::{ApiError, CostEstimate, Env, PreparedRun, clip, subflows};
use serde::Serialize;
use serde_json::{Map, Value, json};
use specta::Type;

/// The maximum number of recorded runs that are read. A forecast uses fewer.
const MAX_READ: usize = 120;

/// The fields of a node that affect only how the node is shown, not what it does.
const SHOWN_ONLY: [&str; 3] = ["label", "description", "color"];

/// A forecast of a run's cost: the likely cost, and an upper bound.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostForecast {
    /// The number of recorded runs on which the forecast is based.
    pub runs: u32,
    pub likely_usd: f64,
    /// A bound on the cost of the next run. The cost stays within it in `inside` out of `of` runs.
    pub bound_usd: f64,
    pub inside: u32,
    pub of: u32,
    /// The forecast as a phrase: `$3.10 likely, at most $4.60 in 19 of 20 runs, never more than $5.00 (your budget)`.
    pub words: String,
}

/// Forecasts what a prepared run will cost. The forecast is based on completed and failed runs of the same file that
/// have the same settings, pins and last node and are not forks. Returns `None` if fewer than five such runs have a
/// known cost, or if all were free.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn forecast_cost(
    env: &Env,
    prepared: &PreparedRun,
    most: &CostEstimate,
) -> Result<Option<CostForecast>, ApiError> {
    let costs = costs_of_similar(env, prepared)?;
    if costs.iter().all(|cost| *cost == 0.0) {
        return Ok(None);
    }
    let budget = prepared.flow.microusd_run();
    Ok(forecast::forecast(&costs).map(|found| worded(&found, never_more(most, budget))))
}

/// Returns the costs in dollars of the recorded runs that are similar to the prepared one, oldest first.
fn costs_of_similar(env: &Env, prepared: &PreparedRun) -> Result<Vec<f64>, ApiError> {
    let flow = &prepared.flow;
    let filter = RunFilter {
        flow: Some(flow.name().to_owned()),
        statuses: vec![RunStatus::Completed, RunStatus::Failed],
        ..RunFilter::default()
    };
    let wanted = settings_of(flow.document());
    let path = flow.path.as_deref().map(subflows::canonical);
    let mut costs = Vec::new();
    let journal = env.journal();
    for (brief, state) in journal.find(&filter, MAX_READ, 0)? {
        let same_file = brief.flow_path.as_deref().map(subflows::canonical) == path;
        let is_known = state.usage.unpriced_calls == 0 && brief.damage.is_none();
        if !same_file || !is_known || brief.forked_from.is_some() {
            continue;
        }
        let (header, _) = journal.run(&brief.run_id)?;
        if is_like(&header, prepared) && settings_of(&header.document) == wanted {
            costs.push(state.usage.cost_microusd as f64 / 1e6);
        }
    }
    costs.reverse();
    Ok(costs)
}

fn is_like(header: &RunHeader, prepared: &PreparedRun) -> bool {
    let focus = &prepared.flow.focus;
    header.setup.pins == focus.pins && header.setup.until == focus.until
}

/// Returns the parts of a flow on which its cost depends, as text: the nodes without the fields that are only shown, the wires,
/// and the settings.
fn settings_of(document: &Value) -> String {
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    let nodes: Vec<Value> = list("nodes")
        .into_iter()
        .flatten()
        .map(|node| {
            let data: Map<String, Value> = node
                .get("data")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter(|(name, _)| !SHOWN_ONLY.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            json!([node.get("id"), node.get("type"), data])
        })
        .collect();
    let edges: Vec<Value> = list("edges")
        .into_iter()
        .flatten()
        .map(|edge| {
            let ends = ["source", "sourceHandle", "target", "targetHandle"];
            json!(ends.map(|end| edge.get(end)))
        })
        .collect();
    canonical_text(&json!([nodes, edges, document.get("settings")]))
}

/// Returns the amount that a run cannot exceed, in micro-dollars, with the reason. Returns `None` if nothing limits the
/// cost, or if the run has agent turns, because a budget cannot limit a single turn.
fn never_more(most: &CostEstimate, budget: Option<u64>) -> Option<(u64, &'static str)> {
    if most.agent_turns != Some(0) {
        return None;
    }
    let calls = most.max_usd.map(microusd);
    match (budget, calls) {
        (Some(budget), Some(calls)) if calls <= budget => Some((calls, "all its calls")),
        (Some(budget), _) => Some((budget, "your budget")),
        (None, Some(calls)) => Some((calls, "all its calls")),
        (None, None) => None,
    }
}

fn worded(found: &Forecast, never: Option<(u64, &'static str)>) -> CostForecast {
    let limit = never.map_or(u64::MAX, |(most, _)| most);
    let likely = rounded(microusd(found.likely)).min(limit);
    let bound = rounded(microusd(found.bound)).min(limit).max(likely);
    let never = never.map_or_else(String::new, |(most, why)| {
        format!(", never more than {} ({why})", dollars(most))
    });
    let runs = u32::try_from(found.values).unwrap_or(u32::MAX);
    CostForecast {
        runs: clip(u64::from(runs)),
        likely_usd: likely as f64 / 1e6,
        bound_usd: bound as f64 / 1e6,
        inside: found.inside,
        of: found.of,
        words: format!(
            "{} likely, at most {} in {} of {} runs{never}",
            dollars(likely),
            dollars(bound),
            found.inside,
            found.of
        ),
    }
}

/// Rounds an amount up to whole cents or, below ten cents, to two significant digits.
fn rounded(microusd: u64) -> u64 {
    let step = match microusd {
        0..100 => 1,
        100..1_000 => 10,
        1_000..10_000 => 100,
        10_000..100_000 => 1_000,
        _ => 10_000,
    };
    microusd.div_ceil(step).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(max_usd: Option<f64>, agent_turns: u32) -> CostEstimate {
        CostEstimate {
            max_calls: Some(1),
            max_usd,
            max_tokens: None,
            agent_turns: Some(agent_turns),
            unknown: Vec::new(),
            unbounded: Vec::new(),
            note: String::new(),
        }
    }

    fn found(likely: f64, bound: f64) -> Forecast {
        Forecast {
            likely,
            bound,
            inside: 19,
            of: 20,
            values: 31,
        }
    }

    #[test]
    fn a_forecast_names_its_limit() {
        let words = |max_usd, turns, budget, bound| {
            let never = never_more(&estimate(max_usd, turns), budget);
            worded(&found(3.0951, bound), never).words
        };
        assert_eq!(
            words(Some(9.0), 0, Some(5_000_000), 4.6),
            "$3.10 likely, at most $4.60 in 19 of 20 runs, never more than $5.00 (your budget)"
        );
        assert_eq!(
            words(Some(4.0), 0, Some(5_000_000), 4.6),
            "$3.10 likely, at most $4.00 in 19 of 20 runs, never more than $4.00 (all its calls)"
        );
        assert_eq!(
            words(None, 2, Some(5_000_000), 4.6),
            "$3.10 likely, at most $4.60 in 19 of 20 runs"
        );
        assert_eq!(
            words(None, 0, None, 4.6),
            "$3.10 likely, at most $4.60 in 19 of 20 runs"
        );
    }

    #[test]
    fn amounts_are_rounded_up() {
        for (amount, shown) in [
            (0, 0),
            (99, 99),
            (101, 110),
            (1_001, 1_100),
            (12_345, 13_000),
            (123_456, 130_000),
            (3_095_100, 3_100_000),
        ] {
            assert_eq!(rounded(amount), shown);
        }
    }

    #[test]
    fn only_what_a_node_does_counts() {
        let flow = |label: &str, x: u32, cap: u32| {
            json!({
                "nodes": [{ "id": "a", "type": "llm", "position": { "x": x }, "data": { "label": label, "cap": cap } }],
                "edges": [{ "id": "e", "source": "a", "target": "b" }],
                "settings": { "concurrency": 1 },
            })
        };
        let same = settings_of(&flow("A", 0, 3));
        assert_eq!(settings_of(&flow("B", 90, 3)), same);
        assert_ne!(settings_of(&flow("A", 0, 4)), same);
    }
}
