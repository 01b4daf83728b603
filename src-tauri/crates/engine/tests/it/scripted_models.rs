//! Tests of the scripted models of `loopwright-testing`, on which other tests rely.

use std::sync::Arc;

use futures::{FutureExt as _, executor::block_on};
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models},
};
use loopwright_testing::{
    Sleep,
    scripted::{FakeModels, Reply, Script},
};

fn never() -> Sleep {
    Arc::new(|_| std::future::pending().boxed())
}

fn ask(fake: &FakeModels, prompt: &str) -> Result<ModelReply, NodeError> {
    let request = ModelRequest {
        prompt: prompt.to_owned(),
        ..ModelRequest::default()
    };
    block_on(Models::call(fake, request, ModelContext::default()))
}

#[test]
fn replies_come_in_order_and_by_match() {
    let script: Script = serde_json::from_value(serde_json::json!({ "replies": [
        { "when": "draft", "text": "one" }, { "json": { "a": 1 } }, { "when": "draft", "text": "two" }, { "error": { "code": "x", "message": "y" } }
    ] })).unwrap();
    let fake = FakeModels::new(script, never());
    assert_eq!(ask(&fake, "the draft").unwrap().text, "one");
    assert_eq!(ask(&fake, "else").unwrap().text, "{\"a\":1}");
    assert_eq!(ask(&fake, "the draft").unwrap().text, "two");
    assert_eq!(ask(&fake, "else").unwrap_err().code, "x");
    assert_eq!(ask(&fake, "else").unwrap_err().code, "script_ended");
    assert_eq!(fake.calls().len(), 5);
}

#[test]
fn a_delayed_call_can_be_cancelled() {
    let fake = FakeModels::new(
        Script {
            replies: vec![Reply {
                delay_ms: 60_000,
                ..Reply::text("late")
            }],
            repeat: true,
            price: None,
        },
        never(),
    );
    let cx = ModelContext::default();
    let cancel = cx.cancel.clone();
    let call = Models::call(&fake, ModelRequest::default(), cx);
    cancel.cancel();
    assert_eq!(block_on(call).unwrap_err().code, "cancelled");
}
