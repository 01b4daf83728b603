//! On a worker, only the worker's own file can permit anything. The user who answers questions is at another computer and
//! can only refuse. The tests cover each kind of item, for nodes that ask a question, with an answer and with `--approve
//! all`.

#![allow(clippy::unwrap_used)]

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use loopwright_api::{Answer, App, ApprovalPolicy, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_journal::MemoryJournal;
use loopwright_runs as runs;
use loopwright_runs::{Code, ResumeOptions, RunOptions, RunOutcome, SharedStore, parse_allow};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

const SECRET: &str = "what-only-the-worker-has";

fn worker(folder: &Path, allow: &[String]) -> Arc<App> {
    let shared = SharedStore {
        journal: Arc::<MemoryJournal>::default(),
        has_leader: Arc::new(|_| false),
        may_use: parse_allow(allow, folder).unwrap(),
        workers: None,
        ahead_ms: 0,
    };
    App::open_shared(&folder.join("data"), Handle::current(), shared)
}

/// Starts a server that counts its clients. Returns the server's address and the count.
fn server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            let mut socket = socket;
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            );
        }
    });
    (address, requests)
}

fn flow(tool: &str, args: &Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "Submitted",
        "nodes": [
            { "id": "in", "type": "input", "position": { "x": 0, "y": 0 }, "data": { "name": "x", "default": "y" } },
            { "id": "it", "type": "tool", "position": { "x": 0, "y": 0 }, "data": { "tool": tool, "args": args, "approval": "ask" } },
            { "id": "out", "type": "output", "position": { "x": 0, "y": 0 }, "data": { "name": "z" } }
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "it" },
            { "id": "b", "source": "it", "target": "out" }
        ]
    })
}

fn options(document: &Value, approve: ApprovalPolicy, input: &str) -> RunOptions {
    RunOptions {
        document: document.clone(),
        flow_path: None,
        inputs: Map::from_iter([("x".to_owned(), json!(input))]),
        approve,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    }
}

