//! The permissions of flows: a person is asked for them, an approval covers exactly what the person saw, uses are recorded, and
//! runs cannot exceed their permissions.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use loopwright_api::{App, ApprovalPolicy, EventBody, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_records::ToolRequest;
use loopwright_runs as runs;
use loopwright_runs::{Code, NeedState, RunOptions, RunOutcome, parse_allow};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    runtime::Handle,
};

/// Starts a server that always answers `hello`. Returns its address.
async fn hello() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = socket.read(&mut request).await;
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    address.to_string()
}

fn fetching(url: &str, approval: &str) -> Value {
    json!({
        "schemaVersion": 1, "name": "Fetching",
        "nodes": [
            { "id": "fetch", "type": "tool", "position": { "x": 0, "y": 0 },
              "data": { "label": "Fetch", "tool": "http.request", "args": { "url": url }, "approval": approval } },
            { "id": "out", "type": "output", "position": { "x": 0, "y": 0 }, "data": { "name": "body" } }
        ],
        "edges": [{ "id": "e", "source": "fetch", "target": "out" }]
    })
}

fn options(document: &Value, path: Option<&Path>) -> RunOptions {
    RunOptions {
        document: document.clone(),
        flow_path: path.map(|path| path.display().to_string()),
        inputs: Map::new(),
        approve: ApprovalPolicy::Ask,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    }
}

fn open(folder: &Path) -> Arc<App> {
    App::open(&folder.join("data"), Handle::current()).unwrap()
}

async fn run(app: &Arc<App>, options: RunOptions, allow: Grants) -> RunOutcome {
    let started = runs::start_run_with(app.env(), options, allow).unwrap();
    started.finished.await.unwrap().unwrap()
}

