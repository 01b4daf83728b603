//! The data types of the commands, as the window sees them. TypeScript is generated from these.

use loopwright_engine::{
    Checked, ExitChoice,
    event::{BudgetView, ExitReason, RunStatus, Warning},
    outcome::UsageView,
};
use loopwright_model::{Category, Severity, Span, ValueType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;
use std::collections::BTreeMap;

use crate::{
    stores::NamedStore,
    tool_settings::{AgentRunner, McpServer, WebSearch},
};

/// A handle of a node, as sockets are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct HandleInfo {
    pub name: String,
    pub label: String,
    pub value_type: ValueType,
    pub primary: bool,
    pub many: bool,
    /// Of a branching node: no branch, but an output that has a value whichever branch is taken.
    pub always: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ShapeInfo {
    Plain,
    Input,
    Output,
    ScopeStart,
    ScopeEnd,
    Branching,
    Subflow,
    Annotation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RepeatsInfo {
    Loop,
    Each,
}

/// A node kind, for palette, cards and forms.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindInfo {
    #[serde(rename = "type")]
    pub type_name: String,
    pub title: String,
    pub category: Category,
    /// A lucide icon name.
    pub icon: String,
    pub summary: String,
    pub doc: String,
    pub shape: ShapeInfo,
    pub repeats: Option<RepeatsInfo>,
    /// The kind that closes, or opens, this one.
    pub paired_with: Option<String>,
    /// The ways to end that a loop chooses from.
    pub exits: Vec<ExitChoice>,
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
    /// JSON Schema of `data`.
    #[specta(type = Any)]
    pub schema: Value,
    #[specta(type = BTreeMap<String, Any>)]
    pub defaults: Map<String, Value>,
    /// Not offered in the palette.
    pub hidden: bool,
}

/// A palette entry that is a kind with some of its fields set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PresetInfo {
    pub id: String,
    pub title: String,
    pub category: Category,
    pub icon: String,
    pub summary: String,
    #[serde(rename = "type")]
    pub type_name: String,
    #[specta(type = BTreeMap<String, Any>)]
    pub data: Map<String, Value>,
    /// Of a node that is made of it.
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindsReply {
    pub kinds: Vec<KindInfo>,
    pub presets: Vec<PresetInfo>,
    /// Pairs of unequal types that a wire may join.
    pub convertible: Vec<(ValueType, ValueType)>,
}

/// A tool that a node can use.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// `search.documents`
    pub name: String,
    pub title: String,
    pub summary: String,
    /// JSON Schema of its arguments.
    #[specta(type = Any)]
    pub args: Value,
    /// Why it cannot be used here, and what to do; `null` when it can.
    pub unavailable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Problem")]
pub struct ProblemInfo {
    pub code: String,
    pub severity: Severity,
    pub node: Option<String>,
    pub place: Option<String>,
    /// Where in the text that stands at `place`, for a template, an expression or a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub span: Option<Span>,
    pub message: String,
    pub fix: Option<FixInfo>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename = "Fix")]
