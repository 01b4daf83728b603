//! Computes at which iteration another exit policy would have ended recorded runs.

use std::sync::Arc;

use loopwright_engine::journal::RunFilter;
use loopwright_evaluation::{
    backtest::{Backtest, BacktestOptions, backtest},
    policy::Policy,
    recorded::{Ended, RecordedIteration, RecordedLoop},
    result::CellResult,
    statistics::Bootstrap,
};
use loopwright_runs::{ApiError, Code, Env, StoredRun, stored_run};
use loopwright_template::{Expression, Scope};
use serde_json::Value;

use super::{
    collect::{Collected, LoopShape, collect, condition_values},
    dto::PolicyResult,
    scoring::{Compiled, Seen},
};
use crate::{
    experiment::reason_of, prepare::shape, read::experiment_results,
    running_experiments::Experiments, stored::stored,
};

/// The names that a policy's condition can read.
const READABLE: [&str; 6] = [
    "result",
    "input",
    "loopIndex",
    "loopCount",
    "score",
    "similarity",
];

/// A policy with its condition compiled.
struct CompiledPolicy {
    policy: Policy,
    condition: Option<Expression>,
}

impl CompiledPolicy {
    fn of(text: &str) -> Result<Self, String> {
        let policy: Policy = text.parse().map_err(|error| format!("{error}"))?;
        let condition = policy
            .condition()
            .map(|source| {
                let parsed = Expression::parse(source).map_err(|error| error.to_string())?;
                match parsed
                    .references()
                    .iter()
                    .find(|reference| !READABLE.contains(&reference.root.as_str()))
                {
                    Some(unknown) => Err(format!(
                        "A condition in a back-test can read {}, not `{}`.",
                        READABLE.join(", "),
                        unknown.root
                    )),
                    None => Ok(parsed),
                }
            })
            .transpose()?;
        Ok(Self { policy, condition })
    }
}

/// Returns the result that each exit policy would have had on the runs of an experiment. Results are scored by the
/// experiment's primary scorer. Without `variant`, the variant whose runs have the most iterations is used.
///
/// # Errors
/// [`Code::InvalidArgument`] if the experiment has no `perIteration`, or if a variant or a condition is invalid.
pub fn backtest_experiment(
    experiments: &Experiments,
    id: &str,
    variant: Option<&str>,
    policies: &[String],
) -> Result<Vec<PolicyResult>, ApiError> {
    let (_, content, _) = stored(experiments, id)?;
    let evaluation = &content.evaluation;
    let Some(node) = &evaluation.per_iteration else {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "This experiment did not score iterations. Set `perIteration` in its evaluation and run it again.",
        ));
    };
    let names: Vec<&str> = content
        .variants
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();
    let variant = match variant {
        Some(name) => names
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| {
                ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "There is no variant \"{name}\". Variants: {}.",
                        names.join(", ")
                    ),
                )
            })?,
        // The longest runs allow the most policies to be evaluated.
        None => longest_variant(experiments, id, names.len())?,
    };
    let primary = evaluation
        .primary
        .as_ref()
        .and_then(|name| {
            evaluation
                .scorers
                .iter()
                .position(|scorer| scorer.name == *name)
        })
        .unwrap_or(0);
    let (_, results) = experiment_results(experiments, id)?;
    let of_variant: Vec<&CellResult> = results
        .iter()
        .filter(|result| result.cell.variant as usize == variant)
        .collect();
    let asked: Vec<Result<CompiledPolicy, String>> = policies
        .iter()
        .map(|text| CompiledPolicy::of(text))
        .collect();
    let needs_values = asked
        .iter()
        .flatten()
        .any(|asked| asked.condition.is_some());
    let shape = match needs_values {
        true => Some(shape(experiments.env(), &content.variants[variant], node)?),
        false => None,
    };
    let mut runs = Vec::with_capacity(of_variant.len());
    for result in of_variant {
        let mut run = RecordedLoop::of(result);
        if let Some(shape) = &shape {
            add_verdicts(experiments.env(), &mut run, &result.run_id, shape, &asked);
        }
        runs.push(run);
    }
    let options = BacktestOptions {
        scorer: primary,
        // The report uses the same seed, so that equal means have equal intervals in both.
        bootstrap: Bootstrap::with_seed(u64::from(evaluation.seed)),
        ..BacktestOptions::default()
    };
    Ok(answered(
        policies,
        asked,
        &runs,
        &options,
        evaluation.scorers[primary].lower_is_better,
    ))
}

