// Unwired sockets stay hidden until needed.

import { type NodeProps, ReactFlow } from "@xyflow/react";
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useKind, useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { KindInfo } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { useScene } from "../../scene/scene";
import { isMainSocket, socketKey } from "../../scene/wires";
import { useConnecting } from "../../session/connecting";
import { testIds } from "../../testids";
import { ExtraPorts, Ports } from "./Ports";
import { usePortRows } from "./port-rows";

const page = pageForEach();
const nodes = [{ id: "a", type: "card", position: { x: 0, y: 0 }, data: {} }];

function Card({ id }: NodeProps) {
  const kind = useKind("llm");
  const ports = usePortRows(id, kind?.inputs ?? [], kind?.outputs ?? [], kind);
  return (
    <>
      <Ports node={id} {...ports.main} kind={kind} />
      <ExtraPorts node={id} ports={ports.extra} kind={kind} />
      <output>{ports.key}</output>
    </>
  );
}
const nodeTypes = { card: Card };

const names = (selector: string) =>
  [...page.host.querySelectorAll(`${selector} .react-flow__handle`)].map((socket) =>
    socket.getAttribute("data-handleid"),
  );
const inRows = () => names(`[data-testid="${testIds.ports}"]`);
const extra = () => names(`[data-testid="${testIds.extraPorts}"]`);
const offered = () => names("[data-offered]");
const kindOf = (type: string) => useKinds.getState().byType.get(type) as KindInfo;
const key = () => page.host.querySelector("output")?.textContent;

beforeEach(async () => {
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useScene.setState({ connected: new Set() });
  useConnecting.getState().end();
  await act(async () => page.root.render(<ReactFlow nodes={nodes} edges={[]} nodeTypes={nodeTypes} />));
});

test("what a node is mostly wired by stands on its card, the rest below it", () => {
  expect(inRows()).toEqual(["prompt", "response"]);
  expect(extra()).toContain("system");
  expect(extra()).not.toContain("prompt");
});

test("a socket that gets a wire moves onto the card, and the card is measured again", async () => {
  const before = key();
  await act(async () => useScene.setState({ connected: new Set([socketKey("a", false, "system")]) }));
  expect(inRows()).toContain("system");
  expect(extra()).not.toContain("system");
  expect(key()).not.toBe(before);
});

test("a wire in hand brings out the sockets that it fits", async () => {
  const [handle] = kindOf("input").outputs;
  if (!handle) throw new Error("an Input has an output");
  await act(async () => useConnecting.getState().start({ node: "b", handle, output: true }));
  expect(offered()).toContain("system");
  await act(async () => useConnecting.getState().end());
  expect(offered()).toEqual([]);
});

test("a loop keeps its body and its feedback, a branching node its branches, and any node what a person named", () => {
  const loop = kindOf("loop");
  const shown = (kind: KindInfo, output: boolean) =>
    (output ? kind.outputs : kind.inputs).filter((h) => isMainSocket(kind, h, output)).map((h) => h.name);
  expect(shown(loop, false)).toEqual(["input", "feedback"]);
  expect(shown(loop, true)).toContain("body");
  expect(shown(loop, true)).not.toContain("count");
  const router = { ...kindOf("llm"), shape: "branching" } as KindInfo;
  const [response] = router.outputs;
  if (!response) throw new Error("an LLM has an output");
  const branch = { ...response, name: "done", primary: false };
  expect(isMainSocket(router, branch, true)).toBe(true);
  expect(isMainSocket(router, { ...branch, always: true }, true)).toBe(false);
  expect(isMainSocket(kindOf("llm"), { ...branch, name: "named" }, false)).toBe(true);
});
