//! `tool`: uses a tool, such as a search or an HTTP request.

mod call;
mod config;
mod expression;
mod known;
pub(crate) mod program;

use call::Use;
pub(crate) use call::{Argument, call, consent, consented};
use config::Config;
pub(crate) use config::ToolApproval;
use expression::expression_site;
pub(crate) use known::COMMAND;
use known::{
    ELSEWHERE, EXPRESSION, JINJA, KNOWN_ARGS, MAIN_ARGS, MCP, SCRIPT_ARGS, default_approval,
    is_plain, language,
};
use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, Reach, TemplateMode, TemplateSite},
    validate::{did_you_mean, nearest},
};
use loopwright_script::{Language, Unread};
use loopwright_template::{Occurrence, Reference, TemplateError};
use serde_json::{Map, Value, json};

use crate::config as shared;

pub(crate) struct Tool;

/// Returns the template site for a script, with the names that the script reads. Names of the tool's own arguments are left
/// out.
fn script_site(
    field: &str,
    language: Language,
    source: &str,
    args: &Map<String, Value>,
) -> TemplateSite {
    let is_argument = |name: &str| !SCRIPT_ARGS.contains(&name) && args.contains_key(name);
    let is_own = |name: &loopwright_script::Name| {
        is_argument(&name.root)
            || (name.root == "inputs" && name.path.first().is_some_and(|first| is_argument(first)))
    };
    let reference = |name: loopwright_script::Name| Reference {
        root: name.root,
        path: name.path,
        has_default: name.may_be_missing,
    };
    let mut places = Vec::new();
    let read = match loopwright_script::reads_in(language, source) {
        Ok(reads) => {
            let own_places = reads
                .places
                .into_iter()
                .filter(|place| !is_own(&place.name));
            places.extend(own_places.map(|place| Occurrence {
                reference: reference(place.name),
                at: place.at,
                steps: place.steps,
            }));
            let names = reads.names.into_iter().filter(|name| !is_own(name));
            Ok(names.map(reference).collect())
        }
        Err(Unread::Mistake(mistake)) => Err(TemplateError {
            code: "script_syntax",
            message: mistake.message,
            at: Some((mistake.line, mistake.column.unwrap_or(0))),
        }),
        Err(Unread::Unavailable(why)) => Err(TemplateError {
            code: why.code(),
            message: why.to_string(),
            at: None,
        }),
    };
    TemplateSite {
        read: Some(read),
        places,
        ..shared::site(field, source, TemplateMode::Script)
    }
}

/// Appends a template site for each string within an argument to `into`.
pub(crate) fn sites(field: &str, value: &Value, into: &mut Vec<TemplateSite>) {
    match value {
        Value::String(source) => into.push(shared::site(field, source, TemplateMode::Template)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                sites(&format!("{field}[{index}]"), item, into);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                sites(&format!("{field}.{name}"), item, into);
            }
        }
        _ => {}
    }
}

