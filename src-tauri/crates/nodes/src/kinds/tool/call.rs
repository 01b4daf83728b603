//! Calls a tool: renders the arguments, asks for approval if needed, and runs the tool.

use std::sync::Arc;

use loopwright_engine::{
    ApprovalPolicy, ErrorClass, Execute, NodeContext, NodeError, NodeInput, Outcome, Step,
    ToolCall, host::ToolContext, question::Question, trust::Consent,
};
use loopwright_model::Node;
use loopwright_template::Scope;
use serde_json::{Map, Value};

use super::{
    config::{Config, ToolApproval},
    known::{COMMAND, SCRIPT_ARGS, default_approval, is_plain, language},
    program,
};
use crate::config::Rendered;

/// An argument of a tool in which every template is compiled.
pub(crate) enum Argument {
    Literal(Value),
    Template(Rendered),
    List(Vec<Argument>),
    Object(Vec<(String, Argument)>),
}

impl Argument {
    pub(crate) fn compile(node: &Node, field: &str, value: &Value) -> Result<Self, NodeError> {
        Ok(match value {
            Value::String(source) => match Rendered::compile(node, field, Some(source))? {
                Some(template) => Self::Template(template),
                None => Self::Literal(value.clone()),
            },
            Value::Array(items) => Self::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| Self::compile(node, &format!("{field}[{index}]"), item))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(fields) => Self::Object(
                fields
                    .iter()
                    .map(|(name, item)| {
                        Ok((
                            name.clone(),
                            Self::compile(node, &format!("{field}.{name}"), item)?,
                        ))
                    })
                    .collect::<Result<_, NodeError>>()?,
            ),
            other => Self::Literal(other.clone()),
        })
    }

    pub(crate) fn value(&self, scope: &Scope) -> Result<Value, NodeError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Template(template) => template.value(scope),
            Self::List(items) => items.iter().map(|item| item.value(scope)).collect(),
            Self::Object(fields) => fields
                .iter()
                .map(|(name, item)| Ok((name.clone(), item.value(scope)?)))
                .collect::<Result<Map<_, _>, NodeError>>()
                .map(Value::Object),
        }
    }
}

/// The prefix of the names of file tools.
const FILES: &str = "files.";

/// The tool call of a node, with its arguments compiled.
pub(super) struct Use {
    title: String,
    tool: String,
    approval: ToolApproval,
    /// Whether `approval` also applies inside a loop with a workspace. By default, the files of a private copy are read and
    /// written without a question.
    asks_in_workspace: bool,
    /// The arguments as written in the flow. If the tool starts a program, the user approves them in this form before the
    /// run.
    written: Arc<Map<String, Value>>,
    args: Vec<(String, Argument)>,
}

impl Use {
    pub(super) fn compile(node: &Node, config: Config) -> Result<Self, NodeError> {
        let approval = config
            .approval
            .unwrap_or_else(|| default_approval(&config.tool));
        let asks_in_workspace = config.approval.is_some() || !config.tool.starts_with(FILES);
        let args = config
            .args
            .iter()
            .map(|(name, value)| {
                let argument = if is_plain(&config.tool, name) {
                    Argument::Literal(value.clone())
                } else {
                    Argument::compile(node, &format!("args.{name}"), value)?
                };
                Ok((name.clone(), argument))
            })
            .collect::<Result<_, NodeError>>()?;
        Ok(Self {
            title: node.title().to_owned(),
            tool: config.tool,
            approval,
            asks_in_workspace,
            written: Arc::new(config.args),
            args,
        })
    }

    fn approval_for(&self, cx: &NodeContext) -> ToolApproval {
        match cx.resource {
            Some(_) if !self.asks_in_workspace => ToolApproval::Auto,
            _ => self.approval,
        }
    }

    fn arguments(&self, input: &NodeInput) -> Result<Map<String, Value>, NodeError> {
        let mut args = Map::new();
        for (name, argument) in &self.args {
            // A wire overrides the argument, so its template is not rendered.
            if input.get(name).is_none() {
                args.insert(name.clone(), argument.value(&input.scope)?);
            }
        }
        for (name, value) in input.inputs.iter().filter(|(name, _)| &**name != "input") {
            args.insert(name.to_string(), (**value).clone());
        }
        Ok(args)
    }
}

/// Returns whether the user allowed calls like this one for the rest of the run, and this call has no separate answer.
/// Returns `false` if the run was resumed with all questions refused.
fn is_allowed(tool: &str, args: &Map<String, Value>, cx: &NodeContext) -> bool {
    if cx.allowed_calls.is_empty() || cx.answer.is_some() || cx.approve == ApprovalPolicy::None {
        return false;
    }
    let Some(found) = cx.services.tools.find(tool) else {
        return false;
    };
    let Some(wanted) = found.place(args) else {
        return false;
    };
    let mut allowed = cx.allowed_calls.iter().filter_map(|call| call.as_object());
    allowed.any(|call| found.place(call).as_ref() == Some(&wanted))
}

