//! One execution of a node, as a host runs it: in place if it computes little, otherwise as a future.

use std::sync::Arc;

use futures::future::{BoxFuture, Either, FutureExt as _, select};
use loopwright_model::{EffectClass, graph::NodeIx};

use crate::{
    compute,
    kind::{Execute, NodeContext, NodeInput, Step},
    outcome::{NodeError, Outcome, settled},
    plan::{Plan, Work},
    run::Ticket,
};

use super::ended::{Ended, EndedWork, ExecutionEnd, How};

/// A node to execute. It has no side effects until the future of [`Begun::UnderWay`] is polled.
pub struct Execution {
    pub node: NodeIx,
    /// The context that the node receives. A host may replace its receiver of streamed text.
    pub context: NodeContext,
    pub(super) ticket: Ticket,
    pub(super) attempt: u32,
    pub(super) input: NodeInput,
    pub(super) plan: Arc<Plan>,
    /// Whether the execution may change the resource around it, so that the state of the resource must be read afterwards.
    pub(super) changes_resource: bool,
}

/// An execution that has begun.
pub enum Begun {
    Ended(Ended),
    /// The execution continues in this future, which ends soon after the execution's context is cancelled.
    UnderWay(BoxFuture<'static, Ended>),
}

impl Execution {
    /// Returns whether the execution may read or change something outside the run, for example by calling a model or a tool.
    pub fn touches_the_world(&self) -> bool {
        self.plan.nodes[self.node].effect != EffectClass::Pure
    }

    /// Returns the ids of the subflows around the node and its own id, as in `polish/draft`.
    pub fn place(&self) -> &str {
        &self.plan.nodes[self.node].place
    }

    /// Returns the input of the node.
    pub fn input(&self) -> &NodeInput {
        &self.input
    }

    /// Returns the end of the execution with a result that the host took from a record. Nothing is executed.
    pub fn answered(self, result: Result<Outcome, NodeError>) -> Ended {
        // No call is made, so there is no quota to wait for.
        let result = result.map_err(NodeError::without_quota);
        let how = match self.touches_the_world() {
            true => How::Performed(settled(result), None),
            false => How::Computed(settled(result)),
        };
        Ended(EndedWork::Execution(ExecutionEnd {
            ticket: self.ticket,
            attempt: self.attempt,
            how,
        }))
    }

    /// Returns the code that executes the node.
    ///
    /// # Errors
    /// `not_executable` if the engine runs the node itself. No plan requests the execution of such a node.
    fn executable(&self) -> Result<&dyn Execute, NodeError> {
        match &self.plan.nodes[self.node].work {
            Work::Execute(execute) => Ok(&**execute),
            Work::End {
                combine: Some(combine),
                ..
            } => Ok(&**combine),
            _ => Err(NodeError::new(
                "not_executable",
                format!(
                    "\"{}\" cannot be executed.",
                    self.plan.nodes[self.node].title
                ),
            )),
        }
    }

    fn run(&self) -> Step {
        match self.executable() {
            Ok(execute) => execute.run(&self.input, &self.context),
            Err(error) => Step::Done(Err(error)),
        }
    }

    /// Begins the execution. Returns its end if it is already over, otherwise the future that continues it. Its computation
    /// runs on this thread for one or two milliseconds of work. If it takes longer, it starts again on a separate thread.
    pub fn begin(self: Box<Self>) -> Begun {
        let (ticket, attempt) = (self.ticket, self.attempt);
        let ended = move |how| {
            Ended(EndedWork::Execution(ExecutionEnd {
                ticket,
                attempt,
                how,
            }))
        };
        let begun = compute::in_place(|| self.run());
        let future = match begun {
            Some(Step::Done(result)) => {
                return Begun::Ended(ended(How::Computed(settled(result))));
            }
            Some(Step::Waiting {
                question,
                value,
                time,
            }) => {
                return Begun::Ended(ended(How::Waits {
                    question,
                    value,
                    time,
                    input: Box::new(self.input),
                }));
            }
            Some(Step::Pending(future)) => Some(future),
            None => None,
        };
        let (cancel, calls) = (self.context.cancel.clone(), self.context.calls.clone());
        let resource = self
            .context
            .resource
            .clone()
            .filter(|_| self.changes_resource);
        let resources = Arc::clone(&self.context.services.resources);
        let future = future.ok_or(self);
        let work = async move {
            let future = match future {
                Ok(future) => future,
                Err(execution) => {
                    let input = Box::new(execution.input.clone());
                    match compute::on_a_thread(move || execution.run()).await {
                        Ok(Step::Done(result)) => return How::Computed(settled(result)),
                        Ok(Step::Waiting {
                            question,
                            value,
                            time,
                        }) => {
                            return How::Waits {
                                question,
                                value,
                                time,
                                input,
                            };
                        }
                        Ok(Step::Pending(future)) => future,
                        Err(error) => return How::Performed(Err(Box::new(error)), None),
                    }
                }
            };
            calls.world_begins();
            let result = settled(future.await);
            let Some(resource) = resource else {
                return How::Performed(result, None);
            };
            match resources.state(Arc::unwrap_or_clone(resource)).await {
                Ok(state) => How::Performed(result, Some(Arc::new(state))),
                Err(error) => {
                    let used = match &result {
                        Ok(outcome) => outcome.usage,
                        Err(error) => error.usage,
                    };
                    How::Performed(Err(Box::new(error.having_spent(&used))), None)
                }
            }
        };
        let until_cancelled = async move {
            let cancelled = std::pin::pin!(cancel.cancelled());
            let how = match select(cancelled, std::pin::pin!(work)).await {
                Either::Left(_) => How::Stopped,
                Either::Right((how, _)) => how,
            };
            ended(how)
        };
        Begun::UnderWay(until_cancelled.boxed())
    }
}
