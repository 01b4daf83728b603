//! The static description of a node kind: its shape, handles, configuration schema and templates.
//!
//! Kinds are registered once, in one ordered list. The palette, forms, TypeScript types and reference pages are
//! generated from this list.

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

/// The structural role of a kind in a flow. The engine and validation match on the shape, never on a kind's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Plain,
    /// The node brings a value into the run.
    Input,
    /// The node passes a value out of the run.
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
    /// One iteration follows another. Each receives a value from the previous one.
    Loop,
    /// The region runs once for each item of a list, several items at a time.
    Each,
}

/// The effect that a node has on the outside world when it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectClass {
    /// The node has no effect. Its outcome depends only on its inputs.
    Pure,
    /// The node reads data or calls a model. Repeating it costs money but changes nothing.
    Reads,
    /// The node may change something outside the run. It never runs again without a person's consent.
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

/// A template, expression or script in a node's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSite {
    /// The field that contains the source, as a path within `data`, such as `template` or `branches[0].when`.
    pub field: String,
    pub source: String,
    pub mode: TemplateMode,
    /// The references of a `Script`, or its first error. The node kind determines them, because only the kind knows the
    /// script language. `None` in the other modes.
    pub read: Option<Result<Vec<Reference>, TemplateError>>,
    /// The positions of the references in a `Script`.
    pub places: Vec<Occurrence>,
}

/// The span of the first occurrence of each name in a source. A name is identified by its root and path.
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

    /// Returns the span of the first occurrence of each name, keyed by the name's root and path. The span includes the steps of
    /// the path. The map is empty if the source has an error.
    pub fn spans(&self) -> NameSpans {
        let mut spans = NameSpans::new();
        // Occurrences are in source order, so counting continues from the previous occurrence and counts each character only
        // once.
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

    /// Returns the occurrences in another source, as [`Self::occurrences`] does. For a script, ignores `source` and returns the
    /// occurrences in the script's own source, because no others are known.
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
    /// Text with `{{ }}`. If the whole text is a single `{{ expression }}`, the value keeps its JSON type.
    Template,
    /// An expression without delimiters that must evaluate to a boolean. A missing field counts as false.
    Condition,
    /// An expression without delimiters, of any type.
    Expression,
    /// Source code in a script language that the kind defines. A missing name is nil.
    Script,
}

/// The static description of a node kind.
pub trait KindSpec: Send + Sync {
    /// Returns the kind's name in the `type` field of a document.
    fn type_name(&self) -> &'static str;
    /// Returns the kind's name as users see it, such as `LLM`.
    fn title(&self) -> &'static str;
    fn category(&self) -> Category;
    /// Returns the name of a Lucide icon.
    fn icon(&self) -> &'static str;
    /// Returns a summary of two to four words for the palette, such as `prompt a model`.
    fn summary(&self) -> &'static str;
    /// Returns a Markdown paragraph for the reference pages.
    fn doc(&self) -> &'static str;
    fn shape(&self) -> Shape;
    fn effect(&self, _data: &Data) -> EffectClass {
        EffectClass::Pure
    }
    /// Returns whether a node of this kind can have outside effects in any configuration. If so, the node's form has settings
    /// for calls that fail, hang or are interrupted.
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
    /// Reports problems of this node that the schema cannot express. Other nodes are not considered.
    fn check(&self, _node: &Node, _problems: &mut Vec<Problem>) {}
    /// Returns whether a node with this configuration does nothing unless its primary input has a value.
    fn needs_input(&self, _data: &Data) -> bool {
        false
    }
    /// Returns whether the node calls a model each time it runs.
    fn calls_model(&self, _data: &Data) -> bool {
        false
    }
    /// Returns whether a node with this configuration uses the workflow's retry policy when the node has no policy of its own.
    fn retries_by_default(&self, data: &Data) -> bool {
        self.calls_model(data)
    }
    /// Returns whether [`Self::retries_by_default`] is true in any configuration. If so, the node's form shows the workflow's
    /// policy.
    fn may_retry_by_default(&self) -> bool {
        self.retries_by_default(&self.defaults())
    }
    /// Returns whether the node starts work without a cost limit, such as an agent turn, each time it runs.
    fn spends_unbounded(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the names of the output handles whose values the node itself reads from the previous iteration, as
    /// `previous.<id>.<handle>`.
    fn looks_back(&self, _data: &Data) -> &'static [&'static str] {
        &[]
    }
    /// Returns the tools that a node with this configuration uses, with their arguments. The tools and their arguments
    /// determine what the node can reach outside the program.
    fn reaches(&self, _data: &Data) -> Vec<Reach> {
        Vec::new()
    }
    /// Returns the configured maximum number of iterations of a loop. Malformed data is tolerated. `None` if the kind is not a
    /// loop.
    fn max_iterations(&self, _data: &Data) -> Option<u32> {
        None
    }
    /// Returns the private copy of a folder in which the nodes of a loop with this configuration work, or `None` if the loop
    /// has no such copy.
    fn workspace<'a>(&self, _data: &'a Data) -> Option<Workspace<'a>> {
        None
    }
    /// Replaces the folder that [`Self::workspace`] returns.
    fn set_workspace_folder(&self, _data: &mut Data, _folder: String) {}
    /// Returns a few words that say when a scope with this configuration stops, to be shown after the scope's name.
    /// Returns `None` if there is nothing to say.
    fn ending(&self, _data: &Data) -> Option<String> {
        None
    }
    /// Returns whether a loop with this configuration stops in the first iteration in which a value reaches the loop's end
    /// node.
    fn ends_on_arrival(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the setting that makes a loop stop in the first iteration in which a value reaches the loop's end node, if the
    /// loop currently runs all its iterations. Returns `None` if the loop has another exit condition.
    fn to_end_on_arrival(&self, _data: &Data) -> Option<Setting> {
        None
    }
    /// Returns whether each iteration of a loop with this configuration receives the loop's own input instead of the feedback.
    fn keeps_input(&self, _data: &Data) -> bool {
        false
    }
    /// Returns the names of the branches that a branching node with this configuration never takes.
    fn never_taken(&self, _data: &Data) -> Vec<String> {
        Vec::new()
    }
    /// Returns whether a node of this kind may be bypassed with `disabled`.
    fn can_bypass(&self) -> bool {
        matches!(self.shape(), Shape::Plain | Shape::Subflow)
    }
    /// Returns whether the kind is supported but not offered in the palette.
    fn hidden(&self) -> bool {
        false
    }
    /// Returns worked examples for the reference pages. The tests run each of them.
    fn examples(&self) -> Vec<Example> {
        Vec::new()
    }
}

