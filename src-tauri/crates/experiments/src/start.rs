//! Starts, resumes and stops experiments.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use loopwright_engine::{
    ApprovalPolicy, CancellationToken, budget::Limits, journal::JournalError, trust::Grants,
};
use loopwright_evaluation::{
    check,
    file::Evaluation,
    plan,
    result::{Case, Cell, CellResult, CellStatus, Spent},
};
use loopwright_journal::ExperimentRow as StoredRow;
use loopwright_runs::{ApiError, Code, RunLock, new_id};
use tokio::task::JoinHandle;

use super::{
    budget::{Amount, BudgetPool},
    collect,
    content::{Content, State},
    dto::{ExperimentStatus, ExperimentView},
    experiment::Experiment,
    judgement::{JUDGED, Judgement},
    progress::{Progress, ProgressSink},
    scoring::Compiled,
    spending::{own_usage, run_now, used_of},
    stopping::Stopping,
    stored::{BUDGET, REPLACED, cases_of, from_json_text, results_of, to_json_text},
};
use crate::{
    prepare::{cases, prepare, shape},
    run_experiment::run_experiment,
    running_experiments::Experiments,
    stored::{experiment_store, lock_experiment, stored},
};

/// The options of a new experiment.
pub struct ExperimentOptions {
    pub evaluation: Evaluation,
    /// The evaluation file, or `None` if the evaluation was composed on the command line.
    pub path: Option<String>,
    /// The folder to which the evaluation's paths are relative.
    pub folder: PathBuf,
    pub approve: ApprovalPolicy,
    /// The permissions that are granted to the runs of this experiment alone.
    pub allow: Grants,
    pub progress: ProgressSink,
}

/// The cells of an experiment to run.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Cells without a result: the experiment continues.
    Empty,
    /// Cells whose run failed. These cells run again.
    Failed,
    /// All cells. Cells with a result run again.
    All,
    /// The cells in this list. Cells with a result run again.
    These(Vec<Cell>),
}

/// A started experiment.
pub struct StartedExperiment {
    pub id: String,
    /// The token that stops the experiment. Its running runs are suspended and can be resumed.
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<ExperimentView, ApiError>>,
}

/// Checks an evaluation and starts an experiment. If there is a problem, nothing is stored.
///
/// # Errors
/// [`Code::InvalidArgument`] if the evaluation or its data is invalid; [`Code::InvalidFlow`] if one of its flows is invalid;
/// [`Code::NotFound`] if one of its files does not exist.
pub fn start_experiment(
    experiments: &Arc<Experiments>,
    options: ExperimentOptions,
) -> Result<StartedExperiment, ApiError> {
    if let Some(problem) = check::evaluation(&options.evaluation).into_iter().next() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("{}: {}", problem.place, problem.message),
        ));
    }
    let prepared = prepare(experiments.env(), &options.folder, options.evaluation)?;
    let first = &prepared.variants[0].document;
    let set = cases(
        experiments.env(),
        &options.folder,
        &prepared.evaluation.data,
        first,
    )?;
    if set.cases.is_empty() {
        let why = set.rejected.first().map_or_else(
            || "The data set has no rows.".to_owned(),
            |row| format!("No row fits. Line {}: {}", row.line, row.message),
        );
        return Err(ApiError::new(Code::InvalidArgument, why));
    }
    for scorer in &prepared.evaluation.scorers {
        Compiled::of(scorer)?;
    }
    let mut notes = set.notes;
    if let Some(node) = &prepared.evaluation.per_iteration {
        notes.extend(shape(experiments.env(), &prepared.variants[0], node)?.note());
    }
    let case_count = u32::try_from(set.cases.len()).unwrap_or(u32::MAX);
    let content = Content {
        case_count,
        variants: prepared.variants,
        judges: prepared.judges,
        rejected: set.rejected,
        notes,
        allowed: options.allow,
        fork: None,
        evaluation: prepared.evaluation,
    };
    begin_experiment(
        experiments,
        content,
        set.cases,
        options.path,
        options.approve,
        options.progress,
    )
}

