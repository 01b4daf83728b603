// A drag with the hand tool or with Space pressed pans and moves no node.
import { ReactFlow } from "@xyflow/react";
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useSession } from "../../session/session";
import { dragProps, useIsPanning } from "./pan-mode";

const page = pageForEach();
const nodes = [{ id: "a", position: { x: 0, y: 0 }, data: {} }];

function Flow({ readOnly = false }: { readOnly?: boolean }) {
  const isPanning = useIsPanning();
  return (
    <div data-panning={isPanning}>
      <ReactFlow nodes={nodes} edges={[]} {...dragProps(isPanning, readOnly)} />
    </div>
  );
}

const node = () => page.host.querySelector(".react-flow__node");
const isPanning = () => page.host.querySelector("[data-panning]")?.getAttribute("data-panning");
const key = (type: "keydown" | "keyup") =>
  act(
    async () =>
      void document.dispatchEvent(new KeyboardEvent(type, { code: "Space", key: " ", bubbles: true })),
  );

beforeEach(async () => {
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  useSession.setState({ tool: "select" });
  await act(async () => page.root.render(<Flow />));
});

test("with the select tool a node can be dragged, and keeps the view from panning", () => {
  expect(isPanning()).toBe("false");
  expect(node()?.classList).toContain("draggable");
  expect(node()?.classList).toContain("nopan");
});

test("with the hand tool it cannot be dragged, and a drag on it pans", async () => {
  await act(async () => useSession.setState({ tool: "pan" }));
  expect(isPanning()).toBe("true");
  expect(node()?.classList).not.toContain("draggable");
  expect(node()?.classList).not.toContain("nopan");
});

test("the same holds while Space is held, and no longer", async () => {
  await key("keydown");
  expect(node()?.classList).not.toContain("draggable");
  expect(node()?.classList).not.toContain("nopan");
  await key("keyup");
  expect(node()?.classList).toContain("draggable");
});
