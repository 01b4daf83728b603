//! Forking runs: a new run that keeps what does not depend on a place and continues from there.

use std::{collections::BTreeSet, sync::Arc};

use loopwright_driver::{EventSink, ResumeError, Resumption, resume};
use loopwright_engine::{
    ApprovalPolicy, Entry, ErrorClass, Record,
    budget::Limits,
    event::project,
    journal::{Completed, Earlier, Fact, Input, Origin, Override, RunHeader, RunSetup, Select},
    outcome::UsageView,
    plan::{Focus, Plan, Work, focus::override_outcome},
    run::{
        Plans,
        fork::{Place, fork},
    },
    trust::Grants,
};
use loopwright_model::{Flow, Node, Shape, file, subflow};
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

use crate::{
    app::App,
    clock::new_id,
    document_edits::{FieldEdit, apply_edit, set_budget},
    error::{ApiError, Code},
    flow_identity::identity,
    new_budget::NewBudget,
    prepare::{StoredRun, stored_run},
    prepared_run::PreparedFlow,
    run_lock::RunLock,
    running::Started,
};

/// What a run is forked with.
pub struct ForkOptions {
    /// The run that is forked; it is left as it is.
    pub run_id: String,
    /// `refine[3]/draft`, `refine[3]`, `draft`; an iteration behind a loop's last one continues from the end of the loop.
    pub at: String,
    /// The flow to continue with; `None`: that of the run.
    pub document: Option<Value>,
    /// Changes of it.
    pub edits: Vec<FieldEdit>,
    /// What stands at the place instead of what would come about there: a node's value, or an iteration's input.
    pub value: Option<Value>,
    /// A new budget for the run, in dollars.
    pub budget_usd: Option<f64>,
    /// `None`: the pins of the run.
    pub pins: Option<Map<String, Value>>,
    /// The node that the new run goes as far as.
    pub until: Option<String>,
    pub approve: ApprovalPolicy,
    pub events: EventSink,
}

/// A place of a run at which it can be forked, and what that keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForkPlace {
    pub at: String,
    pub node_id: String,
    /// The place is an iteration: `value` is what it begins with.
    pub is_iteration: bool,
    /// The iteration was not come to: the loop continues behind its last one.
    pub is_beyond: bool,
    /// What stands there in the run, to be edited; null where nothing came about (a step that failed).
    #[specta(type = Any)]
    pub value: Value,
    /// What the kept part used. It is not spent again.
    pub kept: UsageView,
    /// What the rest of the run used: about what the fork costs, where it goes the same way.
    pub rest: UsageView,
}

/// The flow that a fork would run.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkedFlow {
    pub document: Value,
    pub path: Option<String>,
}

/// A fork that is about to be written.
struct Forked {
    header: RunHeader,
    /// What it takes over.
    begun: Vec<Record>,
    plans: Plans,
    /// Those of the first run that it goes back to.
    inputs: Map<String, Value>,
    flow: Flow,
}

/// `document`, or that of the run, with changes made to it.
fn edited(
    parent: &RunHeader,
    document: Option<Value>,
    edits: &[FieldEdit],
) -> Result<Value, ApiError> {
    let mut document = document.unwrap_or_else(|| parent.document.clone());
    for edit in edits {
        apply_edit(&mut document, edit)?;
    }
    Ok(document)
}

impl App {
    /// The flow that a fork would run, to ask what it would use. Nothing is forked.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a run that is not there; [`Code::InvalidArgument`] for a change that cannot be made.
    pub fn forked_flow(
        &self,
        run_id: &str,
        document: Option<Value>,
        edits: &[FieldEdit],
    ) -> Result<ForkedFlow, ApiError> {
        let (header, _) = self.journal().run(run_id)?;
        Ok(ForkedFlow {
            document: edited(&header, document, edits)?,
            path: header.flow_path,
        })
    }

    /// Forks a run: the new one begins with every recorded outcome that does not depend on the place, and continues from there.
    /// No call that is kept is made again.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a place that is not in the run, with those that are near; [`Code::InvalidFlow`] when the edited
    /// flow cannot run; [`Code::Diverged`] when the journal does not fit the program any more.
    /// [`Code::NotApproved`] where it would use what the person has not approved.
    pub fn fork_run(self: &Arc<Self>, options: ForkOptions) -> Result<Started, ApiError> {
        self.fork_run_with(options, Grants::default())
    }

