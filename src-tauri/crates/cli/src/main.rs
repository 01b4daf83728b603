//! `loopwright`: the engine without a window.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod approve_arg;
mod args;
mod assignments;
mod cluster;
mod cluster_args;
mod compare;
mod eval;
mod eval_args;
mod eval_tables;
mod export;
mod hidden_password;
mod import;
mod input;
mod interrupts;
mod keys;
mod list;
mod mcp;
mod models;
mod out;
mod packaging;
mod progress;
mod question;
mod render;
mod replay_and_fork;
mod run;
mod run_result;
mod show;
mod status;
mod terminal;
mod test;
mod trust;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::Parser as _;
use loopwright_api as api;
use loopwright_api::{Answer, App};
use loopwright_experiments as experiments;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, NewBudget, RunRequest};

use args::{Cli, Command, ExportCommand, RunsCommand, TemplatesCommand};
use out::{errln, outln};

/// The allocator of the program. Runs create many short-lived texts, which this allocator allocates and frees faster than the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time that the program waits for the processes of its runs to end. After that, the supervisor ends the remaining ones.
const ENDING: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    // This must come first, while there is only one thread.
    if let Some(code) = loopwright_process::supervise_if_asked() {
        return code;
    }
    loopwright_process::use_small_pages();
    loopwright_script::wait_for_builds(|| {
        errln!("The program that runs scripts is still being built. Waiting for it.");
    });
    let given = hidden_password::arguments();
    let cli = match Cli::try_parse_from(given) {
        Ok(cli) => cli,
        Err(error) => return refuse_call(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            errln!("Loopwright cannot start: {error}");
            return ExitCode::from(status::FAILED);
        }
    };
    let code = runtime.block_on(async {
        if let Err(error) = loopwright_process::survive_file_size_limit() {
            tracing::debug!("{error}");
        }
        let code = dispatch(cli, runtime.handle().clone()).await;
        loopwright_process::all_ended(ENDING).await;
        code
    });
    // A pending read of standard input must not keep the program alive.
    runtime.shutdown_background();
    let whole = out::end();
    ExitCode::from(if whole || code != status::COMPLETED {
        code
    } else {
        status::FAILED
    })
}

/// Prints the reason why a command line is invalid, as text or JSON. Also prints the output of `--help` and `--version`.
fn refuse_call(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os()
        .take_while(|argument| argument != "--")
        .any(|argument| argument == "--json");
    if wants_json && error.use_stderr() {
        let words = error.to_string();
        let message = words.trim_start_matches("error: ").trim_end();
        let refused = ApiError::new(Code::InvalidArgument, message);
        let code = fail(&refused, true);
        out::end();
        return ExitCode::from(code);
    }
    if error.use_stderr() {
        out::end();
        shown_as_written(error).exit()
    }
    error.exit()
}

/// Escapes the command-line words in a refusal. They may contain control sequences, or line breaks that look like the program's
/// own output.
fn shown_as_written(error: &clap::Error) -> clap::Error {
    let given: Vec<String> = std::env::args_os()
        .map(|word| out::one_line(&word.to_string_lossy()).into_owned())
        .collect();
    match Cli::try_parse_from(given) {
        Err(again) if again.use_stderr() => again,
        // The escaped command line has no error, so the original message is shown.
        _ => clap::Error::raw(
            clap::error::ErrorKind::ValueValidation,
            format!("{}\n", out::one_line(&error.to_string())),
        ),
    }
}

async fn dispatch(cli: Cli, handle: tokio::runtime::Handle) -> u8 {
    let data_dir = cli
        .data_dir
        .clone()
        .map_or_else(loopwright_runs::default_data_dir, PathBuf::from);
    let opened = if cli.command.needs_runs() {
        App::open(&data_dir, handle)
    } else {
        Ok(App::open_without_runs(&data_dir, handle))
    };
    let app = match opened {
        Ok(app) => app,
        Err(error) => return fail(&error, cli.json),
    };
    tell_notices(&app);
    let done = match &cli.command {
        Command::Worker(args) => cluster::worker(&app, args).await,
        Command::Runs {
            store: Some(store),
            command,
        } => runs_of_store(&app, store, command, &cli).await,
        command => match command.shared_store() {
            None => perform(&app, &cli).await,
            Some(store) => match cluster::open(&app, store) {
                Ok(client) => perform(client.app(), &cli).await,
                Err(error) => Err(error),
            },
        },
    };
    let code = match done {
        Ok(code) => code,
        Err(error) => fail(&error, cli.json),
    };
    // Prints notices that arose during the command, such as the removal of old runs.
    tell_notices(&app);
    app.env().close();
    code
}

