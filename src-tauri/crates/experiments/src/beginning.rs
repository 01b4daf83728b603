//! Starts the task that executes a stored experiment, new or resumed: adds up the usage so far, and selects the cells to run.

use std::{collections::HashMap, sync::Arc};

use loopwright_engine::{ApprovalPolicy, CancellationToken, budget::Limits, journal::JournalError};
use loopwright_evaluation::{
    plan,
    result::{Case, Cell, CellResult, CellStatus, Spent},
};
use loopwright_journal::ExperimentStore;
use loopwright_runs::{ApiError, Env, RunLock};
use tokio::task::JoinHandle;

use crate::{
    budget::{Amount, BudgetPool},
    cells::{CellToRun, Cells, Selection},
    collect,
    content::Content,
    dto::{ExperimentStatus, ExperimentView},
    experiment::Experiment,
    judgement::{JUDGED, Judgement},
    progress::{Progress, ProgressSink},
    run_experiment::run_experiment,
    running_experiments::Experiments,
    spending::{own_usage, run_now, used_of},
    stopping::Stopping,
    stored::{REPLACED, experiment_store, to_json_text},
};

/// A handle for an experiment that a task of this program executes.
pub struct StartedExperiment {
    pub id: String,
    /// The token that stops the experiment. The experiment's running runs are then suspended and can be resumed.
    pub cancel: CancellationToken,
    pub finished: JoinHandle<Result<ExperimentView, ApiError>>,
}

/// The data that the task of an experiment needs to start.
pub(super) struct Beginning {
    pub(super) id: String,
    pub(super) lock: RunLock,
    pub(super) content: Content,
    pub(super) cases: Vec<Case>,
    /// The stored results, by [`Content::number`].
    pub(super) known: HashMap<u64, CellResult>,
    pub(super) cells: Cells,
    pub(super) approve: ApprovalPolicy,
    pub(super) progress: ProgressSink,
}

impl Beginning {
    /// Starts the experiment's task.
    ///
    /// # Errors
    /// Returns an error if the store cannot be used.
    pub(super) fn spawn(
        mut self,
        experiments: &Arc<Experiments>,
    ) -> Result<StartedExperiment, ApiError> {
        let store = experiment_store(experiments)?;
        let selection = Selection::new(std::mem::replace(&mut self.cells, Cells::Empty));
        for replaced in selection.take_repeated(&mut self.known) {
            note_replaced(experiments.env(), &store, &self.id, &replaced)?;
        }
        let spent = self.spent(experiments.env(), &store)?;
        let order = plan::cells(
            self.content.case_count,
            u32::try_from(self.content.variants.len()).unwrap_or(u32::MAX),
            self.content.evaluation.repetitions,
            self.content.evaluation.seed,
        );
        let cells = selection.to_run(&order, |cell| self.content.number(cell), &self.known);
        let stopping = self.stopping(&order)?;
        let progress = self.progress(order.len(), spent);
        let budget = &self.content.evaluation.budget;
        let pool = BudgetPool::new(Limits::new(budget.usd, budget.tokens), spent);
        let experiment = Experiment::new(
            Arc::clone(experiments),
            self.id,
            store,
            self.content,
            self.cases,
            pool,
            self.approve,
            progress,
        )?;
        Ok(spawn(
            Arc::clone(experiments),
            experiment,
            cells,
            stopping,
            self.lock,
        ))
    }

    /// Returns what the experiment has used so far.
    fn spent(&self, env: &Env, store: &ExperimentStore) -> Result<Amount, ApiError> {
        let mut spent = Amount::default();
        // Unfinished runs count with their usage so far. Each of them reserves a share of the remaining budget only
        // when it continues. If all these shares were reserved in advance, runs could wait for each other.
        for result in self.known.values() {
            spent = spent.plus(used_now(env, &result.run_id, result.spent)?);
        }
        for (_, text) in store.notes_of(&self.id, JUDGED)? {
            if let Ok(judgement) = serde_json::from_str::<Judgement>(&text) {
                spent = spent.plus(used_now(env, &judgement.run_id, judgement.spent)?);
            }
        }
        for (_, text) in store.notes_of(&self.id, REPLACED)? {
            if let Ok(used) = serde_json::from_str::<Spent>(&text) {
                spent = spent.plus(amount(used));
            }
        }
        Ok(spent)
    }

