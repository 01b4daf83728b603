//! `loopwright mcp`: offers flows as tools to other programs, over standard input and output.

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
use loopwright_api::{App, ApprovalPolicy, Event, EventBody, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_engine::{CancellationToken, KindSet, trust::for_shell};
use loopwright_mcp::{OfferedTool, Offers, Progress, serve_stdio};
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, RunOptions};
use serde_json::{Map, Value, json};

use crate::{
    approve_arg::ApproveArg, interrupts::Interrupts, out::errln, render::word, status, trust,
};

/// The maximum time to wait until stopped runs have recorded that they stopped.
const STOPS_WITHIN: Duration = Duration::from_secs(30);

/// A flow that is offered as a tool.
struct Flow {
    path: PathBuf,
    tool: OfferedTool,
    arguments: ArgumentNames,
}

struct Flows {
    app: Arc<App>,
    flows: BTreeMap<String, Flow>,
    approve: ApprovalPolicy,
    allow: Grants,
}

/// Serves until the client disconnects or the program is asked to end, for example with Ctrl-C. The first request to
/// end stops the runs in progress, which remain in the history. The second one does not wait for them. Returns the exit
/// status.
async fn until_asked_to_end(
    app: &Arc<App>,
    serving: impl Future<Output = Result<(), ApiError>>,
) -> Result<u8, ApiError> {
    let mut interrupts = Interrupts::listen();
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return served.map(|()| status::COMPLETED),
        () = interrupts.more_than(0) => {}
    }
    let stopped = !records::unfinished_runs(app.env())?.is_empty();
    let stopping = runs::stop_all(app.env(), STOPS_WITHIN);
    tokio::pin!(stopping);
    // Serving continues in the meantime, so that clients that wait for a run get their replies.
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

/// Performs `loopwright mcp`.
///
/// # Errors
/// Returns an error if `allow` is invalid, if there is no flow to offer, or if a named file is not a flow.
pub(crate) async fn offer(
    app: &Arc<App>,
    flows: &[String],
    approve: ApproveArg,
    allow: &[String],
) -> Result<u8, ApiError> {
    let allow = trust::allow(allow)?;
    until_asked_to_end(app, serve(app, flows, approve, allow)).await
}

/// Serves the flows of folders and files until the client disconnects.
async fn serve(
    app: &Arc<App>,
    paths: &[String],
    approve: ApproveArg,
    allow: Grants,
) -> Result<(), ApiError> {
    let mut flows = BTreeMap::new();
    for path in files(paths)? {
        let shown = path.display().to_string();
        let opened = match runs::read_flow(&shown) {
            Ok(opened) => opened,
            // A folder may contain files that are not flows, but a file named on the command line must be a flow.
            Err(error) if paths.iter().any(|given| Path::new(given) == path) => return Err(error),
            Err(error) => {
                errln!("{shown} is not offered as a tool: {error}");
                continue;
            }
        };
        if !opened.document["nodes"].is_array() {
            continue;
        }
        let (tool, arguments) = describe(app.env().kinds(), &path, &opened.document);
        if flows.contains_key(&tool.name) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "Two flows would become the tool `{}`. Rename one of the files.",
                    tool.name
                ),
            ));
        }
        let flow = Flow {
            path,
            tool,
            arguments,
        };
        flows.insert(flow.tool.name.clone(), flow);
    }
    if flows.is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "There is no flow to offer. Name flow files, or a folder with flow files.",
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

/// Returns the files to offer: the named files, and those files in the named folders that may be flows.
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
        let entries = std::fs::read_dir(path).map_err(|error| {
            ApiError::new(Code::Io, format!("{given} cannot be read: {error}."))
        })?;
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
        "file" => json!({ "type": "string", "description": "The path of a file." }),
        _ => json!({ "type": "string" }),
    }
}

/// The maximum number of characters of a name that clients accept.
const MAX_NAME: usize = 64;

/// The argument names of a tool, each with the input that it fills.
///
/// Clients pass the names to model APIs, which accept only `^[a-zA-Z0-9_.-]{1,64}$` and reject all tools if one name does not
/// match.
#[derive(Debug, Default)]
struct ArgumentNames(BTreeMap<String, String>);

