// The double that replaces Rust when the page is opened outside the shell, by the dev server and by tests. It
// is loaded by a dynamic import behind `import.meta.env.DEV`, so that no bundle contains it.
import { ApiFailure, type Backend } from "./client";
import type {
  FlowDoc,
  McpServer,
  McpStanding,
  ProviderInfo,
  ProviderState,
  RunDetail,
  RunEvent,
  RunSummary,
  Settings,
  StepDetail,
} from "./generated/bindings";
import { testAnalysis } from "./testing/analysis";
import { type EvaluationDouble, testEvaluation } from "./testing/evaluation";
import { testExpressions } from "./testing/expressions";
import { testTemplates } from "./testing/flows";
import { testImport } from "./testing/import";
import { testKinds } from "./testing/kinds";
import { pastRuns } from "./testing/past";
import { type SimulatedRun, simulateRun } from "./testing/run";
import { testSession } from "./testing/session";
import { sharedStores } from "./testing/stores";
import { testToolRequest } from "./testing/tool-requests";

const provider = (id: string, name: string, state: ProviderState, status: string): ProviderInfo => ({
  id,
  name,
  state,
  ready: state === "ready" || state === "found",
  status,
  baseUrl: null,
  hasKey: false,
  keySource: null,
  keyVariable: null,
  models: [],
  modelsAt: null,
  note: "",
  remedy: "",
});

const shownAs = (server: McpServer) => server.url ?? [server.command, ...(server.args ?? [])].join(" ");

const serverStatus = (server: McpServer, looked: boolean): McpStanding => ({
  server: server.name ?? "",
  shown: shownAs(server),
  item: `server:${server.name}#${shownAs(server).length}`,
  approved: looked,
  tools: looked ? [["echo", "Says back what it is told."]] : null,
});

const NO_ESTIMATE = {
  maxCalls: null,
  maxUsd: null,
  maxTokens: null,
  agentTurns: null,
  unknown: ["A simulated run costs nothing."],
  unbounded: [],
  note: "cost unknown",
};

