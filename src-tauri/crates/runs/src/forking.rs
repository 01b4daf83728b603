//! Forks runs: a new run keeps every outcome that does not depend on a chosen place, and continues from that place.

use std::sync::Arc;

use loopwright_driver::EventSink;
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    ApprovalPolicy, ErrorClass,
    event::project,
    journal::{Earlier, Origin, Override, Record, RunHeader, RunSetup},
    outcome::UsageView,
    plan::{Focus, focus::override_outcome},
    run::{
        Plans,
        fork::{Place, fork},
    },
    trust::Grants,
};
use loopwright_model::{Flow, Node, Shape, file, retry::RETRY, subflow};
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

use crate::{
    document_edits::{FieldEdit, apply_edit, set_budget, set_retry},
    env::Env,
    error::{ApiError, Code},
    flow_identity::identity,
    fork_source::fork_source,
    launch::{Launch, Started, Work, admit, launch},
    new_budget::NewBudget,
    prepare::{fill_in, object, plan_flow},
    prepared_run::PreparedFlow,
    run_lock::RunLock,
};

/// The run and the place of a fork, with the changes of the new run.
pub struct ForkOptions {
    /// The id of the run to be forked. That run is not changed.
    pub run_id: String,
    /// The path of the step or the iteration at which the run is forked: `refine[3]/draft`, `refine[3]` or `draft`. The number
    /// after a loop's last iteration forks at the end of the loop, which then continues with that iteration.
    pub at: String,
    /// The flow of the new run; `None` for the flow of the forked run.
    pub document: Option<Value>,
    /// Changes to the flow of the new run.
    pub edits: Vec<FieldEdit>,
    /// The value that replaces the computed one: the value of a node, or the input of an iteration. `None` to keep the computed
    /// one.
    pub value: Option<Value>,
    /// The budget of the new run, in dollars. If it is `None`, an unchanged flow keeps the forked run's last budget, and a flow
    /// in `document` keeps its own.
    pub budget_usd: Option<f64>,
    /// The pinned values; `None` for the pins of the forked run.
    pub pins: Option<Map<String, Value>>,
    /// The node at which the new run ends; `None` to run the whole flow.
    pub until: Option<String>,
    pub approve: ApprovalPolicy,
    pub events: EventSink,
}

/// A step or an iteration at which a run can be forked, and what such a fork keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForkPlace {
    pub at: String,
    pub node_id: String,
    /// Whether the place is an iteration. If so, `value` is the iteration's initial value.
    pub is_iteration: bool,
    /// Whether the run never reached this iteration: the loop continues after its last one.
    pub is_beyond: bool,
    /// The value at the place, which a person can edit; null if there is none, as in a failed step.
    #[specta(type = Any)]
    pub value: Value,
    /// The usage of the kept part. It is not spent again.
    pub kept: UsageView,
    /// The usage of the rest of the run: the approximate cost of a fork that takes the same branches.
    pub rest: UsageView,
}

/// The flow that a fork would run.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkedFlow {
    pub document: Value,
    pub path: Option<String>,
}

/// A fork that has not been written to the store yet.
struct Forked {
    header: RunHeader,
    /// The records that the fork keeps from the forked run.
    begun: Vec<Record>,
    plans: Plans,
    /// The inputs of the original run, which is the first in this chain of forks.
    inputs: Map<String, Value>,
    flow: Flow,
}

/// Returns `document`, or the run's own flow if `document` is `None`, with the edits applied.
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

/// Returns the flow that a fork would run, so that the caller can check its permissions. Nothing is forked.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist; [`Code::InvalidArgument`] if an edit cannot be applied.
pub fn forked_flow(
    env: &Env,
    run_id: &str,
    document: Option<Value>,
    edits: &[FieldEdit],
) -> Result<ForkedFlow, ApiError> {
    let (header, _) = env.journal().run(run_id)?;
    Ok(ForkedFlow {
        document: edited(&header, document, edits)?,
        path: header.flow_path,
    })
}

/// Forks a run. This program then leads the new run.
pub(crate) fn fork_here(
    env: &Arc<Env>,
    run_id: String,
    mut options: ForkOptions,
    allow: Grants,
) -> Result<Started, ApiError> {
    let forked = prepare_fork(env, run_id.clone(), &mut options, &allow)?;
    let path = forked.header.flow_path.as_deref();
    let identity = identity(path, &forked.flow);
    let admitted = admit(
        env,
        &forked.flow,
        path,
        identity,
        &forked.header.setup.allowed,
    )?;
    let lock = RunLock::take(env.data_dir(), &run_id)?;
    keep_fork(env, &forked)?;
    for event in forked
        .begun
        .iter()
        .filter_map(|record| project(&run_id, record))
    {
        (options.events)(&event);
    }
    let how = Resumption {
        imported_records: forked.header.setup.imported_records,
        ..Resumption::default()
    };
    Ok(launch(
        env,
        Launch {
            run_id,
            lock,
            admitted,
            work: Work::Continue {
                plans: forked.plans,
                inputs: forked.inputs,
                how,
                before: None,
            },
            approve: options.approve,
            events: options.events,
        },
    ))
}

