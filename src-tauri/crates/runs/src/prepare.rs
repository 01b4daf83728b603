//! Prepares a flow once before it runs: reads it, sets its budget, then links, validates and plans it. `prepare_run` prepares a
//! run, and `prepare_flow` the runs of a batch; forks and kept tests plan a stored flow with `plan_flow`.

use std::sync::Arc;

use loopwright_engine::{
    KindSet, Warning,
    journal::{Earlier, RunHeader},
    plan::{self, Focus, Plan, PlanInput},
    run::Plans,
};
use loopwright_model::{
    Flow, Problem, ValueType, file, retry::usual_retry, subflow::Linked, validate as rules,
};
use serde_json::{Map, Value};

use crate::{
    document_edits::{set_budget, set_retry},
    env::Env,
    environment_check::environment_problems,
    error::{ApiError, Code},
    estimate::CostEstimate,
    flow_identity::identity,
    input_folders::fill_in_folders,
    models::provider_set,
    new_budget::NewBudget,
    prepared_run::{PreparedFlow, PreparedRun, RunRequest},
    problems::{ProblemInfo, problem_info},
    subflows,
};

/// Prepares a run. If the flow has problems, the result lists them and cannot be started.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the budget is not a valid amount.
pub fn prepare_run(env: &Env, request: RunRequest) -> Result<PreparedRun, ApiError> {
    let RunRequest {
        document,
        flow_path,
        inputs,
        focus,
        budget,
    } = request;
    let flow = prepare_for_runs(env, document, flow_path, focus, budget)?;
    Ok(with_inputs(env, flow, inputs))
}

/// Prepares a flow for one or more runs on this computer. Its problems include what the computer lacks.
///
/// # Errors
/// See [`prepare_run`].
pub fn prepare_for_runs(
    env: &Env,
    document: Value,
    path: Option<String>,
    focus: Focus,
    budget: NewBudget,
) -> Result<PreparedFlow, ApiError> {
    let mut flow = prepare_flow(env, document, path, focus, budget)?;
    let environment = environment_problems(env, &flow.flow, flow.path.as_deref());
    if let Ok(plan) = &mut flow.plan {
        plan.warnings.extend(environment.iter().map(warning));
    }
    flow.problems.extend(environment);
    Ok(flow)
}

/// Creates a run of a prepared flow with these inputs, and checks them. If they are invalid, `input_error` says why.
/// Nothing is started.
pub fn with_inputs(env: &Env, mut flow: PreparedFlow, inputs: Map<String, Value>) -> PreparedRun {
    let checked = flow
        .plan
        .as_ref()
        .map(|plan| check_inputs(&flow.flow, plan, env.kinds(), &inputs));
    let checked = match checked {
        Ok(Ok(())) => fill_in(env.kinds(), &mut flow, &inputs),
        Ok(Err(error)) => Err(error),
        // The flow cannot run with any inputs.
        Err(_) => Ok(()),
    };
    PreparedRun {
        input_error: checked.err(),
        flow,
        inputs,
        schedule: None,
    }
}

/// Replaces the inputs in the folders of workspaces with their values. If this changes a folder, plans the flow again.
///
/// # Errors
/// Returns the errors of [`fill_in_folders`], and an error if the flow cannot run.
pub(crate) fn fill_in(
    kinds: &KindSet,
    flow: &mut PreparedFlow,
    inputs: &Map<String, Value>,
) -> Result<(), ApiError> {
    if !fill_in_folders(&mut flow.flow, kinds.specs(), inputs)? {
        return Ok(());
    }
    let warnings = flow.plan()?.warnings.clone();
    let mut plan = planned(&flow.flow, kinds, &[], &flow.focus)?;
    plan.warnings = warnings;
    flow.plan = Ok(plan);
    Ok(())
}

/// Prepares a flow for runs: reads it, sets the budget and the retry policy of each run, then links, validates and plans it. If
/// neither `budget` nor the flow sets a budget in dollars, the one from the settings applies.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the budget is not a valid amount.
pub(crate) fn prepare_flow(
    env: &Env,
    mut document: Value,
    path: Option<String>,
    focus: Focus,
    mut budget: NewBudget,
) -> Result<PreparedFlow, ApiError> {
    let mut flow = file::read_value(document.clone())?;
    if budget.usd.is_none() && flow.settings().budget_usd.is_none() {
        budget.usd = env.settings().budget_usd;
    }
    set_budget(&mut flow, &mut document, budget)?;
    let says = flow.settings().retry.is_some();
    let usual = (says || env.settings().retry_calls).then(usual_retry);
    let usual = usual.as_ref().and_then(Value::as_object);
    set_retry(&mut flow, &mut document, usual, env.kinds().specs());
    plan_flow(env, flow, document, path, focus)
}

