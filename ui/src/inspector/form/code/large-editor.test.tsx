// The large editor: opening, closing and writing.
import { act } from "react";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { commandFor, listenToKeys } from "../../../commands/keyboard";
import { loadCode } from "../../../components/code/load";
import { editorIn } from "../../../components/code/open";
import { pageForEach } from "../../../components/testing";
import { useDocument } from "../../../document/document";
import { replaceBackend } from "../../../ipc/client";
import { testBackend } from "../../../ipc/testing";
import { fieldsOf } from "../schema";
import { TemplateWidget } from "../widgets/TemplateWidget";
import { lengthOf } from "./LargeEditor";

const page = pageForEach();
const onChange = vi.fn();

beforeAll(loadCode);
beforeEach(async () => {
  replaceBackend(testBackend());
  onChange.mockClear();
  useDocument.getState().open({
    document: {
      name: "A",
      nodes: [{ id: "a", type: "llm", position: { x: 0, y: 0 }, data: { label: "Ask" } }],
      edges: [],
    },
    path: null,
    version: null,
  });
  const [field] = fieldsOf({ properties: { prompt: { type: "string", title: "Prompt" } } });
  if (!field) throw new Error("the schema has one field");
  const props = { id: "p", field, value: "Hello", onChange, data: {}, nodeId: "a", place: "prompt" };
  await act(async () =>
    page.root.render(<TemplateWidget {...props} invalid={false} describedBy={undefined} />),
  );
});

const dialog = () => page.host.querySelector("dialog");
const type = (within: ParentNode, text: string) =>
  act(async () =>
    editorIn(within)?.view.dispatch({ changes: { from: 5, insert: text }, userEvent: "input.type" }),
  );

test("its key opens it from the field with the focus; what is written there is the field's", async () => {
  const stop = listenToKeys();
  const key = new KeyboardEvent("keydown", { key: "F4", bubbles: true, cancelable: true });
  expect(commandFor(key)).toBeNull();
  page.host.querySelector<HTMLElement>(".cm-content")?.focus();
  await act(async () => document.activeElement?.dispatchEvent(key));
  stop();
  const opened = dialog();
  expect(opened?.getAttribute("aria-label")).toBe("Prompt of Ask");
  expect(opened?.textContent).toContain("1 line, 5 characters");
  expect(opened?.textContent).toContain("Once the workflow has run");
  await type(opened ?? page.host, " there");
  expect(onChange).toHaveBeenLastCalledWith("Hello there");
});

test("Escape closes it, a press on its button opens it", async () => {
  await act(async () => page.host.querySelector<HTMLElement>('[aria-label="Large editor"]')?.click());
  expect(dialog()).not.toBeNull();
  await act(async () => dialog()?.dispatchEvent(new Event("cancel", { cancelable: true })));
  expect(dialog()).toBeNull();
});

test("says how long a text is", () => {
  expect([lengthOf(""), lengthOf("a"), lengthOf("ä\n👍")]).toEqual([
    "0 lines, 0 characters",
    "1 line, 1 character",
    "2 lines, 3 characters",
  ]);
});
