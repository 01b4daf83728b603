//! Where a loop is, and the steps from one place to the next. Any other step is a defect, and ends the run with words.
//!
//! ```text
//! Between ──begin──▶ Running ──evaluated──▶ InTail ──counted──▶ Between
//!    │ ▲                                                          │
//!  pause │                                               the loop ends
//!    ▼ awake
//! Pausing
//! ```

use std::sync::Arc;

use serde_json::Value;

use crate::run::{arena::FrameId, ticket::Ticket};

/// The result of an iteration, and what was evaluated of it.
#[derive(Clone)]
pub(in crate::run) struct Evaluated {
    pub(super) result: Arc<Value>,
    pub(super) reached_exit: bool,
    pub(super) similarity: Option<f64>,
    pub(super) condition: Option<bool>,
    pub(super) score: Option<f64>,
    pub(super) outputs: Vec<Option<Value>>,
}

pub(in crate::run) enum LoopState {
    /// Between two iterations, in the step that leads from one to the other.
    Between,
    /// In the pause before an iteration.
    Pausing { timer: Ticket, input: Arc<Value> },
    /// Core and leaves of an iteration run.
    Running { frame: FrameId },
    /// The iteration was evaluated: its tail runs, where it has one.
    InTail {
        frame: FrameId,
        evaluated: Box<Evaluated>,
    },
}

impl LoopState {
    /// The frame of the iteration under way.
    pub(in crate::run) fn frame(&self) -> Option<FrameId> {
        match self {
            Self::Running { frame } | Self::InTail { frame, .. } => Some(*frame),
            Self::Between | Self::Pausing { .. } => None,
        }
    }

    /// The timer of the pause.
    pub(super) fn timer(&self) -> Option<Ticket> {
        match self {
            Self::Pausing { timer, .. } => Some(*timer),
            _ => None,
        }
    }

    pub(super) fn evaluated(&self) -> Option<&Evaluated> {
        match self {
            Self::InTail { evaluated, .. } => Some(evaluated),
            _ => None,
        }
    }

    /// An iteration begins. `false`: one is under way already.
    #[must_use]
    pub(super) fn begin(&mut self, frame: FrameId) -> bool {
        let may = matches!(self, Self::Between);
        if may {
            *self = Self::Running { frame };
        }
        may
    }

    /// A pause begins. `false`: an iteration is under way.
    #[must_use]
    pub(super) fn pause(&mut self, timer: Ticket, input: Arc<Value>) -> bool {
        let may = matches!(self, Self::Between);
        if may {
            *self = Self::Pausing { timer, input };
        }
        may
    }

    /// The pause is over: the input of the next iteration. Nothing where there was none.
    pub(super) fn awake(&mut self) -> Option<Arc<Value>> {
        match std::mem::replace(self, Self::Between) {
            Self::Pausing { input, .. } => Some(input),
            other => {
                *self = other;
                None
            }
        }
    }

    /// The iteration under way was evaluated. `false`: none is under way, or it was evaluated before.
    #[must_use]
    pub(super) fn evaluate(&mut self, evaluated: Evaluated) -> bool {
        let Self::Running { frame } = *self else {
            return false;
        };
        *self = Self::InTail {
            frame,
            evaluated: Box::new(evaluated),
        };
        true
    }

    /// The iteration is over: what was evaluated of it. `None` where nothing was.
    pub(super) fn count(&mut self) -> Option<Evaluated> {
        match std::mem::replace(self, Self::Between) {
            Self::InTail { evaluated, .. } => Some(*evaluated),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Whatever is under way is given up: its frame.
    pub(super) fn leave(&mut self) -> Option<FrameId> {
        std::mem::replace(self, Self::Between).frame()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::arena::ArenaId as _;

    fn evaluated() -> Evaluated {
        Evaluated {
            result: Arc::default(),
            reached_exit: true,
            similarity: None,
            condition: None,
            score: None,
            outputs: Vec::new(),
        }
    }

    #[test]
    fn only_the_steps_of_the_picture_are_taken() {
        let mut state = LoopState::Between;
        assert!(state.awake().is_none() && state.count().is_none());
        assert!(!state.evaluate(evaluated()));
        assert!(state.pause(Ticket(1), Arc::default()));
        assert!(!state.begin(FrameId::new(3)) && !state.pause(Ticket(2), Arc::default()));
        assert_eq!(state.timer(), Some(Ticket(1)));
        assert!(state.awake().is_some() && state.begin(FrameId::new(3)));
        assert!(
            !state.begin(FrameId::new(4)) && state.awake().is_none() && state.count().is_none()
        );
        assert_eq!(state.frame(), Some(FrameId::new(3)));
        assert!(state.evaluate(evaluated()) && !state.evaluate(evaluated()));
        assert_eq!(state.frame(), Some(FrameId::new(3)));
        assert!(state.count().is_some() && state.frame().is_none());
        assert!(state.begin(FrameId::new(5)));
        assert_eq!(
            (state.leave(), state.leave()),
            (Some(FrameId::new(5)), None)
        );
    }
}
