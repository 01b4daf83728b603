//! The lifecycle of a run. Its flow is prepared, its permissions are checked, and the run is launched. It can then be
//! resumed, forked, replayed and stopped. Either this program or the workers of a shared store lead it.
//!
//! Architecture Invariant: this crate reads the records of a run only to continue the run; every other use of records
//! belongs to `records`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agents;
mod answering;
mod asked_windows;
mod asleep;
mod builtin_models;
mod bundled;
mod by_workers;
mod catch_up;
mod clock;
mod context_windows;
mod document_edits;
mod env;
mod environment_check;
mod error;
mod estimate;
mod expiry;
pub mod files;
pub mod fix_until_green;
mod flow_identity;
mod fork_source;
mod forking;
mod history_limit;
mod input_folders;
mod interrupted;
pub mod json_file;
mod launch;
mod leader;
mod left_notes;
mod left_runs;
pub mod local_days;
mod mcp;
mod mcp_servers;
mod model_lists;
mod model_nodes;
mod models;
mod new_budget;
mod opening;
pub mod paths;
mod pending_refusals;
mod prepare;
mod prepared_run;
mod prices;
mod private;
mod problems;
mod project;
mod refuse_foreign;
mod replaying;
mod requests;
mod resuming;
mod run_handles;
mod run_lock;
mod running;
pub mod schedules;
pub mod secrets;
mod services;
mod settings;
mod shared_quotas;
mod shared_runs;
mod spending;
pub mod store_addresses;
mod store_passwords;
pub mod subflows;
mod time_to_answer;
mod tools;
mod trust;
mod workers;
mod workspace_setup;
mod workspaces;

pub use agents::{AgentProgram, agents, agents_with_versions, installed_agent};
pub use answering::{Answered, is_asked};
pub use bundled::{BUNDLED, Bundled, PROJECT, bundled};
pub use catch_up::budget_standing;
pub use clock::{clip, new_id, now};
pub use context_windows::{ContextWindows, context_window};
pub use document_edits::{FieldEdit, RenamedData, UnreadField, apply_edit, rename_nodes};
pub use env::Env;
pub use environment_check::environment_problems;
pub use error::{ApiError, Code, Subject};
pub use estimate::{
    CostEstimate, NOT_BOUNDED, UnboundedNode, agent_turns, counted_agent_turns, counted_calls,
};
pub use expiry::{resume_expired_runs, resume_when_expired};
pub use files::{
    OpenedFlow, SavedFlow, new_flow, read_flow, read_flow_text, save_picture, write_new, write_over,
};
pub use flow_identity::identity;
pub use forking::{ForkOptions, ForkPlace, ForkedFlow, fork_place, forked_flow, node_of};
pub use history_limit::{apply_history_limit, delete_run, mark_seen};
pub use interrupted::mark_interrupted;
pub use json_file::{load_json, save_json};
pub use launch::{Admitted, RunOutcome, Started, Work, admit};
pub use leader::{
    Leader, answer_led_run, answer_run, ask_again, follow_run, fork_run, fork_run_as,
    fork_run_with, pause_run, resume_run, start_prepared, start_prepared_as, start_run,
    start_run_with, stop_run, take_over_run, try_now,
};
pub use left_runs::{note_left_runs, resume_left_runs};
pub use loopwright_engine::spending::Period;
pub use mcp_servers::{McpLook, McpStanding, look_at_approved_mcp, look_at_mcp, mcp_standing};
pub use model_lists::{ListedModel, ModelList, ModelLists, keep_models, model_lists};
pub use model_nodes::calls_of_attempt;
pub use models::{failed, provider_set};
pub use new_budget::NewBudget;
pub use paths::default_data_dir;
pub use prepare::{
    StoredRun, check_inputs, empty_texts, estimate, most_it_can_cost, most_it_can_cost_with,
    plan_flow, prepare_for_runs, prepare_run, stored_run, validate, with_inputs,
};
pub use prepared_run::{PreparedFlow, PreparedRun, RunRequest};
pub use prices::{LongPriceInfo, PriceInfo, PriceList, prices, save_prices};
pub use problems::{FixInfo, ProblemInfo, problem_info};
pub use project::{
    FieldProblem, FoundCommand, FoundSetup, Project, ProposedSetup, RepairField, RepairFlow,
    RepairRequest, look_at_project, repair_flow,
};
pub use refuse_foreign::sentence;
pub use replaying::{Replayed, replay_run};
pub use resuming::ResumeOptions;
pub use run_lock::RunLock;
pub use running::{
    RunFailureInfo, RunOptions, StartOptions, all_over, detach_all, pause_all, running_ids,
    stop_all, unpause_run,
};
pub use secrets::account;
pub use services::services;
pub use settings::{
    AgentRunner, McpServer, NamedStore, Notifications, NotifyProgram, Settings, Theme, WebEngine,
    WebSearch,
};
pub use shared_runs::{end_stored, fail_stored, has_begun, prepare_batch, start_stored};
pub use spending::{SpendingLimit, set_spending_limit, spending_limits};
pub use subflows::{
    FlowsOnDisk, inline_subflow, link, read_subflow, save_subflow, subflow_reference,
};
pub use time_to_answer::time_to_answer;
pub use tools::{tool_set, tool_set_in_copy, tools};
pub use trust::allow::parse_allow;
pub use trust::dto::{NeedInfo, NeedState, TrustList, TrustedFlow};
pub use trust::needs::needed;
pub use trust::refusals::{refuse_prepared, refuse_run};
pub use trust::{approve, approve_prepared, grants, needs, revoke, trusted_flows};
pub use workers::{Control, SharedStore, Workers};