pub struct FixInfo {
    pub title: String,
    /// Edits of the document; see the `Edit` type of the window.
    #[specta(type = Vec<Any>)]
    pub edits: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RoleInfo {
    Plain,
    Core,
    Tail,
    Leaf,
    Start,
    End,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NodeAnalysis {
    pub inputs: Vec<HandleInfo>,
    pub outputs: Vec<HandleInfo>,
    pub role: RoleInfo,
    /// Id of the innermost scope start around the node.
    pub region: Option<String>,
    pub problems: u32,
    pub model_calls: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Region")]
pub struct RegionInfo {
    pub start: String,
    pub end: Option<String>,
    pub repeats: RepeatsInfo,
    pub body: Vec<String>,
    pub core: Vec<String>,
    pub tail: Vec<String>,
    pub leaves: Vec<String>,
    pub feedback_edges: Vec<String>,
    pub max_iterations: Option<u32>,
    pub depth: u32,
}

/// The most that a run can do.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Model calls; `None` when the length of a list decides.
    pub max_calls: Option<u32>,
    /// Model calls in one iteration of the first loop.
    pub per_iteration: Option<u32>,
    /// Dollars, where every price is known.
    pub usd: Option<f64>,
    pub note: String,
}

/// The most that a run can cost, before it starts. What is null is not known, and `unknown` says why.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostEstimate {
    /// Model calls, retries and second tries included.
    pub max_calls: Option<u32>,
    pub max_usd: Option<f64>,
    /// Tokens in and out.
    pub max_tokens: Option<u32>,
    /// Why something is not known, a sentence each.
    pub unknown: Vec<String>,
    /// `at most 5 calls, $0.0123`
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Analysis {
    pub problems: Vec<ProblemInfo>,
    pub nodes: BTreeMap<String, NodeAnalysis>,
    pub regions: Vec<RegionInfo>,
    pub estimate: Estimate,
    pub runnable: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub run_id: String,
    pub flow: String,
    pub flow_path: Option<String>,
    pub status: RunStatus,
    /// RFC 3339, UTC.
    pub started_at: String,
    pub duration_ms: Option<u32>,
    pub usage: UsageView,
    pub warnings: Vec<Warning>,
    /// Of the first loop.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub forked_from: Option<ForkedFrom>,
    /// What a person calls the run.
    pub name: Option<String>,
    pub starred: bool,
}

/// The run that another was forked from, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// It may have been deleted since.
    pub run_id: String,
    /// `refine[3]/draft`, `refine[3]`, `draft`
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct RunFailureInfo {
    pub code: String,
    pub node: Option<String>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunDetail {
    pub summary: RunSummary,
    /// The flow as it ran.
    #[specta(type = Any)]
    pub document: Value,
    #[specta(type = Any)]
    pub inputs: Value,
    #[specta(type = Any)]
    pub outputs: Value,
    pub error: Option<RunFailureInfo>,
    /// Values that stood for what nodes would give, by node.
    #[specta(type = BTreeMap<String, Any>)]
    pub pins: Map<String, Value>,
    /// The node that the run went as far as.
    pub until: Option<String>,
    pub origin: Option<RunOrigin>,
    /// The run's budget, where one is set anywhere in it.
    pub budget: Option<BudgetView>,
    /// It was stopped at its own budget, and goes on with a larger one.
    #[serde(rename = "overBudget")]
    pub over_budget: bool,
}

/// Where a run was forked, and what it took over.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunOrigin {
    /// The run that was forked; it may have been deleted since.
    pub run_id: String,
    pub at: String,
    /// Events with a lower `seq` were taken over, with their times.
    pub kept_seq: u32,
    /// What they used: part of the run's usage, and not spent again.
    pub kept: UsageView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Running,
    /// A person must answer.
    Waiting,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StepError {
    pub code: String,
    pub message: String,
    /// The text that had come until it failed; never a result.
    pub partial: Option<String>,
}

/// Everything about one execution of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepDetail {
    pub path: String,
    pub node_id: String,
    pub status: StepStatus,
    pub reason: Option<String>,
    #[specta(type = BTreeMap<String, Any>)]
    pub inputs: Map<String, Value>,
    #[specta(type = Any)]
    pub output: Value,
    #[specta(type = BTreeMap<String, Any>)]
    pub handles: Map<String, Value>,
    pub prompt: Option<String>,
    #[specta(type = Option<Any>)]
    pub raw: Option<Value>,
    pub usage: UsageView,
    #[serde(rename = "durationMs")]
    pub duration_ms: Option<u32>,
    pub model: Option<String>,
    /// It was not executed: a person fixed its value.
    pub pinned: bool,
    /// Of a node that ran tests: how many passed and failed.
    pub checked: Option<Checked>,
    pub error: Option<StepError>,
    /// The tool call that a person is asked about.
    pub request: Option<ToolRequest>,
}

/// A tool call that waits for a person. Its arguments are the step's output.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    /// `http.request`, `mcp:loud/shout`
    pub tool: String,
    /// The call may have been made before it was cut off, and is made again as it was.
    pub again: bool,
    /// The arguments may be edited.
    pub can_edit: bool,
    pub facts: Vec<RequestFact>,
    /// Why the call would fail before it does anything.
    pub problem: Option<String>,
}

/// A line of what a call does, made of what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct RequestFact {
    /// `Address`
    pub label: String,
    pub values: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TemplateInfo {
    pub id: String,
    pub name: String,
    pub description: String,
    /// `write`, `research`, `code` or `data`.
    pub category: String,
    #[specta(type = Any)]
    pub document: Value,
    /// `exits on evaluator`
    pub exits: String,
    /// `up to 15 calls`
    pub max_calls: String,
}

/// What nodes' data becomes when nodes get other ids.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RenamedData {
    /// The whole `data` of each node in which something changed, by the id that the node had before.
    #[specta(type = BTreeMap<String, BTreeMap<String, Any>>)]
    pub data: BTreeMap<String, Map<String, Value>>,
    /// How many places in templates, expressions and scripts were rewritten.
    pub places: u32,
    /// What could not be read and stays as it is, though it may name one of the nodes.
    pub unread: Vec<UnreadField>,
}

