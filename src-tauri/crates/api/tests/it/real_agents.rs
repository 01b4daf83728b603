//! Real agent programs, installed from npm, with a server on loopback that speaks the protocols of their models. Each program
//! is started as it was approved, its output is read, its session is resumed, and the usage of each turn is reported.
#![cfg(target_os = "linux")]

use crate::registries;
use crate::server;

use std::{
    fs,
    path::{Path, PathBuf},
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    trust::{Need, Secrets},
};
use loopwright_tools::{Runner, ToolSet, ToolSettings, bundled_runners};
use serde_json::{Map, Value, json};
use server::{Server, response, response_of};

/// Starts a server that answers every conversation with "Done.", in the format of the request.
async fn models() -> Server {
    Server::start(|request, _| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let answer = if path == "/v1/messages" || path.starts_with("/v1/messages?") {
            messages()
        } else if path.ends_with("/responses") {
            responses()
        } else if path.contains(":streamGenerateContent") {
            generated()
        } else {
            return response("200 OK", "", "{}");
        };
        response_of("200 OK", "text/event-stream", "", &answer)
    })
    .await
}

/// Returns all requests so far as one text, and clears the list of requests.
fn asked(models: &Server) -> String {
    std::mem::take(&mut *models.requests.lock().unwrap()).join("\n")
}