/// Returns the notes about permissions in a run's journal.
fn notes(app: &App, run_id: &str) -> Vec<String> {
    let events = records::run_events(app.env(), run_id).unwrap();
    let said = events.into_iter().filter_map(|event| match event.body {
        EventBody::Trust(note) => Some(format!(
            "{} {}",
            serde_json::to_value(note.verdict)
                .unwrap()
                .as_str()
                .unwrap(),
            note.items.join(",")
        )),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn nothing_reaches_outside_before_it_was_approved_and_a_change_asks_for_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let (app, server, other) = (open(folder.path()), hello().await, hello().await);
    let file = folder.path().join("flow.json");
    let path = file.display().to_string();
    let flow = fetching(&format!("http://{server}/"), "auto");
    std::fs::write(&file, flow.to_string()).unwrap();

    let item = format!("private:{server}");
    let list = runs::grants(app.env(), flow.clone(), Some(&path)).unwrap();
    assert_eq!((list.missing, list.needs.len()), (1, 1));
    assert_eq!(list.needs[0].item, item);
    assert_eq!(list.needs[0].nodes, ["Fetch"]);
    let Err(error) = runs::start_run(app.env(), options(&flow, Some(&file))) else {
        panic!("it ran");
    };
    assert_eq!(error.code, Code::NotApproved);
    assert!(
        error.message.contains(&item) && error.message.contains("Fetch"),
        "{error}"
    );
    assert!(error.message.contains("--allow"), "{error}");
    // The refusal is recorded in the journal, and the run replays.
    let refused = records::run_id(app.env(), "last").unwrap();
    assert_eq!(notes(&app, &refused), [format!("refused {item}")]);
    assert_eq!(
        runs::replay_run(app.env(), &refused, |_| {})
            .unwrap()
            .records,
        3
    );

    // If the list has changed since the user saw it, nothing is approved.
    assert!(
        runs::approve(
            app.env(),
            flow.clone(),
            Some(&path),
            "another",
            std::slice::from_ref(&item)
        )
        .is_err()
    );
    assert!(
        runs::approve(
            app.env(),
            flow.clone(),
            Some(&path),
            &list.digest,
            &["host:*".to_owned()]
        )
        .is_err()
    );
    let list = runs::approve(
        app.env(),
        flow.clone(),
        Some(&path),
        &list.digest,
        std::slice::from_ref(&item),
    )
    .unwrap();
    assert_eq!(
        (list.missing, list.needs[0].state),
        (0, NeedState::Approved)
    );
    let outcome = run(&app, options(&flow, Some(&file)), Grants::default()).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert_eq!(outcome.state.outputs.unwrap()["body"]["body"], "hello");
    assert_eq!(notes(&app, &outcome.run_id), [format!("approved {item}")]);
    assert_eq!(
        runs::replay_run(app.env(), &outcome.run_id, |_| {})
            .unwrap()
            .status,
        RunStatus::Completed
    );

    // If the flow changes, only new items require approval. The others stay approved.
    let mut changed = flow.clone();
    let more = json!({ "id": "more", "type": "tool", "position": { "x": 0, "y": 0 },
        "data": { "label": "More", "tool": "http.request", "args": { "url": format!("http://{other}/") }, "approval": "auto" } });
    changed["nodes"].as_array_mut().unwrap().push(more);
    let list = runs::grants(app.env(), changed.clone(), Some(&path)).unwrap();
    let new: Vec<_> = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::New)
        .collect();
    assert_eq!((list.missing, new[0].what.as_str()), (1, other.as_str()));
    // Another file with the same content has no approvals.
    let copy = folder.path().join("copy.json").display().to_string();
    assert_eq!(
        runs::grants(app.env(), flow.clone(), Some(&copy))
            .unwrap()
            .missing,
        1
    );
    // Another process reads the same approvals. After one is revoked, it is also gone there.
    let again = open(folder.path());
    assert_eq!(
        runs::grants(again.env(), flow.clone(), Some(&path))
            .unwrap()
            .missing,
        0
    );
    assert_eq!(runs::trusted_flows(again.env()).len(), 1);
    runs::revoke(again.env(), &list.flow, None).unwrap();
    assert_eq!(
        runs::grants(app.env(), flow, Some(&path)).unwrap().missing,
        1
    );
}

#[tokio::test]
async fn what_a_run_computes_is_held_to_what_was_approved_and_can_be_allowed_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (app, server) = (open(folder.path()), hello().await);
    let mut flow = fetching("{{ input }}", "auto");
    flow["nodes"].as_array_mut().unwrap().push(
        json!({ "id": "in", "type": "input", "position": { "x": 0, "y": 0 },
        "data": { "name": "url", "default": format!("http://{server}/") } }),
    );
    flow["edges"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "f", "source": "in", "target": "fetch" }));
    let list = runs::grants(app.env(), flow.clone(), None).unwrap();
    assert_eq!(list.needs[0].item, "host:*");

    // The item `host:*` permits any public host, but not this computer.
    let allow: Grants = ["host:*"].into_iter().collect();
    let outcome = run(&app, options(&flow, None), allow).await;
    let error = outcome.state.error.unwrap();
    assert_eq!(error.code, "address_refused");
    let item = format!("private:{server}");
    assert!(
        error.message.contains("\"Fetch\"") || error.message.contains(&item),
        "{}",
        error.message
    );
    assert!(
        error.message.contains("--allow") && error.message.contains(&item),
        "{}",
        error.message
    );
    let said = notes(&app, &outcome.run_id);
    assert_eq!(
        said,
        ["approved host:*".to_owned(), format!("refused {item}")]
    );
    runs::replay_run(app.env(), &outcome.run_id, |_| {}).unwrap();

    // When the permissions are listed next, the host is among them.
    let mut wanted = Vec::new();
    for _ in 0..100 {
        let list = runs::grants(app.env(), flow.clone(), None).unwrap();
        wanted = list
            .needs
            .into_iter()
            .filter(|need| need.state == NeedState::Wanted)
            .collect();
        if !wanted.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(wanted[0].item, item);
    let allow: Grants = ["host:*".to_owned(), item].into_iter().collect();
    let outcome = run(&app, options(&flow, None), allow).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
}

