//! The inputs of a run or of a subflow, shared by all of its frames.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::named::Named;

#[derive(Debug, Default)]
pub(super) struct RunInputs {
    values: Named,
    /// The value that templates read as `run`. The first read creates it, and all templates share it.
    run: OnceLock<Arc<Value>>,
}

impl RunInputs {
    pub(super) fn new(values: Named) -> Arc<Self> {
        Arc::new(Self {
            values,
            run: OnceLock::new(),
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<Value>> {
        self.values.get(name)
    }

    /// Returns a copy of the inputs with one value replaced.
    pub(super) fn with(&self, name: &str, value: Arc<Value>) -> Arc<Self> {
        let mut values = self.values.clone();
        values.insert(name, value);
        Self::new(values)
    }

    pub(super) fn as_run(&self) -> Arc<Value> {
        let made = || Arc::new(json!({ "inputs": self.values.to_object() }));
        Arc::clone(self.run.get_or_init(made))
    }
}
