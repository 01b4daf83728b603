//! The static description of a node kind: its shape, handles, configuration schema and templates.
//!
//! Kinds are registered once, in one ordered list. The palette, forms, TypeScript types and reference pages are generated from
//! it.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    document::Node,
    handles::Handles,
    problem::{Problem, Span},
};
use loopwright_template::{Expression, Occurrence, Reference, Template, TemplateError};

/// The `data` of a node: its configuration as a JSON object.
pub type Data = Map<String, Value>;

/// The role of a kind in a flow. The engine and validation match on the shape, never on a kind's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Plain,
    /// The node brings a value into the run.
    Input,
    /// The node sends a value out of the run.
    Output,
    /// The node opens a region that runs several times. `closed_by` is the type name of the kind that ends the region.
    ScopeStart {
        closed_by: &'static str,
        repeats: Repetition,
    },
    /// The node ends a region. With `optional_start`, the node may also be outside any region.
    ScopeEnd {
        opened_by: &'static str,
        optional_start: bool,
    },
    /// The node sends its value through one of its output handles.
    Branching,
    /// The node runs the flow in `data.flow`, or the flow that `data.ref` names. Its handles are the inputs and outputs of that
    /// flow.
    Subflow,
    /// The node never runs.
    Annotation,
}

/// The way in which a region repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// One iteration after another, each fed by the previous one.
    Loop,
    /// Once per item of a list, several at a time.
    Each,
}

/// The effect that running a node has on the outside world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectClass {
    /// The node has no effect: its outcome follows from its inputs.
    Pure,
    /// The node reads data or calls a model. Repeating it costs money but changes nothing.
    Reads,
    /// The node may change something outside the run. It is never repeated without asking.
    Writes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Io,
    Ai,
    Logic,
    Tools,
    Flow,
}

/// A template or expression in a node's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSite {
    /// The field, as a path within `data`: `template`, `branches[0].when`.
    pub field: String,
    pub source: String,
    pub mode: TemplateMode,
    /// The references of a `Script`, or its first error. Only its kind knows the script language.
    pub read: Option<Result<Vec<Reference>, TemplateError>>,
    /// The positions of the references in a `Script`.
    pub places: Vec<Occurrence>,
}

/// The span of the first occurrence of each name in a source, by root and path.
pub type NameSpans = HashMap<(String, Vec<String>), Span>;

impl TemplateSite {
    /// Returns the references of the source.
    ///
    /// # Errors
    /// Returns the first error in the source.
    pub fn references(&self) -> Result<Vec<Reference>, TemplateError> {
        match self.mode {
            TemplateMode::Template => Ok(Template::parse(&self.source)?.references().to_vec()),
            TemplateMode::Condition | TemplateMode::Expression => {
                Ok(Expression::parse(&self.source)?.references().to_vec())
            }
            TemplateMode::Script => self.read.clone().unwrap_or_else(|| Ok(Vec::new())),
        }
    }

    /// Returns every occurrence of a reference, in source order.
    ///
    /// # Errors
    /// Returns the first error in the source.
    pub fn occurrences(&self) -> Result<Vec<Occurrence>, TemplateError> {
        self.occurrences_in(&self.source)
    }

    /// Returns the span of the first occurrence of each name, by root and path, including its steps.
    pub fn spans(&self) -> NameSpans {
        let mut spans = NameSpans::new();
        // Occurrences are in source order, so each character is counted only once.
        let mut counted = (0, 0);
        for occurrence in self.occurrences().unwrap_or_default() {
            let (Reference { root, path, .. }, at) = (occurrence.reference, occurrence.at);
            let end = occurrence.steps.last().map_or(at.end, |step| step.end);
            let Some(before) = self.source.get(counted.0..at.start) else {
                continue;
            };
            counted = (at.start, counted.1 + before.encode_utf16().count());
            let read = self.source.get(at.start..end).unwrap_or_default();
            spans.entry((root, path)).or_insert_with(|| {
                let units = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
                Span {
                    from: units(counted.1),
                    to: units(counted.1 + read.encode_utf16().count()),
                }
            });
        }
        spans
    }

