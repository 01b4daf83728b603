// The colour and size of a note, which the file stores next to the note's data.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { commandById } from "../commands";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { noteLook } from "../document/notes";
import type { FlowNode } from "../ipc/generated/bindings";
import { kinds as recorded } from "../ipc/generated/recorded/program";
import { useSession } from "../session/session";
import { NoteTools } from "./NoteTools";

const { kinds } = recorded;
const page = pageForEach();
const note = (more: object = {}): FlowNode => ({
  id: "n",
  type: "note",
  position: { x: 0, y: 0 },
  data: { text: "Hi" },
  ...more,
});
const now = () => useDocument.getState().document.nodes[0] as FlowNode;

beforeEach(async () => {
  useKinds.setState({ kinds, byType: new Map(kinds.map((kind) => [kind.type, kind])) });
  useDocument.getState().open({ document: { nodes: [note()], edges: [] }, path: null, version: null });
  useSession.setState({ view: "editor", layout: "edit" });
  useSession.getState().select(["n"]);
  await act(async () =>
    page.root.render(
      <article>
        <NoteTools id="n" colour="grey" />
      </article>,
    ),
  );
  const card = page.host.querySelector("article") as HTMLElement;
  Object.defineProperties(card, { offsetWidth: { value: 200 }, offsetHeight: { value: 90 } });
});

const handle = () => page.host.querySelector<HTMLElement>('[aria-label^="Resize"]') as HTMLElement;
const pointer = (type: string, x: number, y: number) =>
  act(async () => {
    const at = { bubbles: true, clientX: x, clientY: y, button: 0, pointerId: 1 };
    handle().dispatchEvent(new MouseEvent(type, at));
  });

test("what a file says is read leniently, and within bounds", () => {
  expect(noteLook(note())).toEqual({ colour: "grey", size: null });
  expect(noteLook(note({ colour: "amber", width: 300, height: 20 }))).toEqual({
    colour: "amber",
    size: { width: 300, height: 60 },
  });
  expect(noteLook(note({ colour: "#fff", width: "wide" }))).toEqual({ colour: "grey", size: null });
});

test("a press on a colour colours it, and grey takes it back", async () => {
  const press = (name: string) =>
    act(async () => page.host.querySelector<HTMLElement>(`[role=radio][aria-label="${name}"]`)?.click());
  await press("amber");
  expect(now()).toEqual(note({ colour: "amber" }));
  await press("grey");
  expect(now()).toEqual(note());
});

test("a drag resizes it in steps of the grid, as one step to undo; Escape leaves it", async () => {
  await pointer("pointerdown", 0, 0);
  await pointer("pointermove", 33, 12);
  await pointer("pointermove", 58, 31);
  expect(page.host.querySelector("article")?.style.width).toBe("260px");
  expect(now()).toEqual(note());
  await pointer("pointerup", 58, 31);
  expect(now()).toMatchObject({ width: 260, height: 120 });
  useDocument.getState().undo();
  expect(now()).toEqual(note());
  await pointer("pointerdown", 0, 0);
  await pointer("pointermove", 60, 60);
  await act(async () => commandById("edit.backOut").run());
  await pointer("pointerup", 60, 60);
  expect(now()).toEqual(note());
});

test("arrow keys resize it, and a command makes it as large as its text again", async () => {
  await act(async () =>
    handle().dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })),
  );
  expect(now()).toMatchObject({ width: 220, height: 90 });
  expect(commandById("note.fit").possible?.()).toBe(true);
  await act(async () => commandById("note.fit").run());
  expect(now()).toEqual(note());
  await act(async () => commandById("note.colour").run());
  expect(noteLook(now()).colour).toBe("blue");
});