/// Asks for approval if the tool needs it. Returns `None` if the tool may run now. In this case, `args` has been replaced by
/// the user's edited arguments, if the answer contains any. Otherwise, returns the node's next step, such as the question or
/// a refusal.
pub(crate) fn consent(
    title: &str,
    tool: &str,
    approval: ToolApproval,
    args: &mut Map<String, Value>,
    cx: &NodeContext,
) -> Option<Step> {
    let refused = |code: &str, why: String| Some(Step::Done(Err(NodeError::new(code, why))));
    match approval {
        ToolApproval::Auto => None,
        ToolApproval::Deny => refused(
            "approval_denied",
            format!(
                "\"{title}\" may not use `{tool}`: its `approval` is `deny`. Set it to `ask` or `auto` to allow the tool."
            ),
        ),
        ToolApproval::Ask if is_allowed(tool, args, cx) => None,
        ToolApproval::Ask => match cx.answered() {
            Some(answer) if answer.approved => match &answer.value {
                None | Some(Value::Null) => None,
                Some(Value::Object(edited)) => {
                    args.clone_from(edited);
                    None
                }
                Some(other) => refused(
                    "invalid_answer",
                    format!(
                        "\"{title}\" did not use `{tool}`: its arguments were changed to {}, but must be an object.",
                        loopwright_model::value::describe(other)
                    ),
                ),
            },
            // The message includes the user's reason, so that a later node, such as a model, can act on it.
            Some(answer) => {
                let reason = answer.comment.as_deref().unwrap_or_default().trim();
                let why = if reason.is_empty() {
                    ".".to_owned()
                } else {
                    format!(": {reason}")
                };
                refused(
                    "approval_rejected",
                    format!("\"{title}\" was not allowed to use `{tool}`{why}"),
                )
            }
            None => Some(Step::Waiting {
                question: Question::AllowTool {
                    title: title.to_owned(),
                    tool: tool.to_owned(),
                },
                value: Arc::new(Value::Object(args.clone())),
                time: None,
            }),
        },
    }
}

impl Execute for Use {
    fn tool_call(&self, input: &NodeInput) -> Option<ToolCall> {
        Some(ToolCall {
            tool: self.tool.clone(),
            args: self.arguments(input).ok()?,
        })
    }

    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let mut args = match self.arguments(input) {
            Ok(args) => args,
            Err(error) => return Step::Done(Err(error)),
        };
        let approval = self.approval_for(cx);
        if let Some(instead) = consent(&self.title, &self.tool, approval, &mut args, cx) {
            return instead;
        }
        let primary = input.input.as_deref().cloned();
        let started = (self.tool == COMMAND).then(|| program::trace(&args));
        let is_script = language(&self.tool).is_some();
        if is_script {
            args.insert("names".to_owned(), names(&args, input));
        }
        let given = ToolContext {
            consent: consented(approval, &self.tool, &args, cx),
            written: Some(Arc::clone(&self.written)),
            ..cx.for_tool()
        };
        let printed = given.printed.clone();
        let called = call(&self.title, &self.tool, primary, args, given, cx);
        let program = started.map(|trace| (self.title.clone(), trace));
        Step::Pending(Box::pin(async move {
            let result = called.await?;
            let warnings = program
                .as_ref()
                .map(|(title, _)| program::warnings(title, &result));
            let mut outcome = Outcome::single("result", result);
            outcome.warnings = warnings.unwrap_or_default();
            outcome.warnings.extend(printed.take_warnings());
            outcome.trace = program.map(|(_, trace)| Box::new(trace));
            if is_script {
                let logs = Value::String(printed.take());
                outcome.handles.push(("logs".to_owned(), Arc::new(logs)));
            }
            Ok(outcome)
        }))
    }
}

/// Returns the values that a script can read, by name. These are the values in the node's scope and, if the script's source
/// contains the word `inputs`, an object with all inputs.
fn names(args: &Map<String, Value>, input: &NodeInput) -> Value {
    let mut names = input.scope.clone();
    let reads_inputs = args
        .get("source")
        .and_then(Value::as_str)
        .is_some_and(|source| source.contains("inputs"));
    if reads_inputs {
        let mut inputs: Map<String, Value> = args.clone();
        for argument in SCRIPT_ARGS {
            inputs.remove(argument);
        }
        if let Some(primary) = &input.input {
            inputs.insert("input".to_owned(), (**primary).clone());
        }
        names.insert("inputs", Value::Object(inputs));
    }
    names.into()
}

/// Returns what the user consented to: this call, or all tool calls of the run. Returns `Consent::None` if the call
/// needs no approval or was not approved.
pub(crate) fn consented(
    approval: ToolApproval,
    tool: &str,
    args: &Map<String, Value>,
    cx: &NodeContext,
) -> Consent {
    match (approval, &cx.answer, cx.approve) {
        (ToolApproval::Ask, Some(answer), _) if answer.approved => Consent::Call,
        (ToolApproval::Ask, None, _) if is_allowed(tool, args, cx) => Consent::Call,
        (ToolApproval::Ask, None, ApprovalPolicy::All) => Consent::General,
        _ => Consent::None,
    }
}

/// Calls a tool by name. `given` is the context that the tool receives. It is based on [`NodeContext::for_tool`].
///
/// # Errors
/// Returns the error of the tool, or an error if there is no tool with this name.
pub(crate) fn call(
    title: &str,
    name: &str,
    input: Option<Value>,
    args: Map<String, Value>,
    given: ToolContext,
    cx: &NodeContext,
) -> futures::future::BoxFuture<'static, Result<Value, NodeError>> {
    match cx.services.tools.find(name) {
        Some(tool) => {
            let title = title.to_owned();
            let called = tool.call(input, args, given);
            Box::pin(async move {
                called.await.map_err(|mut error| {
                    if error.class() == ErrorClass::NotApproved {
                        error.message = format!("\"{title}\": {}", error.message);
                    }
                    error
                })
            })
        }
        None => {
            let known: Vec<String> = cx
                .services
                .tools
                .list()
                .into_iter()
                .map(|tool| tool.name)
                .collect();
            let error = NodeError::new(
                "unknown_tool",
                format!(
                    "\"{title}\" uses `{name}`, which is not a tool of this program. The tools are {}.",
                    known.join(", ")
                ),
            );
            Box::pin(async move { Err(error) })
        }
    }
}
