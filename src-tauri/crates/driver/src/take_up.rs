//! Taking a run up again: it is rebuilt from its journal, then what was open goes on, is asked about, or is left off.

use std::{collections::VecDeque, sync::Arc};

use loopwright_model::{EffectClass, graph::NodeIx};
use serde_json::{Map, Value};

use crate::{Attempts, Driver, Finished, Host, drive_with, run_timeout};
use loopwright_engine::{
    budget::Limits,
    event::{RunStatus, Warning},
    journal::{self, JournalError, Record, Select, standing},
    kind::{Answer, Approve},
    outcome::NodeError,
    plan::WhenInterrupted,
    run::{
        Effect, Input, Plans, Ticket,
        recover::{OpenVisit, Recovered, recover},
    },
    trust::Note,
};

/// Why a run could not be taken up.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Refused(#[from] NodeError),
}

/// Takes a run up again where its journal ends: no recorded outcome is asked for again. `answer` is for the visit at
/// that path, which waits for it.
///
/// # Errors
/// `journal_diverged` when the flow no longer gives what is written; `not_waiting` when nothing at the answer's path waits.
pub async fn resume(
    plans: impl Into<Plans>,
    run_id: &str,
    inputs: Map<String, Value>,
    answer: Option<(String, Answer)>,
    host: &Host,
) -> Result<Finished, ResumeError> {
    let how = Resumption {
        answer,
        ..Resumption::default()
    };
    resume_with(plans, run_id, inputs, how, host).await
}

/// What a run is taken up with.
#[derive(Debug, Default)]
pub struct Resumption {
    /// For the visit at this path, which waits for it.
    pub answer: Option<(String, Answer)>,
    /// Another budget. A run that was stopped at its own goes on where it stood.
    pub budget: Option<Limits>,
    /// What was approved for the run since it last went on.
    pub notes: Vec<Note>,
}

/// As [`resume`], with what a person says to it.
///
/// # Errors
/// As [`resume`].
pub async fn resume_with(
    plans: impl Into<Plans>,
    run_id: &str,
    inputs: Map<String, Value>,
    how: Resumption,
    host: &Host,
) -> Result<Finished, ResumeError> {
    let Resumption {
        answer,
        budget,
        notes,
    } = how;
    let plans = plans.into();
    let records = host.journal.read(run_id, Select::All)?;
    let plan = Arc::clone(plans.last());
    if records.is_empty() && answer.is_none() && budget.is_none() {
        // It was lost before it wrote anything, and begins now.
        return Ok(drive_with(plan, run_id, inputs, notes, host).await?);
    }
    let timeout = run_timeout(&plan);
    let mut driver = Driver::new(plan, run_id, Map::new(), host);
    let recovered = recover(&plans, inputs, &records, budget.is_some())?;
    driver.notes = notes;
    let left = driver.take_up(&records, recovered, answer, budget, timeout)?;
    drop(records);
    Ok(driver.drive(left).await?)
}

/// Ends a run that rests in the journal as one that was stopped: the core is told so where the journal ends, and what it says
/// is written. Nothing is started.
///
/// # Errors
/// `journal_diverged` when the flow no longer gives what is written.
pub fn end(
    plans: &Plans,
    run_id: &str,
    inputs: Map<String, Value>,
    host: &Host,
) -> Result<Finished, ResumeError> {
    let records = host.journal.read(run_id, Select::All)?;
    let mut driver = Driver::new(Arc::clone(plans.last()), run_id, inputs.clone(), host);
    if records.is_empty() {
        // It was lost before it wrote anything.
        driver.tell(Input::Start)?;
    } else {
        let recovered = recover(plans, inputs, &records, false)?;
        driver.stand_at(&records, recovered.standing(), false);
        driver.run = recovered.run;
        driver.run.set_stood_still(driver.stood_still);
        if driver.run.status().is_none() {
            driver.record(String::new(), None, journal::Input::RunResumed)?;
        }
        for (path, node, entry) in recovered.unwritten {
            driver.record(path, node, entry)?;
        }
    }
    if driver.run.status().is_none() {
        driver.tell(Input::Cancel)?;
    }
    driver.flush()?;
    Ok(driver.close(driver.run.status().unwrap_or(RunStatus::Cancelled))?)
}

