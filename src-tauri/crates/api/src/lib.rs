//! What the window and the command line can ask for: commands, their data types and error codes, and the composition of
//! engine, kinds, models, tools and journal.
//!
//! Architecture Invariant: nothing here knows of windows or terminals. Every rule about flows comes from below.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analysis;
mod app;
mod clock;
mod compare;
mod document_edits;
mod dto;
mod environment_check;
mod error;
mod estimate;
mod evaluation;
mod exporting;
mod expressions;
mod files;
mod flow_identity;
mod fork_source;
mod forking;
mod history;
mod importing;
mod json_file;
mod kinds;
mod launch;
mod mcp;
mod model_nodes;
mod new_budget;
mod opening;
mod paths;
mod prepare;
mod prepared_run;
mod prepared_run_commands;
mod prepared_runs;
mod prices;
mod private;
mod progress;
mod providers;
mod recent_files;
mod refuse_foreign;
mod replaying;
mod resuming;
mod run_handles;
mod run_lock;
mod running;
mod secrets;
mod services;
mod settings;
mod shared_run_control;
mod shared_runs;
mod store;
mod store_addresses;
mod store_passwords;
mod subflows;
mod templates;
mod testing;
mod tool_keys;
mod tool_requests;
mod tool_settings;
mod tools;
mod trust;
mod window_session;
mod window_session_commands;
mod workers;

pub use app::App;
pub use clock::now;
pub use compare::dto::*;
pub use document_edits::{FieldEdit, apply_edit};
pub use dto::*;
pub use error::{ApiError, Code};
pub use evaluation::*;
pub use exporting::ExportedProgram;
pub use expressions::*;
pub use files::{new_flow, read_flow_text, save_picture, write_new, write_over};
pub use forking::{ForkOptions, ForkPlace, ForkedFlow};
pub use importing::{ImportOptions, formats as import_formats};
pub use loopwright_engine::{
    Answer, AnswerScope, ApprovalPolicy, ExitFamily,
    event::{BudgetView, Event, EventBody, ExitReason, RunStatus, Warning},
    host::ToolInfo,
    outcome::UsageView,
    plan::Focus,
};
pub use loopwright_evaluation as evaluate;
pub use loopwright_model::{
    Edit, Fix, Problem, Severity, Span,
    file::MAX_BYTES as MAX_FLOW_BYTES,
    json, named_file,
    template::{Word, WordKind},
};
pub use mcp::{McpLook, McpStanding};
pub use new_budget::NewBudget;
pub use paths::default_data_dir;
pub use prepared_run::{PreparedFlow, PreparedRun, RunRequest};
pub use prepared_run_commands::Preparation;
pub use progress::{OpenIteration, RunProgress};
pub use replaying::Replayed;
pub use resuming::ResumeOptions;
pub use running::{RunOptions, RunOutcome, StartOptions, Started};
pub use shared_runs::NewRuns;
pub use store::{
    FlowRuns, ImportedRun, IterationInfo, IterationPage, LARGEST as MAX_RUN_BYTES, RunPage,
    RunQuery, RunTally, StoreInfo, time,
};
pub use subflows::FlowsOnDisk;
pub use testing::{TEST_ENDING, TestOptions, TestOutcome};
pub use tool_keys::{KeychainTrouble, NamedKey};
pub use trust::{Allow, NeedInfo, NeedState, TrustList, TrustedFlow, needed, parse_allow};
pub use workers::{Control, SharedStore, Workers};
