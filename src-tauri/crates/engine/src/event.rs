//! Run events: one typed stream for the canvas, `--events` and tests, projected from the journal's records.

use std::{cell::RefCell, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use loopwright_model::value::preview;

use crate::{
    budget::{BudgetState, Fit},
    exit::ExitReason,
    journal::{Completed, Entry, Fact, Failed, Input, Parked, Record, Retried},
    named::Named,
    outcome::{Checked, UsageView},
    question::Question,
    skip_cause::SkipCause,
    status::RunStatus,
    transcript::AgentProgress,
    trust::Note,
    warning::Warning,
};

/// Formats milliseconds since the Unix epoch in RFC 3339: UTC, with milliseconds.
pub fn timestamp(millis: i64) -> String {
    thread_local! {
        /// A cache of the last time and its formatted text. Many events of a run occur in the same millisecond.
        static LAST: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
    }
    LAST.with_borrow_mut(|(at, text)| {
        if *at != millis {
            *at = millis;
            *text = jiff::Timestamp::from_millisecond(millis)
                .map_or_else(|_| String::new(), |at| format!("{at:.3}"));
        }
        text.clone()
    })
}

/// Parses an RFC 3339 time into milliseconds since the Unix epoch. Returns `None` if `text` is not in that format.
pub fn parse_time(text: &str) -> Option<i64> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(at.as_millisecond())
}

/// The first characters of a value's text. The text is produced only when it is read, because most events of a long loop are
/// never read.
#[derive(Clone)]
pub struct Preview(Arc<Value>);

impl Preview {
    pub fn of(value: &Arc<Value>) -> Self {
        Self(Arc::clone(value))
    }

    pub fn text(&self) -> String {
        preview(&self.0, PREVIEW)
    }
}

impl fmt::Debug for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl PartialEq for Preview {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.text() == other.text()
    }
}

impl Serialize for Preview {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Preview {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(Arc::new(Value::String(text))))
    }
}

/// One event. `seq` counts from 0 within the run without gaps. Streaming events are not recorded, and have the `seq` of the
/// record before them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename = "RunEvent")]
pub struct Event {
    pub run_id: String,
    pub seq: u32,
    /// The time of the event in RFC 3339: UTC, with milliseconds.
    pub at: String,
    pub node_id: Option<String>,
    /// The path of the event's subject: empty for the run itself, `refine` or `refine[2]/draft` for a node (iterations from
    /// 1).
    pub path: String,
    #[serde(flatten)]
    pub body: EventBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(tag = "type")]
