//! Refuses files of other products, and formats the errors for files that cannot be read.

use serde_json::Value;

use crate::error::ApiError;

/// Refuses a file of a known product that cannot be read, with the message of an import. Otherwise it would open as a broken
/// flow.
#[cfg(feature = "dialects")]
pub(crate) fn refuse_foreign(document: &Value) -> Result<(), ApiError> {
    use loopwright_import::{foreign, not_read};

    let Some(product) = foreign(document) else {
        return Ok(());
    };
    let words = not_read(product).to_string();
    Err(ApiError::new(
        crate::error::Code::Unsupported,
        sentence(&words),
    ))
}

/// Accepts every document, because a build without the feature `dialects` knows no products. It reads their files as flows and
/// reports the problems.
#[cfg(not(feature = "dialects"))]
pub(crate) fn refuse_foreign(_document: &Value) -> Result<(), ApiError> {
    Ok(())
}

/// Formats an error as a sentence, with a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    // If the message begins with a place in a file, the place keeps its spelling.
    let place = words.split(':').next().unwrap_or_default();
    if place.contains(['[', '.', '-', '_']) {
        return format!("{}.", words.trim_end_matches('.'));
    }
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .chain(['.'])
        .collect()
}
