//! `loopwright mcp` with a real MCP client: flows are its tools, with progress and cancellation.

use std::{
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_api as api;
use loopwright_api::App;
use loopwright_runs as runs;
use loopwright_runs::{Code, McpServer, Settings};
use rmcp::{
    ClientHandler, RoleClient, ServiceExt as _,
    model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam},
    service::{NotificationContext, PeerRequestOptions, RunningService},
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, process::Command};

/// A progress notification: the progress, the total, and the message.
type Step = (f64, Option<f64>, String);

/// A client that records the progress of its calls.
#[derive(Clone, Default)]
struct Client {
    steps: Arc<Mutex<Vec<Step>>>,
}

impl ClientHandler for Client {
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let message = params.message.unwrap_or_default();
        self.steps
            .lock()
            .unwrap()
            .push((params.progress, params.total, message));
    }
}

fn command(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command
        .args(args)
        .arg("--data-dir")
        .arg(data)
        .env_remove("OPENAI_BASE_URL")
        .stderr(Stdio::null());
    command
}

async fn client(data: &Path, args: &[&str]) -> RunningService<RoleClient, Client> {
    let server = TokioChildProcess::new(command(data, args)).unwrap();
    Client::default().serve(server).await.unwrap()
}

async fn runs(data: &Path) -> Value {
    let output = command(data, &["runs", "list", "--json"])
        .output()
        .await
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow that adds an `x` to its input three times.
fn growing() -> Value {
    json!({
        "schemaVersion": 1, "name": "Grow a text", "description": "Adds an x, thrice.",
        "nodes": [
            node("in", "input", json!({ "name": "text", "dataType": "text", "description": "What grows." })),
            node("grow", "loop", json!({ "maxIterations": 3, "exitCondition": "max_iterations" })),
            node("add", "transform", json!({ "template": "{{ input }}x" })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "grown" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "grow" },
            { "id": "b", "source": "grow", "sourceHandle": "body", "target": "add" },
            { "id": "c", "source": "add", "target": "exit" },
            { "id": "e", "source": "exit", "target": "out" }
        ]
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_chooses_no_folder_that_was_not_approved() {
    let folder = tempfile::tempdir().unwrap();
    let private = folder.path().join("private");
    std::fs::create_dir(&private).unwrap();
    let private = private.canonicalize().unwrap();
    std::fs::write(private.join("hosts.yml"), "oauth_token: canary").unwrap();
    let find = json!({ "tool": "search.documents", "args": { "query": "token", "folder": "{{ input }}" } });
    let flow = json!({
        "schemaVersion": 1, "name": "Find",
        "nodes": [
            node("in", "input", json!({ "name": "where", "dataType": "text" })),
            node("find", "tool", find),
            node("out", "output", json!({ "name": "found" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "find" },
            { "id": "b", "source": "find", "target": "out" }
        ]
    });
    let file = folder.path().join("find.json");
    std::fs::write(&file, flow.to_string()).unwrap();
    let file = file.display().to_string();
    let item = format!("read:{}", private.display());
    let ask = async |args: &[&str]| {
        let client = client(&folder.path().join("data"), args).await;
        let args = json!({ "where": private }).as_object().unwrap().clone();
        let request = CallToolRequestParams::new("find").with_arguments(args);
        let result = client.call_tool(request).await.unwrap();
        let text = serde_json::to_string(&result).unwrap();
        client.cancel().await.unwrap();
        (result.is_error, text)
    };
    for more in [&[][..], &["--approve", "all"]] {
        let (failed, text) = ask(&[&["mcp", &file], more].concat()).await;
        assert_eq!(failed, Some(true), "{text}");
        assert!(text.contains(&format!("--allow {item}")), "{text}");
        assert!(!text.contains("oauth_token"), "{text}");
    }
    let (failed, text) = ask(&["mcp", &file, "--allow", &item]).await;
    assert_eq!(failed, Some(false), "{text}");
    assert!(text.contains("oauth_token"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flows_are_tools_with_forms_outputs_and_progress() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(folder.path().join("flows")).unwrap();
    std::fs::write(
        folder.path().join("flows/grow text.json"),
        growing().to_string(),
    )
    .unwrap();
    std::fs::write(folder.path().join("flows/notes.json"), "{ \"a\": 1 }").unwrap();
    let flows = folder.path().join("flows").display().to_string();
    let client = client(&data, &["mcp", &flows]).await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 1, "{tools:?}");
    assert_eq!(tools[0].name, "grow_text");
    assert_eq!(tools[0].description.as_deref(), Some("Adds an x, thrice."));
    let form = Value::Object((*tools[0].input_schema).clone());
    assert_eq!(
        form["properties"]["text"],
        json!({ "type": "string", "description": "What grows." })
    );
    assert!(tools[0].output_schema.as_ref().unwrap()["properties"]["grown"].is_object());

    let args = json!({ "text": "a" }).as_object().unwrap().clone();
    let request = CallToolRequestParams::new("grow_text").with_arguments(args);
    let result = client.call_tool(request).await.unwrap();
    assert_eq!(result.is_error, Some(false), "{result:?}");
    assert_eq!(result.structured_content, Some(json!({ "grown": "axxx" })));
    let began = Instant::now();
    let mut steps = loop {
        let steps = client.service().steps.lock().unwrap().clone();
        if steps.len() == 3 {
            break steps;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{steps:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    // The client handles notifications concurrently, so their order is lost.
    steps.sort_by(|one, other| one.0.total_cmp(&other.0));
    let step = |done: u8| {
        let words = format!("grow: iteration {done} of 3");
        (f64::from(done), Some(3.0), words)
    };
    assert_eq!(steps, [step(1), step(2), step(3)]);

    // An invalid call gets an error message.
    let args = json!({ "txet": "a" }).as_object().unwrap().clone();
    let request = CallToolRequestParams::new("grow_text").with_arguments(args);
    let result = client.call_tool(request).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    let said = serde_json::to_string(&result.content).unwrap();
    assert!(said.contains("There is no input `txet`"), "{said}");
    assert!(
        client
            .call_tool(CallToolRequestParams::new("nothing"))
            .await
            .is_err()
    );
    client.cancel().await.unwrap();
    assert_eq!(runs(&data).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_needs_its_approval_here_too_and_cancelling_a_call_stops_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // This server accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let flow = json!({
        "schemaVersion": 1, "name": "Wait",
        "nodes": [
            node("fetch", "tool", json!({ "tool": "http.request", "args": { "url": format!("http://{address}/") }, "approval": "auto" })),
            node("out", "output", json!({ "name": "page" }))
        ],
        "edges": [{ "id": "e", "source": "fetch", "target": "out" }]
    });
    let file = folder.path().join("wait.json");
    std::fs::write(&file, flow.to_string()).unwrap();
    let file = file.display().to_string();
    let item = format!("private:{address}");

    let refused = client(&data, &["mcp", &file]).await;
    let result = refused
        .call_tool(CallToolRequestParams::new("wait"))
        .await
        .unwrap();
    let said = serde_json::to_string(&result.content).unwrap();
    assert!(
        result.is_error == Some(true) && said.contains(&item),
        "{said}"
    );
    refused.cancel().await.unwrap();

    let allowed = client(&data, &["mcp", &file, "--allow", &item]).await;
    let request =
        ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("wait")));
    let handle = allowed
        .send_cancellable_request(request, PeerRequestOptions::default())
        .await
        .unwrap();
    // The call has reached the server.
    let connection = tokio::time::timeout(Duration::from_secs(20), silent.accept())
        .await
        .unwrap();
    handle.cancel(Some("enough".to_owned())).await.unwrap();
    let began = Instant::now();
    loop {
        let list = runs(&data).await;
        if list[0]["status"] == "cancelled" {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{list}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(connection);
    allowed.cancel().await.unwrap();
}

/// A server from the settings starts only with the command that a person approved. A changed command needs a new approval, and an
/// approval can be revoked.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_settings_is_started_as_it_was_shown_and_its_tools_are_in_the_palette() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("flows");
    std::fs::create_dir(&flows).unwrap();
    std::fs::write(flows.join("grow.json"), growing().to_string()).unwrap();
    let app = App::open(
        &folder.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    let set = |more: &[&str]| {
        let mut args = vec!["mcp".to_owned(), flows.display().to_string()];
        args.push("--data-dir".to_owned());
        args.push(folder.path().join("theirs").display().to_string());
        args.extend(more.iter().map(|arg| (*arg).to_owned()));
        let server = McpServer {
            name: "grower".to_owned(),
            command: Some(env!("CARGO_BIN_EXE_loopwright").to_owned()),
            args,
            ..McpServer::default()
        };
        let settings = app.env().settings();
        api::save_settings(
            app.env(),
            Settings {
                mcp_servers: vec![server],
                ..settings
            },
        )
        .unwrap();
    };
    set(&[]);
    let shown = runs::mcp_standing(app.env()).remove(0);
    assert!(
        shown.shown.ends_with("/theirs") && shown.shown.contains(" mcp "),
        "{}",
        shown.shown
    );
    assert_eq!((shown.approved, &shown.tools), (false, &None));

    // The command is a different one now, so the server is not started.
    set(&["--approve", "none"]);
    let error = runs::look_at_approved_mcp(app.env(), "grower", &shown.item)
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::NotApproved);
    assert!(!folder.path().join("theirs").exists(), "it was started");

    set(&[]);
    let looked = runs::look_at_approved_mcp(app.env(), "grower", &shown.item)
        .await
        .unwrap();
    let tools = [("grow".to_owned(), "Adds an x, thrice.".to_owned())];
    assert_eq!(looked.tools.as_deref(), Some(&tools[..]));
    assert!(looked.approved);
    let preset = api::kinds_reply(app.env())
        .presets
        .into_iter()
        .find(|preset| preset.id == "mcp:grower/grow")
        .unwrap();
    assert_eq!(preset.type_name, "tool");
    let described = api::tool_descriptions(app.env());
    let tool = described
        .iter()
        .find(|tool| tool.name == "mcp:grower/grow")
        .unwrap();
    assert_eq!(tool.args["properties"]["text"]["type"], "string");

    // The approval is listed and can be revoked. No flow has approvals.
    let trusted = runs::trusted_flows(app.env());
    assert_eq!(trusted.len(), 1);
    assert_eq!(trusted[0].items[0].0, shown.item);
    runs::revoke(app.env(), &trusted[0].flow, Some(&shown.item)).unwrap();
    assert!(!runs::mcp_standing(app.env())[0].approved);
    // The tools that the old command listed are not shown for the new one.
    set(&["--approve", "none"]);
    assert_eq!(runs::mcp_standing(app.env())[0].tools, None);
}
