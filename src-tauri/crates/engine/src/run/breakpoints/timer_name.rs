//! What a timer is for, and which places it depends on.

/// What a timer is for, independent of its ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimerName {
    /// The pause before an iteration of the scope at this path, counted from 0.
    Delay(String, u32),
    LoopLimit(String),
    IterationLimit(String, u32),
    /// Of an attempt at the subflow at this path, and the pause before another.
    SubflowLimit(String),
    SubflowPause(String),
}

impl TimerName {
    /// Whether the timer is about something that contains the place at `path`, or comes after it: what happened there is not
    /// known once the place has changed.
    pub(crate) fn depends_on(&self, path: &str) -> bool {
        let iteration_of = |scope: &str| -> Option<u32> {
            let rest = path.strip_prefix(scope)?.strip_prefix('[')?;
            rest[..rest.find(']')?].parse().ok()
        };
        match self {
            // Paths count from 1.
            Self::Delay(scope, index) => iteration_of(scope).is_some_and(|at| index + 1 > at),
            Self::IterationLimit(scope, index) => {
                iteration_of(scope).is_some_and(|at| index + 1 >= at)
            }
            Self::LoopLimit(scope) => iteration_of(scope).is_some(),
            Self::SubflowLimit(scope) => path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
            // It follows an attempt that failed: a place that the run reaches after it was not in that attempt.
            Self::SubflowPause(_) => false,
        }
    }
}
