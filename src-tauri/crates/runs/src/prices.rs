//! Model prices: the user's own prices, then the bundled table. The user's prices are in a small file that can also be
//! edited by hand.

use std::{io, path::Path};

use loopwright_engine::event::timestamp;
use loopwright_model::{json, named_file};
use loopwright_providers::{Price, prices};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    env::Env,
    error::{ApiError, Code},
    json_file, paths,
};

/// The price of a model, in dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Price")]
pub struct PriceInfo {
    pub provider: String,
    /// The model's name, or a prefix of names if it ends in `*`.
    pub model: String,
    pub input: f64,
    /// The price of cached input; null means the same as `input`.
    pub cached_input: Option<f64>,
    pub output: f64,
    pub long: Option<LongPriceInfo>,
    /// The date of the price, such as `2025-10-01`. A price that is saved without a date gets today's date.
    pub as_of: String,
    /// The source of the price.
    pub source: String,
    /// Whether the price is the user's own. It then overrides the bundled price of the model.
    pub own: bool,
}

/// The prices of calls with an input of more than `above` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename = "LongPrice")]
pub struct LongPriceInfo {
    pub above: u64,
    pub input: f64,
    pub output: f64,
}

/// All known prices, the user's own first. If a model is not listed, its price is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PriceList {
    pub prices: Vec<PriceInfo>,
    /// The file with the user's own prices.
    pub file: String,
}

/// Returns the known prices of models.
///
/// # Errors
/// Returns an error if the file with the user's prices is invalid or cannot be read.
pub fn prices(env: &Env) -> Result<PriceList, ApiError> {
    list(env.data_dir())
}

/// Stores `own` as the user's own prices, and returns all prices.
///
/// # Errors
/// Returns an error if a price is invalid or listed twice, or if the file cannot be written.
pub fn save_prices(env: &Env, own: Vec<PriceInfo>) -> Result<PriceList, ApiError> {
    let now = timestamp(env.now());
    save(env.data_dir(), own, now.get(..10).unwrap_or_default())?;
    prices(env)
}

/// The content of the file `prices.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    prices: Vec<Price>,
}

/// Reads the user's own prices.
///
/// # Errors
/// Returns an error if the file cannot be read, or if any price in it is invalid: a budget must not rely on an incomplete
/// price list.
pub(crate) fn own(data_dir: &Path) -> Result<Vec<Price>, ApiError> {
    let path = paths::prices(data_dir);
    let shown = path.display().to_string();
    let text = match named_file::read_text(&path, json_file::MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(ApiError::new(
                Code::Io,
                format!("Your prices in {shown} cannot be read: {error}"),
            )
            .at(shown));
        }
    };
    let unusable = |error: &dyn std::fmt::Display| {
        ApiError::new(
            Code::InvalidArgument,
            format!(
                "Your prices in {shown} cannot be used: {error}. Correct the file, or delete it."
            ),
        )
        .at(shown.clone())
    };
    let value = json::read(&text).map_err(|error| unusable(&error))?;
    let file: File = serde_json::from_value(value).map_err(|error| unusable(&error))?;
    match file.prices.iter().find_map(Price::problem) {
        None => Ok(file.prices),
        Some(problem) => Err(ApiError::new(
            Code::InvalidArgument,
            format!("{problem} It is in {shown}."),
        )
        .at(shown)),
    }
}

/// Writes `own` as the user's prices. A price without a date gets `today`.
fn save(data_dir: &Path, own: Vec<PriceInfo>, today: &str) -> Result<(), ApiError> {
    let mut kept: Vec<Price> = Vec::with_capacity(own.len());
    for price in own {
        let mut price = from_info(price);
        price.provider = price.provider.trim().to_owned();
        price.model = price.model.trim().to_owned();
        if price.as_of.is_empty() {
            today.clone_into(&mut price.as_of);
        }
        if let Some(problem) = price.problem() {
            return Err(ApiError::new(Code::InvalidArgument, problem));
        }
        let twin =
            |other: &Price| (&other.provider, &other.model) == (&price.provider, &price.model);
        if kept.iter().any(twin) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "The model \"{}/{}\" has two prices. Keep one.",
                    price.provider, price.model
                ),
            ));
        }
        kept.push(price);
    }
    json_file::save_json(&paths::prices(data_dir), &File { prices: kept })
}

/// Returns all prices, the user's own first.
fn list(data_dir: &Path) -> Result<PriceList, ApiError> {
    let own = own(data_dir)?;
    let mine = own.iter().map(|price| to_info(price, true));
    let theirs = prices::bundled().iter().map(|price| to_info(price, false));
    Ok(PriceList {
        prices: mine.chain(theirs).collect(),
        file: paths::prices(data_dir).display().to_string(),
    })
}

fn to_info(price: &Price, own: bool) -> PriceInfo {
    PriceInfo {
        provider: price.provider.clone(),
        model: price.model.clone(),
        input: price.input,
        cached_input: price.cached_input,
        output: price.output,
        long: price.long.map(|long| LongPriceInfo {
            above: long.above,
            input: long.input,
            output: long.output,
        }),
        as_of: price.as_of.clone(),
        source: price.source.clone(),
        own,
    }
}

fn from_info(info: PriceInfo) -> Price {
    Price {
        provider: info.provider,
        model: info.model,
        input: info.input,
        cached_input: info.cached_input,
        output: info.output,
        long: info.long.map(|long| prices::LongPrice {
            above: long.above,
            input: long.input,
            output: long.output,
        }),
        as_of: info.as_of,
        source: info.source,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn price(model: &str, input: f64) -> PriceInfo {
        PriceInfo {
            provider: "openai".to_owned(),
            model: model.to_owned(),
            input,
            cached_input: None,
            output: 1.0,
            long: None,
            as_of: String::new(),
            source: String::new(),
            own: true,
        }
    }

    #[test]
    fn own_prices_are_kept_dated_and_listed_first() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), vec![price(" mine ", 2.0)], "2026-01-31").unwrap();
        let list = list(folder.path()).unwrap();
        assert_eq!(
            (list.prices[0].model.as_str(), list.prices[0].own),
            ("mine", true)
        );
        assert_eq!(list.prices[0].as_of, "2026-01-31");
        assert!(list.prices.len() > 30 && !list.prices[1].own);
    }

    #[test]
    fn what_cannot_be_a_price_is_refused_and_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), vec![price("a", 2.0)], "").unwrap();
        for wrong in [
            vec![price("a", -1.0)],
            vec![price("", 1.0)],
            vec![price("a", f64::NAN)],
            vec![price("a", 1.0), price("a", 2.0)],
        ] {
            let error = save(folder.path(), wrong, "").unwrap_err();
            assert_eq!(error.code, Code::InvalidArgument);
        }
        assert_eq!(own(folder.path()).unwrap()[0].input, 2.0);
    }

    #[test]
    fn a_file_that_is_wrong_is_named_and_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        assert!(own(folder.path()).unwrap().is_empty());
        for text in [
            "{",
            "{\"prices\": [{\"provider\": \"x\", \"model\": \"y\", \"input\": -1, \"output\": 0}]}",
        ] {
            std::fs::write(paths::prices(folder.path()), text).unwrap();
            let error = own(folder.path()).unwrap_err();
            assert!(error.message.contains("prices.json"), "{}", error.message);
        }
    }
}
