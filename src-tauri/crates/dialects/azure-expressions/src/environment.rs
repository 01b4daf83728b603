//! What an evaluation reads, and how much it may still do.

use std::cell::Cell;

use serde_json::{Map, Value as Json};

use crate::{
    budget::Budget,
    dialect::Dialect,
    failure::Failure,
    value::{Value, entry},
};

/// What expressions read.
///
/// Both objects have the same sections, all of them optional, and `overlay` comes first:
///
/// - `variables`, `parameters`, `outputs`, `results`, `items`, `indexes`: objects by name. An action that has not run has an
///   entry in `outputs` that is null; without an entry it does not exist.
/// - `actions`: an object whose names are those of all actions. One without an entry in `outputs` has not run: it gives null.
/// - `status`: what `actions('x').status` gives, `Skipped` where nothing stands there.
/// - `item`: what `item()` gives.
/// - `trigger`: the trigger's outputs, among them `body`.
/// - `workflow`: what `workflow()` gives.
/// - `now`: the time of the run, such as `2025-01-31T12:00:00Z`.
/// - `seed`: an integer from which `rand()` and `guid()` are drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'c> {
    pub values: Option<&'c Map<String, Json>>,
    pub overlay: Option<&'c Map<String, Json>>,
    pub dialect: Dialect,
}

/// What one evaluation reads, with what it has used of it.
pub(crate) struct Environment<'c> {
    context: Context<'c>,
    pub(crate) budget: Budget,
    /// Random numbers drawn so far.
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

    /// The value within a text.
    pub(crate) fn to_text(&self, value: &Value) -> Result<String, Failure> {
        let text = value.to_text(!self.is_lenient());
        self.budget.bytes(text.len())?;
        Ok(text)
    }

    /// A section of the context: that of the overlay, else that of the values.
    pub(crate) fn sections(&self, section: &str) -> impl Iterator<Item = &'c Json> + use<'c> {
        let overlay = self.context.overlay.and_then(|fields| fields.get(section));
        let values = self.context.values.and_then(|fields| fields.get(section));
        [overlay, values].into_iter().flatten()
    }

    /// The entry of a section that has this name.
    pub(crate) fn named(&self, section: &str, name: &str) -> Option<&'c Json> {
        self.sections(section)
            .find_map(|section| entry(section.as_object()?, name))
    }

    /// Whether the workflow has an action of this name, whether it has run or not.
    pub(crate) fn has_action(&self, name: &str) -> bool {
        ["actions", "outputs", "status"]
            .iter()
            .any(|section| self.named(section, name).is_some())
    }

    /// The time that the context gives.
    pub(crate) fn now(&self) -> Result<&'c str, Failure> {
        let now = self.sections("now").find_map(Json::as_str);
        now.ok_or_else(|| {
            Failure::failed("There is no clock here. Give the time of the run as an input.")
        })
    }

    /// The next random number that the context's seed gives.
    ///
    /// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix64).
    pub(crate) fn random(&self) -> Result<u64, Failure> {
        let seed = self
            .sections("seed")
            .find_map(Json::as_i64)
            .ok_or_else(|| {
                Failure::failed("There is no randomness here. Give a seed as an input.")
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
