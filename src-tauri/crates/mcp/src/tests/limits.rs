//! Tests the client against a server that sends too much. Each case must cause an immediate error with a bounded message,
//! and the server must keep running.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    trust::{Grants, Secrets, TrustLog},
};
use serde_json::{Map, Value, json};

use crate::{McpTools, ServerSpec};

/// A server with one tool, whose argument `kind` selects the answer.
const SERVER: &str = r#"
long() { head -c "$1" /dev/zero | tr '\0' x; }
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"say","description":"Says it.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"huge"'*) printf '{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"%s"}]},"id":%s}\n' "$(long 17000000)" "$id" ;;
    *'"fails"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$(long 5000000)" ;;
    *'"breaks"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s"}}\n' "$id" "$(long 5000000)" ;;
    *'"fine"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine %s"}]}}\n' "$id" "$$" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
    esac
done
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_a_server_is_given_is_noted_for_the_call_that_starts_it() {
    let spec = ServerSpec {
        name: "s".to_owned(),
        command: Some("sh".to_owned()),
        args: vec!["-c".to_owned(), SERVER.to_owned()],
        env: vec!["A_KEY".to_owned()],
        ..ServerSpec::default()
    };
    let secrets = Secrets::new(|name| Ok((name == "A_KEY").then(|| "a-secret".to_owned())));
    let tools = McpTools::new(
        vec![spec],
        &BTreeMap::new(),
        &Grants::everything(),
        &secrets,
        |_, _| {},
    );
    let noted = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let into = Arc::clone(&noted);
        let cx = ToolContext {
            trust_log: TrustLog::new(move |note| into.lock().unwrap().extend(note.items)),
            ..ToolContext::default()
        };
        let args = Map::from_iter([("kind".to_owned(), json!("fine"))]);
        let tool = tools.find("mcp:s/say").unwrap();
        tool.call(None, args, cx).await.unwrap();
    }
    assert_eq!(*noted.lock().unwrap(), ["key:A_KEY"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_an_error_at_once_and_the_server_continues() {
    let spec = ServerSpec {
        name: "s".to_owned(),
        command: Some("sh".to_owned()),
        args: vec!["-c".to_owned(), SERVER.to_owned()],
        ..ServerSpec::default()
    };
    let tools = McpTools::new(
        vec![spec],
        &BTreeMap::new(),
        &Grants::everything(),
        &Secrets::none(),
        |_, _| {},
    );
    let tool = tools.find("mcp:s/say").unwrap();
    let say = async |kind: &str| -> Result<Value, String> {
        let args = json!({ "kind": kind }).as_object().unwrap().clone();
        let called = tool.call(None, args, ToolContext::default());
        called.await.map_err(|error| error.to_string())
    };
    let first = say("fine").await.unwrap();

    let began = Instant::now();
    let error = say("huge").await.unwrap_err();
    assert!(
        error.contains("the message is 170000") && error.contains("(16 MB)"),
        "{error}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );

    for kind in ["fails", "breaks"] {
        let error = say(kind).await.unwrap_err();
        assert!(
            error.len() < 5_000 && error.contains("… (truncated; 50000"),
            "{kind}: {}",
            error.len()
        );
    }
    // The server is still the same process, and was not restarted.
    assert_eq!(say("fine").await.unwrap(), first);
}
