//! The scope of a template: its position in the flow, and what names mean at that position.

use std::cell::OnceCell;

use crate::{
    document::Node,
    graph::NodeIx,
    handles::ValueType,
    kind::{NameSpans, Repetition, TemplateMode, TemplateSite},
    problem::{Problem, Span, quoted},
    validate::flow_context::FlowContext,
};
use loopwright_template::{Reference, TemplateError};

/// The names that describe the current iteration of the nearest loop around a template.
pub(super) const LOOP_NAMES: [&str; 5] = [
    "loopIndex",
    "loopCount",
    "loopResult",
    "loopStartTime",
    "loopEscalated",
];
/// The name by which templates read the workspace of the nearest loop with a workspace.
pub(super) const WORKSPACE: &str = "workspace";
/// The fields of a workspace, each with its type and a description.
pub(super) const WORKSPACE_FIELDS: [(&str, ValueType, &str); 6] = [
    (
        "path",
        ValueType::Text,
        "the folder in which the loop's nodes work",
    ),
    (
        "base",
        ValueType::Text,
        "the commit from which the workspace was created",
    ),
    (
        "tree",
        ValueType::Text,
        "git's hash of the files after the last step that may have changed them",
    ),
    (
        "branch",
        ValueType::Text,
        "the branch that the project had checked out",
    ),
    (
        "changes",
        ValueType::Json,
        "the files that this iteration has changed so far",
    ),
    (
        "diff",
        ValueType::Text,
        "what this iteration has changed so far, as a unified diff",
    ),
];
/// The names that exist in every template.
pub(super) const ALWAYS: [&str; 6] = ["input", "inputs", "run", "nodes", "loops", "previous"];

/// The meaning of the first name of a reference in a template. A region is identified by its index in the flow's regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The value at the node's primary input. In a scope start's own expressions, the value with which the iteration starts.
    Input,
    /// An object with the values at the node's inputs.
    Inputs,
    /// The object `run`, with the run's inputs in `run.inputs`.
    Run,
    /// An object with the flow's nodes, by id.
    Nodes,
    /// An object with the enclosing loops, by id.
    Loops,
    /// The variables of the loop with this region. `None` outside loops.
    Vars(Option<usize>),
    /// The nodes of the previous iteration of the loop with this region, by id. `None` outside loops.
    Previous(Option<usize>),
    /// The result of the iteration that has just run.
    Result,
    /// The current item of the iterator that opens this region.
    Item(usize),
    Index(usize),
    /// `loopIndex`, `loopCount`, `loopResult`, `loopStartTime` or `loopEscalated` of the loop that opens this region.
    Count(usize, &'static str),
    /// The value at the node's own input with this name.
    Handle,
    /// The value with which an iteration of this loop starts, under the additional name that the loop gives to its input.
    Second(usize),
    Node(NodeIx),
    /// The workspace of the loop that opens this region.
    Workspace(usize),
}

/// The position of a template, which determines the meaning of its names.
pub struct Place<'a> {
    pub(super) context: &'a FlowContext<'a>,
    pub(super) index: NodeIx,
    pub(super) node: &'a Node,
    pub(super) site: &'a TemplateSite,
    /// The region of a scope start, if the template is an expression of that scope start itself. Such an expression is
    /// evaluated inside the region. `None` for other templates.
    pub(super) own: Option<usize>,
    /// The span of the first occurrence of each name, computed when the first problem needs it.
    spans: OnceCell<NameSpans>,
    /// Whether the source contains braces of another template language, computed when the first problem needs it.
    foreign_braces: OnceCell<bool>,
}

impl<'a> Place<'a> {
    pub(super) fn new(
        context: &'a FlowContext<'a>,
        index: NodeIx,
        node: &'a Node,
        site: &'a TemplateSite,
    ) -> Self {
        let own = context.regions.index_of(index);
        Self {
            context,
            index,
            node,
            site,
            own,
            spans: OnceCell::new(),
            foreign_braces: OnceCell::new(),
        }
    }

    pub(super) fn problem(&self, problem: Problem) -> Problem {
        problem.at(&self.node.id).place(&self.site.field)
    }

    /// Returns the span of the first occurrence of `reference` in the field's text; `None` if the reference does not occur
    /// there.
    pub(super) fn span(&self, reference: &Reference) -> Option<Span> {
        let spans = self.spans.get_or_init(|| self.site.spans());
        let read = (reference.root.clone(), reference.path.clone());
        spans.get(&read).copied()
    }