fn events(events: &[Value]) -> String {
    let one = |event: &Value| match event["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(one).collect()
}

/// Returns a stream in the format of Anthropic's Messages API.
fn messages() -> String {
    events(&[
        json!({ "type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 11, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Done." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
            "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ])
}

/// Returns a stream in the format of OpenAI's Responses API.
fn responses() -> String {
    let message = json!({ "id": "m1", "type": "message", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": "Done.", "annotations": [] }] });
    events(&[
        json!({ "type": "response.created",
            "response": { "id": "r1", "object": "response", "status": "in_progress", "output": [] } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": message }),
        json!({ "type": "response.completed", "response": {
            "id": "r1", "object": "response", "status": "completed", "output": [message],
            "usage": { "input_tokens": 11, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
                "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 16 } } }),
    ])
}

/// Returns a stream in the format of Gemini's `streamGenerateContent`.
fn generated() -> String {
    events(&[json!({
        "candidates": [{ "content": { "role": "model", "parts": [{ "text": "Done." }] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16 }, "modelVersion": "m-1"
    })])
}

/// Installs a program from npm. Returns the path of its `file`, or the reason why it cannot run here.
fn program(package: &str, version: &str, name: &str, file: &str) -> Result<PathBuf, String> {
    let folder = format!("agent-{name}");
    registries::npm(&folder, package, version)?;
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(folder)
        .join("node_modules")
        .join(file);
    // Some packages have a program for each platform, which a registry may lack.
    let runs = registries::quiet(&bin).arg("--version").status();
    match runs {
        Ok(status) if status.success() => Ok(bin),
        Ok(status) => Err(format!("{package} does not run here ({status})")),
        Err(error) => Err(format!("{package} does not run here ({error})")),
    }
}

/// Returns the name of this platform in npm packages.
fn platform() -> &'static str {
    if cfg!(target_arch = "aarch64") {
        "linux-arm64"
    } else {
        "linux-x64"
    }
}

/// Runs two turns of one session. `env` are the environment variables of the program.
async fn two_turns(agent: &str, bin: &Path, env: &[(&str, String)], models: &Server) {
    let folder = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let values: Map<String, Value> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let known = bundled_runners();
    let known = known.iter().find(|runner| runner.name == agent).unwrap();
    let settings = ToolSettings {
        flow_folder: Some(folder.clone()),
        agents: vec![Runner {
            name: format!("real-{agent}"),
            command: bin.display().to_string(),
            env: env.iter().map(|(name, _)| (*name).to_owned()).collect(),
            ..known.clone()
        }],
        secrets: Secrets::new(move |name| {
            Ok(values.get(name).and_then(Value::as_str).map(str::to_owned))
        }),
        ..ToolSettings::default()
    };
    let name = format!("agent:real-{agent}");
    let turn = async |args: Value| {
        let args = args.as_object().unwrap().clone();
        let needs = ToolSet::new(&settings).find(&name).unwrap().needs(&args);
        let granted = ToolSettings {
            grants: needs.iter().map(Need::item).collect(),
            ..settings.clone()
        };
        let tool = ToolSet::new(&granted).find(&name).unwrap();
        tool.call(None, args, ToolContext::default()).await
    };
    let first =
        turn(json!({ "prompt": "Say the word heron.", "sandbox": "read_only", "timeout": 120 }))
            .await
            .unwrap();
    assert_eq!(first["response"], "Done.", "{agent}: {first}");
    let session = first["sessionId"].as_str().unwrap();
    assert!(asked(models).contains("the word heron"), "{agent}");
    let second = turn(json!({ "prompt": "Now say osprey.", "sandbox": "workspace", "session": session, "timeout": 120 }))
        .await
        .unwrap();
    assert_eq!(second["response"], "Done.", "{agent}: {second}");
    assert_eq!(second["sessionId"], session, "{agent}");
    let asked = asked(models);
    assert!(
        asked.contains("the word heron") && asked.contains("say osprey"),
        "{agent} did not go on with its session"
    );
    for (turn, times) in [(&first, 1), (&second, 2)] {
        let usage = &turn["usage"];
        let said = match &usage["session"] {
            // The program reports the usage of the whole session, which the node divides into turns.
            Value::Object(session) => {
                assert_eq!(session["inputTokens"], 11 * times, "{agent}: {turn}");
                continue;
            }
            _ => (
                usage["inputTokens"].as_u64(),
                usage["outputTokens"].as_u64(),
            ),
        };
        assert_eq!(said, (Some(11), Some(5)), "{agent}: {turn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_works_and_takes_its_session_up() {
    // The package's install script would copy this file to the place of the program, but install scripts are not run.
    let file = format!("@anthropic-ai/claude-code-{}/claude", platform());
    let bin = match program("@anthropic-ai/claude-code", "2.1.197", "claude", &file) {
        Ok(bin) => bin,
        Err(why) => return registries::skipped("the agent claude-code itself", &why),
    };
    let (models, home) = (models().await, tempfile::tempdir().unwrap());
    let env = [
        ("HOME", home.path().display().to_string()),
        ("ANTHROPIC_BASE_URL", models.address.clone()),
        ("ANTHROPIC_API_KEY", "sk-none".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ];
    two_turns("claude-code", &bin, &env, &models).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codex_works_and_takes_its_session_up() {
    let bin = match program("@openai/codex", "0.169.0", "codex", ".bin/codex") {
        Ok(bin) => bin,
        Err(why) => return registries::skipped("the agent codex itself", &why),
    };
    let (models, home) = (models().await, tempfile::tempdir().unwrap());
    let config = format!(
        "model = \"m-1\"\nmodel_provider = \"here\"\n[model_providers.here]\nname = \"here\"\nbase_url = \"{}/v1\"\n\
         env_key = \"HERE_KEY\"\nwire_api = \"responses\"\n",
        models.address
    );
    fs::write(home.path().join("config.toml"), config).unwrap();
    let env = [
        ("HOME", home.path().display().to_string()),
        ("CODEX_HOME", home.path().display().to_string()),
        ("HERE_KEY", "sk-none".to_owned()),
    ];
    two_turns("codex", &bin, &env, &models).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_works_and_takes_its_session_up() {
    let bin = match program("@google/gemini-cli", "0.61.0", "gemini", ".bin/gemini") {
        Ok(bin) => bin,
        Err(why) => return registries::skipped("the agent gemini itself", &why),
    };
    let (models, home) = (models().await, tempfile::tempdir().unwrap());
    let settings = home.path().join(".gemini");
    fs::create_dir(&settings).unwrap();
    let auth = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } } });
    fs::write(settings.join("settings.json"), auth.to_string()).unwrap();
    let env = [
        ("HOME", home.path().display().to_string()),
        ("GEMINI_API_KEY", "none".to_owned()),
        // Without this variable, the program asks a small model which model to use.
        ("GEMINI_MODEL", "gemini-2.5-flash".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", models.address.clone()),
    ];
    two_turns("gemini", &bin, &env, &models).await;
}
