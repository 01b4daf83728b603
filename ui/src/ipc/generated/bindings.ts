// Types and commands of the Rust side, as tauri-specta writes them. Do not edit: the generator overwrites this file.
import { type Channel, invoke } from "@tauri-apps/api/core";

export type Result<T, E> = { status: "ok"; data: T } | { status: "error"; error: E };

async function call<T>(command: string, args?: Record<string, unknown>): Promise<Result<T, ApiError>> {
  try {
    return { status: "ok", data: await invoke<T>(command, args) };
  } catch (error) {
    if (error instanceof Error) throw error;
    return { status: "error", error: error as ApiError };
  }
}

export const commands = {
  kinds: () => call<KindsReply>("kinds"),
  analyze: (document: FlowDoc) => call<Analysis>("analyze", { document }),
  templates: () => call<TemplateInfo[]>("templates"),
  newFlow: () => call<FlowDoc>("new_flow"),
  openFlow: (path: string) => call<OpenedFlow>("open_flow", { path }),
  saveFlow: (path: string, document: FlowDoc, expectedVersion: string | null) =>
    call<SavedFlow>("save_flow", { path, document, expectedVersion }),
  pickOpen: () => call<string | null>("pick_open"),
  pickSave: (suggestedName: string) => call<string | null>("pick_save", { suggestedName }),
  pickFolder: () => call<string | null>("pick_folder"),
  recentFiles: () => call<RecentFile[]>("recent_files"),
  forgetRecent: (path: string) => call<null>("forget_recent", { path }),
  startRun: (document: FlowDoc, flowPath: string | null, inputs: Record<string, Json>, events: Channel<RunEvent>) =>
    call<string>("start_run", { document, flowPath, inputs, events }),
  stopRun: (runId: string) => call<null>("stop_run", { runId }),
  runs: () => call<RunSummary[]>("runs"),
  runDetail: (runId: string) => call<RunDetail>("run_detail", { runId }),
  runEvents: (runId: string) => call<RunEvent[]>("run_events", { runId }),
  stepDetail: (runId: string, path: string) => call<StepDetail>("step_detail", { runId, path }),
  deleteRun: (runId: string) => call<null>("delete_run", { runId }),
  providers: () => call<ProviderInfo[]>("providers"),
  settings: () => call<Settings>("settings"),
  saveSettings: (settings: Settings) => call<Settings>("save_settings", { settings }),
  testProvider: (id: string) => call<string>("test_provider", { id }),
};

export type Json = unknown;
export type ApiError = { code: "not_found"|"invalid_flow"|"too_new"|"changed_on_disk"|"io"|"busy"|"invalid_argument"|"internal"; message: string; path?: string|null };

// ---- document (spec/flow-format.md); the UI owns it while editing; unknown fields are kept as they are
export type FlowNode = { id: string; type: string; position: {x:number;y:number}; data: Record<string, Json>; [k: string]: Json };
export type FlowEdge = { id: string; source: string; sourceHandle?: string|null; target: string; targetHandle?: string|null; [k: string]: Json };
export type FlowDoc = { schemaVersion?: number; name?: string; description?: string; settings?: Record<string, Json>; nodes: FlowNode[]; edges: FlowEdge[]; viewport?: {x:number;y:number;zoom:number}; [k: string]: Json };

// ---- kinds
export type ValueType = "text"|"json"|"number"|"boolean"|"any";
export type HandleInfo = { name: string; label: string; valueType: ValueType; primary: boolean; many: boolean };
export type Category = "io"|"ai"|"logic"|"tools"|"flow";
export type ShapeInfo = "plain"|"input"|"output"|"scope_start"|"scope_end"|"branching"|"annotation";
export type KindInfo = { type: string; title: string; category: Category; icon: string /* lucide name, e.g. "message-square-text" */; summary: string /* "prompt a model" */; doc: string; shape: ShapeInfo; repeats: "loop"|"each"|null; pairedWith: string|null; inputs: HandleInfo[]; outputs: HandleInfo[]; schema: Json /* JSON Schema of data, doc comments as descriptions; see formHints below */; defaults: Record<string, Json> };
// Palette presets: e.g. Search = tool kind with data {tool:"search.documents"}; Condition = router with mode rules
export type PresetInfo = { id: string; title: string; category: Category; icon: string; summary: string; type: string; data: Record<string, Json> };
// convertible: pairs [from,to] an edge may join besides equal ones
export type KindsReply = { kinds: KindInfo[]; presets: PresetInfo[]; convertible: [ValueType, ValueType][] };
// In `schema`, each property may carry: title, description, default, enum, minimum, maximum, and
// "x-widget": "template"|"expression"|"textarea"|"model"|"provider"|"branches"|"handles"|"schema"|"tool"|"json" , "x-group": "Prompt"|"Model"|"Limits"|…, "x-show-if": {"field":"mode","in":["llm"]}
// x-widget absent: by type (enum -> select/segmented, integer -> stepper, number -> slider/field, boolean -> switch, string -> text field).

// ---- analysis of the document; call after every change (debounced), never on the UI's own rules
export type Fix = { title: string /* "Add Exit" */; edits: Edit[] };
export type Edit =
  | { op: "add_node"; node: FlowNode } | { op: "remove_node"; id: string }
  | { op: "add_edge"; edge: FlowEdge } | { op: "remove_edge"; id: string }
  | { op: "update_edge"; edge: FlowEdge }
  | { op: "set_data"; node: string; field: string; value: Json | null /* null removes */ }
  | { op: "set_setting"; field: string; value: Json | null };
