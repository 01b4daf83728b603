//! Tests the client against third-party servers, installed from their registries into the build folder: one over standard input
//! and output, and one over streamable HTTP. If no registry can be reached, the tests report that they were skipped.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_engine::{
    CancellationToken,
    host::{ToolContext, Tools as _},
    trust::{Grants, Need, Secrets},
};
use serde_json::{Map, Value, json};

use super::registries;
use super::registries::skipped;
use crate::{McpTools, SeenTool, ServerSpec};

const EVERYTHING: (&str, &str) = ("@modelcontextprotocol/server-everything", "2026.8.31");
const TIME: &str = "mcp-server-time==2026.10.19";

/// Returns npm's everything server, or `None` if it cannot be installed.
fn everything() -> Option<PathBuf> {
    match registries::npm("mcp-everything", EVERYTHING.0, EVERYTHING.1) {
        Ok(package) => Some(package.join("dist/index.js")),
        Err(why) => {
            skipped("a test against a server of npm", &why);
            None
        }
    }
}

/// Returns PyPI's time server, or `None` if it cannot be installed.
fn time() -> Option<PathBuf> {
    match registries::python("mcp-time", &[TIME]) {
        Ok(programs) => Some(programs.join("mcp-server-time")),
        Err(why) => {
            skipped("the test against a server of PyPI", &why);
            None
        }
    }
}

fn node(entry: &Path, args: &[&str]) -> ServerSpec {
    let mut all = vec![entry.display().to_string()];
    all.extend(args.iter().map(|arg| (*arg).to_owned()));
    ServerSpec {
        name: "everything".to_owned(),
        command: Some("node".to_owned()),
        args: all,
        ..ServerSpec::default()
    }
}

type Seen = Arc<Mutex<BTreeMap<String, Vec<SeenTool>>>>;

fn tools(spec: &ServerSpec, seen: &Seen, grants: &Grants) -> McpTools {
    let (known, into) = (seen.lock().unwrap().clone(), Arc::clone(seen));
    McpTools::new(
        vec![spec.clone()],
        &known,
        grants,
        &Secrets::none(),
        move |server, tools| {
            into.lock()
                .unwrap()
                .insert(server.to_owned(), tools.to_vec());
        },
    )
}

async fn call(tools: &McpTools, name: &str, args: Value) -> Result<Value, String> {
    let args = args.as_object().unwrap().clone();
    let tool = tools.find(name).unwrap();
    tool.call(None, args, ToolContext::default())
        .await
        .map_err(|error| format!("{}: {}", error.code, error.message))
}

fn needs(tools: &McpTools, name: &str) -> Vec<String> {
    tools
        .find(name)
        .unwrap()
        .needs(&Map::new())
        .iter()
        .map(Need::item)
        .collect()
}

/// Returns the number of processes whose command line contains this text.
fn count(part: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| String::from_utf8_lossy(line).contains(part))
        .count()
}