/// Stores a new experiment and starts it.
pub(super) fn begin_experiment(
    experiments: &Arc<Experiments>,
    content: Content,
    cases: Vec<Case>,
    path: Option<String>,
    approve: ApprovalPolicy,
    progress: ProgressSink,
) -> Result<StartedExperiment, ApiError> {
    let total = u32::try_from(u64::from(content.case_count) * content.width()).unwrap_or(u32::MAX);
    let state = State {
        status: ExperimentStatus::Running,
        flow: content.evaluation.flow.clone(),
        total,
        done: 0,
        failed: 0,
        micro_usd: 0,
        tokens: 0,
        error: None,
        stopped_early: None,
        report: None,
    };
    let id = new_id();
    let lock = RunLock::take(experiments.env().data_dir(), &id)?;
    let row = StoredRow {
        id: id.clone(),
        name: content.evaluation.name.clone(),
        path,
        started_at: experiments.env().now(),
        state: to_json_text(&state)?,
    };
    let texts: Vec<String> = cases.iter().map(to_json_text).collect::<Result<_, _>>()?;
    experiment_store(experiments)?.create(&row, &to_json_text(&content)?, &texts)?;
    let known = HashMap::new();
    spawn_experiment(
        experiments,
        id,
        lock,
        content,
        cases,
        known,
        Cells::Empty,
        approve,
        progress,
    )
}

/// Resumes an experiment: runs the cells without a result, or repeats some cells. With [`Cells::Empty`], no recorded call is
/// repeated.
///
/// # Errors
/// [`Code::Busy`] if the experiment is already running; [`Code::NotFound`] if it does not exist.
pub fn resume_experiment(
    experiments: &Arc<Experiments>,
    id: &str,
    cells: Cells,
    approve: ApprovalPolicy,
    allow: &Grants,
    progress: ProgressSink,
) -> Result<StartedExperiment, ApiError> {
    let (_, mut content, _) = stored(experiments, id)?;
    let lock = lock_experiment(experiments.env(), id)?;
    content.allowed.add(allow);
    if let Some(text) = experiment_store(experiments)?.note(id, BUDGET)? {
        content.evaluation.budget.usd = from_json_text(&text)?;
    }
    let store = experiment_store(experiments)?;
    let cases = cases_of(&store, id, 0, usize::MAX)?;
    let known = results_of(&store, id)?;
    spawn_experiment(
        experiments,
        id.to_owned(),
        lock,
        content,
        cases,
        known,
        cells,
        approve,
        progress,
    )
}

/// Sets the budget of an experiment that is not running, in dollars. The amount includes what was already spent.
///
/// # Errors
/// [`Code::InvalidArgument`] if the amount is invalid; [`Code::Busy`] if the experiment is running; [`Code::NotFound`] if it does
/// not exist.
pub fn set_experiment_budget(
    experiments: &Experiments,
    id: &str,
    usd: f64,
) -> Result<(), ApiError> {
    if !usd.is_finite() || usd < 0.0 {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The budget must be an amount of dollars, 0 or more.",
        ));
    }
    let (row, _, _) = stored(experiments, id)?;
    let _lock = lock_experiment(experiments.env(), &row.id)?;
    Ok(experiment_store(experiments)?.put_note(&row.id, BUDGET, &to_json_text(&Some(usd))?)?)
}

/// Stops an experiment of this process. Its running runs are suspended and can be resumed.
///
/// # Errors
/// [`Code::InvalidArgument`] if the experiment does not run in this process.
pub fn stop_experiment(experiments: &Experiments, id: &str) -> Result<(), ApiError> {
    if experiments.stop(id) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!("Experiment {id} is not running in this program."),
    ))
}

