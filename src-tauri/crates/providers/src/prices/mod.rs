//! Model prices: a dated table that ships with the program. The user's own prices override the table. The price of any other
//! model is unknown and never guessed.
//!
//! The table also has the context windows of models whose services do not report them.

mod windows;

use std::sync::LazyLock;

pub use loopwright_engine::price::{LongPrice, Price, Tokens};
use serde::Deserialize;

pub use windows::table_window;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    provider: String,
    as_of: String,
    source: String,
    prices: Vec<Price>,
}

static BUNDLED: LazyLock<Vec<Price>> = LazyLock::new(|| {
    // A test parses the table, so parsing cannot fail here.
    let groups: Vec<Group> = serde_json::from_str(include_str!("table.json")).unwrap_or_default();
    let mut prices = Vec::new();
    for group in groups {
        prices.extend(group.prices.into_iter().map(|price| Price {
            provider: group.provider.clone(),
            as_of: group.as_of.clone(),
            source: group.source.clone(),
            ..price
        }));
    }
    prices
});

/// Returns the bundled prices.
pub fn bundled() -> &'static [Price] {
    &BUNDLED
}

/// Prices by provider and model. The user's own prices override the bundled prices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PriceTable {
    own: Vec<Price>,
}

impl PriceTable {
    pub fn new(own: Vec<Price>) -> Self {
        Self { own }
    }

    pub fn own(&self) -> &[Price] {
        &self.own
    }

    /// Returns the price of a provider's model, or `None` if it is unknown.
    pub fn find(&self, provider: &str, model: &str) -> Option<&Price> {
        let model = model.strip_prefix("models/").unwrap_or(model);
        [self.own.as_slice(), bundled()]
            .into_iter()
            .find_map(|prices| {
                let of = prices.iter().filter(|price| price.provider == provider);
                best_match(of, |price| &price.model, model)
            })
    }
}

/// Returns the row for a model: the row with its name, otherwise the row with its name without the date. Otherwise returns the
/// row whose name ends in `*` and is the longest matching prefix. Returns `None` if no row matches.
fn best_match<'a, T>(
    rows: impl Iterator<Item = &'a T> + Clone,
    name: fn(&T) -> &str,
    model: &str,
) -> Option<&'a T> {
    let exact = |wanted: &str| rows.clone().find(|row| name(row) == wanted);
    exact(model).or_else(|| exact(undated(model)?)).or_else(|| {
        // The longest prefix is the best match.
        rows.clone()
            .filter(|row| {
                let beginning = name(row).strip_suffix('*');
                beginning.is_some_and(|beginning| model.starts_with(beginning))
            })
            .max_by_key(|row| name(row).len())
    })
}

