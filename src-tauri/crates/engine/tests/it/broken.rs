//! A run that reaches an impossible state fails with a message. It neither hangs nor panics.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use loopwright_engine::{RunStatus, plan::Plan};
use loopwright_testing::{
    case::{Case, Checked, cases, read},
    simulation::Simulation,
};

/// Returns the case, and its plan with a simulated defect.
fn broken(name: &str, change: impl FnOnce(&mut Plan)) -> (Case, Arc<Plan>) {
    let case = read(&cases().join(name), None).unwrap();
    let Checked::Planned(mut plan) = case.check(&loopwright_nodes::all()) else {
        panic!("{name} is invalid");
    };
    change(Arc::get_mut(&mut plan).unwrap());
    (case, plan)
}

#[test]
fn a_plan_without_the_settings_of_a_scope_fails_the_run_with_words() {
    for (name, what) in [
        ("cap-two", "a loop, list or subflow has no settings"),
        ("iterator-order", "a loop, list or subflow has no settings"),
        ("subflow-inline", "a subflow has no settings"),
    ] {
        let (case, plan) = broken(name, |plan| {
            for graph in Arc::get_mut(&mut plan.graphs).unwrap() {
                graph.repeat = None;
            }
        });
        let done = case.execute(&Simulation::new(), &plan, None);
        let error = done.state.error.unwrap();
        assert_eq!(done.state.status, RunStatus::Failed, "{name}");
        assert_eq!(error.code, "internal", "{name}");
        assert!(error.message.contains(what), "{name}: {}", error.message);
    }
}