    /// Returns the subject of a message, such as `Template of "Merge"`.
    pub(super) fn subject(&self) -> String {
        let what = match self.site.mode {
            TemplateMode::Template => "Template",
            TemplateMode::Condition => "Condition",
            TemplateMode::Expression => "Expression",
            TemplateMode::Script => "Script",
        };
        format!("{what} of {}", quoted(self.node))
    }

    pub(super) fn mistake(&self, error: &TemplateError) -> Problem {
        if error.is_unread() {
            let says = format!("{} was not checked. {error}", self.subject());
            // While the program that reads scripts is still being built, a script cannot be checked. This is only a warning,
            // because the program will be ready when the run needs it.
            return self.problem(match error.code {
                "script_building" => Problem::warning(error.code, says),
                _ => Problem::error(error.code, says),
            });
        }
        let at = error
            .at
            .map(|(line, column)| match column {
                0 => format!(" in line {line}"),
                _ => format!(" in line {line}, column {column}"),
            })
            .unwrap_or_default();
        let span = error
            .at
            .and_then(|(line, column)| Span::at(&self.site.source, line, column));
        self.problem(Problem::error(
            error.code,
            format!(
                "{} has a mistake{at} (`{}`): {error} Correct it there.{}",
                self.subject(),
                self.site.field,
                self.or_raw()
            ),
        ))
        .span(span)
    }

    /// Returns an example of how to read `reference` with a default, for a value that may be missing.
    pub(super) fn or_default(&self, reference: &Reference) -> String {
        let written = reference.written();
        match self.site.mode {
            TemplateMode::Script => format!("`{written} or \"\"`"),
            _ => format!("`{written} | default(value=\"\")`"),
        }
    }

