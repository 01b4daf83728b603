//! What a node kind is, statically: its shape, handles, configuration schema and the templates it holds.
//!
//! Kinds are registered once, in one ordered list; palette, forms, TypeScript and reference pages are made from it.

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

/// A node's `data`.
pub type Data = Map<String, Value>;

/// What the engine and validation know of a kind. They match on this and never on a kind's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Plain,
    /// Takes a value from outside the run.
    Input,
    /// Gives a value to the outside.
    Output,
    /// Opens a region that runs several times; `closed_by` is the type name of the kind that ends it.
    ScopeStart {
        closed_by: &'static str,
        repeats: Repetition,
    },
    /// Ends a region. `optional_start`: may also stand alone, outside of any region.
    ScopeEnd {
        opened_by: &'static str,
        optional_start: bool,
    },
    /// Sends its value along one of its output handles.
    Branching,
    /// Runs the flow that it holds in `data.flow`, or that `data.ref` names: its handles are that flow's inputs and outputs.
    Subflow,
    /// Never runs.
    Annotation,
}

/// How a region repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// One iteration after the other, each fed by the one before.
    Loop,
    /// Once per item of a list, several at a time.
    Each,
}

/// What running the node does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectClass {
    /// Nothing: the outcome follows from the inputs.
    Pure,
    /// Reads or asks a model; repeating it costs, and changes nothing.
    Reads,
    /// May have changed something; never repeated without asking.
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

/// A template or expression that a node's data holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSite {
    /// The field, as a path within `data`: `template`, `branches[0].when`.
    pub field: String,
    pub source: String,
    pub mode: TemplateMode,
    /// What a `Script` reads, or its mistake: its kind knows the language, and nothing above the kind does.
    pub read: Option<Result<Vec<Reference>, TemplateError>>,
    /// Where a `Script` reads them.
    pub places: Vec<Occurrence>,
}

/// Where names stand in a source, each by its root and its path.
pub type NameSpans = HashMap<(String, Vec<String>), Span>;

impl TemplateSite {
    /// What it refers to.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn references(&self) -> Result<Vec<Reference>, TemplateError> {
        match self.mode {
            TemplateMode::Template => Ok(Template::parse(&self.source)?.references().to_vec()),
            TemplateMode::Condition | TemplateMode::Expression => {
                Ok(Expression::parse(&self.source)?.references().to_vec())
            }
            TemplateMode::Script => self.read.clone().unwrap_or_else(|| Ok(Vec::new())),
        }
    }

    /// Every place at which it refers to something, in the order of the source.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn occurrences(&self) -> Result<Vec<Occurrence>, TemplateError> {
        self.occurrences_in(&self.source)
    }

    /// Where each name, by its root and its path, is read first in the source, its steps included.
    pub fn spans(&self) -> NameSpans {
        let mut spans = NameSpans::new();
        // In the order of the source, so that its characters are counted once.
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

    /// As [`Self::occurrences`], of another source in its place. A script's places are known of its own source alone.
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
    /// Text with `{{ }}`; a lone `{{ expression }}` keeps its JSON type.
    Template,
    /// A bare expression that must give a boolean; a missing field is false.
    Condition,
    /// A bare expression of any type.
    Expression,
    /// Source in a language of the kind's own, in which a missing name is nil.
    Script,
}

