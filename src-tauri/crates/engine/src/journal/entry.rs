//! The records of a run, in two types: what the run received ([`Input`]) and what it emitted ([`Fact`]).
//!
//! A run is a function of its plan and its inputs. Recovery, replay and fork feed the recorded inputs to the core again, in the
//! same order. Facts are for readers. When a journal is read again, they are compared with what the core emits.

use std::sync::Arc;

use loopwright_model::by_name::ByName;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use crate::{
    answer::{Answer, Expiry},
    budget::{BudgetState, CallRequest, Fit, Limits},
    exit::ExitReason,
    named::Named,
    outcome::{NodeError, Outcome, Usage},
    question::{self, Question},
    quota::Quota,
    status::RunStatus,
    transcript::TranscriptPart,
    trust::{Note, Verdict},
    warning::Warning,
};

/// The version of the rules that turn inputs into facts. It is raised when a change makes a plan produce different facts from
/// the same inputs. A program can continue runs of its own version, and runs of earlier versions that it can still read.
///
/// In version 1, inputs and facts look alike and form one list of entries. Version 2 has two types. Since version 3, another
/// program may take over a run while the run's time continues. Since version 4, agents request calls from budgets, and budgets
/// count all usage that outcomes report. Since version 5, a question is a [`Question`] instead of a sentence.
pub const COMPAT: u32 = 5;

fn first_compat() -> u32 {
    1
}

/// Returns `compat` if this program supports that version. Runs of later programs are refused, because those programs may
/// derive other facts from the same inputs.
///
/// # Errors
/// `journal_newer` if `compat` is greater than [`COMPAT`].
pub(crate) fn known_compat(compat: u32) -> Result<u32, NodeError> {
    if compat <= COMPAT {
        return Ok(compat);
    }
    Err(NodeError::new(
        "journal_newer",
        format!(
            "The run was started by a newer version of Loopwright (its records have the compatibility number {compat}, and this \
             program supports up to {COMPAT}). The run can be read. To continue it, update Loopwright."
        ),
    ))
}

/// One record of a run. The records of a run are numbered from 0 without gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub seq: u64,
    /// The time of the record, in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    /// The path of the record's subject: empty for the run itself, `refine` or `refine[2]/draft` for a node (iterations from
    /// 1).
    pub path: String,
    pub node_id: Option<Arc<str>>,
    pub entry: Entry,
}

impl Record {
    /// Returns whether the record refuses the whole run. A refusal of one node's call has the node's path instead.
    pub(crate) fn refuses_run(&self) -> bool {
        let Entry::Input(Input::Noted { note }) = &self.entry else {
            return false;
        };
        note.verdict == Verdict::Refused && self.path.is_empty()
    }
}

/// What a record contains.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Entry {
    Input(Input),
    Fact(Fact),
}

