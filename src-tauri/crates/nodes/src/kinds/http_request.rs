//! `http_request`: the HTTP node of AI Studio flows, implemented with the `http.request` tool.

use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, ToolCall, host::ToolContext,
};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Shape, ValueType,
    kind::{Data, Example, Reach, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tool::{ToolApproval, call, consent, consented};
use crate::config::{self, Rendered};

pub(crate) struct HttpRequest;

const TOOL: &str = "http.request";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
enum Method {
    #[serde(rename = "GET")]
    Get,
    #[serde(rename = "POST")]
    Post,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The HTTP method.
    method: Method,
    /// The URL, as a template. A wire to `url` overrides it.
    #[schemars(extend("x-widget" = "template"))]
    url: String,
    /// The request body, as a template. A wire to `body` overrides it.
    #[schemars(extend("x-widget" = "template"))]
    body: String,
    /// Header fields by name.
    #[schemars(extend("x-widget" = "json"))]
    headers: Map<String, Value>,
    /// How long to wait for the response, in seconds.
    #[schemars(range(min = 1, max = 120))]
    timeout: Option<u64>,
    /// Whether the request may be sent without asking.
    approval: ToolApproval,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            method: Method::Get,
            url: String::new(),
            body: String::new(),
            headers: Map::new(),
            timeout: None,
            approval: ToolApproval::Ask,
        }
    }
}

impl KindSpec for HttpRequest {
    fn type_name(&self) -> &'static str {
        "http_request"
    }
    fn title(&self) -> &'static str {
        "HTTP request (AI Studio)"
    }
    fn category(&self) -> Category {
        Category::Tools
    }
    fn icon(&self) -> &'static str {
        "globe"
    }
    fn summary(&self) -> &'static str {
        "fetch a page"
    }
    fn doc(&self) -> &'static str {
        "The HTTP node of AI Studio. It exists so that AI Studio workflows run unchanged. In new workflows, use a Tool with \
         `http.request`. The output is the response body, and `status` is the HTTP status."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn effect(&self, data: &Data) -> EffectClass {
        match data.get("method").and_then(Value::as_str) {
            None | Some("GET") => EffectClass::Reads,
            _ => EffectClass::Writes,
        }
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![
                Handle::primary("url", ValueType::Text),
                Handle::new("body", ValueType::Any),
            ],
            outputs: vec![
                Handle::primary("body", ValueType::Any),
                Handle::new("status", ValueType::Number),
                Handle::new("headers", ValueType::Json),
            ],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "method": "GET", "url": "" }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        ["url", "body"]
            .into_iter()
            .filter_map(|field| config::template_site(data, field))
            .collect()
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        let asks = match data.get("approval").and_then(Value::as_str) {
            Some("deny") => return Vec::new(),
            approval => approval != Some("auto"),
        };
        let written =
            |name: &str| config::text(data, name).map(|value| (name.to_owned(), json!(value)));
        vec![Reach {
            tool: TOOL.to_owned(),
            args: ["url", "method"].into_iter().filter_map(written).collect(),
            from_input: Some("url"),
            asks,
        }]
    }
    fn needs_input(&self, data: &Data) -> bool {
        config::text(data, "url").is_none()
    }
    fn hidden(&self) -> bool {
        true
    }
    fn examples(&self) -> Vec<Example> {
        vec![Example {
            title: "a page by its URL",
            data: config::object(json!({ "method": "GET", "approval": "auto" })),
            inputs: config::object(json!({ "url": "http://localhost/page" })),
            replies: vec![json!({ "status": 200, "headers": {}, "body": "hello" })],
            gives: json!("hello"),
            ..Example::default()
        }]
    }
}

impl Kind for HttpRequest {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        Ok(Box::new(Request {
            title: node.title().to_owned(),
            url: Rendered::compile(node, "url", Some(&config.url))?,
            body: Rendered::compile(node, "body", Some(&config.body))?,
            config,
        }))
    }
}

struct Request {
    title: String,
    url: Option<Rendered>,
    body: Option<Rendered>,
    config: Config,
}

impl Request {
    fn arguments(&self, input: &NodeInput) -> Result<Map<String, Value>, NodeError> {
        let mut args = Map::new();
        args.insert("method".to_owned(), json!(self.config.method));
        if let Some(timeout) = self.config.timeout {
            args.insert("timeout".to_owned(), json!(timeout));
        }
        if !self.config.headers.is_empty() {
            args.insert(
                "headers".to_owned(),
                Value::Object(self.config.headers.clone()),
            );
        }
        for (name, template) in [("url", &self.url), ("body", &self.body)] {
            let value = match (input.get(name), template) {
                (Some(wired), _) => (**wired).clone(),
                (None, Some(template)) => template.value(&input.scope)?,
                (None, None) => continue,
            };
            args.insert(name.to_owned(), value);
        }
        if !args.contains_key("url") {
            return Err(NodeError::new(
                "missing_url",
                format!(
                    "\"{}\" has no address. Wire one to `url`, or enter it in that field.",
                    self.title
                ),
            ));
        }
        Ok(args)
    }
}

impl Execute for Request {
    fn tool_call(&self, input: &NodeInput) -> Option<ToolCall> {
        Some(ToolCall {
            tool: TOOL.to_owned(),
            args: self.arguments(input).ok()?,
        })
    }

    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let mut args = match self.arguments(input) {
            Ok(args) => args,
            Err(error) => return Step::Done(Err(error)),
        };
        if let Some(instead) = consent(&self.title, TOOL, self.config.approval, &mut args, cx) {
            return instead;
        }
        let given = ToolContext {
            consent: consented(self.config.approval, TOOL, &args, cx),
            ..cx.for_tool()
        };
        let printed = given.printed.clone();
        let called = call(&self.title, TOOL, None, args, given, cx);
        Step::Pending(Box::pin(async move {
            let mut result = called.await?;
            let mut part = |name: &str| result.get_mut(name).map(Value::take).unwrap_or_default();
            let (status, headers, body) = (part("status"), part("headers"), part("body"));
            let mut outcome = Outcome::single("body", body)
                .with("status", status)
                .with("headers", headers);
            outcome.warnings = printed.take_warnings();
            Ok(outcome)
        }))
    }
}
