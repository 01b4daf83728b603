//! The list of commands, once: Tauri's dispatch and the page's TypeScript are both made from it.

use std::{fs, io};

use specta_typescript::Typescript;
use tauri_specta::{Builder, collect_commands};

use crate::commands;

pub(crate) fn builder() -> Builder<tauri::Wry> {
    Builder::new()
        .commands(collect_commands![
            commands::kinds,
            commands::notices,
            commands::analyze,
            commands::rename_nodes,
            commands::estimate,
            commands::template_language,
            commands::names_in_scope,
            commands::preview_field,
            commands::tools,
            commands::templates,
            commands::new_flow,
            commands::open_flow,
            commands::save_flow,
            commands::import_flow,
            commands::import_formats,
            commands::read_subflow,
            commands::inline_subflow,
            commands::save_subflow,
            commands::subflow_reference,
            commands::pick_open,
            commands::pick_save,
            commands::pick_folder,
            commands::pick_run,
            commands::pick_run_export,
            commands::open_link,
            commands::recent_files,
            commands::forget_recent,
            commands::desk,
            commands::keep_tabs,
            commands::keep_draft,
            commands::drop_draft,
            commands::file_version,
            commands::grants,
            commands::approve_grants,
            commands::refuse_grants,
            commands::trusted_flows,
            commands::revoke_grants,
            commands::start_run,
            commands::answer_run,
            commands::resume_run,
            commands::fork_run,
            commands::fork_place,
            commands::replay_run,
            commands::compare_runs,
            commands::compare_step,
            commands::pause_run,
            commands::continue_run,
            commands::stop_run,
            commands::runs,
            commands::find_runs,
            commands::run_flows,
            commands::store_info,
            commands::save_picture,
            commands::export_run,
            commands::import_run,
            commands::run_outline,
            commands::run_iterations,
            commands::iteration_events,
            commands::run_detail,
            commands::run_events,
            commands::step_detail,
            commands::delete_run,
            commands::providers,
            commands::prices,
            commands::save_prices,
            commands::settings,
            commands::save_settings,
            commands::test_provider,
            commands::refresh_models,
            commands::set_key,
            commands::remove_key,
        ])
        // Counts and durations fit a JavaScript number exactly up to 2^53.
        .dangerously_cast_bigints_to_number()
        // Nothing is left out of a reply, so one type serves both ways.
        .disable_serde_phases()
}

/// The TypeScript of every command and of every type that crosses to the page.
///
/// # Errors
/// When a type has no TypeScript form, or no temporary file can be written.
pub fn typescript() -> io::Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("bindings.ts");
    let exporter = Typescript::default().header(HEADER).with_raw(BY_HAND);
    builder()
        .export(exporter, &file)
        .map_err(io::Error::other)?;
    let text = fs::read_to_string(file)?;
    // Spelt out, a JSON value is a type that no record of unknown fields fits into.
    let start = text
        .find(VALUE)
        .ok_or_else(|| io::Error::other("the type `Value` is gone"))?;
    let end = text[start..]
        .find(';')
        .map_or(text.len(), |length| start + length);
    Ok(format!("{}{VALUE} Json{}", &text[..start], &text[end..]))
}

const VALUE: &str = "export type Value =";

const HEADER: &str =
    "// The commands and types of the Rust side, written by `npm run codegen`. Do not edit.\n";

/// The document's own types, which keep unknown fields, and two that the page has use for.
const BY_HAND: &str = "\
/** Any JSON value; looked at before it is used. */
export type Json = unknown;
export type FlowNode = { id: string; type: string; position: { x: number; y: number }; data: Record<string, Json>; [field: string]: Json };
export type FlowEdge = { id: string; source: string; sourceHandle?: string | null; target: string; targetHandle?: string | null; [field: string]: Json };
/** A flow file. The page holds it while it is edited and keeps every field that it does not know. */
export type FlowDoc = { schemaVersion?: number; name?: string; description?: string; settings?: Record<string, Json>; nodes: FlowNode[]; edges: FlowEdge[]; viewport?: { x: number; y: number; zoom: number }; [field: string]: Json };
/** One change of a flow, as a fix proposes it. A null value removes. */
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
