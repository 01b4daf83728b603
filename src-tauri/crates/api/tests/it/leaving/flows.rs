//! The flows of the schedules. Each prompt names the run, the node and the iteration.

use serde_json::{Value, json};

use crate::server::edge;

/// The path of the step that asks a person.
pub const QUESTION: &str = "check";

/// Returns one of the flows, with `name` as its name.
pub fn flow(name: &str, which: u64) -> Value {
    let (nodes, edges) = match which % 4 {
        0 => looping(name, &json!({ "maxIterations": 4 })),
        1 => {
            let delay = json!({ "type": "fixed", "interval": "PT0.04S" });
            looping(name, &json!({ "maxIterations": 3, "delay": delay }))
        }
        2 => parallel(name),
        _ => asking(name),
    };
    json!({ "schemaVersion": 1, "name": name, "nodes": nodes, "edges": edges })
}

fn llm(id: &str, prompt: String) -> Value {
    json!({ "id": id, "type": "llm", "data": { "provider": "openai", "model": "m", "prompt": prompt } })
}

fn output(id: &str) -> Value {
    json!({ "id": id, "type": "output", "data": { "name": id } })
}

/// Returns the nodes and edges of a loop with one call in each iteration.
fn looping(name: &str, data: &Value) -> (Value, Value) {
    let mut data = data.clone();
    data["exitCondition"] = json!("max_iterations");
    (
        json!([
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "refine", "type": "loop", "data": data },
            llm("draft", format!("{name}/draft/{{{{ loopIndex }}}}")),
            { "id": "exit", "type": "exit", "data": {} },
            output("out")
        ]),
        json!([
            edge("1", "in", "value", "refine"),
            { "id": "2", "source": "refine", "sourceHandle": "body", "target": "draft", "targetHandle": "prompt" },
            edge("3", "draft", "response", "exit"),
            edge("4", "exit", "output", "out")
        ]),
    )
}

/// Returns the nodes and edges of a flow with several calls at the same time.
fn parallel(name: &str) -> (Value, Value) {
    let items: Vec<String> = (0..5).map(|item| format!("{name}/ask/{item}")).collect();
    (
        json!([
            { "id": "in", "type": "input", "data": { "name": "items", "dataType": "json", "default": items } },
            { "id": "each", "type": "iterator", "data": { "concurrency": 2 } },
            { "id": "ask", "type": "llm", "data": { "provider": "openai", "model": "m" } },
            { "id": "join", "type": "aggregator", "data": {} },
            output("out")
        ]),
        json!([
            edge("1", "in", "value", "each"),
            edge("2", "each", "item", "ask"),
            edge("3", "ask", "response", "join"),
            edge("4", "join", "output", "out")
        ]),
    )
}

/// Returns the nodes and edges of a flow in which a person approves what the first call returned.
fn asking(name: &str) -> (Value, Value) {
    (
        json!([
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            llm("before", format!("{name}/before/0")),
            { "id": QUESTION, "type": "approval", "data": { "message": "Good?" } },
            llm("after", format!("{name}/after/0")),
            output("out"),
            output("no")
        ]),
        json!([
            { "id": "1", "source": "in", "sourceHandle": "value", "target": "before", "targetHandle": "prompt" },
            edge("2", "before", "response", QUESTION),
            { "id": "3", "source": QUESTION, "sourceHandle": "approved", "target": "after", "targetHandle": "prompt" },
            edge("4", QUESTION, "rejected", "no"),
            edge("5", "after", "response", "out")
        ]),
    )
}
