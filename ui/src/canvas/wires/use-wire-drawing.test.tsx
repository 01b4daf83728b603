// While a wire is dragged, the page selects no text, and a text field shows where a drop would insert.
import type { FinalConnectionState } from "@xyflow/react";
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import type { Editor } from "../../components/code/editor";
import { register } from "../../components/code/open";
import { pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { agenticSearch } from "../../ipc/testing/flows";
import { useWireDrawing } from "./use-wire-drawing";

const page = pageForEach();
let drawing: ReturnType<typeof useWireDrawing>;

function Canvas() {
  drawing = useWireDrawing();
  return null;
}

const mouse = () => new MouseEvent("mouseup", { clientX: 0, clientY: 0 });
const start = (handleId: string) =>
  drawing.onConnectStart(mouse(), { nodeId: "plan", handleId, handleType: "source" });
/** Returns whether text can be selected. */
const selects = () =>
  document.body.dispatchEvent(new Event("selectstart", { bubbles: true, cancelable: true }));

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(agenticSearch) });
  await act(async () => page.root.render(<Canvas />));
});

test("no text is selected until the wire is dropped", () => {
  start("response");
  expect(selects()).toBe(false);
  drawing.onConnectEnd(mouse(), { isValid: true } as FinalConnectionState);
  expect(selects()).toBe(true);
});

test("nor for good, where the canvas goes with the wire in hand", async () => {
  start("response");
  expect(selects()).toBe(false);
  await act(async () => page.root.render(null));
  expect(selects()).toBe(true);
});

test("over a text field a line shows where the name of an output would be put", async () => {
  const field = document.createElement("div");
  field.dataset.code = "";
  document.body.append(field);
  const view = { posAtCoords: () => 7, coordsAtPos: () => ({ left: 11, right: 12, top: 3, bottom: 9 }) };
  register(field, { view } as unknown as Editor);
  document.elementFromPoint = (x) => (x > 100 ? field : document.body);
  const line = () => document.querySelector<HTMLElement>('[data-testid="drop-line"]');
  const move = (clientX: number) => window.dispatchEvent(new MouseEvent("pointermove", { clientX }));
  start("response");
  expect(line()?.hidden).toBe(true);
  move(150);
  expect(line()).toMatchObject({ hidden: false });
  expect(line()?.style.translate).toBe("10px 3px");
  move(50);
  expect(line()?.hidden).toBe(true);
  move(150);
  drawing.onConnectEnd(mouse(), { isValid: true } as FinalConnectionState);
  expect(line()).toBeNull();
  drawing.onConnectStart(mouse(), { nodeId: "plan", handleId: "prompt", handleType: "target" });
  expect(line()).toBeNull();
  drawing.onConnectEnd(mouse(), { isValid: true } as FinalConnectionState);
});
