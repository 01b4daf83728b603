//! The settings that say how a region repeats. The kind of the region's start node reads them from that node. The engine itself
//! reads no field of the node.

use std::sync::Arc;

use loopwright_model::{EffectClass, Settings};
use loopwright_template::{Expression, Template};
use serde_json::{Map, Value};

use crate::{budget::Limits, exit::ExitCondition};

pub use crate::exit::Condition;

/// How a scope repeats its body.
#[derive(Debug)]
pub enum ScopeConfig {
    Loop(Box<LoopConfig>),
    List(ListConfig),
}

/// How the items of a list are processed.
#[derive(Debug, Clone, Copy)]
pub struct ListConfig {
    /// The number of items that run at once, 1..=64.
    pub concurrency: usize,
    pub on_error: OnItemError,
}

/// How to react to an item that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnItemError {
    Fail,
    Skip,
    Collect,
}

/// How the value of an iteration becomes the input of the next iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackMode {
    Replace,
    Append,
    Variables,
}

/// Which parts of an appended input are kept.
#[derive(Debug, Clone)]
pub struct Keep {
    /// The number of newest parts that stay unchanged, at least 1.
    pub last: usize,
    /// The expression for the text that replaces the older parts. If it is `None`, these parts are omitted.
    pub summary: Option<Expression>,
}

/// A loop variable: templates for its first and its next values.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub initial: Option<Template>,
    /// A literal initial value that is not text. If this and `initial` are both `None`, the variable begins as null.
    pub constant: Option<Value>,
    pub next: Option<Template>,
    /// A literal next value that is not text. If this and `next` are both `None`, the variable keeps its value.
    pub next_constant: Option<Value>,
}

/// The iterations whose values an extra output of a loop returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    Last,
    First,
    All,
}

/// An extra output handle of a loop.
#[derive(Debug, Clone)]
pub struct LoopOutput {
    pub name: String,
    /// The expression for the output's value, which is evaluated after every iteration.
    pub from: Expression,
    pub take: Take,
}

/// The compiled configuration of a loop.
#[derive(Debug)]
pub struct LoopConfig {
    /// The maximum number of iterations. A plan keeps it within 1..=`maxIterationsCeiling`.
    pub max_iterations: u32,
    /// The maximum as stated in the flow, if the workflow does not allow this number; otherwise `None`.
    pub requested: Option<Value>,
    pub exit: ExitCondition,
    /// The first iteration, from 1, at which the exit condition can end the loop.
    pub min_iterations: u32,
    pub feedback_mode: FeedbackMode,
    /// The parts that [`FeedbackMode::Append`] keeps; `None` if it keeps all of them.
    pub keep: Option<Keep>,
    pub variables: Vec<Variable>,
    pub outputs: Vec<LoopOutput>,
    /// A second name for the iteration's input, for templates in the loop; `None` if the loop defines none.
    pub input_name: Option<String>,
    /// The expression for the number that ranks iterations, if iterations are ranked.
    pub score: Option<Expression>,
    /// Whether the loop returns the result with the highest score instead of the last one.
    pub returns_best: bool,
    pub fail_on_limit: bool,
    pub return_on_error: bool,
    pub timeout_ms: Option<u64>,
    pub iteration_timeout_ms: Option<u64>,
    pub delay: Option<Delay>,
    /// The number of consecutive iterations without a change after which the loop ends; `None` for no limit.
    pub no_progress: Option<u32>,
    /// Whether the loop continues once after it made no progress, with `loopEscalated` set.
    pub escalates: bool,
    /// The budget of the whole loop, for all of its iterations together.
    pub budget: Limits,
    /// The resource that is opened before the first iteration and closed after the last one; `None` if the loop needs none.
    pub resource: Option<ResourceConfig>,
}

/// The resource that a loop requests from its host.
#[derive(Debug, Clone)]
pub struct ResourceConfig {
    /// The kind of the resource, such as `workspace`. The loop also has an output with this name, which carries the host's
    /// answer when the resource is closed.
    pub kind: Arc<str>,
    /// The settings of the resource, which the host receives.
    pub request: Arc<Value>,
    /// Steps of this effect class and above may change the resource.
    pub changed_by: EffectClass,
    /// Whether an unfinished iteration is undone when the loop ends. The resource is then left in its state before that
    /// iteration.
    pub undoes_unfinished: bool,
    /// The fields that describe how the current iteration changed the resource, with their values at the beginning of an
    /// iteration.
    pub of_iteration: Map<String, Value>,
}

impl ResourceConfig {
    /// Returns whether a step with this effect may change the resource.
    pub fn is_changed_by(&self, effect: EffectClass) -> bool {
        match self.changed_by {
            EffectClass::Pure => true,
            EffectClass::Reads => effect != EffectClass::Pure,
            EffectClass::Writes => effect == EffectClass::Writes,
        }
    }
}

/// The pause between iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    pub exponential: bool,
    pub interval_ms: u64,
    pub max_ms: Option<u64>,
    /// The fraction of the pause, 0..=1, by which the actual pause may be longer or shorter.
    pub jitter: f64,
}

impl Delay {
    /// Returns the pause after iteration `iteration` (from 1), in milliseconds. `spread`, in 0..1, is the position of the pause
    /// within its jitter.
    pub fn after(&self, iteration: u32, spread: f64) -> u64 {
        let pause = if self.exponential {
            self.interval_ms.saturating_mul(
                1_u64
                    .checked_shl(iteration.saturating_sub(1))
                    .unwrap_or(u64::MAX),
            )
        } else {
            self.interval_ms
        };
        let jittered = (pause as f64 * (1.0 + self.jitter * (2.0 * spread - 1.0))) as u64;
        self.max_ms.map_or(jittered, |max| jittered.min(max))
    }
}

impl LoopConfig {
    /// Returns whether a time limit is zero. Such a loop ends before anything in it runs.
    pub fn has_no_time(&self) -> bool {
        self.timeout_ms == Some(0) || self.iteration_timeout_ms == Some(0)
    }

    /// Returns the expression that decides when the loop ends; `None` if the loop has another exit condition.
    pub fn condition(&self) -> Option<&Condition> {
        match &self.exit {
            ExitCondition::Condition(condition) => Some(condition),
            _ => None,
        }
    }

    /// Returns the condition that ends the loop, if it is evaluated before each iteration.
    pub fn condition_before(&self) -> Option<&Condition> {
        self.condition().filter(|condition| condition.before)
    }

    /// Returns the configuration with the number of iterations limited to the workflow's ceiling.
    pub(super) fn bounded(mut self, settings: &Settings) -> Self {
        let most = self
            .max_iterations
            .clamp(1, settings.max_iterations_ceiling);
        if most == self.max_iterations {
            self.requested = None;
        }
        self.max_iterations = most;
        self
    }
}
