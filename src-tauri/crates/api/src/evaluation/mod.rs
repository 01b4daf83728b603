//! Evaluations: a flow over a data set, each result scored, and what all of them say.

mod backtest;
mod budget;
mod collect;
mod compare;
mod content;
mod dto;
mod experiment;
mod export;
mod files;
mod fork;
mod judge;
mod prepare;
mod progress;
mod ratings;
mod read;
mod scoring;
mod stopping;

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_engine::{
    Approve, CancellationToken, RunStatus, budget::Limits, event::timestamp, journal::JournalError,
    trust::Grants,
};
use loopwright_evaluation::{
    file::Evaluation,
    plan,
    result::{Case, Cell, CellResult, CellStatus, Spent},
};
use loopwright_journal::{ExperimentRow as StoredRow, ExperimentStore};
use tokio::task::JoinHandle;

use budget::{Amount, BudgetPool};
use content::{Content, State};
use experiment::{
    BUDGET, Experiment, JUDGED, Judgement, REPLACED, lacks_judge, own_usage, run_now, used_of,
    with_empty,
};
use progress::Progress;
use stopping::Stopping;

pub use dto::*;
pub use export::ExportFormat;
pub use fork::ForkExperiment;
pub use progress::ProgressSink;
pub(crate) use scoring::score_output;

use crate::{
    app::App,
    error::{ApiError, Code},
    paths,
    run_lock::RunLock,
};

/// What an experiment is started with.
pub struct ExperimentOptions {
    pub evaluation: Evaluation,
    /// The evaluation file; `None` for one that was put together on the command line.
    pub path: Option<String>,
    /// Where its paths start from.
    pub folder: PathBuf,
    pub approve: Approve,
    /// What is allowed for its runs alone.
    pub allow: Grants,
    pub progress: ProgressSink,
}

/// Which cells of an experiment are made.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Those that have no result yet: the experiment goes on.
    Empty,
    /// Those whose run failed, once more.
    Failed,
    /// Every one, once more.
    All,
    /// These, once more where they have a result.
    These(Vec<Cell>),
}

/// An experiment that has begun.
pub struct StartedExperiment {
    pub id: String,
    /// Stops it. What is under way rests and can be resumed.
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<ExperimentView, ApiError>>,
}

/// Experiments of this process, by id.
#[derive(Default)]
pub(crate) struct Experiments {
    store: Mutex<Option<Arc<ExperimentStore>>>,
    running: Mutex<HashMap<String, CancellationToken>>,
}

