//! The run that a fork starts from, and the places in it at which it can be forked.

use std::{collections::BTreeSet, sync::Arc};

use loopwright_engine::{
    Usage,
    budget::Limits,
    journal::{Completed, Earlier, Entry, Fact, Input, Record, RunHeader, Select},
    plan::{Plan, Repeat, Work},
    run::Plans,
};
use serde_json::{Map, Value};

use crate::{
    env::Env,
    error::{ApiError, Code},
    prepare::{StoredRun, stored_run},
};

/// Reads the run to be forked, with all its records.
pub(crate) fn fork_source(env: &Env, run_id: &str) -> Result<Source, ApiError> {
    let journal = env.journal();
    let (header, state) = journal.run(run_id)?;
    let StoredRun { plans, inputs, .. } = stored_run(&header, env.kinds())?;
    let records = journal.read(run_id, Select::All)?;
    Ok(Source {
        header,
        usage: state.usage,
        plans,
        inputs,
        records,
    })
}

/// The run to be forked.
pub(crate) struct Source {
    pub(crate) header: RunHeader,
    pub(crate) usage: Usage,
    pub(crate) plans: Plans,
    pub(crate) inputs: Map<String, Value>,
    pub(crate) records: Vec<Record>,
}

/// A node or an iteration of a run, found by its path.
pub(crate) struct Found {
    pub(crate) node: String,
    pub(crate) is_iteration: bool,
    /// The index of the iteration, counted from 0.
    index: u32,
    pub(crate) beyond: bool,
}

impl Source {
    /// Returns the budget that was set when the run was last resumed, or `None` if none was set.
    pub(crate) fn last_budget(&self) -> Option<Limits> {
        let mut last: Option<Limits> = None;
        for record in &self.records {
            match &record.entry {
                // After a fork, the flow's own budget applies.
                Entry::Input(Input::Forked { .. }) => last = None,
                Entry::Input(Input::BudgetSet { limits }) => {
                    last = Some(limits.or(last.unwrap_or_default()))
                }
                _ => {}
            }
        }
        last
    }

    /// Returns what the run to be forked executed: its unchanged flow, with the pinned values and the node at which the run
    /// ends.
    pub(crate) fn as_it_is(&self) -> Earlier {
        let setup = &self.header.setup;
        Earlier {
            document: self.header.document.clone(),
            pins: setup.pins.clone(),
            until: setup.until.clone(),
        }
    }

    /// Returns the plans of the new run, and the flow that was in use before each fork. If only the data of nodes changed,
    /// the kept records belong to the earlier plans. Otherwise the new plan determines which records are kept.
    pub(crate) fn onward(&self, plan: &Arc<Plan>, now_is: Earlier) -> (Plans, Vec<Earlier>) {
        let header = &self.header;
        if self.plans.last().same_structure(plan) {
            let mut earlier: Vec<Earlier> = header
                .setup
                .origin
                .as_ref()
                .map_or_else(Vec::new, |origin| origin.earlier.clone());
            earlier.push(self.as_it_is());
            return (self.plans.clone().then(Arc::clone(plan)), earlier);
        }
        let count = self.plans.iter().count();
        let mut plans = Plans::from(Arc::clone(plan));
        for _ in 0..count {
            plans = plans.then(Arc::clone(plan));
        }
        (plans, vec![now_is; count])
    }

