//! `loopwright runs list`, `export` and `import`: selects runs, prints them, and converts them to and from files.

use loopwright_api::App;
use loopwright_records as records;
use loopwright_records::{RunQuery, RunSummary};
use loopwright_runs::{ApiError, Code};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    args::ListArgs,
    import::write,
    input,
    out::{errln, outln, text},
    render::{counted, exit_title, local_time, print_json, quota_wait, word},
    run_result::usage_json,
};

pub(crate) fn list(app: &App, args: &ListArgs, json: bool) -> Result<(), ApiError> {
    let now = loopwright_runs::now();
    let time = |option: &str, given: &Option<String>| {
        given
            .as_deref()
            .map(|text| {
                loopwright_records::time(text, now).ok_or_else(|| {
                    invalid(format!(
                        "{option} {text} is not valid. Write a day (2026-01-31), a time (2026-01-31T14:00:00Z) or an age (7d, 12h, 30m)."
                    ))
                })
            })
            .transpose()
    };
    let mut query = RunQuery {
        statuses: words("--status", &args.status)?,
        exit_reasons: words("--exit", &args.exit)?,
        flow: args.flow.clone(),
        since: time("--since", &args.since)?,
        until: time("--until", &args.until)?,
        text: args.search.clone(),
        starred: args.starred.then_some(true),
        batch: args.batch.clone(),
        limit: args.limit,
        offset: args.offset,
    };
    let mut page = records::find_runs(app.env(), &query)?;
    let mut wanted = args.limit as usize;
    wanted = wanted.min(page.tally.runs.saturating_sub(args.offset) as usize);
    while page.runs.len() < wanted {
        // A reply has a maximum number of runs, but the requested number has no maximum.
        query.offset = args.offset.saturating_add(page.runs.len() as u32);
        query.limit = (wanted - page.runs.len()) as u32;
        let more = records::find_runs(app.env(), &query)?.runs;
        if more.is_empty() {
            break;
        }
        page.runs.extend(more);
    }
    if json {
        let rows = page.runs.iter().map(row);
        print_json(&rows.collect::<Vec<_>>());
        return Ok(());
    }
    let store = records::store_info(app.env())?;
    if store.runs == 0 {
        outln!("No runs yet. Start one: loopwright run self-refine");
        return Ok(());
    }
    for run in &page.runs {
        line(run);
    }
    let shown = page.runs.len();
    if shown > 0 {
        outln!();
    }
    outln!(
        "{shown} of {} runs shown; {} stored, {}",
        page.tally.runs,
        store.runs,
        size(store.bytes)
    );
    Ok(())
}

/// Writes a run to a file or to standard output.
///
/// # Errors
/// Returns an error if the run does not exist, or if the file cannot be written or exists and `force` is not set.
pub(crate) fn export(
    app: &App,
    run: &str,
    output: Option<&str>,
    force: bool,
    json: bool,
) -> Result<(), ApiError> {
    let run_id = records::run_id(app.env(), run)?;
    let Some(path) = output else {
        text(records::export_run(app.env(), &run_id)?.trim_end());
        return Ok(());
    };
    write(
        path,
        records::export_run_for(app.env(), &run_id, path)?,
        force,
    )?;
    if json {
        print_json(&json!({ "runId": run_id, "file": path }));
    } else {
        errln!("Wrote run {run_id} to {path}.");
    }
    Ok(())
}

/// Stores a run from a file or standard input.
///
/// # Errors
/// Returns an error if the file cannot be read or contains no valid run, or if the run cannot be stored.
pub(crate) fn import(app: &App, file: &str, json: bool) -> Result<(), ApiError> {
    let imported = if file == "-" || input::is_handed_over(file) {
        records::import_run(
            app.env(),
            &input::bytes(file, loopwright_records::MAX_RUN_BYTES)?,
        )?
    } else {
        records::import_run_from(app.env(), file)?
    };
    if json {
        print_json(&imported);
        return Ok(());
    }
    let renamed = if imported.renamed {
        " Its id was already in use, so the run received a new one."
    } else {
        ""
    };
    errln!(
        "Stored run {} of \"{}\".{renamed}",
        imported.run_id,
        imported.flow
    );
    Ok(())
}

fn invalid(message: String) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Parses the values of `option`, which are names of run states or exit reasons. The error for an unknown name lists the valid
/// ones.
fn words<T: DeserializeOwned>(option: &str, given: &[String]) -> Result<Vec<T>, ApiError> {
    given
        .iter()
        .map(|word| {
            serde_json::from_value(Value::String(word.clone()))
                .map_err(|error| invalid(format!("{option} {word}: {error}.")))
        })
        .collect()
}

fn row(run: &RunSummary) -> Value {
    let mut row = json!({
        "runId": run.run_id, "flow": run.flow, "status": run.status, "startedAt": run.started_at,
        "durationMs": run.duration_ms,
        "usage": usage_json(&run.usage),
        "warnings": run.warnings,
        "forkedFrom": run.forked_from,
        "name": run.name,
        "starred": run.starred,
        "parked": run.parked,
        "expiresAt": run.expires_at,
    });
    // The field is present only if a schedule started the run.
    if let Some(schedule) = &run.schedule {
        row["schedule"] = json!(schedule);
    }
    row
}

fn line(run: &RunSummary) {
    let exit = run.exit_reason.map_or_else(String::new, |reason| {
        format!(
            "{}, {}",
            counted(run.iterations.unwrap_or(0), "iteration", "iterations"),
            exit_title(reason)
        )
    });
    let warned = if run.warnings.is_empty() {
        ""
    } else {
        "  (warnings)"
    };
    let forked = run.forked_from.as_ref().map_or_else(String::new, |from| {
        format!("  (fork of {} at {})", from.run_id, from.at)
    });
    let status = match run.warnings.iter().any(|warning| warning.code == "damaged") {
        true => "damaged".to_owned(),
        false => word(&run.status),
    };
    let parked = run.parked.as_ref().map_or_else(String::new, |parked| {
        format!("  {}", quota_wait(&parked.name, &parked.until))
    });
    let expires = run.expires_at.as_ref().map_or_else(String::new, |at| {
        format!("  the question expires at {}", local_time(at))
    });
    let schedule =
        (run.schedule.as_ref()).map_or_else(String::new, |name| format!("  (schedule {name})"));
    let star = if run.starred { "  ★" } else { "" };
    let name = (run.name.as_ref()).map_or_else(String::new, |name| format!("  “{name}”"));
    outln!(
        "{}  {}  {:<12}{:<24}{exit}{parked}{expires}{warned}{forked}{schedule}{star}{name}",
        run.run_id,
        run.started_at,
        status,
        run.flow
    );
}

/// Formats a number of bytes, such as `84 MB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        1_000_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