pub enum EventBody {
    #[serde(rename = "workflow.started")]
    Started {
        name: String,
        #[cfg_attr(feature = "typescript", specta(type = Value))]
        inputs: Named,
    },
    #[serde(rename = "workflow.completed")]
    Completed {
        #[cfg_attr(feature = "typescript", specta(type = Value))]
        outputs: Named,
        duration_ms: u32,
        usage: UsageView,
        warnings: Vec<Warning>,
    },
    /// The run ended without success. `status` is `failed`, `cancelled` or `interrupted`.
    #[serde(rename = "workflow.failed")]
    Failed {
        status: RunStatus,
        code: String,
        message: String,
        duration_ms: u32,
        usage: UsageView,
        warnings: Vec<Warning>,
    },
    #[serde(rename = "workflow.node.started")]
    NodeStarted {
        max_iterations: Option<u32>,
        #[cfg_attr(feature = "typescript", specta(type = Option<String>))]
        input_preview: Option<Preview>,
    },
    #[serde(rename = "workflow.node.streaming")]
    NodeStreaming { tokens: String },
    /// A model sent nothing for `for_ms` milliseconds. The call is cancelled after `limit_ms` milliseconds of silence. Like
    /// streamed text, the event is not recorded.
    #[serde(rename = "workflow.node.silent")]
    NodeSilent { for_ms: u32, limit_ms: u32 },
    /// An agent made progress. `line` describes in one line what the agent is doing, or what it did last: `running npm test`.
    /// The transcript of the step contains the entries.
    #[serde(rename = "workflow.node.activity")]
    NodeActivity {
        line: String,
        /// The number of entries of the transcript so far.
        entries: u32,
        /// The input tokens so far; null until the agent's program reports them.
        input_tokens: Option<u32>,
        output_tokens: Option<u32>,
        /// Whether the event is recorded. In a long turn, the later entries are recorded only when the turn ends.
        recorded: bool,
    },
    #[serde(rename = "workflow.node.completed")]
    NodeCompleted {
        duration_ms: u32,
        usage: UsageView,
        #[cfg_attr(feature = "typescript", specta(type = String))]
        preview: Preview,
        branch: Option<String>,
        /// The reason for the chosen branch, truncated. Only branching nodes whose value contains a reason have one.
        reason: Option<String>,
        /// The result of the node's tests; null for a node that ran no tests.
        checked: Option<Checked>,
        iterations_run: Option<u32>,
        exit_reason: Option<ExitReason>,
        exhausted: Option<bool>,
        model: Option<String>,
        /// Whether the node was not executed because a person fixed its value.
        pinned: bool,
    },
    #[serde(rename = "workflow.node.failed")]
    NodeFailed {
        duration_ms: u32,
        code: String,
        message: String,
        /// The usage up to the failure, such as that of failed attempts or of a loop's iterations.
        usage: UsageView,
        iterations_run: Option<u32>,
        exit_reason: Option<ExitReason>,
        exhausted: Option<bool>,
    },
    /// An attempt failed, and another follows after a pause.
    #[serde(rename = "workflow.node.retried")]
    NodeRetried {
        /// The attempt that failed, from 1.
        attempt: u32,
        code: String,
        message: String,
        after_ms: u32,
        /// The maximum number of attempts; null in runs of earlier versions, and for subflows.
        #[serde(default)]
        attempts: Option<u32>,
    },
    /// A quota is used up. The step waits until the quota resets, and then repeats its call. If the end of the wait changes,
    /// another event of the same step reports the new end.
    #[serde(rename = "workflow.node.parked")]
    NodeParked {
        /// The name of the provider or agent whose quota is used up, such as `Anthropic`.
        name: String,
        /// The end of the wait in RFC 3339: UTC, with milliseconds.
        until: String,
        code: String,
        message: String,
    },
    /// The wait for a quota is over, and the step repeats its call.
    #[serde(rename = "workflow.node.unparked")]
    NodeUnparked {},
    #[serde(rename = "workflow.node.skipped")]
    NodeSkipped {
        /// The recorded cause, as text.
        reason: String,
        /// The cause as a code; null if the recorded reason is not one that this program knows.
        cause: Option<SkipCause>,
    },
    #[serde(rename = "workflow.node.waiting")]
    NodeWaiting {
        /// The question, as text for people.
        message: String,
        question: Question,
        /// The time at which the question expires, in RFC 3339 and UTC; null if it waits forever.
        expires_at: Option<String>,
    },
    /// An iteration of the scope at `path` starts. `index` counts from 0.
    #[serde(rename = "workflow.node.iteration")]
    Iteration {
        index: u32,
        total: Option<u32>,
        #[cfg_attr(feature = "typescript", specta(type = String))]
        input_preview: Preview,
    },
    /// The host prepares the resource of the loop at `path`, such as its `workspace`, before the first iteration.
    #[serde(rename = "workflow.loop.preparing")]
    LoopPreparing { resource: String },
    /// The resource of the loop at `path` is ready. `details` is the host's description of the resource.
    #[serde(rename = "workflow.loop.prepared")]
    LoopPrepared {
        #[cfg_attr(feature = "typescript", specta(type = Value))]
        details: Arc<Value>,
    },
    #[serde(rename = "workflow.loop.condition")]
    LoopCondition { index: u32, result: bool },
    #[serde(rename = "workflow.loop.iteration_completed")]
    IterationCompleted {
        index: u32,
        similarity: Option<f64>,
        condition_result: Option<bool>,
        score: Option<f64>,
        duration_ms: u32,
        usage: UsageView,
        #[cfg_attr(feature = "typescript", specta(type = String))]
        result_preview: Preview,
        /// Whether a value reached the end of the loop or list. False if a branch led away from the end.
        reached_exit: bool,
        /// The status with which the loop or list ended: `completed`, `failed` or `cancelled`.
        status: RunStatus,
    },
    /// The amounts of the run's budget have changed. `path` is the path of the node whose call changed them.
    #[serde(rename = "workflow.budget")]
    Budget(BudgetView),
    /// From now on, the run has another budget. A null limit is unchanged.
    #[serde(rename = "workflow.budget_set")]
    BudgetSet {
        budget_usd: Option<f64>,
        budget_tokens: Option<u32>,
    },
    /// Something was approved or refused for the run, or a node used a secret. `path` is the path of the node, or empty for the
    /// whole run.
    #[serde(rename = "workflow.trust")]
    Trust(Note),
    /// A person paused the run: running steps finish, and no new step starts.
    #[serde(rename = "workflow.paused")]
    Paused {},
    #[serde(rename = "workflow.continued")]
    Continued {},
    /// The computer has just woken after sleeping for `slept_ms` while the run was active. This time does not count towards
    /// the run's duration or its time limits. `message` says when the computer slept, in its local time.
    #[serde(rename = "workflow.slept")]
    Slept { slept_ms: u32, message: String },
}