/// Everything that the run received. If an input is about a node execution, the record has the path of that execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Input {
    RunStarted {
        name: String,
        inputs: Named,
        /// The [`COMPAT`] of the program that started the run.
        #[serde(default = "first_compat")]
        compat: u32,
    },
    /// An execution completed.
    #[serde(rename = "visit_completed")]
    ExecutionCompleted(Completed),
    /// An execution failed and is not retried.
    #[serde(rename = "visit_failed")]
    ExecutionFailed(Failed),
    /// An attempt of an execution failed. Another attempt follows after a pause.
    #[serde(rename = "visit_retried")]
    ExecutionRetried(Retried),
    /// A quota is used up: an execution's call was refused, or was not made for this reason. The execution begins again when
    /// the quota resets. If the execution was already parked, the end of its wait has changed.
    #[serde(rename = "visit_parked")]
    ExecutionParked(Parked),
    /// The wait of a parked execution is over. Another attempt follows at once.
    #[serde(rename = "visit_unparked")]
    ExecutionUnparked,
    /// A person must answer before the execution continues.
    NodeWaiting {
        #[serde(alias = "message", deserialize_with = "question::recorded")]
        question: Question,
        #[serde(default)]
        value: Arc<Value>,
        /// The time at which the question expires and the answer that is used then, if it expires.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires: Option<Box<Expiry>>,
    },
    /// A person answered a question, or the question expired and the answer that was set for this case applies. The
    /// consequences of the answer are recorded as further inputs.
    NodeAnswered {
        answer: Box<Answer>,
    },
    /// A timer of the run fired.
    #[serde(rename = "timer_rang")]
    TimerFired {
        ticket: u64,
    },
    /// The usage of the execution's calls so far, which is charged if the execution is cut off. The record precedes an input
    /// that may cut the execution off.
    CallsUnderWay {
        usage: Usage,
        /// The model of the newest call, with its provider. Absent in runs of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// An execution asked the budgets for permission to make a call.
    #[serde(rename = "call_asked")]
    CallRequested {
        asked: Box<CallRequest>,
        /// Whether the call fits into the budgets.
        fits: Fit,
        /// The state of the run's budget when the request arrived.
        budget: Box<BudgetState>,
    },
    /// A call finished. If `known` is false, its usage is not known, and at least its reservation counts as spent.
    CallSettled {
        call: u64,
        usage: Usage,
        known: bool,
        budget: Box<BudgetState>,
    },
    /// A budget outside the run cannot cover a call of the execution.
    SpendingRefused {
        /// A message that names the budget and says when it resets.
        message: String,
    },
    /// The run was resumed after a pause in which nothing ran.
    RunResumed,
    /// Another program continued the run, or the run woke from a long pause between iterations. The time in between counts as
    /// time of the run.
    RunTakenOver,
    /// The computer slept for `ms` milliseconds while the run was active, and has just woken. This time does not count towards
    /// the run's duration.
    ComputerSlept {
        ms: u64,
        /// The warning that reports this to readers of the run.
        warning: Box<Warning>,
    },
    /// The run was forked. All records before this one come from another run. From here on, the run continues at the path `at`,
    /// with the fork's own flow.
    Forked {
        /// The run that this run was forked from.
        parent: String,
        /// The path of the fork, such as `refine[3]/draft`, `refine[3]` or `draft`.
        at: String,
        /// Whether `at` is the iteration after the last one of a loop. The exit condition of the last iteration is then
        /// evaluated again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        beyond: bool,
        /// The value that replaces the computed one at `at`; `None` if the fork replaces no value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Override>,
    },
    /// The budget of the run changed. It applies from now on.
    BudgetSet {
        limits: Limits,
    },
    /// Something was approved or refused, or a secret was used.
    Noted {
        note: Note,
    },
    /// A person paused the run.
    RunPaused,
    RunContinued,
    /// In the run from which this one is forked, the loop at `path` ended because of its budget. The calls that used up the
    /// budget are not requested again.
    LoopOverBudget,
    /// The run was stopped from outside.
    StopRequested {
        #[serde(rename = "code")]
        reason: StopReason,
    },
    /// The host added a warning to the run, for example that a call was made again.
    HostWarned {
        warning: Box<Warning>,
    },
    /// An agent made progress. Nothing in the run depends on this record.
    AgentWorked(TranscriptPart),
    /// The resource of the loop at `path` was opened, or could not be opened.
    ScopeOpened(ScopeAnswer),
    /// The host reopened the resource of the loop at `path` after a pause, a crash or a fork, or failed to do so.
    ScopeReopened(ScopeAnswer),
    /// The resource of the loop at `path` was closed, or could not be closed.
    ScopeClosed(ScopeAnswer),
}

/// The host's answer about the resource of a loop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScopeAnswer {
    /// The host's description of the resource; `null` if there is an error.
    #[serde(default, skip_serializing_if = "is_null")]
    pub value: Arc<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<NodeError>>,
}

impl ScopeAnswer {
    pub fn of(result: Result<Value, NodeError>) -> Self {
        match result {
            Ok(value) => Self {
                value: Arc::new(value),
                error: None,
            },
            Err(error) => Self {
                value: Arc::default(),
                error: Some(Box::new(error)),
            },
        }
    }
}

fn is_null(value: &Arc<Value>) -> bool {
    value.is_null()
}

