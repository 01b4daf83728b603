//! Why nothing was imported.

use loopwright_script::Unavailable;
use thiserror::Error;

use crate::foreign::Foreign;

/// Why nothing was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// No format recognises the text; `found` is what it is at `place`, where a format would begin.
    #[error(
        "{place}: {found}, and no format that can be imported begins like that ({formats}). If it is one of them, choose which \
         (on the command line: --from {known})"
    )]
    Unknown {
        place: String,
        found: String,
        /// What people call the formats.
        formats: String,
        /// The ids of the formats.
        known: String,
    },
    /// The text has marks of several readings of its format.
    #[error("{place}: {message}")]
    Ambiguous { place: String, message: String },
    #[error(
        "This is {one}. Loopwright does not read {many} yet; it reads {formats}",
        one = .product.one,
        many = .product.many,
    )]
    Foreign {
        product: &'static Foreign,
        /// What people call the formats that can be read.
        formats: String,
    },
    #[error("there is no format “{asked}”{hint}; the formats are {known}")]
    NoSuchFormat {
        asked: String,
        hint: String,
        known: String,
    },
    /// The text has scripts, and they cannot be read now.
    #[error("The file has scripts, and nothing was imported. {0}")]
    Scripts(Unavailable),
    /// The text cannot be read as what it says it is; `place` is a line or a path in it.
    #[error("{place}: {message}")]
    Unreadable { place: String, message: String },
    /// The format itself does not allow what stands at `place`.
    #[error("{place}: {message}")]
    Refused { place: String, message: String },
}

impl ImportError {
    /// What cannot be read at `place`.
    pub(crate) fn unreadable(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unreadable {
            place: place.into(),
            message: message.into(),
        }
    }

    /// What a format itself does not allow, at `place`.
    pub(crate) fn refused(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Refused {
            place: place.into(),
            message: message.into(),
        }
    }
}
