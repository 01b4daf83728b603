//! The branches of a router, as written in the flow.

use loopwright_model::kind::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Branch {
    Name(String),
    Rule {
        /// Name of the branch and of its output handle.
        name: String,
        /// Take the branch when this is true.
        #[serde(default)]
        #[schemars(extend("x-widget" = "expression"))]
        when: Option<String>,
        /// Tells the model when to choose the branch. The text is sent with the branch's name.
        #[serde(default)]
        #[schemars(title = "Choose this when…")]
        description: Option<String>,
    },
}

impl Branch {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::Rule { name, .. } => name,
        }
    }

    /// Returns the text that says when a model should choose the branch. Returns an empty string if the branch has no
    /// description.
    pub(super) fn description(&self) -> &str {
        match self {
            Self::Rule {
                description: Some(description),
                ..
            } => description.trim(),
            _ => "",
        }
    }
}

/// Returns the names of the branches in order, each with the index of its item in the field `branches`. Malformed data is
/// tolerated.
pub(super) fn branches(data: &Data) -> Vec<(usize, String)> {
    let items = data.get("branches").and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, branch)| {
            let name = branch.as_str().or_else(|| branch.get("name")?.as_str())?;
            Some((index, name.to_owned()))
        })
        .collect()
}

/// Normalizes a name or an answer for comparison: lower case, without punctuation and white space.
pub(super) fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