impl Driver<'_> {
    /// Feeds the core an input and writes what it says; what it asks to be done is left undone.
    fn tell(&mut self, input: Input) -> Result<(), JournalError> {
        self.look_at_the_clock();
        let mut effects = Vec::new();
        self.run.step(self.now, input, &mut effects);
        for effect in effects {
            if let Effect::Record { path, node, entry } = effect {
                self.record(path, node, entry)?;
            }
        }
        Ok(())
    }

    /// Stands where the journal ends: the run's row, the number of the next record and the run's own time.
    fn stand_at(
        &mut self,
        records: &[Record],
        (stood_still, last_at): (i64, i64),
        takes_back: bool,
    ) {
        for record in standing(records, takes_back) {
            self.state.apply(record);
        }
        self.seq = records
            .last()
            .map_or(0, |record| record.seq.saturating_add(1));
        let wall = (self.host.clock)();
        self.stood_still = stood_still.saturating_add(wall.saturating_sub(last_at).max(0));
        self.now = wall.saturating_sub(self.stood_still);
    }

    /// Rebuilds the run from its records and starts what was open. Gives what is left of the run's `timeout`, in milliseconds;
    /// where nothing is, nothing is started.
    fn take_up(
        &mut self,
        records: &[Record],
        recovered: Recovered,
        answer: Option<(String, Answer)>,
        budget: Option<Limits>,
        timeout: Option<u64>,
    ) -> Result<Option<u64>, ResumeError> {
        if let Some((path, _)) = &answer {
            let waiting = recovered.visits.iter().filter(|visit| visit.waits());
            let waiting: Vec<_> = waiting.map(|visit| visit.path.as_str()).collect();
            if !waiting.contains(&path.as_str()) {
                return Err(not_waiting(path, &waiting).into());
            }
        }
        self.stand_at(records, recovered.standing(), budget.is_some());
        self.run = recovered.run;
        self.next_call = recovered.next_call;
        self.state.status = RunStatus::Running;
        self.run.set_stood_still(self.stood_still);
        let started = records.first().map_or(self.now, |record| record.at);
        let spent = u64::try_from(self.now.saturating_sub(started)).unwrap_or(0);
        let left = timeout.map(|timeout| timeout.saturating_sub(spent));
        if self.run.status().is_some() && recovered.unwritten.is_empty() {
            // Only its row was not brought up to date any more.
            return Ok(left);
        }
        self.record(String::new(), None, journal::Input::RunResumed)?;
        let notes = std::mem::take(&mut self.notes);
        self.note(notes)?;
        for (path, node, entry) in recovered.unwritten {
            self.record(path, node, entry)?;
        }
        if left == Some(0) {
            self.feed(Input::Deadline)?;
            return Ok(left);
        }
        let mut answer = answer;
        let mut answers: VecDeque<Input> = budget.map(Input::Budget).into_iter().collect();
        if self.run.is_paused() {
            answers.push_back(Input::Continue);
        }
        for visit in recovered.visits {
            let given = match &answer {
                Some((path, _)) if *path == visit.path && visit.waits() => {
                    answer.take().map(|(_, answer)| answer)
                }
                _ => None,
            };
            if let Some(input) = self.reopen(visit, given)? {
                answers.push_back(input);
            }
        }
        for timer in recovered.timers {
            self.timer(timer.ticket, timer.left_ms, timer.limit);
        }
        while let Some(input) = answers.pop_front() {
            self.feed(input)?;
        }
        self.host.journal.set_state(&self.run_id, &self.state)?;
        self.flush()?;
        Ok(left)
    }

    /// Goes on with a visit that a crash or a question left open.
    fn reopen(
        &mut self,
        visit: OpenVisit,
        given: Option<Answer>,
    ) -> Result<Option<Input>, JournalError> {
        let plan = Arc::clone(&self.plan);
        let planned = &plan.nodes[visit.node];
        let begun = visit.begun && !visit.is_unspent();
        let OpenVisit {
            ticket,
            node,
            path,
            input,
            asked,
            answer,
            cut_off,
            failed,
            spent,
            ..
        } = visit;
        if planned.retry.is_some() && failed > 0 {
            let attempts = Attempts {
                node,
                path: path.clone(),
                input: input.clone(),
                answer: given.clone().or_else(|| answer.clone()),
                failed,
                spent,
            };
            self.attempts.insert(ticket, attempts);
        }
        let asked_by_us = cut_off
            && planned.effect != EffectClass::Pure
            && planned.when_interrupted == WhenInterrupted::Ask;
        let not_again = |answer: &Answer| asked_by_us && !answer.approved;
        if let Some(given) = given {
            self.record(
                path.clone(),
                Some(node),
                journal::Input::NodeAnswered {
                    answer: given.clone(),
                },
            )?;
            if not_again(&given) {
                return Ok(Some(self.left_off(ticket, node)));
            }
            return self.visit(ticket, node, path, input, Some(given));
        }
        if asked && answer.is_none() {
            // It goes on waiting.
            return Ok(None);
        }
        if answer.as_ref().is_some_and(not_again) {
            return Ok(Some(self.left_off(ticket, node)));
        }
        if planned.effect == EffectClass::Pure || !begun {
            return self.visit(ticket, node, path, input, answer);
        }
        let then = match (planned.when_interrupted, self.host.approve) {
            (WhenInterrupted::Ask, Approve::All) => WhenInterrupted::Repeat,
            (WhenInterrupted::Ask, Approve::None) => WhenInterrupted::Fail,
            (then, _) => then,
        };
        match then {
            WhenInterrupted::Repeat => {
                self.warn(
                    node,
                    "call_repeated",
                    format!(
                        "\"{}\" was cut off in the middle of a call ({path}); the call was made again.",
                        planned.title
                    ),
                )?;
                self.visit(ticket, node, path, input, answer)
            }
            WhenInterrupted::Ask => Ok(Some(Input::Waits {
                ticket,
                message: format!(
                    "\"{}\" was cut off in the middle of a call that may have changed something. Make it again?",
                    planned.title
                ),
                value: input.input.clone().unwrap_or_default(),
            })),
            WhenInterrupted::Fail => Ok(Some(self.left_off(ticket, node))),
        }
    }

    /// The end of a visit that was cut off and is not made again.
    fn left_off(&self, ticket: Ticket, node: NodeIx) -> Input {
        Input::Visited {
            ticket,
            result: Err(NodeError::new(
                "interrupted",
                format!(
                    "\"{}\" was cut off in the middle of a call, which was not made again.",
                    self.plan.nodes[node].title
                ),
            )),
        }
    }

    /// A warning of the driver's own. It is written down, so that a run taken up once more still has it.
    pub(crate) fn warn(
        &mut self,
        node: NodeIx,
        code: &str,
        message: String,
    ) -> Result<(), JournalError> {
        let warning = Warning {
            code: code.to_owned(),
            node: Some(self.plan.nodes[node].place.to_string()),
            message,
        };
        if self.run.add_warning(warning.clone()) {
            let path = self.plan.nodes[node].place.to_string();
            self.record(path, Some(node), journal::Input::HostWarned { warning })?;
        }
        Ok(())
    }
}

/// Nothing at `path` waits for an answer; what does.
fn not_waiting(path: &str, waiting: &[&str]) -> NodeError {
    let remedy = if waiting.is_empty() {
        "Nothing in this run does; `runs resume` goes on with it.".to_owned()
    } else {
        format!("Waiting: `{}`.", waiting.join("`, `"))
    };
    NodeError::new(
        "not_waiting",
        format!("Nothing at `{path}` waits for an answer. {remedy}"),
    )
}
