//! The host's operations on the resources of loops. For each path, one operation is in progress at a time, in the order of the
//! requests. Executions inside a loop wait until the loop's resource is open.

use std::{collections::VecDeque, mem, sync::Arc};

use futures::future::FutureExt as _;

use super::{
    Command, Session,
    attempt::Attempt,
    ended::{Ended, EndedWork, OperationEnd},
    operations::{Held, Operation, What},
};
use crate::{
    answer::Answer,
    cancel::CancellationToken,
    journal::ScopeAnswer,
    kind::NodeInput,
    resources::Resource,
    run::{Input, Ticket, recover::OpenResource},
};

impl Session {
    pub(super) fn open_resource(&mut self, resource: Resource, commands: &mut Vec<Command>) {
        self.request(What::Open, resource, commands);
    }

    /// Requests that a resource is closed. If a request to open it has not been answered yet, that request is abandoned.
    pub(super) fn close_resource(&mut self, resource: Resource, commands: &mut Vec<Command>) {
        let queue = self.operations.queues.get_mut(&resource.path);
        if let Some(last) = queue.and_then(VecDeque::back_mut)
            && last.what != What::Close
        {
            last.is_abandoned = true;
            last.cancel.cancel();
        }
        self.request(What::Close, resource, commands);
    }

    /// Continues with a resource when a run is resumed.
    pub(super) fn continue_resource(&mut self, open: OpenResource, commands: &mut Vec<Command>) {
        let (what, resource) = match open {
            OpenResource::Opening(resource) => (What::Open, resource),
            OpenResource::Open(resource) => (What::Reopen, resource),
            OpenResource::Closing(resource) => (What::Close, resource),
        };
        self.request(what, resource, commands);
    }

    fn request(&mut self, what: What, resource: Resource, commands: &mut Vec<Command>) {
        let path = resource.path.clone();
        let queue = self.operations.queues.entry(path.clone()).or_default();
        queue.push_back(Operation {
            what,
            resource: Resource {
                run_id: self.run_id.clone(),
                ..resource
            },
            cancel: CancellationToken::new(),
            is_abandoned: false,
        });
        if queue.len() == 1 {
            self.begin_operation(&path, commands);
        }
    }

    /// Begins the first operation of a path. Abandoned operations are skipped.
    fn begin_operation(&mut self, path: &str, commands: &mut Vec<Command>) {
        let Some(queue) = self.operations.queues.get_mut(path) else {
            return;
        };
        while queue.front().is_some_and(|first| first.is_abandoned) {
            queue.pop_front();
        }
        let Some(first) = queue.front() else {
            self.operations.queues.remove(path);
            return;
        };
        let resources = Arc::clone(&self.services.resources);
        let (what, resource) = (first.what, first.resource.clone());
        let (cancel, path) = (first.cancel.clone(), path.to_owned());
        let work = async move {
            let result = match what {
                What::Open => resources.open(resource, cancel).await,
                What::Reopen => resources.reopen(resource, cancel).await,
                What::Close => resources.close(resource).await,
            };
            Ended(EndedWork::Operation(OperationEnd {
                path,
                answer: ScopeAnswer::of(result),
            }))
        };
        commands.push(Command::UseResource(work.boxed()));
    }

    /// Handles the host's answer to the operation in progress at its path.
    pub(super) fn operated(&mut self, end: OperationEnd, commands: &mut Vec<Command>) {
        let OperationEnd { path, answer } = end;
        let queue = self.operations.queues.get_mut(&path);
        let Some(done) = queue.and_then(VecDeque::pop_front) else {
            return;
        };
        self.begin_operation(&path, commands);
        if !done.is_abandoned {
            let own_path = path.clone();
            let input = match done.what {
                What::Open => Input::ScopeOpened {
                    path: own_path,
                    answer,
                },
                What::Reopen => Input::ScopeReopened {
                    path: own_path,
                    answer,
                },
                What::Close => Input::ScopeClosed {
                    path: own_path,
                    answer,
                },
            };
            self.feed(input, commands);
        }
        self.release_held(commands);
    }

    /// Begins an execution, or holds it until the resource around it is open.
    pub(super) fn begin_in_resource(
        &mut self,
        ticket: Ticket,
        attempt: Attempt,
        input: NodeInput,
        answer: Option<Box<Answer>>,
        commands: &mut Vec<Command>,
    ) {
        let mut around = self.run.resource_around(ticket);
        if let Some((resource, _)) = &mut around {
            if self.operations.queues.contains_key(&resource.path) {
                self.operations.held.push(Held {
                    path: std::mem::take(&mut resource.path),
                    ticket,
                    attempt,
                    input,
                    answer,
                });
                return;
            }
            resource.run_id.clone_from(&self.run_id);
        }
        self.begin(ticket, attempt, input, answer, around, commands);
    }

    /// Begins the held executions whose resource is now open.
    fn release_held(&mut self, commands: &mut Vec<Command>) {
        let queues = &self.operations.queues;
        let is_ready = |held: &Held| !queues.contains_key(&held.path);
        if !self.operations.held.iter().any(is_ready) {
            return;
        }
        let (ready, held): (Vec<_>, Vec<_>) = mem::take(&mut self.operations.held)
            .into_iter()
            .partition(is_ready);
        self.operations.held = held;
        for held in ready {
            self.begin_in_resource(held.ticket, held.attempt, held.input, held.answer, commands);
        }
    }
}
