//! The driver: performs what the core asks for, on tokio. Only here does a run meet the clock, the journal and the world.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures::{
    StreamExt as _,
    future::{BoxFuture, FutureExt as _},
    stream::FuturesUnordered,
};
use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{
    event::{Event, EventBody, RunStatus, project, timestamp},
    host::{Services, TokenSink},
    journal::{Entry, Journal, JournalError, Record, RunFailure, RunState},
    kind::{NodeContext, Step},
    outcome::{NodeError, Outcome, Usage},
    plan::{Plan, Work},
    run::{Effect, Input, Run, Ticket},
};

/// How many records are gathered before they are written, where nothing forces it earlier.
const BATCH: usize = 64;

/// Milliseconds since the Unix epoch. Passed in, so that a run can be simulated.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Receives events as they happen. Called in order, from the driver's task; must not block.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a run needs of its host.
#[derive(Clone)]
pub struct Host {
    pub services: Services,
    pub journal: Arc<dyn Journal>,
    pub clock: Clock,
    pub events: EventSink,
    /// Ends the run as `cancelled`.
    pub cancel: CancellationToken,
    /// Tools whose use must be approved may be used.
    pub approve_tools: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub status: RunStatus,
    pub state: RunState,
}

/// Runs `plan` to its end. The run must have been created in the journal. An error means that the journal failed: the run
/// stops at once, and nothing that was not written has been acted on.
pub async fn drive(
    plan: Arc<Plan>,
    run_id: &str,
    inputs: Map<String, Value>,
    host: &Host,
) -> Result<Finished, JournalError> {
    let timeout = plan
        .settings
        .timeout
        .as_deref()
        .and_then(|text| crate::duration::millis(text).ok());
    let mut driver = Driver {
        run: Run::new(Arc::clone(&plan), inputs),
        plan,
        run_id: run_id.to_owned(),
        host,
        seq: 0,
        batch: Vec::new(),
        under_way: FuturesUnordered::new(),
        cancels: HashMap::new(),
        first_loop: None,
        state: RunState {
            status: RunStatus::Running,
            duration_ms: None,
            usage: Usage::default(),
            warnings: Vec::new(),
            iterations: None,
            exit_reason: None,
            error: None,
            outputs: None,
        },
    };
    driver.drive(timeout).await
}

/// What an effect under way answers with.
enum Answer {
    Visited(Ticket, Result<Outcome, NodeError>),
    Rang(Ticket),
    Gone,
}

struct Driver<'a> {
    run: Run,
    plan: Arc<Plan>,
    run_id: String,
    host: &'a Host,
    seq: u64,
    batch: Vec<Record>,
    under_way: FuturesUnordered<BoxFuture<'static, Answer>>,
    cancels: HashMap<Ticket, CancellationToken>,
    /// Path of the first loop, whose count and exit the history shows.
    first_loop: Option<String>,
    state: RunState,
}

