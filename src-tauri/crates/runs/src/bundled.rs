//! The flows that ship with the program. Each has an id, by which it is copied and run.

use serde_json::Value;

use crate::error::{ApiError, Code};

/// A flow that ships with the program.
pub struct Bundled {
    pub id: &'static str,
    /// The category of the flow: `write`, `research`, `code` or `data`.
    pub category: &'static str,
    /// The text of the flow's file.
    pub text: &'static str,
}

/// The bundled flows, in display order.
pub const BUNDLED: &[Bundled] = &[
    Bundled {
        id: "self-refine",
        category: "write",
        text: include_str!("../../../../templates/self-refine.json"),
    },
    Bundled {
        id: "agentic-search",
        category: "research",
        text: include_str!("../../../../templates/agentic-search.json"),
    },
    Bundled {
        id: "code-review-loop",
        category: "code",
        text: include_str!("../../../../templates/code-review-loop.json"),
    },
    Bundled {
        id: "test-and-fix",
        category: "code",
        text: include_str!("../../../../templates/test-and-fix.json"),
    },
    Bundled {
        id: "retry-with-correction",
        category: "data",
        text: include_str!("../../../../templates/retry-with-correction.json"),
    },
    Bundled {
        id: "poll-until-done",
        category: "data",
        text: include_str!("../../../../templates/poll-until-done.json"),
    },
    Bundled {
        id: "summarise-until-stable",
        category: "write",
        text: include_str!("../../../../templates/summarise-until-stable.json"),
    },
    Bundled {
        id: "map-over-a-list",
        category: "data",
        text: include_str!("../../../../templates/map-over-a-list.json"),
    },
];

/// Returns the bundled flow with this id.
///
/// # Errors
/// [`Code::NotFound`] if no flow has this id. The message lists the known ids.
pub fn bundled(id: &str) -> Result<&'static Bundled, ApiError> {
    BUNDLED
        .iter()
        .find(|bundled| bundled.id == id)
        .ok_or_else(|| {
            let names: Vec<_> = BUNDLED.iter().map(|bundled| bundled.id).collect();
            ApiError::new(
                Code::NotFound,
                format!(
                    "There is no template `{id}`. The templates are {}.",
                    names.join(", ")
                ),
            )
        })
}

impl Bundled {
    /// Parses the flow's text.
    ///
    /// # Errors
    /// [`Code::Internal`] if the text is not JSON, which is a defect of this program.
    pub fn document(&self) -> Result<Value, ApiError> {
        serde_json::from_str(self.text)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
    }
}
