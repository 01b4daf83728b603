//! `loopwright until`: makes the flow *Fix until green* for a project, runs it, and says how to take over the result.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api::{App, RunStatus};
use loopwright_records as records;
use loopwright_records::WorkspaceStates;
use loopwright_runs as runs;
use loopwright_runs::{
    ApiError, Code, NewBudget, RunOutcome, RunRequest, StartOptions,
    fix_until_green::{AGENTS, FixUntilGreen, Repair, TASK, installed_agents},
};
use serde_json::{Map, Value, json};

use crate::{
    interrupts::Interrupts,
    out::{errln, outln},
    progress::Progress,
    question::{can_ask, read_line},
    render::duration,
    run::{follow, say_how_to_continue, sink},
    run_result::{exit_status, mark_run_seen, result_json},
    status,
    test_words::test_words,
    until_args::UntilArgs,
};

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Returns the agent to use. If none is named, proposes the first one that is installed.
fn agent(app: &App, named: Option<&str>) -> Result<String, ApiError> {
    let installed = installed_agents();
    if let Some(named) = named {
        return known(app, named, &installed);
    }
    let Some(first) = installed.first() else {
        return Err(invalid(
            "No agent was found on this computer. Install Claude Code (`claude`), Codex (`codex`) or Gemini (`gemini`), name one from \
             Settings with --with, or let a model repair: --with model:NAME.",
        ));
    };
    if !can_ask() {
        return Err(invalid(format!(
            "Name the agent that repairs: --with {}. Installed: {}.",
            first,
            installed.join(", ")
        )));
    }
    match read_line(&format!(
        "Repair with {first}? [y]es, or the name of another: "
    ))
    .as_deref()
    {
        None => Err(invalid("No agent was chosen. Name one with --with.")),
        Some("" | "y" | "yes") => Ok((*first).to_owned()),
        Some("n" | "no") => Err(invalid(format!(
            "No agent was chosen. Name one with --with. Installed: {}.",
            installed.join(", ")
        ))),
        Some(other) => known(app, other, &installed),
    }
}

/// Returns the agent with this name, if it is in Settings or installed.
fn known(app: &App, named: &str, installed: &[&str]) -> Result<String, ApiError> {
    let settings = app.env().settings();
    let own: Vec<&str> = settings
        .agents
        .iter()
        .map(|agent| agent.name.as_str())
        .collect();
    if own.contains(&named) || installed.contains(&named) {
        return Ok(named.to_owned());
    }
    let what = match AGENTS.iter().find(|(agent, _)| *agent == named) {
        Some((_, program)) => format!(
            "There is no program `{program}` on the PATH, which the agent {named} needs. Install it"
        ),
        None => format!("There is no agent {named}. Add it in Settings"),
    };
    let others = [installed, &own].concat();
    Err(invalid(match others.is_empty() {
        true => format!("{what}."),
        false => format!("{what}, or choose one with --with: {}.", others.join(", ")),
    }))
}

/// The prefix of a model's name in `--with`.
const MODEL: &str = "model:";

/// Returns who repairs, as `--with` and `--then` say.
fn repair(app: &App, args: &UntilArgs, named: Option<&str>) -> Result<Repair, ApiError> {
    let Some(model) = named.and_then(|named| named.strip_prefix(MODEL)) else {
        return Ok(Repair::Agent {
            runner: agent(app, named)?,
            env: args.env.clone(),
        });
    };
    Repair::by_model(app.env(), model)
}

/// Refuses environment variables if no agent receives them.
fn refuse_variables_of_models(settings: &FixUntilGreen, args: &UntilArgs) -> Result<(), ApiError> {
    let repairs = [Some(&settings.repair), settings.then.as_ref()];
    let is_agent = |repair: &Repair| matches!(repair, Repair::Agent { .. });
    if args.env.is_empty() || repairs.into_iter().flatten().any(is_agent) {
        return Ok(());
    }
    Err(invalid(
        "A model starts no program, so it has no environment variables. Leave out --env; keys of providers are set in Settings or \
         with `loopwright keys set`.",
    ))
}

/// Returns who repairs after the repairs made no progress.
fn then(app: &App, args: &UntilArgs) -> Result<Option<Repair>, ApiError> {
    let Some(named) = args.then.as_deref() else {
        return Ok(None);
    };
    if args.no_progress == 0 {
        return Err(invalid(
            "--then is used when the repairs make no progress, and --no-progress 0 does not look at progress. Leave out one of them.",
        ));
    }
    repair(app, args, Some(named)).map(Some)
}

fn read_task(file: &Path) -> Result<String, ApiError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        invalid(format!(
            "The prompt {} cannot be read: {error}.",
            file.display()
        ))
    })?;
    match text.trim() {
        "" => Err(invalid(format!("The prompt {} is empty.", file.display()))),
        text => Ok(text.to_owned()),
    }
}

fn write_new(file: &Path, document: &Value) -> Result<(), ApiError> {
    let text = serde_json::to_string_pretty(document).unwrap_or_default() + "\n";
    std::fs::File::create_new(file)
        .and_then(|mut out| io::Write::write_all(&mut out, text.as_bytes()))
        .map_err(|error| {
            invalid(format!(
                "The flow was not written to {}: {error}. Choose a new file with --save.",
                file.display()
            ))
        })
}

