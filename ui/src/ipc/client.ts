// The only door to the Rust side. Everything else in the window calls `api()`, so that a page opened
// outside the shell (dev server, tests) can put an in-memory double in its place.
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type { EvaluationBackend, ExperimentProgress } from "./evaluation";
import {
  type Analysis,
  type ApiError,
  type BatchView,
  type CostEstimate,
  commands,
  type FieldEdit,
  type FieldPlace,
  type FieldPreview,
  type FlowDoc,
  type FlowRuns,
  type ForkedFlow,
  type ForkPlace,
  type ForkRequest,
  type ImportEntry,
  type ImportedFlow,
  type ImportedRun,
  type ImportFormat,
  type IterationPage,
  type Json,
  type KeychainTrouble,
  type KindsReply,
  type McpStanding,
  type ModelInfo,
  type NamedKey,
  type NamedStore,
  type NamesInScope,
  type OpenedFlow,
  type Price,
  type PriceList,
  type ProviderInfo,
  type ProviderTest,
  type RecentFile,
  type RenamedData,
  type Replayed,
  type Result,
  type RunBudget,
  type RunComparison,
  type RunDetail,
  type RunEvent,
  type RunFocus,
  type RunPage,
  type RunQuery,
  type RunSummary,
  type SavedFlow,
  type SessionState,
  type Settings,
  type StepAnswer,
  type StepComparison,
  type StepDetail,
  type StoreCheck,
  type StoreInfo,
  type TemplateInfo,
  type ToolDescription,
  type ToolRequest,
  type TrustedFlow,
  type TrustList,
  type Word,
} from "./generated/bindings";

/** Where another system's flow is read from: exactly one of the two. */
export type ImportSource =
  | { readonly path: string; readonly text?: undefined }
  | { readonly text: string; readonly path?: undefined };

