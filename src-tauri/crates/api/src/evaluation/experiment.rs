//! Makes the runs of an experiment and scores what they give. It can end at any time: what is recorded is not made again.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use futures::{StreamExt as _, stream::FuturesUnordered};
use loopwright_engine::{
    Approve, CancellationToken, RunStatus, Usage,
    budget::Limits,
    journal::{Journal, JournalError, RunHeader, RunState, Select},
    plan::Focus,
};
use loopwright_evaluation::{
    file::Scoring,
    result::{Case, Cell, CellResult, CellStatus, IterationResult, Score, Spent},
};
use loopwright_journal::{CellRow, ExperimentStore};
use loopwright_model::file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

use super::{
    budget::{Amount, BudgetPool, Most, Share},
    collect::{Collected, LoopShape, collect, spent},
    content::{Content, ForkOf, StoredVariant},
    dto::ExperimentStatus,
    judge,
    progress::Progress,
    scoring::{Compiled, Seen, of_value, unscored},
    stopping::Stopping,
};
use crate::{
    app::App,
    document_edits::{FieldEdit, keep_budget},
    error::{ApiError, Code},
    forking::ForkOptions,
    resuming::{NewBudget, ResumeOptions},
    running::{RunOptions, Started},
};

/// An experiment that goes on.
pub(super) struct Experiment {
    pub(super) app: Arc<App>,
    pub(super) id: String,
    pub(super) store: Arc<ExperimentStore>,
    pub(super) content: Content,
    pub(super) cases: Vec<Case>,
    pub(super) shapes: Vec<Option<LoopShape>>,
    pub(super) scorers: Vec<Compiled>,
    pub(super) pool: BudgetPool,
    pub(super) approve: Approve,
    pub(super) cancel: CancellationToken,
    pub(super) progress: Progress,
    judged: Mutex<HashMap<String, Arc<OnceCell<Score>>>>,
}

/// What is noted of a judge's run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Judgement {
    pub(super) run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<Score>,
    #[serde(default)]
    pub(super) spent: Spent,
}

/// Names of notes begin with these.
pub(super) const JUDGED: &str = "judge:";
/// Runs that were replaced by others, with what they had spent.
pub(super) const REPLACED: &str = "replaced:";
/// The budget that an experiment was given later, in dollars.
pub(super) const BUDGET: &str = "budget";
/// Why a result has no score by a judge that the budget has no room for.
const NO_ROOM: &str = "The budget of the experiment had no room for the judge.";

/// How a run begins.
enum Begin<'a> {
    Start(&'a StoredVariant, Map<String, Value>),
    /// As a fork of this run.
    Fork(&'a ForkOf, &'a str),
}

/// A run that was begun by a program that ended.
struct Stand {
    state: RunState,
    /// What it has used, which was counted when the experiment was taken up.
    used: Amount,
    is_done: bool,
}

/// How a run went.
enum Went {
    Ended(RunState),
    /// The experiment was stopped: the run rests and can be resumed.
    Left,
    /// It was not made, or could not be.
    Refused(ApiError),
}