impl EventBody {
    /// Returns the event that reports an agent's progress. `recorded` is true if the event is recorded.
    pub fn activity(progress: &AgentProgress, recorded: bool) -> Self {
        let tokens =
            |count: Option<u64>| count.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self::NodeActivity {
            line: progress.line.clone(),
            entries: progress.count,
            input_tokens: tokens(progress.input_tokens),
            output_tokens: tokens(progress.output_tokens),
            recorded,
        }
    }
}

/// The state of a run's budget, as events and replies show it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename = "Budget")]
pub struct BudgetView {
    /// The dollars used by finished calls. A call whose outcome is unknown counts as its full reservation.
    pub spent_usd: f64,
    pub spent_tokens: u32,
    /// The dollars reserved for calls in progress.
    pub reserved_usd: f64,
    pub reserved_tokens: u32,
    /// The limit in dollars; null for no limit.
    pub budget_usd: Option<f64>,
    pub budget_tokens: Option<u32>,
}

fn usd(microusd: u64) -> f64 {
    microusd as f64 / 1e6
}

impl From<&BudgetState> for BudgetView {
    fn from(state: &BudgetState) -> Self {
        let count = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        Self {
            spent_usd: usd(state.spent_microusd),
            spent_tokens: count(state.spent_tokens),
            reserved_usd: usd(state.reserved_microusd),
            reserved_tokens: count(state.reserved_tokens),
            budget_usd: state.limits.microusd.map(usd),
            budget_tokens: state.limits.tokens.map(count),
        }
    }
}

/// The maximum number of characters of a value that an event shows.
pub const PREVIEW: usize = 400;

