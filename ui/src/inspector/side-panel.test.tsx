// What the side panel shows.
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

const three = ["a", "b", "c"].map((id) => ({
  ...{ id, type: "note", position: { x: 0, y: 0 } },
  data: id === "a" ? { label: "First" } : {},
}));

test("of several nodes each is named, and leads to itself", async () => {
  const groups = [{ id: "g", title: "A pair", nodes: ["b", "c"] }];
  useDocument.setState({ document: { schemaVersion: 1, name: "Small", nodes: three, edges: [], groups } });
  const session = useSession.getState();
  const own = createRoot(host);
  await act(async () => own.render(<SidePanel />));
  await act(async () => session.select(["a", "b"]));
  expect(host.querySelector("header b")?.textContent).toBe("2 nodes selected");
  const rows = [...host.querySelectorAll('[data-testid="selected-nodes"] button')];
  expect(rows.map((row) => row.querySelector("span:nth-of-type(2)")?.textContent)).toEqual(["First", "b"]);
  await act(async () => session.select(["b", "c"]));
  expect(host.querySelector("header b")?.textContent).toBe("A pair");
  await act(async () => host.querySelector<HTMLElement>('[data-testid="selected-nodes"] button')?.click());
  expect([...useSession.getState().selection.nodes]).toEqual(["b"]);
  await act(async () => own.unmount());
});
