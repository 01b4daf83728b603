//! Checks the Model Context Protocol: messages from a server to our client, and from a client to our server.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use loopwright_engine::{
    CancellationToken,
    host::{ToolContext, Tools},
    trust::Grants,
};
use loopwright_mcp::{McpTools, OfferedTool, Offers, Progress, ServerSpec, serve_over};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, sink};

use crate::runtime::wait;

/// The time limit of a case. Nothing in a case has to wait, so a longer run is a hang.
const OVER_WITHIN: Duration = Duration::from_secs(2);

/// Returns the result of `work` if it ends within the limit, otherwise `None`.
fn wait_shortly<T>(work: impl Future<Output = T>) -> Option<T> {
    wait(async { tokio::time::timeout(OVER_WITHIN, work).await.ok() })
}

/// Checks the client. `data` is everything that a server writes. The check ignores what the client writes to the server. The
/// ids of the client's requests count from 0.
pub(crate) fn client(data: &[u8]) {
    let data = data.to_vec();
    let over = wait_shortly(async {
        let spec = ServerSpec {
            name: "made-up".to_owned(),
            command: Some("made-up".to_owned()),
            ..ServerSpec::default()
        };
        let input = std::io::Cursor::new(data);
        let tools = match McpTools::over(spec, &Grants::everything(), input, sink()).await {
            Ok(tools) => tools,
            Err(error) => return assert!(!error.message.is_empty(), "{error:?}"),
        };
        for info in tools.list() {
            assert!(info.name.starts_with("mcp:made-up/"), "{info:?}");
            assert!(info.args.is_object(), "{info:?}");
        }
        for name in ["echo", "other"] {
            let Some(tool) = tools.find(&format!("mcp:made-up/{name}")) else {
                panic!("a tool of a server that is there is found");
            };
            let _ = tool.needs(&Map::new());
            let called = tool.call(Some(json!("in")), Map::new(), ToolContext::default());
            match called.await {
                Ok(value) => assert!(value.to_string().len() <= 2 << 20),
                Err(error) => assert!(!error.message.is_empty(), "{error:?}"),
            }
        }
    });
    assert!(over.is_some(), "the client hangs on what a server sent");
}

struct Echo;

impl Offers for Echo {
    fn tools(&self) -> Vec<OfferedTool> {
        let Value::Object(input) = json!({ "type": "object" }) else {
            unreachable!("an object")
        };
        vec![OfferedTool {
            name: "echo".to_owned(),
            title: "Echo".to_owned(),
            description: "Gives its arguments.".to_owned(),
            input,
            output: None,
        }]
    }

    fn call(
        &self,
        _name: &str,
        args: Map<String, Value>,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
        _cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(async move {
            progress(Progress {
                done: 1.0,
                total: None,
                message: "half way".to_owned(),
            });
            match args.get("fails") {
                Some(why) => Err(why.to_string()),
                None => Ok(Value::Object(args)),
            }
        })
    }
}

/// Checks the server. `data` is everything that a client writes. Each answer must be JSON-RPC on one line, and each request
/// gets at most one answer.
pub(crate) fn server(data: &[u8]) {
    let data = data.to_vec();
    let input = std::io::Cursor::new(data.clone());
    let said = wait_shortly(async {
        let (ours, mut theirs) = tokio::io::duplex(64 << 10);
        let read = async move {
            let mut said = Vec::new();
            // The stream ends when the server ends.
            let _ = theirs.read_to_end(&mut said).await;
            said
        };
        let (served, said) = tokio::join!(serve_over(Arc::new(Echo), input, ours), read);
        if let Err(words) = served {
            assert!(!words.trim().is_empty());
        }
        said
    });
    let Some(said) = said else {
        panic!("the server hangs on what a client sent");
    };
    let said = String::from_utf8(said).expect("answers are UTF-8");
    let mut answers = Vec::new();
    for line in said.lines() {
        let message: Value = serde_json::from_str(line).expect("each line of an answer is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if message.get("method").is_none()
            && let Some(id) = message.get("id").filter(|id| !id.is_null())
        {
            answers.push(id.clone());
        }
    }
    for id in &answers {
        let answered = answers.iter().filter(|other| *other == id).count();
        let asked = String::from_utf8_lossy(&data).matches("\"id\"").count();
        assert!(
            answered <= asked.max(1),
            "{id} was answered {answered} times"
        );
    }
}
