//! Starts, resumes and stops experiments.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use loopwright_engine::{ApprovalPolicy, trust::Grants};
use loopwright_evaluation::{check, file::Evaluation, result::Case};
use loopwright_journal::ExperimentRow as StoredRow;
use loopwright_runs::{ApiError, Code, RunLock, new_id};

use crate::{
    beginning::{Beginning, StartedExperiment},
    cells::Cells,
    content::{Content, State},
    dto::ExperimentStatus,
    prepare::{cases, prepare, shape},
    progress::ProgressSink,
    running_experiments::Experiments,
    scoring::Compiled,
    stored::{
        BUDGET, cases_of, experiment_store, from_json_text, lock_experiment, results_of, stored,
        to_json_text,
    },
};

/// The evaluation for a new experiment, with its permissions and the receiver of its progress.
pub struct ExperimentOptions {
    pub evaluation: Evaluation,
    /// The evaluation file, or `None` if the evaluation was specified on the command line.
    pub path: Option<String>,
    /// The folder to which the evaluation's paths are relative.
    pub folder: PathBuf,
    pub approve: ApprovalPolicy,
    /// The permissions that are granted to the runs of this experiment alone.
    pub allow: Grants,
    pub progress: ProgressSink,
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
            || "The data set has no rows. Add a row for each case.".to_owned(),
            |row| {
                format!(
                    "No row matches the flow's inputs. Line {}: {}",
                    row.line, row.message
                )
            },
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

/// Stores a new experiment and starts it. Fails if the store cannot be used.
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
    let beginning = Beginning {
        id,
        lock,
        content,
        cases,
        known: HashMap::new(),
        cells: Cells::Empty,
        approve,
        progress,
    };
    beginning.spawn(experiments)
}

/// Resumes an experiment: runs the cells that `cells` selects, and continues runs that have started. With
/// [`Cells::Empty`], no recorded call is repeated.
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
    let beginning = Beginning {
        id: id.to_owned(),
        lock,
        content,
        cases,
        known,
        cells,
        approve,
        progress,
    };
    beginning.spawn(experiments)
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
            "The budget must be 0 dollars or more.",
        ));
    }
    let (row, _, _) = stored(experiments, id)?;
    let _lock = lock_experiment(experiments.env(), &row.id)?;
    Ok(experiment_store(experiments)?.put_note(&row.id, BUDGET, &to_json_text(&Some(usd))?)?)
}

/// Stops an experiment of this process. Its running runs are suspended and can be resumed.
///
/// # Errors
/// [`Code::InvalidArgument`] if the experiment is not running in this process.
pub fn stop_experiment(experiments: &Experiments, id: &str) -> Result<(), ApiError> {
    if experiments.stop(id) {
        return Ok(());
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!(
            "Experiment {id} is not running in this program. If another program runs it, stop it there."
        ),
    ))
}