export interface Backend extends EvaluationBackend {
  /** The words of the template language. */
  templateLanguage(): Promise<Word[]>;
  /** The names that a template at a field can read, with what they held in a recorded run. */
  namesInScope(document: FlowDoc, path: string | null, at: FieldPlace): Promise<NamesInScope>;
  /** What a field's template comes to with a recorded run's values; null where there is no such run. */
  previewField(document: FlowDoc, path: string | null, at: FieldPlace): Promise<FieldPreview | null>;
  /** The tools that a node can use, with the schemas of their arguments. */
  tools(): Promise<ToolDescription[]>;
  /** The MCP servers of the settings: how each would be started, and what it last said of its tools. Starts none. */
  mcpServers(): Promise<McpStanding[]>;
  /** Starts a server, lists its tools and ends it. `item`: what the person approved, from `mcpServers`. */
  lookAtMcp(name: string, item: string): Promise<McpStanding>;
  /** The keys that the settings name for tools, and where each is. */
  toolKeys(): Promise<NamedKey[]>;
  /** What is wrong with the system's keychain; null where nothing is. */
  keychainTrouble(): Promise<KeychainTrouble | null>;
  kinds(): Promise<KindsReply>;
  /** What a person should be told about how the program started. */
  notices(): Promise<string[]>;
  /** `path`: the document's file, from which its references to subflows start; null where it was never saved. */
  analyze(document: FlowDoc, path: string | null): Promise<Analysis>;
  /** What nodes' data becomes when nodes get other ids (`names`, from old to new). `document` may be a part of a flow. */
  renameNodes(document: FlowDoc, names: Record<string, string>): Promise<RenamedData>;
  templates(): Promise<TemplateInfo[]>;
  newFlow(): Promise<FlowDoc>;
  openFlow(path: string): Promise<OpenedFlow>;
  saveFlow(path: string, document: FlowDoc, expectedVersion: string | null): Promise<SavedFlow>;
  /** The flow that a subflow's `reference` names in the file `holder`, as the file it is. */
  readSubflow(holder: string, reference: string): Promise<OpenedFlow>;
  /** As `readSubflow`, with a document to hold inline in `holder` instead. */
  inlineSubflow(holder: string, reference: string): Promise<OpenedFlow>;
  /** Writes a flow that stands inline in `holder` to a new file there; never overwrites one. */
  saveSubflow(holder: string, reference: string, document: FlowDoc): Promise<SavedFlow>;
  /** What a node in the file `holder` writes in `ref` for the file at `path`. */
  subflowReference(holder: string, path: string): Promise<string>;
  pickOpen(): Promise<string | null>;
  pickSave(suggestedName: string): Promise<string | null>;
  pickFolder(): Promise<string | null>;
  /** A file that holds an exported run. */
  pickRun(): Promise<string | null>;
  pickRunExport(suggestedName: string): Promise<string | null>;
  /** Where a program that is made of a flow is to be written. */
  pickProgram(suggestedName: string): Promise<string | null>;
  /** Writes a flow as a LangGraph program; gives what of it is not there or is otherwise. Without `target` nothing is written. */
  exportLanggraph(document: FlowDoc, path: string | null, target: string | null): Promise<ImportEntry[]>;
  /** Opens a link of the web in the system's browser; ask the person first. */
  openLink(url: string): Promise<unknown>;
  /** Writes a picture to a file named `.png` or `.svg`, as it is one. */
  savePicture(path: string, bytes: Uint8Array): Promise<unknown>;
  recentFiles(): Promise<RecentFile[]>;
  forgetRecent(path: string): Promise<unknown>;
  /** A flow made from another system's file. `from`: the format's id, `dialect`: the reading; null: as it looks. */
  importFlow(source: ImportSource, from: string | null, dialect: string | null): Promise<ImportedFlow>;
  importFormats(): Promise<ImportFormat[]>;
  /** The files that were open last, and drafts of what was not saved. */
  session(): Promise<SessionState>;
  /** Remembers which files are open, in the order of their tabs. */
  keepTabs(files: string[], active: string | null): Promise<unknown>;
  /** Keeps a document that is not saved, so that it outlives the program. `version`: of the file it was made from. */
  keepDraft(id: string, path: string | null, version: string | null, document: FlowDoc): Promise<unknown>;
  dropDraft(id: string): Promise<unknown>;
  /** The version of a file as it is on the disk now; null where it is gone. */
  fileVersion(path: string): Promise<string | null>;
  /** What a flow would use of the world, and what of it is approved. */
  grants(document: FlowDoc, path: string | null): Promise<TrustList>;
  /** Approves items of the list with this digest, from now on. */
  approveGrants(document: FlowDoc, path: string | null, digest: string, items: string[]): Promise<TrustList>;
  /** Writes down that the person refused. */
  refuseGrants(document: FlowDoc, path: string | null): Promise<string>;
  trustedFlows(): Promise<TrustedFlow[]>;
  /** Takes back one item, or everything that a flow may use. */
  revokeGrants(flow: string, item: string | null): Promise<unknown>;
  /** Resolves with the run's id once it has been accepted; events may arrive before that. */
  startRun(
    document: FlowDoc,
    flowPath: string | null,
    inputs: Record<string, Json>,
    onEvent: (event: RunEvent) => void,
    focus?: RunFocus | null,
  ): Promise<string>;
  stopRun(runId: string): Promise<unknown>;
  /** The runs that would end with the window, newest first. */
  goingRuns(): Promise<RunSummary[]>;
  /** Lets go of those runs where they stand; they can be resumed at the next start. */
  leaveRuns(): Promise<unknown>;
  /** Forks a run and resolves with the new run's id; the kept events come first. */
  forkRun(request: ForkRequest, onEvent: (event: RunEvent) => void): Promise<string>;
  /** The flow that a fork of a run would run, with its file. Nothing is forked. */
  forkedFlow(runId: string, document: FlowDoc | null, edits: FieldEdit[]): Promise<ForkedFlow>;
  /** What stands at a place of a run, and what a fork there keeps. */
  forkPlace(runId: string, at: string): Promise<ForkPlace>;
  /** Makes a recorded run again from its journal, event for event. */
  replayRun(runId: string, onEvent: (event: RunEvent) => void): Promise<Replayed>;
  compareRuns(a: string, b: string): Promise<RunComparison>;
  compareStep(a: string, b: string, path: string): Promise<StepComparison>;
  /** Answers a step that waits for a person; the run's further events come through `onEvent`. */
  answerRun(
    runId: string,
    path: string,
    answer: StepAnswer,
    onEvent: (event: RunEvent) => void,
  ): Promise<unknown>;
  /** Goes on with an interrupted or paused run, or with one stopped at its budget that gets a larger one. */
  resumeRun(runId: string, onEvent: (event: RunEvent) => void, budget?: RunBudget | null): Promise<unknown>;
  /** Holds a run: what is under way ends, and nothing is started. */
  pauseRun(runId: string): Promise<unknown>;
  continueRun(runId: string, onEvent: (event: RunEvent) => void): Promise<unknown>;
  /** The most that a run can cost, before it starts. */
  estimate(document: FlowDoc, path: string | null, inputs: Record<string, Json>): Promise<CostEstimate>;
  prices(): Promise<PriceList>;
  savePrices(own: Price[]): Promise<PriceList>;
  runs(): Promise<RunSummary[]>;
  /** A page of the runs that are meant, and what all of them come to. */
  findRuns(query: RunQuery, store?: string | null): Promise<RunPage>;
  runFlows(store?: string | null): Promise<FlowRuns[]>;
  storeInfo(store?: string | null): Promise<StoreInfo>;
  /** Watches a run that another program leads: its events from number `from` on come until it ends or is suspended. */
  followRun(runId: string, from: number, onEvent: (event: RunEvent) => void): Promise<unknown>;
  /** Watches it no more. The run itself goes on. */
  unfollowRun(runId: string): Promise<unknown>;
  /** The shared stores that have a name. The id of a run in one begins with its name: `work/0192…`. */
  stores(): Promise<NamedStore[]>;
  /** Names a store. A password in the address goes to the system's keychain. */
  addStore(name: string, url: string): Promise<NamedStore>;
  /** Forgets a store's name and password. Its runs stay where they are. */
  removeStore(name: string): Promise<unknown>;
  checkStore(name: string): Promise<StoreCheck>;
  /** The batches of a store, newest first. */
  batches(store: string): Promise<BatchView[]>;
  /** Asks all runs of a batch that are not over to stop, and resolves with how many there are. */
  stopBatch(store: string, batch: string): Promise<number>;
  /** Runs failed and stopped runs again, and resolves with how many there are. */
  retryBatch(store: string, batch: string): Promise<number>;
  deleteBatch(store: string, batch: string): Promise<unknown>;
  /** Writes the outputs as JSONL, in the order of the inputs. */
  saveBatchOutputs(store: string, batch: string, path: string): Promise<unknown>;
  /** Writes a run to a file, as one JSON document. */
  exportRun(runId: string, path: string): Promise<unknown>;
  /** Keeps the run that a file holds, under a new id where there is one of its own already. */
  importRun(path: string): Promise<ImportedRun>;
  runDetail(runId: string): Promise<RunDetail>;
  /** The events of a run outside of its iterations: a long run opens as fast as a short one. */
  runOutline(runId: string): Promise<RunEvent[]>;
  /** Finished iterations of the loop or list at the path `scope`, in order; at most 500 a page. */
  runIterations(runId: string, scope: string, offset: number, limit: number): Promise<IterationPage>;
  /** The events within `count` iterations of `scope`, from number `first` (from 0). */
  iterationEvents(runId: string, scope: string, first: number, count: number): Promise<RunEvent[]>;
  runEvents(runId: string): Promise<RunEvent[]>;
  stepDetail(runId: string, path: string): Promise<StepDetail>;
  /** What a call that waits for a person would do with these arguments in place of its own. */
  describeCall(runId: string, path: string, args: Record<string, Json>): Promise<ToolRequest>;
  /** An empty name takes it away. */
  renameRun(runId: string, name: string): Promise<unknown>;
  starRun(runId: string, starred: boolean): Promise<unknown>;
  deleteRun(runId: string): Promise<unknown>;
  providers(): Promise<ProviderInfo[]>;
  settings(): Promise<Settings>;
  saveSettings(settings: Settings): Promise<Settings>;
  testProvider(id: string): Promise<ProviderTest>;
  /** Asks a provider for its models, and keeps the list. */
  refreshModels(id: string): Promise<ModelInfo[]>;
  /** Keeps a provider's key, or that of a tool by its name, in the system's keychain. It is never given back. */
  setKey(id: string, key: string): Promise<unknown>;
  /** False where there was none. */
  removeKey(id: string): Promise<boolean>;
}

