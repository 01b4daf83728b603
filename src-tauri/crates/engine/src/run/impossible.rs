//! Steps that the current state does not allow. Each is a defect of this program. The run then fails with a message, because it
//! must not continue in an undefined state.

use thiserror::Error;

/// The result of a step of the core.
pub(super) type Stepped<T = ()> = Result<T, Impossible>;

/// A step that is not allowed, with the state that does not allow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum Impossible {
    #[error("a loop cannot {} while it is {}", .1.words(), .0.words())]
    Loop(LoopPhase, LoopStep),
    #[error("a list cannot {}", .0.words())]
    List(ListStep),
    #[error("a subflow cannot {} while it is {}", .1.words(), .0.words())]
    Subflow(SubflowPhase, SubflowStep),
    #[error("a frame cannot {} while it is {}", .1.words(), .0.words())]
    Frame(FramePhase, FrameStep),
    #[error("a node cannot {} while it is {}", .1.words(), .0.words())]
    Node(NodePhase, NodeStep),
    /// A step belongs to a scope that is over or has another kind.
    #[error("a step belongs to {} that is over", .0.words())]
    ScopeOver(ScopeKind),
    /// A step belongs to a frame that is closed.
    #[error("a step belongs to a frame that is closed")]
    FrameClosed,
    /// The plan does not say how a scope repeats its body.
    #[error("{} has no settings", .0.words())]
    NoSettings(ScopeKind),
    /// A node that is never executed was about to run.
    #[error("a node that never runs was started")]
    NeverRuns,
}

/// The kind of a scope: a loop, a list or a subflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Loop,
    List,
    Subflow,
    /// Any kind, for a step that does not depend on the kind.
    Any,
}

impl ScopeKind {
    fn words(self) -> &'static str {
        match self {
            Self::Loop => "a loop",
            Self::List => "a list",
            Self::Subflow => "a subflow",
            Self::Any => "a loop, list or subflow",
        }
    }
}

/// The state of a frame, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramePhase {
    Opened,
    Core,
    CoreDone,
    Tail,
    TailDone,
}

impl FramePhase {
    fn words(self) -> &'static str {
        match self {
            Self::Opened => "not begun",
            Self::Core => "running its core",
            Self::CoreDone => "done with its core",
            Self::Tail => "running its tail",
            Self::TailDone => "done with its tail",
        }
    }
}

/// A step of a frame, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameStep {
    Begin,
    OpenTail,
    Settle,
}

impl FrameStep {
    fn words(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::OpenTail => "open its tail",
            Self::Settle => "settle a node",
        }
    }
}

/// The state of a node in a frame, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePhase {
    Waiting,
    Queued,
    Running,
    Scope,
    Settled,
}

impl NodePhase {
    fn words(self) -> &'static str {
        match self {
            Self::Waiting => "waiting for its wires",
            Self::Queued => "waiting for a place",
            Self::Running => "running",
            Self::Scope => "running its body",
            Self::Settled => "settled",
        }
    }
}

/// A step of a node, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeStep {
    Queue,
    Requeue,
    Run,
    Enter,
    Settle,
    Fail,
}

impl NodeStep {
    fn words(self) -> &'static str {
        match self {
            Self::Queue => "wait for a place",
            Self::Requeue => "have its turn once more",
            Self::Run => "run",
            Self::Enter => "run its body",
            Self::Settle => "settle",
            Self::Fail => "fail",
        }
    }
}

/// The state of a loop, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopPhase {
    Opening,
    Between,
    Pausing,
    Running,
    Evaluated,
    Closing,
    Ended,
}

impl LoopPhase {
    fn words(self) -> &'static str {
        match self {
            Self::Opening => "opening its resource",
            Self::Closing => "closing its resource",
            Self::Between => "between two iterations",
            Self::Pausing => "in a pause",
            Self::Running => "running an iteration",
            Self::Evaluated => "running the tail of an iteration",
            Self::Ended => "ended",
        }
    }
}

/// A step of a loop, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopStep {
    Open,
    Opened,
    Close,
    Closed,
    Begin,
    Pause,
    Awake,
    GiveUp,
    Evaluate,
    Continue,
    Count,
    End,
}

impl LoopStep {
    fn words(self) -> &'static str {
        match self {
            Self::Open => "open its resource",
            Self::Opened => "have its resource opened",
            Self::Close => "close its resource",
            Self::Closed => "have its resource closed",
            Self::Begin => "begin an iteration",
            Self::Pause => "pause",
            Self::Awake => "end a pause",
            Self::GiveUp => "give up an iteration",
            Self::Evaluate => "evaluate an iteration",
            Self::Continue => "continue after an iteration",
            Self::Count => "count an iteration",
            Self::End => "end",
        }
    }
}

/// A step of a list, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStep {
    Begin,
    Hold,
    Release,
    Finish,
}

impl ListStep {
    fn words(self) -> &'static str {
        match self {
            Self::Begin => "begin an item before its turn",
            Self::Hold => "hold an item before its turn",
            Self::Release => "release an item that is not held",
            Self::Finish => "finish an item that is finished or was never begun",
        }
    }
}

/// The state of a subflow, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubflowPhase {
    Between,
    Running,
    Pausing,
    Ended,
}

impl SubflowPhase {
    fn words(self) -> &'static str {
        match self {
            Self::Between => "between two attempts",
            Self::Running => "running",
            Self::Pausing => "in a pause",
            Self::Ended => "ended",
        }
    }
}

/// A step of a subflow, for messages about impossible steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubflowStep {
    Begin,
    TimeOut,
    Fail,
    Pause,
    Awake,
    End,
}

impl SubflowStep {
    fn words(self) -> &'static str {
        match self {
            Self::Begin => "begin an attempt",
            Self::TimeOut => "time out",
            Self::Fail => "fail",
            Self::Pause => "pause",
            Self::Awake => "end a pause",
            Self::End => "end",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_in_words() {
        for (impossible, words) in [
            (
                Impossible::Loop(LoopPhase::Pausing, LoopStep::Begin),
                "a loop cannot begin an iteration while it is in a pause",
            ),
            (
                Impossible::List(ListStep::Finish),
                "a list cannot finish an item that is finished or was never begun",
            ),
            (
                Impossible::Subflow(SubflowPhase::Running, SubflowStep::Awake),
                "a subflow cannot end a pause while it is running",
            ),
            (
                Impossible::Frame(FramePhase::Core, FrameStep::OpenTail),
                "a frame cannot open its tail while it is running its core",
            ),
            (
                Impossible::Node(NodePhase::Settled, NodeStep::Settle),
                "a node cannot settle while it is settled",
            ),
            (
                Impossible::ScopeOver(ScopeKind::List),
                "a step belongs to a list that is over",
            ),
        ] {
            assert_eq!(impossible.to_string(), words);
        }
    }
}
