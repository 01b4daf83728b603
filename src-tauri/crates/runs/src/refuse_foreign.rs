//! Files of other products: which are refused, and how errors of reading them are said.

use serde_json::Value;

use crate::error::ApiError;

/// Refuses a file of a product that is known and not read, in the words of an import; it would open as a flow that is none.
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

/// A build without the feature `dialects` knows no product: its file is read as a flow, with the problems of one.
#[cfg(not(feature = "dialects"))]
pub(crate) fn refuse_foreign(_document: &Value) -> Result<(), ApiError> {
    Ok(())
}

/// An error as a sentence: it begins with a capital letter and ends with a full stop.
pub fn sentence(words: &str) -> String {
    // A place in a file is written as it is there.
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