/// Returns the greatest possible cost of a prepared run.
///
/// # Errors
/// Returns an error if the model settings cannot be read.
pub fn most_it_can_cost(env: &Env, prepared: &PreparedRun) -> Result<CostEstimate, ApiError> {
    most_it_can_cost_with(env, &prepared.flow, &prepared.inputs)
}

/// Returns the greatest possible cost of a run of a prepared flow. `inputs` contains the inputs by name. For a missing
/// input, its default is used. If the flow has errors, all amounts are unknown.
///
/// # Errors
/// Returns an error if the model settings cannot be read.
pub fn most_it_can_cost_with(
    env: &Env,
    prepared: &PreparedFlow,
    inputs: &Map<String, Value>,
) -> Result<CostEstimate, ApiError> {
    if let Some(error) = prepared.problems.iter().find(|problem| problem.is_error()) {
        return Ok(CostEstimate {
            max_calls: None,
            max_usd: None,
            max_tokens: None,
            agent_turns: None,
            unknown: vec![format!("The flow has errors. {}", error.message)],
            unbounded: Vec::new(),
            note: "cost unknown".to_owned(),
        });
    }
    let plan = prepared.plan()?;
    let providers = provider_set(env)?;
    Ok(crate::estimate::estimate(
        &prepared.flow,
        plan,
        env.kinds(),
        &providers,
        inputs,
    ))
}

/// Returns the names of the text inputs that are empty at the start of the prepared run: they have neither a value nor a
/// default, or only blank text.
pub fn empty_texts<'a>(env: &Env, prepared: &'a PreparedRun) -> Vec<&'a str> {
    let Ok(plan) = &prepared.flow.plan else {
        return Vec::new();
    };
    plan.inputs()
        .filter(|input| {
            let value = prepared.inputs.get(input.name).or(input.default);
            let is_text =
                value_type(&prepared.flow.flow, env.kinds(), input.id) == Some(ValueType::Text);
            is_text && value.is_none_or(is_blank)
        })
        .map(|input| input.name)
        .collect()
}

/// Returns the greatest possible cost of a run of a flow that is being edited.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the model settings cannot be read.
pub fn estimate(
    env: &Env,
    document: Value,
    path: Option<&str>,
    inputs: &Map<String, Value>,
) -> Result<CostEstimate, ApiError> {
    let flow = file::read_value(document.clone())?;
    let path = path.map(str::to_owned);
    let prepared = plan_flow(env, flow, document, path, Focus::default())?;
    most_it_can_cost_with(env, &prepared, inputs)
}

/// Returns the problems in a flow, without its plan. `path` is the flow's file; references to other files are relative to
/// it.
///
/// # Errors
/// Returns an error if the document is not a flow.
pub fn validate(
    env: &Env,
    document: &Value,
    path: Option<&str>,
) -> Result<Vec<ProblemInfo>, ApiError> {
    let flow = file::read_value(document.clone())?;
    let linked = subflows::checked(&flow, path, env.kinds().specs());
    let environment = environment_problems(env, &linked.flow, path);
    Ok(linked
        .problems
        .iter()
        .chain(&environment)
        .map(problem_info)
        .collect())
}

/// Links, validates and plans a flow that was read from `document`.
///
/// # Errors
/// Returns an error if the linked flow cannot be written as JSON.
pub fn plan_flow(
    env: &Env,
    flow: Flow,
    document: Value,
    path: Option<String>,
    focus: Focus,
) -> Result<PreparedFlow, ApiError> {
    let kinds = env.kinds();
    let identity = identity(path.as_deref(), &flow);
    let Linked {
        flow,
        has_read,
        problems,
    } = subflows::checked(&flow, path.as_deref(), kinds.specs());
    let document = if has_read {
        serde_json::to_value(&flow)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?
    } else {
        document
    };
    let plan = refuse(&problems).and_then(|()| planned(&flow, kinds, &problems, &focus));
    Ok(PreparedFlow {
        flow,
        document,
        path,
        identity,
        focus,
        problems,
        plan,
    })
}

impl PreparedRun {
    /// Returns the problems in the flow, and what this computer lacks to run it.
    pub fn problems(&self) -> Vec<ProblemInfo> {
        self.flow.problems.iter().map(problem_info).collect()
    }
}

/// A stored run that is ready to be continued.
pub struct StoredRun {
    /// The run's current flow.
    pub flow: Flow,
    /// The plans of all flows that the run has had.
    pub plans: Plans,
    /// The inputs that the run began with.
    pub inputs: Map<String, Value>,
}

