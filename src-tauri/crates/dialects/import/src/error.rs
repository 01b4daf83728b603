//! The reasons why an import fails.

use loopwright_script::Unavailable;
use thiserror::Error;

use crate::foreign::Foreign;

/// The reason why an import failed.
#[derive(Debug, Error)]
pub enum ImportError {
    /// No format recognises the text. `found` describes the content at `place`, where a format was expected to begin.
    #[error(
        "{place}: {found}. Loopwright does not recognize the format. It imports {formats}. If the file is one of these, choose \
         its format (on the command line: --from with one of {known})"
    )]
    Unknown {
        place: String,
        found: String,
        /// The titles of all formats, for the message.
        formats: String,
        /// The ids of all formats, for the message.
        known: String,
    },
    /// The text has features of several dialects of its format.
    #[error("{place}: {message}")]
    Ambiguous { place: String, message: String },
    #[error(
        "This is {one}. Loopwright does not read {many} yet; it reads {formats}",
        one = .product.one,
        many = .product.many,
    )]
    Foreign {
        product: &'static Foreign,
        /// The titles of the formats that can be read, for the message.
        formats: String,
    },
    #[error("there is no format “{asked}”{hint}; the formats are {known}")]
    NoSuchFormat {
        asked: String,
        hint: String,
        known: String,
    },
    /// The text contains scripts, and the program that reads scripts is unavailable.
    #[error("The file contains scripts that cannot be checked, so nothing was imported. {0}")]
    Scripts(Unavailable),
    /// The text is not valid in its own format. `place` is a line, or a path in the text.
    #[error("{place}: {message}")]
    Unreadable { place: String, message: String },
    /// The format itself forbids the content at `place`.
    #[error("{place}: {message}")]
    Refused { place: String, message: String },
}

impl ImportError {
    /// Creates the error for text at `place` that cannot be read.
    pub(crate) fn unreadable(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unreadable {
            place: place.into(),
            message: message.into(),
        }
    }

    /// Creates the error for something at `place` that the format itself forbids.
    pub(crate) fn refused(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Refused {
            place: place.into(),
            message: message.into(),
        }
    }
}