pub(crate) async fn until(app: &Arc<App>, args: &UntilArgs, json: bool) -> Result<u8, ApiError> {
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    let folder = folder.canonicalize().map_err(|error| {
        invalid(format!(
            "The folder {} cannot be opened: {error}.",
            folder.display()
        ))
    })?;
    let settings = FixUntilGreen {
        source: folder
            .to_str()
            .ok_or_else(|| invalid("The path of the folder is not UTF-8. Rename the folder."))?
            .to_owned(),
        base: args.base.clone(),
        command: args.command.clone(),
        repair: repair(app, args, args.agent.as_deref())?,
        then: then(app, args)?,
        task: args
            .prompt
            .as_deref()
            .map_or_else(|| Ok(TASK.to_owned()), read_task)?,
        max_iterations: args.max,
        budget_usd: args.budget_usd,
        no_progress: args.no_progress,
        protect: args.protect.clone(),
        copy: args.copy.clone(),
        setup: args.prepare.clone(),
        setup_files: !args.no_prepare,
    };
    refuse_variables_of_models(&settings, args)?;
    let document = settings.document()?;
    if let Some(file) = &args.save {
        write_new(file, &document)?;
    }
    let prepared = runs::prepare_run(
        app.env(),
        RunRequest {
            document,
            flow_path: args
                .save
                .as_ref()
                .map(|file| file.to_string_lossy().into_owned()),
            inputs: Map::new(),
            focus: loopwright_api::Focus::default(),
            budget: NewBudget::default(),
        },
    )?;
    prepared.check()?;
    let allow = crate::trust::ask(app, &prepared, crate::trust::allow(&args.allow)?)?;
    let progress = Arc::new(Progress::new(false, io::stderr().is_terminal()));
    let interrupts = Interrupts::listen();
    let started = runs::start_prepared(
        app.env(),
        prepared,
        StartOptions {
            allow,
            approve: args.approve.into(),
            events: sink(&progress),
        },
    )?;
    errln!(
        "Run {}. Stop it with Ctrl-C, and continue with: loopwright runs resume {0}",
        started.run_id
    );
    let outcome = follow(app, started, &progress, args.approve, &interrupts).await?;
    let run_id = outcome.run_id.clone();
    let is_green = output(&outcome, "fixed").is_some();
    let code = match outcome.status {
        RunStatus::Completed if !is_green => status::FAILED,
        _ => exit_status(&outcome),
    };
    mark_run_seen(app, &run_id, outcome.status);
    if json {
        let mut object = result_json(app, outcome)?;
        object["green"] = json!(is_green);
        outln!("{object}");
    } else {
        print(app, &outcome, &args.command, is_green)?;
    }
    Ok(code)
}

/// Returns an output of the run, unless it has no value.
fn output<'a>(outcome: &'a RunOutcome, name: &str) -> Option<&'a Value> {
    let outputs = outcome.state.outputs.as_ref()?;
    let value = outputs.iter().find(|(output, _)| **output == *name)?.1;
    Some(&**value).filter(|value| !value.is_null())
}

/// Prints how the loop ended, what changed, and the commands that show it and take it over.
fn print(app: &App, outcome: &RunOutcome, command: &str, is_green: bool) -> Result<(), ApiError> {
    let (run, state) = (&outcome.run_id, &outcome.state);
    if let Some(error) = &state.error {
        errln!("{}", error.message);
    }
    for warning in &state.warnings {
        errln!("Warning: {}", warning.message);
    }
    say_how_to_continue(app, outcome)?;
    let workspace = records::run_workspaces(app.env(), run)?.pop();
    let closed = workspace
        .as_ref()
        .and_then(|workspace| workspace.closed.as_deref());
    let count = |name: &str| closed.and_then(|closed| closed[name].as_u64()).unwrap_or(0);
    let iterations = match state.iterations.unwrap_or(0) {
        1 => "1 iteration".to_owned(),
        many => format!("{many} iterations"),
    };
    let took = state
        .duration_ms
        .map_or_else(String::new, |took| format!(", {}", duration(took)));
    let files_changed = count("filesChanged");
    match (is_green, files_changed) {
        (true, 0) if state.iterations == Some(1) => {
            outln!(
                "`{command}` passes already. Nothing was changed, and neither an agent nor a model was started."
            );
            return Ok(());
        }
        (true, 0) => outln!(
            "`{command}` passes after {iterations}{took}, but there is nothing to take over: at most files that git ignores have changed."
        ),
        (true, _) => outln!("`{command}` passes after {iterations}{took}."),
        (false, _) if outcome.status == RunStatus::Completed => {
            outln!("`{command}` still fails after {iterations}{took}.");
        }
        (false, _) => {}
    }
    let files = match files_changed {
        0 => return Ok(()),
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    outln!(
        "{files} changed: +{} −{} lines.",
        count("insertions"),
        count("deletions")
    );
    if is_green && let Some(workspace) = &workspace {
        say_changed_tests(app, run, &workspace.path)?;
    }
    outln!("  See the changes:      loopwright workspace diff {run}");
    outln!("  Make a branch:        loopwright workspace apply {run} --as branch fix-until-green");
    outln!("  Or change the files:  loopwright workspace apply {run} --as working");
    Ok(())
}

/// Says which iterations changed tests, if any did: a command can also pass because its tests are gone.
fn say_changed_tests(app: &App, run: &str, path: &str) -> Result<(), ApiError> {
    let Some(iterations) = records::changed_files(app.env(), run)?.remove(path) else {
        return Ok(());
    };
    let marked: Vec<_> = iterations
        .iter()
        .filter_map(|files| Some((files.iteration, files.tests.as_ref()?)))
        .collect();
    if marked.is_empty() {
        return Ok(());
    }
    let states = WorkspaceStates::find(app.env(), run, Some(path))?;
    match states.test_changes(0, None)? {
        Some(_) => outln!("Tests were changed too. Look at them before you take this over:"),
        None => outln!("Tests were changed on the way, and are as before at the end:"),
    }
    for (iteration, tests) in marked {
        outln!("  Iteration {iteration}: {}.", test_words(tests));
    }
    Ok(())
}
