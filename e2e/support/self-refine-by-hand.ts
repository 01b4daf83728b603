// Self-Refine built by hand, with any input device: the steps from an empty canvas to the last undo, and the
// expected result of each. The journeys by keyboard and by pointer implement the steps.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { testIds } from "../../ui/src/testids";
import type { Actions } from "./actions";
import { byId, flowIsOpen, nodes, wholeText, wires } from "./editor";
import { root, type Window } from "./window";

/**
 * The steps of the journey, as one input device performs them. Between its actions, a step waits for visible
 * effects with `does`, as a user would.
 */
export interface Hands {
  readonly actions: Actions;
  /** Opens an empty flow from the first page. */
  emptyFlow(): Promise<void>;
  /**
   * Builds the flow. The nodes get the ids that an empty flow assigns when each kind is added by its name.
   */
  build(): Promise<void>;
  /** Saves the flow. The answer of the file dialog is prepared in advance. */
  save(): Promise<void>;
  deleteExit(): Promise<void>;
  applyFix(): Promise<void>;
  run(text: string): Promise<void>;
  /** Shows the output of Draft in the iteration before the one that is shown. */
  selectDraft(): Promise<void>;
  stepBack(): Promise<void>;
  showDifference(): Promise<void>;
  /** Forks Draft's output at the shown iteration. */
  fork(text: string): Promise<void>;
  backToEditing(): Promise<void>;
  undo(): Promise<void>;
  redo(): Promise<void>;
}

export const MAX_ACTIONS = 60;
export const DRAFT = "llm";
export const CRITIC = "llm_2";
export const MERGE = "transform";

const TEXT = "The the shipment are late.";
const FORKED = "A bridge were closed on friday.";

interface Flow {
  nodes: { id: string; type: string; data: Record<string, unknown> }[];
  edges: { source: string; sourceHandle: string; target: string; targetHandle: string }[];
}

/**
 * Returns the parts of a flow that do not depend on its ids: kinds with their models and inputs, and the
 * wires between them.
 */
function shape({ nodes: all, edges }: Flow): { kinds: string[]; wires: string[] } {
  const roles = new Map(
    all.map(({ id, type, data }) => [id, [type, data.builtin].filter(Boolean).join(" ")]),
  );
  const kinds = all.map((node) => [roles.get(node.id), ...[node.data.inputs ?? []].flat()].join(" "));
  const ends = edges.map(
    (e) => `${roles.get(e.source)}.${e.sourceHandle} -> ${roles.get(e.target)}.${e.targetHandle}`,
  );
  return { kinds: kinds.sort(), wires: ends.sort() };
}

const read = (file: string): Flow => JSON.parse(readFileSync(file, "utf8"));

async function count(window: Window, nodeCount: number, wireCount: number): Promise<void> {
  const { browser } = window;
  await browser.waitUntil(
    async () =>
      (await nodes(browser)).length === nodeCount &&
      // After a run has ended, its wires are drawn like others.
      (await wires(browser)).length === wireCount,
    { timeout: 10_000, timeoutMsg: `the canvas does not have ${nodeCount} nodes and ${wireCount} wires` },
  );
}

/** Waits until the canvas has this many nodes and wires. */
export const expectCounts = (window: Window, nodeCount: number, wireCount: number) =>
  count(window, nodeCount, wireCount);

/** Waits until the shown run has taken all its iterations and has ended. */
async function isOver(window: Window): Promise<void> {
  const { browser } = window;
  const badge = byId(testIds.loopBadge("loop"));
  await browser.waitUntil(
    async () => {
      if (await browser.$(byId(testIds.stopButton)).isExisting()) return false;
      const text = await browser.execute((found) => document.querySelector(found)?.textContent ?? "", badge);
      const [done, all] = text.match(/\d+/g) ?? [];
      return done !== undefined && done === all;
    },
    { timeout: 60_000, timeoutMsg: "the run does not end" },
  );
}

async function shownIteration(window: Window): Promise<number> {
  const pressed = window.browser.$('[data-testid^="iteration-pip-"][aria-pressed="true"]');
  await pressed.waitForExist({ timeout: 10_000, timeoutMsg: "no iteration is shown" });
  return Number((await pressed.getAttribute("data-testid"))?.split("-").at(-1));
}

/** Builds the flow, and returns the number of actions. */
export async function builds(window: Window, hands: Hands): Promise<number> {
  const { browser } = window;
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
  await hands.emptyFlow();
  await count(window, 0, 0);
  await hands.build();
  await count(window, 7, 8);
  const taken = hands.actions.count;
  const file = path.join(window.folder, "by-hand.flow.json");
  window.answerDialog(file);
  await hands.save();
  await browser.waitUntil(async () => !(await browser.$(byId(testIds.saveButton)).isEnabled()), {
    timeoutMsg: "the flow is not saved",
  });
  expect(shape(read(file))).toEqual(shape(read(path.join(root, "templates/self-refine.json"))));
  return taken;
}

/**
 * Expects that a Loop without an Exit is reported as a problem, and that the button of that problem fixes it.
 */
export async function breaksAndFixes(window: Window, hands: Hands): Promise<void> {
  const { browser } = window;
  await hands.deleteExit();
  await count(window, 6, 6);
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.runButton)).getAttribute("aria-disabled")) === "true",
    { timeoutMsg: "a flow with an error can be run" },
  );
  await hands.applyFix();
  await browser.$(byId(testIds.problem("no_end"))).waitForExist({
    reverse: true,
    timeoutMsg: "the problem stays after its fix",
  });
  expect((await nodes(browser)).length).toBe(7);
}

export async function runsAndReads(window: Window, hands: Hands): Promise<void> {
  const { browser } = window;
  await hands.run(TEXT);
  await isOver(window);
  await hands.selectDraft();
  const last = await shownIteration(window);
  expect(last).toBeGreaterThan(2);
  await hands.stepBack();
  await browser.waitUntil(async () => (await shownIteration(window)) === last - 1, {
    timeout: 5_000,
    timeoutMsg: "the iteration before is not shown",
  });
  await hands.showDifference();
  await browser.$(byId(testIds.diffView)).waitForDisplayed({ timeout: 10_000 });
}

export async function forks(window: Window, hands: Hands): Promise<void> {
  const { browser } = window;
  await hands.fork(FORKED);
  await browser.$(byId("fork")).waitForExist({
    reverse: true,
    timeout: 10_000,
    timeoutMsg: "the fork does not start",
  });
  await isOver(window);
  // The panel shows the output of Draft in the last iteration, in full or as a diff.
  await browser.waitUntil(async () => (await wholeText(browser, '[data-region="side"]')).includes("bridge"), {
    timeout: 10_000,
    timeoutMsg: "the fork does not continue from the given text",
  });
}

/** Undoes every edit, and redoes every one. */
export async function undoesEverything(window: Window, hands: Hands): Promise<void> {
  const { browser } = window;
  await hands.backToEditing();
  await flowIsOpen(browser);
  const all = [(await nodes(browser)).length, (await wires(browser)).length] as const;
  let steps = 0;
  while ((await nodes(browser)).length > 0) {
    if (steps === 80) throw new Error("80 undos do not empty the canvas");
    await hands.undo();
    steps += 1;
  }
  expect(await wires(browser)).toEqual([]);
  for (let i = 0; i < steps; i++) await hands.redo();
  await count(window, ...all);
  expect(await browser.$(byId(testIds.redoButton)).isEnabled()).toBe(false);
}