/// A template, expression or script with a mistake in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct UnreadField {
    /// The id that the node had before.
    pub node: String,
    /// The field, as a path within `data`.
    pub field: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OpenedFlow {
    pub path: String,
    #[specta(type = Any)]
    pub document: Value,
    /// Changes when the file's content does.
    pub version: String,
    /// Things to tell the person about how it was read.
    pub notes: Vec<String>,
}

impl OpenedFlow {
    /// The file, where it has one.
    pub fn path(&self) -> Option<&str> {
        (!self.path.is_empty()).then_some(&*self.path)
    }
}

/// What was done with one thing of an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// Means the same here.
    Mapped,
    /// Runs, and differs in a way the message names.
    Approximated,
    /// Kept with its source in a node that fails when it is run.
    Placeholder,
    /// Had no effect that a flow could have, and was left out.
    Ignored,
}

/// One line of an import's report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportEntry {
    pub outcome: ImportOutcome,
    /// Where it stands in the source.
    pub place: String,
    /// The node it became, or became part of.
    pub node: Option<String>,
    pub message: String,
}

/// The account of an import: what stops a run first, then what differs, what was left out, and what is the same. Entries with the
/// same message follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportReport {
    /// What `--from` takes for this format.
    pub format: String,
    /// What people call the format.
    pub title: String,
    /// The reading taken where the format has several, with the reason.
    pub dialect: Option<String>,
    pub entries: Vec<ImportEntry>,
}

/// A flow made from another system's file. It was not saved, and nothing of it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ImportedFlow {
    #[specta(type = Any)]
    pub document: Value,
    pub report: ImportReport,
    /// A file name for it: `refine.flow.json`.
    pub file_name: String,
}

/// A format that can be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ImportFormat {
    pub id: String,
    pub title: String,
    pub dialects: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SavedFlow {
    pub path: String,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    pub status: RunStatus,
    pub exit_reason: Option<ExitReason>,
    pub iterations: Option<u32>,
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecentFile {
    pub path: String,
    pub name: String,
    pub opened_at: String,
    pub last_run: Option<LastRun>,
    pub missing: bool,
}

/// A document that was not saved, as it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub id: String,
    /// Its file; null where it never had one.
    pub path: Option<String>,
    /// Of the file when it was read or saved last.
    pub version: Option<String>,
    pub kept_at: String,
    #[specta(type = Any)]
    pub document: Value,
    /// The file as it is on the disk now; null where there is none that can be read.
    #[specta(type = Any)]
    pub saved: Option<Value>,
    pub saved_version: Option<String>,
}

/// What a window finds when it begins: the files that were open last, and drafts that were left.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DeskState {
    pub files: Vec<String>,
    /// The file that was in front.
    pub active: Option<String>,
    /// The newest first.
    pub drafts: Vec<Draft>,
    /// Things to tell the person about what could not be read.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelInfo {
    pub id: String,
    pub name: String,
    pub does: String,
    pub cannot: String,
}

