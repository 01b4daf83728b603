//! The resources that a flow would use and is permitted to use, in the form that the window receives.

use loopwright_engine::trust::NeedKind;
use serde::Serialize;
use specta::Type;

/// The approval status of one resource that a flow would use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NeedState {
    /// The user approved the item for this flow.
    Approved,
    /// The item is not approved, so the flow does not run.
    New,
    /// The item needs no approval, because the user is asked before each use and sees the whole call.
    Asks,
    /// The item was refused in a run. The flow's text does not name it.
    Wanted,
    /// The folder, the program or the destination of a key is computed, so it cannot be approved in advance. While the flow
    /// runs, each computed value is refused unless that value has been approved.
    Computed,
}

/// A resource that a flow would use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename = "Need")]
pub struct NeedInfo {
    /// The item in the notation of grants: `host:api.example.org`.
    pub item: String,
    pub kind: NeedKind,
    pub what: String,
    pub detail: Option<String>,
    /// The titles of the nodes that would use the item.
    pub nodes: Vec<String>,
    pub state: NeedState,
}

/// Everything that a flow would use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TrustList {
    /// The identity of the flow.
    pub flow: String,
    /// The digest of the list: an approval applies to exactly this list.
    pub digest: String,
    pub needs: Vec<NeedInfo>,
    /// The number of needs that must be approved before the flow can run.
    pub missing: u32,
}

/// A flow with the resources that it may use, as Settings lists them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TrustedFlow {
    pub flow: String,
    pub name: String,
    /// The items, each with the time of its approval, in RFC 3339.
    pub items: Vec<(String, String)>,
}