/// Runs the flow and answers its question.
async fn run(
    app: &Arc<App>,
    document: &Value,
    approve: ApprovalPolicy,
    input: &str,
    approved: bool,
) -> Result<RunOutcome, loopwright_runs::ApiError> {
    let started = runs::start_run_with(
        app.env(),
        options(document, approve, input),
        Grants::everything(),
    )?;
    let outcome = started.finished.await.unwrap()?;
    if outcome.status != RunStatus::Waiting {
        return Ok(outcome);
    }
    let started = runs::resume_run(
        app.env(),
        ResumeOptions {
            run_id: outcome.run_id,
            answer: Some((
                "it".to_owned(),
                Answer {
                    approved,
                    ..Answer::default()
                },
            )),
            budget: None,
            approve,
            events: Arc::new(|_| {}),
        },
    )?;
    started.finished.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_item_is_for_the_workers_file_to_allow() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::write(base.join("a.md"), SECRET).unwrap();
    let (address, requests) = server();
    let url = format!("http://{address}/");
    let documents = base.join("documents");
    std::fs::create_dir(&documents).unwrap();
    std::fs::write(documents.join("b.md"), SECRET).unwrap();
    std::fs::create_dir(base.join("data")).unwrap();
    let settings = json!({
        "documentsFolder": documents, "mcpServers": [{ "name": "s", "command": "touch", "args": [base.join("started")] }]
    });
    std::fs::write(base.join("data/settings.json"), settings.to_string()).unwrap();

    let read = format!("read:{}", base.display());
    let write = format!("write:{}", base.display());
    let chosen = format!("read:{}", documents.display());
    let touch = format!("command:touch started in {}", base.display());
    let private = format!("private:{address}");
    let key = format!("key:PATH@http://{address}");
    // Each case has a tool, its arguments, and the items that it needs.
    let cases: Vec<(&str, Value, Vec<&str>)> = vec![
        (
            "files.read",
            json!({ "path": "a.md", "folder": base }),
            vec![&read],
        ),
        (
            "files.glob",
            json!({ "pattern": "*", "folder": base }),
            vec![&read],
        ),
        (
            "files.write",
            json!({ "path": "w.md", "text": "x", "folder": base }),
            vec![&write],
        ),
        (
            "search.documents",
            json!({ "query": "what", "folder": base }),
            vec![&read],
        ),
        // The documents folder is in the settings of the worker's computer, which a submitted flow may not use.
        (
            "search.documents",
            json!({ "query": "what" }),
            vec![&chosen],
        ),
        (
            "command",
            json!({ "program": "touch", "args": ["started"], "cwd": base }),
            vec![&touch],
        ),
        ("http.request", json!({ "url": url }), vec![&private]),
        (
            "http.request",
            json!({ "url": url, "headers": { "A": { "key": "PATH" } } }),
            vec![&private, &key],
        ),
        (
            "http.request",
            json!({ "url": "https://a.example/" }),
            vec!["host:a.example"],
        ),
        (
            "http.request",
            json!({ "url": "{{ input }}" }),
            vec!["host:*"],
        ),
        (
            "mcp:s/t",
            json!({}),
            vec!["server:s#", "server_tool:s/t#unseen"],
        ),
    ];
    for (tool, args, items) in cases {
        let document = flow(tool, &args);
        for approve in [ApprovalPolicy::Ask, ApprovalPolicy::All] {
            for lacking in 0..items.len() {
                let allow: Vec<String> = items
                    .iter()
                    .enumerate()
                    .filter(|(at, item)| *at != lacking && !item.ends_with('#'))
                    .map(|(_, item)| (*item).to_owned())
                    .collect();
                let app = worker(&base, &allow);
                let error = run(&app, &document, approve, "y", true).await.unwrap_err();
                assert_eq!(error.code, Code::NotApproved, "{tool} {args}");
                assert!(error.message.contains(items[lacking]), "{tool}: {error}");
            }
            assert_eq!(requests.load(Ordering::SeqCst), 0);
            for name in ["w.md", "started"] {
                assert!(!base.join(name).exists(), "{tool} {args}");
            }
        }
        if items
            .iter()
            .any(|item| item.contains('#') || item.starts_with("host:"))
        {
            continue;
        }
        // If the worker's file permits the action, it happens after an approval, and not after a rejection.
        let allow: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
        let app = worker(&base, &allow);
        let asked = ApprovalPolicy::Ask;
        let refused = run(&app, &document, asked, "y", false).await.unwrap();
        assert_eq!(refused.status, RunStatus::Failed, "{tool} {args}");
        assert_eq!(requests.load(Ordering::SeqCst), 0);
        let done = run(&app, &document, asked, "y", true).await.unwrap();
        assert_eq!(
            done.status,
            RunStatus::Completed,
            "{tool} {args} {:?}",
            done.state.error
        );
        requests.store(0, Ordering::SeqCst);
        for name in ["w.md", "started"] {
            let _ = std::fs::remove_file(base.join(name));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_only_in_the_run_is_held_to_the_file_then() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::write(base.join("a.md"), SECRET).unwrap();
    let (address, requests) = server();
    let search = flow(
        "search.documents",
        &json!({ "query": "what", "folder": "{{ input }}" }),
    );
    let fetch = flow("http.request", &json!({ "url": "{{ input }}" }));
    let posts = flow(
        "http.request",
        &json!({ "url": "{{ input }}", "headers": { "A": { "key": "PATH" } } }),
    );
    let private = format!("private:{address}");
    for approve in [ApprovalPolicy::Ask, ApprovalPolicy::All] {
        for (document, allow, input, code) in [
            (&search, vec![], base.display().to_string(), "not_approved"),
            (
                &fetch,
                vec!["host:*".to_owned()],
                format!("http://{address}/"),
                "address_refused",
            ),
            (
                &posts,
                vec!["host:*".to_owned(), private.clone()],
                format!("http://{address}/"),
                "not_approved",
            ),
        ] {
            let app = worker(&base, &allow);
            let outcome = run(&app, document, approve, &input, true).await.unwrap();
            let error = outcome.state.error.unwrap();
            assert_eq!(error.code, code, "{}", error.message);
            assert_eq!(requests.load(Ordering::SeqCst), 0);
        }
    }
}
