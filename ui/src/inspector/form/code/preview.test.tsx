// A preview is shown only if a run has values for the field.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../../components/testing";
import { useDocument } from "../../../document/document";
import { replaceBackend } from "../../../ipc/client";
import type { FlowDoc } from "../../../ipc/generated/bindings";
import { evaluated } from "../../../ipc/generated/recorded/runs";
import { testBackend } from "../../../ipc/testing";
import { answerTo } from "../../../ipc/testing/recorded";
import { Preview } from "./Preview";

const page = pageForEach();
const flow: FlowDoc = evaluated.detail.document;

/**
 * Renders the preview of a prompt in a flow that was run, and returns its text; null without a preview. The
 * prompt's node is in a loop of two iterations.
 */
async function shown(prompt: string, always = false): Promise<string | null> {
  const nodes = flow.nodes.map((node) =>
    node.id === "draft" ? { ...node, data: { ...node.data, prompt } } : node,
  );
  useDocument.getState().open({ document: { ...flow, nodes }, path: null, version: null });
  await act(async () =>
    page.root.render(<Preview nodeId="draft" place="prompt" value={prompt} always={always} />),
  );
  await act(async () => void (await new Promise((done) => setTimeout(done, 350))));
  return page.host.querySelector('[data-testid="field-preview"]')?.textContent ?? null;
}

beforeEach(() =>
  replaceBackend({ ...testBackend(), previewField: async (...args) => answerTo("previewField", args) }),
);

test("with the values of the run", async () => {
  expect(await shown("Dear {{ topic }}, {{ loopCount }}")).toContain("last run, iteration 2Dear bread, 2");
});

test("with those that are there, where others are missing", async () => {
  expect(await shown("{{ topic }} {{ other }}")).toContain("No value in that run: other");
});

test("not of a text that it would only repeat, except where there is room for it", async () => {
  expect(await shown("Dear reader")).toBeNull();
  expect(await shown("Dear reader", true)).toContain("Dear reader");
});

test("not of a run that has none of them", async () => {
  expect(await shown("{{ other }}")).toBeNull();
});
