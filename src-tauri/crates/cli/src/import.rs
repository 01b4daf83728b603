//! `import`: a flow from another system's file, and the report of what became of each part.

use std::path::Path;

use loopwright_api::{
    ApiError, App, ImportEntry, ImportOptions, ImportOutcome, ImportReport, ImportedFlow,
    write_new, write_over,
};
use serde_json::json;

use crate::{
    args::ImportArgs,
    input,
    out::{self, errln, outln},
    render::print_json,
};

/// Imports a file and writes the flow.
pub(crate) fn import(app: &App, args: &ImportArgs, json: bool) -> Result<(), ApiError> {
    let options = ImportOptions {
        from: args.from.clone(),
        dialect: args.dialect.clone(),
    };
    let imported = if args.file == "-" || input::is_handed_over(&args.file) {
        let text = input::text(&args.file, loopwright_api::MAX_FLOW_BYTES as u64)?;
        app.import_flow_text(&text, "", options)?
    } else {
        app.import_flow(&args.file, options)?
    };
    let text = format!("{:#}\n", imported.document);
    let path = target(args, &imported);
    let path = (path != "-").then_some(path);
    if let Some(path) = &path {
        write(path, &text, args.force)?;
    }
    // What cannot run yet is said at once: an import is often followed by a run.
    let analysis = app.analyze(imported.document.clone(), path.as_deref())?;
    if json {
        let mut told = json!({
            "file": path, "report": imported.report, "problems": analysis.problems, "runnable": analysis.runnable
        });
        if path.is_none() {
            told["flow"] = imported.document;
        }
        print_json(&told);
        return Ok(());
    }
    match &path {
        Some(path) => {
            report(&imported.report, |line| outln!("{line}"));
            outln!("Wrote {path}. Nothing was run; run it with: loopwright run {path}");
        }
        // Standard output is the flow's.
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
    Ok(())
}

/// Where the flow goes: what `-o` names, else the file's own name in this folder.
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

/// Writes a file whole or not at all, one that is there already only with `force`.
pub(crate) fn write(path: &str, text: &str, force: bool) -> Result<(), ApiError> {
    if force {
        write_over(path, text)
    } else {
        write_new(path, text, "Name another with -o, or add --force.")
    }
}

/// The report for people: what needs a look first, then a count of what is as it was.
fn report(report: &ImportReport, line: impl Fn(String)) {
    line(format!(
        "Read as {} (`--from {}`).",
        report.title, report.format
    ));
    if let Some(dialect) = &report.dialect {
        line(format!("Reading: {dialect}"));
    }
    for (outcome, heading) in [
        (ImportOutcome::Placeholder, "Not translated"),
        (ImportOutcome::Approximated, "Different here"),
        (ImportOutcome::Ignored, "Left out"),
        (ImportOutcome::Mapped, "The same here"),
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
        for entry in entries {
            let node = entry
                .node
                .as_ref()
                .map_or_else(String::new, |node| format!(" → {node}"));
            line(format!("  {}{node}", entry.place));
            line(format!("      {}", entry.message));
        }
    }
}
