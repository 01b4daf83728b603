//! What a flow would use and may use, in the form for the window.

use loopwright_engine::trust::NeedKind;
use serde::Serialize;
use specta::Type;

/// The status of one thing that a flow would use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NeedState {
    /// The person approved it for this flow.
    Approved,
    /// Nobody has approved it: the flow does not run.
    New,
    /// The person is asked before each use, and sees it whole.
    Asks,
    /// A run was refused it; nothing in the flow's text says that it is needed.
    Wanted,
    /// Which folder, program or destination of a key it is, is computed: it cannot be approved in advance. While the flow runs,
    /// each is refused that is not approved by its own name.
    Computed,
}

/// One thing that a flow would use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "Need")]
pub struct NeedInfo {
    /// How grants name it: `host:api.example.org`.
    pub item: String,
    pub kind: NeedKind,
    pub what: String,
    pub detail: Option<String>,
    /// Titles of the nodes that would use it.
    pub nodes: Vec<String>,
    pub state: NeedState,
}

/// Everything that a flow would use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TrustList {
    /// How the flow is known.
    pub flow: String,
    /// Of the list: an approval is of exactly this one.
    pub digest: String,
    pub needs: Vec<NeedInfo>,
    /// How many must be approved before the flow runs.
    pub missing: u32,
}

/// A flow with what it may use, for the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TrustedFlow {
    pub flow: String,
    pub name: String,
    /// With the time of each approval, RFC 3339.
    pub items: Vec<(String, String)>,
}
