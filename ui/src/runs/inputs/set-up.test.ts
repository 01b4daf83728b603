// The actions offered for errors about missing set-up.
import { beforeEach, expect, test } from "vitest";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { FlowNode } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { useSession } from "../../session/session";
import { useProviders } from "./providers";
import { fittingBuiltin, setUpActions } from "./set-up";

const labels = (code: string) => setUpActions(code).map(({ label }) => label);

beforeEach(async () => {
  replaceBackend(testBackend());
  await Promise.all([useProviders.getState().load(), useKinds.getState().load()]);
});

test("what a provider lacks leads to the settings, and to the models that need none", async () => {
  await useProviders.getState().save({ provider: "openai" });
  expect(labels("key_missing")).toEqual(["Open Settings", "Use built-in models"]);
  const [open, builtin] = setUpActions("key_missing");
  builtin?.run();
  expect(useProviders.getState().settings?.provider).toBe("builtin");
  expect(labels("key_missing")).toEqual(["Open Settings"]);
  open?.run();
  expect(useSession.getState().view).toBe("settings");
});

const node = (id: string, type: string, data: Record<string, unknown>): FlowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
});

test("a node without a model gets the built-in one that fits what it is for", () => {
  const fits = (type: string, data: Record<string, unknown>) => fittingBuiltin(node("n", type, data));
  expect(fits("llm", { label: "Draft" })).toBe("reviser");
  expect(fits("llm", { label: "Critique" })).toBe("critic");
  expect(fits("llm", { label: "Second look", systemPrompt: "You are a strict reviewer.\nBe brief." })).toBe(
    "critic",
  );
  expect(fits("llm", { label: "Improve", systemPrompt: "You are an editor. Follow the critique." })).toBe(
    "reviser",
  );
  expect(fits("router", { label: "Done?" })).toBe("judge");
  expect(fits("llm", { builtin: "planner" })).toBe("planner");
});

test("its problem offers the settings and that model, which it then has in one step", () => {
  const document = { name: "A", nodes: [node("draft", "llm", { model: "gpt", label: "Draft" })], edges: [] };
  useDocument.getState().open({ document, path: null, version: null });
  const actions = setUpActions("model_missing", "draft");
  expect(actions.map(({ label }) => label)).toEqual(["Open Settings", "Use built-in reviser"]);
  actions[1]?.run();
  const { document: changed, history } = useDocument.getState();
  expect(changed.nodes[0]?.data).toEqual({ provider: "builtin", builtin: "reviser", label: "Draft" });
  expect(history.done).toHaveLength(1);
  // A node inside a subflow is not part of the open document.
  expect(setUpActions("model_missing", "sub/draft").map(({ label }) => label)[0]).toBe("Open Settings");
});

test("no setting helps with another error", () => {
  expect(labels("template_syntax")).toEqual([]);
});
