//! The program that is recorded. It has its own folder and its own model server, and uses no data from this computer.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api::{self as api, App, ApprovalPolicy};
use loopwright_engine::journal::JournalError;
use loopwright_engine::trust::Grants;
use loopwright_evaluation::file::Evaluation;
use loopwright_experiments as experiments;
use loopwright_records as records;
use loopwright_runs::{self as runs, ApiError, McpServer, RunRequest, Settings, StartOptions};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;

use super::{
    fixed::Fixed,
    models::serve_models,
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

/// An opened program, together with the values to be replaced in its recordings.
pub(crate) struct Program {
    pub(crate) app: Arc<App>,
    pub(crate) fixed: Fixed,
    /// The folder of the program's files.
    pub(crate) folder: TempDir,
}

impl Program {
    /// Opens a program in a new folder. If `has_models` is set, a server answers the program's prompts; otherwise the program
    /// has no models.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, or if no port is free.
    pub(crate) async fn open(has_models: bool) -> Result<Self, Trouble> {
        let folder = tempfile::tempdir()?;
        let mut fixed = Fixed::default();
        fixed.text(folder.path().to_string_lossy(), "");
        fs::create_dir(folder.path().join("flows"))?;
        let app = App::open(&folder.path().join("data"), Handle::current())?;
        if has_models {
            let address = serve_models().await?;
            api::save_settings(
                app.env(),
                Settings {
                    provider: "openai".to_owned(),
                    model: Some("gpt-4.1-mini".to_owned()),
                    openai_base_url: Some(format!("{address}/v1")),
                    addresses: [("ollama".to_owned(), format!("{address}/v1"))].into(),
                    ask_above_usd: None,
                    ..Settings::default()
                },
            )?;
            let port = address.rsplit(':').next().unwrap_or_default();
            fixed.text(format!("127.0.0.1:{port}"), "127.0.0.1:11434");
        }
        Ok(Self { app, fixed, folder })
    }

    /// Returns the path of a file in the folder of flows.
    pub(crate) fn flow_file(&self, name: &str) -> PathBuf {
        self.folder.path().join("flows").join(name)
    }

    /// Returns the result of a command as JSON, with fixed values in place of everything that differs between recordings.
    ///
    /// # Errors
    /// Returns an error if the result cannot be converted to JSON.
    pub(crate) fn fix(&mut self, value: impl Serialize) -> Result<Value, Trouble> {
        Ok(self.fixed.value(serde_json::to_value(value)?))
    }
}

/// The flows with mistakes, relative to the root of the repository.
const INVALID: &str = "src-tauri/crates/nodes/tests/invalid";

/// Returns the first problem with each code, keyed by the code. The problems are those of a flow that has them only in a
/// program without models, and of the flows with mistakes.
fn problems(root: &Path, program: &mut Program) -> Result<Value, Trouble> {
    let mut files: Vec<PathBuf> = fs::read_dir(root.join(INVALID))?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    let mut documents = vec![json!({
        "schemaVersion": 1, "nodes": [
            { "id": "draft", "type": "llm", "position": { "x": 0, "y": 0 }, "data": { "label": "Draft", "provider": "openai", "prompt": "Write about bread." } },
            { "id": "look", "type": "llm", "position": { "x": 1, "y": 0 }, "data": { "label": "Critique", "prompt": "{{ input }}" } },
            { "id": "ask", "type": "agent", "position": { "x": 3, "y": 0 }, "data": { "label": "Ask" } },
            { "id": "run", "type": "tool", "position": { "x": 2, "y": 0 }, "data": { "label": "Run", "tool": "script.lua", "args": { "source": "return input" } } },
        ], "edges": [],
    })];
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "json"))
    {
        documents.push(serde_json::from_str(&fs::read_to_string(file)?)?);
    }
    let app = Arc::clone(&program.app);
    let mut found = BTreeMap::new();
    for document in documents {
        // A flow that cannot be read has no analysis.
        let Ok(analysis) = api::analyze(app.env(), document, None) else {
            continue;
        };
        for problem in analysis.problems {
            found.entry(problem.code.clone()).or_insert(problem);
        }
    }
    program.fix(found)
}

const IMPORTS: &str = "import type { ApiError, Problem } from \"../bindings\";\n";

/// The TypeScript type of the errors that the test double returns.
const ERRORS: &str = "{ readonly [name in \"noFile\" | \"emptyFile\" | \"changed\" | \"exists\" | \"noRun\" | \"notPrepared\" | \"notApproved\" | \"noExperiment\" | \"noEvaluation\" | \"noData\" | \"evaluationChanged\" | \"serverChanged\" | \"sharedPassword\" | \"silentStore\"]: ApiError }";

/// A flow that needs an approval.
const COMMAND: &str = include_str!("flows/command.json");

