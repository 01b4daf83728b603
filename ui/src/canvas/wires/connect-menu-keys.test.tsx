// Choosing in the list of compatible wires: by Enter before the analysis arrives, and with the pointer at
// rest.

import { act } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import searchListStyles from "../../components/SearchList.module.css";
import { pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { Analysis, FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { agenticSearch } from "../../ipc/testing/flows";
import { useConnecting } from "../../session/connecting";
import { ConnectMenu } from "./ConnectMenu";

const page = pageForEach();

const loose: FlowDoc = { ...agenticSearch, edges: [] };
const edges = () => useDocument.getState().document.edges;

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: loose, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(loose), stale: false });
});
afterEach(() => {
  useConnecting.getState().askConnect(null);
});

async function open(node: string): Promise<HTMLInputElement> {
  await act(async () => page.root.render(<ConnectMenu />));
  await act(async () => useConnecting.getState().askConnect(node));
  const field = page.host.querySelector("input");
  if (field === null) throw new Error("the list is not shown");
  return field;
}

const enter = (field: HTMLElement) =>
  act(async () => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
const type = (field: HTMLInputElement, text: string) =>
  act(async () => {
    // The native setter makes React notice the new value.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
const marked = () => page.host.querySelector(`.${searchListStyles.on}`);
const move = (over: Element, screenX: number) =>
  act(async () => over.dispatchEvent(new MouseEvent("pointermove", { bubbles: true, screenX, screenY: 5 })));

/** Returns the analysis with an additional socket “more” on the plan. */
function withMore(): Analysis {
  const known = testAnalysis(loose);
  const plan = known.nodes.plan;
  const [first] = plan?.inputs ?? [];
  if (!plan || !first) throw new Error("the plan has no input");
  const inputs = [...plan.inputs, { ...first, name: "more", label: "more" }];
  return { ...known, nodes: { ...known.nodes, plan: { ...plan, inputs } } };
}

test("Enter waits for sockets that the analysis does not know yet", async () => {
  replaceBackend({ ...testBackend(), analyze: async () => withMore() });
  useAnalysis.setState({ stale: true });
  const field = await open("plan");
  await type(field, "more");
  expect(page.host.querySelectorAll(`.${searchListStyles.listItem}`)).toHaveLength(0);
  await enter(field);
  expect(edges()).toMatchObject([{ target: "plan", targetHandle: "more" }]);
});

test("what a list shows is drawn, and the list goes", async () => {
  await enter(await open("plan"));
  expect(edges()).toHaveLength(1);
  expect(page.host.querySelector("[role=dialog]")).toBeNull();
});

test("a list takes the sockets that come while it is open", async () => {
  await type(await open("plan"), "more");
  expect(page.host.querySelectorAll(`.${searchListStyles.listItem}`)).toHaveLength(0);
  await act(async () => useAnalysis.setState({ analysis: withMore() }));
  expect(page.host.querySelectorAll(`.${searchListStyles.listItem}`).length).toBeGreaterThan(0);
});

test("a pointer at rest marks nothing, and one that moves does", async () => {
  await open("plan");
  const first = marked();
  const other = page.host.querySelectorAll(`.${searchListStyles.listItem}`)[2];
  if (!other) throw new Error("too few wires fit");
  await move(other, 40);
  await move(other, 40);
  expect(marked()).toBe(first);
  await move(other, 41);
  expect(marked()).toBe(other);
});