    pub(crate) fn locate(&self, at: &str) -> Result<Found, ApiError> {
        if let Some((scope, number)) = iteration(at) {
            let mut last = None;
            for record in self.records.iter().filter(|record| record.path == scope) {
                if let Entry::Fact(Fact::IterationStarted { index, .. }) = record.entry {
                    last = last.max(Some(index));
                    if index + 1 == number {
                        return Ok(Found {
                            node: record.node_id.as_deref().unwrap_or_default().to_owned(),
                            is_iteration: true,
                            index,
                            beyond: false,
                        });
                    }
                }
            }
            let node = scope.rsplit('/').next().unwrap_or(scope);
            // A loop can continue after its last iteration, but a list has a fixed number of items.
            if last.is_some_and(|last| last + 2 == number) && self.is_loop(scope) {
                return Ok(Found {
                    node: node.to_owned(),
                    is_iteration: true,
                    index: number - 1,
                    beyond: true,
                });
            }
            return Err(self.no_such_place(at));
        }
        let mut skipped = None;
        for record in self.records.iter().filter(|record| record.path == at) {
            match &record.entry {
                Entry::Fact(Fact::NodeStarted { .. }) => {
                    let node = record.node_id.as_deref().unwrap_or_default().to_owned();
                    if self.ends_a_loop(at) {
                        return Err(ApiError::new(
                            Code::InvalidArgument,
                            format!(
                                "`{at}` gets its value from its loop, so you cannot fork there. Fork at the loop, at one of its iterations, or at a later step."
                            ),
                        ));
                    }
                    return Ok(Found {
                        node,
                        is_iteration: false,
                        index: 0,
                        beyond: false,
                    });
                }
                Entry::Fact(Fact::NodeSkipped { reason }) => skipped = Some(reason),
                _ => {}
            }
        }
        if let Some(reason) = skipped {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "`{at}` did not run ({reason}), so there is nothing to continue from. Fork at the node that caused it to be skipped, or at an iteration."
                ),
            ));
        }
        Err(self.no_such_place(at))
    }

    /// Returns the work that the latest plan has for the node at a path; `None` if it has no such node. A node id would not
    /// suffice, because ids are not unique across subflows.
    fn work_at(&self, path: &str) -> Option<&Work> {
        let plan = self.plans.last();
        plan.find(path).map(|node| &plan.nodes[node].work)
    }

    fn is_loop(&self, path: &str) -> bool {
        let plan = self.plans.last();
        matches!(self.work_at(path), Some(Work::Scope { graph, .. })
            if matches!(plan.graphs[*graph].repeat, Some(Repeat::Loop(_))))
    }

    fn ends_a_loop(&self, path: &str) -> bool {
        matches!(self.work_at(path), Some(Work::End { combine: None, .. }))
    }

    pub(crate) fn value_at(&self, at: &str, found: &Found) -> Value {
        let scope = iteration(at).map_or(at, |(scope, _)| scope);
        let of_place = self.records.iter().filter(|record| record.path == scope);
        of_place
            .filter_map(|record| match &record.entry {
                Entry::Fact(Fact::IterationStarted { index, input, .. })
                    if found.is_iteration && *index == found.index =>
                {
                    Some((**input).clone())
                }
                Entry::Input(Input::ExecutionCompleted(Completed { outcome, .. }))
                | Entry::Fact(Fact::NodeCompleted(Completed { outcome, .. }))
                    if !found.is_iteration =>
                {
                    Some((*outcome.value).clone())
                }
                _ => None,
            })
            .next_back()
            .unwrap_or(Value::Null)
    }

    /// Returns the error for a path that is not in the run. The message suggests similar paths.
    fn no_such_place(&self, at: &str) -> ApiError {
        let mut places = BTreeSet::new();
        for record in &self.records {
            match record.entry {
                Entry::Fact(Fact::NodeStarted { .. }) => {
                    places.insert(record.path.clone());
                }
                Entry::Fact(Fact::IterationStarted { index, .. }) => {
                    places.insert(format!("{}[{}]", record.path, u64::from(index) + 1));
                }
                _ => {}
            }
        }
        let mut near: Vec<_> = places
            .into_iter()
            .map(|place| (strsim::damerau_levenshtein(&place, at), place))
            .collect();
        near.sort();
        let near: Vec<_> = near
            .into_iter()
            .take(5)
            .map(|(_, place)| format!("`{place}`"))
            .collect();
        let hint = if near.is_empty() {
            "The run has no steps yet.".to_owned()
        } else {
            format!("Similar ones: {}.", near.join(", "))
        };
        ApiError::new(
            Code::NotFound,
            format!(
                "Run {} has no step or iteration `{at}`. {hint} Write `refine[2]/draft`, `refine[2]` or `draft`; iterations are numbered from 1.",
                self.header.run_id
            ),
        )
    }
}

/// Parses `refine[3]` into the scope's path and the iteration's number, counted from 1; `None` if the path does not end with a
/// number.
fn iteration(at: &str) -> Option<(&str, u32)> {
    let (scope, number) = at.strip_suffix(']')?.rsplit_once('[')?;
    Some((scope, number.parse().ok()?))
}
