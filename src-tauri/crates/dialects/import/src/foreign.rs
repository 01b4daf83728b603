//! Recognises the workflows of products that Loopwright does not read, so that the error names the product.

use serde_json::{Map, Value};

/// A product whose files are recognised but not read.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The name of one file of the product, with its article: `an n8n workflow`.
    pub one: &'static str,
    /// The name of several files of the product: `n8n workflows`.
    pub many: &'static str,
    recognises: fn(&Value) -> bool,
}

impl Foreign {
    const fn new(one: &'static str, many: &'static str, recognises: fn(&Value) -> bool) -> Self {
        Self {
            one,
            many,
            recognises,
        }
    }
}

/// The products that are recognised, in the order in which they are tried.
const PRODUCTS: &[Foreign] = &[
    Foreign::new("an n8n workflow", "n8n workflows", n8n),
    Foreign::new("a Dify app", "Dify apps", dify),
    Foreign::new("a Flowise flow", "Flowise flows", flowise),
    Foreign::new("a Langflow flow", "Langflow flows", langflow),
    Foreign::new("a Node-RED flow", "Node-RED flows", node_red),
    Foreign::new("a ComfyUI workflow", "ComfyUI workflows", comfy_ui),
    Foreign::new("a Make blueprint", "Make blueprints", make),
    Foreign::new("an export of Zapier", "exports of Zapier", zapier),
];

/// Returns the product of a file that is recognised but not read, or `None` for any other file.
pub fn foreign(value: &Value) -> Option<&'static Foreign> {
    PRODUCTS.iter().find(|product| (product.recognises)(value))
}

/// Returns the objects of a list, or `None` if the list is empty or contains anything else.
fn objects(list: Option<&Value>) -> Option<Vec<&Map<String, Value>>> {
    let items = list?.as_array()?;
    let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    (!objects.is_empty() && objects.len() == items.len()).then_some(objects)
}

fn text<'v>(fields: &'v Map<String, Value>, name: &str) -> &'v str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether a file is from n8n: a node type with n8n's prefix, or nodes with a type version and an object
/// `connections`.
fn n8n(value: &Value) -> bool {
    let Some(nodes) = objects(value.get("nodes")) else {
        return false;
    };
    let named = |kind: &str| kind.starts_with("n8n-nodes-") || kind.starts_with("@n8n/");
    nodes.iter().any(|node| named(text(node, "type")))
        || value.get("connections").is_some_and(Value::is_object)
            && nodes.iter().all(|node| node.contains_key("typeVersion"))
}

/// Returns whether a file is from Dify: an `app` with a `mode`, together with `kind: app`, a graph of a workflow or a model
/// configuration.
fn dify(value: &Value) -> bool {
    let has = |pointer: &str| value.pointer(pointer).is_some();
    let is_app = value.get("kind") == Some(&Value::from("app"));
    has("/app/mode") && (is_app || has("/workflow/graph") || has("/model_config"))
}

/// Returns whether a file is from Flowise: nodes whose data lists the anchors of their wires, or a full export, which stores
/// flows as strings.
fn flowise(value: &Value) -> bool {
    let anchored = |node: &&Map<String, Value>| {
        let data = node.get("data");
        let has = |name: &str| data.is_some_and(|data| data.get(name).is_some());
        has("inputAnchors") || has("outputAnchors") || has("inputParams")
    };
    let exported = |name: &str| {
        objects(value.get(name))
            .is_some_and(|flows| flows.iter().all(|flow| flow.contains_key("flowData")))
    };
    objects(value.get("nodes")).is_some_and(|nodes| nodes.iter().any(anchored))
        || ["ChatFlow", "AgentFlow", "AgentFlowV2"]
            .into_iter()
            .any(exported)
}

/// Returns whether a file is from Langflow: nodes that contain a component with its template.
fn langflow(value: &Value) -> bool {
    let component = |node: &&Map<String, Value>| {
        let template = node
            .get("data")
            .and_then(|data| data.pointer("/node/template"));
        template.is_some_and(Value::is_object)
    };
    let holds = |value: &Value| {
        let nodes = value.pointer("/data/nodes").or_else(|| value.get("nodes"));
        objects(nodes).is_some_and(|nodes| nodes.iter().any(component))
    };
    let flows = value.get("flows");
    let mut listed = flows.and_then(Value::as_array).into_iter().flatten();
    holds(value) || (objects(flows).is_some() && listed.any(holds))
}

/// Returns whether a file is from Node-RED: a list of nodes with ids and types, among them a tab or a node with wires that
/// is on a tab.
fn node_red(value: &Value) -> bool {
    let Some(nodes) = objects(Some(value)) else {
        return false;
    };
    let is_node =
        |node: &&Map<String, Value>| !text(node, "id").is_empty() && !text(node, "type").is_empty();
    let wired = |node: &&Map<String, Value>| {
        node.get("wires").is_some_and(Value::is_array) && node.contains_key("z")
    };
    nodes.iter().all(is_node)
        && (nodes.iter().any(wired) || nodes.iter().any(|node| text(node, "type") == "tab"))
}

/// Returns whether a file is from ComfyUI: the editor's form, with numbered links, or the server's form, with a class for each
/// numbered node.
fn comfy_ui(value: &Value) -> bool {
    let drawn =
        value.get("last_node_id").is_some() && value.get("links").is_some_and(Value::is_array);
    let classes = value.as_object().is_some_and(|nodes| {
        !nodes.is_empty()
            && nodes.values().all(|node| {
                node.get("class_type").is_some_and(Value::is_string)
                    && node.get("inputs").is_some_and(Value::is_object)
            })
    });
    drawn || classes
}

/// Returns whether a file is from Make: a list of modules, each named by its app and its action.
fn make(value: &Value) -> bool {
    objects(value.get("flow")).is_some_and(|modules| {
        modules
            .iter()
            .all(|module| text(module, "module").contains(':') && module.contains_key("id"))
    })
}

/// Returns whether a file is from Zapier: a list of Zaps, each with its steps under `nodes`.
fn zapier(value: &Value) -> bool {
    let stepped = |zap: &&Map<String, Value>| {
        let steps = zap.get("nodes");
        steps.is_some_and(|nodes| nodes.is_object() || nodes.is_array())
    };
    objects(value.get("zaps")).is_some_and(|zaps| zaps.iter().all(stepped))
}