/** What a rejected call carries: the code for branching, the message for people. */
export class ApiFailure extends Error {
  readonly code: ApiError["code"];
  readonly path: string | null;
  constructor(error: Omit<ApiError, "path"> & Partial<ApiError>) {
    super(error.message);
    this.name = "ApiFailure";
    this.code = error.code;
    this.path = error.path ?? null;
  }
}

async function unwrap<T>(reply: Promise<Result<T, ApiError>>): Promise<T> {
  const result = await reply;
  if (result.status === "ok") return result.data;
  throw new ApiFailure(result.error);
}

/** Events come in batches: a message costs the same whatever it holds. */
function channel(onEvent: (event: RunEvent) => void): Channel<RunEvent[]> {
  const events = new Channel<RunEvent[]>();
  events.onmessage = (some) => {
    for (const event of some) onEvent(event);
  };
  return events;
}

function progressChannel(onProgress: (progress: ExperimentProgress) => void): Channel<ExperimentProgress> {
  const progress = new Channel<ExperimentProgress>();
  progress.onmessage = onProgress;
  return progress;
}

const evaluations: EvaluationBackend = {
  evaluationsBeside: (flowPath) => unwrap(commands.evaluationsBeside(flowPath)),
  openEvaluation: (path) => unwrap(commands.openEvaluation(path)),
  newEvaluation: (flowPath, document, dataPath) =>
    unwrap(commands.newEvaluation(flowPath, document, dataPath)),
  saveEvaluation: (path, evaluation, expectedVersion) =>
    unwrap(commands.saveEvaluation(path, evaluation, expectedVersion)),
  checkEvaluation: (path, evaluation) => commands.checkEvaluation(path, evaluation),
  readCases: (path, evaluation) => unwrap(commands.readCases(path, evaluation)),
  estimateEvaluation: (path, evaluation) => unwrap(commands.estimateEvaluation(path, evaluation)),
  startExperiment: (path, evaluation, onProgress) =>
    unwrap(commands.startExperiment(path, evaluation, progressChannel(onProgress))),
  rerunCells: (id, cells, onProgress) => unwrap(commands.rerunCells(id, cells, progressChannel(onProgress))),
  stopExperiment: (id) => unwrap(commands.stopExperiment(id)),
  experiments: (path) => unwrap(commands.experiments(path)),
  experiment: (id) => unwrap(commands.experiment(id)),
  experimentRows: (id, offset, limit) => unwrap(commands.experimentRows(id, offset, limit)),
  deleteExperiment: (id) => unwrap(commands.deleteExperiment(id)),
  backtest: (id, policies) => unwrap(commands.backtest(id, policies)),
  exportExperiment: (id, path) => unwrap(commands.exportExperiment(id, path)),
  rateResult: (id, cell, iteration, rating, scorer) =>
    unwrap(commands.rateResult(id, cell, iteration, rating, scorer)),
  ratings: (id) => unwrap(commands.ratings(id)),
  blindItem: (id, scorer) => unwrap(commands.blindItem(id, scorer)),
  keepTest: (runId, path) => unwrap(commands.keepTest(runId, path)),
  pickData: () => unwrap(commands.pickData()),
  pickEvaluation: () => unwrap(commands.pickEvaluation()),
  pickExport: (suggestedName) => unwrap(commands.pickExport(suggestedName)),
};