#[tokio::test]
async fn a_question_about_the_very_call_stands_for_the_approval() {
    let folder = tempfile::tempdir().unwrap();
    let (app, server) = (open(folder.path()), hello().await);
    let flow = fetching(&format!("http://{server}/"), "ask");
    assert_eq!(
        runs::grants(app.env(), flow.clone(), None).unwrap().needs[0].state,
        NeedState::Asks
    );
    let waiting = run(&app, options(&flow, None), Grants::default()).await;
    assert_eq!(waiting.status, RunStatus::Waiting);
    let started = runs::resume_run(
        app.env(),
        loopwright_runs::ResumeOptions {
            run_id: waiting.run_id,
            answer: Some((
                "fetch".to_owned(),
                loopwright_api::Answer {
                    approved: true,
                    ..Default::default()
                },
            )),
            budget: None,
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        },
    )
    .unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );

    // `ApprovalPolicy::All` approves every question but names no address, so this computer cannot be reached.
    let mut blanket = options(&flow, None);
    blanket.approve = ApprovalPolicy::All;
    let outcome = run(&app, blanket, Grants::default()).await;
    assert_eq!(outcome.state.error.unwrap().code, "address_refused");
}

/// Starts a server that stores the bytes of each request. Returns the server's address and the stored requests.
async fn keeping() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&kept);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let mut part = [0; 4096];
            loop {
                let length = socket.read(&mut part).await.unwrap();
                bytes.extend_from_slice(&part[..length]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                    let length = head
                        .lines()
                        .find_map(|line| line.strip_prefix("content-length: "));
                    body.len() >= length.map_or(0, |length| length.parse().unwrap())
                });
                if whole || length == 0 {
                    into.lock().unwrap().push(text);
                    break;
                }
            }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    (address.to_string(), kept)
}

fn values(request: &ToolRequest, label: &str) -> Vec<String> {
    let fact = request.facts.iter().find(|fact| fact.label == label);
    fact.map(|fact| fact.values.clone()).unwrap_or_default()
}

#[tokio::test]
async fn what_a_person_is_shown_is_what_a_server_gets() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let (server, kept) = keeping().await;
    let key = "CARGO_PKG_VERSION";
    let secret = std::env::var(key).unwrap();
    let args = json!({
        "method": "post",
        "url": format!(" http://{server}/a b/../ä?q=1 2#x "),
        "headers": { "X-Text": "one", "authorization": { "key": key, "prefix": "Bearer " } },
        "body": { "text": "é\n", "list": [1, null] },
    });
    let edited = json!({
        "url": format!("http://{server}/else"),
        "method": "PUT",
        "headers": { "content-type": "text/plain" },
        "body": "  as it is\n",
    });
    let mut flow = fetching("http://127.0.0.1/", "ask");
    flow["nodes"][0]["data"]["args"] = args.clone();
    for change in [None, Some(edited)] {
        let waiting = run(&app, options(&flow, None), Grants::default()).await;
        let id = waiting.run_id;
        assert_eq!(
            waiting.status,
            RunStatus::Waiting,
            "{:?}",
            waiting.state.error
        );
        let shown = match &change {
            None => records::step_detail(app.env(), &id, "fetch")
                .unwrap()
                .request
                .unwrap(),
            Some(edited) => {
                records::describe_call(app.env(), &id, "fetch", edited.as_object().unwrap())
                    .unwrap()
            }
        };
        assert_eq!(shown.problem, None);
        assert!(shown.fixed.is_empty() && !shown.again);
        let answer = loopwright_api::Answer {
            approved: true,
            value: change.clone(),
            ..Default::default()
        };
        let started = runs::resume_run(
            app.env(),
            loopwright_runs::ResumeOptions {
                run_id: id,
                answer: Some(("fetch".to_owned(), answer)),
                budget: None,
                approve: ApprovalPolicy::Ask,
                events: Arc::new(|_| {}),
            },
        )
        .unwrap();
        let outcome = started.finished.await.unwrap().unwrap();
        assert_eq!(
            outcome.status,
            RunStatus::Completed,
            "{:?}",
            outcome.state.error
        );
        let sent = kept.lock().unwrap().pop().unwrap();
        let (head, body) = sent.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        // The fragment of an address (`#…`) is not sent to the server.
        let address = values(&shown, "Address").remove(0);
        let path = address.strip_prefix(&format!("http://{server}")).unwrap();
        let path = path.split('#').next().unwrap();
        let method = values(&shown, "Method").remove(0);
        assert_eq!(lines.next().unwrap(), format!("{method} {path} HTTP/1.1"));
        let carried = [
            "host",
            "content-length",
            "accept",
            "accept-encoding",
            "user-agent",
        ];
        let mut headers: Vec<String> = lines
            .filter(|line| !carried.contains(&line.split(':').next().unwrap()))
            .map(str::to_owned)
            .collect();
        headers.sort();
        let mut said = values(&shown, "Headers");
        if change.is_none() {
            assert_eq!(
                values(&shown, "Keys"),
                [format!("{key} in authorization, after “Bearer ”")]
            );
            said.push(format!("authorization: Bearer {secret}"));
        }
        said.sort();
        assert_eq!(headers, said);
        assert_eq!(values(&shown, "Body"), [body]);
    }
}