/// Everything that the run emitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// The intent to start a node. If the node's kind reads or changes something outside the run, this record is on disk before
    /// the execution begins.
    NodeStarted {
        /// The values of the node's inputs, by handle.
        inputs: ByName,
        /// The handle of the primary input, if a wire leads to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        primary: Option<Arc<str>>,
        /// The iteration cap, if the node is a loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_iterations: Option<u32>,
    },
    /// A node without an execution completed, such as an input, a loop or a pinned node.
    NodeCompleted(Completed),
    /// A node failed without a recorded result of its execution: a scope, or an execution that was cut off.
    NodeFailed(Failed),
    NodeSkipped {
        reason: String,
    },
    /// An attempt at a subflow failed. Another attempt follows after a pause.
    NodeRetried(Retried),
    /// A call that waited for a budget may now be made.
    CallReserved {
        asked: Box<CallRequest>,
        budget: Box<BudgetState>,
    },
    /// A call that waited for a budget can never fit into it. The loop or run with that budget ends.
    CallRefused {
        asked: Box<CallRequest>,
        budget: Box<BudgetState>,
    },
    /// An iteration of the scope at `path` starts.
    IterationStarted {
        index: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u32>,
        input: Arc<Value>,
    },
    ConditionChecked {
        index: u32,
        result: bool,
    },
    IterationCompleted {
        index: u32,
        result: Arc<Value>,
        /// Whether the result reached Exit. If false, the result is the value that a branching node sent away from Exit.
        reached_exit: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        similarity: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition_result: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<f64>,
        #[serde(default, skip_serializing_if = "is_zero")]
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Usage::is_none")]
        usage: Box<Usage>,
        status: RunStatus,
    },
    Warned {
        warning: Box<Warning>,
    },
    /// The intent to open the resource of the loop at `path`. This record is on disk before the host opens the resource.
    ScopeOpening {
        kind: Arc<str>,
        request: Arc<Value>,
    },
    /// The intent to close the resource of the loop at `path`.
    ScopeClosing {},
    RunCompleted {
        outputs: Named,
        duration_ms: u64,
        usage: Box<Usage>,
        warnings: Vec<Warning>,
    },
    RunFailed {
        status: RunStatus,
        error: Box<NodeError>,
        duration_ms: u64,
        usage: Box<Usage>,
        warnings: Vec<Warning>,
    },
}

/// The result of a node that completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completed {
    /// The node's outcome. It is shared with the run, which keeps it until the iteration ends.
    pub outcome: Arc<Outcome>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duration_ms: u64,
    /// How the iterations ended, if the node is a loop or a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeEnd>,
    /// The state of the loop's resource after this step, if the step may have changed the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Arc<Value>>,
}

/// The failure of a node, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub error: Box<NodeError>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duration_ms: u64,
    /// How the iterations ended, if the node is a loop or a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeEnd>,
    /// The state of the loop's resource after this step, if the step may have changed the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Arc<Value>>,
}

/// How the iterations of a loop or a list ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeEnd {
    pub iterations: u32,
    pub exit_reason: ExitReason,
    pub exhausted: bool,
}

/// A failed attempt that is followed by another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retried {
    /// The number of the failed attempt, from 1.
    pub attempt: u32,
    pub error: Box<NodeError>,
    pub after_ms: u64,
    /// The maximum number of attempts. Absent in runs of earlier versions, and for subflows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

/// The wait of an execution for a quota. It does not count as a failed attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parked {
    /// The refusal of the call, or the reason why no call was made.
    pub error: Box<NodeError>,
    pub quota: Quota,
    /// The end of the wait, in milliseconds since the Unix epoch, UTC.
    pub until: i64,
    /// The time since which the execution has been parked, in milliseconds since the Unix epoch, UTC.
    pub since: i64,
    /// The number of consecutive refusals of the quota.
    pub refusals: u32,
    /// Whether a call was sent and refused. Otherwise the quota was known to be used up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sent: bool,
}

