// Flows for journeys, written to the window's own folder and opened from there.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { byId, flowIsOpen } from "./editor";
import type { Window } from "./window";

export interface FlowNode {
  id: string;
  type: string;
  position: { x: number; y: number };
  data: Record<string, unknown>;
}

/** Returns nodes in a row, 250 pixels apart, in the given order. */
export function row(...nodes: [id: string, type: string, data?: Record<string, unknown>][]): FlowNode[] {
  return nodes.map(([id, type, data = {}], i) => ({ id, type, position: { x: i * 250, y: 100 }, data }));
}

/** Parses wires such as `"input.value -> loop.input"`. */
export function wires(...written: string[]): object[] {
  return written.map((text, i) => {
    const [from = "", to = ""] = text.split(" -> ");
    const [source, sourceHandle] = from.split(".");
    const [target, targetHandle] = to.split(".");
    return { id: `e${i + 1}`, source, sourceHandle, target, targetHandle };
  });
}

/** Writes a flow into the window's folder. Returns its path. */
export function writeFlow(window: Window, name: string, flow: object): string {
  const file = path.join(window.folder, "flows", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...flow }));
  return file;
}

/** Opens a file through the file dialog, as a user does. */
export async function openFile(window: Window, file: string): Promise<void> {
  const { browser } = window;
  await browser.$(`${byId("template-blank")}, ${byId("canvas")}`).waitForDisplayed({ timeout: 20_000 });
  window.answerDialog(file);
  await browser.keys(["Control", "o"]);
  await flowIsOpen(browser);
}

/** Returns the smallest flow with an output: a name as input, a letter as output. */
export const greeting = () => ({
  name: "Greeting",
  nodes: row(
    ["who", "input", { label: "Who", name: "who", default: "Ada" }],
    ["greet", "transform", { label: "Greet", template: "Dear {{ input }}" }],
    ["letter", "output", { label: "Letter", name: "letter" }],
  ),
  edges: wires("who.value -> greet.input", "greet.output -> letter.value"),
});
