// The conventions of any canvas, and the tests that verify them. If such a test is renamed or removed, this
// list must be updated.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rulesOf } from "../styles/stylesheets";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/**
 * The tests for each convention: the file (from `ui/src` or `e2e/journeys`) and a part of the test's title.
 */
const HELD: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  "undo and redo, grouped": [
    ["document/history.test.ts", "joins a burst of typing"],
    ["commands/canvas-keys.test.ts", "two nodes that are moved together are one step"],
    ["tabs/drafts.test.ts", "lie over their file as an edit that can be undone"],
    ["pointer.test.ts", "undoes everything, and redoes it"],
  ],
  "several nodes and the box around them": [
    ["canvas/detail/deferred-selection.test.ts", "what it touches is chosen"],
    ["selection.test.ts", "a click on one of several selected nodes selects only that one"],
    ["canvas/conventions.test.ts", "a selected wire is blue"],
  ],
  "copy, paste, duplicate": [
    ["document/fragment.test.ts", "takes the wires and groups within, and survives the clipboard"],
    ["commands/change-in-view.test.ts", "what is duplicated is kept in view at the same zoom"],
    ["canvas/move/copy-drag.test.tsx", "a duplicate covers neither the original nor another card"],
    ["canvas-keys.test.ts", "a duplicate covers no card, and the view does not move"],
    ["canvas-keys.test.ts", "copied nodes are pasted with the wires between them, as one step for undo"],
    ["gestures.test.ts", "a drag with Alt held copies"],
  ],
  "align and distribute": [
    ["kernels/arrange.test.ts", "distributes with equal gaps"],
    ["commands/canvas-keys.test.ts", "is one step"],
    ["canvas-keys.test.ts", "cards are aligned by key"],
  ],
  "snap and guides": [["kernels/arrange.test.ts", "moves to the nearest edge or middle"]],
  groups: [
    ["document/fragment.test.ts", "take what is dropped in their frame"],
    ["groups.test.ts", "a node that is dropped in the frame joins the group"],
    ["canvas-keys.test.ts", "a group is made by key, and named at once"],
  ],
  notes: [
    ["node-ui/note.test.tsx", "a double click writes it in place"],
    ["node-ui/note-look.test.tsx", "a drag resizes it in steps of the grid"],
    ["node-ui/note-look.test.tsx", "a press on a colour colours it"],
    ["gestures.test.ts", "a note is written in place, and has a colour"],
  ],
  "fold a loop": [
    ["kernels/folds.test.ts", "take the ends of wires that cross their border"],
    ["commands/canvas-keys.test.ts", "F folds the loop around a node"],
    ["selection.test.ts", "finding a node in a folded loop unfolds the loop"],
  ],
  "quick-add where a wire is dropped": [
    ["canvas/wires/wires.test.ts", "offers what fits first"],
    ["canvas/view/fit-view.test.ts", "what was added at the zoom that is there"],
    ["canvas-keys.test.ts", "a wire dropped on the canvas opens a list of nodes"],
  ],
  "insert on a wire": [
    ["canvas/wires/wires.test.ts", "into a wire splits it, as one undo entry"],
    ["insert-into-wire.test.ts", "the plus beside a wire"],
  ],
  "reconnect a wire": [
    ["canvas/wires/put-wire.test.tsx", "a press on an input picks up the wire that ends there"],
    ["canvas/wires/put-wire.test.tsx", "a wire that is pulled off and dropped on the canvas is deleted"],
    [
      "gestures.test.ts",
      "a press on an input picks up its wire, which can be moved to another input or removed",
    ],
  ],
  "delete with bridging": [
    ["commands/delete.test.ts", "a node of a chain is bridged"],
    ["gestures.test.ts", "deleting a node of a chain connects its neighbours"],
  ],
  "a drop on an occupied input replaces": [
    ["canvas/wires/put-wire.test.tsx", "the new wire takes the place of the old one"],
    ["gestures.test.ts", "a wire that is dropped on an occupied input takes the place of the other"],
  ],
  "rename with references": [
    ["document/rename.test.ts", "changes wires, groups and templates as one entry"],
    ["canvas-keys.test.ts", "F2 renames a node and every reference to it"],
  ],
  "find and replace": [
    ["kernels/find.test.ts", "replaces all of a text at once"],
    ["canvas-keys.test.ts", "find and replace changes templates"],
  ],
  "automatic layout": [
    ["kernels/shaped.test.ts", "follows the shape"],
    ["kernels/layered.test.ts", "covers nothing, runs to the right and keeps a loop apart"],
    ["canvas-keys.test.ts", "L lays the flow out from left to right, without overlaps"],
  ],
  "zoom, pan, minimap": [
    ["canvas/view/pan-mode.test.tsx", "with the hand tool it cannot be dragged, and a drag on it pans"],
    ["canvas/view/pan-mode.test.tsx", "the same holds while Space is held"],
    ["gestures.test.ts", "a drag on a card with Space held pans"],
    ["gestures.test.ts", "a drag on a card with the hand tool pans"],
    ["commands/canvas-keys.test.ts", "1 shows all, 2 what is selected, 0 is 100 %"],
    ["far-view.test.ts", "a press on the minimap centres that place"],
  ],
  "export as a picture": [
    ["export-picture.test.ts", "a PNG has twice the resolution of the flow"],
    ["shell/file-menu.test.tsx", "a workflow is saved as a picture from there"],
  ],
  "keyboard alone, palette, keys, tabs, drafts": [
    ["keyboard-only.test.ts", "builds Self-Refine in under 60 actions"],
    ["shell/palette/entries.test.ts", "finds commands, flows, files, templates, nodes and settings"],
    ["open-flows.test.ts", "the palette goes to a node, and the sheet tells the keys"],
    ["tabs/drafts.test.ts", "are kept soon after an edit"],
  ],
  "run to here and from here, pins, preview, names with last values": [
    ["commands/commands.test.ts", "runs for the selected node"],
    ["gestures.test.ts", "one key runs up to the selected node, another runs from it"],
    ["commands/canvas-keys.test.ts", "a node that never ran is pinned by hand"],
    ["inspector/form/code/preview.test.tsx", "with the values of the run"],
    ["inspector/form/code/name-drag.test.tsx", "no text is selected on the way"],
    ["inspector/form/code/complete.test.ts", "the last value stands beside a name"],
  ],
};

