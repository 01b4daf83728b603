//! What a node's templates and a loop's expressions see.

use std::{borrow::Cow, sync::Arc};

use loopwright_model::{
    meter::{self, Limit},
    value::{describe, to_text},
};
use loopwright_template::{Expression, Scope as Names, TemplateError};
use serde_json::{Map, Value};

use super::{
    Run, Scope,
    arena::{FrameId, ScopeId},
};
use crate::{
    outcome::{NodeError, Outcome},
    plan::{
        Binding, Bound, LoopConfig, Source,
        binding::{LoopName, NodeRef},
    },
    reading,
};

/// What the core computes in one step: the expressions and variables between two iterations. It computes where the run's
/// clock, its events and its cancel are waited for, so this is well below a second.
const IN_A_STEP: Limit = Limit {
    work: 500_000 * meter::STEP,
    bytes: 64 * 1024 * 1024,
    too_much_work: "what is computed between two iterations takes more than 500,000 steps",
    too_many_bytes: "what is computed between two iterations reads and makes more than 64 MB",
};
/// Where a step has computed as much, the next iteration begins in a step of its own.
const MUCH: u64 = IN_A_STEP.work / 8;

impl Run {
    /// Whether this step has computed for so long that others should have their turn. It depends on the
    /// run's inputs alone, so that a run that is rebuilt gives the same.
    pub(super) fn has_computed_much(&self) -> bool {
        self.computed() > MUCH
    }

    fn computed(&self) -> u64 {
        meter::work().saturating_sub(self.step_began)
    }

    /// Computes within what is left of the step's share.
    fn computing<T>(&self, computation: impl FnOnce() -> T) -> T {
        let left = Limit {
            work: IN_A_STEP.work.saturating_sub(self.computed()),
            ..IN_A_STEP
        };
        meter::within(left, computation)
    }

    /// The names that `node`'s templates read, with their values.
    pub(super) fn scope_of(
        &self,
        frame: FrameId,
        node: usize,
        inputs: &[(Arc<str>, Arc<Value>)],
        primary: Option<&Arc<Value>>,
    ) -> Names {
        let plan = &self.plan.nodes[node];
        if plan.bindings.is_empty() {
            return Names::new();
        }
        self.names(frame, &plan.bindings, inputs, primary, None)
    }

    fn names(
        &self,
        frame: FrameId,
        bindings: &[Binding],
        inputs: &[(Arc<str>, Arc<Value>)],
        primary: Option<&Arc<Value>>,
        result: Option<&Arc<Value>>,
    ) -> Names {
        let mut names = Names::with_capacity(bindings.len());
        for binding in bindings {
            match &binding.bound {
                Bound::Node(node) => {
                    if let Some(outcome) = self.node_outcome(frame, node) {
                        reading::put(&mut names, Arc::clone(&binding.root), &outcome, &node.read);
                    }
                }
                Bound::Nodes(nodes) => {
                    let outcomes = nodes.iter().filter_map(|(id, node)| {
                        let outcome = self.node_outcome(frame, node)?;
                        Some((id.as_str(), Some(outcome), &node.read))
                    });
                    reading::put_all(&mut names, Arc::clone(&binding.root), outcomes);
                }
                Bound::Previous { up, nodes } => {
                    if let Some(Scope::Loop(looping)) = self
                        .out(frame, *up)
                        .and_then(|frame| self.scope_around(frame))
                    {
                        let before = |slot: usize| {
                            looping
                                .previous
                                .as_ref()
                                .and_then(|slots| slots[slot].clone())
                        };
                        let outcomes = nodes
                            .iter()
                            .map(|(id, slot, read)| (id.as_str(), before(*slot), read));
                        reading::put_all(&mut names, Arc::clone(&binding.root), outcomes);
                    }
                }
                bound => {
                    if let Some(value) = self.fetch(frame, bound, inputs, primary, result) {
                        names.insert(Arc::clone(&binding.root), value);
                    }
                }
            }
        }
        names
    }

