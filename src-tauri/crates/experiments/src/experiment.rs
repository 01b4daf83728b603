//! Starts the runs of an experiment and scores their outputs. An experiment can be interrupted at any time. When it continues,
//! recorded work is not repeated.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use futures::{StreamExt as _, stream::FuturesUnordered};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, RunStatus,
    budget::Limits,
    journal::{JournalError, RunState},
};
use loopwright_evaluation::result::{
    Case, Cell, CellResult, CellStatus, IterationResult, Score, Spent,
};
use loopwright_journal::ExperimentStore;
use loopwright_records::waiting;
use loopwright_runs::{
    ApiError, Code, FieldEdit, ForkOptions, Leader, NewBudget, ResumeOptions, StartOptions,
    Started, follow_run, fork_place, fork_run_as, new_id, pause_run, resume_run, start_prepared_as,
    stop_run,
};
use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

use super::{
    budget::{Amount, BudgetPool, Most, Share},
    collect::{Collected, LoopShape, collect},
    content::{Content, ForkOf, StoredVariant},
    dto::ExperimentStatus,
    judgement::lacks_judge,
    progress::Progress,
    scoring::{Compiled, Seen, unscored},
    spending::{budget_to_resume, is_tighter, own_limits, own_usage, run_now, used_of, within},
    stopping::Stopping,
    stored::row_of,
};
use crate::{runnable::Runnable, running_experiments::Experiments};

/// A running experiment.
pub(super) struct Experiment {
    pub(super) experiments: Arc<Experiments>,
    pub(super) id: String,
    pub(super) store: Arc<ExperimentStore>,
    pub(super) content: Content,
    /// The variants, in the order in which the content stores them.
    pub(super) variants: Vec<Runnable>,
    /// The judges, by scorer name.
    pub(super) judges: BTreeMap<String, Runnable>,
    pub(super) cases: Vec<Case>,
    pub(super) shapes: Vec<Option<LoopShape>>,
    pub(super) scorers: Vec<Compiled>,
    pub(super) pool: BudgetPool,
    pub(super) approve: ApprovalPolicy,
    pub(super) cancel: CancellationToken,
    pub(super) progress: Progress,
    pub(super) judged: Mutex<HashMap<String, Arc<OnceCell<Score>>>>,
}

/// How a run starts: from the beginning, or as a fork.
pub(super) enum Begin<'a> {
    Start(&'a Runnable, Map<String, Value>),
    /// The run starts as a fork of the run with this id.
    Fork(&'a ForkOf, &'a str),
}

/// The stored state of a run that was started before the experiment was last resumed.
pub(super) struct Stand {
    pub(super) state: RunState,
    /// The amount that the run had used when the experiment was resumed.
    pub(super) used: Amount,
    pub(super) is_done: bool,
}

/// The reason why the experiment no longer executes a run.
pub(super) enum Went {
    Ended(RunState),
    /// The experiment was stopped. The run is suspended and can be resumed.
    Left,
    /// The run could not be started, or its execution failed.
    Refused(ApiError),
}

impl Experiment {
    #[expect(clippy::too_many_arguments, reason = "built in one place")]
    pub(super) fn new(
        experiments: Arc<Experiments>,
        id: String,
        store: Arc<ExperimentStore>,
        content: Content,
        cases: Vec<Case>,
        pool: BudgetPool,
        approve: ApprovalPolicy,
        progress: Progress,
    ) -> Result<Self, ApiError> {
        let scorers = content
            .evaluation
            .scorers
            .iter()
            .map(Compiled::of)
            .collect::<Result<_, _>>()?;
        let env = experiments.env();
        let runnable = |stored: &StoredVariant| Runnable::new(env, stored);
        let variants: Vec<Runnable> = content.variants.iter().map(runnable).collect();
        let judges = content
            .judges
            .iter()
            .map(|(name, stored)| (name.clone(), runnable(stored)))
            .collect();
        let shapes = variants
            .iter()
            .map(|variant| {
                let node = content.evaluation.per_iteration.as_deref();
                node.map(|node| variant.shape(env, node)).transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            experiments,
            id,
            store,
            content,
            variants,
            judges,
            cases,
            shapes,
            scorers,
            pool,
            approve,
            cancel: CancellationToken::new(),
            progress,
            judged: Mutex::default(),
        })
    }

