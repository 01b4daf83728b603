//! A connection to one server. The server is either a child program with all its descendants, or an address.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use loopwright_engine::{
    NodeError,
    redact::RedactedBytes,
    trust::{Secrets, TrustLog},
};
use loopwright_model::environment::PASSED_ON;
use loopwright_process::{Program, Running};
use reqwest::{
    header::{HeaderName, HeaderValue},
    redirect::Policy,
};
use rmcp::{
    RoleClient, ServiceExt as _,
    model::{
        ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Described,
    },
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite},
    process::ChildStderr,
    task::JoinHandle,
};

use crate::{lines::Lines, server_spec::ServerSpec, words};

/// The maximum time for a server to start and to list its tools.
const STARTS_WITHIN: Duration = Duration::from_secs(60);
/// The maximum size of a message from a server over HTTP, in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;
/// The maximum number of pages of a tool list. A longer list counts as endless.
const MAX_PAGES: usize = 200;
/// The maximum number of tools in a tool list. A longer list counts as endless.
const MAX_TOOLS: usize = 10_000;
/// How long the rest of standard error is read after a program has ended.
const SAYS_WITHIN: Duration = Duration::from_secs(1);
/// The number of bytes that are kept from the end of standard error. They explain why a server does not start.
const MAX_ERRORS: usize = 2_000;

/// A connection to a server that has answered.
pub(crate) struct Connection {
    /// The running client of the protocol. This field is declared before the program, so that it is dropped first: the
    /// program's input then ends before the program is killed.
    pub(crate) service: RunningService<RoleClient, ()>,
    pub(crate) tools: Vec<Described>,
    /// The server's program. Dropping it kills the program and everything that it started, so that nothing outlives the run.
    /// By then, the program has already seen the end of its input.
    _program: Option<Running>,
}

fn failed(spec: &ServerSpec, why: impl std::fmt::Display) -> NodeError {
    NodeError::new(
        "mcp_failed",
        format!(
            "The MCP server “{}” could not be reached: {why}. Check its command or address in Settings.",
            spec.name
        ),
    )
}

/// Returns the error for a server that was reached but does not list its tools as expected. `what` continues the sentence that
/// begins with the server's name.
fn unusable_list(spec: &ServerSpec, what: impl std::fmt::Display) -> NodeError {
    NodeError::new(
        "mcp_failed",
        format!("The MCP server “{}” {what}", spec.name),
    )
}

impl Connection {
    /// Starts or connects to a server, and lists its tools.
    ///
    /// # Errors
    /// Returns an error if the server does not start or answer in time, does not speak the protocol, or may not be used by
    /// this flow.
    pub(crate) async fn open(
        spec: &ServerSpec,
        secrets: &Secrets,
        trust_log: &TrustLog,
    ) -> Result<Self, NodeError> {
        let mut errors = None;
        let opened = tokio::time::timeout(STARTS_WITHIN, async {
            match &spec.url {
                Some(url) => over_http(spec, url, secrets, trust_log).await,
                None => over_stdio(spec, secrets, trust_log, &mut errors).await,
            }
        })
        .await;
        let mut error = match opened {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => error,
            Err(_) => failed(
                spec,
                format!("it did not answer within {} s", STARTS_WITHIN.as_secs()),
            ),
        };
        // The program has ended, so its standard error will end soon.
        if let Some(errors) = errors
            && let Ok(Ok(said)) = tokio::time::timeout(SAYS_WITHIN, errors).await
        {
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            if !said.is_empty() {
                let said = said.trim_end_matches('.');
                error.message = format!("{} The program wrote: “{said}”.", error.message);
            }
        }
        Err(error)
    }

