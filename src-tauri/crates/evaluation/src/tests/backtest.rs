//! Compares back-tests with figures computed by hand and with a second implementation.

use super::common::{cell, looped};
use crate::{
    backtest::{Backtest, BacktestOptions, CostUnit, backtest, grid},
    policy::Policy,
    recorded::{Ended, RecordedLoop},
};

fn policies(texts: &[&str]) -> Vec<Policy> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn run(case: u32, scores: &[f64], ended: &str) -> RecordedLoop {
    RecordedLoop::of(&looped(cell(case, 0, 0), scores, ended))
}

fn runs() -> Vec<RecordedLoop> {
    vec![
        run(0, &[1.0, 2.0, 3.0], "max_iterations"),
        run(1, &[4.0, 4.0, 4.0], "max_iterations"),
        run(2, &[5.0, 7.0], "evaluator_done"),
        run(3, &[0.0], "error"),
    ]
}

fn tested(texts: &[&str], runs: &[RecordedLoop]) -> Backtest {
    backtest(&policies(texts), runs, &BacktestOptions::default())
}

#[test]
fn a_run_that_ended_before_the_policy_is_censored_and_not_known() {
    let found = tested(&["cap=1", "cap=2", "cap=3"], &runs());
    let counts: Vec<_> = (found.policies.iter())
        .map(|policy| (policy.known, policy.censored))
        .collect();
    assert_eq!(counts, [(4, 0), (3, 1), (2, 2)]);
    let own: Vec<_> = (found.policies.iter())
        .map(|policy| policy.own.as_ref().unwrap().mean_score.unwrap())
        .collect();
    assert_eq!(own, [2.5, 13.0 / 3.0, 3.5]);
    let by = &found.policies[2].censored_by;
    assert_eq!((by[&Ended::Exit], by[&Ended::Failed]), (1, 1));
}

#[test]
fn policies_are_compared_on_the_same_runs_only() {
    let found = tested(&["cap=1", "cap=2", "cap=3", "cap=9"], &runs());
    assert_eq!(found.compared_runs, 2);
    let compared: Vec<_> = (found.policies.iter())
        .map(|policy| policy.compared.as_ref().map(|figures| figures.runs))
        .collect();
    // Cap 9 has no known runs. It is not compared, and does not reduce the runs on which the other policies are compared.
    assert_eq!(compared, [Some(2), Some(2), Some(2), None]);
    let scores: Vec<_> = (found.policies.iter())
        .filter_map(|policy| policy.compared.as_ref()?.mean_score)
        .collect();
    assert_eq!(scores, [2.5, 3.0, 3.5]);
    assert!(found.policies[..3].iter().all(|policy| policy.on_front));
    assert!(!found.policies[3].on_front);
}

#[test]
fn the_front_is_what_no_other_policy_beats() {
    let runs = [
        run(0, &[1.0, 3.0, 2.0, 3.0], "max_iterations"),
        run(1, &[1.0, 3.0, 2.0, 3.0], "max_iterations"),
    ];
    let found = tested(&["cap=1", "cap=2", "cap=3", "cap=4", "score>=3"], &runs);
    let front: Vec<_> = found
        .policies
        .iter()
        .map(|policy| policy.on_front)
        .collect();
    // Several policies with equal figures are all on the front.
    assert_eq!(front, [true, true, false, false, true]);
    assert_eq!(found.cost, CostUnit::Usd);
    let last = &found.policies[4];
    assert_eq!(last.exits.get("condition_met"), Some(&2));
    assert_eq!(last.own.as_ref().unwrap().mean_iterations, 2.0);
    assert_eq!(last.own.as_ref().unwrap().mean_cost_usd, 0.002);
}

#[test]
fn where_lower_is_better_the_front_has_the_lowest_scores_of_their_price() {
    let runs = [
        run(0, &[3.0, 1.0, 2.0, 1.0], "max_iterations"),
        run(1, &[3.0, 1.0, 2.0, 1.0], "max_iterations"),
    ];
    let texts = ["cap=1", "cap=2", "cap=3", "cap=4"];
    let front = |lower_is_better| {
        let options = BacktestOptions {
            lower_is_better,
            ..BacktestOptions::default()
        };
        let found = backtest(&policies(&texts), &runs, &options);
        let scores: Vec<_> = (found.policies.iter())
            .map(|policy| policy.compared.as_ref().unwrap().mean_score.unwrap())
            .collect();
        assert_eq!(scores, [3.0, 1.0, 2.0, 1.0]);
        let front = found.policies.iter().map(|policy| policy.on_front);
        front.collect::<Vec<_>>()
    };
    assert_eq!(front(true), [true, true, false, false]);
    assert_eq!(front(false), [true, false, false, false]);
    assert!(!BacktestOptions::default().lower_is_better);
}

