//! `export`: converts a flow to a file for another system.

use std::path::Path;

use loopwright_api as api;
use loopwright_api::{App, ExportedProgram};
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

/// The destination of an exported file.
struct Target<'a> {
    /// A path, or `-` for standard output.
    output: &'a str,
    force: bool,
    /// Sentences that say what is required to use the file.
    needs: &'a str,
}

pub(crate) fn perform(app: &App, command: &ExportCommand, json: bool) -> Result<u8, ApiError> {
    match command {
        ExportCommand::Langgraph {
            flow,
            output,
            force,
        } => {
            let opened = read_flow(app, flow)?;
            let exported = api::export_langgraph(app.env(), opened.document, Some(flow))?;
            let target = Target {
                output: &output.clone().unwrap_or_else(|| target(flow)),
                force: *force,
                needs: "It needs Python and langgraph. Its first lines explain how to run it.",
            };
            write_exported(&exported, &target, json)?;
        }
        ExportCommand::Ralph {
            flow,
            output,
            force,
        } => {
            let opened = read_flow(app, flow)?;
            let exported = api::export_ralph(app.env(), opened.document, Some(flow))?;
            let target = Target {
                output: output.as_deref().unwrap_or("RALPH.md"),
                force: *force,
                needs: "Its `agent` command may change files without asking. Check the options of this command before you run the file.",
            };
            write_exported(&exported, &target, json)?;
        }
    }
    Ok(status::COMPLETED)
}

/// Writes an exported file, and prints what the file cannot express.
fn write_exported(
    exported: &ExportedProgram,
    target: &Target<'_>,
    json: bool,
) -> Result<(), ApiError> {
    let path = (target.output != "-").then_some(target.output);
    if let Some(path) = path {
        write(path, &exported.program, target.force)?;
    }
    if json {
        let mut told = json!({ "file": path, "entries": exported.entries });
        if path.is_none() {
            told["program"] = json!(exported.program);
        }
        print_json(&told);
        return Ok(());
    }
    match path {
        Some(path) => outln!("Wrote {path}. {}", target.needs),
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