/// Returns the model name without its date, as in `gpt-4.1-2025-04-14` and `claude-sonnet-4-20250514`; `None` if it has no
/// date.
pub fn undated(model: &str) -> Option<&str> {
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (rest, last) = model.rsplit_once('-')?;
    if digits(last, 8) {
        return Some(rest);
    }
    let (rest, month) = rest.rsplit_once('-')?;
    let (rest, year) = rest.rsplit_once('-')?;
    (digits(last, 2) && digits(month, 2) && digits(year, 4)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(own: &str) -> PriceTable {
        PriceTable::new(serde_json::from_str(own).unwrap())
    }

    #[test]
    fn every_price_of_the_table_is_dated_and_in_order() {
        assert!(bundled().len() > 30);
        for price in bundled() {
            assert_eq!(price.problem(), None);
            assert!(price.as_of.len() == 10 && !price.source.is_empty());
            let twins = bundled()
                .iter()
                .filter(|other| (&other.provider, &other.model) == (&price.provider, &price.model));
            assert_eq!(twins.count(), 1, "{}", price.model);
        }
    }

    #[test]
    fn a_dated_version_has_the_price_of_its_model_unless_it_has_its_own() {
        let table = PriceTable::default();
        let input = |provider, model| table.find(provider, model).map(|price| price.input);
        assert_eq!(input("openai", "gpt-4.1-2025-04-14"), Some(2.0));
        assert_eq!(input("anthropic", "claude-sonnet-4-20250514"), Some(3.0));
        assert_eq!(input("gemini", "models/gemini-2.5-flash"), Some(0.3));
        assert_eq!(input("openai", "gpt-4o-2024-08-06"), Some(2.5));
        assert_eq!(input("openai", "gpt-4o-2024-05-13"), Some(5.0));
        assert_eq!(input("ollama", "anything"), Some(0.0));
        // A similar name is not a match.
        assert_eq!(input("openai", "gpt-4.1-super"), None);
        assert_eq!(input("openai", "llama-3"), None);
        assert_eq!(input("gemini", "gpt-4.1"), None);
    }

    #[test]
    fn own_prices_go_first_and_the_longest_beginning_wins() {
        let table = table(
            r#"[{ "provider": "openai", "model": "*", "input": 0, "output": 0 },
                { "provider": "openai", "model": "big-*", "input": 7, "output": 7 }]"#,
        );
        let input = |model| table.find("openai", model).map(|price| price.input);
        assert_eq!(input("gpt-4.1"), Some(0.0));
        assert_eq!(input("big-one"), Some(7.0));
        assert!(table.find("anthropic", "claude-sonnet-4").is_some());
    }

    #[test]
    fn costs_are_whole_micro_dollars_rounded_up_once() {
        let price = bundled()
            .iter()
            .find(|price| price.model == "gpt-4o-mini")
            .unwrap();
        let tokens = |input, cached, output| Tokens {
            input,
            cached,
            output,
        };
        assert_eq!(price.cost(tokens(1_000_000, 0, 0)), 150_000);
        assert_eq!(price.cost(tokens(1, 0, 0)), 1);
        // The cost is rounded up: 3 × 0.15 + 1 × 0.6 = 1.05.
        assert_eq!(price.cost(tokens(3, 0, 1)), 2);
        assert_eq!(price.cost(tokens(1000, 1000, 0)), 75);
        assert!(price.most(1000, 50) >= price.cost(tokens(1000, 400, 50)));
        // ¾ of the largest count, rounded up, without overflow.
        assert_eq!(
            price.cost(tokens(u64::MAX, 0, u64::MAX)),
            13_835_058_055_282_163_712
        );
    }

    #[test]
    fn a_long_input_has_the_long_price_and_the_most_covers_both() {
        let price = bundled()
            .iter()
            .find(|price| price.model == "gemini-2.5-pro")
            .unwrap();
        let cost = |input| {
            price.cost(Tokens {
                input,
                cached: 0,
                output: 0,
            })
        };
        assert_eq!((cost(200_000), cost(200_001)), (250_000, 500_003));
        for input in [1, 200_000, 200_001, 900_000] {
            assert!(price.most(input, 0) >= cost(input));
        }
    }

    #[test]
    fn a_wrong_price_of_ones_own_is_named() {
        let table = table(r#"[{ "provider": "x", "model": "y", "input": -1, "output": 0 }]"#);
        assert!(table.own()[0].problem().unwrap().contains("x/y"));
    }

    #[test]
    fn no_price_makes_a_cost_that_is_none() {
        let tokens = Tokens {
            input: u64::MAX,
            cached: u64::MAX / 2,
            output: u64::MAX,
        };
        let price = |input, output| Price {
            input,
            output,
            ..Price::free()
        };
        for absurd in [f64::INFINITY, f64::MAX, 1e300] {
            let price = price(absurd, absurd);
            assert!(price.problem().is_some());
            assert_eq!(price.cost(tokens), u64::MAX);
            assert_eq!(price.most(u64::MAX, u64::MAX), u64::MAX);
        }
        for absurd in [-1.0, f64::NEG_INFINITY, f64::NAN] {
            assert!(price(absurd, 0.0).problem().is_some());
            assert_eq!(price(absurd, 0.0).cost(tokens), 0);
        }
        // Two invalid prices are not free.
        assert!(!price(-1.0, 1.0).is_free());
    }
}