impl App {
    pub(crate) fn experiment_store(&self) -> Result<Arc<ExperimentStore>, ApiError> {
        let mut store = self
            .experiments
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(Arc::clone(store));
        }
        let opened = Arc::new(ExperimentStore::open(&paths::store(self.data_dir()))?);
        *store = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// The most that an experiment can use. `folder`: where the paths of the evaluation start from.
    ///
    /// # Errors
    /// What is wrong with the evaluation, its flows or its data set.
    pub fn estimate_evaluation(
        &self,
        folder: &std::path::Path,
        evaluation: &Evaluation,
    ) -> Result<EvaluationEstimate, ApiError> {
        let prepared = self.prepare(folder, evaluation.clone())?;
        let first = &prepared.variants[0].document;
        let set = self.cases(folder, &evaluation.data, first)?;
        let (mut usd, mut calls) = (Some(0.0), Some(0_u32));
        let mut why = Vec::new();
        for variant in &prepared.variants {
            // The longest case stands for all: what a run can cost grows with what it is given.
            let Some(longest) = set.cases.iter().max_by_key(|case| {
                case.inputs
                    .values()
                    .map(|value| value.to_string().len())
                    .sum::<usize>()
            }) else {
                continue;
            };
            let path = variant.flow_path.as_deref();
            let given = with_empty(&variant.document, &longest.inputs);
            let most = self.estimate(variant.document.clone(), path, &given)?;
            let runs = set.cases.len() as f64 * f64::from(evaluation.repetitions);
            usd = usd
                .zip(most.max_usd)
                .map(|(sum, of_one)| sum + of_one * runs);
            calls = calls
                .zip(most.max_calls)
                .map(|(sum, of_one)| sum.saturating_add((f64::from(of_one) * runs) as u32));
            for reason in most.unknown {
                if !why.contains(&reason) {
                    why.push(reason);
                }
            }
        }
        let runs = u32::try_from(
            set.cases.len() * prepared.variants.len() * evaluation.repetitions as usize,
        )
        .unwrap_or(u32::MAX);
        let mut judges = Vec::new();
        for (name, judge) in &prepared.judges {
            let path = judge.flow_path.as_deref();
            let nothing = serde_json::Map::new();
            let most = self.estimate(judge.document.clone(), path, &nothing)?;
            if most.max_calls != Some(0) {
                judges.push(name.clone());
                // What a judge reads is not known before.
                usd = usd.filter(|_| most.max_usd == Some(0.0));
                calls = None;
            }
        }
        let mut words = format!("{runs} runs");
        words.push_str(&match (usd, calls) {
            (_, Some(0)) => ", no calls of models".to_owned(),
            (Some(usd), Some(calls)) => format!(", at most {calls} calls and ${usd:.2}"),
            (None, Some(calls)) => format!(", at most {calls} calls, cost unknown"),
            (Some(usd), None) => format!(", at most ${usd:.2}"),
            (None, None) => ", cost unknown".to_owned(),
        });
        if !judges.is_empty() {
            words.push_str(&format!(
                ". Each result is judged by a model too, once for each of the scorers {}",
                judges.join(", ")
            ));
        }
        words.push('.');
        if let (None, Some(reason)) = (usd, why.first()) {
            words.push(' ');
            words.push_str(reason);
        }
        match (evaluation.budget.usd, evaluation.budget.tokens) {
            (Some(limit), _) => words.push_str(&format!(" The budget is ${limit}.")),
            (None, Some(limit)) => words.push_str(&format!(" The budget is {limit} tokens.")),
            (None, None) => {}
        }
        Ok(EvaluationEstimate {
            runs,
            max_usd: usd,
            max_calls: calls,
            words,
        })
    }