#[tokio::test]
async fn a_call_that_would_fail_says_so_before_it_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let flow = fetching("example.com", "ask");
    let waiting = run(&app, options(&flow, None), Grants::default()).await;
    let request = records::step_detail(app.env(), &waiting.run_id, "fetch")
        .unwrap()
        .request
        .unwrap();
    assert!(request.facts.is_empty());
    assert!(request.problem.unwrap().contains("complete address"));
    let refused = records::describe_call(app.env(), &waiting.run_id, "out", &Map::new());
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_key_is_used_by_name_alone() {
    // This process already has the variable, and no other code reads a secret of this name.
    let name = "CARGO_PKG_NAME";
    let secret = std::env::var(name).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap().to_string();
    let seen = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let length = socket.read(&mut request).await.unwrap();
        let text = String::from_utf8_lossy(&request[..length]).into_owned();
        // The answer echoes the request.
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        socket.write_all(answer.as_bytes()).await.unwrap();
        text
    });
    let mut flow = fetching(&format!("http://{server}/"), "auto");
    flow["nodes"][0]["data"]["args"]["headers"] =
        json!({ "Authorization": { "key": name, "prefix": "Bearer " } });
    let items: Vec<String> = runs::grants(app.env(), flow.clone(), None)
        .unwrap()
        .needs
        .into_iter()
        .map(|need| need.item)
        .collect();
    assert_eq!(
        items,
        [
            format!("private:{server}"),
            format!("key:{name}@http://{server}")
        ]
    );
    let outcome = run(&app, options(&flow, None), items.into_iter().collect()).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert!(seen.await.unwrap().contains(&format!("Bearer {secret}")));
    assert_eq!(notes(&app, &outcome.run_id)[1], format!("used key:{name}"));
    let events =
        serde_json::to_string(&records::run_events(app.env(), &outcome.run_id).unwrap()).unwrap();
    assert!(!events.contains(&secret), "{events}");
    assert!(
        !outcome
            .state
            .outputs
            .unwrap()
            .to_object()
            .to_string()
            .contains(&secret)
    );
}

/// Returns the items in the list of what a flow would use, with their states.
fn listed(app: &App, flow: &Value, path: &str) -> Vec<(String, NeedState)> {
    let list = runs::grants(app.env(), flow.clone(), Some(path)).unwrap();
    let needs = list.needs.into_iter();
    needs.map(|need| (need.item, need.state)).collect()
}

