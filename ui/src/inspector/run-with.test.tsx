// The panel of inputs under the Run button.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { choose, pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { RunWith } from "./RunWith";

const page = pageForEach();

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  const data = { name: "deep", dataType: "boolean" };
  useDocument.getState().open({
    document: { name: "A", nodes: [{ id: "i", type: "input", position: { x: 0, y: 0 }, data }], edges: [] },
    path: null,
    version: null,
  });
  await act(async () => page.root.render(<RunWith onRun={() => undefined} />));
});

const panel = () => page.host.querySelector('[role="dialog"]');
const list = (): HTMLElement => {
  const found = panel()?.querySelector<HTMLElement>(".select");
  if (!found) throw new Error("the panel has no list");
  return found;
};

test("a value is chosen from a list without closing the panel", async () => {
  await act(async () => page.host.querySelector("button")?.click());
  await choose(list(), "true");
  expect(list().textContent).toBe("true");
  await act(async () => document.body.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true })));
  expect(panel()).toBeNull();
});
