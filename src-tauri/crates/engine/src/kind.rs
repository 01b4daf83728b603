//! The running side of a node kind.

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
    outcome::{NodeError, Outcome},
    plan::repeat::ScopeConfig,
    question::Question,
    session::UnboundedWork,
    trust::TrustLog,
};

pub use crate::answer::{Answer, AnswerScope};

/// A node kind that can run. Boundaries, scope starts and ends and annotations are run by the engine itself and never compiled.
pub trait Kind: KindSpec {
    /// Reads the node's configuration and compiles its templates, once per run.
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError>;
    /// Scope starts: how a node with this configuration repeats its body. The engine reads none of its fields.
    fn scope(&self, _node: &Node) -> Result<Option<ScopeConfig>, NodeError> {
        Ok(None)
    }
    /// Loops: the ways to end that people choose from, in order.
    fn exits(&self) -> Vec<ExitChoice> {
        Vec::new()
    }
    /// Branching kinds: the output handle that a node with this value took; `None` where the value does not say it.
    fn branch_of(&self, _value: &Value) -> Option<String> {
        None
    }
    /// Branching kinds: how a value says its branch, for people.
    fn branch_example(&self) -> &'static str {
        "its own values do"
    }
}

/// A compiled node.
pub trait Execute: Send + Sync {
    /// One execution. Pure kinds answer at once; kinds that touch the world give a future, and touch nothing before it is polled:
    /// only then is it on record that they were to. What it computes is charged to the thread's meter (templates and schemas
    /// charge themselves): where that stops it, what it gives is discarded and it is run again on a thread of its own.
    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step;
    /// What an execution with this input leaves to the next ones (see `Outcome::remember`) where a person gives its value.
    fn remembers(&self, _input: &NodeInput, _value: &Value) -> Option<Value> {
        None
    }
    /// The tool that an execution with this input calls. A person reads it who decides whether a call that was cut off is made
    /// again. `None`: it calls none, or its arguments cannot be made.
    fn tool_call(&self, _input: &NodeInput) -> Option<ToolCall> {
        None
    }
}

/// A tool, and what it is called with.
pub struct ToolCall {
    pub tool: String,
    /// With templates filled in; secrets are only named.
    pub args: Map<String, Value>,
}

/// The result of starting an execution.
pub enum Step {
    Done(Result<Outcome, NodeError>),
    Pending(BoxFuture<'static, Result<Outcome, NodeError>>),
    /// A person must answer first. The execution is made again, with the answer in its context.
    Waiting {
        question: Question,
        /// What the answer is about, and may edit.
        value: Arc<Value>,
    },
}

/// How questions to a person are settled.
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

/// Values by input handle.
pub type Inputs = Vec<(Arc<str>, Arc<Value>)>;

/// What an execution sees.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeInput {
    /// The value at the primary input; `None` when it has no live edge.
    pub input: Option<Arc<Value>>,
    /// Values by input handle, those without a live edge left out. A *many* handle holds a list.
    pub inputs: Inputs,
    /// The names that the node's templates refer to (see `KindSpec::templates`).
    pub scope: Scope,
    /// What the node's executions in earlier iterations of the loop around left, oldest first. A loop that starts over
    /// begins without; in a list inside the loop there is none, because items have no order in time.
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

/// Where an execution runs and what it may use.
#[derive(Debug, Clone)]
pub struct NodeContext {
    /// `refine[2]/draft`
    pub path: String,
    pub services: Arc<Services>,
    pub tokens: TokenSink,
    pub cancel: CancellationToken,
    /// Receives the execution's notes about trust.
    pub trust_log: TrustLog,
    /// The calls of models that the execution makes.
    pub calls: Calls,
    /// Asks the budgets before work is started whose use nothing bounds.
    pub unbounded_work: UnboundedWork,
    pub approve: ApprovalPolicy,
    /// The answer that was waited for.
    pub answer: Option<Box<Answer>>,
    /// What a person allowed this node for the rest of the run: the value of each question, as the person left it.
    pub allowed_calls: Vec<Arc<Value>>,
}

impl NodeContext {
    /// What the execution hands to a model that it calls, for one call.
    pub fn for_model(&self) -> ModelContext {
        ModelContext {
            tokens: self.tokens.clone(),
            cancel: self.cancel.clone(),
            trust_log: self.trust_log.clone(),
            call: self.calls.new_call(),
        }
    }

    /// What the execution hands to a tool that it calls, for one call: without a person's consent, and with nothing printed yet.
    pub fn for_tool(&self) -> ToolContext {
        ToolContext {
            cancel: self.cancel.clone(),
            trust_log: self.trust_log.clone(),
            ..ToolContext::default()
        }
    }

    /// The answer to a question of this execution, where it is known already.
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
