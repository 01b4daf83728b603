//! Random valid flows, run with a model that answers at once or late. No run hangs or panics, the totals are right, and the
//! order of completions does not change the result.

#![allow(clippy::unwrap_used)]

use std::{collections::HashMap, sync::Arc};

use loopwright_engine::{
    host::Services,
    journal::{Entry, Fact, Record},
    plan::{Plan, Repeat, plan},
};
use loopwright_model::{file, regions::Role, validate::validate};
use proptest::prelude::*;
use serde_json::{Map, Value};

use loopwright_testing::{
    Begin, Done, Host as _, Stop,
    generate::{Echo, ITEMS, config, flow},
    people::{ApprovalMode, People},
    simulation::Simulation,
    sound::{ended, sound, summary},
    world::Registry,
};

pub(crate) fn planned(document: &Value) -> Arc<Plan> {
    let flow = file::read_value(document.clone()).unwrap();
    let kinds = loopwright_nodes::all();
    let errors: Vec<_> = validate(&flow, kinds.specs())
        .into_iter()
        .filter(|problem| problem.is_error())
        .map(|problem| problem.message)
        .collect();
    assert!(
        errors.is_empty(),
        "a valid flow has errors: {errors:?}\n{document:#}"
    );
    Arc::new(plan(&flow, &kinds).unwrap())
}

/// Runs the plan. `seed` sets the pauses before answers and the order of simultaneous events.
fn run(plan: &Arc<Plan>, fails: bool, seed: u64, stop: &Stop, records: Option<&[Record]>) -> Done {
    let host = Simulation::with_seed(seed);
    run_on(&host, plan, fails, seed, stop, records)
}

fn run_on(
    host: &Simulation,
    plan: &Arc<Plan>,
    fails: bool,
    seed: u64,
    stop: &Stop,
    records: Option<&[Record]>,
) -> Done {
    let services = Services {
        models: Echo::models(fails, seed, host.sleep()),
        tools: Arc::new(Registry::empty(host.sleep())),
        resources: loopwright_engine::resources::none(),
    };
    host.run(Begin {
        plan,
        inputs: &Map::new(),
        services: &services,
        stop,
        people: &people(plan),
        records,
    })
}

/// Returns people who approve every question if the plan has an even number of nodes, and reject every question otherwise.
fn people(plan: &Plan) -> People {
    let approve = if plan.nodes.len().is_multiple_of(2) {
        ApprovalMode::All
    } else {
        ApprovalMode::None
    };
    People {
        approve,
        answers: Vec::new(),
    }
}

/// Checks that no node is executed more often than the loops and lists around it allow.
fn within_bounds(plan: &Plan, done: &Done) -> Result<(), String> {
    let mut executions: HashMap<usize, usize> = HashMap::new();
    for record in &done.records {
        if let Entry::Fact(Fact::NodeStarted { .. }) = &record.entry {
            let node = plan
                .find(&record.path)
                .ok_or_else(|| format!("no node is at {}", record.path))?;
            *executions.entry(node).or_default() += 1;
        }
    }
    for (index, node) in plan.nodes.iter().enumerate() {
        let mut allowed = 1;
        let (mut graph, mut role) = (node.graph, node.role);
        while let Some(owner) = plan.graphs[graph].owner {
            allowed *= match &plan.graphs[graph].repeat {
                Some(Repeat::Loop(config)) => {
                    let most = config.max_iterations as usize;
                    // The last allowed iteration has no tail, unless the condition is evaluated once more after it.
                    let reads_again = config.condition().is_some_and(|c| c.before);
                    if role == Role::Tail && !reads_again {
                        most - 1
                    } else {
                        most
                    }
                }
                Some(Repeat::Subflow(_)) => {
                    let retry = plan.nodes[owner].retry.as_ref();
                    retry.map_or(1, |retry| 1 + retry.count as usize)
                }
                _ => ITEMS,
            };
            (graph, role) = (plan.nodes[owner].graph, plan.nodes[owner].role);
        }
        let executions = executions.get(&index).copied().unwrap_or(0);
        if executions > allowed {
            return Err(format!(
                "{} ran {executions} times, allowed are {allowed}",
                node.place
            ));
        }
    }
    Ok(())
}

fn checked(plan: &Plan, done: &Done) -> Result<(), TestCaseError> {
    sound(plan, done)
        .and_then(|()| within_bounds(plan, done))
        .map_err(TestCaseError::fail)
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..160)
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn any_order_of_completions_gives_the_same(bytes in bytes()) {
        let plan = planned(&flow(&bytes, false));
        let first = run(&plan, false, 0, &Stop::Never, None);
        checked(&plan, &first)?;
        for seed in 1..3 {
            let other = run(&plan, false, seed, &Stop::Never, None);
            checked(&plan, &other)?;
            prop_assert_eq!(summary(&first), summary(&other));
        }
    }

    #[test]
    fn a_run_that_was_killed_anywhere_resumes(bytes in bytes(), at in prop::collection::vec(any::<prop::sample::Index>(), 3)) {
        let plan = planned(&flow(&bytes, false));
        let whole = run(&plan, false, 1, &Stop::Never, None);
        for at in at {
            let length = 1 + at.index(whole.records.len() - 1);
            let host = Simulation::with_seed(1).killed_after(length);
            let killed = run_on(&host, &plan, false, 1, &Stop::Never, None).records;
            prop_assert_eq!(&killed[..], &whole.records[..length]);
            let done = run(&plan, false, 2, &Stop::Never, Some(&killed));
            ended(&done.records).map_err(TestCaseError::fail)?;
            prop_assert_eq!(summary(&whole), summary(&done));
        }
    }

    #[test]
    fn failures_end_what_they_must(bytes in bytes()) {
        let plan = planned(&flow(&bytes, true));
        let done = run(&plan, true, 1, &Stop::Never, None);
        checked(&plan, &done)?;
    }

    #[test]
    fn a_run_can_be_stopped_at_any_time(bytes in bytes(), after in 0_u64..4000) {
        let plan = planned(&flow(&bytes, true));
        let done = run(&plan, true, 1, &Stop::After(after), None);
        checked(&plan, &done)?;
    }
}
