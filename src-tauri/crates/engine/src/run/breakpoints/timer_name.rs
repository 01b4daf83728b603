//! The purpose of a timer, and the steps that it depends on.

/// The purpose of a timer, independent of its ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimerName {
    /// The pause before an iteration of the loop at this path. Iterations count from 0.
    Delay(String, u32),
    LoopLimit(String),
    IterationLimit(String, u32),
    /// The time limit of an attempt at the subflow at this path.
    SubflowLimit(String),
    /// The pause before another attempt at the subflow at this path.
    SubflowPause(String),
}

impl TimerName {
    /// Returns whether the timer belongs to something that contains or follows the step at `path`. If that step changes, the
    /// time at which the timer would fire is unknown.
    pub(crate) fn depends_on(&self, path: &str) -> bool {
        let iteration_of = |scope: &str| -> Option<u32> {
            let rest = path.strip_prefix(scope)?.strip_prefix('[')?;
            rest[..rest.find(']')?].parse().ok()
        };
        match self {
            // Paths count iterations from 1, and indices count from 0.
            Self::Delay(scope, index) => iteration_of(scope).is_some_and(|at| index + 1 > at),
            Self::IterationLimit(scope, index) => {
                iteration_of(scope).is_some_and(|at| index + 1 >= at)
            }
            Self::LoopLimit(scope) => iteration_of(scope).is_some(),
            Self::SubflowLimit(scope) => path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
            // The pause follows a failed attempt, and the run reaches the step only after the pause. So the pause does not
            // depend on the step.
            Self::SubflowPause(_) => false,
        }
    }
}