async fn until_gone(part: &str) {
    let began = Instant::now();
    while count(part) > 0 {
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{part} still runs"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_stdio_is_started_once_it_is_approved_and_ends_with_the_run() {
    let Some(entry) = everything() else { return };
    // An extra argument distinguishes the processes of this server from those of other tests.
    let mark = format!("mark-{}", std::process::id());
    let spec = node(&entry, &["stdio", &mark]);
    let seen = Seen::default();

    let none = tools(&spec, &seen, &Grants::default());
    let wants = needs(&none, "mcp:everything/echo");
    assert!(
        wants[0].starts_with("server:everything#")
            && wants[1] == "server_tool:everything/echo#unseen",
        "{wants:?}"
    );
    let error = call(&none, "mcp:everything/echo", json!({ "message": "hi" }))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("not_approved") && error.contains(&mark),
        "{error}"
    );
    assert_eq!(count(&mark), 0);

    let granted = tools(&spec, &seen, &wants.iter().cloned().collect());
    let said = call(&granted, "mcp:everything/echo", json!({ "message": "hi" }))
        .await
        .unwrap();
    assert!(said.as_str().unwrap().contains("hi"), "{said}");
    assert_eq!(count(&mark), 1);
    // The tools of the server now have names, descriptions and schemas.
    let list = granted.list();
    let echo = list
        .iter()
        .find(|info| info.name == "mcp:everything/echo")
        .unwrap();
    assert!(
        echo.args["properties"]["message"].is_object(),
        "{}",
        echo.args
    );
    // The server itself rejects bad arguments, with a message.
    let error = call(&granted, "mcp:everything/echo", json!({ "message": 7 }))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("tool_failed") || error.starts_with("mcp_failed"),
        "{error}"
    );
    let error = call(&granted, "mcp:everything/nonsense", json!({}))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("unknown_tool") && error.contains("echo"),
        "{error}"
    );
    drop(granted);
    until_gone(&mark).await;

    // Once the server has listed its tools, the approval is for the exact description. A changed description needs a new
    // approval.
    let pinned = needs(
        &tools(&spec, &seen, &Grants::default()),
        "mcp:everything/echo",
    );
    assert_ne!(pinned[1], wants[1]);
    let again = tools(&spec, &seen, &pinned.iter().cloned().collect());
    call(&again, "mcp:everything/echo", json!({ "message": "hi" }))
        .await
        .unwrap();
    let stale: Grants = [
        pinned[0].clone(),
        "server_tool:everything/echo#000000000000".to_owned(),
    ]
    .into_iter()
    .collect();
    let error = call(
        &tools(&spec, &seen, &stale),
        "mcp:everything/echo",
        json!({ "message": "hi" }),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("not_approved") && error.contains("its current description"),
        "{error}"
    );
    // A different command counts as a different server.
    let other = node(&entry, &["stdio", &mark, "--more"]);
    assert_ne!(
        needs(
            &tools(&other, &seen, &Grants::default()),
            "mcp:everything/echo"
        )[0],
        pinned[0]
    );
    drop(again);
    until_gone(&mark).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_call_ends_it_and_dropping_the_tools_the_server() {
    let Some(entry) = everything() else { return };
    let mark = format!("slow-{}", std::process::id());
    let spec = node(&entry, &["stdio", &mark]);
    let seen = Seen::default();
    let look = tools(&spec, &seen, &Grants::default())
        .look("everything")
        .await
        .unwrap();
    until_gone(&mark).await;
    let Some(slow) = look
        .iter()
        .find(|tool| tool.name.to_lowercase().contains("long"))
    else {
        panic!(
            "the server has no slow tool any more: {:?}",
            look.iter().map(|tool| &tool.name).collect::<Vec<_>>()
        );
    };
    let granted = tools(&spec, &seen, &Grants::everything());
    let tool = granted
        .find(&format!("mcp:everything/{}", slow.name))
        .unwrap();
    let cancel = CancellationToken::new();
    let args = json!({ "duration": 60, "steps": 60 })
        .as_object()
        .unwrap()
        .clone();
    let cx = ToolContext {
        cancel: cancel.clone(),
        ..ToolContext::default()
    };
    let call = tokio::spawn(tool.call(None, args, cx));
    let began = Instant::now();
    while count(&mark) == 0 {
        assert!(began.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    cancel.cancel();
    assert_eq!(call.await.unwrap().unwrap_err().code, "cancelled");
    drop((granted, tool));
    until_gone(&mark).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_pypi_answers_in_the_same_way() {
    let Some(program) = time() else { return };
    let spec = ServerSpec {
        name: "time".to_owned(),
        command: Some(program.display().to_string()),
        ..ServerSpec::default()
    };
    let seen = Seen::default();
    let granted = tools(&spec, &seen, &Grants::everything());
    let said = call(
        &granted,
        "mcp:time/convert_time",
        json!({
            "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"
        }),
    )
    .await
    .unwrap();
    assert!(said.to_string().contains("21:00"), "{said}");
}

/// A child program that is killed on drop.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_streamable_http_is_spoken_to() {
    let Some(entry) = everything() else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = Command::new("node")
        .arg(&entry)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Running(server);
    let began = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_err()
    {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the server does not listen"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let spec = ServerSpec {
        name: "everything".to_owned(),
        url: Some(format!("http://127.0.0.1:{port}/mcp")),
        ..ServerSpec::default()
    };
    let seen = Seen::default();
    let error = call(
        &tools(&spec, &seen, &Grants::default()),
        "mcp:everything/echo",
        json!({ "message": "hi" }),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("not_approved") && error.contains(&port.to_string()),
        "{error}"
    );
    let granted = tools(&spec, &seen, &Grants::everything());
    let said = call(
        &granted,
        "mcp:everything/echo",
        json!({ "message": "over http" }),
    )
    .await
    .unwrap();
    assert!(said.as_str().unwrap().contains("over http"), "{said}");
}

#[tokio::test]
async fn a_server_that_does_not_start_says_why() {
    let seen = Seen::default();
    let spec = |command: &str, args: &[&str]| ServerSpec {
        name: "x".to_owned(),
        command: Some(command.to_owned()),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        ..ServerSpec::default()
    };
    let missing = spec("/no/such/server", &[]);
    let error = call(
        &tools(&missing, &seen, &Grants::everything()),
        "mcp:x/y",
        json!({}),
    )
    .await
    .unwrap_err();
    assert!(
        error.contains("/no/such/server") && error.contains("Settings"),
        "{error}"
    );
    let broken = spec("sh", &["-c", "echo 'no licence' >&2; exit 1"]);
    let error = call(
        &tools(&broken, &seen, &Grants::everything()),
        "mcp:x/y",
        json!({}),
    )
    .await
    .unwrap_err();
    assert!(
        error.starts_with("mcp_failed") && error.contains("no licence"),
        "{error}"
    );
    let none = tools(&missing, &seen, &Grants::default());
    assert!(none.find("mcp:other/y").is_none() && none.find("http.request").is_none());
}