impl ArgumentNames {
    /// Adds an input and returns a unique argument name for it: the input's own name if clients accept it, otherwise a similar
    /// name.
    fn offer(&mut self, input: &str) -> String {
        let plain: String = input
            .chars()
            .map(|char| {
                let fits = char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-');
                if fits { char } else { '_' }
            })
            .collect();
        let plain = match plain.trim_matches('_') {
            "" => "input",
            _ if plain == input => input,
            bare => bare,
        };
        let mut name: String = plain.chars().take(MAX_NAME).collect();
        let mut count = 1_u32;
        while self.0.contains_key(&name) {
            count += 1;
            let ending = format!("_{count}");
            let begins: String = plain.chars().take(MAX_NAME - ending.len()).collect();
            name = begins + &ending;
        }
        self.0.insert(name.clone(), input.to_owned());
        name
    }

    /// Converts the argument names of a call to input names. Unknown names are unchanged, so that the run rejects them.
    fn inputs(&self, args: Map<String, Value>) -> Map<String, Value> {
        args.into_iter()
            .map(|(name, value)| (self.0.get(&name).cloned().unwrap_or(name), value))
            .collect()
    }
}

/// Returns the name of a flow's tool. It has only letters, digits, `_` and `-`, the characters that clients accept.
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
        .take(MAX_NAME)
        .collect();
    name
}