/// Plans a stored run. Its flow was linked and checked when the run was stored; it is validated again only to get its warnings.
///
/// # Errors
/// Returns an error if this program cannot plan the flow.
pub fn stored_run(header: &RunHeader, kinds: &KindSet) -> Result<StoredRun, ApiError> {
    let plan =
        |document: &Value, pins: &Map<String, Value>, until: &Option<String>, inputs: &Value| {
            let mut flow = file::read_value(document.clone())?;
            fill_in_folders(&mut flow, kinds.specs(), &object(inputs))?;
            let problems = rules::validate(&flow, kinds.specs());
            let focus = Focus {
                pins: pins.clone(),
                until: until.clone(),
            };
            let plan = planned(&flow, kinds, &problems, &focus)?;
            Ok::<_, ApiError>((flow, Arc::new(plan)))
        };
    let setup = &header.setup;
    let began_with = match &setup.origin {
        Some(origin) => &origin.inputs,
        None => &header.inputs,
    };
    let (flow, last) = plan(&header.document, &setup.pins, &setup.until, &header.inputs)?;
    let earlier: &[Earlier] = setup.origin.as_ref().map_or(&[], |origin| &origin.earlier);
    let mut all = Vec::with_capacity(earlier.len() + 1);
    for before in earlier {
        let (_, plan) = plan(&before.document, &before.pins, &before.until, began_with)?;
        all.push(plan);
    }
    all.push(last);
    let mut all = all.into_iter();
    let Some(first) = all.next() else {
        return Err(ApiError::new(Code::Internal, "The stored run has no plan."));
    };
    Ok(StoredRun {
        flow,
        plans: all.fold(Plans::from(first), Plans::then),
        inputs: object(began_with),
    })
}

/// Returns the fields of an object, or no fields if `value` is not an object.
pub(crate) fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Plans a flow. The warnings of the validation become warnings of each run.
fn planned(
    flow: &Flow,
    kinds: &KindSet,
    problems: &[Problem],
    focus: &Focus,
) -> Result<Plan, ApiError> {
    let mut plan =
        plan::plan(flow, kinds).map_err(|error| ApiError::new(Code::InvalidFlow, error.message))?;
    plan.focus(flow, kinds, focus)
        .map_err(|error| ApiError::new(Code::InvalidArgument, error.message))?;
    plan.warnings = problems
        .iter()
        .filter(|problem| !problem.is_error())
        // A loop itself reports a limit that was lowered, when it begins.
        .filter(|problem| {
            problem.code != "clamped" || problem.place.as_deref() != Some("maxIterations")
        })
        .map(warning)
        .collect();
    Ok(plan)
}

/// Converts a problem to a run's warning.
pub(crate) fn warning(problem: &Problem) -> Warning {
    Warning {
        code: problem.code.to_owned(),
        node: problem.node.clone(),
        message: problem.message.clone(),
    }
}

fn refuse(problems: &[Problem]) -> Result<(), ApiError> {
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.is_error())
        .collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let more = match errors.len() {
        1 => String::new(),
        count => format!(" And {} more; `loopwright validate` lists them.", count - 1),
    };
    Err(ApiError::new(
        Code::InvalidFlow,
        format!(
            "The flow has errors and was not run. {}{more}",
            first.message
        ),
    ))
}