    fn fetch(
        &self,
        frame: FrameId,
        bound: &Bound,
        inputs: &[(Arc<str>, Arc<Value>)],
        primary: Option<&Arc<Value>>,
        result: Option<&Arc<Value>>,
    ) -> Option<Arc<Value>> {
        let handle = |name: &str| {
            inputs
                .iter()
                .find(|(handle, _)| **handle == *name)
                .map(|(_, value)| Arc::clone(value))
        };
        Some(match bound {
            Bound::PrimaryInput => Arc::clone(primary?),
            Bound::Handle(name) => handle(name)?,
            Bound::Inputs(names) => {
                let object: Map<String, Value> = inputs
                    .iter()
                    .filter(|(name, _)| {
                        names.is_empty() || names.iter().any(|wanted| *wanted == **name)
                    })
                    .map(|(name, value)| (name.to_string(), (**value).clone()))
                    .collect();
                Arc::new(Value::Object(object))
            }
            Bound::Run => self.frames.get(frame)?.given.as_run(),
            Bound::Loop { up, what } => self.loop_name(self.out(frame, *up)?, *what)?,
            Bound::Loops(loops) => Arc::new(Value::Object(
                loops
                    .iter()
                    .filter_map(|(id, up)| {
                        let frame = self.out(frame, *up)?;
                        let mut names = Map::new();
                        for (name, what) in [
                            ("loopIndex", LoopName::Index),
                            ("loopCount", LoopName::Count),
                            ("loopResult", LoopName::Result),
                            ("loopStartTime", LoopName::StartTime),
                        ] {
                            let value = self.loop_name(frame, what)?;
                            names.insert(name.to_owned(), Arc::unwrap_or_clone(value));
                        }
                        Some((id.clone(), Value::Object(names)))
                    })
                    .collect(),
            )),
            Bound::Vars { up } => match self.scope_around(self.out(frame, *up)?)? {
                Scope::Loop(looping) => Arc::clone(&looping.vars),
                Scope::List(_) | Scope::Subflow(_) => return None,
            },
            Bound::Item { up } => {
                let frame = self.out(frame, *up)?;
                Arc::clone(&self.frames.get(frame)?.input)
            }
            Bound::Index { up } => {
                let frame = self.out(frame, *up)?;
                Arc::new(Value::from(self.frames.get(frame)?.index))
            }
            Bound::Result => Arc::clone(result?),
            // Read of nodes: see `names`.
            Bound::Node(_) | Bound::Nodes(_) | Bound::Previous { .. } => return None,
        })
    }

    fn out(&self, frame: FrameId, up: usize) -> Option<FrameId> {
        let mut at = frame;
        for _ in 0..up {
            at = self.frames.get(at)?.parent?.0;
        }
        Some(at)
    }

    fn scope_around(&self, frame: FrameId) -> Option<&Scope> {
        self.scopes.get(self.frames.get(frame)?.scope?)
    }

    fn loop_name(&self, frame: FrameId, what: LoopName) -> Option<Arc<Value>> {
        let state = self.frames.get(frame)?;
        let Some(Scope::Loop(looping)) = self.scope_around(frame) else {
            return None;
        };
        Some(match what {
            LoopName::Index => Arc::new(Value::from(state.index)),
            LoopName::Count => Arc::new(Value::from(state.index + 1)),
            LoopName::Result => looping.last.clone().unwrap_or_default(),
            LoopName::StartTime => Arc::new(Value::from(crate::event::timestamp(looping.began_at))),
            LoopName::Input => Arc::clone(&state.input),
        })
    }

