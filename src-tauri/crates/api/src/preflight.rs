//! What a flow is looked at for before it runs: its problems, its plan, the inputs that it is given, and what it can cost.

use std::sync::Arc;

use loopwright_engine::{
    KindSet,
    event::Warning,
    journal::{Earlier, RunHeader},
    plan::{self, Focus, Plan, PlanInput},
    run::Plans,
};
use loopwright_model::{Flow, Problem, ValueType, file, subflow::Linked, validate::validate};
use serde_json::{Map, Value};

use crate::{
    analysis::problem_info,
    app::App,
    dto::{CostEstimate, ProblemInfo},
    error::{ApiError, Code},
    estimate::estimate,
    subflows,
};

impl App {
    /// The most that a run of a flow can cost, before it starts. `inputs` by name; those that are not given count with their
    /// defaults.
    pub fn estimate(
        &self,
        document: Value,
        path: Option<&str>,
        inputs: &Map<String, Value>,
    ) -> Result<CostEstimate, ApiError> {
        let flow = file::read_value(document)?;
        let Linked { flow, problems, .. } = subflows::checked(&flow, path, self.kinds().specs());
        if let Some(error) = problems.iter().find(|problem| problem.is_error()) {
            return Ok(CostEstimate {
                max_calls: None,
                max_usd: None,
                max_tokens: None,
                unknown: vec![format!("The flow has errors. {}", error.message)],
                note: "cost unknown".to_owned(),
            });
        }
        let plan = planned(&flow, self.kinds(), &problems, &Focus::default())?;
        let providers = self.provider_set()?;
        Ok(estimate(&flow, &plan, self.kinds(), &providers, inputs))
    }

    /// Problems of a flow, for `validate`. `path`: its file, from which its references to other files start.
    pub fn validate(
        &self,
        document: &Value,
        path: Option<&str>,
    ) -> Result<Vec<ProblemInfo>, ApiError> {
        let flow = file::read_value(document.clone())?;
        let linked = subflows::checked(&flow, path, self.kinds().specs());
        let environment = self.environment_problems(&linked.flow, path);
        Ok(linked
            .problems
            .iter()
            .chain(&environment)
            .map(problem_info)
            .collect())
    }
}

/// A flow that can be run.
pub(crate) struct Checked {
    pub(crate) flow: Flow,
    /// With what other files held inline: it is kept with the run, which never looks at them again.
    pub(crate) document: Value,
    pub(crate) plan: Plan,
}

/// Checks and plans a flow that is about to run.
pub(crate) fn check(
    flow: Flow,
    document: Value,
    path: Option<&str>,
    kinds: &KindSet,
    focus: &Focus,
) -> Result<Checked, ApiError> {
    let Linked {
        flow,
        has_read,
        problems,
    } = subflows::checked(&flow, path, kinds.specs());
    refuse(&problems)?;
    let document = if has_read {
        serde_json::to_value(&flow)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?
    } else {
        document
    };
    let plan = planned(&flow, kinds, &problems, focus)?;
    Ok(Checked {
        flow,
        document,
        plan,
    })
}

/// The plans of a stored run, of every flow that it went by, and the inputs that it began with.
pub(crate) fn plans_of(
    header: &RunHeader,
    kinds: &KindSet,
) -> Result<(Plans, Map<String, Value>), ApiError> {
    let plan = |document: &Value, pins: &Map<String, Value>, until: &Option<String>| {
        let flow = file::read_value(document.clone())?;
        let problems = validate(&flow, kinds.specs());
        let focus = Focus {
            pins: pins.clone(),
            until: until.clone(),
        };
        planned(&flow, kinds, &problems, &focus).map(Arc::new)
    };
    let setup = &header.setup;
    let last = plan(&header.document, &setup.pins, &setup.until)?;
    let earlier: &[Earlier] = setup.origin.as_ref().map_or(&[], |origin| &origin.earlier);
    let mut all = Vec::with_capacity(earlier.len() + 1);
    for before in earlier {
        all.push(plan(&before.document, &before.pins, &before.until)?);
    }
    all.push(last);
    let mut all = all.into_iter();
    let Some(first) = all.next() else {
        return Err(ApiError::new(Code::Internal, "A run without a plan."));
    };
    let inputs = setup
        .origin
        .as_ref()
        .map_or(&header.inputs, |origin| &origin.inputs);
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    Ok((all.fold(Plans::from(first), Plans::then), inputs))
}

/// Plans a flow; what validation warned of is repeated on its runs.
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
        // A loop says itself that it is clamped, when it begins.
        .filter(|problem| {
            problem.code != "clamped" || problem.place.as_deref() != Some("maxIterations")
        })
        .map(warning)
        .collect();
    Ok(plan)
}

/// As a run tells it.
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

/// Every given input must exist and be of the kind that its node declares, and every one that is required must have a value, as far
/// as the run comes to it. A text that is blank is none, whether it was given or is the default.
///
/// # Errors
/// [`Code::InvalidArgument`], with the names that there are, or the name that lacks.
pub(crate) fn check_inputs(
    flow: &Flow,
    plan: &Plan,
    kinds: &KindSet,
    inputs: Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let refused = |message| Err(ApiError::new(Code::InvalidArgument, message));
    let known: Vec<PlanInput<'_>> = plan.inputs().collect();
    for (name, value) in &inputs {
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
                    "The input `{name}` is a number, and {value} is none."
                ));
            }
            Some(ValueType::Boolean) if !value.is_boolean() => {
                return refused(format!(
                    "The input `{name}` is true or false, and {value} is neither."
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
    Ok(inputs)
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// What an input gives, by the declaration of its node.
fn value_type(flow: &Flow, kinds: &KindSet, id: &str) -> Option<ValueType> {
    let node = flow.node(id)?;
    let handles = kinds.specs().of(node)?.handles(&node.data);
    handles
        .outputs
        .iter()
        .find(|handle| handle.primary)
        .map(|handle| handle.value_type)
}
