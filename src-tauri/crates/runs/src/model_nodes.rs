//! The model requests of nodes, as far as the document determines them.

use loopwright_engine::host::{ModelRequest, ToolOffer};
use loopwright_model::{Flow, KindSpec, Node, Shape, kind::Kinds, subflow};
use serde_json::Value;

/// Returns whether a run of the flow may call a model. Returns `true` for a flow that is too large to walk.
pub(crate) fn calls_models(flow: &Flow, kinds: &Kinds) -> bool {
    fn within(flow: &Flow, kinds: &Kinds) -> bool {
        flow.nodes.iter().any(|node| {
            kinds
                .of(node)
                .is_some_and(|kind| kind.calls_model(&node.data))
                || subflow::inline(node)
                    .is_some_and(|inner| inner.is_ok_and(|inner| within(&inner, kinds)))
        })
    }
    !subflow::is_bounded(flow) || within(flow, kinds)
}

/// Returns the maximum number of model calls in one attempt of a node. Without tools, it is 1 for text. It is 2 for
/// other answers, because the call is repeated once if the answer has the wrong form. With tools, it is
/// `maxToolRounds`, or 40 if that is not set.
pub fn calls_of_attempt(document: &Node, shape: Shape) -> u32 {
    let is_text = shape != Shape::Branching
        && matches!(document.text("responseFormat"), None | Some("" | "text"))
        && !document
            .data
            .get("responseFormat")
            .is_some_and(Value::is_object);
    if tools(document).next().is_some() {
        // Each use of tools is followed by another call.
        let rounds = document
            .data
            .get("maxToolRounds")
            .and_then(loopwright_model::value::whole);
        return rounds
            .and_then(|rounds| u32::try_from(rounds).ok())
            .unwrap_or(40);
    }
    if is_text { 1 } else { 2 }
}

/// Returns the names of the tools that the model of a node may use.
fn tools(document: &Node) -> impl Iterator<Item = &str> {
    let tools = document.data.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the request that a node would make. Its text fields are unrendered templates.
pub(crate) fn request_of(document: &Node, kind: &dyn KindSpec) -> ModelRequest {
    let filled = |field: &str| {
        document
            .text(field)
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    let outputs = || kind.handles(&document.data).outputs;
    ModelRequest {
        provider: filled("provider").unwrap_or_default(),
        model: filled("model"),
        builtin: filled("builtin"),
        system: filled("systemPrompt"),
        prompt: filled("prompt").unwrap_or_default(),
        max_tokens: document
            .data
            .get("maxTokens")
            .and_then(loopwright_model::value::whole),
        choices: match kind.shape() {
            Shape::Branching => outputs().into_iter().map(|handle| handle.name).collect(),
            _ => Vec::new(),
        },
        tools: tools(document)
            .map(|name| ToolOffer {
                name: name.to_owned(),
                description: String::new(),
                parameters: Value::Null,
            })
            .collect(),
        ..ModelRequest::default()
    }
}