    fn node_outcome(&self, frame: FrameId, node: &NodeRef) -> Option<Cow<'_, Outcome>> {
        Some(match &node.source {
            Source::Local { slot, .. } => Cow::Borrowed(self.outcome(frame, *slot)?),
            Source::Outer { up, slot, .. } => {
                Cow::Borrowed(self.outcome(self.out(frame, *up)?, *slot)?)
            }
            Source::ScopeInput { up, .. } => {
                let state = self.frames.get(self.out(frame, *up)?)?;
                Cow::Owned(
                    Outcome::single("output", Arc::clone(&state.input))
                        .with("body", Arc::clone(&state.input))
                        .with("item", Arc::clone(&state.input))
                        .with("index", Value::from(state.index)),
                )
            }
        })
    }

    pub(super) fn test(
        &self,
        frame: FrameId,
        scope: ScopeId,
        expression: &Expression,
        bindings: &[Binding],
        result: &Arc<Value>,
    ) -> Result<bool, NodeError> {
        self.computing(|| expression.test(&self.loop_names(frame, bindings, result)))
            .map_err(|error| self.expression_error(scope, "condition", &error))
    }

    /// What an iteration gives for an extra output; `None` where it has no value.
    pub(super) fn output_value(
        &self,
        frame: FrameId,
        scope: ScopeId,
        expression: &Expression,
        bindings: &[Binding],
        result: &Arc<Value>,
    ) -> Result<Option<Value>, NodeError> {
        let names = self.loop_names(frame, bindings, result);
        match self.computing(|| expression.evaluate(&names)) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code == "undefined" => Ok(None),
            Err(error) => Err(self.expression_error(scope, "output", &error)),
        }
    }

    pub(super) fn evaluate(
        &self,
        frame: FrameId,
        scope: ScopeId,
        expression: &Expression,
        bindings: &[Binding],
        result: &Arc<Value>,
    ) -> Result<f64, NodeError> {
        self.computing(|| expression.evaluate(&self.loop_names(frame, bindings, result)))
            .map_err(|error| self.expression_error(scope, "score", &error))
            .and_then(|value| {
                as_score(&value).ok_or_else(|| {
                    NodeError::new(
                        "score_not_a_number",
                        format!(
                            "The score of \"{}\" must be a number and is {}. Write an expression in `score` that gives one, such as `critique.score`.",
                            self.loop_title(scope),
                            describe(&value)
                        ),
                    )
                })
            })
    }

    fn loop_names(&self, frame: FrameId, bindings: &[Binding], result: &Arc<Value>) -> Names {
        let input = self.frames.get(frame).map(|state| Arc::clone(&state.input));
        self.names(frame, bindings, &[], input.as_ref(), Some(result))
    }

    fn loop_title(&self, scope: ScopeId) -> &str {
        match self.scopes.get(scope) {
            Some(Scope::Loop(looping)) => {
                let node = self.node_at(looping.at.0, looping.at.1);
                self.plan.nodes[node].title.as_str()
            }
            _ => "",
        }
    }

    fn expression_error(&self, scope: ScopeId, what: &str, error: &TemplateError) -> NodeError {
        let title = self.loop_title(scope);
        NodeError::new(error.code, format!("The {what} of \"{title}\": {error}"))
    }

    pub(super) fn first_vars(
        &self,
        frame: FrameId,
        config: &LoopConfig,
    ) -> Result<Vec<Value>, NodeError> {
        self.render_vars(frame, config, true, None, &[], &Arc::new(Value::Null))
    }

    pub(super) fn next_vars(
        &self,
        frame: FrameId,
        scope: ScopeId,
        config: &LoopConfig,
        bindings: &[Vec<Binding>],
        result: &Arc<Value>,
    ) -> Result<Vec<Value>, NodeError> {
        let old = match self.scopes.get(scope) {
            Some(Scope::Loop(looping)) => looping.vars.as_object(),
            _ => None,
        };
        self.render_vars(frame, config, false, old, bindings, result)
    }

    /// The values of a loop's variables, in their order.
    fn render_vars(
        &self,
        frame: FrameId,
        config: &LoopConfig,
        first: bool,
        old: Option<&Map<String, Value>>,
        bindings: &[Vec<Binding>],
        result: &Arc<Value>,
    ) -> Result<Vec<Value>, NodeError> {
        let mut values = Vec::with_capacity(config.variables.len());
        let empty = Vec::new();
        let graph = self.frames.get(frame).map_or(0, |state| state.graph);
        let title = self.plan.graphs[graph]
            .owner
            .map_or("", |owner| self.plan.nodes[owner].title.as_str());
        for (index, variable) in config.variables.iter().enumerate() {
            let failed = |error: TemplateError| {
                NodeError::new(
                    error.code,
                    format!("The variable `{}` of \"{title}\": {error}", variable.name),
                )
            };
            let value = if first {
                match (&variable.initial, &variable.constant) {
                    (Some(template), _) => {
                        let bindings = self.plan.graphs[graph]
                            .initial_bindings
                            .get(index)
                            .unwrap_or(&empty);
                        let names = self.loop_names(frame, bindings, result);
                        self.computing(|| template.render(&names)).map_err(failed)?
                    }
                    (None, constant) => constant.clone().unwrap_or_default(),
                }
            } else if let Some(next) = &variable.next_constant {
                next.clone()
            } else if let Some(next) = &variable.next {
                let bindings = bindings.get(index).unwrap_or(&empty);
                let names = self.loop_names(frame, bindings, result);
                self.computing(|| next.render(&names)).map_err(failed)?
            } else {
                old.and_then(|old| old.get(&variable.name).cloned())
                    .unwrap_or_default()
            };
            values.push(value);
        }
        Ok(values)
    }
}

/// A number out of an expression's value; `None` where it is none, or none that can be compared.
fn as_score(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| to_text(value).trim().parse().ok())
        .filter(|score: &f64| score.is_finite())
}
