//! What calls of a model cost: dollars for a million tokens, and whole micro-dollars of what was used.

use serde::{Deserialize, Serialize};

/// What one model costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The provider's id: `openai`.
    #[serde(default)]
    pub provider: String,
    /// The model's name. One that ends in `*` is the beginning of names; `*` alone is every model of the provider.
    pub model: String,
    /// Dollars for a million input tokens.
    pub input: f64,
    /// Dollars for a million input tokens that the provider had cached; as `input` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Dollars for a million output tokens.
    pub output: f64,
    /// What calls with a longer input cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
    /// The day on which it was so: `2025-10-01`.
    #[serde(default)]
    pub as_of: String,
    /// Where that is written.
    #[serde(default)]
    pub source: String,
}

/// The price of calls whose input is long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LongPrice {
    /// Input tokens above which it holds, for all of the call's tokens.
    pub above: u64,
    /// Dollars for a million tokens, cached ones too.
    pub input: f64,
    pub output: f64,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    pub input: u64,
    /// Those of the input that the provider had cached.
    pub cached: u64,
    pub output: u64,
}

impl Price {
    /// Of what runs in this program.
    pub fn free() -> Self {
        Self {
            provider: String::new(),
            model: "*".to_owned(),
            input: 0.0,
            cached_input: None,
            output: 0.0,
            long: None,
            as_of: String::new(),
            source: String::new(),
        }
    }

    /// What a call of these tokens cost, in micro-dollars, rounded up.
    pub fn cost(&self, tokens: Tokens) -> u64 {
        let cached = tokens.cached.min(tokens.input);
        let (input, cached_input, output) = match self.long {
            Some(long) if tokens.input > long.above => (long.input, long.input, long.output),
            _ => (
                self.input,
                self.cached_input.unwrap_or(self.input),
                self.output,
            ),
        };
        sum(&[
            (tokens.input - cached, input),
            (cached, cached_input),
            (tokens.output, output),
        ])
    }

    /// The most that a call of at most these tokens can cost, in micro-dollars.
    pub fn most(&self, input: u64, output: u64) -> u64 {
        let (mut dear_input, mut dear_output) = (
            self.input.max(self.cached_input.unwrap_or(0.0)),
            self.output,
        );
        if let Some(long) = self.long.filter(|long| input > long.above) {
            dear_input = dear_input.max(long.input);
            dear_output = dear_output.max(long.output);
        }
        sum(&[(input, dear_input), (output, dear_output)])
    }

    /// Whether nothing is charged.
    pub fn is_free(&self) -> bool {
        let long = self.long.map(|long| [long.input, long.output]);
        [self.input, self.cached_input.unwrap_or(0.0), self.output]
            .into_iter()
            .chain(long.into_iter().flatten())
            .all(|price| price == 0.0)
    }

    /// What is wrong with it, for a person who wrote it.
    pub fn problem(&self) -> Option<String> {
        let name = format!("{}/{}", self.provider, self.model);
        if self.provider.trim().is_empty() || self.model.trim().is_empty() {
            return Some(format!(
                "The price of \"{name}\" names no provider or no model. Write both, as openai and gpt-4.1."
            ));
        }
        let numbers = [Some(self.input), self.cached_input, Some(self.output)];
        let long = self.long.map(|long| [long.input, long.output]);
        numbers
            .into_iter()
            .flatten()
            .chain(long.into_iter().flatten())
            .any(|price| !(0.0..=MAX_PRICE).contains(&price))
            .then(|| {
                format!("The price of \"{name}\" must be dollars for a million tokens, from 0 to {MAX_PRICE}.")
            })
    }
}

/// No price is higher, in dollars for a million tokens; so that no sum runs over.
const MAX_PRICE: f64 = 1_000_000.0;

/// Micro-dollars of tokens at dollars for a million, rounded up once.
fn sum(parts: &[(u64, f64)]) -> u64 {
    let total: u128 = parts
        .iter()
        // Dollars for a million tokens are micro-dollars for one; prices have at most six places.
        .map(|&(tokens, price)| {
            u128::from(tokens) * (price.clamp(0.0, MAX_PRICE) * 1e6).round() as u128
        })
        .sum();
    u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
