//! Tests external access, argument by argument. Every tool declares for every argument whether it names something (a file, a
//! folder, a host, a program, a key). An unapproved name is refused. The list that the user approves contains every such
//! name, including computed ones.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use loopwright_engine::{
    host::{Names, Tool, ToolContext, Tools},
    trust::{Grants, Need, NeedKind, Secrets, TrustLog, Verdict},
};
use serde_json::{Map, Value, json};

use crate::{Runner, SearchEngine, ToolSet, ToolSettings, WebSearch, bundled_runners};

/// A placeholder for a value that is computed while the flow runs, as from a wire.
const WIRE: &str = "{{ wire }}";

fn settings(folder: &Path, grants: Grants) -> ToolSettings {
    ToolSettings {
        data_dir: folder.join("data"),
        flow_folder: Some(folder.join("flow")),
        web_search: Some(WebSearch {
            engine: SearchEngine::Brave,
            url: None,
        }),
        agents: vec![Runner {
            name: "own".to_owned(),
            command: "own-agent".to_owned(),
            ..bundled_runners().remove(0)
        }],
        secrets: Secrets::new(|name| Ok(Some(format!("secret-of-{name}")))),
        grants,
        ..ToolSettings::default()
    }
}

/// Creates a private folder with a file, the flow's folder, and Loopwright's data folder.
fn folders() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["flow", "private/.hidden", "data"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("private/secret.md"), "A canary sings.").unwrap();
    fs::write(folder.path().join("private/.hidden/token.yml"), "canary: 1").unwrap();
    folder
}

/// Returns arguments that a tool accepts, apart from the argument under test.
fn base(tool: &str) -> Value {
    match tool {
        "search.documents" | "search.web" => json!({ "query": "canary" }),
        "http.request" => json!({ "url": "https://api.example.org/" }),
        "script.lua" | "script.python" | "script.javascript" => json!({ "source": "return 1" }),
        "expression.azure" => json!({ "source": "@add(1, 1)" }),
        "template.jinja" => json!({ "source": "{{ 1 + 1 }}" }),
        "files.read" => json!({ "path": "secret.md" }),
        "files.glob" => json!({ "pattern": "*" }),
        "files.write" => json!({ "path": "a.md", "text": "x" }),
        "files.edit" => json!({ "path": "secret.md", "old": "A canary", "new": "A robin" }),
        "command" => json!({ "program": "own-program" }),
        agent if agent.starts_with("agent:") => json!({ "prompt": "Go" }),
        other => panic!("say here how {other} is called"),
    }
}

/// Returns a value with which an argument names something unapproved, and the approval that this value needs.
fn named(tool: &str, argument: &str, names: Names, folder: &Path) -> (Value, Option<Need>) {
    let private = folder.join("private").canonicalize().unwrap();
    let key = |to: &str| Some(Need::key("MY_TOKEN", to));
    match (names, argument) {
        (Names::Nothing, _) => (json!("1"), None),
        // The folder of a file is a separate argument with its own approval, so the file itself needs none.
        (Names::FileInside, _) => (json!(private.join("secret.md")), None),
        (Names::Folder, "cwd") => (json!(private), None),
        (Names::Folder, _) => {
            let kind = if ["files.write", "files.edit"].contains(&tool) {
                NeedKind::Write
            } else {
                NeedKind::Read
            };
            let need = Need::new(kind, private.display().to_string());
            (json!(private), Some(need))
        }
        (Names::Host, _) => (
            json!("http://127.0.0.1:9/"),
            Some(Need::new(NeedKind::Private, "127.0.0.1:9")),
        ),
        (Names::Program, "args") => (json!(["full"]), None),
        (Names::Program, _) => (json!("full"), None),
        (Names::Key, "headers") => (
            json!({ "X": { "key": "MY_TOKEN" } }),
            key("https://api.example.org"),
        ),
        (Names::Key, _) if tool == "command" => (json!(["MY_TOKEN"]), key("command:own-program")),
        (Names::Key, _) => (json!(["MY_TOKEN"]), key(tool)),
    }
}

fn with(tool: &str, argument: &str, value: Value) -> Map<String, Value> {
    let mut args = base(tool).as_object().unwrap().clone();
    args.insert(argument.to_owned(), value);
    args
}

fn items(needs: &[Need]) -> BTreeSet<String> {
    needs.iter().map(Need::item).collect()
}

/// Calls a tool without consent. Returns the result and the needs that were rejected.
async fn call(
    tool: &Arc<dyn Tool>,
    args: Map<String, Value>,
) -> (Result<Value, String>, Vec<String>) {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&refused);
    let trust_log = TrustLog::new(move |note| {
        if note.verdict == Verdict::Refused {
            into.lock().unwrap().extend(note.items);
        }
    });
    let cx = ToolContext {
        trust_log,
        ..ToolContext::default()
    };
    let done = tool.call(None, args, cx).await;
    let refused = refused.lock().unwrap().clone();
    (done.map_err(|error| error.code), refused)
}