    /// Runs these cells in order, with the concurrency that the evaluation sets, and returns the resulting state of the
    /// experiment.
    ///
    /// # Errors
    /// Returns an error if the store cannot be used or an approval is missing. The whole experiment then stops.
    pub(super) async fn run_cells(
        self: &Arc<Self>,
        cells: Vec<(Cell, Option<CellResult>)>,
        stopping: &mut Option<Stopping>,
    ) -> Result<ExperimentStatus, ApiError> {
        let at_once = self.content.evaluation.concurrency.clamp(1, 256) as usize;
        let mut waiting = cells.into_iter();
        let mut under_way = FuturesUnordered::new();
        let mut status = ExperimentStatus::Completed;
        let mut failure = None;
        loop {
            while under_way.len() < at_once
                && status == ExperimentStatus::Completed
                && !self.cancel.is_cancelled()
                && let Some((cell, known)) = waiting.next()
            {
                let experiment = Arc::clone(self);
                let task = async move { experiment.cell(cell, known).await };
                under_way.push(self.experiments.env().runtime().spawn(task));
            }
            let Some(ended) = under_way.next().await else {
                break;
            };
            let ended = ended.map_err(|error| {
                ApiError::new(
                    Code::Internal,
                    format!("The experiment stopped unexpectedly: {error}. Resume it to continue."),
                )
            });
            match ended.and_then(|ended| ended) {
                Ok(None) => status = ExperimentStatus::Stopped,
                Ok(Some(result)) => {
                    let is_over_budget = result.status == CellStatus::OverBudget;
                    if let Some(stopping) = stopping {
                        stopping.take(&result);
                        if stopping.is_decided() && status == ExperimentStatus::Completed {
                            status = ExperimentStatus::Stopped;
                        }
                    }
                    self.progress.ended(result, self.spent_microusd());
                    if is_over_budget {
                        status = ExperimentStatus::OverBudget;
                    }
                }
                Err(error) => {
                    // The other cells are suspended first, so that their work is not lost.
                    self.cancel.cancel();
                    failure.get_or_insert(error);
                }
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        if self.cancel.is_cancelled() {
            status = ExperimentStatus::Stopped;
        }
        Ok(status)
    }

    pub(super) fn spent_microusd(&self) -> u64 {
        self.pool.spent().microusd
    }

    /// Runs and scores one cell. Returns `None` if the experiment was stopped before the run ended.
    async fn cell(
        self: &Arc<Self>,
        cell: Cell,
        known: Option<CellResult>,
    ) -> Result<Option<CellResult>, ApiError> {
        let number = self.content.number(cell);
        let variant = &self.content.variants[cell.variant as usize];
        let case = &self.cases[cell.case as usize];
        let begun = known.filter(|known| known.status == CellStatus::Running);
        let own = own_limits(&variant.document);
        let stand = match &begun {
            Some(begun) => self.stand(&begun.run_id, own)?,
            None => None,
        };
        let run_id = begun.map(|begun| begun.run_id).unwrap_or_else(new_id);
        let mut result = CellResult {
            cell,
            run_id: run_id.clone(),
            status: CellStatus::Running,
            output: Value::Null,
            scores: Vec::new(),
            iterations: Vec::new(),
            iteration_count: None,
            exit_reason: None,
            exhausted: false,
            spent: Spent::default(),
            duration_ms: 0,
            error: None,
        };
        let state = match stand {
            // The run ended earlier, but its cell was not scored. The cell is scored without another run.
            Some(stand) if stand.is_done => stand.state,
            stand => {
                let before = stand.map_or_else(Amount::default, |stand| stand.used);
                match self.run_of_cell(&mut result, case, before).await? {
                    Some(state) => state,
                    None if result.status == CellStatus::Running => return Ok(None),
                    None => return Ok(Some(result)),
                }
            }
        };
        let over_budget = self.is_out_of_room(&state, own);
        let status = state.status;
        let shape = self.shapes[cell.variant as usize].as_ref();
        let found = collect(&*self.experiments.env().journal(), &run_id, state, shape)?;
        result.output = found.output.clone();
        result.spent = found.spent;
        result.duration_ms = found.duration_ms;
        result.iteration_count = found.end.map(|end| end.iterations);
        result.exit_reason = found.end.map(|end| reason_of(end.exit_reason));
        result.exhausted = found.end.is_some_and(|end| end.exhausted);
        result.error = found.error.clone();
        self.progress.scoring(1);
        let scored = self.score(&mut result, case, &found).await;
        self.progress.scoring(-1);
        if !scored? {
            return Ok(None);
        }
        result.status = match status {
            // Judges that had no budget score the cell when the experiment continues with a larger budget.
            RunStatus::Completed if lacks_judge(&result) => CellStatus::OverBudget,
            RunStatus::Completed => CellStatus::Completed,
            _ if over_budget => CellStatus::OverBudget,
            _ => CellStatus::Failed,
        };
        self.put(number, &result)?;
        Ok(Some(result))
    }

    /// Runs a cell. Returns `None` if the experiment was stopped before the run ended, or if no run could be started. If no run
    /// could be started, `result` contains the reason.
    async fn run_of_cell(
        self: &Arc<Self>,
        result: &mut CellResult,
        case: &Case,
        before: Amount,
    ) -> Result<Option<RunState>, ApiError> {
        let number = self.content.number(result.cell);
        let variant = &self.variants[result.cell.variant as usize];
        let run_id = result.run_id.clone();
        let Some(share) = self.share(variant, &case.inputs).await? else {
            result.status = CellStatus::OverBudget;
            result.error = Some(
                "The remaining budget of the experiment was too small for this run.".to_owned(),
            );
            self.put(number, result)?;
            return Ok(None);
        };
        self.put(number, result)?;
        let begin = match &self.content.fork {
            None => Begin::Start(variant, case.inputs.clone()),
            Some(fork) => match fork.runs.get(&number) {
                Some(parent) => Begin::Fork(fork, parent),
                None => {
                    self.pool.settle(share, Amount::default());
                    result.status = CellStatus::Failed;
                    result.error =
                        Some("There is no completed run of this case to fork.".to_owned());
                    self.put(number, result)?;
                    return Ok(None);
                }
            },
        };
        match self.run(&run_id, begin, share.limits).await? {
            Went::Left => {
                self.settle_left(&run_id, share, before)?;
                Ok(None)
            }
            Went::Refused(error) => {
                self.pool.settle(share, Amount::default());
                if error.code == Code::NotApproved || error.code == Code::Busy {
                    return Err(error);
                }
                result.status = CellStatus::Failed;
                result.error = Some(error.message);
                self.put(number, result)?;
                Ok(None)
            }
            Went::Ended(state) => {
                let used = self.spent_by(&run_id, &state);
                self.pool.settle(share, used.less(before));
                Ok(Some(state))
            }
        }
    }

    /// Returns the stored state of a run, or `None` if the journal does not contain the run.
    ///
    /// # Errors
    /// Returns the journal's error if the run's records cannot be read.
    pub(super) fn stand(&self, run_id: &str, own: Limits) -> Result<Option<Stand>, ApiError> {
        match run_now(&*self.experiments.env().journal(), run_id) {
            Ok((header, state)) => Ok(Some(Stand {
                used: used_of(&state, &own_usage(&header, &state)),
                is_done: state.status.is_over() && !self.is_out_of_room(&state, own),
                state,
            })),
            Err(JournalError::NoRun(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns whether a run was stopped because its share of the experiment's budget was used up, and not because of its
    /// flow's own budget. Such a run can continue with a larger share.
    pub(super) fn is_out_of_room(&self, state: &RunState, own: Limits) -> bool {
        let limits = state.budget.unwrap_or_default().limits;
        state.over_budget && self.pool.is_limited() && is_tighter(limits, own)
    }

    /// Scores the output and each iteration. Returns `false` if the experiment was stopped in the meantime.
    async fn score(
        self: &Arc<Self>,
        result: &mut CellResult,
        case: &Case,
        found: &Collected,
    ) -> Result<bool, ApiError> {
        if found.status == RunStatus::Completed {
            let seen = Seen::of(
                case,
                found.output.clone(),
                found.output.clone(),
                run_facts(
                    result.iteration_count,
                    result.exit_reason.as_deref(),
                    found.spent,
                    found.duration_ms,
                ),
            );
            let Some(scores) = self.scores(&seen).await? else {
                return Ok(false);
            };
            result.scores = scores;
        }
        let last = found.iterations.len();
        for (index, iteration) in found.iterations.iter().enumerate() {
            let count = u32::try_from(index + 1).unwrap_or(u32::MAX);
            // With a cap of `count` iterations, the run would have ended here, at the cap. The last iteration has the run's
            // actual exit reason.
            let reason = match index + 1 == last {
                true => result.exit_reason.as_deref(),
                false => Some("max_iterations"),
            };
            let scores = if iteration.would_fail {
                let why =
                    "The loop would fail here, because it is set to fail when it reaches its cap.";
                self.scorers.iter().map(|_| unscored(why)).collect()
            } else {
                let facts = run_facts(Some(count), reason, iteration.spent, iteration.elapsed_ms);
                let value = (*iteration.result).clone();
                let seen = Seen::of(case, value.clone(), value, facts);
                match self.scores(&seen).await? {
                    Some(scores) => scores,
                    None => return Ok(false),
                }
            };
            result.iterations.push(IterationResult {
                scores,
                spent: iteration.spent,
                elapsed_ms: iteration.elapsed_ms,
                similarity: iteration.similarity,
                loop_score: iteration.score,
                reached_exit: iteration.reached_exit,
            });
        }
        Ok(true)
    }

    async fn scores(self: &Arc<Self>, seen: &Seen) -> Result<Option<Vec<Score>>, ApiError> {
        let mut scores = Vec::with_capacity(self.scorers.len());
        for (index, scorer) in self.scorers.iter().enumerate() {
            let score = match scorer.score(seen) {
                Some(score) => score,
                None => match scorer {
                    Compiled::Judge => {
                        match self.judge(index, self.judge_inputs(index, seen)?).await? {
                            Some(score) => score,
                            None => return Ok(None),
                        }
                    }
                    Compiled::Human => unscored("Nobody has rated the result yet."),
                    _ => unscored("The result will be scored when the baseline has a result."),
                },
            };
            scores.push(score);
        }
        Ok(Some(scores))
    }

    /// Reserves a share of the experiment's budget for a run. Returns `None` if the budget is exhausted. Fails if the cost
    /// of the run cannot be estimated.
    pub(super) async fn share(
        &self,
        flow: &Runnable,
        inputs: &Map<String, Value>,
    ) -> Result<Option<Share>, ApiError> {
        let most = match self.pool.is_limited() {
            false => Most {
                microusd: None,
                tokens: None,
            },
            true => {
                let estimate = flow.most(self.experiments.env(), inputs)?;
                Most {
                    microusd: estimate.max_usd.map(|usd| (usd * 1e6).ceil() as u64),
                    tokens: estimate.max_tokens.map(u64::from),
                }
            }
        };
        tokio::select! {
            share = self.pool.take(most) => Ok(share),
            // The experiment was stopped while the run waited for a share. The run is suspended before it starts, so an empty
            // share is enough.
            () = self.cancel.cancelled() => Ok(Some(self.pool.keep(Limits::default()))),
        }
    }

    /// Settles the share of a suspended run: records what the run has spent, and releases the rest.
    ///
    /// # Errors
    /// Returns the journal's error if the run's records cannot be read.
    pub(super) fn settle_left(
        &self,
        run_id: &str,
        share: Share,
        before: Amount,
    ) -> Result<(), ApiError> {
        let used = match run_now(&*self.experiments.env().journal(), run_id) {
            Ok((header, state)) => used_of(&state, &own_usage(&header, &state)),
            Err(JournalError::NoRun(_)) => Amount::default(),
            Err(error) => return Err(error.into()),
        };
        self.pool.settle(share, used.less(before));
        Ok(())
    }

    /// Returns what a run itself has spent. The part that a fork keeps from its parent does not count.
    fn spent_by(&self, run_id: &str, state: &RunState) -> Amount {
        if self.content.fork.is_none() {
            return used_of(state, &state.usage);
        }
        match run_now(&*self.experiments.env().journal(), run_id) {
            Ok((header, state)) => used_of(&state, &own_usage(&header, &state)),
            Err(_) => used_of(state, &state.usage),
        }
    }

    /// Starts a run, or resumes it if it has already started, and waits until it ends or is suspended. Fails if the records of
    /// the run cannot be read.
    pub(super) async fn run(
        self: &Arc<Self>,
        run_id: &str,
        begin: Begin<'_>,
        limits: Limits,
    ) -> Result<Went, ApiError> {
        if self.cancel.is_cancelled() {
            return Ok(Went::Left);
        }
        let allow = self.content.allowed.clone();
        let own = match &begin {
            Begin::Start(flow, _) => own_limits(&flow.document),
            Begin::Fork(..) => Limits::default(),
        };
        let started = match run_now(&*self.experiments.env().journal(), run_id) {
            Ok((_, state)) if state.status.is_over() && !self.is_out_of_room(&state, own) => {
                return Ok(Went::Ended(state));
            }
            Ok((_, state)) => resume_run(
                self.experiments.env(),
                ResumeOptions {
                    run_id: run_id.to_owned(),
                    answer: None,
                    budget: budget_to_resume(&state, limits, own),
                    approve: self.approve,
                    events: Arc::new(|_| {}),
                },
            ),
            Err(JournalError::NoRun(_)) => match begin {
                Begin::Start(flow, inputs) => {
                    let options = StartOptions {
                        allow,
                        approve: self.approve,
                        events: Arc::new(|_| {}),
                    };
                    let budget = NewBudget::from(within(limits, own));
                    let prepared = flow.run(self.experiments.env(), inputs, budget);
                    prepared.and_then(|prepared| {
                        start_prepared_as(
                            self.experiments.env(),
                            run_id.to_owned(),
                            prepared,
                            options,
                        )
                    })
                }
                Begin::Fork(fork, parent) => {
                    let edits = fork.edits.iter().map(|(node, field, value)| FieldEdit {
                        node: node.clone(),
                        field: field.clone(),
                        value: value.clone(),
                    });
                    let options = ForkOptions {
                        run_id: parent.to_owned(),
                        at: fork.at.clone(),
                        document: None,
                        edits: edits.collect(),
                        value: None,
                        // A fork's budget includes the cost of the part that it keeps. The experiment does not pay for that
                        // part.
                        budget_usd: limits
                            .microusd
                            .map(|limit| (limit + self.kept_cost(parent)) as f64 / 1e6),
                        pins: None,
                        until: None,
                        approve: self.approve,
                        events: Arc::new(|_| {}),
                    };
                    fork_run_as(self.experiments.env(), run_id.to_owned(), options, allow)
                }
            },
            Err(error) => return Err(error.into()),
        };
        match started {
            Ok(started) => self.follow(run_id, started).await,
            Err(error) => Ok(Went::Refused(error)),
        }
    }

    /// Returns the cost of the part of the parent run that a fork keeps, in micro-dollars.
    fn kept_cost(&self, parent: &str) -> u64 {
        let place = self.content.fork.as_ref().map(|fork| fork.at.as_str());
        place
            .and_then(|place| fork_place(self.experiments.env(), parent, place).ok())
            .and_then(|place| place.kept.cost_usd)
            .map_or(0, |usd| (usd * 1e6) as u64)
    }

    async fn follow(&self, run_id: &str, mut started: Started) -> Result<Went, ApiError> {
        let outcome = tokio::select! {
            outcome = &mut started.finished => outcome,
            () = self.cancel.cancelled() => {
                // Running calls finish, so that none is paid for twice, and no new calls start. The request to pause fails if
                // the run has just ended.
                let _ = pause_run(self.experiments.env(), run_id);
                let _ = (&mut started.finished).await;
                // The run may have ended before the pause took effect.
                let (_, state) = self.experiments.env().journal().run(run_id)?;
                return Ok(match state.status.is_over() {
                    true => Went::Ended(state),
                    false => Went::Left,
                });
            }
        };
        let outcome = outcome.map_err(|error| {
            ApiError::new(
                Code::Internal,
                format!("The run stopped unexpectedly: {error}"),
            )
        })??;
        if outcome.status.is_over() {
            return Ok(Went::Ended(outcome.state));
        }
        // Nobody can answer, so the run would wait forever.
        let asked = waiting(self.experiments.env(), run_id)?
            .into_iter()
            .next()
            .map_or_else(String::new, |(path, question)| {
                format!(" {path}: {question}")
            });
        stop_run(self.experiments.env(), run_id)?;
        if matches!(self.experiments.env().leader(), Leader::Workers(_)) {
            let stopped = follow_run(self.experiments.env(), run_id, u64::MAX, Arc::new(|_| {}))?;
            let _ = stopped.finished.await;
        }
        let (_, state) = self.experiments.env().journal().run(run_id)?;
        Ok(Went::Ended(RunState {
            error: Some(loopwright_engine::journal::RunFailure {
                code: "waiting".to_owned(),
                node: None,
                message: format!(
                    "The run is waiting for a person, but nobody can answer during an evaluation.{asked} Decide beforehand with --approve all or --approve none."
                ),
            }),
            ..state
        }))
    }

    /// Stores a result.
    ///
    /// # Errors
    /// Returns the store's error if the result cannot be written.
    pub(super) fn put(&self, number: u64, result: &CellResult) -> Result<(), ApiError> {
        Ok(self.store.put_cell(&self.id, &row_of(number, result))?)
    }
}

fn run_facts(
    iterations: Option<u32>,
    reason: Option<&str>,
    spent: Spent,
    duration_ms: u64,
) -> Value {
    json!({
        "iterations": iterations,
        "exitReason": reason,
        "costUsd": spent.usd(),
        "durationMs": duration_ms,
    })
}

pub(super) fn reason_of(reason: loopwright_engine::ExitReason) -> String {
    match serde_json::to_value(reason) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
