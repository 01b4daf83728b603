// A group on the canvas: a card dropped in its frame becomes a member, and each change is a single undo step.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, place } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { drag, middleOf } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

const step = (id: string, x: number, y: number) => ({
  id,
  type: "transform",
  position: { x, y },
  data: { label: id, template: "{{ input }}" },
});

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "groups.flow.json", {
    name: "Groups",
    nodes: [step("one", 0, 0), step("two", 640, 0), step("apart", 320, 400)],
    edges: [],
    groups: [{ id: "pair", title: "A pair", colour: "blue", nodes: ["one", "two"] }],
  });
  await openFile(window, file);
  await atRest(window.browser);
});
afterAll(() => window?.close());

const frame = byId(testIds.group("pair"));
const head = (id: string) => `.react-flow__node[data-id="${id}"] article > header`;

/** Returns the ids of the group's nodes, from the saved file. */
async function saved(): Promise<string[]> {
  const { browser } = window;
  await browser.keys(["Control", "s"]);
  await browser.waitUntil(async () => !(await browser.$('[aria-label="Unsaved changes"]').isExisting()), {
    timeout: 5_000,
    timeoutMsg: "the file is not saved",
  });
  await atRest(browser);
  return JSON.parse(readFileSync(file, "utf8")).groups[0].nodes;
}

test("a node that is dropped in the frame joins the group, and undo takes it out and back", async () => {
  const { browser } = window;
  const before = await middleOf(browser, head("apart"));
  await drag(browser, before, await middleOf(browser, frame));
  await atRest(browser);
  await window.picture("group-joined");
  expect(await saved()).toEqual(["one", "two", "apart"]);
  await browser.keys(["Control", "z"]);
  await atRest(browser);
  expect(await saved()).toEqual(["one", "two"]);
  const after = await middleOf(browser, head("apart"));
  expect(Math.abs(after.y - before.y)).toBeLessThan(2);
});

test("a node from the palette joins the group, and the frame moves with its nodes", async () => {
  const { browser } = window;
  const added = await place(browser, "llm", await middleOf(browser, frame));
  await atRest(browser);
  expect(await saved()).toEqual(["one", "two", added]);
  const [from, card] = [await middleOf(browser, `${frame} header b`), await middleOf(browser, head(added))];
  await drag(browser, from, { x: from.x + 40, y: from.y + 60 });
  await atRest(browser);
  const moved = await middleOf(browser, head(added));
  expect(moved.y).toBeGreaterThan(card.y + 20);
  // No node joined or left the group during the drag.
  expect(await saved()).toEqual(["one", "two", added]);
});