#[tokio::test]
async fn a_key_that_goes_elsewhere_is_asked_about_again() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let path = folder.path().join("flow.json").display().to_string();
    let mut flow = fetching("https://a.example/", "auto");
    flow["nodes"][0]["data"]["args"]["headers"] = json!({ "X": { "key": "MY_TOKEN" } });
    let approve = |flow: &Value, items: &[&str]| {
        let shown = runs::grants(app.env(), flow.clone(), Some(&path))
            .unwrap()
            .digest;
        let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
        runs::approve(app.env(), flow.clone(), Some(&path), &shown, &items)
    };
    let key = "key:MY_TOKEN@https://a.example";
    approve(&flow, &["host:a.example", key]).unwrap();
    assert_eq!(
        runs::grants(app.env(), flow.clone(), Some(&path))
            .unwrap()
            .missing,
        0
    );

    // The approval of a key is for one destination. A different host, scheme or port requires a new approval, even if the flow
    // may already reach it.
    for (url, to) in [
        ("https://b.example/", "https://b.example"),
        ("http://a.example/", "http://a.example"),
        ("https://a.example:8443/", "https://a.example:8443"),
    ] {
        flow["nodes"][0]["data"]["args"]["url"] = json!(url);
        let item = format!("key:MY_TOKEN@{to}");
        let now = listed(&app, &flow, &path);
        assert!(now.contains(&(item, NeedState::New)), "{url}: {now:?}");
        // The earlier approval is still listed.
        assert!(
            now.contains(&(key.to_owned(), NeedState::Approved)),
            "{url}: {now:?}"
        );
    }
    // If the address is computed, the key cannot be approved in advance. It can be approved only for a destination by name.
    flow["nodes"][0]["data"]["args"]["url"] = json!("{{ input }}");
    let now = listed(&app, &flow, &path);
    assert!(
        now.contains(&("key:MY_TOKEN@*".to_owned(), NeedState::Computed)),
        "{now:?}"
    );
    let error = approve(&flow, &["key:MY_TOKEN@*"]).unwrap_err();
    assert!(
        error.message.contains("cannot be approved in advance"),
        "{error}"
    );
}

#[tokio::test]
async fn an_approval_of_a_key_without_its_place_is_asked_again_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flow.json");
    std::fs::write(&path, "{}").unwrap();
    let path = path.canonicalize().unwrap().display().to_string();
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    let kept = json!({ "flows": { &path: { "name": "f", "items": { "host:a.example": 1, "key:MY_TOKEN": 1 } } } });
    std::fs::write(data.join("trust.json"), kept.to_string()).unwrap();
    let app = open(folder.path());
    let mut flow = fetching("https://a.example/", "auto");
    flow["nodes"][0]["data"]["args"]["headers"] = json!({ "X": { "key": "MY_TOKEN" } });
    let list = runs::grants(app.env(), flow.clone(), Some(&path)).unwrap();
    assert_eq!(list.missing, 1);
    let key = list
        .needs
        .iter()
        .find(|need| need.item.starts_with("key:"))
        .unwrap();
    assert_eq!(
        (key.item.as_str(), key.state),
        ("key:MY_TOKEN@https://a.example", NeedState::New)
    );
    let words = key.detail.as_deref().unwrap();
    assert!(words.contains("sent to https://a.example"), "{words}");
    assert!(
        words.contains("Its destination is new. Approve it again."),
        "{words}"
    );
    // The old approval is not listed, and does not allow a run to start.
    assert_eq!(runs::trusted_flows(app.env())[0].items.len(), 1);
    let error = runs::start_run(app.env(), options(&flow, Some(Path::new(&path))))
        .err()
        .unwrap();
    assert!(
        error.message.contains("key:MY_TOKEN@https://a.example"),
        "{error}"
    );
    for item in ["key:MY_TOKEN", "key:MY_TOKEN@*"] {
        let error = parse_allow(&[item.to_owned()], folder.path()).unwrap_err();
        assert!(
            error.message.contains("together with its destination"),
            "{error}"
        );
    }
    runs::approve(
        app.env(),
        flow.clone(),
        Some(&path),
        &list.digest,
        std::slice::from_ref(&key.item),
    )
    .unwrap();
    assert_eq!(
        runs::grants(app.env(), flow, Some(&path)).unwrap().missing,
        0
    );
    let file = std::fs::read_to_string(data.join("trust.json")).unwrap();
    assert!(!file.contains("\"key:MY_TOKEN\""), "{file}");
}

