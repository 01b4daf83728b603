//! The names that a node's templates and a loop's expressions read, with their values.

use std::{borrow::Cow, sync::Arc};

use loopwright_model::{
    graph::NodeIx,
    value::{describe, to_text},
};
use loopwright_template::{Expression, Scope as Names, TemplateError};
use serde_json::{Map, Value};

use super::{
    arena::{FrameId, ScopeId},
    clock::Clock,
    frame::Frame,
    repeat::machine::LoopMachine,
    scope::Scope,
    tree::Tree,
};
use crate::{
    exit::Condition,
    kind::NodeInput,
    outcome::{NodeError, Outcome},
    plan::{
        Binding, Bound, LoopConfig, Source, Work,
        binding::{LoopName, NodeRef},
    },
    reading,
};

/// Reads the values of names, without changing the run.
#[derive(Clone, Copy)]
pub(super) struct Reader<'r> {
    pub(super) tree: &'r Tree,
    pub(super) clock: &'r Clock,
}

impl<'r> Reader<'r> {
    /// Returns the names that `node`'s templates read, with their values.
    pub(super) fn names_of(
        self,
        frame: FrameId,
        node: NodeIx,
        inputs: &[(Arc<str>, Arc<Value>)],
        primary: Option<&Arc<Value>>,
    ) -> Names {
        let plan = &self.tree.plan.nodes[node];
        if plan.bindings.is_empty() {
            return Names::new();
        }
        self.names(frame, &plan.bindings, inputs, primary, None)
    }

    /// Returns an outcome that replaces an execution, including the memory item that the execution would have left.
    pub(super) fn as_if_executed(
        self,
        frame: FrameId,
        node: NodeIx,
        outcome: &Outcome,
        inputs: &[(Arc<str>, Arc<Value>)],
    ) -> Outcome {
        let mut outcome = outcome.clone();
        if outcome.remember.is_none()
            && let Work::Execute(execute) = &self.tree.plan.nodes[node].work
        {
            let primary = self.tree.primary(frame, node);
            let input = NodeInput {
                scope: self.names_of(frame, node, inputs, primary.as_ref()),
                input: primary,
                memory: Vec::new(),
                inputs: inputs.to_vec(),
            };
            outcome.remember = execute.remembers(&input, &outcome.value).map(Arc::new);
        }
        outcome
    }

    fn names(
        self,
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
                    let around = self.tree.out(frame, *up);
                    if let Some(looping) = around.and_then(|frame| self.loop_around(frame)) {
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
        self,
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
            Bound::Run => self.frame(frame)?.given.as_run(),
            Bound::Loop { up, what } => self.loop_name(self.tree.out(frame, *up)?, *what)?,
            Bound::Loops(loops) => Arc::new(Value::Object(
                loops
                    .iter()
                    .filter_map(|(id, up)| {
                        let frame = self.tree.out(frame, *up)?;
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
            Bound::Vars { up } => {
                let looping = self.loop_around(self.tree.out(frame, *up)?)?;
                Arc::clone(&looping.vars)
            }
            Bound::Item { up } => {
                let frame = self.tree.out(frame, *up)?;
                Arc::clone(&self.frame(frame)?.input)
            }
            Bound::Index { up } => {
                let frame = self.tree.out(frame, *up)?;
                Arc::new(Value::from(self.frame(frame)?.index))
            }
            Bound::Result => Arc::clone(result?),
            // These bindings read values of nodes, which `names` handles.
            Bound::Node(_) | Bound::Nodes(_) | Bound::Previous { .. } => return None,
        })
    }

    fn frame(self, frame: FrameId) -> Option<&'r Frame> {
        self.tree.frames.get(frame)
    }

    fn loop_around(self, frame: FrameId) -> Option<&'r LoopMachine> {
        match self.tree.scope_around(frame)? {
            Scope::Loop(looping) => Some(looping),
            Scope::List(_) | Scope::Subflow(_) => None,
        }
    }

    fn loop_name(self, frame: FrameId, what: LoopName) -> Option<Arc<Value>> {
        let state = self.frame(frame)?;
        let looping = self.loop_around(frame)?;
        Some(match what {
            LoopName::Index => Arc::new(Value::from(state.index)),
            LoopName::Count => Arc::new(Value::from(state.index + 1)),
            LoopName::Result => looping.last().cloned().unwrap_or_default(),
            LoopName::StartTime => Arc::new(Value::from(crate::event::timestamp(looping.began_at))),
            LoopName::Escalated => Arc::new(Value::from(looping.has_escalated())),
            LoopName::Input => Arc::clone(&state.input),
            LoopName::Resource => Arc::new(Value::Object(looping.resource.as_ref()?.view())),
        })
    }

    fn node_outcome(self, frame: FrameId, node: &NodeRef) -> Option<Cow<'r, Outcome>> {
        Some(match &node.source {
            Source::Local { slot, .. } => Cow::Borrowed(self.tree.outcome(frame, *slot)?),
            Source::Outer { up, slot, .. } => {
                Cow::Borrowed(self.tree.outcome(self.tree.out(frame, *up)?, *slot)?)
            }
            Source::ScopeInput { up, .. } => {
                let state = self.frame(self.tree.out(frame, *up)?)?;
                Cow::Owned(
                    Outcome::single("output", Arc::clone(&state.input))
                        .with("body", Arc::clone(&state.input))
                        .with("item", Arc::clone(&state.input))
                        .with("index", Value::from(state.index)),
                )
            }
        })
    }