impl Driver<'_> {
    async fn drive(&mut self, timeout: Option<u64>) -> Result<Finished, JournalError> {
        self.feed(Input::Start)?;
        let deadline = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(Duration::from_millis(timeout)).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(deadline);
        let cancel = self.host.cancel.clone();
        let mut visits = 0_u32;
        while self.run.status().is_none() {
            if self.under_way.is_empty() {
                // Cannot happen: a run that waits for nothing is finished. Said, rather than hanging.
                return Err(JournalError::Write(
                    "the run has nothing left to wait for".to_owned(),
                ));
            }
            let input = tokio::select! {
                biased;
                () = cancel.cancelled() => Input::Cancel,
                () = &mut deadline => Input::Deadline,
                answer = self.under_way.next() => match answer {
                    Some(Answer::Visited(ticket, result)) => {
                        self.cancels.remove(&ticket);
                        Input::Visited { ticket, result }
                    }
                    Some(Answer::Rang(ticket)) => {
                        self.cancels.remove(&ticket);
                        Input::Rang { ticket }
                    }
                    Some(Answer::Gone) | None => continue,
                },
            };
            self.feed(input)?;
            // Long runs of pure nodes must leave room for the cancellation to be heard.
            visits += 1;
            if visits.is_multiple_of(64) {
                tokio::task::yield_now().await;
            }
        }
        self.flush()?;
        let status = self.run.status().unwrap_or(RunStatus::Failed);
        self.state.status = status;
        self.host.journal.set_state(&self.run_id, &self.state)?;
        Ok(Finished {
            status,
            state: self.state.clone(),
        })
    }

    /// Feeds the core, and pure nodes' answers with it, until everything waits for the outside.
    fn feed(&mut self, first: Input) -> Result<(), JournalError> {
        let mut effects = Vec::new();
        let mut answers = std::collections::VecDeque::from([first]);
        let mut turns = 0_u32;
        while let Some(input) = answers.pop_front() {
            self.run.step((self.host.clock)(), input, &mut effects);
            for effect in effects.drain(..) {
                match effect {
                    Effect::Record { path, node, entry } => self.record(path, node, entry)?,
                    Effect::Visit {
                        ticket,
                        node,
                        path,
                        input,
                    } => {
                        let Some(step) = self.visit(ticket, node, path, input)? else {
                            continue;
                        };
                        answers.push_back(step);
                    }
                    Effect::Timer { ticket, after_ms } => {
                        let token = CancellationToken::new();
                        self.cancels.insert(ticket, token.clone());
                        self.under_way.push(
                            async move {
                                tokio::select! {
                                    () = token.cancelled() => Answer::Gone,
                                    () = tokio::time::sleep(Duration::from_millis(after_ms)) => Answer::Rang(ticket),
                                }
                            }
                            .boxed(),
                        );
                    }
                    Effect::Cancel { ticket } => {
                        if let Some(token) = self.cancels.remove(&ticket) {
                            token.cancel();
                        }
                    }
                    Effect::Finished { .. } => {}
                }
            }
            turns += 1;
            if turns.is_multiple_of(256)
                && self.host.cancel.is_cancelled()
                && self.run.status().is_none()
            {
                answers.clear();
                answers.push_back(Input::Cancel);
            }
        }
        self.flush()
    }

    /// Starts a visit; a pure node's answer comes back at once.
    fn visit(
        &mut self,
        ticket: Ticket,
        node: NodeIx,
        path: String,
        input: crate::kind::NodeInput,
    ) -> Result<Option<Input>, JournalError> {
        let plan = Arc::clone(&self.plan);
        let planned = &plan.nodes[node];
        let execute = match &planned.work {
            Work::Execute(execute) => execute,
            Work::End {
                combine: Some(combine),
                ..
            } => combine,
            _ => {
                let error = NodeError::new(
                    "not_executable",
                    format!("“{}” cannot be visited.", planned.title),
                );
                return Ok(Some(Input::Visited {
                    ticket,
                    result: Err(error),
                }));
            }
        };
        if planned.effect != loopwright_model::EffectClass::Pure {
            // The intent is on disk before the world is touched.
            self.flush()?;
        }
        let cancel = CancellationToken::new();
        let context = NodeContext {
            path: path.clone(),
            services: self.host.services.clone(),
            tokens: self.tokens(node, path),
            cancel: cancel.clone(),
            approve_tools: self.host.approve_tools,
        };
        match execute.run(input, &context) {
            Step::Done(result) => Ok(Some(Input::Visited { ticket, result })),
            Step::Pending(future) => {
                self.cancels.insert(ticket, cancel.clone());
                self.under_way.push(
                    async move {
                        tokio::select! {
                            biased;
                            () = cancel.cancelled() => Answer::Gone,
                            result = future => Answer::Visited(ticket, result),
                        }
                    }
                    .boxed(),
                );
                Ok(None)
            }
        }
    }

    fn tokens(&self, node: NodeIx, path: String) -> TokenSink {
        let events = Arc::clone(&self.host.events);
        let clock = Arc::clone(&self.host.clock);
        let run_id = self.run_id.clone();
        let node_id = self.plan.nodes[node].id.to_string();
        let seq = u32::try_from(self.seq).unwrap_or(u32::MAX);
        TokenSink::new(move |tokens| {
            events(&Event {
                run_id: run_id.clone(),
                seq,
                at: timestamp(clock()),
                node_id: Some(node_id.clone()),
                path: path.clone(),
                body: EventBody::NodeStreaming {
                    tokens: tokens.to_owned(),
                },
            });
        })
    }

    /// Numbers a record and keeps it for the next write. It is published once it is written.
    fn record(
        &mut self,
        path: String,
        node: Option<NodeIx>,
        entry: Entry,
    ) -> Result<(), JournalError> {
        self.follow(&path, &entry);
        let record = Record {
            seq: self.seq,
            at: (self.host.clock)(),
            path,
            node_id: node.map(|node| self.plan.nodes[node].id.to_string()),
            entry,
        };
        self.seq += 1;
        self.batch.push(record);
        if self.batch.len() >= BATCH {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what was gathered, then publishes it.
    fn flush(&mut self) -> Result<(), JournalError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.host.journal.append(&self.run_id, &self.batch)?;
        for record in self.batch.drain(..) {
            if let Some(event) = project(&self.run_id, &record) {
                (self.host.events)(&event);
            }
        }
        Ok(())
    }

    /// Keeps the run's row up to date.
    fn follow(&mut self, path: &str, entry: &Entry) {
        match entry {
            Entry::IterationStarted { .. } if self.first_loop.is_none() => {
                self.first_loop = Some(path.to_owned());
            }
            Entry::NodeCompleted {
                scope: Some(scope), ..
            }
            | Entry::NodeFailed {
                scope: Some(scope), ..
            } if self.first_loop.as_deref().is_none_or(|first| first == path) => {
                self.state.iterations = Some(scope.iterations);
                self.state.exit_reason = Some(scope.exit_reason);
            }
            Entry::RunCompleted {
                outputs,
                duration_ms,
                usage,
                warnings,
            } => {
                self.state.outputs = Some(outputs.clone());
                self.state.duration_ms = Some(*duration_ms);
                self.state.usage = *usage;
                self.state.warnings.clone_from(warnings);
            }
            Entry::RunFailed {
                error,
                duration_ms,
                usage,
                warnings,
                ..
            } => {
                self.state.error = Some(RunFailure {
                    code: error.code.clone(),
                    node: None,
                    message: error.message.clone(),
                });
                self.state.duration_ms = Some(*duration_ms);
                self.state.usage = *usage;
                self.state.warnings.clone_from(warnings);
            }
            _ => {}
        }
    }
}
