//! `loopwright until`: creates the flow *Fix until green* for a project, runs it, and prints how to apply the result.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api::{App, RunStatus};
use loopwright_engine::trust::for_shell;
use loopwright_records as records;
use loopwright_records::WorkspaceStates;
use loopwright_runs as runs;
use loopwright_runs::{
    AgentProgram, ApiError, Code, FoundCommand, NewBudget, Project, ProposedSetup, RunOutcome,
    RunRequest, StartOptions, agents,
    fix_until_green::{FixUntilGreen, Repair, TASK},
    installed_agent,
};
use serde_json::{Map, Value, json};

use crate::{
    detach::Job,
    follow::{follow, sink},
    how_to_continue::say_how_to_continue,
    interrupts::Interrupts,
    out::{errln, outln},
    progress::Progress,
    question::{can_ask, read_line},
    render::{counted, duration},
    run_result::{exit_status, mark_run_seen, result_json},
    status,
    test_words::test_words,
    unattended::Telling,
    until_args::UntilArgs,
};

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

/// Returns the agent to use. If none is named, proposes the first one that is installed.
fn agent(app: &App, named: Option<&str>) -> Result<String, ApiError> {
    let settings = app.env().settings();
    if let Some(named) = named {
        return Ok(installed_agent(&settings, named)?.name);
    }
    let mut installed = agents(&settings);
    installed.retain(AgentProgram::is_installed);
    let names: Vec<&str> = installed.iter().map(|agent| agent.name.as_str()).collect();
    let Some(first) = names.first() else {
        return Err(invalid(
            "No agent was found on this computer. Install Claude Code (`claude`), Codex (`codex`) or Gemini (`gemini`), name one from \
             Settings with --with, or let a model repair the project: --with model:NAME.",
        ));
    };
    let installed = names.join(", ");
    if !can_ask() {
        return Err(invalid(format!(
            "Name the agent that repairs the project: --with {first}. Installed: {installed}."
        )));
    }
    match read_line(&format!(
        "Repair with {first}? [y]es, or the name of another agent: "
    ))
    .as_deref()
    {
        None => Err(invalid("No agent was chosen. Name one with --with.")),
        Some("" | "y" | "yes") => Ok((*first).to_owned()),
        Some("n" | "no") => Err(invalid(format!(
            "No agent was chosen. Name one with --with. Installed: {installed}."
        ))),
        Some(other) => Ok(installed_agent(&settings, other)?.name),
    }
}

/// A function that asks a question. It returns the line that was typed, or `None` at the end of the input.
type Ask<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

fn if_can_ask(ask: Ask<'_>) -> Option<Ask<'_>> {
    can_ask().then_some(ask)
}

/// Returns the command that must pass. If none is named, proposes the most likely one according to the project's files. Without
/// `ask`, nobody can confirm the proposal, so an error names it.
fn command(
    project: &Project,
    named: Option<&str>,
    ask: Option<Ask<'_>>,
) -> Result<String, ApiError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let Some(first) = project.commands.first() else {
        let notes: String = project
            .notes
            .iter()
            .map(|note| format!(" {note}"))
            .collect();
        return Err(invalid(format!(
            "No command that checks the project was found in {}.{notes} Name one: loopwright until \"npm test\".",
            project.folder
        )));
    };
    let named_in = |found: &FoundCommand| format!("`{}` ({})", found.command, found.file);
    let all: Vec<String> = project.commands.iter().map(named_in).collect();
    let found = all.join(", ");
    let quoted = for_shell(&first.command);
    let not_chosen = |what: &str| {
        Err(invalid(format!(
            "{what} the command that must pass: loopwright until {quoted}. Found: {found}."
        )))
    };
    let Some(ask) = ask else {
        return not_chosen("Name");
    };
    if all.len() > 1 {
        errln!("Found: {found}.");
    }
    let question = format!(
        "Check with {}? [y]es, or another command: ",
        named_in(first)
    );
    match ask(&question).as_deref() {
        None | Some("n" | "no") => not_chosen("No command was chosen. Name"),
        Some("" | "y" | "yes") => Ok(first.command.clone()),
        Some(other) => Ok(other.to_owned()),
    }
}

