// The double that replaces Rust when the page is opened outside the shell, by the dev server and by tests. It
// is loaded by a dynamic import behind `import.meta.env.DEV`, so that no bundle contains it.
import type { Backend } from "./client";
import type {
  FlowDoc,
  McpServer,
  McpStanding,
  RunDetail,
  RunEvent,
  RunSummary,
  StepDetail,
} from "./generated/bindings";
import * as program from "./generated/recorded/program";
import * as recordings from "./generated/recorded/runs";
import { testAnalysis } from "./testing/analysis";
import { testCosts } from "./testing/costs";
import { type EvaluationDouble, testEvaluation } from "./testing/evaluation";
import { failure } from "./testing/failures";
import { testFiles } from "./testing/flows";
import { testImport } from "./testing/import";
import { pastRuns } from "./testing/past";
import { testProjects } from "./testing/projects";
import { testProviders } from "./testing/providers";
import { answerTo } from "./testing/recorded";
import { type PlayedRun, playRun } from "./testing/run";
import { testSession } from "./testing/session";
import { sharedStores } from "./testing/stores";
import { testWorkspaces } from "./testing/workspaces";

const shownAs = (server: McpServer) => server.url ?? [server.command, ...(server.args ?? [])].join(" ");

const serverStatus = (server: McpServer, looked: boolean): McpStanding => ({
  server: server.name ?? "",
  shown: shownAs(server),
  item: `server:${server.name}#${shownAs(server).length}`,
  approved: looked,
  tools: looked ? [["echo", "Returns its input unchanged."]] : null,
});

/** The cost and the required permissions of a recorded flow that uses nothing outside the program. */
const { mostItCanCost, needs } = recordings.threeIterations.preparation;
if (needs === null) throw new Error("The recorded preparation has no list of needs.");
const NO_NEEDS = needs;