    /// Flows that an experiment would run, judges among them, to ask what they would use.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn evaluated_flows(
        &self,
        folder: &std::path::Path,
        evaluation: &Evaluation,
    ) -> Result<Vec<(serde_json::Value, Option<String>)>, ApiError> {
        let prepared = self.prepare(folder, evaluation.clone())?;
        Ok(prepared
            .variants
            .into_iter()
            .chain(prepared.judges.into_values())
            .map(|flow| (flow.document, flow.flow_path))
            .collect())
    }

    /// Checks an evaluation and starts an experiment with it. Nothing is kept when something is wrong.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`], [`Code::InvalidFlow`] or [`Code::NotFound`] with what is wrong.
    pub fn start_experiment(
        self: &Arc<Self>,
        options: ExperimentOptions,
    ) -> Result<StartedExperiment, ApiError> {
        if let Some(problem) = loopwright_evaluation::check::evaluation(&options.evaluation)
            .into_iter()
            .next()
        {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("{}: {}", problem.place, problem.message),
            ));
        }
        let prepared = self.prepare(&options.folder, options.evaluation)?;
        let first = &prepared.variants[0].document;
        let set = self.cases(&options.folder, &prepared.evaluation.data, first)?;
        if set.cases.is_empty() {
            let why = set.rejected.first().map_or_else(
                || "The data set has no rows.".to_owned(),
                |row| format!("No row fits. Line {}: {}", row.line, row.message),
            );
            return Err(ApiError::new(Code::InvalidArgument, why));
        }
        for scorer in &prepared.evaluation.scorers {
            scoring::Compiled::of(scorer)?;
        }
        let mut notes = set.notes;
        if let Some(node) = &prepared.evaluation.per_iteration {
            notes.extend(self.shape(&prepared.variants[0], node)?.note());
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
        self.begin_experiment(
            content,
            set.cases,
            options.path,
            options.approve,
            options.progress,
        )
    }

    /// Writes a new experiment down and begins with it.
    fn begin_experiment(
        self: &Arc<Self>,
        content: Content,
        cases: Vec<Case>,
        path: Option<String>,
        approve: Approve,
        progress: ProgressSink,
    ) -> Result<StartedExperiment, ApiError> {
        let total =
            u32::try_from(u64::from(content.case_count) * content.width()).unwrap_or(u32::MAX);
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
        let id = crate::clock::new_id();
        let lock = RunLock::take(self.data_dir(), &id)?;
        let row = StoredRow {
            id: id.clone(),
            name: content.evaluation.name.clone(),
            path,
            started_at: (self.clock())(),
            state: text_of(&state)?,
        };
        let texts: Vec<String> = cases.iter().map(text_of).collect::<Result<_, _>>()?;
        self.experiment_store()?
            .create(&row, &text_of(&content)?, &texts)?;
        let known = HashMap::new();
        self.go_on(
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

    /// Goes on with an experiment: with what has no result yet, or once more with some of it. No recorded call is made again by
    /// [`Cells::Empty`].
    ///
    /// # Errors
    /// [`Code::Busy`] where it goes on already; [`Code::NotFound`].
    pub fn resume_experiment(
        self: &Arc<Self>,
        id: &str,
        cells: Cells,
        approve: Approve,
        allow: &Grants,
        progress: ProgressSink,
    ) -> Result<StartedExperiment, ApiError> {
        let (_, mut content, _) = self.stored(id)?;
        let lock = self.lock_experiment(id)?;
        content.allowed.add(allow);
        if let Some(text) = self.experiment_store()?.note(id, BUDGET)? {
            content.evaluation.budget.usd = of_text(&text)?;
        }
        let store = self.experiment_store()?;
        let cases = cases_of(&store, id, 0, usize::MAX)?;
        let known = results_of(&store, id)?;
        self.go_on(
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

    /// Gives an experiment that rests another budget, in dollars: the whole of it, with what was spent.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for an amount that is none; [`Code::Busy`] where it goes on; [`Code::NotFound`].
    pub fn set_experiment_budget(&self, id: &str, usd: f64) -> Result<(), ApiError> {
        if !usd.is_finite() || usd < 0.0 {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "The budget must be an amount of dollars, 0 or more.",
            ));
        }
        let (row, _, _) = self.stored(id)?;
        let _lock = self.lock_experiment(&row.id)?;
        Ok(self
            .experiment_store()?
            .put_note(&row.id, BUDGET, &text_of(&Some(usd))?)?)
    }

    /// Takes an experiment for this process alone.
    pub(super) fn lock_experiment(&self, id: &str) -> Result<RunLock, ApiError> {
        RunLock::take(self.data_dir(), id).map_err(|error| match error.code {
            Code::Busy => ApiError::new(
                Code::Busy,
                format!(
                    "Experiment {id} is going on, here or in another program. Wait until it ends, or stop it there."
                ),
            ),
            _ => error,
        })
    }

    /// Stops an experiment of this process. What is under way rests and can be resumed.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] where it does not go on here.
    pub fn stop_experiment(&self, id: &str) -> Result<(), ApiError> {
        let running = self
            .experiments
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match running.get(id) {
            Some(cancel) => {
                cancel.cancel();
                Ok(())
            }
            None => Err(ApiError::new(
                Code::InvalidArgument,
                format!("Experiment {id} is not going on in this program."),
            )),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "both ways to begin end here")]
    fn go_on(
        self: &Arc<Self>,
        id: String,
        lock: RunLock,
        content: Content,
        cases: Vec<Case>,
        mut known: HashMap<u64, CellResult>,
        which: Cells,
        approve: Approve,
        sink: ProgressSink,
    ) -> Result<StartedExperiment, ApiError> {
        let store = self.experiment_store()?;
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
            // What the budget had no room for goes on where it stood.
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
        // What replaced runs have spent stays spent.
        for number in again {
            if let Some(result) = known.remove(&number) {
                let used = self
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
                    &text_of(&used)?,
                )?;
            }
        }
        let mut spent = Amount::default();
        // Of a run that has not ended, too: to go on it takes a share of what is left. A share that were kept for it until then could be
        // what the others wait for, and it for them.
        let mut count = |run_id: &str, noted: Spent| -> Result<(), ApiError> {
            let used = match run_now(&*self.journal(), run_id) {
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
        // A run that has ended and whose cell has not is scored, not made: it needs no share.
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
            Arc::clone(self),
            id.clone(),
            Arc::clone(&store),
            content,
            cases,
            pool,
            approve,
            progress,
        )?);
        let cancel = experiment.cancel.clone();
        self.experiments
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), cancel.clone());
        let app = Arc::clone(self);
        let of = id.clone();
        let finished = self.runtime().spawn(async move {
            experiment.progress.tell(ExperimentStatus::Running);
            let result = app.complete(&experiment, cells, stopping).await;
            app.experiments
                .running
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&of);
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

    /// Makes the cells and writes down what they say.
    async fn complete(
        self: &Arc<Self>,
        experiment: &Arc<Experiment>,
        cells: Vec<(Cell, Option<CellResult>)>,
        mut stopping: Option<Stopping>,
    ) -> Result<ExperimentView, ApiError> {
        let (_, _, before) = self.stored(&experiment.id)?;
        let mut state = State {
            status: ExperimentStatus::Running,
            error: None,
            report: None,
            stopped_early: None,
            ..before
        };
        experiment
            .store
            .set_state(&experiment.id, &text_of(&state)?)?;
        let made = match stopping.as_ref().is_some_and(Stopping::is_decided) {
            true => Ok(ExperimentStatus::Stopped),
            false => experiment.make(cells, &mut stopping).await,
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
            self.mark_all_seen(experiment, &results)?;
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
        let report = read::report_of(
            &experiment.id,
            &experiment.content,
            &experiment.cases,
            &results,
            &state,
        );
        state.report = Some(report);
        experiment
            .store
            .set_state(&experiment.id, &text_of(&state)?)?;
        match error {
            Some(error) => Err(error),
            None => self.experiment(&experiment.id),
        }
    }

    /// From now on the runs of an experiment may be removed to make room: it does not need them to go on.
    fn mark_all_seen(
        &self,
        experiment: &Experiment,
        results: &HashMap<u64, CellResult>,
    ) -> Result<(), ApiError> {
        for result in results.values() {
            if matches!(result.status, CellStatus::Completed | CellStatus::Failed) {
                self.mark_seen(&result.run_id, RunStatus::Completed);
            }
        }
        for (_, text) in experiment.store.notes_of(&experiment.id, JUDGED)? {
            if let Ok(judgement) = serde_json::from_str::<Judgement>(&text)
                && judgement.score.is_some()
            {
                self.mark_seen(&judgement.run_id, RunStatus::Completed);
            }
        }
        Ok(())
    }

    fn stored(&self, id: &str) -> Result<(StoredRow, Content, State), ApiError> {
        let (row, content) = self
            .experiment_store()?
            .get(id)
            .map_err(|error| match error {
                JournalError::Read(_) => ApiError::new(
                    Code::NotFound,
                    format!("There is no experiment {id}. `loopwright evals list` lists them."),
                ),
                other => other.into(),
            })?;
        let state = of_text(&row.state)?;
        let content = of_text(&content)?;
        Ok((row, content, state))
    }
}

fn add(sum: &mut Amount, more: Amount) {
    sum.microusd = sum.microusd.saturating_add(more.microusd);
    sum.tokens = sum.tokens.saturating_add(more.tokens);
}

fn text_of<T: serde::Serialize>(value: &T) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

fn of_text<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        ApiError::new(
            Code::Internal,
            format!("The experiment cannot be read: {error}. It was written by another version, or is damaged."),
        )
    })
}

fn cases_of(
    store: &ExperimentStore,
    id: &str,
    offset: usize,
    limit: usize,
) -> Result<Vec<Case>, ApiError> {
    store
        .cases(id, offset, limit)?
        .iter()
        .map(|text| of_text(text))
        .collect()
}

/// Every result with its iterations, by number.
fn results_of(store: &ExperimentStore, id: &str) -> Result<HashMap<u64, CellResult>, ApiError> {
    store
        .cells(id, 0, u64::MAX, true)?
        .iter()
        .map(|row| Ok((row.number, read::result_of(row)?)))
        .collect()
}

fn started(row: &StoredRow) -> String {
    timestamp(row.started_at)
}