    /// As [`App::fork_run`], with what is allowed for the new run alone.
    ///
    /// # Errors
    /// As [`App::fork_run`].
    pub fn fork_run_with(
        self: &Arc<Self>,
        options: ForkOptions,
        allow: Grants,
    ) -> Result<Started, ApiError> {
        self.fork_run_as(new_id(), options, allow)
    }

    /// As [`App::fork_run_with`], under an id that was made before, so that whoever starts it can write it down first.
    ///
    /// # Errors
    /// As [`App::fork_run`].
    pub(crate) fn fork_run_as(
        self: &Arc<Self>,
        run_id: String,
        mut options: ForkOptions,
        allow: Grants,
    ) -> Result<Started, ApiError> {
        let forked = self.prepare_fork(run_id.clone(), &mut options, &allow)?;
        if let Some(workers) = self.workers() {
            // What its flow may use is theirs to say.
            self.keep_fork(&forked)?;
            workers.hand_over(&run_id)?;
            return Ok(self.watch(run_id, 0, true, options.events));
        }
        let path = forked.header.flow_path.as_deref();
        let identity = identity(path, &forked.flow);
        let trusted = self.trusted(&forked.flow, path, identity, &forked.header.setup.allowed)?;
        let services = self.services(&forked.flow, path, trusted.grants)?;
        let lock = RunLock::take(self.data_dir(), &run_id)?;
        self.keep_fork(&forked)?;
        for event in forked
            .begun
            .iter()
            .filter_map(|record| project(&run_id, record))
        {
            (options.events)(&event);
        }
        let events = self.recording_refusals(trusted.flow, options.events);
        let host = self.host(services, options.approve, events);
        let how = Resumption {
            notes: trusted.notes,
            ..Resumption::default()
        };
        let (plans, inputs) = (forked.plans, forked.inputs);
        Ok(
            self.spawn_run(run_id, lock, host, move |id, host| async move {
                resume(plans, &id, inputs, how, &host)
                    .await
                    .map_err(|error| match error {
                        ResumeError::Journal(error) => error.into(),
                        ResumeError::Refused(error) => {
                            ApiError::new(Code::InvalidArgument, error.message)
                        }
                    })
            }),
        )
    }

    /// Writes a fork with what it took over.
    fn keep_fork(&self, forked: &Forked) -> Result<(), ApiError> {
        let journal = self.journal();
        journal.create(&forked.header)?;
        // At once, or a crash could leave a fork that had kept only half.
        Ok(journal.append(&forked.header.run_id, &forked.begun)?)
    }

