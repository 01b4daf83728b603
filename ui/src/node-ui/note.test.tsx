// A note is edited in place.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import type { KindInfo } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import { NoteBody } from "./NoteBody";

const page = pageForEach();

function Note() {
  const data = useDocument((s) => s.document.nodes[0]?.data ?? {});
  return <NoteBody id="n" data={data} kind={{} as KindInfo} />;
}

beforeEach(async () => {
  useDocument.getState().open({
    document: {
      name: "A",
      nodes: [{ id: "n", type: "note", position: { x: 0, y: 0 }, data: { text: "Old" } }],
      edges: [],
    },
    path: null,
    version: null,
  });
  useSession.getState().setLayout("edit");
  useSession.getState().show("editor");
  await act(async () => page.root.render(<Note />));
});

const area = () => page.host.querySelector("textarea");
const open = () =>
  act(async () =>
    page.host
      .querySelector('[data-testid="note-text"]')
      ?.dispatchEvent(new MouseEvent("dblclick", { bubbles: true })),
  );
const write = (text: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(area(), text);
    area()?.dispatchEvent(new Event("input", { bubbles: true }));
  });
const text = () => useDocument.getState().document.nodes[0]?.data.text;

test("a double click writes it in place, Escape ends, and it is one step to undo", async () => {
  await open();
  expect(document.activeElement).toBe(area());
  await write("New");
  await write("New words");
  expect(text()).toBe("New words");
  await act(async () =>
    area()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })),
  );
  expect(area()).toBeNull();
  useDocument.getState().undo();
  expect(text()).toBe("Old");
});

test("beside a run it is read", async () => {
  useSession.getState().setLayout("run");
  await open();
  expect(area()).toBeNull();
});
