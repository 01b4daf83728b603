//! The only list of commands. Tauri's dispatch and the page's TypeScript definitions are both generated from it.

use std::{fs, io};

use specta_typescript::Typescript;
use tauri_specta::{Builder, collect_commands};

use loopwright_api::{ExitFamily, ExitReason};
use loopwright_runs::fix_until_green::MAX_ITERATIONS;

use crate::commands;

pub(crate) fn builder() -> Builder<tauri::Wry> {
    Builder::new()
        .commands(collect_commands![
            commands::flows::kinds,
            commands::flows::notices,
            commands::flows::analyze,
            commands::flows::rename_nodes,
            commands::flows::estimate,
            commands::flows::template_language,
            commands::flows::names_in_scope,
            commands::flows::preview_field,
            commands::tools::tools,
            commands::tools::mcp_servers,
            commands::tools::look_at_mcp,
            commands::tools::tool_keys,
            commands::tools::keychain_trouble,
            commands::flows::templates,
            commands::flows::copy_template,
            commands::flows::new_flow,
            commands::files::open_flow,
            commands::files::save_flow,
            commands::files::import_flow,
            commands::files::import_formats,
            commands::files::read_subflow,
            commands::files::inline_subflow,
            commands::files::save_subflow,
            commands::files::subflow_reference,
            commands::files::pick_open,
            commands::files::pick_save,
            commands::files::pick_folder,
            commands::files::pick_run,
            commands::files::pick_run_export,
            commands::files::pick_program,
            commands::files::pick_data,
            commands::files::pick_evaluation,
            commands::files::pick_export,
            commands::files::export_langgraph,
            commands::files::open_link,
            commands::files::recent_files,
            commands::files::forget_recent,
            commands::files::session,
            commands::files::keep_tabs,
            commands::files::keep_draft,
            commands::files::drop_draft,
            commands::files::file_version,
            commands::trust::grants,
            commands::trust::approve_grants,
            commands::trust::refuse_grants,
            commands::trust::trusted_flows,
            commands::trust::revoke_grants,
            commands::runs::prepare_run,
            commands::runs::start_run,
            commands::runs::approve_prepared,
            commands::runs::refuse_prepared,
            commands::runs::answer_run,
            commands::runs::resume_run,
            commands::runs::fork_run,
            commands::runs::fork_place,
            commands::runs::forked_flow,
            commands::history::replay_run,
            commands::history::compare_runs,
            commands::history::compare_step,
            commands::evaluations::evaluations_beside,
            commands::evaluations::open_evaluation,
            commands::evaluations::new_evaluation,
            commands::evaluations::save_evaluation,
            commands::evaluations::check_evaluation,
            commands::evaluations::read_cases,
            commands::evaluations::estimate_evaluation,
            commands::evaluations::start_experiment,
            commands::evaluations::rerun_cells,
            commands::evaluations::stop_experiment,
            commands::evaluations::experiments,
            commands::evaluations::experiment,
            commands::evaluations::experiment_rows,
            commands::evaluations::delete_experiment,
            commands::evaluations::backtest,
            commands::evaluations::export_experiment,
            commands::evaluations::rate_result,
            commands::evaluations::ratings,
            commands::evaluations::blind_item,
            commands::evaluations::keep_test,
            commands::runs::pause_run,
            commands::runs::ask_again,
            commands::runs::continue_run,
            commands::runs::stop_run,
            commands::runs::follow_run,
            commands::runs::unfollow_run,
            commands::runs::going_runs,
            commands::runs::leave_runs,
            commands::page::keep_view,
            commands::page::restored_view,
            commands::page::answer_close,
            commands::page::watch_attention,
            commands::history::runs,
            commands::history::open_questions,
            commands::history::find_runs,
            commands::history::schedules,
            commands::history::run_flows,
            commands::costs::costs,
            commands::costs::export_costs,
            commands::costs::forecast_cost,
            commands::costs::spending_limits,
            commands::costs::set_spending_limit,
            commands::history::store_info,
            commands::files::save_picture,
            commands::history::export_run,
            commands::history::import_run,
            commands::history::run_outline,
            commands::history::run_iterations,
            commands::history::iteration_events,
            commands::history::run_detail,
            commands::history::run_events,
            commands::history::step_detail,
            commands::history::step_transcript,
            commands::history::describe_call,
            commands::history::rename_run,
            commands::history::star_run,
            commands::history::delete_run,
            commands::projects::look_at_project,
            commands::projects::agents,
            commands::projects::repair_flow,
            commands::workspaces::loop_workspace,
            commands::workspaces::workspace_changes,
            commands::workspaces::workspace_texts,
            commands::workspaces::plan_apply,
            commands::workspaces::apply_iteration,
            commands::workspaces::workspaces,
            commands::workspaces::open_workspace_folder,
            commands::workspaces::remove_workspace,
            commands::stores::stores,
            commands::stores::add_store,
            commands::stores::remove_store,
            commands::stores::check_store,
            commands::stores::batches,
            commands::stores::stop_batch,
            commands::stores::retry_batch,
            commands::stores::delete_batch,
            commands::stores::save_batch_outputs,
            commands::providers::providers,
            commands::providers::prices,
            commands::providers::save_prices,
            commands::providers::settings,
            commands::providers::save_settings,
            commands::providers::test_provider,
            commands::providers::refresh_models,
            commands::providers::context_window,
            commands::providers::set_key,
            commands::providers::remove_key,
        ])
        .typ::<ExitFamily>()
        .constant("EXIT_REASONS", ExitReason::ALL.map(ExitReason::info))
        .constant("REPAIR_ITERATIONS", MAX_ITERATIONS)
        // Counts and durations stay below 2^53, so a JavaScript number represents them exactly.
        .dangerously_cast_bigints_to_number()
        // Replies contain every field, so one TypeScript type is enough for requests and replies.
        .disable_serde_phases()
}

