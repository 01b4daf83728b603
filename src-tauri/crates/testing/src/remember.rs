//! Models that record their answers, and models that replay these answers to a resumed run.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote},
    journal::{Completed, Entry, Fact, Failed, Input, Parked, Record, Retried},
    quota::Quota,
};

pub type Answered = (ModelRequest, Result<ModelReply, NodeError>);

/// Models that pass calls on to other models. They record the calls in call order and the answers in completion order.
#[derive(Clone)]
pub struct Remember {
    pub models: Arc<dyn Models>,
    pub asked: Arc<Mutex<Vec<ModelRequest>>>,
    pub answered: Arc<Mutex<Vec<Answered>>>,
}

impl Models for Remember {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        self.asked.lock().unwrap().push(request.clone());
        let call = self.models.call(request.clone(), cx);
        let answered = Arc::clone(&self.answered);
        Box::pin(async move {
            let reply = call.await;
            answered.lock().unwrap().push((request, reply.clone()));
            reply
        })
    }
}

/// Returns the number of finished model calls in the records. `asks` returns whether a record belongs to a node that calls
/// models, and `failed` returns whether a failure is the failure of a model call.
pub fn calls_recorded(
    records: &[Record],
    asks: impl Fn(&Record) -> bool,
    failed: impl Fn(&NodeError) -> bool,
) -> usize {
    // The calls of failed attempts, by path. The record of the node's end counts them again.
    let mut retried: HashMap<&str, usize> = HashMap::new();
    records
        .iter()
        .filter(|record| asks(record))
        .map(|record| match &record.entry {
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome,
                scope: None,
                ..
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                outcome,
                scope: None,
                ..
            })) => {
                let before = retried.remove(record.path.as_str()).unwrap_or(0);
                outcome.usage.calls as usize - before
            }
            Entry::Input(Input::ExecutionFailed(Failed {
                error, scope: None, ..
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                error, scope: None, ..
            })) if failed(error) => 1,
            Entry::Input(Input::ExecutionRetried(Retried { error, .. }))
            | Entry::Fact(Fact::NodeRetried(Retried { error, .. })) => {
                *retried.entry(&record.path).or_default() += error.usage.calls as usize;
                1
            }
            Entry::Input(Input::ExecutionParked(parked)) => {
                *retried.entry(&record.path).or_default() += parked.error.usage.calls as usize;
                usize::from(parked.sent)
            }
            _ => 0,
        })
        .sum()
}

/// Models that replay recorded answers. Each remaining answer is used once, for a request that equals the original one.
pub struct Again {
    /// The models that return the maximum usage of calls.
    models: Arc<dyn Models>,
    left: Mutex<Vec<Answered>>,
    missing: AtomicUsize,
}

impl Again {
    /// Creates models with the answers that a run with these `records` has not used. `asks` returns whether a record belongs
    /// to a node that calls models.
    pub fn new(
        models: Arc<dyn Models>,
        answered: &[Answered],
        records: &[Record],
        asks: impl Fn(&Record) -> bool,
    ) -> Self {
        let recorded = calls_recorded(records, asks, |error| {
            answered
                .iter()
                .any(|(_, reply)| reply.as_ref().is_err_and(|other| other.code == error.code))
        });
        Self {
            models,
            left: Mutex::new(answered[recorded..].to_vec()),
            missing: AtomicUsize::new(0),
        }
    }

    /// Creates models with the answers that a fork with the records `kept` has not used. Returns `None` if the call of a recorded
    /// outcome cannot be identified.
    pub fn beside(models: Arc<dyn Models>, answered: &[Answered], kept: &[Record]) -> Option<Self> {
        let mut left = answered.to_vec();
        for record in kept {
            let place = match &record.entry {
                Entry::Input(Input::ExecutionCompleted(Completed {
                    outcome,
                    scope: None,
                    ..
                }))
                | Entry::Fact(Fact::NodeCompleted(Completed {
                    outcome,
                    scope: None,
                    ..
                })) if outcome.usage.calls > 0 => {
                    let trace = outcome
                        .trace
                        .as_ref()
                        .filter(|_| outcome.usage.calls == 1)?;
                    let gave = |(request, reply): &Answered| {
                        reply.as_ref().is_ok_and(|reply| {
                            let raw = reply.raw.clone();
                            trace.prompt.as_ref() == Some(&request.prompt)
                                && trace.raw == raw.or(Some(reply.text.clone().into()))
                        })
                    };
                    Some(left.iter().position(gave)?)
                }
                Entry::Input(Input::ExecutionFailed(Failed {
                    error, scope: None, ..
                }))
                | Entry::Fact(Fact::NodeFailed(Failed {
                    error, scope: None, ..
                }))
                | Entry::Input(Input::ExecutionRetried(Retried { error, .. }))
                | Entry::Fact(Fact::NodeRetried(Retried { error, .. })) => {
                    let gave = |(_, reply): &Answered| {
                        reply.as_ref().is_err_and(|other| other.code == error.code)
                    };
                    left.iter().position(gave)
                }
                Entry::Input(Input::ExecutionParked(Parked {
                    error, sent: true, ..
                })) => left.iter().position(|(_, reply)| {
                    let is_same = |other: &NodeError| {
                        (&other.code, &other.message) == (&error.code, &error.message)
                    };
                    reply.as_ref().is_err_and(is_same)
                }),
                _ => None,
            };
            if let Some(place) = place {
                drop(left.remove(place));
            }
        }
        Some(Self {
            models,
            left: Mutex::new(left),
            missing: AtomicUsize::new(0),
        })
    }

    /// Returns the number of calls for which no answer remained, and the number of unused answers.
    pub fn counts(&self) -> (usize, usize) {
        (
            self.missing.load(Ordering::Relaxed),
            self.left.lock().unwrap().len(),
        )
    }
}

impl Models for Again {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let mut left = self.left.lock().unwrap();
        let reply = match left.iter().position(|(other, _)| *other == request) {
            Some(place) => left.remove(place).1,
            None => {
                self.missing.fetch_add(1, Ordering::Relaxed);
                Err(NodeError::new("asked_twice", "This was answered before."))
            }
        };
        Box::pin(std::future::ready(reply))
    }
}