/// The reason why a run is stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A person cancelled the run.
    Cancelled,
    /// The run took longer than its `timeout`.
    Timeout,
    /// The run's remaining budget is too small for the next call.
    BudgetExceeded,
}

/// A value that a person set in place of the computed one, for a node, an iteration or an item of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Override {
    /// The outcome of a node, which is not executed.
    Outcome(Arc<Outcome>),
    /// The input of an iteration, or an item of a list.
    Input(Arc<Value>),
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The tags of facts. All other tags are inputs.
const FACTS: [&str; 15] = [
    "node_started",
    "node_completed",
    "node_failed",
    "node_skipped",
    "node_retried",
    "call_reserved",
    "call_refused",
    "iteration_started",
    "condition_checked",
    "iteration_completed",
    "warned",
    "scope_opening",
    "scope_closing",
    "run_completed",
    "run_failed",
];

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let Some(tag) = value.get("type").and_then(Value::as_str) else {
            return Err(D::Error::missing_field("type"));
        };
        let read = if tag == WAITS_IN_1 {
            serde_json::from_value(value).map(|First { asked, budget }| {
                Entry::Input(Input::CallRequested {
                    asked: Box::new(asked),
                    fits: Fit::Later,
                    budget: Box::new(budget),
                })
            })
        } else if FACTS.contains(&tag) {
            serde_json::from_value(value).map(Entry::Fact)
        } else {
            serde_json::from_value(value).map(Entry::Input)
        };
        read.map_err(D::Error::custom)
    }
}

/// The tag of a call that waits, in runs of compatibility 1.
const WAITS_IN_1: &str = "call_waits";

#[derive(Deserialize)]
struct First {
    asked: CallRequest,
    budget: BudgetState,
}

/// Returns the input that a record of compatibility 1 contains, or `None` if records of its type never contain an input. In
/// that version, inputs were recorded in the same form as facts.
pub(crate) fn input_of_compat_1(fact: &Fact) -> Option<Input> {
    Some(match fact.clone() {
        Fact::NodeCompleted(done) => Input::ExecutionCompleted(done),
        Fact::NodeFailed(failed) => Input::ExecutionFailed(failed),
        Fact::NodeRetried(retried) => Input::ExecutionRetried(retried),
        Fact::Warned { warning } => Input::HostWarned { warning },
        Fact::CallReserved { asked, budget } => Input::CallRequested {
            asked,
            fits: Fit::Now,
            budget,
        },
        Fact::CallRefused { asked, budget } => Input::CallRequested {
            asked,
            fits: Fit::Never,
            budget,
        },
        _ => return None,
    })
}

impl From<Input> for Entry {
    fn from(input: Input) -> Self {
        Self::Input(input)
    }
}

impl From<Fact> for Entry {
    fn from(fact: Fact) -> Self {
        Self::Fact(fact)
    }
}

/// Calls `each` with every value of an entry. [`Entry::values`] and [`Entry::values_mut`] share this list of the entries with
/// values.
macro_rules! each_value {
    ($entry:expr, $each:expr, $own:path, $values:ident, $iter:ident $(, $mut:tt)?) => {
        match $entry {
            Self::Input(Input::RunStarted { inputs: named, .. })
            | Self::Fact(Fact::RunCompleted { outputs: named, .. }) => {
                named.$values().for_each($each);
            }
            Self::Fact(Fact::NodeStarted { inputs, .. }) => inputs.$values().for_each($each),
            Self::Input(
                Input::ExecutionCompleted(Completed { outcome, .. })
                | Input::Forked { given: Some(Override::Outcome(outcome)), .. },
            )
            | Self::Fact(Fact::NodeCompleted(Completed { outcome, .. })) => {
                let outcome = $own(outcome);
                $each(&$($mut)? outcome.value);
                let handles = outcome.handles.$iter().map(|(_, value)| value);
                handles.chain(&$($mut)? outcome.remember).for_each($each);
            }
            Self::Input(
                Input::NodeWaiting { value, .. }
                | Input::Forked { given: Some(Override::Input(value)), .. },
            )
            | Self::Fact(
                Fact::IterationStarted { input: value, .. }
                | Fact::IterationCompleted { result: value, .. },
            ) => $each(value),
            Self::Input(Input::AgentWorked(part)) => $each(&$($mut)? part.entries),
            _ => {}
        }
    };
}

