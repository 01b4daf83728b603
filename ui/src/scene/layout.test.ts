// A flow is laid out in the shape of the free canvas, by Tidy up and for files without positions.
import { afterEach, beforeEach, expect, test } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { layOut, placeUnplaced } from "./layout";

const ids = Array.from({ length: 16 }, (_, i) => `n${i}`);
/**
 * Returns a chain of nodes that can be laid out in one row or in several. If `isPlaced` is false, they have
 * no positions.
 */
const chain = (isPlaced: boolean): FlowDoc =>
  ({
    name: "Chain",
    nodes: ids.map((id) => ({
      id,
      type: "llm",
      data: {},
      ...(isPlaced ? { position: { x: 0, y: 0 } } : {}),
    })),
    edges: ids.slice(1).map((target, i) => ({
      id: `e${i}`,
      source: ids[i],
      sourceHandle: "response",
      target,
      targetHandle: "prompt",
    })),
  }) as FlowDoc;

let unmount = () => {};
const free = (width: number, height: number) => {
  unmount();
  unmount = mountCanvasView({
    freeSize: () => ({ width, height }),
    boxes: () => new Map(),
    measureAll: () => null,
    moveTo: async () => {},
    fit: () => {},
  } as unknown as CanvasView);
};

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
});
afterEach(() => unmount());

/** Returns the ratio of width to height of the flow after the layout. */
async function shape(isPlaced: boolean, act: () => Promise<void>): Promise<number> {
  const document = chain(isPlaced);
  useDocument.getState().open({ document, path: null, version: null });
  const analysis = testAnalysis(useDocument.getState().document);
  useAnalysis.setState({ analysis, whole: analysis });
  await act();
  const at = useDocument.getState().document.nodes.map(({ position }) => position);
  const span = (of: number[]) => Math.max(...of) - Math.min(...of) + 100;
  return span(at.map(({ x }) => x)) / span(at.map(({ y }) => y));
}

test.each([
  ["Tidy up", true, () => layOut(null, "Tidy up")],
  ["a file without places", false, placeUnplaced],
] as const)("%s follows the shape of what is free", async (_, isPlaced, act) => {
  free(2000, 400);
  const wide = await shape(isPlaced, act);
  free(400, 2000);
  const high = await shape(isPlaced, act);
  expect(wide).toBeGreaterThan(2);
  expect(high).toBeLessThan(1);
});
