//! `import`: converts a file of another system to a flow, and reports what became of each part.

use std::path::Path;

use loopwright_api as api;
use loopwright_api::{App, ImportEntry, ImportOptions, ImportOutcome, ImportReport, ImportedFlow};
use loopwright_runs::{ApiError, write_new, write_over};
use serde_json::json;

use crate::{
    args::ImportArgs,
    input,
    out::{self, errln, outln},
    render::print_json,
    status,
};

/// Imports a file and writes the flow. Returns the exit status. A flow with errors is written, but the status is a failure.
///
/// # Errors
/// Returns an error if the file cannot be read or converted, or if the flow cannot be written.
pub(crate) fn import(app: &App, args: &ImportArgs, json: bool) -> Result<u8, ApiError> {
    let options = ImportOptions {
        from: args.from.clone(),
        dialect: args.dialect.clone(),
    };
    let imported = if args.file == "-" || input::is_handed_over(&args.file) {
        let text = input::text(&args.file, loopwright_api::MAX_FLOW_BYTES as u64)?;
        api::import_flow_text(app.env(), &text, "", options)?
    } else {
        api::import_flow(app.env(), &args.file, options)?
    };
    let text = format!("{:#}\n", imported.document);
    let path = target(args, &imported);
    let path = (path != "-").then_some(path);
    if let Some(path) = &path {
        write(path, &text, args.force)?;
    }
    // The flow's problems are printed now, because people often run a flow right after importing it.
    let analysis = api::analyze(app.env(), imported.document.clone(), path.as_deref())?;
    let status = match analysis.runnable {
        true => status::COMPLETED,
        false => status::FAILED,
    };
    if json {
        let mut told = json!({
            "file": path, "report": imported.report, "problems": analysis.problems, "runnable": analysis.runnable
        });
        if path.is_none() {
            told["flow"] = imported.document;
        }
        print_json(&told);
        return Ok(status);
    }
    match &path {
        Some(path) => {
            report(&imported.report, |line| outln!("{line}"));
            if analysis.runnable {
                outln!(
                    "Wrote {path}. Nothing was run. Run it with: loopwright run {}",
                    loopwright_engine::trust::for_shell(path)
                );
            } else {
                outln!("Wrote {path}. The flow has errors. Correct them before you run the flow:");
            }
        }
        // The flow is written to standard output, so the report goes to standard error.
        None => {
            out::text(text.trim_end());
            report(&imported.report, |line| errln!("{line}"));
        }
    }
    for problem in &analysis.problems {
        errln!(
            "{}: {}",
            crate::render::word(&problem.severity),
            problem.message
        );
    }
    Ok(status)
}

/// Returns the path to which the flow is written: the value of `-o` or, without it, the imported file's name in the current
/// folder.
fn target(args: &ImportArgs, imported: &ImportedFlow) -> String {
    if let Some(output) = &args.output {
        return output.clone();
    }
    let stem = Path::new(&args.file)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .filter(|stem| args.file != "-" && !input::is_handed_over(&args.file) && !stem.is_empty());
    match stem {
        Some(stem) => format!("{}.flow.json", stem.trim_end_matches(".flow")),
        None => imported.file_name.clone(),
    }
}

/// Writes a file atomically. Fails if the file exists, unless `force` is set.
pub(crate) fn write(path: &str, contents: impl AsRef<[u8]>, force: bool) -> Result<(), ApiError> {
    if force {
        write_over(path, contents)
    } else {
        write_new(
            path,
            contents,
            "Choose another file with -o, or overwrite this one with --force.",
        )
    }
}

/// The maximum number of locations in the imported file that are listed for one message.
const PLACES: usize = 10;

/// Prints the report as text. First come the parts that prevent a run. Equal messages are printed once, with at most [`PLACES`]
/// of their locations.
fn report(report: &ImportReport, line: impl Fn(String)) {
    line(format!(
        "Read as {} (`--from {}`).",
        report.title, report.format
    ));
    if let Some(dialect) = &report.dialect {
        line(format!("Reading: {dialect}"));
    }
    for (outcome, heading) in [
        (
            ImportOutcome::Placeholder,
            "Not translated: a run fails at these nodes",
        ),
        (ImportOutcome::Approximated, "Works differently"),
        (ImportOutcome::Ignored, "Left out"),
        (ImportOutcome::Mapped, "Works the same"),
    ] {
        let entries: Vec<&ImportEntry> = report
            .entries
            .iter()
            .filter(|entry| entry.outcome == outcome)
            .collect();
        if entries.is_empty() {
            continue;
        }
        line(format!("{heading} ({}):", entries.len()));
        for alike in entries.chunk_by(|one, other| one.message == other.message) {
            line(format!("  {}", alike[0].message));
            let mut places: Vec<String> = alike
                .iter()
                .take(PLACES)
                .map(|entry| place(entry))
                .collect();
            if alike.len() > PLACES {
                places.push(format!(
                    "and {} more (`--json` lists them)",
                    alike.len() - PLACES
                ));
            }
            line(format!("      {}", places.join(", ")));
        }
    }
}

/// Returns where in the imported file an entry belongs. If the node created from it has a different name, that name is added.
fn place(entry: &ImportEntry) -> String {
    match entry.node.as_ref().filter(|node| **node != entry.place) {
        Some(node) => format!("{} → {node}", entry.place),
        None => entry.place.clone(),
    }
}
