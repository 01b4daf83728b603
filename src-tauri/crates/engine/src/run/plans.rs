//! The plans of a run.

use std::sync::Arc;

use crate::plan::Plan;

/// The plans of a run in the order in which they apply: the first plan, and one more for each fork.
#[derive(Clone)]
pub struct Plans {
    first: Arc<Plan>,
    later: Vec<Arc<Plan>>,
}

impl From<Arc<Plan>> for Plans {
    fn from(first: Arc<Plan>) -> Self {
        Self {
            first,
            later: Vec::new(),
        }
    }
}

impl Plans {
    /// Adds the plan that a fork continues with.
    pub fn then(mut self, plan: Arc<Plan>) -> Self {
        self.later.push(plan);
        self
    }

    /// Returns the plan that the run began with.
    pub fn first(&self) -> &Arc<Plan> {
        &self.first
    }

    /// Returns the plan that applies at the end.
    pub fn last(&self) -> &Arc<Plan> {
        self.later.last().unwrap_or(&self.first)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Plan>> {
        std::iter::once(&self.first).chain(&self.later)
    }
}