impl Entry {
    /// Calls `each` with every value that is shared with the run, in the same order as [`Self::values_mut`], with read access
    /// only.
    pub fn values(&self, each: &mut dyn FnMut(&Arc<Value>)) {
        each_value!(self, each, Arc::as_ref, values, iter);
    }

    /// Calls `each` with every value that is shared with the run, in an order that depends only on the entry. Apart from these
    /// values, only strings in traces and errors can make an entry large.
    pub fn values_mut(&mut self, each: &mut dyn FnMut(&mut Arc<Value>)) {
        each_value!(self, each, Arc::make_mut, values_mut, iter_mut, mut);
    }

    /// Returns the state of the run's budget if the entry records it, otherwise `None`.
    pub fn budget(&self) -> Option<&BudgetState> {
        match self {
            Self::Input(
                Input::CallRequested { budget, .. } | Input::CallSettled { budget, .. },
            )
            | Self::Fact(Fact::CallReserved { budget, .. } | Fact::CallRefused { budget, .. }) => {
                Some(budget)
            }
            _ => None,
        }
    }

    /// Returns the result of a node that completed, with or without an execution; `None` for any other entry.
    pub fn completed(&self) -> Option<&Completed> {
        match self {
            Self::Input(Input::ExecutionCompleted(done))
            | Self::Fact(Fact::NodeCompleted(done)) => Some(done),
            _ => None,
        }
    }

    /// Returns the failure of a node, with or without an execution; `None` for any other entry.
    pub fn failed(&self) -> Option<&Failed> {
        match self {
            Self::Input(Input::ExecutionFailed(failed)) | Self::Fact(Fact::NodeFailed(failed)) => {
                Some(failed)
            }
            _ => None,
        }
    }

    /// Returns the wait of an execution for a quota; `None` for any other entry.
    pub fn parked(&self) -> Option<&Parked> {
        match self {
            Self::Input(Input::ExecutionParked(parked)) => Some(parked),
            _ => None,
        }
    }

    /// Returns the failed attempt of an execution or a subflow that is followed by another attempt; `None` for any other entry.
    pub fn retried(&self) -> Option<&Retried> {
        match self {
            Self::Input(Input::ExecutionRetried(retried))
            | Self::Fact(Fact::NodeRetried(retried)) => Some(retried),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_without_a_known_type_says_what_is_wrong() {
        let read = |text| serde_json::from_str::<Entry>(text).map_err(|error| error.to_string());
        assert_eq!(read("{}"), Err("missing field `type`".to_owned()));
        let unknown = read(r#"{"type":"dreamt"}"#).unwrap_err();
        assert!(unknown.contains("dreamt"), "{unknown}");
        let bad = read(r#"{"type":"node_skipped","reason":1}"#).unwrap_err();
        assert!(bad.contains("expected a string"), "{bad}");
    }

    #[test]
    fn every_fact_is_read_as_one() {
        let tags = FACTS.map(|tag| {
            let bad = serde_json::from_value::<Fact>(serde_json::json!({ "type": tag }));
            // Some tags fail because required fields are missing, but no tag is unknown.
            bad.map_or_else(|error| error.to_string(), |_| String::new())
        });
        assert!(
            tags.iter().all(|error| !error.contains("unknown variant")),
            "{tags:?}"
        );
    }

    #[test]
    fn a_call_that_waits_is_read_from_the_first_form() {
        let old = serde_json::json!({
            "type": "call_waits",
            "asked": { "call": 3, "model": "m", "tokens": null, "microusd": 5 },
            "budget": BudgetState::default(),
        });
        let Entry::Input(Input::CallRequested { asked, fits, .. }) =
            serde_json::from_value(old).unwrap()
        else {
            panic!("another entry");
        };
        assert_eq!((asked.call, fits), (3, Fit::Later));
    }
}
