//! Plants keys in the program's environment and searches for them in everything that it prints or leaves behind: standard output
//! and error, verbose logs, exports, the data folder, and the remains of a crash in the middle of a call.

#![allow(clippy::unwrap_used)]

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::planted::{files_in, forms, holds};
use serde_json::{Value, json};

/// The key of a provider.
const MODEL_KEY: &str = "sk-canary/7hQ+4Qz8=model";
/// The key of a tool.
const TOOL_KEY: &str = "tl-canary?9f&2b+==tool";

/// The reaction of a server to a call.
#[derive(Clone, Copy)]
enum Says {
    /// The server sends a complete answer.
    Whole,
    /// The server sends status 401, with the key in the message.
    Refuses,
    /// The server sends half an answer, and nothing after it.
    Breaks,
    /// The server sends no answer.
    Nothing,
}

struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that returns every key it receives, in each form.
    fn start(says: Says) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&requests);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                thread::spawn(move || drop(answer(socket, says, &heard)));
            }
        });
        Self { address, requests }
    }

    fn was_sent(&self, key: &str) -> bool {
        let requests = self.requests.lock().unwrap();
        requests.iter().any(|request| request.contains(key))
    }
}

fn answer(mut socket: TcpStream, says: Says, heard: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut request = vec![0; 64 << 10];
    let mut length = 0;
    while !request[..length].windows(4).any(|four| four == b"\r\n\r\n") {
        match socket.read(&mut request[length..])? {
            0 => return Ok(()),
            more => length += more,
        }
    }
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    heard.lock().unwrap().push(request.clone());
    let said: Vec<String> = [MODEL_KEY, TOOL_KEY]
        .into_iter()
        .filter(|key| request.contains(key))
        .flat_map(forms)
        .collect();
    let said = said.join(" | ");
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let text = json!({ "model": "m", "choices": [{ "message": { "content": said }, "finish_reason": "stop" }], "usage": usage });
    let (status, body) = match says {
        Says::Nothing => {
            thread::sleep(Duration::from_secs(60));
            return Ok(());
        }
        Says::Refuses => (
            "401 Unauthorized",
            json!({ "error": { "message": said } }).to_string(),
        ),
        Says::Whole | Says::Breaks => ("200 OK", text.to_string()),
    };
    let sent = match says {
        Says::Breaks => &body[..body.len() - 20],
        _ => body.as_str(),
    };
    write!(
        socket,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{sent}",
        body.len()
    )?;
    socket.flush()
}

/// Returns a flow that asks a model and then calls a server with a key.
fn flow(server: &Server) -> Value {
    let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data });
    json!({
        "schemaVersion": 1, "name": "Canary",
        "nodes": [
            node("in", "input", json!({ "name": "text", "default": "Say it." })),
            node("ask", "llm", json!({ "provider": "openai", "model": "m" })),
            node("fetch", "tool", json!({
                "tool": "http.request", "approval": "auto",
                "args": { "url": format!("http://{}/", server.address), "headers": { "Authorization": { "key": "CANARY_TOOL_KEY" } } }
            })),
            node("answer", "output", json!({ "name": "answer" })),
            node("page", "output", json!({ "name": "page" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "ask" },
            { "id": "b", "source": "ask", "target": "answer" },
            { "id": "c", "source": "fetch", "target": "page" }
        ]
    })
}

fn program(server: &Server, data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command
        .args(args)
        .arg("--data-dir")
        .arg(data)
        .env("LOOPWRIGHT_KEYCHAIN", "off")
        .env("OPENAI_API_KEY", MODEL_KEY)
        .env("CANARY_TOOL_KEY", TOOL_KEY)
        .env("OPENAI_BASE_URL", format!("http://{}/v1", server.address))
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "full")
        .stdin(Stdio::null());
    command
}

/// Asserts that the bytes contain no key in any form.
fn is_clean(place: &str, bytes: &[u8]) {
    for form in forms(MODEL_KEY).into_iter().chain(forms(TOOL_KEY)) {
        assert!(
            !holds(bytes, &form),
            "`{form}` is in {place}: {}",
            String::from_utf8_lossy(bytes)
        );
    }
}

fn nothing_left(folder: &Path) {
    let files = files_in(folder);
    assert!(!files.is_empty());
    for (path, bytes) in files {
        is_clean(&path, &bytes);
    }
}

/// Runs the program and returns its output. Panics if the output contains a planted key.
fn printed(server: &Server, data: &Path, args: &[&str]) -> Output {
    let output = program(server, data, args).output().unwrap();
    is_clean(&format!("the output of {args:?}"), &output.stdout);
    is_clean(&format!("the errors of {args:?}"), &output.stderr);
    output
}

#[test]
fn planted_keys_are_in_nothing_that_the_program_prints_or_leaves() {
    let mut masked = 0;
    for says in [Says::Whole, Says::Refuses, Says::Breaks] {
        let server = Server::start(says);
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let file = folder.path().join("canary.flow.json");
        std::fs::write(&file, flow(&server).to_string()).unwrap();
        let file = file.display().to_string();
        let exported = folder.path().join("run.json").display().to_string();
        let program_of_it = folder.path().join("canary.py").display().to_string();
        let commands: &[&[&str]] = &[
            // The run is refused. The message names the key but does not contain it.
            &["run", &file],
            &["run", &file, "--allow", "all"],
            &["run", &file, "--allow", "all", "--json"],
            &["run", &file, "--allow", "all", "--events"],
            &["models", "--refresh"],
            &["keys", "list"],
            &["tools"],
            &["trust", &file],
            &["runs", "list"],
            &["runs", "show", "last"],
            &["runs", "show", "last", "--iteration", "ask"],
            &["runs", "show", "last", "--iteration", "fetch"],
            &["runs", "replay", "last", "--events"],
            &["runs", "export", "last", "-o", &exported],
            // The export is refused, because exported programs do not support Tool nodes.
            &["export", "langgraph", &file, "-o", &program_of_it],
        ];
        for args in commands {
            let output = printed(&server, &data, args);
            masked += usize::from(holds(&output.stdout, "***") || holds(&output.stderr, "***"));
        }
        // If the server had not received the keys, the search for them would prove nothing.
        assert!(server.was_sent(MODEL_KEY) && server.was_sent(TOOL_KEY));
        assert!(Path::new(&exported).exists() && !Path::new(&program_of_it).exists());
        nothing_left(folder.path());
    }
    assert!(masked > 0, "what was said around the keys is shown");
}

#[cfg(unix)]
#[test]
fn a_crash_in_the_middle_of_a_call_leaves_no_key() {
    let server = Server::start(Says::Nothing);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("canary.flow.json");
    std::fs::write(&file, flow(&server).to_string()).unwrap();
    let file = file.display().to_string();
    let child = program(
        &server,
        &data,
        &["run", &file, "--allow", "all", "--events"],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let began = Instant::now();
    while !(server.was_sent(MODEL_KEY) && server.was_sent(TOOL_KEY)) {
        assert!(began.elapsed() < Duration::from_secs(20), "nothing is sent");
        thread::sleep(Duration::from_millis(10));
    }
    // The child is ended as if a library that it uses had failed an assertion. A crash report would appear on its standard error.
    let killed = Command::new("kill")
        .args(["-ABRT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    is_clean("the output of the crash", &output.stdout);
    is_clean("the errors of the crash", &output.stderr);
    printed(&server, &data, &["runs", "list"]);
    printed(&server, &data, &["runs", "show", "last"]);
    nothing_left(folder.path());
}
