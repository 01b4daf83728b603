//! Runs an experiment: first its cells, then the comparisons by judges, then the report.

use std::{collections::HashMap, sync::Arc};

use loopwright_engine::RunStatus;
use loopwright_evaluation::result::{Cell, CellResult, CellStatus};
use loopwright_runs::{ApiError, Env, mark_seen};

use super::{
    content::State,
    dto::{ExperimentStatus, ExperimentView},
    experiment::Experiment,
    judgement::{JUDGED, Judgement, lacks_judge},
    read::report_of,
    stopping::Stopping,
    stored::{results_of, to_json_text},
};
use crate::{read, running_experiments::Experiments, stored::stored};

/// Runs the cells, stores the state and the report of the experiment, and returns the experiment. Fails if the store cannot be
/// used.
pub(super) async fn run_experiment(
    experiments: &Arc<Experiments>,
    experiment: &Arc<Experiment>,
    cells: Vec<(Cell, Option<CellResult>)>,
    mut stopping: Option<Stopping>,
) -> Result<ExperimentView, ApiError> {
    let (_, _, before) = stored(experiments, &experiment.id)?;
    let mut state = State {
        status: ExperimentStatus::Running,
        error: None,
        report: None,
        stopped_early: None,
        ..before
    };
    experiment
        .store
        .set_state(&experiment.id, &to_json_text(&state)?)?;
    let made = match stopping.as_ref().is_some_and(Stopping::is_decided) {
        true => Ok(ExperimentStatus::Stopped),
        false => experiment.run_cells(cells, &mut stopping).await,
    };
    let (mut status, error) = match made {
        Ok(status) => (status, None),
        Err(error) => (ExperimentStatus::Failed, Some(error)),
    };
    let mut results = results_of(&experiment.store, &experiment.id)?;
    let evaluation = &experiment.content.evaluation;
    if error.is_none() && status == ExperimentStatus::Completed {
        let baseline = evaluation
            .baseline
            .as_ref()
            .and_then(|name| {
                experiment
                    .content
                    .variants
                    .iter()
                    .position(|variant| variant.name == *name)
            })
            .unwrap_or(0);
        let baseline = u32::try_from(baseline).unwrap_or(0);
        if !experiment.compare_pairs(baseline, &mut results).await? {
            status = ExperimentStatus::Stopped;
        } else if results.values().any(lacks_judge) {
            status = ExperimentStatus::OverBudget;
        }
    }
    let is_settled = status == ExperimentStatus::Completed
        || stopping.as_ref().is_some_and(Stopping::is_decided);
    if error.is_none() && is_settled {
        mark_all_seen(experiments.env(), experiment, &results)?;
    }
    let (done, failed) = experiment.progress.counts();
    state.status = status;
    state.done = done;
    state.failed = failed;
    state.micro_usd = experiment.pool.spent().microusd;
    state.tokens = experiment.pool.spent().tokens;
    state.error = error.as_ref().map(|error| error.message.clone());
    state.stopped_early = stopping
        .as_ref()
        .and_then(|stopping| stopping.words(u64::from(state.total.saturating_sub(done))));
    let mut results: Vec<CellResult> = results.into_values().collect();
    results.sort_by_key(|result| experiment.content.number(result.cell));
    let report = report_of(
        &experiment.id,
        &experiment.content,
        &experiment.cases,
        &results,
        &state,
    );
    state.report = Some(report);
    experiment
        .store
        .set_state(&experiment.id, &to_json_text(&state)?)?;
    match error {
        Some(error) => Err(error),
        None => read::experiment(experiments, &experiment.id),
    }
}

/// Marks the finished runs of an experiment and of its judges as seen. They may then be removed to free space, because
/// the experiment no longer needs them.
fn mark_all_seen(
    env: &Env,
    experiment: &Experiment,
    results: &HashMap<u64, CellResult>,
) -> Result<(), ApiError> {
    for result in results.values() {
        if matches!(result.status, CellStatus::Completed | CellStatus::Failed) {
            mark_seen(env, &result.run_id, RunStatus::Completed);
        }
    }
    for (_, text) in experiment.store.notes_of(&experiment.id, JUDGED)? {
        if let Ok(judgement) = serde_json::from_str::<Judgement>(&text)
            && judgement.score.is_some()
        {
            mark_seen(env, &judgement.run_id, RunStatus::Completed);
        }
    }
    Ok(())
}
