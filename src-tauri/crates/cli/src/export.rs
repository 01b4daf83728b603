//! `export`: converts a flow to a program for another system.

use std::path::Path;

use loopwright_api as api;
use loopwright_api::App;
use loopwright_runs::ApiError;
use serde_json::json;

use crate::{
    args::ExportCommand,
    import::write,
    named::read_flow,
    out::{errln, outln, text},
    render::print_json,
    status,
};

pub(crate) fn perform(app: &App, command: &ExportCommand, json: bool) -> Result<u8, ApiError> {
    let ExportCommand::Langgraph {
        flow,
        output,
        force,
    } = command;
    langgraph(app, flow, output.as_deref(), *force, json)?;
    Ok(status::COMPLETED)
}

/// Writes a flow as a LangGraph program.
fn langgraph(
    app: &App,
    flow: &str,
    output: Option<&str>,
    force: bool,
    json: bool,
) -> Result<(), ApiError> {
    let opened = read_flow(app, flow)?;
    let exported = api::export_langgraph(app.env(), opened.document, Some(flow))?;
    let target = output.map_or_else(|| target(flow), str::to_owned);
    let path = (target != "-").then_some(target);
    if let Some(path) = &path {
        write(path, &exported.program, force)?;
    }
    if json {
        let mut told = json!({ "file": path, "entries": exported.entries });
        if path.is_none() {
            told["program"] = json!(exported.program);
        }
        print_json(&told);
        return Ok(());
    }
    match &path {
        Some(path) => {
            outln!(
                "Wrote {path}. It needs Python and langgraph. Its first lines explain how to run it."
            );
        }
        None => text(exported.program.trim_end()),
    }
    for entry in &exported.entries {
        errln!("{}: {}", entry.place, entry.message);
    }
    Ok(())
}

/// Returns the default path of the program: the flow's name with `.py`, in the current folder.
fn target(flow: &str) -> String {
    let name = Path::new(flow).file_name().map_or_else(
        || flow.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    let stem = name
        .trim_end_matches(".json")
        .trim_end_matches(".flow")
        .replace('-', "_");
    format!("{stem}.py")
}