/// Returns the command that sets up the copy: the one in `--prepare`, or the one that the user confirms or types when asked
/// about the command that the project's files suggest. Returns `None` if no command is suggested or the user declines. Without
/// `ask`, prints how to add the suggested command, because only commands that the user confirmed are run.
fn setup(
    project: &Project,
    args: &UntilArgs,
    command: &str,
    ask: Option<Ask<'_>>,
) -> Option<String> {
    if args.prepare.is_some() || args.no_prepare {
        return args.prepare.clone();
    }
    let proposed = project.proposed_setup(command)?;
    let ProposedSetup { command, file } = proposed;
    let Some(ask) = ask else {
        errln!(
            "The copy does not contain the project's dependencies ({file}). To install them in the copy first, add --prepare {}",
            for_shell(command)
        );
        return None;
    };
    let question =
        format!("Set up the copy with `{command}` ({file})? [y]es, [n]o, or another command: ");
    match ask(&question).as_deref() {
        Some("" | "y" | "yes") => Some(command.clone()),
        None | Some("n" | "no") => None,
        Some(other) => Some(other.to_owned()),
    }
}

/// The prefix of a model's name in `--with`.
const MODEL: &str = "model:";

/// Returns the agent or model that repairs, according to `--with` or `--then`.
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
        "A model does not start a program, so environment variables have no effect. Leave out --env. Set provider keys in Settings or \
         with `loopwright keys set`.",
    ))
}

/// Returns the agent or model that takes over when the first one makes no progress; `None` without `--then`.
fn then(app: &App, args: &UntilArgs) -> Result<Option<Repair>, ApiError> {
    let Some(named) = args.then.as_deref() else {
        return Ok(None);
    };
    if args.no_progress == 0 {
        return Err(invalid(
            "--then takes effect when the repairs make no progress, but --no-progress 0 turns off that check. Leave out one of them.",
        ));
    }
    repair(app, args, Some(named)).map(Some)
}

fn read_task(file: &Path) -> Result<String, ApiError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        invalid(format!(
            "The prompt file {} cannot be read: {error}. Check that it exists and that you may read it.",
            file.display()
        ))
    })?;
    match text.trim() {
        "" => Err(invalid(format!(
            "The prompt file {} is empty. Write the task in it.",
            file.display()
        ))),
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
    let project = runs::look_at_project(app.env(), &folder)?;
    let mut typed = |question: &str| read_line(question);
    let command = command(&project, args.command.as_deref(), if_can_ask(&mut typed))?;
    let repair = repair(app, args, args.agent.as_deref())?;
    let setup = setup(&project, args, &command, if_can_ask(&mut typed));
    let settings = FixUntilGreen {
        source: project.folder,
        base: args.base.clone(),
        command: command.clone(),
        repair,
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
        setup,
        setup_files: !args.no_prepare,
    };
    refuse_variables_of_models(&settings, args)?;
    let document = settings.document()?;
    if let Some(file) = &args.save {
        write_new(file, &document)?;
    }
    let request = RunRequest {
        document,
        flow_path: args
            .save
            .as_ref()
            .map(|file| file.to_string_lossy().into_owned()),
        inputs: Map::new(),
        focus: loopwright_api::Focus::default(),
        budget: NewBudget::default(),
    };
    let job = args
        .detach
        .then(|| Job::of(&request, args.approve, args.unattended, args.notify));
    let prepared = runs::prepare_run(app.env(), request)?;
    prepared.check()?;
    let allow = crate::trust::ask(app, &prepared, crate::trust::allow(&args.allow)?)?;
    if let Some(job) = job {
        return job.start(app, allow, json).await;
    }
    let progress = Arc::new(Progress::new(
        false,
        io::stderr().is_terminal(),
        Telling::new(app, args.notify, None),
    ));
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
        "Run {}. Ctrl-C stops it for good. To continue it later, pause it instead: loopwright runs pause {0}",
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
        print(app, &outcome, &command, is_green)?;
    }
    Ok(code)
}

/// Returns an output of the run, or `None` if it has no value.
fn output<'a>(outcome: &'a RunOutcome, name: &str) -> Option<&'a Value> {
    let outputs = outcome.state.outputs.as_ref()?;
    let value = outputs.iter().find(|(output, _)| **output == *name)?.1;
    Some(&**value).filter(|value| !value.is_null())
}