/// Returns a flow that searches a folder. The folder is `written` in the node, or arrives by a wire from the input `where`.
fn searching(written: Option<&str>, wired: bool, given: &Path) -> Value {
    let mut args = json!({ "query": "token" });
    if let Some(folder) = written.or(wired.then_some("")) {
        args["folder"] = json!(folder);
    }
    let handle = if wired { "folder" } else { "input" };
    json!({
        "schemaVersion": 1, "name": "searching",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "where", "default": given } },
            { "id": "find", "type": "tool", "data": { "label": "Find", "tool": "search.documents", "args": args } },
            { "id": "out", "type": "output", "data": { "name": "found" } },
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "find", "targetHandle": handle },
            { "id": "2", "source": "find", "target": "out" },
        ],
    })
}

#[tokio::test]
async fn no_folder_is_searched_that_nobody_approved_however_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let private = folder.path().join("private");
    std::fs::create_dir(&private).unwrap();
    let private = private.canonicalize().unwrap();
    std::fs::write(private.join("hosts.yml"), "oauth_token: canary").unwrap();
    let item = format!("read:{}", private.display());
    for (written, wired, lists, state) in [
        (private.to_str(), false, item.as_str(), NeedState::New),
        (Some("private"), false, &item, NeedState::New),
        (Some("{{ input }}"), false, "read:*", NeedState::Computed),
        (
            Some("{{ in.output }}"),
            false,
            "read:*",
            NeedState::Computed,
        ),
        (None, true, "read:*", NeedState::Computed),
    ] {
        let flow = searching(written, wired, &private);
        // Each case uses a separate flow. After a refusal, the list of the same flow would also contain the refused item.
        let name = format!("{}-{wired}.json", written.unwrap_or_default().len());
        let path = folder.path().join(name);
        let shown = path.display().to_string();
        assert_eq!(
            listed(&app, &flow, &shown),
            [(lists.to_owned(), state)],
            "{written:?}"
        );
        // The run is refused before it starts or, if the folder is computed, when it is known. In both cases, nothing is read.
        let code = match runs::start_run(app.env(), options(&flow, Some(&path))) {
            Err(error) => {
                assert_eq!(state, NeedState::New, "{written:?}: {error}");
                assert!(error.message.contains(&item), "{error}");
                "not_approved".to_owned()
            }
            Ok(started) => {
                let outcome = started.finished.await.unwrap().unwrap();
                let error = outcome.state.error.unwrap();
                assert!(
                    error.message.contains("--allow") && error.message.contains(&item),
                    "{}",
                    error.message
                );
                let events = serde_json::to_string(
                    &records::run_events(app.env(), &outcome.run_id).unwrap(),
                );
                assert!(!events.unwrap().contains("oauth_token"));
                error.code
            }
        };
        assert_eq!(code, "not_approved", "{written:?}");
        let allow: Grants = [item.clone()].into_iter().collect();
        let outcome = run(&app, options(&flow, Some(&path)), allow).await;
        assert_eq!(
            outcome.status,
            RunStatus::Completed,
            "{:?}",
            outcome.state.error
        );
        assert!(
            outcome
                .state
                .outputs
                .unwrap()
                .to_object()
                .to_string()
                .contains("canary")
        );
    }
}

