//! Compares policies with a simulator that steps through a loop as the engine does. Incomplete records are also simulated with
//! every way to fill in the missing data.

use crate::{
    policy::{Exit, Policy, PolicyError, Stop},
    recorded::{Ended, RecordedIteration, RecordedLoop},
};

/// A small generator (xorshift64*, Vigna 2016), which makes cases the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % count
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn random_policy(random: &mut Random) -> Policy {
    let mut parts = Vec::new();
    let exit = random.below(6);
    let tenths = |random: &mut Random| random.below(11) as f64 / 10.0;
    match exit {
        0 => {}
        1 => parts.push("evaluator".to_owned()),
        2 => parts.push(format!("stable={}", tenths(random))),
        3 => parts.push(format!("plateau={}", random.below(4) as f64 / 10.0)),
        4 => parts.push(format!("score>={}", tenths(random))),
        _ => {}
    }
    if matches!(exit, 2 | 3) && random.percent(70) {
        parts.push(format!("patience={}", 1 + random.below(3)));
    }
    if exit > 0 && random.percent(40) {
        parts.push(format!("min={}", 1 + random.below(5)));
    }
    if exit == 0 || random.percent(60) {
        parts.push(format!("cap={}", 1 + random.below(8)));
    }
    if exit == 5 {
        parts.push("condition=a, b".to_owned());
    }
    parts.join(",").parse().unwrap()
}

fn random_loop(random: &mut Random, missing: u64) -> RecordedLoop {
    let count = random.below(8);
    let iterations = (0..count).map(|at| RecordedIteration {
        similarity: (at > 0 && !random.percent(missing)).then(|| random.below(11) as f64 / 10.0),
        loop_score: (!random.percent(missing)).then(|| random.below(11) as f64 / 10.0),
        reached_exit: random.percent(25),
        conditions: vec![(!random.percent(missing)).then(|| random.percent(25))],
        ..RecordedIteration::default()
    });
    RecordedLoop {
        case: 0,
        iterations: iterations.collect(),
        ended: Ended::Cap,
    }
}

/// Simulates a loop under the policy, one iteration at a time, on a complete record.
fn simulate(policy: &Policy, run: &RecordedLoop) -> Stop {
    let cap = policy.cap.unwrap_or(u32::MAX);
    let mut finished = 0;
    let mut similar_in_a_row = 0;
    let mut scores: Vec<f64> = Vec::new();
    loop {
        let Some(pass) = run.iterations.get(finished as usize) else {
            return Stop::Censored { seen: finished };
        };
        let met = match &policy.exit {
            Exit::MaxIterations => false,
            Exit::Evaluator => pass.reached_exit,
            Exit::Stable {
                threshold,
                patience,
            } => {
                if pass.similarity.is_some_and(|value| value >= *threshold) {
                    similar_in_a_row += 1;
                } else {
                    similar_in_a_row = 0;
                }
                similar_in_a_row >= *patience
            }
            Exit::Plateau { delta, patience } => {
                scores.push(pass.loop_score.unwrap());
                let old = scores.len().saturating_sub(*patience as usize);
                let best =
                    |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // Scores and margins are multiples of a tenth.
                let tenths = |value: f64| (value * 10.0).round();
                old > 0 && tenths(best(&scores)) - tenths(best(&scores[..old])) <= tenths(*delta)
            }
            Exit::Score { at_least } => pass.loop_score.unwrap() >= *at_least,
            Exit::Condition { .. } => pass.conditions[0].unwrap(),
        };
        finished += 1;
        if met && finished >= policy.min_iterations {
            return Stop::At {
                k: finished,
                met: true,
            };
        }
        if finished == cap {
            let met = policy.exit == Exit::MaxIterations;
            return Stop::At { k: finished, met };
        }
    }
}

#[test]
fn a_policy_ends_a_loop_where_the_engine_would() {
    let mut random = Random(1);
    let mut seen = [0; 3];
    for case in 0..4000 {
        let policy = random_policy(&mut random);
        let run = random_loop(&mut random, 0);
        let stop = policy.stop(&run, 0);
        assert_eq!(stop, simulate(&policy, &run), "{case}: {policy:?} {run:?}");
        seen[match stop {
            Stop::At { met: true, .. } => 0,
            Stop::At { met: false, .. } => 1,
            _ => 2,
        }] += 1;
    }
    assert!(seen.iter().all(|&count| count > 200), "{seen:?}");
}

