//! Handles those requests of the window and the command line that do not concern a run, such as requests about
//! settings, files, templates and imports. Also assembles the parts of the program.
//!
//! Architecture Invariant: nothing here knows about windows or terminals. Every rule about flows comes from the crates
//! below.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analysis;
mod app;
mod dto;
#[cfg(feature = "dialects")]
mod exporting;
#[cfg(feature = "dialects")]
mod importing;
mod kinds;
mod loop_cap;
mod named_stores;
mod preparation;
mod prepared_runs;
mod providers;
mod recent_files;
mod settings;
mod templates;
mod tool_keys;
mod tool_settings;
mod window_session;
#[cfg(not(feature = "dialects"))]
mod without_dialects;

pub use analysis::analyze;
pub use app::App;
pub use dto::*;
#[cfg(feature = "dialects")]
pub use exporting::{export_langgraph, export_langgraph_to, export_ralph};
#[cfg(feature = "dialects")]
pub use importing::{import_flow, import_flow_text, import_formats};
pub use kinds::{kinds_reply, tool_descriptions};
pub use loop_cap::set_cap;
pub use loopwright_engine::{
    Answer, AnswerScope, ApprovalPolicy, Event, EventBody, ExitFamily, ExitReason, RunStatus,
    Warning, event::BudgetView, host::ToolInfo, outcome::UsageView, plan::Focus,
};
pub use loopwright_evaluation as evaluation;
pub use loopwright_model::{
    Edit, Fix, Problem, Severity, Span, file::MAX_BYTES as MAX_FLOW_BYTES, json, named_file,
};
pub use loopwright_template::{Word, WordKind};
pub use named_stores::{add_store, add_store_with, remove_store, store_address, stores};
pub use preparation::{
    Preparation, approve_prepared_by_id, prepare_for_window, refuse_prepared_by_id,
    start_prepared_by_id,
};
pub use providers::{providers, refresh_models, remove_key, set_key, test_provider};
pub use recent_files::{forget_recent, open_flow, recent_files, save_flow};
pub use settings::save_settings;
pub use templates::{copy_template, copy_template_into, template, templates};
pub use tool_keys::{KeychainTrouble, NamedKey, keychain_trouble, tool_keys};
pub use window_session::file_version;
#[cfg(not(feature = "dialects"))]
pub use without_dialects::{
    export_langgraph, export_langgraph_to, export_ralph, import_flow, import_flow_text,
    import_formats,
};
