//! `loopwright mcp`: flows as tools of other programs, over standard input and output.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use loopwright_api::{
    Allow, ApiError, App, ApprovalPolicy, Code, Event, EventBody, Focus, RunOptions, RunStatus,
};
use loopwright_engine::CancellationToken;
use loopwright_mcp::{OfferedTool, Offers, Progress, serve_stdio};
use serde_json::{Map, Value, json};

use crate::{approve_arg::ApproveArg, interrupts::Interrupts, out::errln, status};

/// How long runs may take to write down that they were stopped.
const STOPS_WITHIN: Duration = Duration::from_secs(30);

/// A flow that is offered.
struct Flow {
    path: PathBuf,
    tool: OfferedTool,
}

struct Flows {
    app: Arc<App>,
    flows: BTreeMap<String, Flow>,
    approve: ApprovalPolicy,
    allow: Allow,
}

/// Serves until the client goes, or until the program is asked to end, as by Ctrl-C: runs under way are then stopped and kept, and
/// asked once more it ends at once. Gives the exit status.
pub(crate) async fn until_asked_to_end(
    app: &Arc<App>,
    serving: impl Future<Output = Result<(), ApiError>>,
) -> Result<u8, ApiError> {
    let mut interrupts = Interrupts::listen();
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return served.map(|()| status::COMPLETED),
        () = interrupts.more_than(0) => {}
    }
    let stopped = !app.unfinished_runs()?.is_empty();
    let stopping = app.stop_all(STOPS_WITHIN);
    tokio::pin!(stopping);
    // Clients that wait for a run are told meanwhile.
    let answering = async {
        let _ = serving.await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = &mut stopping => {}
        () = interrupts.more_than(1) => {}
        () = answering => {}
    }
    Ok(if stopped {
        status::CANCELLED
    } else {
        status::COMPLETED
    })
}

/// Serves the flows of a folder, or those named, until the client goes.
pub(crate) async fn serve(
    app: &Arc<App>,
    paths: &[String],
    approve: ApproveArg,
    allow: Allow,
) -> Result<(), ApiError> {
    let mut flows = BTreeMap::new();
    for path in files(paths)? {
        let shown = path.display().to_string();
        let opened = match app.read_flow(&shown) {
            Ok(opened) => opened,
            // A folder holds other files as well; a file that was named must be a flow.
            Err(error) if paths.iter().any(|given| Path::new(given) == path) => return Err(error),
            Err(error) => {
                errln!("{shown} is not offered: {error}");
                continue;
            }
        };
        if !opened.document["nodes"].is_array() {
            continue;
        }
        let tool = describe(&path, &opened.document);
        if flows.contains_key(&tool.name) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "Two flows would be the tool `{}`. Rename one of the files.",
                    tool.name
                ),
            ));
        }
        flows.insert(tool.name.clone(), Flow { path, tool });
    }
    if flows.is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "There is no flow to offer. Name flow files, or a folder that holds some.",
        ));
    }
    let offers = Arc::new(Flows {
        app: Arc::clone(app),
        flows,
        approve: approve.into(),
        allow,
    });
    serve_stdio(offers)
        .await
        .map_err(|words| ApiError::new(Code::Io, words))
}

/// The files that are meant: those of folders that may be flows, and those that are named.
fn files(paths: &[String]) -> Result<Vec<PathBuf>, ApiError> {
    let here = ["."].map(str::to_owned);
    let paths = if paths.is_empty() { &here[..] } else { paths };
    let mut files = Vec::new();
    for given in paths {
        let path = Path::new(given);
        if !path.is_dir() {
            files.push(path.to_path_buf());
            continue;
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| ApiError::new(Code::Io, format!("{given} cannot be read: {error}")))?;
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|kind| kind == "json" || kind == "loop")
            })
            .collect();
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

fn schema_of(data_type: &str) -> Value {
    match data_type {
        "number" => json!({ "type": "number" }),
        "boolean" => json!({ "type": "boolean" }),
        "json" => json!({}),
        "file" => json!({ "type": "string", "description": "A path." }),
        _ => json!({ "type": "string" }),
    }
}

/// The name of a tool, as clients take it: letters, digits, `_` and `-`.
fn tool_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem
        .chars()
        .map(|char| {
            if char.is_ascii_alphanumeric() || char == '-' {
                char
            } else {
                '_'
            }
        })
        .take(64)
        .collect();
    name
}