/// Returns the first [`PREVIEW`] characters of `text`, with an ellipsis if `text` is longer.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the event that publishes a record, or `None` if records of this kind have no event.
pub fn project(run_id: &str, record: &Record) -> Option<Event> {
    let millis = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let body = match &record.entry {
        Entry::Input(Input::RunStarted { name, inputs, .. }) => EventBody::Started {
            name: name.clone(),
            inputs: inputs.clone(),
        },
        Entry::Fact(Fact::RunCompleted {
            outputs,
            duration_ms,
            usage,
            warnings,
        }) => EventBody::Completed {
            outputs: outputs.clone(),
            duration_ms: millis(*duration_ms),
            usage: (&**usage).into(),
            warnings: warnings.clone(),
        },
        Entry::Fact(Fact::RunFailed {
            status,
            error,
            duration_ms,
            usage,
            warnings,
        }) => EventBody::Failed {
            status: *status,
            code: error.code.clone(),
            message: error.message.clone(),
            duration_ms: millis(*duration_ms),
            usage: (&**usage).into(),
            warnings: warnings.clone(),
        },
        Entry::Fact(Fact::NodeStarted {
            inputs,
            primary,
            max_iterations,
        }) => EventBody::NodeStarted {
            max_iterations: *max_iterations,
            input_preview: primary
                .as_ref()
                .and_then(|primary| inputs.get(primary))
                .or_else(|| inputs.values().next())
                .map(Preview::of),
        },
        Entry::Input(Input::ExecutionCompleted(Completed {
            outcome,
            duration_ms,
            scope,
            state: _,
        }))
        | Entry::Fact(Fact::NodeCompleted(Completed {
            outcome,
            duration_ms,
            scope,
            state: _,
        })) => EventBody::NodeCompleted {
            duration_ms: millis(*duration_ms),
            usage: outcome.spent().into(),
            preview: Preview::of(&outcome.value),
            branch: outcome.branch.clone(),
            reason: outcome.reason().map(shortened),
            checked: outcome.checked,
            iterations_run: scope.map(|scope| scope.iterations),
            exit_reason: scope.map(|scope| scope.exit_reason),
            exhausted: scope.map(|scope| scope.exhausted),
            model: outcome.trace.as_ref().and_then(|trace| trace.model.clone()),
            pinned: outcome.pinned,
        },
        Entry::Input(Input::ExecutionFailed(Failed {
            error,
            duration_ms,
            scope,
            state: _,
        }))
        | Entry::Fact(Fact::NodeFailed(Failed {
            error,
            duration_ms,
            scope,
            state: _,
        })) => EventBody::NodeFailed {
            duration_ms: millis(*duration_ms),
            code: error.code.clone(),
            message: error.message.clone(),
            usage: (&error.usage).into(),
            iterations_run: scope.map(|scope| scope.iterations),
            exit_reason: scope.map(|scope| scope.exit_reason),
            exhausted: scope.map(|scope| scope.exhausted),
        },
        Entry::Fact(Fact::CallReserved { budget, .. })
        | Entry::Input(
            Input::CallRequested {
                fits: Fit::Now,
                budget,
                ..
            }
            | Input::CallSettled { budget, .. },
        ) => EventBody::Budget((&**budget).into()),
        Entry::Input(Input::BudgetSet { limits }) => EventBody::BudgetSet {
            budget_usd: limits.microusd.map(usd),
            budget_tokens: limits.tokens.map(millis),
        },
        Entry::Input(Input::AgentWorked(part)) => EventBody::activity(&part.progress, true),
        Entry::Input(Input::Noted { note }) => EventBody::Trust(note.clone()),
        Entry::Input(Input::ExecutionRetried(Retried {
            attempt,
            error,
            after_ms,
            attempts,
        }))
        | Entry::Fact(Fact::NodeRetried(Retried {
            attempt,
            error,
            after_ms,
            attempts,
        })) => EventBody::NodeRetried {
            attempt: *attempt,
            code: error.code.clone(),
            message: error.message.clone(),
            after_ms: millis(*after_ms),
            attempts: *attempts,
        },
        Entry::Input(Input::ExecutionParked(Parked {
            error,
            quota,
            until,
            ..
        })) => EventBody::NodeParked {
            name: quota.name.clone(),
            until: timestamp(*until),
            code: error.code.clone(),
            message: error.message.clone(),
        },
        Entry::Input(Input::ExecutionUnparked) => EventBody::NodeUnparked {},
        Entry::Input(Input::RunPaused) => EventBody::Paused {},
        // The records before a fork have the times of another run, and the records before a resume are followed by a pause.
        // Neither gap counts towards the run's duration.
        Entry::Input(Input::RunContinued)
        | Entry::Input(Input::RunResumed | Input::RunTakenOver)
        | Entry::Input(Input::Forked { .. }) => EventBody::Continued {},
        Entry::Input(Input::ComputerSlept { ms, warning }) => EventBody::Slept {
            slept_ms: millis(*ms),
            message: warning.message.clone(),
        },
        Entry::Fact(Fact::NodeSkipped { reason }) => EventBody::NodeSkipped {
            reason: reason.clone(),
            cause: SkipCause::of(reason),
        },
        Entry::Input(Input::NodeWaiting {
            question, expires, ..
        }) => EventBody::NodeWaiting {
            message: question.to_string(),
            question: question.clone(),
            expires_at: expires.as_ref().map(|expires| timestamp(expires.at)),
        },
        Entry::Fact(Fact::IterationStarted {
            index,
            total,
            input,
        }) => EventBody::Iteration {
            index: *index,
            total: *total,
            input_preview: Preview::of(input),
        },
        Entry::Fact(Fact::ScopeOpening { kind, .. }) => EventBody::LoopPreparing {
            resource: kind.to_string(),
        },
        // If there is an error, the loop fails, and the event of the failed loop reports it.
        Entry::Input(Input::ScopeOpened(answer)) if answer.error.is_some() => return None,
        Entry::Input(Input::ScopeOpened(answer)) => EventBody::LoopPrepared {
            details: Arc::clone(&answer.value),
        },
        Entry::Fact(Fact::ConditionChecked { index, result }) => EventBody::LoopCondition {
            index: *index,
            result: *result,
        },
        Entry::Fact(Fact::IterationCompleted {
            index,
            result,
            similarity,
            condition_result,
            score,
            duration_ms,
            usage,
            reached_exit,
            status,
        }) => EventBody::IterationCompleted {
            index: *index,
            similarity: *similarity,
            condition_result: *condition_result,
            score: *score,
            duration_ms: millis(*duration_ms),
            usage: (&**usage).into(),
            result_preview: Preview::of(result),
            reached_exit: *reached_exit,
            status: *status,
        },
        Entry::Fact(Fact::Warned { .. })
        | Entry::Input(Input::NodeAnswered { .. })
        | Entry::Input(Input::TimerFired { .. })
        | Entry::Input(Input::CallsUnderWay { .. })
        | Entry::Input(Input::CallRequested { .. })
        | Entry::Input(Input::SpendingRefused { .. })
        | Entry::Input(Input::HostWarned { .. })
        | Entry::Fact(Fact::CallRefused { .. })
        | Entry::Input(Input::LoopOverBudget)
        | Entry::Fact(Fact::ScopeClosing {})
        | Entry::Input(Input::ScopeReopened(_) | Input::ScopeClosed(_))
        | Entry::Input(Input::StopRequested { .. }) => return None,
    };
    Some(Event {
        run_id: run_id.to_owned(),
        seq: u32::try_from(record.seq).unwrap_or(u32::MAX),
        at: timestamp(record.at),
        node_id: record.node_id.as_deref().map(str::to_owned),
        path: record.path.clone(),
        body,
    })
}