fn tell_notices(app: &App) {
    for notice in app.env().notices() {
        errln!("{notice}");
    }
}

/// Runs `runs` with a shared store. Workers make changes to runs; everything else is as with local runs.
async fn runs_of_store(
    app: &App,
    store: &str,
    command: &RunsCommand,
    cli: &Cli,
) -> Result<u8, ApiError> {
    let client = cluster::open(app, store)?;
    match cluster::change_run(&client, command, cli.json)? {
        Some(code) => Ok(code),
        None => perform(client.app(), cli).await,
    }
}

async fn perform(app: &Arc<App>, cli: &Cli) -> Result<u8, ApiError> {
    match &cli.command {
        Command::Run(args) => run::run(app, args, cli.json).await,
        Command::Eval(args) => eval::eval(app, args, cli.json).await,
        Command::Evals { command, .. } => eval::evals(app, command, cli.json),
        Command::Test(args) => test::test(app, args, cli.json).await,
        Command::Backtest(args) => eval::backtest(app, args, cli.json),
        Command::Completions { shell } => packaging::completions(*shell),
        Command::Manual { folder } => packaging::manual(folder),
        Command::Validate { flow } => {
            let opened = run::read_flow(app, flow)?;
            let flow_path = opened.path().map(str::to_owned);
            let prepared = runs::prepare_run(
                app.env(),
                RunRequest {
                    document: opened.document,
                    flow_path,
                    ..RunRequest::default()
                },
            )?;
            let most = runs::most_it_can_cost(app.env(), &prepared)?;
            let status = render::problems(&prepared.problems(), &most, cli.json);
            if let (Some(retried), false) = (prepared.retries(), cli.json) {
                outln!("A model call that fails for a temporary reason is retried {retried}.");
            }
            Ok(status)
        }
        Command::Templates { command } => match command {
            None => {
                render::templates(&api::templates(app.env())?, cli.json);
                Ok(status::COMPLETED)
            }
            Some(TemplatesCommand::Show { name }) => {
                let template = api::template(app.env(), name)?;
                out::text(&format!("{:#}", template.document));
                Ok(status::COMPLETED)
            }
            Some(TemplatesCommand::Copy { name, to }) => {
                api::copy_template(name, to)?;
                errln!(
                    "Wrote {to}. Run it with: loopwright run {}",
                    loopwright_engine::trust::for_shell(to)
                );
                Ok(status::COMPLETED)
            }
        },
        Command::Import(args) => import::import(app, args, cli.json),
        Command::Export { command } => {
            let ExportCommand::Langgraph {
                flow,
                output,
                force,
            } = command;
            export::langgraph(app, flow, output.as_deref(), *force, cli.json)?;
            Ok(status::COMPLETED)
        }
        Command::Store { command } => cluster::store(app, command, cli.json).await,
        // A worker needs no store other than the shared one.
        Command::Worker(_) => Ok(status::COMPLETED),
        Command::Submit(args) => cluster::submit(app, args, cli.json).await,
        Command::Batches(args) => cluster::batches(app, args, cli.json),
        Command::Runs { store, command } => match command {
            RunsCommand::List(args) => {
                if args.batch.is_some() && store.is_none() {
                    return Err(ApiError::new(
                        Code::InvalidArgument,
                        "--batch needs --store: only shared stores have batches.",
                    ));
                }
                list::list(app, args, cli.json)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Show { run, iteration } => {
                let run = run::find_run(app, run)?;
                show::run(app, &run, iteration.as_deref(), cli.json)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Answer {
                run,
                at,
                approve,
                reject: _,
                value,
                comment,
                for_this_run,
            } => {
                let run = run::find_run(app, run)?;
                let answer = Answer {
                    approved: *approve,
                    value: value.as_deref().map(input::value).transpose()?,
                    comment: comment.clone(),
                    scope: question::answer_scope(*for_this_run),
                };
                run::answer(app, run, at, answer, cli.json).await
            }
            RunsCommand::Resume {
                run,
                budget_usd,
                budget_tokens,
                approve,
            } => {
                let run = run::find_run(app, run)?;
                let budget = NewBudget {
                    usd: *budget_usd,
                    tokens: *budget_tokens,
                };
                run::resume(app, run, budget, *approve, cli.json).await
            }
            RunsCommand::Stop { run } => {
                let run = run::find_run(app, run)?;
                runs::stop_run(app.env(), &run)?;
                errln!("Stopped {run}.");
                Ok(status::COMPLETED)
            }
            RunsCommand::Pause { run } => {
                let run = run::find_run(app, run)?;
                runs::pause_run(app.env(), &run)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Replay { run, events } => {
                replay_and_fork::replay(app, run, *events, cli.json)
            }
            RunsCommand::Fork(args) => replay_and_fork::fork(app, args, cli.json).await,
            RunsCommand::Compare { a, b, at } => {
                let (a, b) = (run::find_run(app, a)?, run::find_run(app, b)?);
                match at {
                    None => compare::compare(app, &a, &b, cli.json)?,
                    Some(path) => compare::step(app, &a, &b, path, cli.json)?,
                }
                Ok(status::COMPLETED)
            }
            RunsCommand::Keep { run, file } => {
                let run = run::find_run(app, run)?;
                let file = match file.ends_with(loopwright_experiments::TEST_ENDING) {
                    true => file.clone(),
                    false => format!("{file}{}", loopwright_experiments::TEST_ENDING),
                };
                experiments::keep_test(app.env(), &run, &file).await?;
                errln!(
                    "Wrote {file}. Run it with: loopwright test {}",
                    loopwright_engine::trust::for_shell(&file)
                );
                Ok(status::COMPLETED)
            }
            RunsCommand::Export { run, output, force } => {
                list::export(app, run, output.as_deref(), *force, cli.json)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Import { file } => {
                list::import(app, file, cli.json)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Rename { run, name } => {
                let run = records::run_id(app.env(), run)?;
                records::rename_run(app.env(), &run, name)?;
                Ok(status::COMPLETED)
            }
            RunsCommand::Star { runs, remove } => {
                // All runs are resolved before the first one changes.
                let runs: Vec<String> = runs
                    .iter()
                    .map(|run| records::run_id(app.env(), run))
                    .collect::<Result<_, _>>()?;
                for run in &runs {
                    records::star_run(app.env(), run, !remove)?;
                }
                Ok(status::COMPLETED)
            }
            RunsCommand::Delete { runs } => {
                // All runs are resolved before the first one is deleted, so that `last` twice means the same run.
                let (missing, runs): (Vec<_>, Vec<_>) =
                    runs.iter().partition(|run| *run == "missing");
                let runs: std::collections::BTreeSet<String> = runs
                    .into_iter()
                    .map(|run| records::run_id(app.env(), run))
                    .collect::<Result<_, _>>()?;
                if !missing.is_empty() {
                    let count = records::forget_missing(app.env())?;
                    errln!("{count} missing runs were forgotten.");
                }
                for run in &runs {
                    runs::delete_run(app.env(), run)?;
                    errln!("Deleted {run}.");
                }
                if cli.json {
                    render::print_json(&serde_json::json!({ "deleted": runs }));
                }
                Ok(status::COMPLETED)
            }
        },
        Command::Models { refresh } => {
            models::list(app, *refresh, cli.json).await?;
            Ok(status::COMPLETED)
        }
        Command::Keys { command } => {
            keys::perform(app, command, cli.json).await?;
            Ok(status::COMPLETED)
        }
        Command::Mcp {
            flows,
            approve,
            allow,
        } => {
            let allow = trust::allow(allow)?;
            mcp::until_asked_to_end(app, mcp::serve(app, flows, *approve, allow)).await
        }
        Command::Tools { connect } => {
            if let Some(name) = connect {
                let look = runs::look_at_mcp(app.env(), name).await?;
                errln!("Started {}; it has {} tools.", look.shown, look.tools.len());
            }
            render::tools(&runs::tools(app.env()), cli.json);
            Ok(status::COMPLETED)
        }
        Command::Trust {
            flow: None,
            approve: _,
            revoke: _,
        } => {
            trust::all(app, cli.json);
            Ok(status::COMPLETED)
        }
        Command::Trust {
            flow: Some(flow),
            approve,
            revoke,
        } => {
            let opened = run::read_flow(app, flow)?;
            let (document, path) = (&opened.document, opened.path());
            trust::flow(app, document, path, approve, *revoke, cli.json)?;
            Ok(status::COMPLETED)
        }
    }
}

/// Prints an error as text or JSON, and returns the exit status.
fn fail(error: &ApiError, json: bool) -> u8 {
    if json {
        outln!(
            "{}",
            serde_json::json!({ "error": { "code": error.code, "message": error.message } })
        );
    } else {
        errln!("{}", error.message);
    }
    match error.code {
        Code::InvalidFlow
        | Code::UnknownFormat
        | Code::AmbiguousDialect
        | Code::TooNew
        | Code::InvalidArgument
        | Code::NotApproved
        | Code::NotFound => status::INVALID,
        Code::ChangedOnDisk
        | Code::Unsupported
        | Code::Io
        | Code::Busy
        | Code::Diverged
        | Code::Internal => status::FAILED,
    }
}