/// Returns the errors that a test can cause, keyed by the names in [`ERRORS`]. A name in a message is always `named`: that of
/// the file `/flows/named.loop`, or of a run, experiment or server. The test double replaces it with the actual name.
async fn errors(program: &mut Program) -> Result<Value, Trouble> {
    let app = Arc::clone(&program.app);
    let env = app.env();
    let file = program
        .flow_file("named.loop")
        .to_string_lossy()
        .into_owned();
    let empty = json!({ "schemaVersion": 1, "nodes": [], "edges": [] });
    let no_file = api::open_flow(env, &file).err();
    fs::write(&file, "")?;
    let empty_file = api::open_flow(env, &file).err();
    fs::remove_file(&file)?;
    api::save_flow(env, &file, &empty, None)?;
    let changed = api::save_flow(env, &file, &empty, Some("another")).err();
    let exists = runs::save_subflow(env, &file, "named.loop", &empty).err();
    let start = |id: &str| {
        let options = StartOptions {
            allow: Grants::default(),
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        };
        api::start_prepared_by_id(&app, id, options).err()
    };
    let request = RunRequest {
        document: serde_json::from_str(COMMAND)?,
        ..RunRequest::default()
    };
    let not_approved = start(&api::prepare_for_window(&app, request)?.id);
    let evaluation: Evaluation = serde_json::from_value(json!({
        "schemaVersion": 1, "name": "One", "flow": "named.loop", "data": { "file": "named.jsonl" }, "scorers": [],
    }))?;
    let no_evaluation =
        experiments::open_evaluation(env, &file.replace(".loop", ".eval.json")).err();
    let evaluation_file = file.replace(".loop", ".eval.json");
    experiments::save_evaluation(env, &evaluation_file, &evaluation, None)?;
    let evaluation_changed =
        experiments::save_evaluation(env, &evaluation_file, &evaluation, Some("another")).err();
    let mut settings = env.settings();
    settings.mcp_servers.push(McpServer {
        name: "named".to_owned(),
        command: Some("a-server".to_owned()),
        ..McpServer::default()
    });
    api::save_settings(env, settings)?;
    let server_changed = runs::look_at_approved_mcp(env, "named", "another")
        .await
        .err();
    api::add_store(env, "wo-rk", "postgres://db/runs")?;
    let shared_password = api::add_store(env, "wo_rk", "postgres://db/runs").err();
    program.fix(json!({
        "noFile": no_file,
        "emptyFile": empty_file,
        "changed": changed,
        "exists": exists,
        "noRun": records::run_detail(env, "named").err(),
        "notPrepared": start("named"),
        "notApproved": not_approved,
        "noExperiment": experiments::experiment(app.experiments(), "named").err(),
        "noEvaluation": no_evaluation,
        "noData": experiments::read_cases(env, &evaluation_file, &evaluation).err(),
        "evaluationChanged": evaluation_changed,
        "serverChanged": server_changed,
        "sharedPassword": shared_password,
        "silentStore": ApiError::from(JournalError::Unreachable("it does not answer".to_owned())),
    }))
}

/// Records the data that depends on no flow: kinds, templates, tools, settings, providers and prices.
///
/// # Errors
/// Returns an error if a command fails.
pub(crate) async fn record_program(root: &Path) -> Result<String, Trouble> {
    let mut bare = Program::open(false).await?;
    let mut served = Program::open(true).await?;
    let env = Arc::clone(bare.app.env());
    let mut module = Module::new(
        "What the program answers that depends on no flow.",
        &format!("{IMPORTS}{REPLIES}"),
    );
    module.constant(
        "kinds",
        "Reply<\"kinds\">",
        &bare.fix(api::kinds_reply(&env))?,
    );
    module.constant(
        "templates",
        "Reply<\"templates\">",
        &bare.fix(api::templates(&env)?)?,
    );
    let new_flow = runs::new_flow();
    module.constant("newFlow", "Reply<\"newFlow\">", &bare.fix(new_flow)?);
    module.constant(
        "tools",
        "Reply<\"tools\">",
        &bare.fix(api::tool_descriptions(&env))?,
    );
    module.constant(
        "templateLanguage",
        "Reply<\"templateLanguage\">",
        &bare.fix(records::template_language())?,
    );
    module.constant(
        "settings",
        "Reply<\"settings\">",
        &bare.fix(env.settings())?,
    );
    module.constant(
        "importFormats",
        "Reply<\"importFormats\">",
        &bare.fix(api::import_formats())?,
    );
    module.constant(
        "prices",
        "Reply<\"prices\">",
        &bare.fix(runs::prices(&env)?)?,
    );
    module.constant(
        "providers",
        "Reply<\"providers\">",
        &bare.fix(api::providers(&env).await?)?,
    );
    // No folder of programs is in the `PATH`, so none is installed.
    let agents = runs::agents_with_versions(&env).await;
    module.constant("agents", "Reply<\"agents\">", &bare.fix(agents)?);
    let problems = problems(root, &mut bare)?;
    module.constant(
        "problems",
        "{ readonly [code: string]: Problem }",
        &problems,
    );
    module.constant("errors", ERRORS, &errors(&mut bare).await?);
    let env = Arc::clone(served.app.env());
    let test = api::test_provider(&env, "openai").await?;
    module.constant(
        "providerTest",
        "Reply<\"testProvider\">",
        &served.fix(test)?,
    );
    api::refresh_models(&env, "ollama").await?;
    let providers = api::providers(&env).await?;
    module.constant(
        "providersWithServer",
        "Reply<\"providers\">",
        &served.fix(providers)?,
    );
    Ok(module.text())
}