    fn prepare_fork(
        &self,
        run_id: String,
        options: &mut ForkOptions,
        allow: &Grants,
    ) -> Result<Forked, ApiError> {
        let source = self.source(&options.run_id)?;
        let parent = &source.header;
        let is_own_flow = options.document.is_none();
        let mut document = edited(parent, options.document.take(), &options.edits)?;
        let mut budget = match source.last_budget() {
            Some(limits) if is_own_flow => NewBudget::from(limits),
            _ => NewBudget::default(),
        };
        budget.usd = options.budget_usd.or(budget.usd);
        let mut flow = file::read_value(document.clone())?;
        set_budget(&mut flow, &mut document, budget)?;
        let focus = Focus {
            pins: options
                .pins
                .take()
                .unwrap_or_else(|| parent.setup.pins.clone()),
            until: options.until.take(),
        };
        let PreparedFlow {
            flow,
            document,
            focus,
            plan,
            ..
        } = self.plan_flow(flow, document, parent.flow_path.clone(), focus)?;
        let plan = plan?;
        let found = source.locate(&options.at)?;
        let mut inputs = parent.inputs.clone();
        let given = match options.value.take() {
            None => None,
            Some(_) if found.beyond => {
                return Err(ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "{} was not come to in the run, so that there is no value there to put another in place of. Fork without --value.",
                        options.at
                    ),
                ));
            }
            Some(value) if found.is_iteration => Some(Override::Input(Arc::new(value))),
            Some(value) => {
                let planned = plan.find(&options.at).map(|node| &plan.nodes[node]);
                let (planned, node) = planned
                    .and_then(|planned| Some((planned, node_of(&flow, &planned.place)?)))
                    .ok_or_else(|| gone(&options.at, &found.node))?;
                // An input inside a subflow is none of the run's.
                if planned.graph == 0
                    && self.kinds().specs().shape(&node) == Shape::Input
                    && let Some(inputs) = inputs.as_object_mut()
                {
                    inputs.insert(node.boundary_name().to_owned(), value.clone());
                }
                let outcome = override_outcome(self.kinds(), &node, Arc::new(value))
                    .map_err(|error| ApiError::new(Code::InvalidArgument, error.message))?;
                Some(Override::Outcome(Arc::new(outcome)))
            }
        };
        let now = (self.clock())();
        let plan = Arc::new(plan);
        let place = Place {
            parent: options.run_id.clone(),
            at: options.at.clone(),
            beyond: found.beyond,
            given,
            now,
        };
        let now_is = Earlier {
            document: document.clone(),
            pins: focus.pins.clone(),
            until: focus.until.clone(),
        };
        let (plans, earlier) = source.onward(&plan, now_is);
        let begun = fork(
            &source.plans,
            &plans,
            &source.inputs,
            &source.records,
            &place,
        )
        .map_err(refused)?;
        let mut allowed = parent.setup.allowed.clone();
        allowed.add(allow);
        let header = RunHeader {
            run_id,
            flow: plan.name.clone(),
            flow_path: parent.flow_path.clone(),
            document,
            inputs,
            started_at: now,
            setup: RunSetup {
                pins: focus.pins,
                until: focus.until,
                origin: Some(Origin {
                    parent: options.run_id.clone(),
                    at: options.at.clone(),
                    kept_records: begun.records.len() as u64,
                    kept: begun.usage,
                    earlier,
                    inputs: Value::Object(source.inputs.clone()),
                }),
                allowed,
            },
        };
        Ok(Forked {
            header,
            begun: begun.records,
            plans,
            inputs: source.inputs,
            flow,
        })
    }

    /// What a fork of the run at this place would keep, and what stands there.
    pub fn fork_place(&self, run_id: &str, at: &str) -> Result<ForkPlace, ApiError> {
        let source = self.source(run_id)?;
        let found = source.locate(at)?;
        let last = Arc::clone(source.plans.last());
        let header = &source.header;
        let as_it_is = Earlier {
            document: header.document.clone(),
            pins: header.setup.pins.clone(),
            until: header.setup.until.clone(),
        };
        let (plans, _) = source.onward(&last, as_it_is);
        let place = Place {
            parent: run_id.to_owned(),
            at: at.to_owned(),
            beyond: found.beyond,
            given: None,
            now: (self.clock())(),
        };
        let begun = fork(
            &source.plans,
            &plans,
            &source.inputs,
            &source.records,
            &place,
        )
        .map_err(refused)?;
        let mut rest = source.usage;
        rest.calls = rest.calls.saturating_sub(begun.usage.calls);
        rest.input_tokens = rest.input_tokens.saturating_sub(begun.usage.input_tokens);
        rest.output_tokens = rest.output_tokens.saturating_sub(begun.usage.output_tokens);
        rest.cost_microusd = rest.cost_microusd.saturating_sub(begun.usage.cost_microusd);
        rest.unpriced_calls = rest
            .unpriced_calls
            .saturating_sub(begun.usage.unpriced_calls);
        rest.cut_off_calls = rest.cut_off_calls.saturating_sub(begun.usage.cut_off_calls);
        Ok(ForkPlace {
            at: at.to_owned(),
            value: source.value_at(at, &found),
            node_id: found.node,
            is_iteration: found.is_iteration,
            is_beyond: found.beyond,
            kept: UsageView::from(&begun.usage),
            rest: UsageView::from(&rest),
        })
    }

    fn source(&self, run_id: &str) -> Result<Source, ApiError> {
        let journal = self.journal();
        let (header, state) = journal.run(run_id)?;
        let StoredRun { plans, inputs, .. } = stored_run(&header, self.kinds())?;
        let records = journal.read(run_id, Select::All)?;
        Ok(Source {
            header,
            usage: state.usage,
            plans,
            inputs,
            records,
        })
    }
}

/// The run that is forked.
struct Source {
    header: RunHeader,
    usage: loopwright_engine::Usage,
    plans: Plans,
    inputs: Map<String, Value>,
    records: Vec<Record>,
}

/// A place of a run.
struct Found {
    node: String,
    is_iteration: bool,
    /// The index of the iteration, from 0.
    index: u32,
    beyond: bool,
}