    /// Returns the occurrences as [`Self::occurrences`] does, but for another source. The positions of names in a script are
    /// known only for its own source.
    pub(crate) fn occurrences_in(&self, source: &str) -> Result<Vec<Occurrence>, TemplateError> {
        match self.mode {
            TemplateMode::Template => Occurrence::in_template(source),
            TemplateMode::Condition | TemplateMode::Expression => Occurrence::in_expression(source),
            TemplateMode::Script => match &self.read {
                Some(Err(mistake)) => Err(mistake.clone()),
                _ => Ok(self.places.clone()),
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateMode {
    /// Text with `{{ }}`. A single `{{ expression }}` keeps its JSON type.
    Template,
    /// A bare expression that must evaluate to a boolean. A missing field is false.
    Condition,
    /// A bare expression of any type.
    Expression,
    /// Source in the kind's own language, in which a missing name is nil.
    Script,
}

/// The static description of a node kind.
pub trait KindSpec: Send + Sync {
    /// Returns the `type` in the document.
    fn type_name(&self) -> &'static str;
    /// Returns the name shown to people: `LLM`.
    fn title(&self) -> &'static str;
    fn category(&self) -> Category;
    /// Returns the name of a lucide icon.
    fn icon(&self) -> &'static str;
    /// Returns two to four words for the palette: `prompt a model`.
    fn summary(&self) -> &'static str;
    /// Returns a Markdown paragraph for the reference pages.
    fn doc(&self) -> &'static str;
    fn shape(&self) -> Shape;
    fn effect(&self, _data: &Data) -> EffectClass {
        EffectClass::Pure
    }
    /// Whether a node of this kind can have outside effects in some configuration. If so, its form has the settings for calls
    /// that fail, hang or are interrupted.
    fn touches_world(&self) -> bool {
        self.effect(&self.defaults()) != EffectClass::Pure
    }
    /// Returns the handles of a node with this configuration. Malformed data is tolerated.
    fn handles(&self, data: &Data) -> Handles;
    /// Returns the JSON Schema of the kind's own fields in `data`. Validation adds the fields that every node may have.
    fn schema(&self) -> Value;
    /// Returns the `data` of a new node from the palette.
    fn defaults(&self) -> Data;
    /// Returns the templates and expressions in `data`, so that their syntax and references can be checked.
    fn templates(&self, _data: &Data) -> Vec<TemplateSite> {
        Vec::new()
    }
    /// Checks this node alone, beyond the schema.
    fn check(&self, _node: &Node, _problems: &mut Vec<Problem>) {}
    /// Whether a node with this configuration does nothing without a value at its primary input.
    fn needs_input(&self, _data: &Data) -> bool {
        false
    }
    /// Whether the node calls a model once per visit.
    fn calls_model(&self, _data: &Data) -> bool {
        false
    }
    /// Whether a node with this configuration uses the workflow's retry policy if it has none of its own.
    fn retries_by_default(&self, data: &Data) -> bool {
        self.calls_model(data)
    }
    /// Whether [`Self::retries_by_default`] is true in some configuration. If so, the node's form shows the workflow's policy.
    fn may_retry_by_default(&self) -> bool {
        self.retries_by_default(&self.defaults())
    }
    /// Whether each visit starts work without a cost limit, such as an agent turn.
    fn spends_unbounded(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the handle of the node's own output that the node reads from the previous iteration, as `previous.<id>.<handle>`.
    fn looks_back(&self, _data: &Data) -> Option<&'static str> {
        None
    }
    /// Returns the tools that a node with this configuration uses, with their arguments. They determine what the node can reach
    /// outside the program.
    fn reaches(&self, _data: &Data) -> Vec<Reach> {
        Vec::new()
    }
    /// Returns the maximum number of iterations that a loop with this configuration asks for. Malformed data is tolerated.
    fn max_iterations(&self, _data: &Data) -> Option<u32> {
        None
    }
    /// Describes how a scope with this configuration ends, in a few words shown after its name.
    fn ending(&self, _data: &Data) -> Option<String> {
        None
    }
    /// Whether a loop with this configuration ends in the first iteration in which a value reaches its end.
    fn ends_on_arrival(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the setting that would make a loop end in the first iteration in which a value reaches its end, if the loop would
    /// otherwise run all its iterations. Returns `None` if its configuration has another exit condition.
    fn to_end_on_arrival(&self, _data: &Data) -> Option<Setting> {
        None
    }
    /// Whether each iteration of a loop with this configuration gets the loop's own input instead of feedback.
    fn keeps_input(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the branches that a branching node with this configuration never takes.
    fn never_taken(&self, _data: &Data) -> Vec<String> {
        Vec::new()
    }
    /// Whether `disabled` may bypass a node of this kind.
    fn can_bypass(&self) -> bool {
        matches!(self.shape(), Shape::Plain | Shape::Subflow)
    }
    /// Whether the kind is supported but not offered in the palette.
    fn hidden(&self) -> bool {
        false
    }
    /// Returns worked examples for the reference pages. The tests run each of them.
    fn examples(&self) -> Vec<Example> {
        Vec::new()
    }
}

/// A value of a field, with the names shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub field: &'static str,
    /// The name of the field shown to people: `exit condition`.
    pub name: &'static str,
    pub value: Value,
    /// The name of the value shown to people.
    pub title: &'static str,
}

/// A tool that a node uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// The name of the tool, such as `http.request`.
    pub tool: String,
    /// The arguments as written. Strings may be templates.
    pub args: Data,
    /// The argument whose value is the node's primary input if the flow does not write the argument.
    pub from_input: Option<&'static str>,
    /// Whether a person approves each use and sees all of its arguments.
    pub asks: bool,
}

/// A worked example of a kind: a configuration, its inputs and its output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Example {
    /// The subject of the example, in a few words.
    pub title: &'static str,
    pub data: Data,
    /// The input values, by handle.
    pub inputs: Data,
    /// The model's answers or the tool's results, one for each call.
    pub replies: Vec<Value>,
    /// The expected value of `<id>.output`.
    pub gives: Value,
    /// The output handle through which a branching kind sends its value.
    pub branch: Option<&'static str>,
}

/// The node kinds in the order of their registration, with access by type name.
#[derive(Clone)]
pub struct Kinds {
    specs: Vec<Arc<dyn KindSpec>>,
    /// The schema of each kind, computed on first use: it is derived from types, and many flows have many nodes of few kinds.
    schemas: Arc<[OnceLock<Value>]>,
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.specs.iter().map(|spec| spec.type_name()))
            .finish()
    }
}

impl Kinds {
    pub fn new(specs: Vec<Arc<dyn KindSpec>>) -> Self {
        let schemas = specs.iter().map(|_| OnceLock::new()).collect();
        Self { specs, schemas }
    }

