//! The commands of the window. Each passes its arguments to a function of `api` or of a crate below, and returns the result. It
//! fails if that function fails; the function's documentation lists the errors.
//!
//! Commands that read or write files run on their own threads (`async`), so that the window never waits for a disk.

pub(crate) mod costs;
pub(crate) mod evaluations;
pub(crate) mod files;
pub(crate) mod flows;
pub(crate) mod history;
pub(crate) mod page;
pub(crate) mod projects;
pub(crate) mod providers;
pub(crate) mod runs;
pub(crate) mod stores;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod workspaces;

use std::sync::Arc;

use loopwright_api::App;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;
use tauri::State;

/// A flow, as the page represents it. Its TypeScript form is written by hand in `bindings.rs`, because a derived type
/// would not allow unknown fields.
#[derive(Debug, Deserialize, Serialize, Type)]
#[serde(transparent)]
pub(crate) struct Document(#[specta(type = Any)] Value);

/// The values of a run's inputs, by name.
#[derive(Debug, Default, Deserialize, Type)]
#[serde(transparent)]
pub(crate) struct Inputs(
    #[specta(type = std::collections::BTreeMap<String, Any>)] Map<String, Value>,
);

type Shared<'a> = State<'a, Arc<App>>;
type SharedStores<'a> = State<'a, crate::stores::Stores>;
type SharedAttention<'a> = State<'a, Arc<crate::attention::Attention>>;