/// Checks that every input exists and has the type that its node declares, and that every required input that the run can
/// reach has a value. Blank text does not count as a value, whether it is an input or a default.
///
/// # Errors
/// [`Code::InvalidArgument`] if an input is unknown or has the wrong type, or a required one is missing. The message names
/// it.
pub fn check_inputs(
    flow: &Flow,
    plan: &Plan,
    kinds: &KindSet,
    inputs: &Map<String, Value>,
) -> Result<(), ApiError> {
    let refused = |message| Err(ApiError::new(Code::InvalidArgument, message));
    let known: Vec<PlanInput<'_>> = plan.inputs().collect();
    for (name, value) in inputs {
        let Some(input) = known.iter().find(|input| input.name == name) else {
            let names: Vec<&str> = known.iter().map(|input| input.name).collect();
            let known = if names.is_empty() {
                "This flow has no inputs.".to_owned()
            } else {
                format!("This flow has: {}.", names.join(", "))
            };
            return refused(format!("There is no input `{name}`. {known}"));
        };
        match value_type(flow, kinds, input.id) {
            Some(ValueType::Number) if !value.is_number() => {
                return refused(format!(
                    "The input `{name}` must be a number, but is {value}."
                ));
            }
            Some(ValueType::Boolean) if !value.is_boolean() => {
                return refused(format!(
                    "The input `{name}` must be true or false, but is {value}."
                ));
            }
            _ => {}
        }
    }
    for PlanInput {
        id,
        name,
        default,
        required,
    } in known
    {
        let is_text = value_type(flow, kinds, id) == Some(ValueType::Text);
        let lacks = match inputs.get(name).or(default) {
            None => "was not given",
            Some(value) if is_text && is_blank(value) => "is blank",
            Some(_) => continue,
        };
        if required {
            return refused(format!(
                "The input `{name}` is required and {lacks}. Give it a value (on the command line: --input {name}=…), or set a default."
            ));
        }
    }
    Ok(())
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Returns the value type that an input's node declares; `None` if there is no such node.
fn value_type(flow: &Flow, kinds: &KindSet, id: &str) -> Option<ValueType> {
    let node = flow.node(id)?;
    let handles = kinds.specs().of(node)?.handles(&node.data);
    handles
        .outputs
        .iter()
        .find(|handle| handle.primary)
        .map(|handle| handle.value_type)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use loopwright_engine::{
        ApprovalPolicy, Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, RunStatus, Step,
        trust::Grants,
    };
    use loopwright_model::{Category, Handle, Handles, KindSpec, Node, Shape, kind::Data};
    use loopwright_providers::Keys;
    use serde_json::json;
    use tokio::runtime::Handle as Runtime;

    use super::*;
    use crate::{leader::start_prepared, running::StartOptions, trust::needs};

    #[derive(Default)]
    struct Counts {
        validated: AtomicUsize,
        planned: AtomicUsize,
        executed: Arc<AtomicUsize>,
    }

    /// A kind that counts operations on its nodes: a validation checks a node once, and a plan compiles it once.
    struct Counting(Arc<Counts>);

    impl KindSpec for Counting {
        fn type_name(&self) -> &'static str {
            "counting"
        }
        fn title(&self) -> &'static str {
            "Counting"
        }
        fn category(&self) -> Category {
            Category::Flow
        }
        fn icon(&self) -> &'static str {
            "hash"
        }
        fn summary(&self) -> &'static str {
            "counts"
        }
        fn doc(&self) -> &'static str {
            "Counts."
        }
        fn shape(&self) -> Shape {
            Shape::Plain
        }
        fn handles(&self, _data: &Data) -> Handles {
            Handles {
                inputs: Vec::new(),
                outputs: vec![Handle::primary("output", ValueType::Any)],
            }
        }
        fn schema(&self) -> Value {
            json!({ "type": "object", "properties": {} })
        }
        fn defaults(&self) -> Data {
            Data::new()
        }
        fn check(&self, _node: &Node, _problems: &mut Vec<Problem>) {
            self.0.validated.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Kind for Counting {
        fn compile(&self, _node: &Node) -> Result<Box<dyn Execute>, NodeError> {
            self.0.planned.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Executed(Arc::clone(&self.0.executed))))
        }
    }

    struct Executed(Arc<AtomicUsize>);

    impl Execute for Executed {
        fn run(&self, _input: &NodeInput, _cx: &NodeContext) -> Step {
            self.0.fetch_add(1, Ordering::Relaxed);
            Step::Done(Ok(Outcome::single("output", json!(1))))
        }
    }

    fn options() -> StartOptions {
        StartOptions {
            allow: Grants::default(),
            approve: ApprovalPolicy::None,
            events: Arc::new(|_| {}),
        }
    }

    #[tokio::test]
    async fn from_preparation_to_end_a_run_is_validated_and_planned_once() {
        let folder = tempfile::tempdir().unwrap();
        let counts = Arc::new(Counts::default());
        let kinds = KindSet::new(vec![Arc::new(Counting(Arc::clone(&counts)))]);
        let env = Env::open(folder.path(), Runtime::current(), Keys::system(), None).unwrap();
        let env = Arc::new(Arc::into_inner(env).unwrap().with_kinds(kinds));
        let document = json!({
            "schemaVersion": 1, "name": "Counted",
            "nodes": [{ "id": "one", "type": "counting", "position": { "x": 0, "y": 0 }, "data": {} }],
            "edges": []
        });
        // The window makes the same calls before it starts a run.
        let request = RunRequest {
            document,
            ..RunRequest::default()
        };
        let prepared = prepare_run(&env, request).unwrap();
        prepared.check().unwrap();
        let most = most_it_can_cost(&env, &prepared).unwrap();
        assert_eq!(most.max_calls, Some(0));
        assert_eq!(needs(&env, &prepared).unwrap().missing, 0);
        let started = start_prepared(&env, prepared, options()).unwrap();
        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(outcome.status, RunStatus::Completed);
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        assert_eq!(count(&counts.validated), 1);
        assert_eq!(count(&counts.planned), 1);
        assert_eq!(count(&counts.executed), 1);
    }
}
