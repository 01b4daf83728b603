// Self-Refine from nothing by keyboard alone: no click, and no focus that a key did not set. It is built,
// broken and repaired, run, read iteration by iteration, forked, and undone to the empty canvas.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { Actions } from "../support/actions";
import { byId, commandList, flowIsOpen } from "../support/editor";
import {
  breaksAndFixes,
  builds,
  expectCounts,
  forks,
  type Hands,
  MAX_ACTIONS,
  runsAndReads,
  undoesEverything,
} from "../support/self-refine-by-hand";
import { openWindow, type Window } from "../support/window";

/** Returns the selector of a node's focusable element. */
const card = (id: string): string => `.react-flow__node[data-id="${id}"]`;

class Keyboard implements Hands {
  readonly actions: Actions;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.actions = new Actions(window.browser);
  }

  async #shown(selector: string): Promise<void> {
    await this.#window.browser.$(selector).waitForDisplayed({ timeout: 10_000 });
  }

  async #gone(selector: string): Promise<void> {
    await this.#window.browser.$(selector).waitForExist({ reverse: true, timeout: 10_000 });
  }

  async #focus(selector: string): Promise<void> {
    await this.#window.browser.waitUntil(() => this.actions.focusIn(selector), {
      timeout: 10_000,
      timeoutMsg: `the focus does not reach ${selector}`,
    });
  }

  /** Adds the node that these letters find in the palette, wired to the current node or alone. */
  async #add(letters: string, id: string, [nodes, wires]: [number, number], alone = false): Promise<void> {
    await this.actions.press("a");
    await this.#focus(byId(testIds.quickAdd));
    await this.actions.type(letters);
    await this.actions.press(...(alone ? ["Shift", "Enter"] : ["Enter"]));
    await expectCounts(this.#window, nodes, wires);
    await this.#focus(card(id));
  }

  async #connect(words: string, wires: number): Promise<void> {
    await this.actions.press("c");
    await this.#focus('[role=dialog][aria-label="Connect"]');
    await this.actions.type(words);
    await this.actions.press("Enter");
    await expectCounts(this.#window, 7, wires);
  }

  /** Opens the command palette and selects the command of this name. */
  async #goTo(words: string): Promise<void> {
    await this.actions.press("Control", "k");
    await this.#focus(commandList);
    await this.actions.type(words);
    await this.actions.press("Enter");
    await this.#gone(commandList);
  }

  /** Selects a built-in model in the list of models by its name. */
  async #model(name: string, node: string): Promise<void> {
    await this.#goTo(".built");
    await this.#focus('[data-field="builtin"] button');
    await this.actions.type(name);
    await this.#shown('[role="option"][data-value][data-highlighted]');
    await this.actions.press("Enter");
    await this.#gone('[role="option"][data-value]');
    await this.#focus('[data-field="builtin"] button');
    await this.actions.press("Escape");
    await this.#focus(card(node));
  }

  async emptyFlow(): Promise<void> {
    await this.actions.press("Control", "n");
    await flowIsOpen(this.#window.browser);
    await this.actions.press("Control", "a");
    await this.actions.press("Delete");
  }

  async build(): Promise<void> {
    await this.#add("input", "input", [1, 0]);
    await this.#add("loop", "loop", [2, 1]);
    await this.#add("llm", "llm", [3, 2]);
    await this.#model("reviser", "llm");
    await this.#add("exit", "exit", [4, 3]);
    await this.#add("output", "output", [5, 4]);
    await this.#goTo("@llm");
    await this.#focus(card("llm"));
    await this.#add("llm", "llm_2", [6, 5]);
    await this.#model("critic", "llm_2");
    await this.#add("transform", "transform", [7, 5], true);
    await this.actions.press("Enter");
    await this.#focus('[data-field="inputs"]');
    await this.actions.press("Enter");
    await this.#focus('[data-field="inputs"] [data-entry]:nth-child(1)');
    await this.actions.type("draft");
    await this.actions.press("Enter");
    await this.#focus('[data-field="inputs"] [data-entry]:nth-child(2)');
    await this.actions.type("critique");
    await this.actions.pressUntilFocus('[data-field="template"] .cm-content', ["Tab"], 4);
    await this.actions.press("Control", "a");
    await this.actions.type("{{ draft }} {{ critique }}");
    await this.actions.press("Escape");
    await this.#connect("llm draft", 6);
    await this.#connect("llm 2 critique", 7);
    await this.#connect("feedback", 8);
  }

  save = () => this.actions.press("Control", "s");

  async deleteExit(): Promise<void> {
    await this.#goTo("@exit");
    await this.#focus(card("exit"));
    await this.actions.press("Delete");
  }

  async applyFix(): Promise<void> {
    await this.actions.press("F8");
    await this.#shown(byId(testIds.problem("no_end")));
    await this.actions.pressUntilFocus('[data-region="dock"]', ["F6"], 8);
    await this.actions.pressUntilFocus(byId(testIds.problemFix("no_end")), ["Tab"]);
    await this.actions.press("Enter");
  }

  async run(text: string): Promise<void> {
    await this.#goTo("@input");
    await this.#focus(card("input"));
    await this.actions.press("Enter");
    await this.#focus('[data-testid^="input-field-"]');
    await this.actions.type(text);
    await this.actions.press("Control", "Enter");
  }

  async selectDraft(): Promise<void> {
    await this.#goTo("@llm");
    await this.#focus(card("llm"));
  }

  stepBack = () => this.actions.press("[");
  showDifference = () => this.actions.press("d");

  async fork(text: string): Promise<void> {
    await this.actions.press("Shift", "F");
    await this.#focus(byId("fork"));
    await this.actions.pressUntilFocus(byId("fork-value"), ["Tab"], 8);
    await this.actions.press("Control", "a");
    await this.actions.type(text);
    await this.actions.press("Control", "Enter");
  }

  async backToEditing(): Promise<void> {
    await this.actions.press("Control", "e");
    await this.#shown(byId(testIds.undoButton));
  }

  undo = () => this.actions.press("Control", "z");
  redo = () => this.actions.press("Control", "Shift", "z");
}

let window: Window;
let hands: Keyboard;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  hands = new Keyboard(window);
});
afterAll(() => window?.close());

test("builds Self-Refine in under 60 actions", async () => {
  const actions = await builds(window, hands);
  console.log(`Self-Refine by keyboard: ${actions} actions`);
  await window.picture("keyboard-built");
  expect(actions).toBeLessThan(MAX_ACTIONS);
});
test("adds a mistake and corrects it", () => breaksAndFixes(window, hands));
test("runs it and reads what changed", () => runsAndReads(window, hands));
test("forks it from an iteration", () => forks(window, hands));
test("undoes everything, and redoes it", () => undoesEverything(window, hands));
