// The actions of the keys Enter and C on a selected node, and the commands that enter and leave a subflow.
import { flushSync } from "react-dom";
import panelStyles from "../components/Panel.module.css";
import { breadcrumbPath, useDocument } from "../document/document";
import { enterSubflow, leaveSubflow } from "../document/files";
import { heldFlow, refOf } from "../document/inside";
import { useKinds } from "../document/kinds";
import { beginInline } from "../document/subflow";
import { useConnecting } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor, target } from "./selection";

const selectedSubflow = (): string | null => {
  const id = target();
  const type = useDocument.getState().document.nodes.find((n) => n.id === id)?.type ?? "";
  return useKinds.getState().byType.get(type)?.shape === "subflow" ? id : null;
};

export const enterSubflowCommand: Command = {
  id: "subflow.enter",
  label: "Open the subflow",
  icon: "workflow",
  keys: ["alt+arrowdown"],
  scope: "canvas",
  possible: () => selectedSubflow() !== null,
  run: () => {
    const id = selectedSubflow();
    if (id !== null) return openSubflow(id);
  },
};

export const leaveSubflowCommand: Command = {
  id: "subflow.leave",
  label: "Leave subflow",
  icon: "arrow-left",
  keys: ["alt+arrowup"],
  scope: "window",
  possible: () => inEditor() && breadcrumbPath(useDocument.getState()).length > 0,
  run: () => leaveSubflow(),
};

/** Opens a subflow. An empty one gets an initial flow. Returns false if the subflow cannot be opened. */
export async function openSubflow(id: string): Promise<boolean> {
  const node = useDocument.getState().document.nodes.find((n) => n.id === id);
  if (heldFlow(node) === null && refOf(node) === null && !(await beginInline(id))) return false;
  return enterSubflow(id);
}

/** Selects the node and focuses its settings. If `id` is null, the current selection is used. */
export function editSettings(id: string | null): void {
  const editing = useSession.getState().layout === "edit";
  if (id !== null) flushSync(() => useSession.getState().select([id]));
  // In a narrow window the panel may be closed, and hidden elements cannot be focused.
  flushSync(() => useSession.getState().patch({ sideOpen: true }));
  if (
    id !== null &&
    editing &&
    !document.querySelector(`[data-region="side"] [data-node="${CSS.escape(id)}"]`)
  ) {
    // The form is rendered after its card, and gets the focus when it appears.
    useSession.getState().patch({ focusField: `${id}.` });
    return;
  }
  const fields = "[contenteditable='true'], input, textarea, select, button, [tabindex='0']";
  const panel = document.querySelector('[data-region="side"]');
  const first =
    panel?.querySelector<HTMLElement>(`.${panelStyles.section} :is(${fields})`) ??
    panel?.querySelector<HTMLElement>(fields);
  first?.focus();
}

export const editNodeCommand: Command = {
  id: "node.edit",
  label: "Edit node",
  icon: "sliders-horizontal",
  keys: ["enter"],
  scope: "canvas",
  possible: () => target() !== null,
  run: () => {
    // The content of a subflow is edited inside it, so Enter opens it. Tab still reaches its settings.
    const subflow = selectedSubflow();
    return subflow === null ? editSettings(target()) : openSubflow(subflow);
  },
};

export const connectCommand: Command = {
  id: "node.connect",
  label: "Connect…",
  icon: "plug",
  keys: ["c"],
  scope: "canvas",
  possible: () => target() !== null && useDocument.getState().suspended === null,
  run: () => useConnecting.getState().askConnect(target()),
};