#[tokio::test]
async fn approvals_that_cannot_be_read_are_set_aside_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    let file = data.join("trust.json");
    let damage = || std::fs::write(&file, "{ \"flows\": 1").unwrap();
    let said = |app: &App, aside: &str| {
        let notices = app.env().notices();
        let found = notices
            .iter()
            .find(|words| words.contains("The approvals of flows"))
            .cloned();
        let words = found.unwrap_or_else(|| panic!("{notices:?}"));
        for part in ["asked again", "line 1", &file.display().to_string(), aside] {
            assert!(words.contains(part), "{part}: {words}");
        }
        assert!(app.env().notices().is_empty(), "it is said once");
    };
    damage();
    let app = open(folder.path());
    said(&app, "trust.damaged-1.json");
    // If the file is damaged while the program is open, the effect is the same.
    damage();
    assert!(runs::trusted_flows(app.env()).is_empty());
    said(&app, "trust.damaged-2.json");
}

/// The permissions of a run are recorded when it starts, even if it ends before it uses any of them.
#[tokio::test]
async fn a_run_that_fails_at_once_ends_with_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let mut document = fetching("http://127.0.0.1:9/", "auto");
    let nodes = document["nodes"].as_array_mut().unwrap();
    nodes
        .push(json!({ "id": "in", "type": "transform", "data": { "template": "{", "outputFormat": "json" } }));
    let edge = json!({ "id": "f", "source": "in", "target": "fetch" });
    document["edges"].as_array_mut().unwrap().push(edge);
    let done = run(
        &app,
        options(&document, None),
        parse_allow(&["all".to_owned()], folder.path()).unwrap(),
    )
    .await;
    assert_eq!(done.status, RunStatus::Failed);
    assert!(!notes(&app, &done.run_id).is_empty());
    let mut last = None;
    let replayed = runs::replay_run(app.env(), &done.run_id, |event| {
        last = Some(event.body.clone())
    })
    .unwrap();
    assert_eq!(replayed.status, RunStatus::Failed);
    assert_eq!(replayed.error.unwrap().code, "not_json");
    assert!(matches!(last, Some(EventBody::Failed { .. })), "{last:?}");
}

/// Returns a flow that runs a program in a folder.
fn running(words: &[&str], folder: &Path) -> Value {
    json!({
        "schemaVersion": 1, "name": "Running",
        "nodes": [
            { "id": "run", "type": "tool", "position": { "x": 0, "y": 0 },
              "data": { "tool": "command", "args": { "program": words[0], "args": words[1..], "cwd": folder } } },
            { "id": "out", "type": "output", "position": { "x": 0, "y": 0 }, "data": { "name": "said" } }
        ],
        "edges": [{ "id": "e", "source": "run", "target": "out" }]
    })
}

#[tokio::test]
async fn two_command_lines_never_share_an_approval_and_earlier_ones_hold_where_they_mean_one_thing()
{
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let odd = PathBuf::from(format!(
        "{}/a in {}",
        base.display(),
        base.join("b").display()
    ));
    for path in [&odd, &base.join("b"), &base.join("my project")] {
        std::fs::create_dir_all(path).unwrap();
    }
    let app = open(folder.path());
    let path = folder.path().join("flow.json");
    std::fs::write(&path, "{}").unwrap();
    let path = path.canonicalize().unwrap().display().to_string();
    let (one, word) = (running(&["echo", "hi"], &odd), base.join("a"));
    let other = running(
        &["echo", "hi", "in", word.to_str().unwrap()],
        &base.join("b"),
    );
    let missing = |flow: &Value| {
        runs::grants(app.env(), flow.clone(), Some(&path))
            .unwrap()
            .missing
    };
    let list = runs::grants(app.env(), one.clone(), Some(&path)).unwrap();
    let items: Vec<String> = list.needs.iter().map(|need| need.item.clone()).collect();
    runs::approve(app.env(), one.clone(), Some(&path), &list.digest, &items).unwrap();
    assert_eq!((missing(&one), missing(&other)), (0, 1));

    // Items in the form that earlier versions stored.
    let project = base.join("my project");
    let before = json!({ "flows": { &path: { "name": "f", "items": {
        format!("command:make test in {}", project.display()): 1,
        format!("command:echo hi in {} in {}", word.display(), base.join("b").display()): 1,
    } } } });
    std::fs::write(folder.path().join("data/trust.json"), before.to_string()).unwrap();
    assert_eq!(missing(&running(&["make", "test"], &project)), 0);
    assert_eq!((missing(&one), missing(&other)), (1, 1));
}