const shell: Backend = {
  ...evaluations,
  kinds: () => unwrap(commands.kinds()),
  notices: () => unwrap(commands.notices()),
  analyze: (document, path) => unwrap(commands.analyze(document, path)),
  renameNodes: (document, names) => unwrap(commands.renameNodes(document, names)),
  templateLanguage: () => unwrap(commands.templateLanguage()),
  namesInScope: (document, path, at) => unwrap(commands.namesInScope(document, path, at)),
  previewField: (document, path, at) => unwrap(commands.previewField(document, path, at)),
  tools: () => unwrap(commands.tools()),
  mcpServers: () => unwrap(commands.mcpServers()),
  lookAtMcp: (name, item) => unwrap(commands.lookAtMcp(name, item)),
  toolKeys: () => unwrap(commands.toolKeys()),
  keychainTrouble: () => unwrap(commands.keychainTrouble()),
  templates: () => unwrap(commands.templates()),
  newFlow: () => unwrap(commands.newFlow()),
  openFlow: (path) => unwrap(commands.openFlow(path)),
  saveFlow: (path, document, version) => unwrap(commands.saveFlow(path, document, version)),
  readSubflow: (holder, reference) => unwrap(commands.readSubflow(holder, reference)),
  inlineSubflow: (holder, reference) => unwrap(commands.inlineSubflow(holder, reference)),
  saveSubflow: (holder, reference, document) => unwrap(commands.saveSubflow(holder, reference, document)),
  subflowReference: (holder, path) => unwrap(commands.subflowReference(holder, path)),
  pickOpen: () => unwrap(commands.pickOpen()),
  pickSave: (name) => unwrap(commands.pickSave(name)),
  pickFolder: () => unwrap(commands.pickFolder()),
  pickRun: () => unwrap(commands.pickRun()),
  pickRunExport: (name) => unwrap(commands.pickRunExport(name)),
  pickProgram: (name) => unwrap(commands.pickProgram(name)),
  exportLanggraph: (document, path, target) => unwrap(commands.exportLanggraph(document, path, target)),
  openLink: (url) => unwrap(commands.openLink(url)),
  savePicture: (path, bytes) => unwrap(commands.savePicture(path, [...bytes])),
  recentFiles: () => unwrap(commands.recentFiles()),
  importFlow: ({ path = null, text = null }, from, dialect) =>
    unwrap(commands.importFlow(path, text, null, from, dialect)),
  importFormats: () => unwrap(commands.importFormats()),
  forgetRecent: (path) => unwrap(commands.forgetRecent(path)),
  session: () => unwrap(commands.session()),
  keepTabs: (files, active) => unwrap(commands.keepTabs(files, active)),
  keepDraft: (id, path, version, document) => unwrap(commands.keepDraft(id, path, version, document)),
  dropDraft: (id) => unwrap(commands.dropDraft(id)),
  fileVersion: (path) => unwrap(commands.fileVersion(path)),
  grants: (document, path) => unwrap(commands.grants(document, path)),
  approveGrants: (document, path, digest, items) =>
    unwrap(commands.approveGrants(document, path, digest, items)),
  refuseGrants: (document, path) => unwrap(commands.refuseGrants(document, path)),
  trustedFlows: () => unwrap(commands.trustedFlows()),
  revokeGrants: (flow, item) => unwrap(commands.revokeGrants(flow, item)),
  startRun: (document, flowPath, inputs, onEvent, focus) => {
    return unwrap(commands.startRun(document, flowPath, inputs, focus ?? null, channel(onEvent)));
  },
  forkRun: (request, onEvent) => unwrap(commands.forkRun(request, channel(onEvent))),
  forkedFlow: (runId, document, edits) => unwrap(commands.forkedFlow(runId, document, edits)),
  forkPlace: (runId, at) => unwrap(commands.forkPlace(runId, at)),
  replayRun: (runId, onEvent) => unwrap(commands.replayRun(runId, channel(onEvent))),
  compareRuns: (a, b) => unwrap(commands.compareRuns(a, b)),
  compareStep: (a, b, path) => unwrap(commands.compareStep(a, b, path)),
  stopRun: (runId) => unwrap(commands.stopRun(runId)),
  goingRuns: () => unwrap(commands.goingRuns()),
  leaveRuns: () => unwrap(commands.leaveRuns()),
  answerRun: (runId, path, answer, onEvent) =>
    unwrap(commands.answerRun(runId, path, answer, channel(onEvent))),
  resumeRun: (runId, onEvent, budget = null) => unwrap(commands.resumeRun(runId, budget, channel(onEvent))),
  pauseRun: (runId) => unwrap(commands.pauseRun(runId)),
  continueRun: (runId, onEvent) => unwrap(commands.continueRun(runId, channel(onEvent))),
  estimate: (document, path, inputs) => unwrap(commands.estimate(document, path, inputs)),
  prices: () => unwrap(commands.prices()),
  savePrices: (own) => unwrap(commands.savePrices(own)),
  runs: () => unwrap(commands.runs()),
  findRuns: (query, store = null) => unwrap(commands.findRuns(query, store)),
  runFlows: (store = null) => unwrap(commands.runFlows(store)),
  storeInfo: (store = null) => unwrap(commands.storeInfo(store)),
  followRun: (runId, from, onEvent) => unwrap(commands.followRun(runId, from, channel(onEvent))),
  unfollowRun: (runId) => commands.unfollowRun(runId),
  stores: () => commands.stores(),
  addStore: (name, url) => unwrap(commands.addStore(name, url)),
  removeStore: (name) => unwrap(commands.removeStore(name)),
  checkStore: (name) => unwrap(commands.checkStore(name)),
  batches: (store) => unwrap(commands.batches(store)),
  stopBatch: (store, batch) => unwrap(commands.stopBatch(store, batch)),
  retryBatch: (store, batch) => unwrap(commands.retryBatch(store, batch)),
  deleteBatch: (store, batch) => unwrap(commands.deleteBatch(store, batch)),
  saveBatchOutputs: (store, batch, path) => unwrap(commands.saveBatchOutputs(store, batch, path)),
  exportRun: (runId, path) => unwrap(commands.exportRun(runId, path)),
  importRun: (path) => unwrap(commands.importRun(path)),
  runOutline: (runId) => unwrap(commands.runOutline(runId)),
  runIterations: (runId, scope, offset, limit) => unwrap(commands.runIterations(runId, scope, offset, limit)),
  iterationEvents: (runId, scope, first, count) =>
    unwrap(commands.iterationEvents(runId, scope, first, count)),
  runDetail: (runId) => unwrap(commands.runDetail(runId)),
  runEvents: (runId) => unwrap(commands.runEvents(runId)),
  stepDetail: (runId, path) => unwrap(commands.stepDetail(runId, path)),
  describeCall: (runId, path, args) => unwrap(commands.describeCall(runId, path, args)),
  renameRun: (runId, name) => unwrap(commands.renameRun(runId, name)),
  starRun: (runId, starred) => unwrap(commands.starRun(runId, starred)),
  deleteRun: (runId) => unwrap(commands.deleteRun(runId)),
  providers: () => unwrap(commands.providers()),
  settings: () => unwrap(commands.settings()),
  saveSettings: (settings) => unwrap(commands.saveSettings(settings)),
  testProvider: (id) => unwrap(commands.testProvider(id)),
  refreshModels: (id) => unwrap(commands.refreshModels(id)),
  setKey: (id, key) => unwrap(commands.setKey(id, key)),
  removeKey: (id) => unwrap(commands.removeKey(id)),
};