#[test]
fn every_tool_says_of_every_argument_what_it_names() {
    let folder = folders();
    let tools = ToolSet::new(&settings(folder.path(), Grants::default()));
    for tool in tools.all() {
        let info = tool.info();
        let arguments: BTreeSet<&str> = info.args["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let said = tool.names();
        let classified: BTreeSet<&str> = said.iter().map(|(name, _)| *name).collect();
        assert_eq!(arguments, classified, "{}", info.name);
        assert_eq!(said.len(), classified.len(), "{}: said twice", info.name);
    }
}

#[tokio::test]
async fn what_an_argument_names_is_listed_and_refused_until_it_is_approved() {
    let folder = folders();
    let tools = ToolSet::new(&settings(folder.path(), Grants::default()));
    for tool in tools.all() {
        let name = tool.info().name;
        let plain = base(&name).as_object().unwrap().clone();
        let without = items(&tool.needs(&plain));
        for (argument, names) in tool.names() {
            let at = format!("{name} {argument}");
            let (value, need) = named(&name, argument, names, folder.path());
            let args = with(&name, argument, value);
            let listed = items(&tool.needs(&args));
            match names {
                Names::Nothing | Names::FileInside => assert_eq!(listed, without, "{at}"),
                _ => assert_ne!(
                    listed, without,
                    "{at}: it names something and is not listed"
                ),
            }
            if let Some(need) = &need {
                assert!(listed.contains(&need.item()), "{at}: {listed:?}");
            }
            if names == Names::Nothing {
                continue;
            }
            let (done, refused) = call(tool, args).await;
            let code = done.expect_err(&at);
            assert!(
                ["not_approved", "address_refused"].contains(&code.as_str()),
                "{at}: {code}"
            );
            // The refused item is in the list, so that it can be approved.
            assert!(!refused.is_empty(), "{at}");
            assert!(
                refused.iter().all(|item| listed.contains(item)),
                "{at}: {refused:?} of {listed:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_is_computed_is_listed_as_such_cannot_be_approved_and_is_held_to_its_name() {
    let folder = folders();
    let nothing = ToolSet::new(&settings(folder.path(), Grants::default()));
    for tool in nothing.all() {
        let name = tool.info().name;
        let plain = base(&name).as_object().unwrap().clone();
        let without = items(&tool.needs(&plain));
        for (argument, names) in tool.names() {
            let at = format!("{name} {argument}");
            let needs = tool.needs(&with(&name, argument, json!(WIRE)));
            if matches!(names, Names::Nothing | Names::FileInside) {
                assert_eq!(items(&needs), without, "{at}");
                continue;
            }
            let open: Vec<&Need> = needs
                .iter()
                .filter(|need| !need.can_be_granted() || need.item() == "host:*")
                .collect();
            assert!(!open.is_empty(), "{at}: {needs:?}");
            assert!(open.iter().all(|need| need.detail.is_some()), "{at}");
            // Approving the list as written approves none of the values computed later.
            let grants: Grants = needs.iter().map(Need::item).collect();
            let allowed = ToolSet::new(&settings(folder.path(), grants));
            let tool = allowed.all().find(|tool| tool.info().name == name).unwrap();
            let (value, _) = named(&name, argument, names, folder.path());
            let (done, refused) = call(tool, with(&name, argument, value)).await;
            let code = done.expect_err(&at);
            assert!(
                ["not_approved", "address_refused"].contains(&code.as_str()),
                "{at}: {code}"
            );
            assert!(!refused.is_empty(), "{at}");
        }
    }
}

#[tokio::test]
async fn a_folder_is_searched_where_it_was_approved_chosen_or_comes_with_the_program() {
    let folder = folders();
    let private = folder.path().join("private").canonicalize().unwrap();
    let hidden = private.join(".hidden");
    let own = folder.path().join("data").canonicalize().unwrap();
    let read = |path: &Path| format!("read:{}", path.display());
    let chosen = |documents: Option<&Path>, grants: &[String]| ToolSettings {
        documents_folder: documents.map(Path::to_path_buf),
        ..settings(folder.path(), grants.iter().cloned().collect())
    };
    let search = async |settings: &ToolSettings, at: Option<&str>| {
        let tools = ToolSet::new(settings);
        let tool = tools
            .all()
            .find(|tool| tool.info().name == "search.documents")
            .unwrap();
        let args = match at {
            Some(at) => with("search.documents", "folder", json!(at)),
            None => base("search.documents").as_object().unwrap().clone(),
        };
        let listed = tool.needs(&args);
        (
            listed,
            call(tool, args).await.0.map(|found| found.to_string()),
        )
    };
    let text = |path: &Path| path.to_str().unwrap().to_owned();

    // The sample collection ships with the program.
    let (listed, found) = search(&chosen(None, &[]), None).await;
    assert!(listed.is_empty() && found.is_ok(), "{listed:?} {found:?}");
    // The folder from Settings is listed and needs no consent, whether by default or by name. Its subfolders need consent.
    for at in [None, Some(text(&private))] {
        let (listed, found) = search(&chosen(Some(&private), &[]), at.as_deref()).await;
        assert_eq!(items(&listed), BTreeSet::from([read(&private)]));
        assert!(listed[0].in_settings && found.unwrap().contains("canary"));
    }
    let (listed, found) = search(&chosen(Some(&private), &[]), Some(&text(&hidden))).await;
    assert!(!listed[0].in_settings);
    assert_eq!(found, Err("not_approved".to_owned()));
    // An approved folder may be written in any notation.
    for at in [
        text(&private),
        "../private".to_owned(),
        format!("{}/../private", text(&own)),
    ] {
        let (listed, found) = search(&chosen(None, &[read(&private)]), Some(&at)).await;
        assert_eq!(items(&listed), BTreeSet::from([read(&private)]), "{at}");
        assert!(found.unwrap().contains("canary"), "{at}");
    }
    // Loopwright's own data is never searched, even if it is approved. It is skipped in a search of a folder that contains
    // it.
    fs::write(own.join("canary.md"), "A canary of one's own.").unwrap();
    let everything = chosen(None, &["read:/".to_owned(), read(&own)]);
    let (listed, found) = search(&everything, Some(&text(&own))).await;
    assert!(
        listed[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("Loopwright's own data")
    );
    assert_eq!(found, Err("own_folder".to_owned()));
    assert_eq!(
        search(&chosen(Some(&own), &[]), None).await.1,
        Err("own_folder".to_owned())
    );
    let around = folder.path().canonicalize().unwrap();
    let (listed, found) = search(&everything, Some(&text(&around))).await;
    assert!(
        listed[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("everything except Loopwright's own data")
    );
    let found = found.unwrap();
    assert!(found.contains("private/secret.md"), "{found}");
    assert!(!found.contains("one's own"), "{found}");
}

#[test]
fn each_tool_says_what_makes_the_place_of_a_call() {
    let folder = folders();
    let tools = ToolSet::new(&settings(folder.path(), Grants::default()));
    let place = |tool: &str, args: Value| {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        tools.find(tool).unwrap().place(&args)
    };
    let (private, flow) = (folder.path().join("private"), folder.path().join("flow"));
    // Each row has two calls with the same destination and a third call with a different one.
    for (tool, one, same, other) in [
        (
            "search.documents",
            json!({ "query": "a", "folder": private }),
            json!({ "query": "b", "folder": private.join("../private"), "limit": 3 }),
            json!({ "query": "a", "folder": flow }),
        ),
        (
            "search.documents",
            json!({ "query": "a" }),
            json!({ "query": "b" }),
            json!({ "query": "a", "folder": private }),
        ),
        (
            "files.write",
            json!({ "folder": private, "path": "a", "text": "1" }),
            json!({ "folder": private, "path": "b", "text": "2" }),
            json!({ "path": "a", "text": "1" }),
        ),
        (
            "files.edit",
            json!({ "folder": private, "path": "a", "old": "1", "new": "2" }),
            json!({ "folder": private, "edits": [{ "path": "b", "old": "3", "new": "4" }] }),
            json!({ "path": "a", "old": "1", "new": "2" }),
        ),
        (
            "files.glob",
            json!({ "folder": private, "pattern": "*" }),
            json!({ "folder": private, "pattern": "**" }),
            json!({ "folder": private.join(".hidden"), "pattern": "*" }),
        ),
        (
            "http.request",
            json!({ "url": "https://a.example/1" }),
            json!({ "url": "https://a.example/2", "method": "get" }),
            json!({ "url": "https://b.example/1" }),
        ),
        (
            "command",
            json!({ "program": "make", "args": ["x"], "stdin": "1" }),
            json!({ "program": "make", "args": ["x"], "stdin": "2" }),
            json!({ "program": "make", "args": ["x"], "cwd": "b" }),
        ),
        (
            "agent:own",
            json!({ "prompt": "a", "sandbox": "read_only" }),
            json!({ "prompt": "b", "session": "1", "sandbox": "read_only" }),
            json!({ "prompt": "a", "sandbox": "full" }),
        ),
        (
            "script.lua",
            json!({ "source": "return 1", "x": 1 }),
            json!({ "source": "return 1", "x": 2 }),
            json!({ "source": "return 2", "x": 1 }),
        ),
    ] {
        let at = place(tool, one);
        assert!(at.is_some(), "{tool}");
        assert_eq!(at, place(tool, same), "{tool}");
        assert_ne!(at, place(tool, other), "{tool}");
    }
    // If the arguments do not determine the destination, the user is asked about each call.
    assert_eq!(place("http.request", json!({ "method": "POST" })), None);
    assert_eq!(place("search.documents", json!({ "folder": 7 })), None);
}