#[test]
fn exits_are_counted_by_reason() {
    let found = tested(&["evaluator,cap=3", "score>=3,cap=2"], &runs());
    let exits = &found.policies[0].exits;
    assert_eq!(exits.get("evaluator_done"), Some(&1));
    assert_eq!(exits.get("max_iterations"), Some(&2));
    assert_eq!(found.policies[0].censored, 1);
    let exits = &found.policies[1].exits;
    assert_eq!(exits.get("condition_met"), Some(&2));
    assert_eq!(exits.get("max_iterations"), Some(&1));
}

#[test]
fn each_condition_has_its_own_verdicts() {
    let mut runs = vec![run(0, &[1.0, 2.0, 3.0], "max_iterations")];
    for (at, iteration) in runs[0].iterations.iter_mut().enumerate() {
        iteration.conditions = vec![Some(at == 0), Some(at == 2)];
    }
    let found = tested(
        &["condition=a", "cap=3", "condition=b", "condition=c"],
        &runs,
    );
    let ends: Vec<_> = (found.policies.iter())
        .map(|policy| policy.own.as_ref().map(|own| own.mean_iterations))
        .collect();
    assert_eq!(ends, [Some(1.0), Some(3.0), Some(3.0), None]);
    assert_eq!(found.policies[3].unknown, 1);
    assert_eq!(
        found.policies[3].unknown_reason.as_deref(),
        Some("The condition could not be evaluated in iteration 1.")
    );
}

#[test]
fn repetitions_of_a_case_are_averaged_first() {
    let runs = [
        run(0, &[1.0], "max_iterations"),
        run(0, &[3.0], "max_iterations"),
        run(1, &[8.0], "max_iterations"),
    ];
    let found = tested(&["cap=1"], &runs);
    let figures = found.policies[0].compared.as_ref().unwrap();
    assert_eq!((figures.runs, figures.cases), (3, 2));
    assert_eq!(figures.mean_score, Some(5.0));
}

#[test]
fn without_a_price_tokens_or_iterations_are_the_cost() {
    let mut runs = runs();
    for iteration in runs.iter_mut().flat_map(|run| &mut run.iterations) {
        iteration.spent.micro_usd = 0;
    }
    assert_eq!(tested(&["cap=1"], &runs).cost, CostUnit::Tokens);
    for iteration in runs.iter_mut().flat_map(|run| &mut run.iterations) {
        iteration.spent.tokens = 0;
    }
    let found = tested(&["cap=1", "cap=2", "score>=4,cap=2"], &runs);
    assert_eq!(found.cost, CostUnit::Iterations);
}

#[test]
fn a_result_without_a_score_is_known_but_counts_in_no_score() {
    let mut runs = runs();
    runs[0].iterations[0].scores = vec![None];
    let found = tested(&["cap=1"], &runs);
    let policy = &found.policies[0];
    assert_eq!((policy.known, policy.unscored), (4, 1));
    assert_eq!(policy.own.as_ref().unwrap().mean_score, Some(3.0));
    assert_eq!(found.compared_runs, 3);
}

#[test]
fn a_grid_has_every_cap_and_every_threshold_by_patience() {
    let grid = grid(4, &[0.9, 0.95], &[1, 2, 3]);
    assert_eq!(grid.len(), 10);
    for policy in &grid {
        assert_eq!(policy, &policy.text.parse::<Policy>().unwrap());
    }
}

#[test]
fn nothing_recorded_gives_nothing() {
    let found = tested(&["cap=1"], &[]);
    assert_eq!((found.runs, found.compared_runs), (0, 0));
    assert_eq!(found.policies[0].own, None);
    assert!(!found.policies[0].on_front);
    assert!(tested(&[], &runs()).policies.is_empty());
}

/// On random runs, no policy beats a policy on the front, and each policy that is not on the front is beaten by a policy on the
/// front.
#[test]
fn the_front_of_random_runs_is_a_front() {
    let mut state = 9_u64;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..50 {
        let runs: Vec<RecordedLoop> = (0..12)
            .map(|case| {
                let count = 3 + random(4);
                let scores: Vec<f64> = (0..count).map(|_| random(10) as f64).collect();
                run(case, &scores, "max_iterations")
            })
            .collect();
        let texts = [
            "cap=1",
            "cap=2",
            "cap=3",
            "score>=7,cap=3",
            "score>=5,cap=2",
            "plateau=1,cap=3,patience=1",
        ];
        let found = tested(&texts, &runs);
        let places: Vec<_> = (found.policies.iter())
            .map(|policy| {
                let figures = policy.compared.as_ref().unwrap();
                (
                    figures.mean_score.unwrap(),
                    figures.mean_cost_usd,
                    policy.on_front,
                )
            })
            .collect();
        let beats = |one: &(f64, f64, bool), other: &(f64, f64, bool)| {
            one.0 >= other.0 && one.1 <= other.1 && (one.0, one.1) != (other.0, other.1)
        };
        for place in &places {
            let on_front = places.iter().filter(|other| other.2);
            assert_eq!(place.2, !on_front.clone().any(|other| beats(other, place)));
            assert!(on_front.count() > 0);
        }
    }
}