impl Experiment {
    #[expect(clippy::too_many_arguments, reason = "built in one place")]
    pub(super) fn new(
        app: Arc<App>,
        id: String,
        store: Arc<ExperimentStore>,
        content: Content,
        cases: Vec<Case>,
        pool: BudgetPool,
        approve: Approve,
        progress: Progress,
    ) -> Result<Self, ApiError> {
        let scorers = content
            .evaluation
            .scorers
            .iter()
            .map(Compiled::of)
            .collect::<Result<_, _>>()?;
        let shapes = content
            .variants
            .iter()
            .map(|variant| {
                let of = |node: &String| app.shape(variant, node);
                content
                    .evaluation
                    .per_iteration
                    .as_ref()
                    .map(of)
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            app,
            id,
            store,
            content,
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

    /// Makes the cells that are given, in their order, as many at once as the evaluation says.
    ///
    /// # Errors
    /// What stops all of it: the store, or an approval that is missing.
    pub(super) async fn make(
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
                under_way.push(self.app.runtime().spawn(task));
            }
            let Some(ended) = under_way.next().await else {
                break;
            };
            let ended = ended.map_err(|error| {
                ApiError::new(Code::Internal, format!("The experiment broke off: {error}"))
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
                    // The others come to rest first, so that nothing of them is lost.
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

    /// One run with its scores; `None` where the experiment was stopped before it ended.
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
        let run_id = begun
            .map(|begun| begun.run_id)
            .unwrap_or_else(crate::clock::new_id);
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
            // It ended before its cell did: it is scored, not made.
            Some(stand) if stand.is_done => stand.state,
            stand => {
                let before = stand.map_or_else(Amount::default, |stand| stand.used);
                match self.made(&mut result, case, before).await? {
                    Some(state) => state,
                    None if result.status == CellStatus::Running => return Ok(None),
                    None => return Ok(Some(result)),
                }
            }
        };
        let over_budget = self.is_out_of_room(&state, own);
        let status = state.status;
        let shape = self.shapes[cell.variant as usize].as_ref();
        let found = collect(&*self.app.journal(), &run_id, state, shape)?;
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
            // With a larger budget its judges go on.
            RunStatus::Completed if lacks_judge(&result) => CellStatus::OverBudget,
            RunStatus::Completed => CellStatus::Completed,
            _ if over_budget => CellStatus::OverBudget,
            _ => CellStatus::Failed,
        };
        self.put(number, &result)?;
        Ok(Some(result))
    }

    /// Makes the run of a cell. `None`: it has none, and the result says why, or the experiment was stopped and it is still running.
    async fn made(
        self: &Arc<Self>,
        result: &mut CellResult,
        case: &Case,
        before: Amount,
    ) -> Result<Option<RunState>, ApiError> {
        let number = self.content.number(result.cell);
        let variant = &self.content.variants[result.cell.variant as usize];
        let run_id = result.run_id.clone();
        let Some(share) = self.share(variant, &case.inputs).await? else {
            result.status = CellStatus::OverBudget;
            result.error =
                Some("The budget of the experiment had no room for this run.".to_owned());
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

    /// How a run stands in the journal; `None` where it is not there.
    fn stand(&self, run_id: &str, own: Limits) -> Result<Option<Stand>, ApiError> {
        match run_now(&*self.app.journal(), run_id) {
            Ok((header, state)) => Ok(Some(Stand {
                used: used_of(&state, &own_usage(&header, &state)),
                is_done: state.status.is_over() && !self.is_out_of_room(&state, own),
                state,
            })),
            Err(JournalError::NoRun(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a run was stopped at its share of the experiment's budget, not at the budget that its flow has itself. It goes on with
    /// a larger share.
    fn is_out_of_room(&self, state: &RunState, own: Limits) -> bool {
        let limits = state.budget.unwrap_or_default().limits;
        state.over_budget && self.pool.is_limited() && is_tighter(limits, own)
    }

    /// Scores the output and each iteration; `false` where the experiment was stopped meanwhile.
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
            // With a cap of `count` the run would end for the reason that it did, or at the cap.
            let reason = match index + 1 == last {
                true => result.exit_reason.as_deref(),
                false => Some("max_iterations"),
            };
            let scores = if iteration.would_fail {
                let why = "The loop would fail here: it reaches its cap and is set to fail then.";
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
                    Compiled::Human => unscored("Nobody has rated it yet."),
                    _ => unscored("It is scored once the baseline's result is there."),
                },
            };
            scores.push(score);
        }
        Ok(Some(scores))
    }

    /// What the flow of a judge takes of what there is to see.
    fn judge_inputs(&self, index: usize, seen: &Seen) -> Result<Map<String, Value>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let Some(flow) = self.content.judges.get(&scorer.name) else {
            return Ok(Map::new());
        };
        let mut given = seen.inputs();
        if matches!(scorer.how, Scoring::Flow { .. })
            && let Value::Object(row) = &seen.case
        {
            for (name, value) in row {
                given.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let parsed = file::read_value(flow.document.clone())?;
        let specs = self.app.kinds().specs();
        let mut inputs = Map::new();
        for node in &parsed.nodes {
            if specs.shape(node) != loopwright_model::Shape::Input {
                continue;
            }
            let name = node.boundary_name();
            if let Some(value) = given.get(name).filter(|value| !value.is_null()) {
                // A text input takes text alone.
                let is_text = matches!(node.text("dataType"), None | Some("text"));
                let value = match value {
                    Value::String(_) => value.clone(),
                    other if is_text => Value::String(loopwright_model::value::to_text(other)),
                    other => other.clone(),
                };
                inputs.insert(name.to_owned(), value);
            }
        }
        Ok(inputs)
    }

    /// The score by the run of a judge's flow. Equal inputs are judged once. `None`: the experiment was stopped.
    pub(super) async fn judge(
        self: &Arc<Self>,
        index: usize,
        inputs: Map<String, Value>,
    ) -> Result<Option<Score>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let key = key_of(&scorer.name, &inputs);
        let slot = Arc::clone(
            self.judged
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(key.clone())
                .or_default(),
        );
        let made = slot
            .get_or_try_init(|| async {
                match self.judge_once(index, &key, inputs).await {
                    Ok(Some(score)) => Ok(score),
                    Ok(None) => Err(None),
                    Err(error) => Err(Some(error)),
                }
            })
            .await;
        match made {
            Ok(score) => Ok(Some(score.clone())),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    async fn judge_once(
        self: &Arc<Self>,
        index: usize,
        key: &str,
        inputs: Map<String, Value>,
    ) -> Result<Option<Score>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let note = format!("{JUDGED}{key}");
        let known: Option<Judgement> = self
            .store
            .note(&self.id, &note)?
            .and_then(|text| serde_json::from_str(&text).ok());
        if let Some(score) = known.as_ref().and_then(|known| known.score.clone()) {
            return Ok(Some(score));
        }
        let Some(flow) = self.content.judges.get(&scorer.name) else {
            return Ok(Some(unscored("The scorer has no flow.")));
        };
        let own = own_limits(&flow.document);
        let stand = match &known {
            Some(known) => self.stand(&known.run_id, own)?,
            None => None,
        };
        let run_id = known.map_or_else(crate::clock::new_id, |known| known.run_id);
        let mut judgement = Judgement {
            run_id: run_id.clone(),
            score: None,
            spent: Spent::default(),
        };
        let state = match stand {
            Some(stand) if stand.is_done => stand.state,
            stand => {
                let before = stand.map_or_else(Amount::default, |stand| stand.used);
                let Some(share) = self.share(flow, &inputs).await? else {
                    return Ok(Some(unscored(NO_ROOM)));
                };
                self.put_judgement(&note, &judgement)?;
                let begin = Begin::Start(flow, inputs);
                match self.run(&run_id, begin, share.limits).await? {
                    Went::Left => {
                        self.settle_left(&run_id, share, before)?;
                        return Ok(None);
                    }
                    Went::Refused(error) => {
                        self.pool.settle(share, Amount::default());
                        if error.code == Code::NotApproved || error.code == Code::Busy {
                            return Err(error);
                        }
                        let score = unscored(error.message);
                        judgement.score = Some(score.clone());
                        self.put_judgement(&note, &judgement)?;
                        return Ok(Some(score));
                    }
                    Went::Ended(state) => {
                        let used = used_of(&state, &state.usage);
                        self.pool.settle(share, used.less(before));
                        state
                    }
                }
            }
        };
        if self.is_out_of_room(&state, own) {
            // Nothing is noted: with a larger budget it goes on.
            return Ok(Some(unscored(NO_ROOM)));
        }
        judgement.spent = spent(&state.usage);

        let score = judged(state, &scorer.how);
        judgement.score = Some(score.clone());
        self.put_judgement(&note, &judgement)?;
        Ok(Some(score))
    }

    fn put_judgement(&self, note: &str, judgement: &Judgement) -> Result<(), ApiError> {
        let text = serde_json::to_string(judgement).unwrap_or_default();
        Ok(self.store.put_note(&self.id, note, &text)?)
    }

    /// What a run may spend. `None`: there is nothing left.
    async fn share(
        &self,
        flow: &StoredVariant,
        inputs: &Map<String, Value>,
    ) -> Result<Option<Share>, ApiError> {
        let most = match self.pool.is_limited() {
            false => Most {
                microusd: None,
                tokens: None,
            },
            true => {
                let path = flow.flow_path.as_deref();
                let given = with_empty(&flow.document, inputs);
                let estimate = self.app.estimate(flow.document.clone(), path, &given)?;
                Most {
                    microusd: estimate.max_usd.map(|usd| (usd * 1e6).ceil() as u64),
                    tokens: estimate.max_tokens.map(u64::from),
                }
            }
        };
        tokio::select! {
            share = self.pool.take(most) => Ok(share),
            // What it would have is nothing: the run is left before it begins.
            () = self.cancel.cancelled() => Ok(Some(self.pool.keep(Limits::default()))),
        }
    }

    /// A run that was left keeps what it has spent.
    fn settle_left(&self, run_id: &str, share: Share, before: Amount) -> Result<(), ApiError> {
        let used = match run_now(&*self.app.journal(), run_id) {
            Ok((header, state)) => used_of(&state, &own_usage(&header, &state)),
            Err(JournalError::NoRun(_)) => Amount::default(),
            Err(error) => return Err(error.into()),
        };
        self.pool.settle(share, used.less(before));
        Ok(())
    }

    /// What a run itself has spent: a fork has not spent what it kept.
    fn spent_by(&self, run_id: &str, state: &RunState) -> Amount {
        if self.content.fork.is_none() {
            return used_of(state, &state.usage);
        }
        match run_now(&*self.app.journal(), run_id) {
            Ok((header, state)) => used_of(&state, &own_usage(&header, &state)),
            Err(_) => used_of(state, &state.usage),
        }
    }

    /// Makes a run, or goes on with it where it was begun before.
    async fn run(
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
        let started = match run_now(&*self.app.journal(), run_id) {
            Ok((_, state)) if state.status.is_over() && !self.is_out_of_room(&state, own) => {
                return Ok(Went::Ended(state));
            }
            Ok((_, state)) => self.app.resume_run(ResumeOptions {
                run_id: run_id.to_owned(),
                answer: None,
                budget: budget_to_go_on(&state, limits, own),
                approve: self.approve,
                events: Arc::new(|_| {}),
            }),
            Err(JournalError::NoRun(_)) => match begin {
                Begin::Start(flow, inputs) => {
                    let mut document = flow.document.clone();
                    let limits = within(limits, own_limits(&document));
                    keep_budget(&mut document, limits)?;
                    let options = RunOptions {
                        document,
                        flow_path: flow.flow_path.clone(),
                        inputs,
                        approve: self.approve,
                        focus: Focus::default(),
                        events: Arc::new(|_| {}),
                    };
                    self.app.start_run_as(run_id.to_owned(), options, allow)
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
                        // The kept part counts in a fork's budget, and is free here.
                        budget_usd: limits
                            .microusd
                            .map(|limit| (limit + self.kept_cost(parent)) as f64 / 1e6),
                        pins: None,
                        until: None,
                        approve: self.approve,
                        events: Arc::new(|_| {}),
                    };
                    self.app.fork_run_as(run_id.to_owned(), options, allow)
                }
            },
            Err(error) => return Err(error.into()),
        };
        match started {
            Ok(started) => self.follow(run_id, started).await,
            Err(error) => Ok(Went::Refused(error)),
        }
    }

    /// What the run that is forked had spent, of which the fork keeps some.
    fn kept_cost(&self, parent: &str) -> u64 {
        let place = self.content.fork.as_ref().map(|fork| fork.at.as_str());
        place
            .and_then(|place| self.app.fork_place(parent, place).ok())
            .and_then(|place| place.kept.cost_usd)
            .map_or(0, |usd| (usd * 1e6) as u64)
    }

    async fn follow(&self, run_id: &str, mut started: Started) -> Result<Went, ApiError> {
        let outcome = tokio::select! {
            outcome = &mut started.finished => outcome,
            () = self.cancel.cancelled() => {
                // Calls that are under way end, so that none of them is paid for twice. Nothing is started.
                // A run that has just ended cannot be paused.
                let _ = self.app.pause_run(run_id);
                let _ = (&mut started.finished).await;
                // It may just have ended.
                let (_, state) = self.app.journal().run(run_id)?;
                return Ok(match state.status.is_over() {
                    true => Went::Ended(state),
                    false => Went::Left,
                });
            }
        };
        let outcome = outcome.map_err(|error| {
            ApiError::new(Code::Internal, format!("The run broke off: {error}"))
        })??;
        if outcome.status.is_over() {
            return Ok(Went::Ended(outcome.state));
        }
        // Nobody is there to answer. It must not rest for ever.
        let asked = self
            .app
            .waiting(run_id)?
            .into_iter()
            .next()
            .map_or_else(String::new, |(path, question)| {
                format!(" {path}: {question}")
            });
        self.app.stop_run(run_id)?;
        if self.app.workers().is_some() {
            let stopped = self.app.follow_run(run_id, u64::MAX, Arc::new(|_| {}))?;
            let _ = stopped.finished.await;
        }
        let (_, state) = self.app.journal().run(run_id)?;
        Ok(Went::Ended(RunState {
            error: Some(loopwright_engine::journal::RunFailure {
                code: "waiting".to_owned(),
                node: None,
                message: format!(
                    "The run waits for a person, which an evaluation cannot do.{asked} Decide beforehand with --approve all or --approve none."
                ),
            }),
            ..state
        }))
    }

    /// Writes a result.
    pub(super) fn put(&self, number: u64, result: &CellResult) -> Result<(), ApiError> {
        Ok(self.store.put_cell(&self.id, &row_of(number, result))?)
    }

    /// Lets judges compare the results of each variant with those of the baseline, in both orders. `false`: it was stopped.
    pub(super) async fn compare_pairs(
        self: &Arc<Self>,
        baseline: u32,
        results: &mut HashMap<u64, CellResult>,
    ) -> Result<bool, ApiError> {
        let pairwise: Vec<usize> = (0..self.scorers.len())
            .filter(|&index| matches!(self.scorers[index], Compiled::Pairwise))
            .collect();
        if pairwise.is_empty() {
            return Ok(true);
        }
        let numbers: HashSet<u64> = results.keys().copied().collect();
        for number in numbers {
            let Some(of) = results.get(&number).map(|result| result.cell) else {
                continue;
            };
            let base = self.content.number(Cell {
                variant: baseline,
                ..of
            });
            for &index in &pairwise {
                let score = if of.variant == baseline {
                    super::scoring::number(0.5)
                } else {
                    match (completed(results, base), completed(results, number)) {
                        (Some(a), Some(b)) => match self.prefer(index, of, a, b).await? {
                            Some(score) => score,
                            None => return Ok(false),
                        },
                        _ => unscored("One of the two has no result."),
                    }
                };
                if let Some(result) = results.get_mut(&number)
                    && let Some(place) = result.scores.get_mut(index)
                    && *place != score
                {
                    *place = score;
                    let result = result.clone();
                    self.put(number, &result)?;
                }
            }
        }
        Ok(true)
    }

    /// 1 where `b` is better in both orders, 0 where `a` is, else 0.5.
    async fn prefer(
        self: &Arc<Self>,
        index: usize,
        cell: Cell,
        a: Value,
        b: Value,
    ) -> Result<Option<Score>, ApiError> {
        if a == b {
            return Ok(Some(Score {
                value: Some(0.5),
                is_boolean: false,
                reason: Some("The results are the same.".to_owned()),
            }));
        }
        let case = &self.cases[cell.case as usize];
        let mut sum = 0.0;
        let mut reasons = Vec::new();
        for swapped in [false, true] {
            let (first, second) = if swapped { (&b, &a) } else { (&a, &b) };
            let mut inputs = Map::new();
            inputs.insert("a".to_owned(), first.clone());
            inputs.insert("b".to_owned(), second.clone());
            if let Some(expected) = &case.expected {
                inputs.insert("expected".to_owned(), expected.clone());
            }
            inputs.insert("case".to_owned(), Value::Object(case.row.clone()));
            let Some(score) = self.judge(index, inputs).await? else {
                return Ok(None);
            };
            // 1: the second of the two as they were shown.
            let Some(value) = score.value else {
                return Ok(Some(score));
            };
            sum += if swapped { 1.0 - value } else { value };
            reasons.extend(score.reason);
        }
        Ok(Some(Score {
            value: Some(sum / 2.0),
            is_boolean: false,
            reason: Some(reasons.join(" / ")).filter(|reason| !reason.is_empty()),
        }))
    }
}

fn completed(results: &HashMap<u64, CellResult>, number: u64) -> Option<Value> {
    results
        .get(&number)
        .filter(|result| result.status == CellStatus::Completed)
        .map(|result| result.output.clone())
}

/// The score in what a judge's run gave.
fn judged(state: RunState, how: &Scoring) -> Score {
    if state.status != RunStatus::Completed {
        let why = state.error.map_or_else(
            || "The judge's run did not complete.".to_owned(),
            |error| error.message,
        );
        return unscored(why);
    }
    let outputs = match state.outputs.map(Value::from) {
        Some(Value::Object(outputs)) => outputs,
        _ => Map::new(),
    };
    let (named, is_named) = match how {
        Scoring::Flow {
            output: Some(name), ..
        } => (name.as_str(), true),
        _ => (judge::SCORE, false),
    };
    let value = match outputs.get(named) {
        Some(value) => value,
        None if outputs.len() == 1 && !is_named => outputs.values().next().unwrap_or(&Value::Null),
        None => {
            return unscored(format!("The judge's flow has no output `{named}`."));
        }
    };
    match how {
        Scoring::Check { .. } => of_value(&value["passed"]),
        Scoring::Pairwise { .. } => Score {
            value: match value["better"].as_str() {
                Some("A") => Some(0.0),
                Some("B") => Some(1.0),
                Some("tie") => Some(0.5),
                _ => None,
            },
            is_boolean: false,
            reason: value["reason"].as_str().map(str::to_owned),
        },
        Scoring::Flow { .. } => {
            let score = of_value(value);
            let reason = outputs.get("reason").and_then(Value::as_str);
            Score {
                reason: score.reason.or(reason.map(str::to_owned)),
                ..score
            }
        }
        _ => of_value(value),
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
        "costUsd": spent.micro_usd as f64 / 1e6,
        "durationMs": duration_ms,
    })
}

fn reason_of(reason: loopwright_engine::event::ExitReason) -> String {
    match serde_json::to_value(reason) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

fn key_of(scorer: &str, inputs: &Map<String, Value>) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(scorer.as_bytes());
    hash.update(&[0]);
    hash.update(loopwright_model::value::canonical_text(&Value::Object(inputs.clone())).as_bytes());
    hash.finalize().to_hex().to_string()
}

/// The row in which a result is stored.
pub(super) fn row_of(number: u64, result: &CellResult) -> CellRow {
    let mut short = result.clone();
    let iterations = std::mem::take(&mut short.iterations);
    CellRow {
        number,
        summary: serde_json::to_string(&short).unwrap_or_default(),
        detail: match iterations.is_empty() {
            true => String::new(),
            false => serde_json::to_string(&iterations).unwrap_or_default(),
        },
    }
}

/// The budget that a flow sets itself.
fn own_limits(document: &Value) -> Limits {
    let budget = &document["settings"]["budget"];
    Limits::new(budget["usd"].as_f64(), budget["tokens"].as_u64())
}

/// Inputs as an estimate takes them: what is not given and has no default is empty, not unknown.
pub(super) fn with_empty(document: &Value, inputs: &Map<String, Value>) -> Map<String, Value> {
    let mut given = inputs.clone();
    for node in document["nodes"].as_array().into_iter().flatten() {
        if node["type"] != "input" || !node["data"]["default"].is_null() {
            continue;
        }
        if let Some(name) = node["data"]["name"].as_str().or(node["id"].as_str()) {
            given.entry(name.to_owned()).or_insert(Value::Null);
        }
    }
    given
}

/// The budget with which a run goes on: what it has used and its new share together, and never more than its flow's own.
fn budget_to_go_on(state: &RunState, share: Limits, own: Limits) -> Option<NewBudget> {
    if share.is_none() {
        return None;
    }
    let stood = used_of(state, &state.usage);
    let limits = Limits {
        microusd: share
            .microusd
            .map(|share| share.saturating_add(stood.microusd)),
        tokens: share.tokens.map(|share| share.saturating_add(stood.tokens)),
    };
    let limits = within(limits, own);
    Some(NewBudget {
        usd: limits.microusd.map(|limit| limit as f64 / 1e6),
        tokens: limits.tokens,
    })
}

/// Whether limits are smaller than those of a flow itself.
fn is_tighter(limits: Limits, own: Limits) -> bool {
    let smaller = |limit: Option<u64>, own: Option<u64>| {
        limit.is_some_and(|limit| own.is_none_or(|own| limit < own))
    };
    smaller(limits.microusd, own.microusd) || smaller(limits.tokens, own.tokens)
}

/// Whether a judge of the output or of an iteration had no room in the budget.
pub(super) fn lacks_judge(result: &CellResult) -> bool {
    let of_iterations = result.iterations.iter().flat_map(|one| &one.scores);
    let mut scores = result.scores.iter().chain(of_iterations);
    scores.any(|score| score.value.is_none() && score.reason.as_deref() == Some(NO_ROOM))
}

/// A run as its records say. The row of one that was killed may lag behind them, and miss a call that was under way.
///
/// # Errors
/// What the journal says.
pub(super) fn run_now(
    journal: &dyn Journal,
    run_id: &str,
) -> Result<(RunHeader, RunState), JournalError> {
    let (header, row) = journal.run(run_id)?;
    if row.status.is_over() {
        return Ok((header, row));
    }
    let mut state = RunState::default();
    journal.read_each(run_id, Select::All, &mut |record| state.apply(&record))?;
    Ok((
        header,
        RunState {
            status: row.status,
            ..state
        },
    ))
}

/// What a run has used: `told` of the calls that ended, and in full what was reserved for those whose end nobody knows.
pub(super) fn used_of(state: &RunState, told: &Usage) -> Amount {
    let told = Amount::from(told);
    let Some(budget) = state.budget else {
        return told;
    };
    // A fork's budget counts what it kept, too.
    let kept = Amount::from(&state.usage).less(told);
    let promised = Amount {
        microusd: budget
            .spent_microusd
            .saturating_add(budget.reserved_microusd),
        tokens: budget.spent_tokens.saturating_add(budget.reserved_tokens),
    };
    told.most(promised.less(kept))
}

/// The smaller of two limits.
fn within(a: Limits, b: Limits) -> Limits {
    let least = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    Limits {
        microusd: least(a.microusd, b.microusd),
        tokens: least(a.tokens, b.tokens),
    }
}

/// What a run itself has used: a fork has not used what it kept.
pub(super) fn own_usage(header: &RunHeader, state: &RunState) -> Usage {
    let mut usage = state.usage;
    if let Some(origin) = &header.setup.origin {
        usage.calls = usage.calls.saturating_sub(origin.kept.calls);
        usage.input_tokens = usage.input_tokens.saturating_sub(origin.kept.input_tokens);
        usage.output_tokens = usage
            .output_tokens
            .saturating_sub(origin.kept.output_tokens);
        usage.cost_microusd = usage
            .cost_microusd
            .saturating_sub(origin.kept.cost_microusd);
    }
    usage
}