/** Returns the titles of the tests in a source, without skipped ones. */
const titlesIn = (source: string): string[] =>
  [
    ...source.matchAll(
      /^[ \t]*(?:test|it)(?:\.(?!skip|todo)\w+(?:<[^>]*>)?(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(["'`])(.*?)\1/gms,
    ),
  ].map(([, , title = ""]) => title);

describe.each(Object.entries(HELD))("%s", (_, tests) => {
  test.each(tests)("%s: %s", (file, title) => {
    const found = [path.join(ROOT, "ui/src", file), path.join(ROOT, "e2e/journeys", file)].filter(existsSync);
    expect(found.length).toBeGreaterThan(0);
    // Journeys share some titles through a helper in `e2e/support`.
    const support = path.join(ROOT, "e2e/support/self-refine-by-hand.ts");
    const texts = [...found, support].map((one) => readFileSync(one, "utf8"));
    // A skipped group would skip its tests too.
    for (const text of texts) expect(text).not.toMatch(/^[ \t]*(describe|test|it)\.(skip|todo)\b/m);
    expect(texts.flatMap(titlesIn).some((one) => one.includes(title))).toBe(true);
  });
});

test("a title in a comment, and a test that is skipped or not written, hold nothing", () => {
  const source = [
    '// test("in a comment", () => {});',
    'test.skip("skipped", () => {});',
    'it.todo("not written");',
    'test.each(cases)("with cases", () => {});',
    "test.each([\n[1, f(2)],\n])(`of %s`, () => {});",
    '  it("counts", () => {});',
  ].join("\n");
  expect(titlesIn(source)).toEqual(["with cases", "of %s", "counts"]);
});

test("there are the twenty", () => {
  expect(Object.keys(HELD)).toHaveLength(20);
});

test("a selected wire is blue, and feedback stays violet with blue around it", () => {
  const rules = rulesOf("canvas/wires/WireEdge.module.css");
  const strokeOf = (part: string) =>
    rules
      .filter(({ selector }) => selector.includes(part))
      .map(({ declarations }) => declarations.get("stroke"));
  expect(strokeOf(".path.picked")).toEqual(["var(--accent)"]);
  expect(strokeOf(".path.feedback:is(.picked")).toEqual(["var(--wire-feedback)"]);
});
