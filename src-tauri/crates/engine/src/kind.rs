//! Node kinds that can run, and the input and context of an execution.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use loopwright_model::{KindSpec, Kinds, Node};
use loopwright_template::Scope;

use crate::{
    calls::Calls,
    cancel::CancellationToken,
    exit::ExitChoice,
    host::{ModelContext, Services, TokenSink, ToolContext},
    kept::Kept,
    outcome::{NodeError, Outcome},
    plan::repeat::ScopeConfig,
    question::Question,
    resources::Resource,
    session::UnboundedWork,
    transcript::TranscriptLog,
    trust::TrustLog,
};

pub use crate::answer::{Answer, AnswerScope, TimeToAnswer};

/// A node kind that can run. The engine itself runs inputs, outputs, the starts of scopes and the ends of loops. These nodes,
/// and annotations, are never compiled.
pub trait Kind: KindSpec {
    /// Reads the node's configuration and compiles its templates. Called once per run.
    ///
    /// # Errors
    /// Returns an error if the configuration is invalid.
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError>;
    /// Returns how a node that starts a scope repeats its body, or `None` for other nodes. The engine itself reads no field of
    /// the node.
    ///
    /// # Errors
    /// Returns an error if the configuration is invalid.
    fn scope(&self, _node: &Node) -> Result<Option<ScopeConfig>, NodeError> {
        Ok(None)
    }
    /// Returns the exit conditions that a loop offers, in the order in which users see them. The list is empty for kinds that
    /// are not loops.
    fn exits(&self) -> Vec<ExitChoice> {
        Vec::new()
    }
    /// Returns the output handle that a branching node with this value took, or `None` if the value names no handle.
    fn branch_of(&self, _value: &Value) -> Option<String> {
        None
    }
    /// Returns how a value of a node of this kind names its branch, for error messages: "it must name the branch that it takes,
    /// as …".
    fn branch_example(&self) -> &'static str {
        "its own values do"
    }
}

/// A compiled node.
pub trait Execute: Send + Sync {
    /// Executes the node once. Pure kinds return a result at once. A kind that reads or changes something outside the run
    /// returns a future and acts only when the future is polled, because the intent must be recorded first. Computation is
    /// charged to the thread's meter (templates and schemas charge themselves). If it exceeds the meter's limit, the result is
    /// discarded and the execution runs again on a separate thread.
    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step;
    /// Returns the value that later executions of the node receive (see `Outcome::remember`) if a person sets the result of an
    /// execution with this input to `value`. Returns `None` if they receive no value.
    fn remembers(&self, _input: &NodeInput, _value: &Value) -> Option<Value> {
        None
    }
    /// Returns the tool call that an execution with this input makes. If the call is interrupted, its description is shown to
    /// the person who decides whether to repeat the call. `None` if the execution calls no tool, or if the arguments cannot be
    /// built.
    fn tool_call(&self, _input: &NodeInput) -> Option<ToolCall> {
        None
    }
    /// Returns the list of failures that an outcome of the node reports. A loop whose failures stay the same makes no progress.
    /// `None` if the node checks nothing.
    fn failures<'o>(&self, _outcome: &'o Outcome) -> Option<&'o Value> {
        None
    }
}

/// A tool with the arguments of a call.
pub struct ToolCall {
    pub tool: String,
    /// The arguments, with their templates rendered. Secrets appear only by name.
    pub args: Map<String, Value>,
}

/// The result of starting an execution.
pub enum Step {
    Done(Result<Outcome, NodeError>),
    Pending(BoxFuture<'static, Result<Outcome, NodeError>>),
    /// A person must answer first. The execution then runs again, with the answer in its context.
    Waiting {
        question: Question,
        /// The value to approve. The person may edit it.
        value: Arc<Value>,
        /// The time that the person has to answer; `None` if the question waits forever.
        time: Option<Box<TimeToAnswer>>,
    },
}

/// How questions to a person are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalPolicy {
    /// The run waits for the answer.
    #[default]
    Ask,
    /// Everything is approved.
    All,
    /// Everything is rejected.
    None,
}

impl From<Result<Outcome, NodeError>> for Step {
    fn from(result: Result<Outcome, NodeError>) -> Self {
        Self::Done(result)
    }
}

/// The values of a node's inputs, by handle.
pub type Inputs = Vec<(Arc<str>, Arc<Value>)>;