    /// Returns the results that are final.
    fn settled(&self) -> impl Iterator<Item = &CellResult> {
        self.known
            .values()
            .filter(|result| matches!(result.status, CellStatus::Completed | CellStatus::Failed))
    }

    /// Returns the rule that can end the experiment early. The rule has already received the final results. Returns
    /// `None` if the evaluation has no such rule.
    fn stopping(&self, order: &[Cell]) -> Result<Option<Stopping>, ApiError> {
        let variants = self.content.variants.iter();
        let names = variants.map(|variant| variant.name.clone()).collect();
        let mut stopping = Stopping::of(&self.content.evaluation, names, order)?;
        if let Some(stopping) = &mut stopping {
            for result in self.settled() {
                stopping.take(result);
            }
        }
        Ok(stopping)
    }

    fn progress(&self, total: usize, spent: Amount) -> Progress {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let failed = self
            .settled()
            .filter(|result| result.status == CellStatus::Failed);
        Progress::new(
            &self.id,
            count(total),
            count(self.settled().count()),
            count(failed.count()),
            spent.microusd,
            Arc::clone(&self.progress),
        )
    }
}

/// Stores the usage of a run whose cell runs again. The experiment's usage still includes it.
fn note_replaced(
    env: &Env,
    store: &ExperimentStore,
    id: &str,
    replaced: &CellResult,
) -> Result<(), ApiError> {
    let used = env
        .journal()
        .run(&replaced.run_id)
        .map(|(header, state)| {
            let own = own_usage(&header, &state);
            let used = used_of(&state, &own);
            Spent {
                micro_usd: used.microusd,
                tokens: used.tokens,
                ..collect::spent(&own)
            }
        })
        .unwrap_or(replaced.spent);
    let name = format!("{REPLACED}{}", replaced.run_id);
    Ok(store.put_note(id, &name, &to_json_text(&used)?)?)
}

/// Returns the usage of a run. If the run is no longer stored, returns the usage `noted` in its result.
fn used_now(env: &Env, run_id: &str, noted: Spent) -> Result<Amount, ApiError> {
    match run_now(&*env.journal(), run_id) {
        Ok((header, state)) => Ok(used_of(&state, &own_usage(&header, &state))),
        Err(JournalError::NoRun(_)) => Ok(amount(noted)),
        Err(error) => Err(error.into()),
    }
}

fn amount(spent: Spent) -> Amount {
    Amount {
        microusd: spent.micro_usd,
        tokens: spent.tokens,
    }
}

/// Spawns the task, which holds the lock until the experiment has ended, and returns a handle for the experiment.
fn spawn(
    experiments: Arc<Experiments>,
    experiment: Experiment,
    cells: Vec<CellToRun>,
    stopping: Option<Stopping>,
    lock: RunLock,
) -> StartedExperiment {
    let experiment = Arc::new(experiment);
    let (id, cancel) = (experiment.id.clone(), experiment.cancel.clone());
    experiments.insert(id.clone(), cancel.clone());
    let runtime = experiments.env().runtime().clone();
    let finished = runtime.spawn(async move {
        experiment.progress.tell(ExperimentStatus::Running);
        let result = run_experiment(&experiments, &experiment, cells, stopping).await;
        experiments.remove(&experiment.id);
        drop(lock);
        let status = match &result {
            Ok(view) => view.summary.status,
            Err(_) => ExperimentStatus::Failed,
        };
        experiment.progress.tell(status);
        result
    });
    StartedExperiment {
        id,
        cancel,
        finished,
    }
}
