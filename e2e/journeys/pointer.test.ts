// Self-Refine from nothing by pointer, like the journey by keyboard. Keys are used only for typing, and for
// actions without a button.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { Actions } from "../support/actions";
import { atRest, byId, codeField, deselect, flowIsOpen, formIsOf, socket } from "../support/editor";
import type { Point } from "../support/pointer";
import {
  breaksAndFixes,
  builds,
  CRITIC,
  DRAFT,
  expectCounts,
  forks,
  type Hands,
  MAX_ACTIONS,
  MERGE,
  runsAndReads,
  undoesEverything,
} from "../support/self-refine-by-hand";
import { openWindow, type Window } from "../support/window";

const PLACES: readonly (readonly [kind: string, at: Point])[] = [
  ["input", { x: 310, y: 200 }],
  ["loop", { x: 540, y: 200 }],
  ["llm", { x: 790, y: 180 }],
  ["exit", { x: 1020, y: 200 }],
  ["output", { x: 1010, y: 420 }],
  ["llm", { x: 790, y: 460 }],
  ["transform", { x: 520, y: 520 }],
];

class Pointer implements Hands {
  readonly actions: Actions;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.actions = new Actions(window.browser);
  }

  #header = (id: string) => `${byId(testIds.node(id))} header`;

  async #select(id: string): Promise<void> {
    await this.actions.click(this.#header(id));
    await formIsOf(this.#window.browser, id);
  }

  async emptyFlow(): Promise<void> {
    await this.actions.click(byId("template-blank"));
    await flowIsOpen(this.#window.browser);
    this.actions.count += 1;
    await deselect(this.#window.browser);
    await this.actions.press("Control", "a");
    await this.actions.press("Delete");
  }

  async #model(node: string, model: string): Promise<void> {
    await this.#select(node);
    await this.actions.pick('[data-field="builtin"] .select', model);
  }

  async build(): Promise<void> {
    const { browser } = this.#window;
    for (const [i, [kind, at]] of PLACES.entries()) {
      await atRest(browser);
      await this.actions.drag(byId(testIds.paletteItem(kind)), at);
      await expectCounts(this.#window, i + 1, 0);
    }
    await this.#model(DRAFT, "reviser");
    await this.#model(CRITIC, "critic");
    await this.#select(MERGE);
    for (const name of ["draft", "critique"]) {
      await this.actions.click(`[data-field="inputs"] ${byId(testIds.addEntry)}`);
      await this.actions.type(name);
    }
    await this.actions.click(codeField("template"));
    await this.actions.press("Control", "a");
    await this.actions.type("{{ draft }} {{ critique }}");
    const wires: readonly (readonly [[string, string], [string, string]])[] = [
      [
        ["input", "value"],
        ["loop", "input"],
      ],
      [
        ["loop", "body"],
        [DRAFT, "prompt"],
      ],
      [
        [DRAFT, "response"],
        ["exit", "input"],
      ],
      [
        ["exit", "output"],
        ["output", "value"],
      ],
      [
        [DRAFT, "response"],
        [CRITIC, "prompt"],
      ],
      [
        [DRAFT, "response"],
        [MERGE, "draft"],
      ],
      [
        [CRITIC, "response"],
        [MERGE, "critique"],
      ],
      [
        [MERGE, "output"],
        ["loop", "feedback"],
      ],
    ];
    for (const [i, [from, to]] of wires.entries()) {
      await atRest(browser);
      await this.actions.drag(socket(...from, "source"), socket(...to, "target"));
      await expectCounts(this.#window, 7, i + 1);
    }
  }

  save = () => this.actions.click(byId(testIds.saveButton));

  async deleteExit(): Promise<void> {
    await this.#select("exit");
    await this.actions.press("Delete");
  }

  async applyFix(): Promise<void> {
    await this.actions.click(byId(testIds.validateButton));
    await this.actions.click(byId(testIds.problemFix("no_end")));
  }

  async run(text: string): Promise<void> {
    await this.#select("input");
    await this.actions.click('[data-testid^="input-field-"]');
    await this.actions.type(text);
    await this.actions.click(byId(testIds.runButton));
  }

  async selectDraft(): Promise<void> {
    await atRest(this.#window.browser);
    await this.#select(DRAFT);
  }

  stepBack = () => this.actions.click('[aria-label^="Previous iteration of"]');
  showDifference = () =>
    this.actions.click('[aria-label="How the output is shown"] [role="radio"]:nth-child(2)');

  async fork(text: string): Promise<void> {
    await this.actions.click(byId("fork-from-here"));
    await this.actions.click(byId("fork-value"));
    await this.actions.press("Control", "a");
    await this.actions.type(text);
    await this.actions.click(byId("fork-run"));
  }

  backToEditing = () => this.actions.click(byId(testIds.viewEdit));
  undo = () => this.actions.click(byId(testIds.undoButton));
  redo = () => this.actions.click(byId(testIds.redoButton));
}

let window: Window;
let hands: Pointer;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  hands = new Pointer(window);
});
afterAll(() => window?.close());

test("builds Self-Refine in under 60 actions", async () => {
  const actions = await builds(window, hands);
  console.log(`Self-Refine by pointer: ${actions} actions`);
  await window.picture("pointer-built");
  expect(actions).toBeLessThan(MAX_ACTIONS);
});
test("adds a mistake and corrects it", () => breaksAndFixes(window, hands));
test("runs it and reads what changed", () => runsAndReads(window, hands));
test("forks it from an iteration", () => forks(window, hands));
test("undoes everything, and redoes it", () => undoesEverything(window, hands));