    /// Connects to a server through these two streams.
    ///
    /// # Errors
    /// Returns an error if the server does not speak the protocol, or if its list of tools cannot be used.
    pub(crate) async fn over(
        spec: &ServerSpec,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, NodeError> {
        let lines = Lines::of_server(input);
        let service =
            ().serve((lines, output))
                .await
                .map_err(|error| failed(spec, words::of_start(&error)))?;
        with_tools(spec, service, None).await
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }
}

async fn over_stdio(
    spec: &ServerSpec,
    secrets: &Secrets,
    trust_log: &TrustLog,
    errors: &mut Option<JoinHandle<Vec<u8>>>,
) -> Result<Connection, NodeError> {
    let command = spec.command.clone().unwrap_or_default();
    let mut env: Vec<(OsString, OsString)> = PASSED_ON
        .iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    for name in &spec.env {
        let secret = secrets.get(name, &format!("The MCP server “{}”", spec.name), trust_log)?;
        env.push((name.into(), secret.into()));
    }
    let program = Program {
        command: command.clone().into(),
        args: spec.args.iter().map(Into::into).collect(),
        cwd: spec.cwd.clone(),
        env,
    };
    let mut running = program
        .start()
        .await
        .map_err(|error| failed(spec, format!("`{command}`: {error}")))?;
    let (stdin, stdout) = (running.stdin.take(), running.stdout.take());
    if let Some(stderr) = running.stderr.take() {
        let redacted = RedactedBytes::new(secrets.redactor());
        *errors = Some(tokio::spawn(the_end_of(stderr, redacted)));
    }
    let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(failed(spec, "its standard input or output is closed"));
    };
    let lines = Lines::of_server(stdout);
    let service =
        ().serve((lines, stdin))
            .await
            .map_err(|error| failed(spec, words::of_start(&error)))?;
    with_tools(spec, service, Some(running)).await
}

/// Reads standard error to its end, so that the program never blocks on writing to it. Returns the last bytes, without secrets.
async fn the_end_of(mut stderr: ChildStderr, mut redacted: RedactedBytes) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut part = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut part).await {
        redacted.push(&part[..read], |bytes| kept.extend_from_slice(bytes));
        let over = kept.len().saturating_sub(MAX_ERRORS);
        kept.drain(..over);
    }
    kept.extend(redacted.end());
    kept
}