    pub fn get(&self, type_name: &str) -> Option<&dyn KindSpec> {
        self.specs
            .iter()
            .find(|spec| spec.type_name() == type_name)
            .map(AsRef::as_ref)
    }

    /// Returns [`KindSpec::schema`] of the kind with this name.
    pub fn schema(&self, type_name: &str) -> Option<&Value> {
        let index = self
            .specs
            .iter()
            .position(|spec| spec.type_name() == type_name)?;
        Some(self.schemas[index].get_or_init(|| self.specs[index].schema()))
    }

    pub fn of(&self, node: &Node) -> Option<&dyn KindSpec> {
        self.get(&node.kind)
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn KindSpec> {
        self.specs.iter().map(AsRef::as_ref)
    }

    pub fn type_names(&self) -> impl Iterator<Item = &'static str> {
        self.specs.iter().map(|spec| spec.type_name())
    }

    /// Whether nodes with this type name give values to a run.
    pub fn is_input(&self, type_name: &str) -> bool {
        self.get(type_name)
            .is_some_and(|spec| spec.shape() == Shape::Input)
    }

    /// Whether nodes with this type name return values from a run.
    pub fn is_output(&self, type_name: &str) -> bool {
        self.get(type_name)
            .is_some_and(|spec| spec.shape() == Shape::Output)
    }

    /// Returns the shape of a node. Unknown kinds count as plain so that the rest of the flow can still be read.
    pub fn shape(&self, node: &Node) -> Shape {
        self.of(node).map_or(Shape::Plain, KindSpec::shape)
    }
}