const NO_USAGE = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export function testBackend(
  options: { files?: Record<string, FlowDoc>; stepMs?: number; evaluation?: EvaluationDouble } = {},
): Backend {
  const files = new Map<string, { document: FlowDoc; version: number }>();
  for (const [path, document] of Object.entries(options.files ?? {}))
    files.set(path, { document, version: 1 });
  for (const template of testTemplates) {
    files.set(`/flows/${template.id}.loop`, { document: template.document, version: 1 });
  }
  const runs = new Map<string, SimulatedRun>();
  const starts = new Map<string, (onEvent: (event: RunEvent) => void) => SimulatedRun>();
  let prepared = 0;
  let settings: Settings = {
    theme: "system",
    provider: "builtin",
    model: null,
    openaiBaseUrl: null,
    addresses: {},
    azureApiVersion: null,
    documentsFolder: null,
    budgetUsd: null,
    askAboveUsd: null,
    retryCalls: true,
    historyLimitMb: 1000,
    proxy: null,
    webSearch: null,
    mcpServers: [],
    agents: [],
    stores: [],
  };
  const keys = new Set<string>();
  const looked = new Set<string>();
  const run = (id: string): SimulatedRun => {
    const found = runs.get(id);
    if (!found) throw new ApiFailure({ code: "not_found", message: `No run has the id ${id}.` });
    return found;
  };
  const openFile = (path: string) => {
    const file = files.get(path);
    if (!file) throw new ApiFailure({ code: "not_found", message: `There is no file at ${path}.`, path });
    return { path, document: structuredClone(file.document), version: String(file.version), notes: [] };
  };
  const beside = (holder: string, reference: string) =>
    holder.slice(0, holder.lastIndexOf("/") + 1) + reference;
  return {
    kinds: async () => testKinds,
    notices: async () => [],
    keepView: async () => undefined,
    restoredView: async () => null,
    answerClose: async () => undefined,
    analyze: async (document) => testAnalysis(document),
    // Only Rust can parse templates, so the double leaves them unchanged.
    renameNodes: async () => ({ data: {}, places: 0, unread: [] }),
    ...testExpressions,
    templates: async () => testTemplates,
    newFlow: async () => ({ schemaVersion: 1, name: "Untitled", nodes: [], edges: [] }),
    openFlow: async (path) => openFile(path),
    readSubflow: async (holder, reference) => openFile(beside(holder, reference)),
    inlineSubflow: async (holder, reference) => openFile(beside(holder, reference)),
    saveSubflow: async (holder, reference, document) => {
      const path = beside(holder, reference);
      if (files.has(path))
        throw new ApiFailure({
          code: "io",
          message: `${path} already exists. Choose another name.`,
        });
      files.set(path, { document: structuredClone(document), version: 1 });
      return { path, version: "1" };
    },
    subflowReference: async (holder, path) => path.slice(holder.lastIndexOf("/") + 1),
    saveFlow: async (path, document, expected) => {
      const file = files.get(path);
      if (file && expected !== null && String(file.version) !== expected) {
        throw new ApiFailure({
          code: "changed_on_disk",
          message: `${path} was changed by another program since it was opened.`,
          path,
        });
      }
      const version = (file?.version ?? 0) + 1;
      files.set(path, { document: structuredClone(document), version });
      return { path, version: String(version) };
    },
    pickOpen: async () => "/flows/agentic-search.loop",
    pickSave: async (name) => `/flows/${name}`,
    pickFolder: async () => "/flows",
    pickRun: async () => "/runs/run.json",
    pickRunExport: async (name) => `/runs/${name}`,
    pickProgram: async (name) => `/programs/${name}`,
    exportLanggraph: async (document) =>
      document.nodes.slice(0, 2).map((node) => ({
        outcome: "approximated",
        place: node.id,
        node: node.id,
        message: "It is written another way there.",
      })),
    mcpServers: async () =>
      settings.mcpServers.map((server) => serverStatus(server, looked.has(shownAs(server)))),
    lookAtMcp: async (name, item) => {
      const server = settings.mcpServers.find((known) => known.name === name);
      if (!server || serverStatus(server, false).item !== item)
        throw new ApiFailure({ code: "not_approved", message: `How “${name}” is started has changed.` });
      looked.add(shownAs(server));
      return serverStatus(server, true);
    },
    toolKeys: async () =>
      settings.mcpServers
        .flatMap((server) => (server.env ?? []).map((name) => ({ name, user: `MCP server ${server.name}` })))
        .map(({ name, user }) => ({
          name,
          usedBy: [user],
          source: keys.has(name) ? ("keychain" as const) : null,
        })),
    keychainTrouble: async () => null,
    openLink: async () => null,
    savePicture: async () => null,
    recentFiles: async () =>
      [...files.keys()].map((path) => ({
        path,
        name: path.split("/").at(-1) ?? path,
        openedAt: "2026-01-05T10:00:00.000Z",
        lastRun: null,
        missing: false,
      })),
    ...testSession(files),
    ...testEvaluation(options.evaluation),
    ...testImport(),
    forgetRecent: async (path) => files.delete(path),
    grants: async () => ({ flow: "test", digest: "", needs: [], missing: 0 }),
    approveGrants: async () => ({ flow: "test", digest: "", needs: [], missing: 0 }),
    refuseGrants: async () => "refused",
    trustedFlows: async () => [],
    revokeGrants: async () => null,
    prepareRun: async (document, flowPath, inputs) => {
      const id = `prepared-${++prepared}`;
      starts.set(id, (onEvent) => simulateRun(document, flowPath, inputs, onEvent, options.stepMs ?? 60));
      const { problems, runnable } = testAnalysis(document);
      const needs = { flow: "test", digest: "", needs: [], missing: 0 };
      return { id, problems, runnable, mostItCanCost: NO_ESTIMATE, needs: runnable ? needs : null };
    },
    startRun: async (id, onEvent) => {
      const start = starts.get(id);
      if (!start) throw new ApiFailure({ code: "not_found", message: "This run is no longer prepared." });
      starts.delete(id);
      const simulated = start(onEvent);
      runs.set(simulated.id, simulated);
      return simulated.id;
    },
    approvePrepared: async () => null,
    refusePrepared: async () => "refused",
    stopRun: async (id) => run(id).stop(),
    goingRuns: async () =>
      [...runs.values()].map((one) => one.summary()).filter((one) => one.status === "running"),
    leaveRuns: async () => {
      for (const one of runs.values()) one.stop();
    },
    forkRun: async (request, onEvent) => {
      const { document, summary, inputs } = run(request.runId).detail();
      const flow = request.document ?? (document as FlowDoc);
      const forked = simulateRun(
        flow,
        summary.flowPath,
        inputs as Record<string, unknown>,
        onEvent,
        options.stepMs ?? 60,
      );
      runs.set(forked.id, forked);
      return forked.id;
    },
    forkedFlow: async (id, document) => ({
      document: document ?? run(id).detail().document,
      path: run(id).summary().flowPath,
    }),
    forkPlace: async (id, at) => ({
      at,
      nodeId: at.split("/").at(-1) ?? at,
      isIteration: at.endsWith("]"),
      isBeyond: false,
      value: at.endsWith("]") ? "A draft" : run(id).step(at).output,
      kept: NO_USAGE,
      rest: run(id).summary().usage,
    }),
    replayRun: async (id, onEvent) => {
      const { events, summary, detail } = run(id);
      for (const event of events) onEvent(event);
      const { status, usage, durationMs, warnings } = summary();
      const { outputs, error } = detail();
      return {
        records: events.length,
        events: events.length,
        status,
        outputs,
        usage,
        durationMs,
        warnings,
        error,
      };
    },
    compareRuns: async (a, b) => ({
      a: run(a).summary(),
      b: run(b).summary(),
      errorA: null,
      errorB: null,
      forkedAt: null,
      settings: [],
      structure: [],
      inputs: [],
      outputs: [],
      loops: [],
      steps: [],
      sameSteps: 0,
    }),
    compareStep: async (a, b, path) => {
      const [ofA, ofB] = [run(a).step(path), run(b).step(path)];
      return { a: ofA, b: ofB, prompt: [], output: [{ kind: "same", text: String(ofA.output) }] };
    },
    answerRun: async (id, path, answer) => {
      run(id).answers.push({ path, answer });
    },
    resumeRun: async (id) => run(id),
    pauseRun: async (id) => run(id),
    askAgain: async (id) => run(id),
    continueRun: async (id) => run(id),
    estimate: async () => NO_ESTIMATE,
    prices: async () => ({ prices: [], file: "/data/prices.json" }),
    savePrices: async (own) => ({ prices: own, file: "/data/prices.json" }),
    runs: async (): Promise<RunSummary[]> => [...runs.values()].map((r) => r.summary()).reverse(),
    ...sharedStores(),
    ...pastRuns(runs, run),
    runDetail: async (id): Promise<RunDetail> => run(id).detail(),
    runEvents: async (id): Promise<RunEvent[]> =>
      run(id).events.filter((event) => event.type !== "workflow.node.streaming"),
    stepDetail: async (id, path): Promise<StepDetail> => run(id).step(path),
    describeCall: async (id, path, args) => {
      const { request } = run(id).step(path);
      if (!request) throw new Error(`Nothing at ${path} asks for a tool.`);
      return testToolRequest(request.tool, args, request.again);
    },
    renameRun: async (id, name) => run(id).relabel({ name: name || null }),
    starRun: async (id, starred) => run(id).relabel({ starred }),
    deleteRun: async (id) => runs.delete(id),
    providers: async () => [
      {
        ...provider("builtin", "Built-in", "ready", "ready"),
        models: [{ id: "drafter", name: "Drafter", does: "Short texts.", cannot: "Facts." }],
        note: "Works without a key and without the network.",
      },
      {
        ...provider(
          "openai",
          "OpenAI",
          keys.has("openai") ? "ready" : "needs_key",
          keys.has("openai") ? "ready" : "needs a key",
        ),
        baseUrl: settings.openaiBaseUrl ?? "https://api.openai.com/v1",
        hasKey: keys.has("openai"),
        keySource: keys.has("openai") ? "keychain" : null,
        keyVariable: "OPENAI_API_KEY",
        note: "OpenAI's models.",
      },
      {
        ...provider("ollama", "Ollama", "found", "found"),
        baseUrl: "http://127.0.0.1:11434/v1",
        models: [{ id: "llama3.2:3b", name: "llama3.2:3b", does: "3B, Q4_K_M", cannot: "" }],
        note: "Models on this computer; found automatically while Ollama runs.",
      },
      {
        ...provider("lmstudio", "LM Studio", "offline", "not running"),
        note: "Models on this computer.",
      },
    ],
    settings: async () => settings,
    saveSettings: async (next) => {
      settings = next;
      return settings;
    },
    testProvider: async () => ({ says: "It answered.", tookMs: 212 }),
    refreshModels: async () => [],
    setKey: async (id) => {
      keys.add(id);
    },
    removeKey: async (id) => keys.delete(id),
  };
}
