// A click on Run sends the document once, whatever questions precede the run.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { type Backend, replaceBackend } from "../ipc/client";
import type { Preparation } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { agenticSearch } from "../ipc/testing/flows";
import { costEstimate, trustList } from "../ipc/testing/values";
import { inputFields } from "../runs/inputs/inputs";
import { useProviders } from "../runs/inputs/providers";
import { keyInHand, useRunInputs } from "../runs/inputs/typed-inputs";
import { useRuns } from "../runs/session/store";
import { useDialog } from "../session/dialog";
import { useTrust } from "../trust/store";
import { commandById } from "./index";

/** The commands called with a document, in order. */
let sent: string[] = [];

const holdsFlow = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ("nodes" in value || Object.values(value).some(holdsFlow));

/**
 * Creates a double that records every command with a flow. `more` is added to the result of a preparation.
 */
function watched(more: Partial<Preparation> = {}): Backend {
  const double = testBackend({ stepMs: 1 });
  const backend = {
    ...double,
    prepareRun: async (...args: Parameters<Backend["prepareRun"]>) => ({
      ...(await double.prepareRun(...args)),
      ...more,
    }),
    approvePrepared: vi.fn(double.approvePrepared),
    refusePrepared: vi.fn(double.refusePrepared),
  };
  const counted = Object.entries(backend).map(([name, command]) => {
    const watch = (...args: unknown[]) => {
      if (args.some(holdsFlow)) sent.push(name);
      return (command as (...args: unknown[]) => unknown)(...args);
    };
    return [name, watch];
  });
  replaceBackend(Object.fromEntries(counted) as Backend);
  return backend;
}

const needs = trustList(
  [
    {
      item: "host:a.example",
      kind: "host",
      what: "a.example",
      detail: null,
      nodes: ["Search"],
      state: "new",
    },
  ],
  { flow: "f", digest: "d1", missing: 1 },
);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useProviders.setState((s) => ({ settings: s.settings && { ...s.settings, askAboveUsd: null } }));
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  const typed = Object.fromEntries(
    inputFields(agenticSearch, useKinds.getState().kinds).map((f) => [f.name, "x"]),
  );
  useRunInputs.setState({ typed: { [keyInHand()]: typed } });
  useAnalysis.setState({ stale: true });
  useRuns.setState({ live: null, past: null });
  sent = [];
});

/** Waits for the end of the run. The double would otherwise send events after the page of the test is gone. */
afterEach(async () => {
  await vi.waitFor(
    () => expect(useRuns.getState().live?.state.status ?? "completed").not.toBe("running"),
    5000,
  );
});

it("sends it to be prepared, and starts the run by its id", async () => {
  watched();
  await commandById("run.start").run();
  expect(useRuns.getState().live?.state.runId).not.toBe("");
  expect(useRuns.getState().live).not.toBeNull();
  expect(sent).toEqual(["prepareRun"]);
});

it("asks what it may cost and use with what the preparation says", async () => {
  const settings = await testBackend().settings();
  useProviders.setState({ settings: { ...settings, theme: "dark", askAboveUsd: 1 } });
  const mostItCanCost = costEstimate({ maxCalls: 5, maxUsd: 2, maxTokens: 100 });
  const backend = watched({ needs, mostItCanCost });
  const started = commandById("run.start").run();
  await vi.waitFor(() => expect(useDialog.getState().open?.question.title).toContain("$2"));
  useDialog.getState().open?.answer(true);
  await vi.waitFor(() => expect(useTrust.getState().open?.list).toEqual(needs));
  useTrust.getState().open?.answer({ allow: true, wanted: [] });
  await started;
  expect(backend.approvePrepared).toHaveBeenCalledWith(expect.any(String), "d1", ["host:a.example"]);
  expect(useRuns.getState().live).not.toBeNull();
  expect(sent).toEqual(["prepareRun"]);
});

it("writes a refusal down and starts nothing", async () => {
  const backend = watched({ needs });
  const started = commandById("run.start").run();
  await vi.waitFor(() => expect(useTrust.getState().open).not.toBeNull());
  useTrust.getState().open?.answer({ allow: false });
  await started;
  expect(backend.refusePrepared).toHaveBeenCalledOnce();
  expect(useRuns.getState().live).toBeNull();
  expect(sent).toEqual(["prepareRun"]);
});
