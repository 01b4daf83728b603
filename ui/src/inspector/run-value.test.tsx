// The form of an Input node shows the value for the next run. If a run cannot start without the value, its
// field is focused.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { RUN_VALUE } from "../runs/inputs/inputs";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { SidePanel } from "./SidePanel";

const page = pageForEach();
// jsdom provides neither of these.
vi.stubGlobal("CSS", { escape: (text: string) => text });
Element.prototype.scrollIntoView = () => undefined;

test("it gets the focus where it is asked for", async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  const data = { label: "Question", name: "question", required: true };
  const nodes = [{ id: "q", type: "input", position: { x: 0, y: 0 }, data }];
  useDocument.getState().open({ document: { name: "Small", nodes, edges: [] }, path: null, version: null });
  await act(async () => page.root.render(<SidePanel />));
  await act(async () => {
    useSession.getState().select(["q"]);
    useSession.getState().patch({ focusField: `q.${RUN_VALUE}` });
  });
  expect(document.activeElement?.getAttribute("data-testid")).toBe(testIds.inputField("question"));
  expect(page.host.textContent).toContain("A run needs a value here.");
});
