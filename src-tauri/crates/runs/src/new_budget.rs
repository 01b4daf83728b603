//! A new budget that a person sets for a run.

use loopwright_engine::{
    budget::{Limits, dollars},
    journal::RunState,
};

use crate::error::{ApiError, Code};

/// A new budget for a run. Fields that are `None` keep their present value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NewBudget {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
}

impl From<Limits> for NewBudget {
    fn from(limits: Limits) -> Self {
        Self {
            usd: limits.microusd.map(|microusd| microusd as f64 / 1e6),
            tokens: limits.tokens,
        }
    }
}

impl NewBudget {
    /// Converts the budget to limits. Returns an error if an amount is invalid or the run has already spent it.
    pub(crate) fn limits(self, run_id: &str, state: &RunState) -> Result<Limits, ApiError> {
        if self.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "The budget must be 0 dollars or more.",
            ));
        }
        let limits = Limits::new(self.usd, self.tokens);
        let spent = state.budget.unwrap_or_default();
        let too_small = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| limit < spent);
        let has_spent = if too_small(limits.microusd, spent.spent_microusd) {
            dollars(spent.spent_microusd)
        } else if too_small(limits.tokens, spent.spent_tokens) {
            format!("{} tokens", spent.spent_tokens)
        } else {
            return Ok(limits);
        };
        Err(ApiError::new(
            Code::InvalidArgument,
            format!("Run {run_id} has already spent {has_spent}. Set a budget above that amount."),
        ))
    }
}