impl KindSpec for Tool {
    fn type_name(&self) -> &'static str {
        "tool"
    }
    fn title(&self) -> &'static str {
        "Tool"
    }
    fn category(&self) -> Category {
        Category::Tools
    }
    fn icon(&self) -> &'static str {
        "plug"
    }
    fn summary(&self) -> &'static str {
        "search, fetch, read"
    }
    fn doc(&self) -> &'static str {
        "Uses a tool. Its arguments come from `args` and from wires to the handles with their names. Text values in `args` are \
         templates. If the main argument is missing, the tool takes it from the primary input. With `approval: ask` a person must \
         agree before each use, and with `deny` the tool never runs. The `source` of `script.lua`, `script.python` and \
         `script.javascript` is a script, not a template, and the `logs` handle gives what the script prints. See \
         [Scripts](../scripts.md). The `source` of `expression.azure` is an Azure Logic Apps expression. The `source` of \
         `template.jinja` is a Jinja template, which can read `input` and the other arguments by name."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn effect(&self, data: &Data) -> EffectClass {
        let method = data
            .get("args")
            .and_then(|args| args.get("method"))
            .and_then(Value::as_str)
            .unwrap_or("GET");
        match data.get("tool").and_then(Value::as_str) {
            Some(EXPRESSION | JINJA) => EffectClass::Pure,
            Some(tool) if language(tool).is_some() => EffectClass::Pure,
            Some("search.documents" | "search.web" | "files.read" | "files.glob") => {
                EffectClass::Reads
            }
            Some(COMMAND) if read_only(data.get("args")) => EffectClass::Reads,
            Some("http.request") if matches!(method, "GET" | "HEAD" | "get" | "head") => {
                EffectClass::Reads
            }
            _ => EffectClass::Writes,
        }
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut inputs = vec![Handle::primary("input", ValueType::Any)];
        let tool = data.get("tool").and_then(Value::as_str).unwrap_or_default();
        let known = KNOWN_ARGS
            .iter()
            .find(|(name, _)| *name == tool)
            .map_or([].as_slice(), |(_, args)| args);
        let own = data.get("args").and_then(Value::as_object);
        let names = known.iter().copied().chain(
            own.into_iter()
                .flat_map(|args| args.keys().map(String::as_str)),
        );
        for name in names {
            if !name.is_empty() && !inputs.iter().any(|handle| handle.name == name) {
                inputs.push(Handle::new(name, ValueType::Any));
            }
        }
        let mut outputs = vec![Handle::primary("result", ValueType::Any)];
        if language(tool).is_some() {
            outputs.push(Handle::new("logs", ValueType::Text));
        }
        Handles { inputs, outputs }
    }
    fn schema(&self) -> Value {
        shared::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        shared::object(json!({ "tool": "search.documents", "args": {} }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        let tool = data.get("tool").and_then(Value::as_str).unwrap_or_default();
        let mut found = Vec::new();
        let Some(args) = data.get("args").and_then(Value::as_object) else {
            return found;
        };
        for (name, value) in args {
            let field = format!("args.{name}");
            match value {
                source if tool == EXPRESSION && is_plain(tool, name) => {
                    found.push(expression_site(&field, source, args));
                }
                Value::String(source) if is_plain(tool, name) => {
                    if let Some(language) = language(tool) {
                        found.push(script_site(&field, language, source, args));
                    }
                }
                _ if tool == JINJA && is_plain(tool, name) => {}
                _ => sites(&field, value, &mut found),
            }
        }
        found
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        let Some(tool) = shared::text(data, "tool") else {
            return Vec::new();
        };
        let approval = match data.get("approval").and_then(Value::as_str) {
            Some("deny") => return Vec::new(),
            Some("auto") => ToolApproval::Auto,
            Some("ask") => ToolApproval::Ask,
            _ => default_approval(tool),
        };
        let args = data.get("args").and_then(Value::as_object);
        vec![Reach {
            tool: tool.to_owned(),
            args: args.cloned().unwrap_or_default(),
            from_input: MAIN_ARGS
                .iter()
                .find(|(name, _)| *name == tool)
                .map(|(_, argument)| *argument),
            asks: approval == ToolApproval::Ask,
        }]
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let tool = shared::text(&node.data, "tool").unwrap_or_default();
        if let Some(message) = missing(node, tool) {
            problems.push(
                Problem::error("missing_tool", message)
                    .at(&node.id)
                    .place("tool"),
            );
        } else if !KNOWN_ARGS.iter().any(|(known, _)| *known == tool)
            && !ELSEWHERE.iter().any(|begins| tool.starts_with(begins))
        {
            problems.push(unknown(node, tool));
        }
        if node.text("approval") == Some("deny") {
            problems.push(
                Problem::warning(
                    "tool_denied",
                    format!(
                        "The `approval` of \"{}\" is `deny`, so a run fails there. Set it to `ask` or `auto` to use the tool.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("approval"),
            );
        }
    }
    fn examples(&self) -> Vec<Example> {
        vec![
            Example {
                title: "a search",
                data: shared::object(json!({
                    "tool": "search.documents",
                    "args": { "query": "lighthouse {{ input }}", "limit": 2 }
                })),
                inputs: shared::object(json!({ "input": "keeper" })),
                replies: vec![json!([{ "title": "The Harrow Light" }])],
                gives: json!([{ "title": "The Harrow Light" }]),
                ..Example::default()
            },
            Example {
                title: "a script",
                data: shared::object(json!({
                    "tool": "script.lua",
                    "args": {
                        "source": "local total = 0\nfor _, item in ipairs(input) do\n  total += item.price\nend\nreturn { total = total, enough = total >= limit }",
                        "limit": 10
                    }
                })),
                inputs: shared::object(json!({ "input": [{ "price": 4 }, { "price": 7.5 }] })),
                replies: vec![json!({ "enough": true, "total": 11.5 })],
                gives: json!({ "enough": true, "total": 11.5 }),
                ..Example::default()
            },
        ]
    }
}

/// Returns the problem of a name that is not the name of any tool.
fn unknown(node: &Node, tool: &str) -> Problem {
    let known = KNOWN_ARGS.iter().map(|(name, _)| *name);
    let instead = nearest(tool, known.clone());
    let problem = Problem::error(
        "unknown_tool",
        format!(
            "\"{}\" uses `{tool}`, which isn't a tool. The tools are {}, and `mcp:<server>/<tool>` for servers in Settings.{}",
            node.title(),
            known.collect::<Vec<_>>().join(", "),
            did_you_mean(instead)
        ),
    )
    .at(&node.id)
    .place("tool");
    match instead {
        Some(name) => problem.set_to(&node.id, "tool", name),
        None => problem,
    }
}

/// Returns an error message if `tool` is empty, or is the name of an MCP tool without a server or a tool.
fn missing(node: &Node, tool: &str) -> Option<String> {
    let title = node.title();
    let tool = tool.trim();
    if tool.is_empty() {
        return Some(format!(
            "\"{title}\" has no tool. Choose one, such as `search.documents`. `loopwright tools` lists them."
        ));
    }
    let (server, name) = tool.strip_prefix(MCP)?.split_once('/').unwrap_or_default();
    (server.is_empty() || name.is_empty()).then(|| {
        format!(
            "\"{title}\" has no MCP tool. Choose one in the form `mcp:<server>/<tool>`. `loopwright tools` lists them. Add servers in Settings."
        )
    })
}

impl Kind for Tool {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = shared::read(node)?;
        if let Some(message) = missing(node, &config.tool) {
            return Err(NodeError::new("missing_tool", message));
        }
        Ok(Box::new(Use::compile(node, config)?))
    }
}

/// Returns whether the arguments declare that a program changes nothing.
fn read_only(args: Option<&Value>) -> bool {
    args.and_then(|args| args.get("readOnly")) == Some(&Value::Bool(true))
}
