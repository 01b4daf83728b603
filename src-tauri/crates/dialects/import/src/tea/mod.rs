//! TEA agents in YAML: nodes that read one state and return changes to it, joined by edges.
//!
//! The state is an object that passes along the wires. A node of the source becomes one or more nodes, the last of which returns
//! the changed state. A `while_loop` or a cycle of edges becomes a Loop and an Exit around its nodes.

mod action_call;
mod action_names;
mod actions;
mod agent;
mod code;
mod computed;
mod graph;
mod loops;
mod models;
mod nodes;
mod python;
mod retry;
mod schema;
mod steps;

use serde_json::{Value, json};

use crate::{
    Outcome,
    build::{Builder, Port},
    error::ImportError,
    format::{Format, Import, Options, Source},
};
use agent::Agent;

pub(crate) const FORMAT: Format = Format {
    id: "tea",
    title: "TEA agents",
    dialects: &[],
    reads: READS,
    recognises,
    read,
};

/// The keys of the format: the fields of a document, its nodes, edges and actions that are read.
const READS: &[&str] = &[
    "action",
    "after",
    "agent",
    "before",
    "body",
    "condition",
    "config",
    "content",
    "correct",
    "data",
    "default",
    "description",
    "edges",
    "extraction_schema",
    "fail_fast",
    "fan_in",
    "from",
    "goto",
    "headers",
    "id",
    "if",
    "imports",
    "index_var",
    "initial_state",
    "input_state",
    "interrupt",
    "interrupt_after",
    "interrupt_before",
    "item_var",
    "items",
    "json",
    "json_schema",
    "key",
    "language",
    "max_concurrency",
    "max_iterations",
    "max_retries",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "name",
    "namespace",
    "next",
    "nodes",
    "output",
    "output_key",
    "parallel_strategy",
    "params",
    "path",
    "prompt",
    "response_format",
    "retry_delay",
    "role",
    "run",
    "schema",
    "script",
    "semantic_probes",
    "settings",
    "state_schema",
    "steps",
    "strict",
    "system",
    "system_prompt",
    "tags",
    "temperature",
    "text",
    "to",
    "type",
    "url",
    "uses",
    "validate",
    "validate_args",
    "validation_constraints",
    "validation_logging",
    "value",
    "variables",
    "version",
    "when",
    "with",
    "agents",
    "aggregation",
    "corrector",
    "critic_model",
    "critic_prompt",
    "delimiter",
    "evaluator",
    "examples",
    "few_shot_examples",
    "generator",
    "generator_model",
    "has_header",
    "improvement_rounds",
    "max_concurrent",
    "on_failure",
    "problem",
    "task",
    "thinking_format",
    "transform",
    "llm",
];

/// Returns the agent in a document: the document itself, or its `agent` field, together with its `input_state`. Returns
/// `None` if the document is not an agent.
fn agent_of(document: &Value) -> Option<(&Value, Option<&Value>)> {
    let is_agent = |value: &Value| {
        value
            .get("nodes")
            .and_then(Value::as_array)
            .is_some_and(|nodes| {
                let loads = value.get("imports").is_some_and(Value::is_array);
                (nodes.is_empty() && loads)
                    || nodes.iter().any(|node| {
                        node.get("name").is_some_and(Value::is_string) && node.get("id").is_none()
                    })
            })
    };
    if is_agent(document) {
        return Some((document, None));
    }
    let inner = document.get("agent").filter(|inner| is_agent(inner))?;
    Some((inner, document.get("input_state")))
}

fn recognises(source: &Source<'_>) -> bool {
    source
        .value()
        .is_some_and(|document| agent_of(document).is_some())
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let Some((document, given)) = source.value().and_then(agent_of) else {
        return Err(ImportError::Unreadable {
            place: "file".to_owned(),
            message:
                "this file is not a TEA agent. A TEA agent is a YAML document with `nodes`, each with a `name`"
                    .to_owned(),
        });
    };
    let agent = Agent::read(document)?;
    let mut build = Builder::new(FORMAT.id, agent.name.or(options.name.as_deref()));
    if let Some(description) = agent.description {
        build.describe(description);
    }
    for (at, _) in source.yaml.iter().enumerate().skip(1) {
        build.say(
            Outcome::Ignored,
            format!("document {}", at + 1),
            None,
            "A file becomes one flow, so only the first document was imported. To import this document too, put it into a separate file.",
        );
    }
    agent.say_what_is_left_out(&mut build);
    let start = begin(&mut build, &agent, given);
    graph::Graph::new(&agent, &mut build)?.emit(&mut build, start)?;
    build.finish()
}

/// Adds the flow's only input, the initial state of a run, merged over the agent's own initial state. Returns the ports that
/// carry the merged state.
fn begin(build: &mut Builder, agent: &Agent<'_>, given: Option<&Value>) -> Vec<Port> {
    let fields: Vec<&str> = agent
        .state_schema
        .map(|fields| fields.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let description = if fields.is_empty() {
        "The initial state of the run.".to_owned()
    } else {
        format!("The initial state of the run: {}.", fields.join(", "))
    };
    let default = given
        .filter(|state| state.is_object())
        .cloned()
        .unwrap_or_else(|| json!({}));
    let input = build.node(
        "input",
        "State",
        json!({ "name": "state", "dataType": "json", "default": default, "description": description }),
    );
    build.mapped(
        "state",
        &input,
        "The state is an object that the wires carry. Each node's result is merged into it. The flow's input `state` is the initial state, and its output `state` is the final one.",
    );
    let mut ports = vec![Port::of(&input)];
    if let Some(initial) = agent.initial_state {
        let name = "Initial state";
        let source = format!(
            "import json\nstate = json.loads({})\nstate.update(input)\nreturn state",
            Value::String(Value::Object(initial.clone()).to_string())
        );
        let node = steps::script(build, name, &source, None, &ports);
        build.mapped(
            "initial_state",
            &node,
            "The run's input takes precedence over these values.",
        );
        ports = vec![Port::of(&node)];
    }
    ports
}