/// The static side of a node kind.
pub trait KindSpec: Send + Sync {
    /// The `type` in the document.
    fn type_name(&self) -> &'static str;
    /// What people call it: `LLM`.
    fn title(&self) -> &'static str;
    fn category(&self) -> Category;
    /// A lucide icon name.
    fn icon(&self) -> &'static str;
    /// Two to four words for the palette: `prompt a model`.
    fn summary(&self) -> &'static str;
    /// A paragraph for the reference pages, in Markdown.
    fn doc(&self) -> &'static str;
    fn shape(&self) -> Shape;
    fn effect(&self, _data: &Data) -> EffectClass {
        EffectClass::Pure
    }
    /// Whether a node of this kind can touch the world in some configuration: then its form offers what is done about calls
    /// that fail, hang or are cut off.
    fn touches_world(&self) -> bool {
        self.effect(&self.defaults()) != EffectClass::Pure
    }
    /// The handles of a node with this configuration; lenient about malformed data.
    fn handles(&self, data: &Data) -> Handles;
    /// JSON Schema of `data` (the kind's own fields; those every node may have are added by validation).
    fn schema(&self) -> Value;
    /// `data` of a node fresh from the palette.
    fn defaults(&self) -> Data;
    /// Templates and expressions in `data`, for checks of their syntax and references.
    fn templates(&self, _data: &Data) -> Vec<TemplateSite> {
        Vec::new()
    }
    /// Checks beyond the schema, of this node alone.
    fn check(&self, _node: &Node, _problems: &mut Vec<Problem>) {}
    /// Whether a node with this configuration can do nothing without a value at its primary input.
    fn needs_input(&self, _data: &Data) -> bool {
        false
    }
    /// Whether the node calls a model once per visit.
    fn calls_model(&self, _data: &Data) -> bool {
        false
    }
    /// Whether a node with this configuration has the workflow's retry policy where it has none of its own.
    fn retries_by_default(&self, data: &Data) -> bool {
        self.calls_model(data)
    }
    /// Whether a node of this kind has it in some configuration: then its form shows that policy.
    fn may_retry_by_default(&self) -> bool {
        self.retries_by_default(&self.defaults())
    }
    /// Whether each visit starts work whose cost nothing bounds, such as a turn of an agent.
    fn spends_unbounded(&self, _data: &Data) -> bool {
        false
    }
    /// An output of its own that a node with this configuration reads from the iteration before, as `previous.<id>.<handle>`.
    fn looks_back(&self, _data: &Data) -> Option<&'static str> {
        None
    }
    /// The tools that a node with this configuration uses, and with what: what it reaches outside of the program follows from
    /// them.
    fn reaches(&self, _data: &Data) -> Vec<Reach> {
        Vec::new()
    }
    /// Of a loop: the most iterations that a node with this configuration asks for; lenient about malformed data.
    fn max_iterations(&self, _data: &Data) -> Option<u32> {
        None
    }
    /// Of a scope start: how a scope with this configuration ends, in a few words behind its name.
    fn ending(&self, _data: &Data) -> Option<String> {
        None
    }
    /// Of a loop: whether one with this configuration ends in the first iteration in which a value reaches its end.
    fn ends_on_arrival(&self, _data: &Data) -> bool {
        false
    }
    /// Of a loop that runs all its iterations, whatever reaches its end: the setting with which it ends on arrival. `None` if its
    /// configuration has another exit condition.
    fn to_end_on_arrival(&self, _data: &Data) -> Option<Setting> {
        None
    }
    /// Of a loop: whether each iteration of one with this configuration gets the loop's own input, and no feedback.
    fn keeps_input(&self, _data: &Data) -> bool {
        false
    }
    /// Of a branching kind: branches that a node with this configuration never takes.
    fn never_taken(&self, _data: &Data) -> Vec<String> {
        Vec::new()
    }
    /// Whether `disabled` may bypass it.
    fn can_bypass(&self) -> bool {
        matches!(self.shape(), Shape::Plain | Shape::Subflow)
    }
    /// Known and run, but not offered in the palette.
    fn hidden(&self) -> bool {
        false
    }
    /// Worked examples for the reference pages; the tests run each of them.
    fn examples(&self) -> Vec<Example> {
        Vec::new()
    }
}

/// A value of a field, with what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub field: &'static str,
    /// What people call the field: `exit condition`.
    pub name: &'static str,
    pub value: Value,
    /// What people call the value.
    pub title: &'static str,
}

/// A tool that a node uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// `http.request`
    pub tool: String,
    /// Its arguments as they are written: texts may be templates.
    pub args: Data,
    /// The argument that the primary input gives where it is not written.
    pub from_input: Option<&'static str>,
    /// A person is asked before each use, and sees it whole.
    pub asks: bool,
}

/// A worked example of a kind: a configuration, what comes in, and what comes out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Example {
    /// What it shows, in a few words.
    pub title: &'static str,
    pub data: Data,
    /// Values by input handle.
    pub inputs: Data,
    /// What the model answers or the tool gives, call by call.
    pub replies: Vec<Value>,
    /// What `<id>.output` is afterwards.
    pub gives: Value,
    /// The output handle that a branching kind takes.
    pub branch: Option<&'static str>,
}

/// The ordered list of kinds, by type name.
#[derive(Clone)]
pub struct Kinds {
    specs: Vec<Arc<dyn KindSpec>>,
    /// The schema of each, once it was asked for: it is made from types, and many flows have many nodes of few kinds.
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

    /// [`KindSpec::schema`] of the kind of this name.
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

    /// The shape of a node; unknown kinds count as plain so that the rest of the flow can still be read.
    pub fn shape(&self, node: &Node) -> Shape {
        self.of(node).map_or(Shape::Plain, KindSpec::shape)
    }
}