impl Source {
    /// The budget that the run was given when it was continued.
    fn last_budget(&self) -> Option<Limits> {
        let mut last: Option<Limits> = None;
        for record in &self.records {
            match &record.entry {
                // From a fork on the budget is its flow's.
                Entry::Input(Input::Forked { .. }) => last = None,
                Entry::Input(Input::BudgetSet { limits }) => {
                    last = Some(limits.or(last.unwrap_or_default()))
                }
                _ => {}
            }
        }
        last
    }

    /// The new run's plans: where the flow is only set otherwise, what is kept was made by the old one; else the new one says
    /// what fits.
    fn onward(&self, plan: &Arc<Plan>, now_is: Earlier) -> (Plans, Vec<Earlier>) {
        let header = &self.header;
        if self.plans.last().same_structure(plan) {
            let mut earlier: Vec<Earlier> = header
                .setup
                .origin
                .as_ref()
                .map_or_else(Vec::new, |origin| origin.earlier.clone());
            earlier.push(Earlier {
                document: header.document.clone(),
                pins: header.setup.pins.clone(),
                until: header.setup.until.clone(),
            });
            return (self.plans.clone().then(Arc::clone(plan)), earlier);
        }
        let count = self.plans.iter().count();
        let mut plans = Plans::from(Arc::clone(plan));
        for _ in 0..count {
            plans = plans.then(Arc::clone(plan));
        }
        (plans, vec![now_is; count])
    }

    fn locate(&self, at: &str) -> Result<Found, ApiError> {
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
            // A loop may continue behind its last iteration; a list has as many items as it has.
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
                                "`{at}` has its value from its loop. Fork at the loop, at one of its iterations, or behind it."
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
                    "`{at}` did not run ({reason}), so that there is nothing to continue from. Fork at the node that decided it, or at an iteration."
                ),
            ));
        }
        Err(self.no_such_place(at))
    }

    /// By its path, for ids are a flow's own: a subflow may have the same.
    fn work_at(&self, path: &str) -> Option<&Work> {
        let plan = self.plans.last();
        plan.find(path).map(|node| &plan.nodes[node].work)
    }

    fn is_loop(&self, path: &str) -> bool {
        let plan = self.plans.last();
        matches!(self.work_at(path), Some(Work::Scope { graph, .. })
            if matches!(plan.graphs[*graph].repeat, Some(loopwright_engine::plan::Repeat::Loop(_))))
    }

    fn ends_a_loop(&self, path: &str) -> bool {
        matches!(self.work_at(path), Some(Work::End { combine: None, .. }))
    }

    fn value_at(&self, at: &str, found: &Found) -> Value {
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

    /// The error for a place that the run does not have, with those that look like it.
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
            "It has not begun.".to_owned()
        } else {
            format!("Near it are: {}.", near.join(", "))
        };
        ApiError::new(
            Code::NotFound,
            format!(
                "Run {} has no place `{at}`. {hint} Places look like `refine[2]/draft`, `refine[2]` or `draft`; iterations count from 1.",
                self.header.run_id
            ),
        )
    }
}

/// `refine[3]` as the scope's path and the iteration's number, from 1.
fn iteration(at: &str) -> Option<(&str, u32)> {
    let (scope, number) = at.strip_suffix(']')?.rsplit_once('[')?;
    Some((scope, number.parse().ok()?))
}

/// The node at a place of a flow (`draft`), or of one that stands inline in it (`polish/draft`).
fn node_of(flow: &Flow, place: &str) -> Option<Node> {
    flow.nodes.iter().find_map(|node| {
        let rest = place.strip_prefix(node.id.as_str())?;
        if rest.is_empty() {
            return Some(node.clone());
        }
        let inner = subflow::inline(node)?.ok()?;
        node_of(&inner, rest.strip_prefix('/')?)
    })
}

fn gone(at: &str, node: &str) -> ApiError {
    ApiError::new(
        Code::InvalidArgument,
        format!(
            "The flow has no node `{node}` any more, so that the run cannot continue from `{at}`."
        ),
    )
}

fn refused(error: loopwright_engine::NodeError) -> ApiError {
    let code = match error.class() {
        ErrorClass::Diverged => Code::Diverged,
        _ => Code::InvalidArgument,
    };
    ApiError::new(code, error.message)
}
