//! `loopwright`: the engine without a window.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod approve_arg;
mod args;
mod assignments;
mod cluster;
mod cluster_args;
mod compare;
mod costs;
mod detach;
mod eval;
mod eval_args;
mod eval_tables;
mod export;
mod failure;
mod follow;
mod hidden_password;
mod how_to_continue;
mod import;
mod input;
mod interrupts;
mod keys;
mod list;
mod mcp;
mod models;
mod named;
mod out;
mod packaging;
mod progress;
mod question;
mod render;
mod replay_and_fork;
mod run;
mod run_result;
mod runs;
mod schedule;
mod schedule_args;
mod show;
mod status;
mod templates;
mod terminal;
mod test;
mod test_words;
mod timers;
mod tools;
mod trust;
mod unattended;
mod until;
mod until_args;
mod validate;
mod waiting;
mod workspace;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::Parser as _;
use loopwright_api::App;
use loopwright_runs::ApiError;

use args::{Cli, Command, RunsCommand};
use failure::{fail, refuse_call};
use out::errln;
use unattended::attend;

/// The allocator of the program. Runs create many short-lived strings, which this allocator allocates and frees faster than the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The maximum time to wait until the processes of the runs have ended. A supervisor process then kills those that
/// remain.
const ENDING: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    // This must be the first call, because it requires that the program has only one thread.
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

async fn dispatch(cli: Cli, handle: tokio::runtime::Handle) -> u8 {
    let data_dir = cli
        .data_dir
        .clone()
        .map_or_else(loopwright_runs::default_data_dir, PathBuf::from);
    // Runs record paths in this folder, and other processes may continue the runs from a different working folder.
    let data_dir = std::path::absolute(&data_dir).unwrap_or(data_dir);
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
    // Prints the notices that the command caused, such as the removal of old runs.
    tell_notices(&app);
    app.env().close();
    code
}

fn tell_notices(app: &App) {
    for notice in app.env().notices() {
        errln!("{notice}");
    }
}

/// Performs `runs` on a shared store. Workers carry out changes to runs; everything else works as with runs on this computer.
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

/// Performs a command. `app` has the runs of this computer, or those of an open shared store.
async fn perform(app: &Arc<App>, cli: &Cli) -> Result<u8, ApiError> {
    let json = cli.json;
    let _attending = attend(app, cli.command.unattended());
    match &cli.command {
        Command::Run(args) => run::run(app, args, json).await,
        Command::Until(args) => until::until(app, args, json).await,
        Command::Workspace { command } => workspace::perform(app, command, json),
        Command::Validate { flow } => validate::validate(app, flow, json),
        Command::Templates { command } => templates::perform(app, command.as_ref(), json),
        Command::Import(args) => import::import(app, args, json),
        Command::Export { command } => export::perform(app, command, json),
        Command::Runs { store, command } => {
            runs::perform(app, command, store.is_some(), json).await
        }
        Command::Costs(args) => costs::costs(app, args, json),
        Command::Eval(args) => eval::eval(app, args, json).await,
        Command::Evals { command, .. } => eval::evals(app, command, json),
        Command::Backtest(args) => eval::backtest(app, args, json),
        Command::Test(args) => test::test(app, args, json).await,
        Command::Store { command } => cluster::store(app, command, json).await,
        // The caller performs this command, because a worker uses only the shared store.
        Command::Worker(_) => Ok(status::COMPLETED),
        Command::Submit(args) => cluster::submit(app, args, json).await,
        Command::Batches(args) => cluster::batches(app, args, json),
        Command::Lead => detach::lead(app).await,
        Command::Schedule { command } => schedule::perform(app, command, json).await,
        Command::Waiting { store } => {
            waiting::list(app, store.as_deref(), json)?;
            Ok(status::COMPLETED)
        }
        Command::Models { refresh } => models::list(app, *refresh, json).await,
        Command::Keys { command } => keys::perform(app, command, json).await,
        Command::Tools { connect } => tools::list(app, connect.as_deref(), json).await,
        Command::Mcp {
            flows,
            approve,
            allow,
        } => mcp::offer(app, flows, *approve, allow).await,
        Command::Trust {
            flow,
            approve,
            revoke,
        } => trust::perform(app, flow.as_deref(), approve, *revoke, json),
        Command::Completions { shell } => packaging::completions(*shell),
        Command::Manual { folder } => packaging::manual(folder),
    }
}
