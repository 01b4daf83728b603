//! The values that an evaluation reads, and its remaining budget.

use std::cell::Cell;

use serde_json::{Map, Value as Json};

use crate::{
    budget::Budget,
    dialect::Dialect,
    failure::Failure,
    value::{Value, entry},
};

/// The values that expressions read.
///
/// `values` and `overlay` are objects with the same optional sections. If both have an entry, that of `overlay` is used. The
/// sections:
///
/// - `variables`, `parameters`, `outputs`, `results`, `items`, `indexes`: objects that map names to values. An action that has
///   not run has a null entry in `outputs`; an action without an entry does not exist.
/// - `actions`: an object with the names of all actions. An action in it without an entry in `outputs` has not run and yields
///   null.
/// - `status`: the values of `actions('x').status`; a missing status means `Skipped`.
/// - `item`: the value of `item()`.
/// - `trigger`: the trigger's outputs, including `body`.
/// - `workflow`: the value of `workflow()`.
/// - `now`: the time of the run, such as `2025-01-31T12:00:00Z`.
/// - `seed`: an integer from which `rand()` and `guid()` are derived.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'c> {
    pub values: Option<&'c Map<String, Json>>,
    pub overlay: Option<&'c Map<String, Json>>,
    pub dialect: Dialect,
}

/// The context of one evaluation and its budget.
pub(crate) struct Environment<'c> {
    context: Context<'c>,
    pub(crate) budget: Budget,
    /// The number of random numbers drawn so far.
    drawn: Cell<u64>,
}

impl<'c> Environment<'c> {
    pub(crate) fn new(context: Context<'c>) -> Self {
        Self {
            context,
            budget: Budget::new(),
            drawn: Cell::new(0),
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.context.dialect
    }

    pub(crate) fn is_lenient(&self) -> bool {
        self.context.dialect == Dialect::Loom
    }

    /// Converts a value to text, and charges the text to the budget. Fails if the budget is exceeded.
    pub(crate) fn to_text(&self, value: &Value) -> Result<String, Failure> {
        let text = value.to_text(!self.is_lenient());
        self.budget.bytes(text.len())?;
        Ok(text)
    }

    /// Returns the sections with this name, that of the overlay before that of the values. Either may be missing.
    pub(crate) fn sections(&self, section: &str) -> impl Iterator<Item = &'c Json> + use<'c> {
        let overlay = self.context.overlay.and_then(|fields| fields.get(section));
        let values = self.context.values.and_then(|fields| fields.get(section));
        [overlay, values].into_iter().flatten()
    }

    /// Returns the entry with this name in a section of the overlay or of the values, or `None` if neither has it.
    pub(crate) fn named(&self, section: &str, name: &str) -> Option<&'c Json> {
        self.sections(section)
            .find_map(|section| entry(section.as_object()?, name))
    }

    /// Returns whether the workflow has an action with this name, even if the action has not run.
    pub(crate) fn has_action(&self, name: &str) -> bool {
        ["actions", "outputs", "status"]
            .iter()
            .any(|section| self.named(section, name).is_some())
    }

    /// Returns the time in the context. Fails if the context has none.
    pub(crate) fn now(&self) -> Result<&'c str, Failure> {
        let now = self.sections("now").find_map(Json::as_str);
        now.ok_or_else(|| {
            Failure::failed("No clock is available. Pass the time of the run as an input.")
        })
    }

    /// Returns the next random number derived from the context's seed. Fails if the context has no seed.
    ///
    /// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix64).
    pub(crate) fn random(&self) -> Result<u64, Failure> {
        let seed = self
            .sections("seed")
            .find_map(Json::as_i64)
            .ok_or_else(|| {
                Failure::failed("No random numbers are available. Pass a seed as an input.")
            })?;
        let drawn = self.drawn.get() + 1;
        self.drawn.set(drawn);
        let mut mixed = seed
            .cast_unsigned()
            .wrapping_add(drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Ok(mixed ^ (mixed >> 31))
    }
}