/// Returns complete records that agree with an incomplete record. Extreme values replace the missing ones.
fn completions(run: &RecordedLoop) -> Vec<RecordedLoop> {
    let mut all = vec![run.clone()];
    for at in 0..run.iterations.len() {
        let mut grown = Vec::new();
        for run in all {
            let pass = run.iterations[at].clone();
            let scores = match pass.loop_score {
                Some(score) => vec![score],
                None => vec![-100.0, 0.5, 100.0],
            };
            let similarities = match pass.similarity {
                None if at > 0 => vec![Some(0.0), Some(1.0)],
                known => vec![known],
            };
            let verdicts = match pass.conditions[0] {
                Some(verdict) => vec![verdict],
                None => vec![false, true],
            };
            for &score in &scores {
                for &similarity in &similarities {
                    for &verdict in &verdicts {
                        let mut run = run.clone();
                        run.iterations[at].loop_score = Some(score);
                        run.iterations[at].similarity = similarity;
                        run.iterations[at].conditions = vec![Some(verdict)];
                        grown.push(run);
                    }
                }
            }
        }
        all = grown;
    }
    all
}

#[test]
fn what_is_missing_is_never_guessed() {
    let mut random = Random(2);
    let mut unknown = 0;
    for case in 0..1500 {
        let policy = random_policy(&mut random);
        let mut run = random_loop(&mut random, 25);
        run.iterations.truncate(5);
        let mut possible: Vec<Stop> = completions(&run)
            .iter()
            .map(|run| simulate(&policy, run))
            .collect();
        possible.dedup();
        match policy.stop(&run, 0) {
            Stop::Unknown { reason } => {
                unknown += 1;
                assert!(reason.ends_with('.'), "{reason}");
                // `Unknown` is justified if the completed records stop differently. If the exit is a plateau or the threshold
                // is 0, the policy need not notice that all of them stop alike.
                let is_plateau = matches!(policy.exit, Exit::Plateau { .. });
                let is_certain =
                    matches!(policy.exit, Exit::Stable { threshold, .. } if threshold == 0.0);
                assert!(
                    possible.len() > 1 || is_plateau || is_certain,
                    "{case}: {policy:?} {run:?}"
                );
            }
            stop => assert_eq!(possible, [stop], "{case}: {policy:?} {run:?}"),
        }
    }
    assert!(unknown > 100, "{unknown}");
}

fn run_with(similarities: &[f64], scores: &[f64], reached: &[bool]) -> RecordedLoop {
    let count = similarities.len().max(scores.len()).max(reached.len());
    let iterations = (0..count).map(|at| RecordedIteration {
        similarity: similarities.get(at).copied().filter(|_| at > 0),
        loop_score: scores.get(at).copied(),
        reached_exit: reached.get(at).copied().unwrap_or_default(),
        ..RecordedIteration::default()
    });
    RecordedLoop {
        case: 0,
        iterations: iterations.collect(),
        ended: Ended::Exit,
    }
}

fn stop(policy: &str, run: &RecordedLoop) -> Stop {
    policy.parse::<Policy>().unwrap().stop(run, 0)
}

#[test]
fn the_exit_wins_over_the_cap() {
    let run = run_with(&[], &[], &[false, false, true]);
    let at = |k, met| Stop::At { k, met };
    assert_eq!(stop("evaluator,cap=3", &run), at(3, true));
    assert_eq!(stop("evaluator,cap=2", &run), at(2, false));
    assert_eq!(stop("cap=2", &run), at(2, true));
    assert_eq!(stop("cap=4", &run), Stop::Censored { seen: 3 });
    assert_eq!(stop("cap=3", &run), at(3, true));
    assert_eq!(stop("evaluator,min=4", &run), Stop::Censored { seen: 3 });
}

#[test]
fn stable_means_at_or_above_the_threshold_in_a_row() {
    let run = run_with(&[0.0, 0.95, 0.5, 0.95, 0.97, 1.0], &[], &[]);
    let at = |k| Stop::At { k, met: true };
    assert_eq!(stop("stable=0.95", &run), at(2));
    assert_eq!(stop("stable=0.95,patience=2", &run), at(5));
    assert_eq!(stop("stable=1", &run), at(6));
    assert_eq!(stop("stable=0.95,min=3", &run), at(4));
    // Iterations before the first allowed one count towards the patience.
    assert_eq!(stop("stable=0.95,patience=2,min=6", &run), at(6));
}