    /// Returns whether a loop's condition is met, evaluated with the names of an iteration and this result.
    ///
    /// # Errors
    /// Returns an error if the condition cannot be evaluated.
    pub(super) fn condition_holds(
        self,
        scope: ScopeId,
        frame: FrameId,
        condition: &Condition,
        result: &Arc<Value>,
    ) -> Result<bool, NodeError> {
        let graph = self.frame(frame).map_or(0, |state| state.graph);
        let bindings = &self.tree.plan.graphs[graph].condition_bindings;
        let names = || self.loop_names(frame, bindings, result);
        let value = self
            .clock
            .computing(|| condition.expression.test(&names()))
            .map_err(|error| self.expression_error(scope, "condition", &error))?;
        Ok(value == condition.met_when)
    }

    /// Returns an iteration's value of one of the loop's expressions, or `None` if it is undefined. `what` names the
    /// expression in an error.
    pub(super) fn loop_value(
        self,
        what: &str,
        frame: FrameId,
        scope: ScopeId,
        expression: &Expression,
        bindings: &[Binding],
        result: &Arc<Value>,
    ) -> Result<Option<Value>, NodeError> {
        let names = self.loop_names(frame, bindings, result);
        match self.clock.computing(|| expression.evaluate(&names)) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code == "undefined" => Ok(None),
            Err(error) => Err(self.expression_error(scope, what, &error)),
        }
    }

    /// Returns the score of an iteration.
    ///
    /// # Errors
    /// Returns an error if the expression cannot be evaluated, or if its value is not a finite number.
    pub(super) fn score(
        self,
        frame: FrameId,
        scope: ScopeId,
        expression: &Expression,
        bindings: &[Binding],
        result: &Arc<Value>,
    ) -> Result<f64, NodeError> {
        self.clock.computing(|| expression.evaluate(&self.loop_names(frame, bindings, result)))
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

    fn loop_names(self, frame: FrameId, bindings: &[Binding], result: &Arc<Value>) -> Names {
        let input = self.frame(frame).map(|state| Arc::clone(&state.input));
        self.names(frame, bindings, &[], input.as_ref(), Some(result))
    }

    fn loop_title(self, scope: ScopeId) -> &'r str {
        let node = || {
            let (frame, slot) = self.tree.looping(scope).ok()?.place.at;
            self.tree.node_at(frame, slot).ok()
        };
        node().map_or("", |node| self.tree.plan.nodes[node].title.as_str())
    }

    fn expression_error(self, scope: ScopeId, what: &str, error: &TemplateError) -> NodeError {
        let title = self.loop_title(scope);
        NodeError::new(error.code, format!("The {what} of \"{title}\": {error}"))
    }

    /// Returns the initial values of a loop's variables.
    ///
    /// # Errors
    /// Returns an error if a template cannot be rendered.
    pub(super) fn first_vars(
        self,
        frame: FrameId,
        config: &LoopConfig,
    ) -> Result<Vec<Value>, NodeError> {
        self.render_vars(frame, config, true, None, &[], &Arc::new(Value::Null))
    }

    /// Returns the values of a loop's variables after an iteration.
    ///
    /// # Errors
    /// Returns an error if a template cannot be rendered.
    pub(super) fn next_vars(
        self,
        frame: FrameId,
        scope: ScopeId,
        config: &LoopConfig,
        bindings: &[Vec<Binding>],
        result: &Arc<Value>,
    ) -> Result<Vec<Value>, NodeError> {
        let looping = self.tree.looping(scope).ok();
        let old = looping.and_then(|looping| looping.vars.as_object());
        self.render_vars(frame, config, false, old, bindings, result)
    }

    /// Returns the values of a loop's variables, in the order of the variables: the initial values if `first` is true,
    /// otherwise the values after an iteration.
    fn render_vars(
        self,
        frame: FrameId,
        config: &LoopConfig,
        first: bool,
        old: Option<&Map<String, Value>>,
        bindings: &[Vec<Binding>],
        result: &Arc<Value>,
    ) -> Result<Vec<Value>, NodeError> {
        let mut values = Vec::with_capacity(config.variables.len());
        let empty = Vec::new();
        let graph = self.frame(frame).map_or(0, |state| state.graph);
        let title = self.tree.plan.graphs[graph]
            .owner
            .map_or("", |owner| self.tree.plan.nodes[owner].title.as_str());
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
                        let bindings = self.tree.plan.graphs[graph]
                            .initial_bindings
                            .get(index)
                            .unwrap_or(&empty);
                        let names = self.loop_names(frame, bindings, result);
                        self.clock
                            .computing(|| template.render(&names))
                            .map_err(failed)?
                    }
                    (None, constant) => constant.clone().unwrap_or_default(),
                }
            } else if let Some(next) = &variable.next_constant {
                next.clone()
            } else if let Some(next) = &variable.next {
                let bindings = bindings.get(index).unwrap_or(&empty);
                let names = self.loop_names(frame, bindings, result);
                self.clock
                    .computing(|| next.render(&names))
                    .map_err(failed)?
            } else {
                old.and_then(|old| old.get(&variable.name).cloned())
                    .unwrap_or_default()
            };
            values.push(value);
        }
        Ok(values)
    }
}

/// Returns the value of an expression as a number, or `None` if it is not a finite number. Text such as `8.5` counts as a
/// number.
fn as_score(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| to_text(value).trim().parse().ok())
        .filter(|score: &f64| score.is_finite())
}