/// Prints how the loop ended, what changed, and which commands show and apply the result.
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
    let iterations = counted(state.iterations.unwrap_or(0), "iteration", "iterations");
    let took = state
        .duration_ms
        .map_or_else(String::new, |took| format!(", {}", duration(took)));
    let files_changed = count("filesChanged");
    match (is_green, files_changed) {
        (true, 0) if state.iterations == Some(1) => {
            outln!(
                "`{command}` already passes. Nothing was changed, and no agent or model was started."
            );
            return Ok(());
        }
        (true, 0) => outln!(
            "`{command}` passes after {iterations}{took}, but there are no changes to apply. Only files that git ignores, or uncommitted files in submodules, may have changed."
        ),
        (true, _) => outln!("`{command}` passes after {iterations}{took}."),
        (false, _) if outcome.status == RunStatus::Completed => {
            outln!("`{command}` still fails after {iterations}{took}.");
        }
        (false, _) => {}
    }
    let files = match files_changed {
        0 => return Ok(()),
        changed => counted(changed, "file", "files"),
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

/// Reports which iterations changed tests, if any did. A command may also pass because its tests were deleted.
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
        Some(_) => {
            outln!("Tests were changed too. Look at these changes before you apply the result:");
        }
        None => outln!("Tests were changed during the run, but are unchanged at its end:"),
    }
    for (iteration, tests) in marked {
        outln!("  Iteration {iteration}: {}.", test_words(tests));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use loopwright_runs::FoundSetup;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: UntilArgs,
    }

    fn args(given: &[&str]) -> UntilArgs {
        Line::parse_from([&["until"][..], given].concat()).args
    }

    fn found(command: &str, file: &str, setup: Option<&str>) -> FoundCommand {
        FoundCommand {
            command: command.to_owned(),
            file: file.to_owned(),
            setup: setup.map(|command| ProposedSetup {
                command: command.to_owned(),
                file: "lock".to_owned(),
            }),
        }
    }

    fn project(commands: Vec<FoundCommand>) -> Project {
        Project {
            folder: "/p".to_owned(),
            name: "p".to_owned(),
            is_repository: true,
            branch: None,
            has_changes: false,
            refused_head: None,
            refused_working: None,
            commands,
            setup: FoundSetup {
                proposed: Some(ProposedSetup {
                    command: "npm ci".to_owned(),
                    file: "lock".to_owned(),
                }),
                ..FoundSetup::default()
            },
            protect: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the chosen command when a person types this line, and the question that was asked.
    fn typing(project: &Project, line: Option<&str>) -> (Result<String, ApiError>, String) {
        let mut asked = String::new();
        let mut answer = |question: &str| {
            question.clone_into(&mut asked);
            line.map(str::to_owned)
        };
        let chosen = command(project, None, Some(&mut answer));
        (chosen, asked)
    }

    #[test]
    fn the_found_command_is_proposed_and_can_be_replaced() {
        let both = project(vec![
            found("npm test", "package.json", Some("npm ci")),
            found("make check", "Makefile", None),
        ]);
        let (chosen, asked) = typing(&both, Some(""));
        assert_eq!(chosen.unwrap(), "npm test");
        assert_eq!(
            asked,
            "Check with `npm test` (package.json)? [y]es, or another command: "
        );
        assert_eq!(typing(&both, Some("y")).0.unwrap(), "npm test");
        assert_eq!(typing(&both, Some("make x")).0.unwrap(), "make x");
        for line in [None, Some("n")] {
            let error = typing(&both, line).0.unwrap_err().message;
            assert!(
                error.contains("loopwright until 'npm test'")
                    && error.contains("`make check` (Makefile)"),
                "{error}"
            );
        }
        assert_eq!(command(&both, Some("x"), None).unwrap(), "x");
        let error = command(&project(Vec::new()), None, None).unwrap_err();
        assert!(
            error.message.contains("No command that checks"),
            "{}",
            error.message
        );
    }

    #[test]
    fn the_proposed_set_up_is_used_only_after_a_yes() {
        let mut project = project(vec![found("npm test", "package.json", Some("npm ci"))]);
        let chosen = |project: &Project, given: &[&str], command, line: Option<&str>| {
            let mut answer = |_: &str| line.map(str::to_owned);
            setup(project, &args(given), command, Some(&mut answer))
        };
        let npm = |given: &[&str], line| chosen(&project, given, "npm test", line);
        assert_eq!(npm(&[], Some("")).as_deref(), Some("npm ci"));
        assert_eq!(npm(&[], Some("npm i")).as_deref(), Some("npm i"));
        assert_eq!(npm(&[], Some("n")), None);
        assert_eq!(npm(&[], None), None);
        assert_eq!(
            npm(&["--prepare", "mine"], Some("y")).as_deref(),
            Some("mine")
        );
        assert_eq!(npm(&["--no-prepare"], Some("y")), None);
        assert_eq!(setup(&project, &args(&[]), "npm test", None), None);
        let other = chosen(&project, &[], "npm run unit", Some("y"));
        assert_eq!(other.as_deref(), Some("npm ci"));
        project.setup.file = Some("conductor.json".to_owned());
        assert_eq!(chosen(&project, &[], "npm test", Some("y")), None);
    }
}