fn longest_variant(experiments: &Experiments, id: &str, count: usize) -> Result<usize, ApiError> {
    let (_, results) = experiment_results(experiments, id)?;
    let mut sums = vec![0_usize; count];
    for result in results {
        if let Some(sum) = sums.get_mut(result.cell.variant as usize) {
            *sum += result.iterations.len();
        }
    }
    let most = sums.iter().copied().max().unwrap_or(0);
    Ok(sums.iter().position(|sum| *sum == most).unwrap_or(0))
}

/// Returns the result that each exit policy would have had on runs in the history. `node` is the id of the loop.
/// `score` is an expression over `result` that scores a result.
///
/// # Errors
/// [`Code::InvalidArgument`] if the score expression is invalid, or if none of the runs has the loop;
/// [`Code::NotFound`] if no run matches the filter. An invalid policy causes no error here. Its own result contains the
/// error.
pub fn backtest_runs(
    env: &Env,
    filter: &RunFilter,
    node: &str,
    score: Option<&str>,
    policies: &[String],
) -> Result<Vec<PolicyResult>, ApiError> {
    let scorer = score
        .map(|expression| {
            Compiled::of(&loopwright_evaluation::file::Scorer {
                name: "score".to_owned(),
                lower_is_better: false,
                how: loopwright_evaluation::file::Scoring::Expression {
                    expression: expression.to_owned(),
                },
            })
        })
        .transpose()?;
    let asked: Vec<Result<CompiledPolicy, String>> = policies
        .iter()
        .map(|text| CompiledPolicy::of(text))
        .collect();
    let mut runs = Vec::new();
    let mut refused = None;
    for (brief, _) in env.journal().find(filter, MAX_RUNS, 0)? {
        let (header, state) = env.journal().run(&brief.run_id)?;
        let StoredRun { flow, plans, .. } = stored_run(&header, env.kinds())?;
        let shape = match LoopShape::of(&flow, plans.last(), env.kinds().specs(), node) {
            Ok(shape) => shape,
            Err(error) => {
                refused.get_or_insert(error);
                continue;
            }
        };
        let ended = state.status;
        let found = collect(&*env.journal(), &brief.run_id, state, Some(&shape))?;
        let case = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        let mut run = recorded(&found, case, ended, scorer.as_ref());
        verdicts(&mut run, &found, &asked);
        runs.push(run);
    }
    if runs.is_empty() {
        return Err(refused.unwrap_or_else(|| {
            ApiError::new(
                Code::NotFound,
                "No recorded run matches. Run the flow first, or select other runs.",
            )
        }));
    }
    Ok(answered(
        policies,
        asked,
        &runs,
        &BacktestOptions::default(),
        false,
    ))
}

/// Evaluates the policies' conditions on the recorded values of a run. If the run no longer exists, the results of the
/// conditions remain unknown.
fn add_verdicts(
    env: &Env,
    run: &mut RecordedLoop,
    run_id: &str,
    shape: &LoopShape,
    asked: &[Result<CompiledPolicy, String>],
) {
    let found = env
        .journal()
        .run(run_id)
        .map_err(ApiError::from)
        .and_then(|(_, state)| collect(&*env.journal(), run_id, state, Some(shape)));
    match found {
        Ok(found) => verdicts(run, &found, asked),
        Err(_) => {
            let count = asked
                .iter()
                .flatten()
                .filter(|asked| asked.condition.is_some())
                .count();
            for iteration in &mut run.iterations {
                iteration.conditions = vec![None; count];
            }
        }
    }
}

/// The maximum number of runs that are read from the history.
const MAX_RUNS: usize = 10_000;