export function testBackend(
  options: { files?: Record<string, FlowDoc>; stepMs?: number; evaluation?: EvaluationDouble } = {},
): Backend {
  const files = new Map<string, { document: FlowDoc; version: number }>();
  for (const [path, document] of Object.entries(options.files ?? {}))
    files.set(path, { document, version: 1 });
  for (const [path, document] of Object.entries(testFiles)) files.set(path, { document, version: 1 });
  const runs = new Map<string, PlayedRun>();
  const starts = new Map<string, (onEvent: (event: RunEvent) => void) => PlayedRun>();
  let prepared = 0;
  // The built-in models answer, since no other provider is set up.
  const current = { settings: { ...program.settings, provider: "builtin", askAboveUsd: null } };
  const keys = new Set<string>();
  const looked = new Set<string>();
  const run = (id: string): PlayedRun => {
    const found = runs.get(id);
    if (!found) throw failure("noRun", id);
    return found;
  };
  const openFile = (path: string) => {
    const file = files.get(path);
    if (!file) throw failure("noFile", path);
    return { path, document: structuredClone(file.document), version: String(file.version), notes: [] };
  };
  const play = (document: FlowDoc, path: string | null, inputs: Record<string, unknown>) => {
    return (onEvent: (event: RunEvent) => void) =>
      playRun(document, path, inputs, onEvent, options.stepMs ?? 60);
  };
  const beside = (holder: string, reference: string) =>
    holder.slice(0, holder.lastIndexOf("/") + 1) + reference;
  return {
    kinds: async () => program.kinds,
    notices: async () => [],
    keepView: async () => undefined,
    restoredView: async () => null,
    answerClose: async () => undefined,
    watchAttention: async () => undefined,
    analyze: async (document) => testAnalysis(document),
    renameNodes: async (...args) => answerTo("renameNodes", args, { data: {}, places: 0, unread: [] }),
    templateLanguage: async () => program.templateLanguage,
    namesInScope: async (...args) =>
      answerTo("namesInScope", args, { mode: "template", names: [], from: null }),
    // The pages request a preview after a pause. Whether a test lasts that long depends on the computer, so
    // by default there is none. A test that needs a preview overrides this command.
    previewField: async () => null,
    tools: async () => program.tools,
    templates: async () => program.templates,
    copyTemplate: async (id, folder) => {
      const template = program.templates.find((one) => one.id === id);
      const path = `${folder}/${id}/${id}.flow.json`;
      if (!template) throw failure("noFile", path);
      files.set(path, { document: structuredClone(template.document), version: 1 });
      return path;
    },
    newFlow: async () => program.newFlow,
    openFlow: async (path) => openFile(path),
    readSubflow: async (holder, reference) => openFile(beside(holder, reference)),
    inlineSubflow: async (holder, reference) => openFile(beside(holder, reference)),
    saveSubflow: async (holder, reference, document) => {
      const path = beside(holder, reference);
      if (files.has(path)) throw failure("exists", path);
      files.set(path, { document: structuredClone(document), version: 1 });
      return { path, version: "1" };
    },
    subflowReference: async (holder, path) => path.slice(holder.lastIndexOf("/") + 1),
    saveFlow: async (path, document, expected) => {
      const file = files.get(path);
      if (file && expected !== null && String(file.version) !== expected) {
        throw failure("changed", path);
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
    exportLanggraph: async (document, path) => answerTo("exportLanggraph", [document, path]),
    mcpServers: async () =>
      current.settings.mcpServers.map((server) => serverStatus(server, looked.has(shownAs(server)))),
    lookAtMcp: async (name, item) => {
      const server = current.settings.mcpServers.find((known) => known.name === name);
      if (!server || serverStatus(server, false).item !== item) throw failure("serverChanged", name);
      looked.add(shownAs(server));
      return serverStatus(server, true);
    },
    toolKeys: async () =>
      current.settings.mcpServers
        .flatMap((server) => (server.env ?? []).map((name) => ({ name, user: `MCP server ${server.name}` })))
        .map(({ name, user }) => ({
          name,
          usedBy: [user],
          source: keys.has(name) ? ("keychain" as const) : null,
        })),
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
    ...testProviders(current, keys),
    ...testSession(files),
    ...testEvaluation(options.evaluation),
    ...testImport(),
    forgetRecent: async (path) => files.delete(path),
    grants: async (document, path) => answerTo("grants", [document, path], NO_NEEDS),
    approveGrants: async (document, path) => answerTo("grants", [document, path], NO_NEEDS),
    refuseGrants: async () => "refused",
    trustedFlows: async () => [],
    revokeGrants: async () => null,
    prepareRun: async (document, flowPath, inputs, focus) => {
      const id = `prepared-${++prepared}`;
      starts.set(id, play(document, flowPath, inputs));
      const plain = { id, problems: [], runnable: true, mostItCanCost, needs };
      return { ...answerTo("prepareRun", [document, null, inputs, focus], plain), id };
    },
    startRun: async (id, onEvent) => {
      const start = starts.get(id);
      if (!start) throw failure("notPrepared", id);
      starts.delete(id);
      const played = start(onEvent);
      runs.set(played.id, played);
      return played.id;
    },
    approvePrepared: async () => null,
    refusePrepared: async () => "refused",
    stopRun: async (id) => run(id).stop(),
    goingRuns: async () =>
      [...runs.values()].map((one) => one.summary()).filter((one) => one.status === "running"),
    leaveRuns: async () => undefined,
    forkRun: async (request, onEvent) => {
      const { document, summary, inputs } = run(request.runId).detail();
      const forked = play(request.document ?? document, summary.flowPath, inputs)(onEvent);
      runs.set(forked.id, forked);
      return forked.id;
    },
    forkedFlow: async (id, document) => ({
      document: document ?? run(id).detail().document,
      path: run(id).summary().flowPath,
    }),
    forkPlace: async (_id, at) => {
      const place = at.endsWith("]") ? recordings.forkedAtIteration : recordings.forkedAtStep;
      return { ...place, at, nodeId: at.split("/").at(-1) ?? at };
    },
    replayRun: async (id, onEvent) => {
      for (const event of run(id).events) onEvent(event);
      return recordings.replayed;
    },
    compareRuns: async (a, b) => ({ ...recordings.compared, a: run(a).summary(), b: run(b).summary() }),
    compareStep: async (a, b, path) => ({
      ...recordings.comparedStep,
      a: run(a).step(path),
      b: run(b).step(path),
    }),
    openQuestions: async () => [],
    answerRun: async (id, path, answer) => {
      run(id).answers.push({ path, answer });
    },
    resumeRun: async (id) => run(id),
    pauseRun: async (id) => run(id),
    askAgain: async (id) => run(id),
    continueRun: async (id) => run(id),
    estimate: async (document, _path, inputs) =>
      answerTo("estimate", [document, null, inputs], mostItCanCost),
    runs: async (): Promise<RunSummary[]> => [...runs.values()].map((r) => r.summary()).reverse(),
    ...sharedStores(),
    ...testWorkspaces(),
    ...testProjects(),
    ...testCosts(),
    ...pastRuns(runs, run),
    runDetail: async (id): Promise<RunDetail> => run(id).detail(),
    runEvents: async (id): Promise<RunEvent[]> =>
      run(id).events.filter((event) => event.type !== "workflow.node.streaming"),
    stepDetail: async (id, path): Promise<StepDetail> => run(id).step(path),
    // No recorded run has an agent.
    stepTranscript: async () => ({ turns: [] }),
    describeCall: async (...args) => answerTo("describeCall", args),
    renameRun: async (id, name) => run(id).relabel({ name: name || null }),
    starRun: async (id, starred) => run(id).relabel({ starred }),
    deleteRun: async (id) => runs.delete(id),
  };
}
