//! Offers tools, such as flows, to other programs through an MCP server over standard input and output.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_engine::CancellationToken;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::io::stdio,
};
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
};

use crate::lines::{Lines, TOO_LARGE, too_large};

/// A tool that the server offers.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    pub name: String,
    pub title: String,
    pub description: String,
    /// The JSON Schema of the tool's arguments, which form an object.
    pub input: Map<String, Value>,
    pub output: Option<Map<String, Value>>,
}

/// The progress of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The amount of work that has been done. It grows with every step.
    pub done: f64,
    pub total: Option<f64>,
    pub message: String,
}

/// The tools that an MCP server offers, and a function that calls them.
pub trait Offers: Send + Sync + 'static {
    fn tools(&self) -> Vec<OfferedTool>;
    /// Calls a tool by name. The call stops soon after `cancel` is triggered.
    ///
    /// # Errors
    /// Returns a message for the caller if the call fails.
    fn call(
        &self,
        name: &str,
        args: Map<String, Value>,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, String>>;
}

/// An MCP server that offers tools.
pub struct Offer {
    offers: Arc<dyn Offers>,
}

impl Offer {
    pub fn new(offers: Arc<dyn Offers>) -> Self {
        Self { offers }
    }
}

/// Serves on standard input and output until the client disconnects.
///
/// # Errors
/// Returns a message for the user if the client does not speak the protocol, or if the server stops unexpectedly.
pub async fn serve_stdio(offers: Arc<dyn Offers>) -> Result<(), String> {
    let (input, output) = stdio();
    serve_over(offers, input, output).await
}

/// Serves as [`serve_stdio`] does, on any two streams.
///
/// # Errors
/// Returns an error as [`serve_stdio`] does.
pub async fn serve_over(
    offers: Arc<dyn Offers>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let service = Offer::new(offers)
        .serve((Lines::of_client(input), output))
        .await
        .map_err(|error| format!("The client does not follow the MCP protocol: {error}"))?;
    service
        .waiting()
        .await
        .map_err(|error| format!("The MCP server stopped unexpectedly: {error}"))?;
    Ok(())
}

fn described(tool: OfferedTool) -> Tool {
    let mut described = Tool::new(tool.name, tool.description, tool.input);
    described.title = Some(tool.title);
    described.output_schema = tool.output.map(Arc::new);
    described
}

impl ServerHandler for Offer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("loopwright", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Each tool runs a Loopwright flow until it ends, and returns its outputs by name.",
            )
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != TOO_LARGE {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                request.method,
                None,
            ));
        }
        let bytes = request
            .params
            .as_ref()
            .and_then(|params| params["bytes"].as_u64());
        Err(ErrorData::invalid_request(
            format!(
                "The request was rejected: {}.",
                too_large(bytes.unwrap_or_default())
            ),
            None,
        ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offers.tools().into_iter().map(described).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if !self.offers.tools().iter().any(|tool| tool.name == name) {
            return Err(ErrorData::invalid_params(
                format!("There is no tool `{name}`. List the tools again to see their names."),
                None,
            ));
        }
        let (send, mut steps) = mpsc::unbounded_channel::<Progress>();
        let progress = Arc::new(move |step| {
            // Sending fails once the call has ended. The step is then no longer needed.
            let _ = send.send(step);
        });
        let cancel = CancellationToken::new();
        let called = self.offers.call(
            &name,
            request.arguments.unwrap_or_default(),
            progress,
            cancel.clone(),
        );
        let token = context.meta.get_progress_token();
        let peer = context.peer.clone();
        tokio::pin!(called);
        let result = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                Some(step) = steps.recv() => {
                    if let Some(token) = &token {
                        let mut note = ProgressNotificationParam::new(token.clone(), step.done);
                        note.total = step.total;
                        note.message = Some(step.message);
                        // The error is ignored: if the client has disconnected, the call is cancelled anyway.
                        let _ = peer.notify_progress(note).await;
                    }
                }
                result = &mut called => break result,
            }
        };
        Ok(match result {
            Ok(value) if value.is_object() => CallToolResult::structured(value),
            Ok(value) => CallToolResult::success(vec![ContentBlock::text(value.to_string())]),
            Err(words) => CallToolResult::error(vec![ContentBlock::text(words)]),
        }
        .into())
    }
}