/// Writes a fork of a run to a shared store, where workers continue it. The workers' own permissions determine what its flow
/// may use.
pub(crate) fn write_fork(
    env: &Env,
    run_id: String,
    mut options: ForkOptions,
    allow: &Grants,
) -> Result<(), ApiError> {
    keep_fork(env, &prepare_fork(env, run_id, &mut options, allow)?)
}

/// Writes a fork, together with the records that it keeps.
fn keep_fork(env: &Env, forked: &Forked) -> Result<(), ApiError> {
    let journal = env.journal();
    journal.create(&forked.header)?;
    // All records are appended in one call. A crash between two calls would leave a fork with only some of its records.
    Ok(journal.append(&forked.header.run_id, &forked.begun)?)
}

fn prepare_fork(
    env: &Env,
    run_id: String,
    options: &mut ForkOptions,
    allow: &Grants,
) -> Result<Forked, ApiError> {
    let source = fork_source(env, &options.run_id)?;
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
    // The fork uses the retry policy of the forked run. Runs of earlier versions have no policy, and neither do their forks.
    let policy = parent.document["settings"].get(RETRY);
    let policy = policy.and_then(Value::as_object);
    set_retry(&mut flow, &mut document, policy, env.kinds().specs());
    let focus = Focus {
        pins: options
            .pins
            .take()
            .unwrap_or_else(|| parent.setup.pins.clone()),
        until: options.until.take(),
    };
    let mut prepared = plan_flow(env, flow, document, parent.flow_path.clone(), focus)?;
    let plan = prepared.plan()?;
    let found = source.locate(&options.at)?;
    let mut inputs = parent.inputs.clone();
    let given = match options.value.take() {
        None => None,
        Some(_) if found.beyond => {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "The run never reached {}, so it has no value to replace. Fork without --value.",
                    options.at
                ),
            ));
        }
        Some(value) if found.is_iteration => Some(Override::Input(Arc::new(value))),
        Some(value) => {
            let planned = plan.find(&options.at).map(|node| &plan.nodes[node]);
            let (planned, node) = planned
                .and_then(|planned| Some((planned, node_of(&prepared.flow, &planned.place)?)))
                .ok_or_else(|| gone(&options.at, &found.node))?;
            // An input inside a subflow is not an input of the run.
            if planned.graph == 0
                && env.kinds().specs().shape(&node) == Shape::Input
                && let Some(inputs) = inputs.as_object_mut()
            {
                inputs.insert(node.boundary_name().to_owned(), value.clone());
            }
            let outcome = override_outcome(env.kinds(), &node, Arc::new(value))
                .map_err(|error| ApiError::new(Code::InvalidArgument, error.message))?;
            Some(Override::Outcome(Arc::new(outcome)))
        }
    };
    let now = env.now();
    fill_in(env.kinds(), &mut prepared, &object(&inputs))?;
    let PreparedFlow {
        flow,
        document,
        focus,
        plan,
        ..
    } = prepared;
    let plan = Arc::new(plan?);
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
            // If the forked run came from another store, so did the records that the fork keeps.
            imported_records: match parent.setup.imported_records {
                0 => 0,
                _ => begun.records.len() as u64,
            },
            // A person forks a run, so the schedule of the original run has no part in it.
            schedule: None,
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

/// Returns what a fork of the run at `at` would keep, and the value at that place.
///
/// # Errors
/// [`Code::NotFound`] if the run or the place does not exist; [`Code::Diverged`] if the journal no longer fits this program.
pub fn fork_place(env: &Env, run_id: &str, at: &str) -> Result<ForkPlace, ApiError> {
    let source = fork_source(env, run_id)?;
    let found = source.locate(at)?;
    let last = Arc::clone(source.plans.last());
    let (plans, _) = source.onward(&last, source.as_it_is());
    let place = Place {
        parent: run_id.to_owned(),
        at: at.to_owned(),
        beyond: found.beyond,
        given: None,
        now: env.now(),
    };
    let begun = fork(
        &source.plans,
        &plans,
        &source.inputs,
        &source.records,
        &place,
    )
    .map_err(refused)?;
    Ok(ForkPlace {
        at: at.to_owned(),
        value: source.value_at(at, &found),
        node_id: found.node,
        is_iteration: found.is_iteration,
        is_beyond: found.beyond,
        kept: UsageView::from(&begun.usage),
        rest: UsageView::from(&source.usage.without(&begun.usage)),
    })
}

/// Returns the node at a path in a flow (`draft`) or in an inline subflow (`polish/draft`), or `None` if there is none.
pub fn node_of(flow: &Flow, place: &str) -> Option<Node> {
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
            "The flow no longer has the node `{node}`, so the run cannot continue from `{at}`. Fork at another step."
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