let backend: Backend = shell;

export function api(): Backend {
  return backend;
}

/** For tests and the dev server: answers calls from memory. */
export function replaceBackend(double: Backend): void {
  backend = double;
}

export function insideShell(): boolean {
  return typeof window !== "undefined" && "__TAURI_INTERNALS__" in window;
}

/** Whether the processor paints the page, for lack of a graphics card: then everything that moves is dear. */
export function isDrawnInSoftware(): boolean {
  return (globalThis as { __LOOPWRIGHT_DRAWING__?: string }).__LOOPWRIGHT_DRAWING__ === "software";
}

export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** Asks before the window closes; `mayClose` answers whether it may. */
export async function guardWindowClose(confirmClose: () => Promise<boolean>): Promise<void> {
  if (!insideShell()) return;
  const current = getCurrentWindow();
  await current.onCloseRequested(async (event) => {
    if (!(await confirmClose())) event.preventDefault();
  });
}

/** Tells of files that are dragged over the window and dropped on it. Resolves with what ends it. */
export async function followDraggedFiles(tell: {
  over: () => void;
  away: () => void;
  dropped: (paths: string[]) => void;
}): Promise<() => void> {
  if (!insideShell()) return () => {};
  return getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === "enter") tell.over();
    else if (payload.type === "leave") tell.away();
    else if (payload.type === "drop") tell.dropped(payload.paths);
  });
}

export async function setWindowTitle(title: string): Promise<void> {
  if (insideShell()) await getCurrentWindow().setTitle(title);
  else document.title = title;
}
