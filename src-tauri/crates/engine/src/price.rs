//! The prices of model calls, in dollars per million tokens, and the cost of calls, in whole micro-dollars.

use serde::{Deserialize, Serialize};

/// The price of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The provider's id: `openai`.
    #[serde(default)]
    pub provider: String,
    /// The model's name. A name that ends in `*` is a prefix; `*` alone stands for every model of the provider.
    pub model: String,
    /// Dollars per million input tokens.
    pub input: f64,
    /// Dollars per million input tokens that the provider had cached; `None` if they cost as much as other input tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Dollars per million output tokens.
    pub output: f64,
    /// The price of calls with a longer input; `None` if the length makes no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
    /// The date of the price, such as `2025-10-01`.
    #[serde(default)]
    pub as_of: String,
    /// The source of the price.
    #[serde(default)]
    pub source: String,
}

/// The price of calls whose input is long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LongPrice {
    /// The number of input tokens above which this price applies to all tokens of the call.
    pub above: u64,
    /// Dollars per million input tokens, including cached ones.
    pub input: f64,
    pub output: f64,
}

/// The tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    pub input: u64,
    /// The input tokens that the provider had cached.
    pub cached: u64,
    pub output: u64,
}

impl Price {
    /// Returns the price of models that run in this program, which is zero.
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

    /// Returns the cost of a call with these tokens, in micro-dollars, rounded up.
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

    /// Returns the maximum cost, in micro-dollars, of a call with at most these numbers of tokens.
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

    /// Returns whether nothing is charged.
    pub fn is_free(&self) -> bool {
        let long = self.long.map(|long| [long.input, long.output]);
        [self.input, self.cached_input.unwrap_or(0.0), self.output]
            .into_iter()
            .chain(long.into_iter().flatten())
            .all(|price| price == 0.0)
    }

    /// Returns a message about the first problem with this price, or `None` if the price is valid. The message is for the
    /// person who entered the price.
    pub fn problem(&self) -> Option<String> {
        let name = format!("{}/{}", self.provider, self.model);
        if self.provider.trim().is_empty() || self.model.trim().is_empty() {
            return Some(format!(
                "The price of \"{name}\" needs a provider and a model, such as openai and gpt-4.1."
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
                format!("The price of \"{name}\" must be in dollars per million tokens, from 0 to {MAX_PRICE}.")
            })
    }
}

/// The maximum price in dollars per million tokens, so that no sum overflows.
const MAX_PRICE: f64 = 1_000_000.0;

/// Returns the total cost in micro-dollars, rounded up once. Each part consists of a number of tokens and a price in dollars
/// per million tokens.
fn sum(parts: &[(u64, f64)]) -> u64 {
    let total: u128 = parts
        .iter()
        // Dollars per million tokens are micro-dollars per token. Prices have at most six decimal places.
        .map(|&(tokens, price)| {
            u128::from(tokens) * (price.clamp(0.0, MAX_PRICE) * 1e6).round() as u128
        })
        .sum();
    u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
