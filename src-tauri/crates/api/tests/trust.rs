//! What flows may use: asked about, bound to what was shown, written down, and held to while they run.

use std::{path::Path, sync::Arc};

use loopwright_api::{
    Allow, App, Approve, Code, EventBody, Focus, NeedState, RunOptions, RunOutcome, RunStatus,
    parse_allow,
};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    runtime::Handle,
};

/// A server that answers `hello` for ever; its address.
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
        approve: Approve::Ask,
        focus: Focus::default(),
        events: Arc::new(|_| {}),
    }
}

fn open(folder: &Path) -> Arc<App> {
    App::open(&folder.join("data"), Handle::current()).unwrap()
}

async fn run(app: &Arc<App>, options: RunOptions, allow: Allow) -> RunOutcome {
    let started = app.start_run_with(options, allow).unwrap();
    started.finished.await.unwrap().unwrap()
}

/// The lines about trust in a run's journal.
fn notes(app: &App, run_id: &str) -> Vec<String> {
    let events = app.run_events(run_id).unwrap();
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
    let list = app.grants(flow.clone(), Some(&path)).unwrap();
    assert_eq!((list.missing, list.needs.len()), (1, 1));
    assert_eq!(list.needs[0].item, item);
    assert_eq!(list.needs[0].nodes, ["Fetch"]);
    let Err(error) = app.start_run(options(&flow, Some(&file))) else {
        panic!("it ran");
    };
    assert_eq!(error.code, Code::NotApproved);
    assert!(
        error.message.contains(&item) && error.message.contains("Fetch"),
        "{error}"
    );
    assert!(error.message.contains("--allow"), "{error}");
    // The refusal is in the journal, and replays.
    let refused = app.run_id("last").unwrap();
    assert_eq!(notes(&app, &refused), [format!("refused {item}")]);
    assert_eq!(app.replay_run(&refused, |_| {}).unwrap().records, 3);

    // Approved by a list that is out of date: nothing.
    assert!(
        app.approve(
            flow.clone(),
            Some(&path),
            "another",
            std::slice::from_ref(&item)
        )
        .is_err()
    );
    assert!(
        app.approve(
            flow.clone(),
            Some(&path),
            &list.digest,
            &["host:*".to_owned()]
        )
        .is_err()
    );
    let list = app
        .approve(
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
    let outcome = run(&app, options(&flow, Some(&file)), Allow::default()).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert_eq!(outcome.state.outputs.unwrap()["body"]["body"], "hello");
    assert_eq!(notes(&app, &outcome.run_id), [format!("approved {item}")]);
    assert_eq!(
        app.replay_run(&outcome.run_id, |_| {}).unwrap().status,
        RunStatus::Completed
    );

    // The flow changes: what is new is asked for, the rest stays.
    let mut changed = flow.clone();
    let more = json!({ "id": "more", "type": "tool", "position": { "x": 0, "y": 0 },
        "data": { "label": "More", "tool": "http.request", "args": { "url": format!("http://{other}/") }, "approval": "auto" } });
    changed["nodes"].as_array_mut().unwrap().push(more);
    let list = app.grants(changed.clone(), Some(&path)).unwrap();
    let new: Vec<_> = list
        .needs
        .iter()
        .filter(|need| need.state == NeedState::New)
        .collect();
    assert_eq!((list.missing, new[0].what.as_str()), (1, other.as_str()));
    // Another file of the same content may use nothing.
    let copy = folder.path().join("copy.json").display().to_string();
    assert_eq!(app.grants(flow.clone(), Some(&copy)).unwrap().missing, 1);
    // Another process knows it as well, and what is taken back is gone.
    let again = open(folder.path());
    assert_eq!(again.grants(flow.clone(), Some(&path)).unwrap().missing, 0);
    assert_eq!(again.trusted_flows().len(), 1);
    again.revoke(&list.flow, None).unwrap();
    assert_eq!(app.grants(flow, Some(&path)).unwrap().missing, 1);
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
    let list = app.grants(flow.clone(), None).unwrap();
    assert_eq!(list.needs[0].item, "host:*");

    // Any public host is not this computer.
    let allow: Allow = ["host:*"].into_iter().collect();
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
        error.message.contains(&format!("--allow {item}")),
        "{}",
        error.message
    );
    let said = notes(&app, &outcome.run_id);
    assert_eq!(
        said,
        ["approved host:*".to_owned(), format!("refused {item}")]
    );
    app.replay_run(&outcome.run_id, |_| {}).unwrap();

    // The next list offers it.
    let mut wanted = Vec::new();
    for _ in 0..100 {
        let list = app.grants(flow.clone(), None).unwrap();
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
    let allow: Allow = ["host:*".to_owned(), item].into_iter().collect();
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
        app.grants(flow.clone(), None).unwrap().needs[0].state,
        NeedState::Asks
    );
    let waiting = run(&app, options(&flow, None), Allow::default()).await;
    assert_eq!(waiting.status, RunStatus::Waiting);
    let started = app
        .resume_run(loopwright_api::ResumeOptions {
            run_id: waiting.run_id,
            answer: Some((
                "fetch".to_owned(),
                loopwright_api::Answer {
                    approved: true,
                    value: None,
                    comment: None,
                },
            )),
            budget: None,
            approve: Approve::Ask,
            events: Arc::new(|_| {}),
        })
        .unwrap();
    let outcome = started.finished.await.unwrap().unwrap();
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );

    // A yes to everything in advance saw no address: this computer stays out of reach.
    let mut blanket = options(&flow, None);
    blanket.approve = Approve::All;
    let outcome = run(&app, blanket, Allow::default()).await;
    assert_eq!(outcome.state.error.unwrap().code, "address_refused");
}

#[tokio::test]
async fn a_key_is_used_by_name_alone() {
    // The environment is this process's own; the name is one that nothing else uses.
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
        // It says what it was told.
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
    let items: Vec<String> = app
        .grants(flow.clone(), None)
        .unwrap()
        .needs
        .into_iter()
        .map(|need| need.item)
        .collect();
    assert_eq!(items, [format!("private:{server}"), format!("key:{name}")]);
    let outcome = run(&app, options(&flow, None), items.into_iter().collect()).await;
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    assert!(seen.await.unwrap().contains(&format!("Bearer {secret}")));
    assert_eq!(notes(&app, &outcome.run_id)[1], format!("used key:{name}"));
    let events = serde_json::to_string(&app.run_events(&outcome.run_id).unwrap()).unwrap();
    assert!(!events.contains(&secret), "{events}");
    assert!(!outcome.state.outputs.unwrap().to_string().contains(&secret));
}

/// What was approved stands at the beginning of the record, also of a run that is over before it used any of it.
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
    let replayed = app
        .replay_run(&done.run_id, |event| last = Some(event.body.clone()))
        .unwrap();
    assert_eq!(replayed.status, RunStatus::Failed);
    assert_eq!(replayed.error.unwrap().code, "not_json");
    assert!(matches!(last, Some(EventBody::Failed { .. })), "{last:?}");
}