#[expect(clippy::too_many_arguments, reason = "both ways to begin end here")]
fn spawn_experiment(
    experiments: &Arc<Experiments>,
    id: String,
    lock: RunLock,
    content: Content,
    cases: Vec<Case>,
    mut known: HashMap<u64, CellResult>,
    which: Cells,
    approve: ApprovalPolicy,
    sink: ProgressSink,
) -> Result<StartedExperiment, ApiError> {
    let store = experiment_store(experiments)?;
    let order = plan::cells(
        content.case_count,
        u32::try_from(content.variants.len()).unwrap_or(u32::MAX),
        content.evaluation.repetitions,
        content.evaluation.seed,
    );
    let chosen: HashSet<Cell> = match &which {
        Cells::These(cells) => cells.iter().copied().collect(),
        _ => HashSet::new(),
    };
    if which == Cells::Empty {
        // Cells that exceeded the budget continue where they stopped.
        for result in known.values_mut() {
            if result.status == CellStatus::OverBudget {
                result.status = CellStatus::Running;
            }
        }
    }
    let mut again = Vec::new();
    for (number, result) in &known {
        let is_open = matches!(
            result.status,
            CellStatus::Running | CellStatus::OverBudget | CellStatus::Cancelled
        );
        let once_more = match &which {
            Cells::Empty => result.status != CellStatus::Running && is_open,
            Cells::Failed => result.status == CellStatus::Failed,
            Cells::All => true,
            Cells::These(_) => {
                chosen.contains(&result.cell) && result.status != CellStatus::Running
            }
        };
        if once_more {
            again.push(*number);
        }
    }
    // The spending of replaced runs still counts.
    for number in again {
        if let Some(result) = known.remove(&number) {
            let used = experiments
                .env()
                .journal()
                .run(&result.run_id)
                .map(|(header, state)| {
                    let told = own_usage(&header, &state);
                    let used = used_of(&state, &told);
                    Spent {
                        micro_usd: used.microusd,
                        tokens: used.tokens,
                        ..collect::spent(&told)
                    }
                })
                .unwrap_or(result.spent);
            store.put_note(
                &id,
                &format!("{REPLACED}{}", result.run_id),
                &to_json_text(&used)?,
            )?;
        }
    }
    let mut spent = Amount::default();
    // The usage of unfinished runs counts too, because each takes a share of the remaining budget when it continues. Reserving
    // shares for them in advance could make runs wait for each other.
    let mut count = |run_id: &str, noted: Spent| -> Result<(), ApiError> {
        let used = match run_now(&*experiments.env().journal(), run_id) {
            Ok((header, state)) => used_of(&state, &own_usage(&header, &state)),
            Err(JournalError::NoRun(_)) => Amount {
                microusd: noted.micro_usd,
                tokens: noted.tokens,
            },
            Err(error) => return Err(error.into()),
        };
        add(&mut spent, used);
        Ok(())
    };
    for result in known.values() {
        count(&result.run_id, result.spent)?;
    }
    for (_, text) in store.notes_of(&id, JUDGED)? {
        if let Ok(judgement) = serde_json::from_str::<Judgement>(&text) {
            count(&judgement.run_id, judgement.spent)?;
        }
    }
    for (_, text) in store.notes_of(&id, REPLACED)? {
        if let Ok(used) = serde_json::from_str::<Spent>(&text) {
            add(
                &mut spent,
                Amount {
                    microusd: used.micro_usd,
                    tokens: used.tokens,
                },
            );
        }
    }
    let limits = Limits::new(
        content.evaluation.budget.usd,
        content.evaluation.budget.tokens,
    );
    let pool = BudgetPool::new(limits, spent);
    // A run that has ended and whose cell has no result is only scored, and needs no share.
    let mut cells = Vec::new();
    for cell in &order {
        let number = content.number(*cell);
        match known.get(&number) {
            None if matches!(which, Cells::These(_)) && !chosen.contains(cell) => {}
            None => cells.push((*cell, None)),
            Some(result) if result.status == CellStatus::Running => {
                cells.push((*cell, Some(result.clone())));
            }
            Some(_) => {}
        }
    }
    let settled: Vec<&CellResult> = known
        .values()
        .filter(|result| matches!(result.status, CellStatus::Completed | CellStatus::Failed))
        .collect();
    let total = u32::try_from(order.len()).unwrap_or(u32::MAX);
    let progress = Progress::new(
        &id,
        total,
        u32::try_from(settled.len()).unwrap_or(u32::MAX),
        u32::try_from(
            settled
                .iter()
                .filter(|result| result.status == CellStatus::Failed)
                .count(),
        )
        .unwrap_or(u32::MAX),
        spent.microusd,
        sink,
    );
    let names = content
        .variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect();
    let mut stopping = Stopping::of(&content.evaluation, names, &order)?;
    if let Some(stopping) = &mut stopping {
        for result in &settled {
            stopping.take(result);
        }
    }
    let experiment = Arc::new(Experiment::new(
        Arc::clone(experiments),
        id.clone(),
        Arc::clone(&store),
        content,
        cases,
        pool,
        approve,
        progress,
    )?);
    let cancel = experiment.cancel.clone();
    experiments.insert(id.clone(), cancel.clone());
    let runtime = experiments.env().runtime().clone();
    let experiments = Arc::clone(experiments);
    let of = id.clone();
    let finished = runtime.spawn(async move {
        experiment.progress.tell(ExperimentStatus::Running);
        let result = run_experiment(&experiments, &experiment, cells, stopping).await;
        experiments.remove(&of);
        drop(lock);
        let status = match &result {
            Ok(view) => view.summary.status,
            Err(_) => ExperimentStatus::Failed,
        };
        experiment.progress.tell(status);
        result
    });
    Ok(StartedExperiment {
        id,
        cancel,
        finished,
    })
}

fn add(sum: &mut Amount, more: Amount) {
    sum.microusd = sum.microusd.saturating_add(more.microusd);
    sum.tokens = sum.tokens.saturating_add(more.tokens);
}
