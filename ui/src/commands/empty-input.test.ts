// A run that would send empty text to a model starts only after a confirmation, which is requested only once.
import { beforeEach, expect, it, vi } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { agenticSearch } from "../ipc/testing/flows";
import { inputFields, RUN_VALUE } from "../runs/inputs/inputs";
import { keyInHand, useRunInputs } from "../runs/inputs/typed-inputs";
import { useRuns } from "../runs/session/store";
import { useDialog } from "../session/dialog";
import { useSession } from "../session/session";
import { commandById } from "./index";

const optional = {
  ...agenticSearch,
  nodes: agenticSearch.nodes.map((node) =>
    node.type === "input" ? { ...node, data: { ...node.data, required: false, default: "" } } : node,
  ),
};
const fields = () => inputFields(optional, useKinds.getState().kinds);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDialog.setState({ open: null });
  useDocument.getState().open({ document: optional, path: null, version: null });
  useAnalysis.setState({ stale: true });
  useRuns.setState({ live: null, past: null });
  useSession.getState().show("editor");
});

async function runAndAnswer(answer: string): Promise<string> {
  const run = commandById("run.start").run();
  await vi.waitFor(() => expect(useDialog.getState().open).not.toBeNull());
  const title = useDialog.getState().open?.question.title ?? "";
  useDialog.getState().open?.answer(answer);
  await run;
  return title;
}

it("is asked, and leads to the field", async () => {
  expect(await runAndAnswer("type")).toMatch(/“.+” is empty\. Run anyway\?/);
  expect(useRuns.getState().live).toBeNull();
  expect(useSession.getState().focusField).toBe(`${fields()[0]?.nodeId}.${RUN_VALUE}`);
});

it("is not asked again once it was answered", async () => {
  await runAndAnswer("cancel");
  expect(useRuns.getState().live).toBeNull();
  await runAndAnswer("run");
  expect(useRuns.getState().live).not.toBeNull();
  useRuns.setState({ live: null });
  await commandById("run.start").run();
  expect(useDialog.getState().open).toBeNull();
  expect(useRuns.getState().live).not.toBeNull();
});

it("is not asked where there is a text", async () => {
  for (const { name } of fields()) useRunInputs.getState().set(keyInHand(), name, "a");
  await commandById("run.start").run();
  expect(useDialog.getState().open).toBeNull();
  expect(useRuns.getState().live).not.toBeNull();
});
