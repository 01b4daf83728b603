// What Enter and C do on a selected node.
import { useDocument } from "../document/document";
import { useConnecting } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor } from "./selection";

const selectedNode = (): string | null => {
  const { nodes } = useSession.getState().selection;
  return inEditor() && nodes.size === 1 ? ([...nodes][0] ?? null) : null;
};

export const editNodeCommand: Command = {
  id: "node.edit",
  label: "Edit node",
  keys: ["enter"],
  scope: "canvas",
  possible: () => selectedNode() !== null,
  run: () => {
    const fields = "input, textarea, select, button, [tabindex='0']";
    const panel = document.querySelector(".side");
    const first =
      panel?.querySelector<HTMLElement>(`.sec :is(${fields})`) ?? panel?.querySelector<HTMLElement>(fields);
    first?.focus();
  },
};

export const connectCommand: Command = {
  id: "node.connect",
  label: "Connect…",
  icon: "plug",
  keys: ["c"],
  scope: "canvas",
  possible: () => selectedNode() !== null && useDocument.getState().behind === null,
  run: () => useConnecting.getState().askConnect(selectedNode()),
};
