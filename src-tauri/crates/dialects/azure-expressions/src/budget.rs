//! Limits of one evaluation. They count work and bytes, never time, so an evaluation that succeeds once always succeeds.

use std::cell::Cell;

use crate::{failure::Failure, value::Value};

/// The maximum number of steps of one evaluation. Each call, each element of a list and each 64 bytes of text count as a step.
const MAX_STEPS: u64 = 4_000_000;
/// The maximum number of bytes of values created by one evaluation.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The memory that a value occupies in addition to its text, in bytes.
const VALUE_BYTES: u64 = 40;

#[derive(Debug)]
pub(crate) struct Budget {
    steps: Cell<u64>,
    bytes: Cell<u64>,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            bytes: Cell::new(MAX_BYTES),
        }
    }

    /// Subtracts `steps` from the remaining steps. Fails if fewer remain.
    pub(crate) fn step(&self, steps: u64) -> Result<(), Failure> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(Failure::limit(
                "The expression needs more than four million steps. Process less data at a time.",
            )),
        }
    }

    /// Subtracts `bytes`, which are about to be allocated, from the remaining bytes, and the cost of writing them from the
    /// remaining steps. Fails if too few bytes or steps remain.
    pub(crate) fn bytes(&self, bytes: usize) -> Result<(), Failure> {
        match self.bytes.get().checked_sub(bytes as u64) {
            Some(left) => self.bytes.set(left),
            None => {
                return Err(Failure::limit(
                    "The expression produces more than 64 MB. Process less data at a time.",
                ));
            }
        }
        self.step(1 + bytes as u64 / 64)
    }

    /// Subtracts the size of a value and of everything inside it. Fails like [`Self::bytes`].
    pub(crate) fn value(&self, value: &Value) -> Result<(), Failure> {
        self.bytes(VALUE_BYTES as usize)?;
        match value {
            Value::Text(text) => self.bytes(text.len()),
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item)),
            Value::Object(fields) => fields.iter().try_for_each(|(name, item)| {
                self.bytes(name.len())?;
                self.value(item)
            }),
            _ => Ok(()),
        }
    }

    /// Subtracts the size of a JSON value that is about to be copied. Fails like [`Self::bytes`].
    pub(crate) fn json(&self, value: &serde_json::Value) -> Result<(), Failure> {
        use serde_json::Value as Json;
        self.bytes(VALUE_BYTES as usize)?;
        match value {
            Json::String(text) => self.bytes(text.len()),
            Json::Array(items) => items.iter().try_for_each(|item| self.json(item)),
            Json::Object(fields) => fields.iter().try_for_each(|(name, item)| {
                self.bytes(name.len())?;
                self.json(item)
            }),
            _ => Ok(()),
        }
    }
}