/// The input of an execution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeInput {
    /// The value at the primary input; `None` if no live edge leads to that input.
    pub input: Option<Arc<Value>>,
    /// The values by input handle. Handles without a live edge are omitted. The value of a *many* handle is a list.
    pub inputs: Inputs,
    /// The names that the node's templates refer to (see `KindSpec::templates`), with their values.
    pub scope: Scope,
    /// The values that earlier executions of the node in this loop left for it, oldest first. The list is empty when the loop
    /// starts again. It is always empty for a node inside a list in the loop, because the items of a list have no order in
    /// time.
    pub memory: Vec<Arc<Value>>,
}

impl NodeInput {
    pub fn get(&self, handle: &str) -> Option<&Arc<Value>> {
        self.inputs
            .iter()
            .find(|(name, _)| **name == *handle)
            .map(|(_, value)| value)
    }
}

/// The context of an execution: its path, and the services that it may use.
#[derive(Debug, Clone)]
pub struct NodeContext {
    /// The path of the execution, such as `refine[2]/draft`.
    pub path: String,
    pub services: Arc<Services>,
    pub tokens: TokenSink,
    pub cancel: CancellationToken,
    /// The receiver of the execution's notes about trust.
    pub trust_log: TrustLog,
    /// The receiver of an agent's transcript.
    pub transcript: TranscriptLog,
    /// The model calls of the execution.
    pub calls: Calls,
    /// What the earlier attempts of the execution kept.
    pub kept: Kept,
    /// Requests permission from the budgets. The execution must use this before it starts work whose cost has no upper bound,
    /// such as an agent's turn.
    pub unbounded_work: UnboundedWork,
    pub approve: ApprovalPolicy,
    /// The answer to the execution's question, if there is one.
    pub answer: Option<Box<Answer>>,
    /// The calls that a person allowed this node to make for the rest of the run. Each is represented by the value of its
    /// question, with the person's edits.
    pub allowed_calls: Vec<Arc<Value>>,
    /// The resource of the innermost enclosing loop that has one; `None` if no enclosing loop has one.
    pub resource: Option<Arc<Resource>>,
}

impl NodeContext {
    /// Creates the context for one call of a model.
    pub fn for_model(&self) -> ModelContext {
        ModelContext {
            tokens: self.tokens.clone(),
            cancel: self.cancel.clone(),
            trust_log: self.trust_log.clone(),
            call: self.calls.new_call(),
        }
    }

    /// Creates the context for one call of a tool, without a person's consent and with nothing printed yet.
    pub fn for_tool(&self) -> ToolContext {
        let tokens = self.tokens.clone();
        ToolContext {
            cancel: self.cancel.clone(),
            trust_log: self.trust_log.clone(),
            transcript: self
                .transcript
                .shown_to(move |progress| tokens.working(progress)),
            resource: self.resource.clone(),
            ..ToolContext::default()
        }
    }

    /// Returns the recorded answer to this execution's question, or the answer that the approval policy gives. Returns `None`
    /// if a person must still answer.
    pub fn answered(&self) -> Option<Answer> {
        let of = |approved| Answer {
            approved,
            ..Answer::default()
        };
        self.answer.as_deref().cloned().or(match self.approve {
            ApprovalPolicy::Ask => None,
            ApprovalPolicy::All => Some(of(true)),
            ApprovalPolicy::None => Some(of(false)),
        })
    }
}

/// The ordered list of kinds that can run.
#[derive(Clone)]
pub struct KindSet {
    kinds: Vec<Arc<dyn Kind>>,
    specs: Kinds,
}

impl fmt::Debug for KindSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.specs.fmt(f)
    }
}

impl KindSet {
    pub fn new(kinds: Vec<Arc<dyn Kind>>) -> Self {
        let specs = Kinds::new(
            kinds
                .iter()
                .map(|kind| Arc::clone(kind) as Arc<dyn KindSpec>)
                .collect(),
        );
        Self { kinds, specs }
    }

    pub fn specs(&self) -> &Kinds {
        &self.specs
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.iter().map(AsRef::as_ref)
    }

    pub fn get(&self, type_name: &str) -> Option<&Arc<dyn Kind>> {
        self.kinds.iter().find(|kind| kind.type_name() == type_name)
    }
}