async fn over_http(
    spec: &ServerSpec,
    url: &str,
    secrets: &Secrets,
    trust_log: &TrustLog,
) -> Result<Connection, NodeError> {
    let mut headers = HashMap::new();
    for (field, key) in &spec.headers {
        let secret = secrets.get(key, &format!("The MCP server “{}”", spec.name), trust_log)?;
        let value = if field.eq_ignore_ascii_case("authorization") && !secret.contains(' ') {
            format!("Bearer {secret}")
        } else {
            secret
        };
        let name = HeaderName::try_from(field.as_str());
        let value = HeaderValue::try_from(value);
        let (Ok(name), Ok(mut value)) = (name, value) else {
            return Err(failed(
                spec,
                format!(
                    "the header {field} or the value of its key {key} contains invalid characters"
                ),
            ));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let moved: Arc<Mutex<Option<String>>> = Arc::default();
    let noted = Arc::clone(&moved);
    let client = loopwright_http_client::builder()
        // Only this address was approved, so a redirect is an error. The message names its target.
        .redirect(Policy::custom(move |attempt| {
            let to = attempt.url().to_string();
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(to);
            attempt.stop()
        }))
        .no_proxy()
        .build()
        .map_err(|error| failed(spec, error))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MAX_MESSAGE);
    let service =
        ().serve(StreamableHttpClientTransport::with_client(client, config))
            .await
            .map_err(|error| {
                let moved = moved.lock().unwrap_or_else(PoisonError::into_inner);
                match moved.as_deref() {
                    Some(to) => failed(
                        spec,
                        format!(
                            "it redirects to {to}, which is not approved. If the server has moved there, set this address"
                        ),
                    ),
                    None => failed(spec, words::of_start(&error)),
                }
            })?;
    with_tools(spec, service, None).await
}

async fn with_tools(
    spec: &ServerSpec,
    service: RunningService<RoleClient, ()>,
    program: Option<Running>,
) -> Result<Connection, NodeError> {
    Ok(Connection {
        tools: list_tools(spec, &service).await?,
        service,
        _program: program,
    })
}

/// Lists all tools. A tool whose description cannot be read is skipped. Fails if the server does not answer with a list, or
/// if the list is too long.
async fn list_tools(
    spec: &ServerSpec,
    service: &RunningService<RoleClient, ()>,
) -> Result<Vec<Described>, NodeError> {
    let (mut tools, mut cursor) = (Vec::new(), None::<String>);
    let mut seen = HashSet::new();
    loop {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let next = match service.send_request(request).await {
            Ok(ServerResult::ListToolsResult(page)) => {
                tools.extend(page.tools);
                page.next_cursor
            }
            // If one tool on a page is unreadable, the library does not parse the page. The readable tools are then taken
            // from its JSON.
            Ok(ServerResult::CustomResult(page)) if page.0["tools"].is_array() => {
                tools.extend(readable(&page.0));
                page.0["nextCursor"].as_str().map(str::to_owned)
            }
            Ok(_) => {
                return Err(unusable_list(
                    spec,
                    "did not return a list when asked for its tools. Check its command or address in Settings.",
                ));
            }
            Err(error) => {
                return Err(unusable_list(
                    spec,
                    format_args!(
                        "could not list its tools: {}. Check its command or address in Settings.",
                        words::of_request(&error)
                    ),
                ));
            }
        };
        match next {
            None => return Ok(tools),
            Some(next) if seen.len() >= MAX_PAGES => {
                return Err(unusable_list(
                    spec,
                    format_args!(
                        "lists its tools on more than the maximum of {MAX_PAGES} pages. Set up the server to offer fewer tools. The next page is “{}”.",
                        shortened(&next)
                    ),
                ));
            }
            Some(next) if !seen.insert(next.clone()) => {
                tracing::warn!(
                    "An MCP server returned the same page cursor twice; the rest of its tool list is ignored"
                );
                return Ok(tools);
            }
            next => cursor = next,
        }
        if tools.len() > MAX_TOOLS {
            return Err(unusable_list(
                spec,
                format_args!(
                    "lists more than the maximum of {MAX_TOOLS} tools. Set up the server to offer fewer tools."
                ),
            ));
        }
    }
}

/// Returns the readable tools of a page.
fn readable(page: &Value) -> Vec<Described> {
    let tools = page["tools"].as_array().into_iter().flatten();
    tools
        .filter_map(|tool| {
            let read = serde_json::from_value::<Described>(tool.clone());
            if let Err(error) = &read {
                let name = tool["name"].as_str().unwrap_or("without a name");
                tracing::warn!(
                    "The MCP tool {} is ignored because its description is invalid: {error}",
                    shortened(name)
                );
            }
            read.ok()
        })
        .collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_server_of_https_that_is_not_there_is_an_error() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let spec = ServerSpec {
            name: "absent".to_owned(),
            url: Some(format!("https://{address}/mcp")),
            ..ServerSpec::default()
        };
        let secrets = Secrets::new(|_| Ok(None));
        let opened = Connection::open(&spec, &secrets, &TrustLog::default()).await;
        let error = opened.err().unwrap();
        assert!(error.message.contains("absent"), "{error:?}");
    }

    #[test]
    fn a_tool_that_cannot_be_read_costs_that_tool() {
        let good = json!({ "name": "echo", "inputSchema": { "type": "object" } });
        let page = json!({ "tools": [
            good,
            { "name": "no schema" },
            { "inputSchema": {} },
            { "name": 7, "inputSchema": {} },
            { "name": "text", "inputSchema": "x" },
            "echo", null,
        ] });
        let names: Vec<_> = readable(&page)
            .into_iter()
            .map(|tool| tool.name.to_string())
            .collect();
        assert_eq!(names, ["echo"]);
    }
}