    /// Returns a sentence that explains how to write braces of another language, or an empty string if the template
    /// contains no such braces. Prompts often quote workflows, LaTeX and templates.
    pub(super) fn or_raw(&self) -> &'static str {
        const FOREIGN: [&str; 9] = [
            "${{", "{{{", "{{#", "{{/", "{{>", "{{.", "{{ .", "{{$", "{{ $",
        ];
        let is_foreign = *self.foreign_braces.get_or_init(|| {
            let source = self.site.source.as_str();
            FOREIGN.iter().any(|sign| source.contains(sign))
                || source.matches("{{").count() != source.matches("}}").count()
        });
        if self.site.mode == TemplateMode::Template && is_foreign {
            " To keep braces as they are written, put them between `{% raw %}` and `{% endraw %}`."
        } else {
            ""
        }
    }

    pub(super) fn error(&self, reference: &Reference, why: impl std::fmt::Display) -> Problem {
        self.error_of("bad_reference", reference, why)
    }

    /// Creates the problem of a reference that would be correct if one wire were added. An editor may delay showing this
    /// problem while the user is still connecting nodes.
    pub(super) fn not_wired(&self, reference: &Reference, why: impl std::fmt::Display) -> Problem {
        self.error_of("not_wired", reference, why)
    }

    fn error_of(
        &self,
        code: &'static str,
        reference: &Reference,
        why: impl std::fmt::Display,
    ) -> Problem {
        self.problem(Problem::error(
            code,
            format!(
                "{} refers to \"{}\": {why}",
                self.subject(),
                reference.written()
            ),
        ))
    }

    /// Returns whether the template tolerates a missing value: a default replaces the value, or the template is a condition,
    /// which treats the missing value as false.
    pub(super) fn tolerant(&self, reference: &Reference) -> bool {
        reference.has_default || self.site.mode == TemplateMode::Condition
    }

    /// Returns the regions around the template, innermost first. A scope start's own expressions count as inside its own
    /// region.
    pub fn regions(&self) -> Vec<usize> {
        self.own
            .into_iter()
            .chain(self.context.regions.enclosing(self.index))
            .collect()
    }

    pub(super) fn around(&self, repeats: Repetition) -> Option<usize> {
        self.regions()
            .into_iter()
            .find(|&region| self.context.regions.regions[region].repeats == repeats)
    }

    pub(super) fn start(&self, region: usize) -> &'a Node {
        self.context
            .node(self.context.regions.regions[region].start)
    }

    /// Returns the region of the enclosing loop with this id; `None` if no enclosing loop has it.
    pub(super) fn loop_region(&self, id: &str) -> Option<usize> {
        self.regions().into_iter().find(|&region| {
            self.context.regions.regions[region].repeats == Repetition::Loop
                && self.start(region).id == id
        })
    }

    pub(super) fn loop_called(&self, id: &str) -> bool {
        self.loop_region(id).is_some()
    }

    /// Returns whether the expression is evaluated before the iteration runs. This is true for an initial value, and for a
    /// condition that is tested before each iteration.
    pub fn before_the_pass(&self) -> bool {
        let test = self
            .node
            .data
            .get("condition")
            .and_then(|condition| condition.get("test"))
            .and_then(serde_json::Value::as_str);
        self.own.is_some()
            && ((self.site.field.starts_with("condition.") && test != Some("after"))
                || self.site.field.ends_with(".initial"))
    }

    /// Returns whether `root` has a fixed meaning in this template, independent of the flow's nodes.
    pub(super) fn is_reserved(&self, root: &str) -> bool {
        !matches!(self.meaning(root), Some(Meaning::Node(_)) | None)
    }

    /// Returns whether `root` is the name of one of the node's inputs. In a scope start's own expressions, which are evaluated
    /// inside its region, the start's inputs have no names.
    pub(super) fn is_own_input(&self, root: &str) -> bool {
        let handles = &self.context.graph.handles[self.index].inputs;
        self.own.is_none() && handles.iter().any(|handle| handle.name == root)
    }

    /// Splits `refine_loopIndex` into `refine` and `loopIndex`, if `refine` is an enclosing loop. Returns `None` for other
    /// names.
    pub(super) fn outer_loop<'r>(&self, root: &'r str) -> Option<(&'r str, &'static str)> {
        LOOP_NAMES.iter().find_map(|name| {
            let id = root.strip_suffix(name)?.strip_suffix('_')?;
            self.loop_called(id).then_some((id, *name))
        })
    }

    /// Returns the meaning of a name such as `<id>_loopIndex`, which refers to an enclosing loop; `None` for other names.
    pub(super) fn outer_name(&self, root: &str) -> Option<Meaning> {
        let (id, name) = self.outer_loop(root)?;
        Some(Meaning::Count(self.loop_region(id)?, name))
    }

    /// Returns the meaning of the name `workspace` inside a loop that has a workspace; otherwise `None`.
    fn workspace(&self, root: &str) -> Option<Meaning> {
        let has_workspace = |&region: &usize| {
            let start = self.start(region);
            let kind = self.context.kinds.of(start);
            kind.is_some_and(|kind| kind.workspace(&start.data).is_some())
        };
        let region = || self.regions().into_iter().find(has_workspace);
        (root == WORKSPACE).then(region)?.map(Meaning::Workspace)
    }

    /// Returns what `root` means in this template. `None` if it has no meaning.
    pub fn meaning(&self, root: &str) -> Option<Meaning> {
        let nearest = |repeats| self.around(repeats);
        let loop_name = LOOP_NAMES.into_iter().find(|name| *name == root);
        Some(match root {
            "input" => Meaning::Input,
            "inputs" => Meaning::Inputs,
            "run" => Meaning::Run,
            "nodes" => Meaning::Nodes,
            "loops" => Meaning::Loops,
            "vars" => Meaning::Vars(nearest(Repetition::Loop)),
            "previous" => Meaning::Previous(nearest(Repetition::Loop)),
            "result" if self.own.is_some() => Meaning::Result,
            _ => {
                if let ("item" | "index", Some(region)) = (root, nearest(Repetition::Each)) {
                    return Some(match root {
                        "item" => Meaning::Item(region),
                        _ => Meaning::Index(region),
                    });
                }
                if let (Some(name), Some(region)) = (loop_name, nearest(Repetition::Loop)) {
                    return Some(Meaning::Count(region, name));
                }
                if self.is_own_input(root) {
                    return Some(Meaning::Handle);
                }
                let second = self
                    .regions()
                    .into_iter()
                    .find(|&region| self.start(region).text("inputName") == Some(root));
                return second
                    .map(Meaning::Second)
                    .or_else(|| self.workspace(root))
                    .or_else(|| self.outer_name(root))
                    .or_else(|| self.context.graph.index(root).map(Meaning::Node));
            }
        })
    }
}