fn recorded(
    found: &Collected,
    case: u32,
    status: loopwright_engine::RunStatus,
    scorer: Option<&Compiled>,
) -> RecordedLoop {
    let iterations = found
        .iterations
        .iter()
        .map(|iteration| RecordedIteration {
            scores: vec![match scorer {
                Some(scorer) => scorer
                    .score(&Seen {
                        result: (*iteration.result).clone(),
                        output: (*iteration.result).clone(),
                        expected: Value::Null,
                        any_of: false,
                        case: Value::Null,
                        run: Value::Null,
                    })
                    .and_then(|score| score.value),
                // Without an expression, the loop's own score is used.
                None => iteration.score,
            }],
            spent: iteration.spent,
            similarity: iteration.similarity,
            loop_score: iteration.score,
            reached_exit: iteration.reached_exit,
            conditions: Vec::new(),
        })
        .collect();
    let reason = found.end.map(|end| reason_of(end.exit_reason));
    let failed = status == loopwright_engine::RunStatus::Failed;
    let ended = Ended::by_reason(reason.as_deref(), failed);
    RecordedLoop {
        case,
        iterations,
        ended,
    }
}

/// Records whether each condition is met after each iteration. A condition that cannot be evaluated is unknown.
fn verdicts(run: &mut RecordedLoop, found: &Collected, asked: &[Result<CompiledPolicy, String>]) {
    let conditions: Vec<&Expression> = asked
        .iter()
        .flatten()
        .filter_map(|asked| asked.condition.as_ref())
        .collect();
    if conditions.is_empty() {
        return;
    }
    for (index, iteration) in run.iterations.iter_mut().enumerate() {
        let Some(of) = found.iterations.get(index) else {
            iteration.conditions = vec![None; conditions.len()];
            continue;
        };
        let mut scope = Scope::new();
        for (name, value) in condition_values(of, index) {
            scope.insert(name, Arc::new(value));
        }
        iteration.conditions = conditions
            .iter()
            .map(|condition| condition.test(&scope).ok())
            .collect();
    }
}

fn answered(
    texts: &[String],
    asked: Vec<Result<CompiledPolicy, String>>,
    runs: &[RecordedLoop],
    options: &BacktestOptions,
    lower_is_better: bool,
) -> Vec<PolicyResult> {
    let policies: Vec<Policy> = asked
        .iter()
        .flatten()
        .map(|asked| asked.policy.clone())
        .collect();
    let options = BacktestOptions {
        lower_is_better,
        ..*options
    };
    let Backtest {
        policies: found, ..
    } = backtest(&policies, runs, &options);
    let mut found = found.into_iter();
    let empty = |policy: &str, error: String| PolicyResult {
        policy: policy.to_owned(),
        runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        known: 0,
        censored: 0,
        mean_score: None,
        interval: None,
        mean_cost_usd: None,
        mean_iterations: None,
        exits: Default::default(),
        on_front: false,
        error: Some(error),
    };
    texts
        .iter()
        .zip(asked)
        .map(|(text, asked)| match asked {
            Err(error) => empty(text, error),
            Ok(_) => match found.next() {
                None => empty(
                    text,
                    "The result of this policy was not computed.".to_owned(),
                ),
                Some(report) => {
                    // If there are runs with a known result under every policy, the figures come from these runs, so that
                    // they can be compared. Otherwise the figures of each policy come from the runs with a known result
                    // under that policy.
                    let figures = report.compared.as_ref().or(report.own.as_ref());
                    PolicyResult {
                        policy: report.policy.clone(),
                        runs: report.runs,
                        known: report.known,
                        censored: report.censored,
                        mean_score: figures.and_then(|figures| figures.mean_score),
                        interval: figures.and_then(|figures| figures.interval),
                        mean_cost_usd: figures.map(|figures| figures.mean_cost_usd),
                        mean_iterations: figures.map(|figures| figures.mean_iterations),
                        exits: report.exits,
                        on_front: report.on_front,
                        error: report.unknown_reason,
                    }
                }
            },
        })
        .collect()
}

/// Calls [`backtest_runs`] for the recorded runs of the flow with this name, or for all recorded runs.
///
/// # Errors
/// Returns the errors of [`backtest_runs`].
pub fn backtest_history(
    env: &Env,
    flow: Option<&str>,
    node: &str,
    score: Option<&str>,
    policies: &[String],
) -> Result<Vec<PolicyResult>, ApiError> {
    let filter = RunFilter {
        flow: flow.map(str::to_owned),
        ..RunFilter::default()
    };
    backtest_runs(env, &filter, node, score, policies)
}