/// How a provider stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    Ready,
    /// It runs on this computer and was found there.
    Found,
    NeedsKey,
    /// It would run on this computer, and does not answer.
    Offline,
    /// It has no address yet.
    NotSetUp,
}

/// Where a key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    Keychain,
    Environment,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    pub id: String,
    pub name: String,
    pub state: ProviderState,
    /// Whether a call can be tried now.
    pub ready: bool,
    /// The state in words: `ready`, or what is missing.
    pub status: String,
    pub base_url: Option<String>,
    pub has_key: bool,
    pub key_source: Option<KeySource>,
    /// The environment variable that holds its key; null where it takes none.
    pub key_variable: Option<String>,
    pub models: Vec<ModelInfo>,
    /// When the list of models was had from the server; null where it was had just now or never.
    pub models_at: Option<String>,
    /// What it is, in a line.
    pub note: String,
    /// How what is missing is given; empty where nothing is.
    pub remedy: String,
}

/// What a test of the connection found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTest {
    pub says: String,
    /// How long the server took, in milliseconds.
    pub took_ms: u32,
}

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Price")]
pub struct PriceInfo {
    pub provider: String,
    /// The model's name; one that ends in `*` is the beginning of names.
    pub model: String,
    pub input: f64,
    /// Of input that the provider had cached; as `input` where it is null.
    pub cached_input: Option<f64>,
    pub output: f64,
    pub long: Option<LongPriceInfo>,
    /// The day on which it was so, `2025-10-01`; empty is today where it is saved.
    pub as_of: String,
    /// Where that is written.
    pub source: String,
    /// The person's own, which goes before the program's.
    pub own: bool,
}

/// What calls with an input of more than `above` tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename = "LongPrice")]
pub struct LongPriceInfo {
    pub above: u64,
    pub input: f64,
    pub output: f64,
}

/// All prices that are known, the person's own first. A model that is not here has no known price.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PriceList {
    pub prices: Vec<PriceInfo>,
    /// Where the person's own are kept.
    pub file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Dark,
    Light,
}

/// What a person chose. Holds no keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub theme: Theme,
    /// The provider of nodes that say `auto`: `auto` (the first that is set up, else built-in), `builtin`, `openai`, ….
    pub provider: String,
    pub model: Option<String>,
    pub openai_base_url: Option<String>,
    /// Addresses of the other providers, by id; they go before those of the environment.
    pub addresses: BTreeMap<String, String>,
    /// The version of Azure's interface, where it is not the usual one.
    pub azure_api_version: Option<String>,
    /// What `search.documents` searches; `None` is the sample collection.
    pub documents_folder: Option<String>,
    pub budget_usd: Option<f64>,
    /// The window asks before it starts a run that could cost more, in dollars. `None`: it never asks.
    pub ask_above_usd: Option<f64>,
    /// Megabytes that past runs may take; beyond that the oldest that are over go. `None`: no limit.
    pub history_limit_mb: Option<u32>,
    /// The proxy that tools' requests go through; `None`: none.
    pub proxy: Option<String>,
    /// What `search.web` asks; `None`: it cannot be used.
    pub web_search: Option<WebSearch>,
    pub mcp_servers: Vec<McpServer>,
    /// Agents beside those that the program knows.
    pub agents: Vec<AgentRunner>,
    /// Stores of runs that several machines share.
    pub stores: Vec<NamedStore>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            provider: "auto".to_owned(),
            model: None,
            openai_base_url: None,
            addresses: BTreeMap::new(),
            azure_api_version: None,
            documents_folder: None,
            budget_usd: None,
            ask_above_usd: Some(1.0),
            history_limit_mb: Some(1_000),
            proxy: None,
            web_search: None,
            mcp_servers: Vec::new(),
            agents: Vec::new(),
            stores: Vec::new(),
        }
    }
}