/// A field and a value for it, and the names under which users see the field and the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub field: &'static str,
    /// The name of the field as users see it, such as `exit condition`.
    pub name: &'static str,
    pub value: Value,
    /// The name of the value as users see it.
    pub title: &'static str,
}

/// A tool that a node uses, with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// The name of the tool, such as `http.request`.
    pub tool: String,
    /// The arguments as written. Strings may be templates.
    pub args: Data,
    /// The name of the argument that receives the node's primary input if the flow does not set the argument; `None` if no
    /// argument does.
    pub from_input: Option<&'static str>,
    /// Whether a person approves each use and sees all of its arguments.
    pub asks: bool,
}

/// The private copy of a folder in which the nodes of a loop work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workspace<'a> {
    /// The folder that is copied, as written.
    pub folder: &'a str,
    /// Whether programs may write only in the copy, on computers that can enforce this.
    pub confine: bool,
    /// Whether the commands in the set-up files of the folder run in a fresh copy.
    pub reads_setup_files: bool,
}

/// A worked example of a kind: a configuration, its inputs and its output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Example {
    /// The subject of the example, in a few words.
    pub title: &'static str,
    pub data: Data,
    /// The input values, by handle.
    pub inputs: Data,
    /// The replies of the model or the results of the tool, one for each call.
    pub replies: Vec<Value>,
    /// The expected value of `<id>.output`.
    pub gives: Value,
    /// For a branching kind, the output handle through which the value is sent; `None` for other kinds.
    pub branch: Option<&'static str>,
}

/// All node kinds, in the order of their registration. Each can be looked up by its type name.
#[derive(Clone)]
pub struct Kinds {
    specs: Vec<Arc<dyn KindSpec>>,
    /// The schema of each kind, computed on first use, because deriving a schema from types takes time and many flows use few
    /// kinds.
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

    /// Returns the result of [`KindSpec::schema`] for the kind with this name. `None` if the kind is unknown.
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

    /// Returns whether nodes with this type name bring values into a run.
    pub fn is_input(&self, type_name: &str) -> bool {
        self.get(type_name)
            .is_some_and(|spec| spec.shape() == Shape::Input)
    }

    /// Returns whether nodes with this type name return values from a run.
    pub fn is_output(&self, type_name: &str) -> bool {
        self.get(type_name)
            .is_some_and(|spec| spec.shape() == Shape::Output)
    }

    /// Returns the shape of a node. A node of an unknown kind counts as plain, so that the rest of the flow can still be
    /// checked.
    pub fn shape(&self, node: &Node) -> Shape {
        self.of(node).map_or(Shape::Plain, KindSpec::shape)
    }
}
