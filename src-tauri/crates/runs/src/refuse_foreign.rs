//! Rejects files of other products, and formats errors as sentences.

use serde_json::Value;

use crate::error::ApiError;

/// Rejects a file of another known product with the message that an import would give. Otherwise the file would open as a
/// broken flow.
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

/// Accepts every document, because a build without the feature `dialects` recognizes no other product. Their files are then
/// read as flows, and the problems are reported.
#[cfg(not(feature = "dialects"))]
pub(crate) fn refuse_foreign(_document: &Value) -> Result<(), ApiError> {
    Ok(())
}

/// Formats an error as a sentence, with a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    // If the message begins with a place in a file, the place is not capitalized.
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