/// Returns the TypeScript definitions of every command and of every type that the page sees.
///
/// # Errors
/// Returns an error if a type has no TypeScript form, or a temporary file cannot be written.
pub fn typescript() -> io::Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("bindings.ts");
    let exporter = Typescript::default().header(HEADER).with_raw(BY_HAND);
    builder()
        .export(exporter, &file)
        .map_err(io::Error::other)?;
    let text = fs::read_to_string(file)?;
    // The type that would be derived for a JSON value does not accept objects with unknown fields.
    let text = redefined(&text, "Value", "Json")?;
    // The type that would be derived for a document is the type of any value.
    redefined(&text, "Document", "FlowDoc")
}

/// Replaces the definition of the type `name` in the bindings.
fn redefined(text: &str, name: &str, definition: &str) -> io::Result<String> {
    let head = format!("export type {name} =");
    let start = text
        .find(&head)
        .ok_or_else(|| io::Error::other(format!("the type `{name}` is gone")))?;
    let end = text[start..]
        .find(';')
        .map_or(text.len(), |length| start + length);
    Ok(format!(
        "{}{head} {definition}{}",
        &text[..start],
        &text[end..]
    ))
}

const HEADER: &str =
    "// The commands and types of the Rust side, written by `npm run codegen`. Do not edit.\n";

/// TypeScript definitions that are written by hand: the types of the document, which keep unknown fields, and helper types of
/// the page.
const BY_HAND: &str = "\
/** Any JSON value. Check its type before you use it. */
export type Json = unknown;
export type FlowNode = { id: string; type: string; position: { x: number; y: number }; data: Record<string, Json>; [field: string]: Json };
export type FlowEdge = { id: string; source: string; sourceHandle?: string | null; target: string; targetHandle?: string | null; [field: string]: Json };
/** A flow file. The page holds it while it is edited and keeps every field that it does not know. */
export type FlowDoc = { schemaVersion?: number; name?: string; description?: string; settings?: Record<string, Json>; nodes: FlowNode[]; edges: FlowEdge[]; viewport?: { x: number; y: number; zoom: number }; [field: string]: Json };
/** One change of a flow, as proposed by a fix. A null value removes the field. */
export type Edit =
	| { op: \"add_node\"; node: FlowNode }
	| { op: \"remove_node\"; id: string }
	| { op: \"add_edge\"; edge: FlowEdge }
	| { op: \"remove_edge\"; id: string }
	| { op: \"update_edge\"; edge: FlowEdge }
	| { op: \"set_data\"; node: string; field: string; value: Json | null }
	| { op: \"set_setting\"; field: string; value: Json | null };
export type Result<T, E> = { status: \"ok\"; data: T } | { status: \"error\"; error: E };
export type RunEventBase = Pick<RunEvent, \"run_id\" | \"seq\" | \"at\" | \"node_id\" | \"path\">;
";
