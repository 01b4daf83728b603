// A drag that ends with Alt pressed copies the nodes.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { commandById } from "../../commands";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import type { Box } from "../../kernels/geometry";
import { type CanvasView, mountCanvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { copyInstead, useCopyDrag } from "./copy-drag";

const page = pageForEach();
const node = (id: string, x: number) => ({ id, type: "note", position: { x, y: 0 }, data: {} });
const edges = [{ id: "w", source: "a", target: "b" }];
const nodes = () => useDocument.getState().document.nodes;
const release = (altKey: boolean) =>
  window.dispatchEvent(Object.assign(new Event("pointerup"), { altKey }) as PointerEvent);

function Canvas() {
  useCopyDrag();
  return null;
}

beforeEach(async () => {
  replaceBackend(testBackend());
  useSession.setState({ view: "editor" });
  useDocument.getState().open({
    document: { name: "A", nodes: [node("a", 0), node("b", 300)], edges },
    path: null,
    version: null,
  });
  await act(async () => page.root.render(<Canvas />));
});

test("with Alt the nodes stay, and copies with the wires between them are where they were dropped", async () => {
  release(true);
  const dropped = new Map([
    ["a", { x: 100, y: 400 }],
    ["b", { x: 400, y: 400 }],
  ]);
  expect(copyInstead(dropped)).toBe(true);
  await vi.waitFor(() => expect(nodes()).toHaveLength(4));
  expect(nodes().map(({ position: { x, y } }) => [x, y])).toEqual([
    [0, 0],
    [300, 0],
    [100, 400],
    [400, 400],
  ]);
  expect(useDocument.getState().document.edges).toHaveLength(2);
  expect([...useSession.getState().selection.nodes]).toEqual(
    nodes()
      .slice(2)
      .map(({ id }) => id),
  );
});

test("without it they are moved", () => {
  release(false);
  expect(copyInstead(new Map([["a", { x: 100, y: 400 }]]))).toBe(false);
  expect(nodes()).toHaveLength(2);
});

test("a duplicate covers neither the original nor another card", async () => {
  const boxes = new Map<string, Box>([
    ["a", { left: 0, top: 0, right: 200, bottom: 150 }],
    ["b", { left: 300, top: 0, right: 500, bottom: 150 }],
  ]);
  const view = { boxes: () => boxes, keepInView: () => {}, focus: () => {} } as unknown as CanvasView;
  const unmount = mountCanvasView(view);
  useSession.getState().select(["a"]);
  await commandById("edit.duplicate").run();
  const at = nodes().at(-1)?.position;
  expect(nodes()).toHaveLength(3);
  expect((at?.y ?? 0) >= 150 || (at?.x ?? 0) >= 500).toBe(true);
  unmount();
});
