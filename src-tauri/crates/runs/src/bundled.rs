//! The flows that ship with the program. The commands that copy or run a flow accept its id.

use serde_json::Value;

use crate::error::{ApiError, Code};

/// A flow that ships with the program.
pub struct Bundled {
    pub id: &'static str,
    /// The category of the flow: `write`, `research`, `code` or `data`.
    pub category: &'static str,
    /// The text of the flow's file.
    pub text: &'static str,
    /// The files of the example project on which the flow works: the path of each within [`PROJECT`], and its content. Most
    /// flows need none.
    pub project: &'static [(&'static str, &'static str)],
}

/// The folder of the example project, next to the flow's file.
pub const PROJECT: &str = "project";

/// Shell functions with bugs, and their tests.
const FUNCTIONS: &[(&str, &str)] = &[
    (
        "README.md",
        include_str!("../../../../templates/projects/functions/README.md"),
    ),
    (
        "functions.sh",
        include_str!("../../../../templates/projects/functions/functions.sh"),
    ),
    (
        "tests/run.sh",
        include_str!("../../../../templates/projects/functions/tests/run.sh"),
    ),
];

/// A plan with open items, notes, and a check that fails until the plan is done.
const PLAN: &[(&str, &str)] = &[
    (
        "PLAN.md",
        include_str!("../../../../templates/projects/plan/PLAN.md"),
    ),
    (
        "NOTES.md",
        include_str!("../../../../templates/projects/plan/NOTES.md"),
    ),
    (
        "check.sh",
        include_str!("../../../../templates/projects/plan/check.sh"),
    ),
    (
        "functions.sh",
        include_str!("../../../../templates/projects/plan/functions.sh"),
    ),
    (
        "tests/run.sh",
        include_str!("../../../../templates/projects/plan/tests/run.sh"),
    ),
];

/// The bundled flows, in display order.
pub const BUNDLED: &[Bundled] = &[
    Bundled {
        id: "self-refine",
        category: "write",
        text: include_str!("../../../../templates/self-refine.json"),
        project: &[],
    },
    Bundled {
        id: "agentic-search",
        category: "research",
        text: include_str!("../../../../templates/agentic-search.json"),
        project: &[],
    },
    Bundled {
        id: "code-review-loop",
        category: "code",
        text: include_str!("../../../../templates/code-review-loop.json"),
        project: &[],
    },
    Bundled {
        id: "fix-until-green",
        category: "code",
        text: include_str!("../../../../templates/fix-until-green.json"),
        project: FUNCTIONS,
    },
    Bundled {
        id: "fix-until-green-with-a-model",
        category: "code",
        text: include_str!("../../../../templates/fix-until-green-with-a-model.json"),
        project: FUNCTIONS,
    },
    Bundled {
        id: "ralph",
        category: "code",
        text: include_str!("../../../../templates/ralph.json"),
        project: PLAN,
    },
    Bundled {
        id: "retry-with-correction",
        category: "data",
        text: include_str!("../../../../templates/retry-with-correction.json"),
        project: &[],
    },
    Bundled {
        id: "poll-until-done",
        category: "data",
        text: include_str!("../../../../templates/poll-until-done.json"),
        project: &[],
    },
    Bundled {
        id: "summarise-until-stable",
        category: "write",
        text: include_str!("../../../../templates/summarise-until-stable.json"),
        project: &[],
    },
    Bundled {
        id: "map-over-a-list",
        category: "data",
        text: include_str!("../../../../templates/map-over-a-list.json"),
        project: &[],
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
    /// Parses the flow's text as JSON.
    ///
    /// # Errors
    /// [`Code::Internal`] if the text is not JSON, which is a defect of this program.
    pub fn document(&self) -> Result<Value, ApiError> {
        serde_json::from_str(self.text)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
    }
}