#[test]
fn a_plateau_is_the_engines() {
    let at = |k| Stop::At { k, met: true };
    let run = run_with(&[], &[8.0, 3.0, 8.0, 9.0, 9.5, 9.0], &[]);
    assert_eq!(stop("plateau=0", &run), at(3));
    assert_eq!(stop("plateau=0,min=4", &run), Stop::Censored { seen: 6 });
    // In binary, 0.8 − 0.7 is slightly more than 0.1, and counts as 0.1.
    let run = run_with(&[], &[0.7, 0.8], &[]);
    assert_eq!(stop("plateau=0.1,patience=1", &run), at(2));
    // Small steps do not count as one large one, even if their sum exceeds the margin.
    let run = run_with(&[], &[1.0, 1.006, 1.012, 1.018], &[]);
    assert_eq!(stop("plateau=0.01", &run), Stop::Censored { seen: 4 });
    assert_eq!(stop("plateau=0.01,patience=1", &run), at(2));
    // Without a margin, even the smallest increase counts.
    let run = run_with(&[], &[1.0, 1.0 + f64::EPSILON, 1.0], &[]);
    assert_eq!(stop("plateau=0,patience=1", &run), at(3));
    let run = run_with(&[], &[-3.0, -2.0, -2.0], &[]);
    assert_eq!(stop("plateau=0,patience=1", &run), at(3));
    let patient = format!("plateau=0,patience={}", u32::MAX);
    assert_eq!(stop(&patient, &run), Stop::Censored { seen: 3 });
    let unscored = run_with(&[0.5, 0.5, 0.5], &[], &[]);
    assert_eq!(
        stop("plateau=0", &unscored),
        Stop::Unknown {
            reason: "The loop has no score in iteration 3.".to_owned()
        }
    );
    assert_eq!(
        stop("plateau=0,cap=2", &unscored),
        Stop::At { k: 2, met: false }
    );
}

#[test]
fn a_condition_takes_the_rest_of_the_text_and_its_own_verdicts() {
    let policy: Policy = "min=2, cap=6, condition=score >= 8, or x == 'a,b'"
        .parse()
        .unwrap();
    assert_eq!(policy.condition(), Some("score >= 8, or x == 'a,b'"));
    assert_eq!((policy.cap, policy.min_iterations), (Some(6), 2));
    let mut run = run_with(&[], &[1.0, 1.0, 1.0], &[]);
    for (at, pass) in run.iterations.iter_mut().enumerate() {
        pass.conditions = vec![Some(true), (at > 0).then_some(at == 2)];
    }
    // The missing first verdict is before the first allowed iteration.
    assert_eq!(policy.stop(&run, 1), Stop::At { k: 3, met: true });
    assert_eq!(policy.stop(&run, 0), Stop::At { k: 2, met: true });
    assert!(matches!(policy.stop(&run, 2), Stop::Unknown { .. }));
}

#[test]
fn what_is_no_policy_says_why() {
    let error = |text: &str| text.parse::<Policy>().unwrap_err();
    assert_eq!(error("  "), PolicyError::Empty);
    assert_eq!(
        error("caps=3"),
        PolicyError::UnknownPart("caps=3".to_owned())
    );
    assert_eq!(error("cap=3,cap=4"), PolicyError::Twice("cap".to_owned()));
    assert_eq!(error("cap=3,min=2"), PolicyError::MinimumAlone);
    assert_eq!(error("evaluator,patience=2"), PolicyError::PatienceAlone);
    assert_eq!(error("cap=3,condition= "), PolicyError::NoExpression);
    assert_eq!(
        error("evaluator,stable=1"),
        PolicyError::TwoExits("evaluator".to_owned(), "stable".to_owned())
    );
    for text in [
        "cap=0",
        "cap=2.5",
        "stable=1.1",
        "plateau=-1",
        "score>=high",
        "score>=inf",
    ] {
        assert!(
            matches!(error(text), PolicyError::BadNumber { .. }),
            "{text}"
        );
    }
    let same = |text: &str| text.parse::<Policy>().unwrap().exit;
    assert_eq!(same("score >= 8"), same("threshold=8"));
}
