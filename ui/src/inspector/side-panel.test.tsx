// What the panel beside the canvas shows.
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test } from "vitest";
import { useDocument } from "../document/document";
import { useSession } from "../session/session";
import { SidePanel } from "./SidePanel";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const host = document.createElement("div");
const root = createRoot(host);
afterEach(() => act(async () => root.unmount()));

test("a node that is dragged is shown once it lies", async () => {
  const nodes = [{ id: "a", type: "note", position: { x: 0, y: 0 }, data: { label: "Remember" } }];
  useDocument.setState({ document: { schemaVersion: 1, name: "Small", nodes, edges: [] } });
  const session = useSession.getState();
  const shown = () => host.querySelector("aside")?.getAttribute("aria-label");
  await act(async () => root.render(<SidePanel />));
  await act(async () => {
    session.patch({ dragging: true });
    session.select(["a"]);
  });
  expect(shown()).toBe("Workflow settings");
  await act(async () => session.patch({ dragging: false }));
  expect(shown()).toBe("Node settings");
  await act(async () => session.select([]));
  expect(shown()).toBe("Workflow settings");
});