/// A flow as a tool: its Input nodes are the arguments, its Output nodes the result.
fn describe(path: &Path, document: &Value) -> OfferedTool {
    let nodes = document["nodes"].as_array();
    let of = |kind: &'static str| {
        nodes
            .into_iter()
            .flatten()
            .filter(move |node| node["type"] == kind)
            .filter_map(|node| {
                let data = &node["data"];
                let name = data["name"]
                    .as_str()
                    .filter(|name| !name.trim().is_empty())
                    .or_else(|| node["id"].as_str())?;
                Some((name.to_owned(), data))
            })
    };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, data) in of("input") {
        let mut schema = schema_of(data["dataType"].as_str().unwrap_or("text"));
        if let Some(words) = data["description"]
            .as_str()
            .filter(|words| !words.is_empty())
        {
            schema["description"] = json!(words);
        }
        match &data["default"] {
            Value::Null if data["required"] != false => required.push(json!(name)),
            Value::Null => {}
            default => schema["default"] = default.clone(),
        }
        properties.insert(name, schema);
    }
    let mut input = Map::new();
    input.insert("type".to_owned(), json!("object"));
    input.insert("properties".to_owned(), Value::Object(properties));
    input.insert("required".to_owned(), Value::Array(required));
    let mut output = Map::new();
    let outputs: Map<String, Value> = of("output").map(|(name, _)| (name, json!({}))).collect();
    output.insert("type".to_owned(), json!("object"));
    output.insert("properties".to_owned(), Value::Object(outputs));
    let name = tool_name(path);
    let title = document["name"].as_str().filter(|name| !name.is_empty());
    let words = document["description"].as_str().unwrap_or_default();
    OfferedTool {
        title: title.unwrap_or(&name).to_owned(),
        description: if words.is_empty() {
            format!("Runs the flow {}.", title.unwrap_or(&name))
        } else {
            words.to_owned()
        },
        name,
        input,
        output: Some(output),
    }
}

/// Says each iteration that begins.
fn sink(progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Arc<dyn Fn(&Event) + Send + Sync> {
    let steps = AtomicU32::new(0);
    Arc::new(move |event| {
        let EventBody::Iteration { index, total, .. } = &event.body else {
            return;
        };
        let done = steps.fetch_add(1, Ordering::Relaxed) + 1;
        // Of a loop within others no total is known: progress may only grow.
        let alone = !event.path.contains('[');
        let of = total.map_or_else(String::new, |total| format!(" of {total}"));
        progress(Progress {
            done: f64::from(done),
            total: total.filter(|_| alone).map(f64::from),
            message: format!("{}: iteration {}{of}", event.path, index + 1),
        });
    })
}

impl Offers for Flows {
    fn tools(&self) -> Vec<OfferedTool> {
        self.flows.values().map(|flow| flow.tool.clone()).collect()
    }

    fn call(
        &self,
        name: &str,
        args: Map<String, Value>,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, String>> {
        let Some(flow) = self.flows.get(name) else {
            let words = format!("There is no flow `{name}`.");
            return Box::pin(async move { Err(words) });
        };
        let (app, path) = (Arc::clone(&self.app), flow.path.display().to_string());
        let (approve, allow) = (self.approve, self.allow.clone());
        Box::pin(async move {
            // The file as it is now: it may have been edited since.
            let opened = app.read_flow(&path).map_err(|error| error.message)?;
            let options = RunOptions {
                flow_path: opened.path().map(str::to_owned),
                document: opened.document,
                inputs: args,
                approve,
                focus: Focus::default(),
                events: sink(progress),
            };
            let mut started = app
                .start_run_with(options, allow)
                .map_err(|error| error.message)?;
            let ended = tokio::select! {
                ended = &mut started.finished => ended,
                () = cancel.cancelled() => {
                    started.cancel.cancel();
                    started.finished.await
                }
            };
            let outcome = ended
                .map_err(|error| format!("The run broke off: {error}"))?
                .map_err(|error| error.message)?;
            for notice in app.notices() {
                errln!("{notice}");
            }
            app.mark_seen(&outcome.run_id, outcome.status);
            match (outcome.status, outcome.state.error) {
                (RunStatus::Completed, _) => {
                    Ok(outcome.state.outputs.map_or_else(|| json!({}), Value::from))
                }
                (RunStatus::Waiting, _) => {
                    let commands: Vec<String> = app
                        .waiting(&outcome.run_id)
                        .map_err(|error| error.message)?
                        .into_iter()
                        .map(|(path, message)| {
                            format!(
                                "{message} loopwright runs answer {} --at '{path}' --approve (or --reject)",
                                outcome.run_id
                            )
                        })
                        .collect();
                    Err(format!(
                        "The run waits for a person's answer. {}. Or serve with --approve all.",
                        commands.join("; ")
                    ))
                }
                (_, Some(error)) => Err(error.message),
                (status, None) => Err(format!("The run ended as {status:?}.")),
            }
        })
    }
}