/// Describes a flow as a tool: its Input nodes are the arguments, its Output nodes the result.
fn describe(kinds: &KindSet, path: &Path, document: &Value) -> (OfferedTool, ArgumentNames) {
    let kinds = kinds.specs();
    let (mut inputs, mut outputs) = (Vec::new(), Map::new());
    for node in document["nodes"].as_array().into_iter().flatten() {
        let (kind, data) = (node["type"].as_str().unwrap_or_default(), &node["data"]);
        let name = data["name"]
            .as_str()
            .filter(|name| !name.trim().is_empty())
            .or_else(|| node["id"].as_str());
        let Some(name) = name else {
            continue;
        };
        if kinds.is_input(kind) {
            inputs.push((name.to_owned(), data));
        } else if kinds.is_output(kind) {
            outputs.insert(name.to_owned(), json!({}));
        }
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut arguments = ArgumentNames::default();
    // Names that clients accept unchanged are assigned first, so that no substitute for another name takes one of them.
    let fits = |name: &str| ArgumentNames::default().offer(name) == name;
    let mut offered: BTreeMap<String, String> = BTreeMap::new();
    for fitting in [true, false] {
        for (name, _) in inputs.iter().filter(|(name, _)| fits(name) == fitting) {
            if !offered.contains_key(name) {
                offered.insert(name.clone(), arguments.offer(name));
            }
        }
    }
    for (input, data) in inputs {
        let Some(name) = offered.get(&input).cloned() else {
            continue;
        };
        let mut schema = schema_of(data["dataType"].as_str().unwrap_or("text"));
        if let Some(words) = data["description"]
            .as_str()
            .filter(|words| !words.is_empty())
        {
            schema["description"] = json!(words);
        }
        if name != input {
            schema["title"] = json!(input);
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
    output.insert("type".to_owned(), json!("object"));
    output.insert("properties".to_owned(), Value::Object(outputs));
    let name = tool_name(path);
    let title = document["name"].as_str().filter(|name| !name.is_empty());
    let words = document["description"].as_str().unwrap_or_default();
    let tool = OfferedTool {
        title: title.unwrap_or(&name).to_owned(),
        description: if words.is_empty() {
            format!("Runs the flow {}.", title.unwrap_or(&name))
        } else {
            words.to_owned()
        },
        name,
        input,
        output: Some(output),
    };
    (tool, arguments)
}

/// Returns an event sink that reports progress at the start of each iteration.
fn sink(progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Arc<dyn Fn(&Event) + Send + Sync> {
    let steps = AtomicU32::new(0);
    Arc::new(move |event| {
        let EventBody::Iteration { index, total, .. } = &event.body else {
            return;
        };
        let done = steps.fetch_add(1, Ordering::Relaxed) + 1;
        // A nested loop starts several times, but progress must never decrease. Its total is therefore reported as unknown.
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
            let words = format!(
                "This server offers no flow `{name}`. List its tools again to see their names."
            );
            return Box::pin(async move { Err(words) });
        };
        let (app, path) = (Arc::clone(&self.app), flow.path.display().to_string());
        let (approve, allow) = (self.approve, self.allow.clone());
        let args = flow.arguments.inputs(args);
        Box::pin(async move {
            // The file is read for each call, because it may have been edited since.
            let opened = runs::read_flow(&path).map_err(|error| error.message)?;
            let options = RunOptions {
                flow_path: opened.path().map(str::to_owned),
                document: opened.document,
                inputs: args,
                approve,
                focus: Focus::default(),
                events: sink(progress),
            };
            let mut started =
                runs::start_run_with(app.env(), options, allow).map_err(|error| error.message)?;
            let ended = tokio::select! {
                ended = &mut started.finished => ended,
                () = cancel.cancelled() => {
                    started.cancel.cancel();
                    started.finished.await
                }
            };
            let outcome = ended
                .map_err(|error| format!("The run stopped unexpectedly: {error}"))?
                .map_err(|error| error.message)?;
            for notice in app.env().notices() {
                errln!("{notice}");
            }
            runs::mark_seen(app.env(), &outcome.run_id, outcome.status);
            match (outcome.status, outcome.state.error) {
                (RunStatus::Completed, _) => {
                    Ok(outcome.state.outputs.map_or_else(|| json!({}), Value::from))
                }
                (RunStatus::Waiting, _) => {
                    let commands: Vec<String> = records::waiting(app.env(), &outcome.run_id)
                        .map_err(|error| error.message)?
                        .into_iter()
                        .map(|(path, question)| {
                            format!(
                                "{question} loopwright runs answer {} --at {} --approve (or --reject)",
                                outcome.run_id,
                                for_shell(&path)
                            )
                        })
                        .collect();
                    Err(format!(
                        "The run is waiting for an answer. {}. Alternatively, start the server with --approve all.",
                        commands.join("; ")
                    ))
                }
                (_, Some(error)) => Err(error.message),
                (status, None) => Err(format!("The run ended with the status {}.", word(&status))),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(inputs: &[&str]) -> (Vec<String>, OfferedTool, ArgumentNames) {
        let nodes: Vec<Value> = inputs
            .iter()
            .map(|name| json!({ "id": "i", "type": "input", "data": { "name": name } }))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let app = App::open_without_runs(folder.path(), runtime.handle().clone());
        let (tool, names) = describe(
            app.env().kinds(),
            Path::new("ask.json"),
            &json!({ "nodes": nodes }),
        );
        let properties = tool.input["properties"].as_object();
        let of = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone());
        (of.collect(), tool, names)
    }

    #[test]
    fn arguments_have_names_that_clients_take_and_lead_back_to_their_inputs() {
        let long = "x".repeat(90);
        let inputs = [
            "my question?",
            "plain.name-1",
            "my_question",
            "Größe",
            "日本",
            "日本語",
            &long,
            "a b",
            "a_b",
        ];
        let (names, tool, back) = offered(&inputs);
        assert_eq!(
            names[..6],
            [
                "my_question_2",
                "plain.name-1",
                "my_question",
                "Gr__e",
                "input",
                "input_2"
            ]
        );
        let fits = |name: &String| {
            (1..=MAX_NAME).contains(&name.len())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        };
        assert!(names.iter().all(fits), "{names:?}");
        assert_eq!(
            tool.input["required"].as_array().unwrap().len(),
            inputs.len()
        );
        assert_eq!(
            tool.input["properties"]["my_question_2"]["title"],
            "my question?"
        );
        for (name, input) in names.iter().zip(inputs) {
            let args = Map::from_iter([(name.clone(), json!("hi"))]);
            assert_eq!(
                back.inputs(args),
                Map::from_iter([(input.to_owned(), json!("hi"))])
            );
        }
    }
}