#[tokio::test]
async fn the_option_of_a_refusal_allows_exactly_what_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for name in [
        "x,all",
        "x,host:*",
        "x,,y",
        "a$(id)",
        "it's",
        "{1..3}",
        "a b,write:",
    ] {
        let named = base.join(name);
        std::fs::create_dir_all(&named).unwrap();
        std::fs::write(named.join("a.md"), "token").unwrap();
        let app = open(folder.path());
        let flow = searching(named.to_str(), false, &base);
        let error = runs::start_run(app.env(), options(&flow, None))
            .err()
            .unwrap();
        let (_, option) = error.message.split_once("--allow ").unwrap();
        // The option as a shell passes it to the program, without the quotes.
        let quoted = option
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        let word = quoted.map_or_else(|| option.to_owned(), |word| word.replace(r"'\''", "'"));
        let allow = parse_allow(&[word], &base).unwrap();
        let item = format!("read:{}", named.display());
        assert!(!allow.all, "{name}");
        assert_eq!(allow.items.iter().collect::<Vec<_>>(), [&item], "{name}");
        let outcome = run(&app, options(&flow, None), allow).await;
        assert_eq!(outcome.status, RunStatus::Completed, "{name}");
    }
    for (list, says) in [
        ("host:a.example,all", "cannot be combined"),
        (
            "command:make in /a b",
            r"--allow 'command:make in '\''/a b'\'''",
        ),
        ("command:echo x", "Quote it"),
        ("nonsense", "The kinds are host"),
    ] {
        let error = parse_allow(&[list.to_owned()], &base).unwrap_err();
        assert!(error.message.contains(says), "{list}: {error}");
    }
}

#[tokio::test]
async fn all_that_a_run_was_refused_is_kept_and_approved_by_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path());
    let hosts: Vec<String> = (0..300)
        .map(|at| format!("http://127.9.9.9:{}/", 1_000 + at))
        .collect();
    let flow = json!({
        "schemaVersion": 1, "name": "Refused",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "x", "dataType": "json", "default": hosts } },
            { "id": "each", "type": "iterator", "data": { "concurrency": 8, "onError": "skip" } },
            { "id": "fetch", "type": "tool", "data": { "tool": "http.request", "approval": "auto", "args": { "url": "{{ item }}" } } },
            { "id": "all", "type": "aggregator", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "z" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "sourceHandle": "value", "target": "each", "targetHandle": "items" },
            { "id": "2", "source": "each", "sourceHandle": "item", "target": "fetch", "targetHandle": "input" },
            { "id": "3", "source": "fetch", "sourceHandle": "result", "target": "all", "targetHandle": "input" },
            { "id": "4", "source": "all", "sourceHandle": "results", "target": "out", "targetHandle": "value" }
        ]
    });
    let allow = parse_allow(&["host:*".to_owned()], folder.path()).unwrap();
    run(&app, options(&flow, None), allow).await;
    let list = runs::grants(app.env(), flow, None).unwrap();
    let refused = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::Wanted);
    assert_eq!(refused.count(), 300);
    assert_eq!(
        loopwright_runs::needed(&list).collect::<Vec<_>>(),
        ["host:*"]
    );
}