export type Problem = { code: string; severity: "error"|"warning"; node: string|null; place: string|null /* handle or field, or edge:<id> */; message: string; fix: Fix|null };
export type NodeAnalysis = { inputs: HandleInfo[]; outputs: HandleInfo[]; role: "plain"|"core"|"tail"|"leaf"|"start"|"end"|null; region: string|null /* id of innermost enclosing scope start */; problems: number; modelCalls: boolean };
export type Region = { start: string; end: string|null; repeats: "loop"|"each"; body: string[]; core: string[]; tail: string[]; leaves: string[]; feedbackEdges: string[]; maxIterations: number|null; depth: number };
export type Estimate = { maxCalls: number|null /* null: unknown (a list decides) */; perIteration: number|null; usd: number|null; note: string };
export type Analysis = { problems: Problem[]; nodes: Record<string, NodeAnalysis>; regions: Region[]; estimate: Estimate; runnable: boolean };

// ---- run events (spec/runs.md). snake_case. One stream live, the same from history.
export type Usage = { calls: number; input_tokens: number; output_tokens: number; cost_usd: number|null };
export type RunEventBase = { run_id: string; seq: number; at: string /* ISO 8601 with ms */; node_id: string|null; path: string /* "" for workflow, "refine" , "refine[2]/draft" (1-based) */ };
export type RunEvent = RunEventBase & (
  | { type: "workflow.started"; name: string; inputs: Json; }
  | { type: "workflow.completed"; outputs: Json; duration_ms: number; usage: Usage; warnings: Warning[] }
  | { type: "workflow.failed"; status: "failed"|"cancelled"|"interrupted"; code: string; message: string; duration_ms: number; usage: Usage; warnings: Warning[] }
  | { type: "workflow.node.started"; max_iterations: number|null; input_preview: string|null }
  | { type: "workflow.node.streaming"; tokens: string }
  | { type: "workflow.node.completed"; duration_ms: number; usage: Usage; preview: string; branch: string|null; iterations_run: number|null; exit_reason: ExitReason|null; exhausted: boolean|null; model: string|null }
  | { type: "workflow.node.failed"; duration_ms: number; code: string; message: string; iterations_run: number|null; exit_reason: ExitReason|null; exhausted: boolean|null }
  | { type: "workflow.node.skipped"; reason: string }   // e.g. "not run: last iteration", "branch not taken"
  | { type: "workflow.node.waiting"; message: string }
  | { type: "workflow.node.iteration"; index: number; total: number|null; input_preview: string }   // path = loop path
  | { type: "workflow.loop.condition"; index: number; result: boolean }
  | { type: "workflow.loop.iteration_completed"; index: number; similarity: number|null; condition_result: boolean|null; score: number|null; duration_ms: number; usage: Usage; result_preview: string; status: "completed"|"failed"|"cancelled" }
);
export type ExitReason = "max_iterations"|"evaluator_done"|"stable_output"|"condition_met"|"timeout"|"budget_exceeded"|"cancelled"|"error"|"completed" /* iterator finished */;
export type Warning = { code: string; node: string|null; message: string };
export type RunStatus = "running"|"paused"|"waiting"|"completed"|"failed"|"cancelled"|"interrupted";
export type RunSummary = { runId: string; flow: string; flowPath: string|null; status: RunStatus; startedAt: string; durationMs: number|null; usage: Usage; warnings: Warning[]; iterations: number|null /* of the first loop */; exitReason: ExitReason|null };
export type RunDetail = { summary: RunSummary; document: FlowDoc; inputs: Json; outputs: Json; error: { code: string; node: string|null; message: string } | null };
// values of one step, read on demand (never pushed whole over the event stream)
export type StepDetail = { path: string; node_id: string; status: "running"|"completed"|"failed"|"skipped"|"cancelled"; reason: string|null; inputs: Record<string, Json>; output: Json /* primary value */; handles: Record<string, Json>; prompt: string|null; raw: Json|null; usage: Usage; durationMs: number|null; model: string|null; error: {code:string;message:string}|null };

// ---- templates, files, providers
export type TemplateInfo = { id: string; name: string; description: string; category: "write"|"research"|"code"|"data"; document: FlowDoc; exits: string /* "exits on evaluator" */; maxCalls: string /* "up to 15 calls" */ };
export type OpenedFlow = { path: string; document: FlowDoc; version: string /* content hash, for changed_on_disk */; notes: string[] };
export type SavedFlow = { path: string; version: string };
export type RecentFile = { path: string; name: string; openedAt: string; lastRun: { status: RunStatus; exitReason: ExitReason|null; iterations: number|null; at: string }|null; missing: boolean };
export type ModelInfo = { id: string; name: string; does: string; cannot: string };
export type ProviderInfo = { id: string /* "builtin" | "openai" | … */; name: string; ready: boolean; status: string /* "ready", "needs an address" */; baseUrl: string|null; hasKey: boolean; models: ModelInfo[]; note: string };
export type Settings = { theme: "system"|"dark"|"light"; provider: string; model: string|null; openaiBaseUrl: string|null; documentsFolder: string|null; budgetUsd: number|null };

