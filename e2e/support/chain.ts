// A flow for canvas gestures: a chain of four nodes, and two nodes without wires below it.
import { expect } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, deselect, socket } from "./editor";
import { openFile, row, wires, writeFlow } from "./flows";
import { middleOf, type Point } from "./pointer";
import { openWindow, type Window } from "./window";

/** The wires of the flow, as `isWired` takes them. */
export const CHAIN = ["ada to greet", "greet to loud", "loud to letter"];

const flow = () => ({
  name: "Chain",
  nodes: [
    ...row(
      ["ada", "input", { label: "Ada", name: "ada", default: "Ada" }],
      ["greet", "transform", { label: "Greet", template: "Dear {{ input }}" }],
      ["loud", "transform", { label: "Loud", template: "{{ input }}!" }],
      ["letter", "output", { label: "Letter", name: "letter" }],
    ),
    ...row(
      ["bob", "input", { label: "Bob", name: "bob", default: "Bob" }],
      ["spare", "transform", { label: "Spare", template: "kept" }],
    ).map((node) => ({ ...node, position: { x: node.position.x, y: 340 } })),
  ],
  edges: wires("ada.value -> greet.input", "greet.output -> loud.input", "loud.output -> letter.value"),
});

export const moved = ({ x, y }: Point, dx: number, dy: number): Point => ({ x: x + dx, y: y + dy });

export class Chain {
  readonly window: Window;

  private constructor(window: Window) {
    this.window = window;
  }

  static async open(display: string): Promise<Chain> {
    const window = await openWindow({ display });
    await openFile(window, writeFlow(window, "chain.flow.json", flow()));
    return new Chain(window);
  }

  /** Undoes everything, and shows the whole flow with nothing selected. */
  async reset(): Promise<void> {
    const { browser } = this.window;
    const undo = browser.$(byId(testIds.undoButton));
    for (let i = 0; i < 9 && (await undo.isEnabled()); i++) await undo.click();
    await deselect(browser);
    await browser.keys("1");
    await atRest(browser);
    await this.isWired(...CHAIN);
  }

  header = (id: string) => middleOf(this.window.browser, `${byId(testIds.node(id))} header`);
  input = (id: string, name = "input") => middleOf(this.window.browser, socket(id, name, "target"));
  output = (id: string, name = "output") => middleOf(this.window.browser, socket(id, name, "source"));

  /** Waits until the flow has exactly these wires. Each is described by its announced ends, in lower case. */
  async isWired(...ends: string[]): Promise<void> {
    const wanted = ends.sort();
    let found: string[] = [];
    await this.window.browser
      .waitUntil(
        async () => {
          found = await this.#wires();
          return found.join() === wanted.join();
        },
        { timeout: 5_000 },
      )
      .catch(() => expect(found).toEqual(wanted));
  }

  #wires = () =>
    this.window.browser.execute(() =>
      [...document.querySelectorAll(".react-flow__edge")]
        .map((wire) => (wire.getAttribute("aria-label") ?? "").toLowerCase().replace(/^.* from /, ""))
        .sort(),
    );

  /** Waits until a message in the corner contains this text. */
  says = (words: string) =>
    this.window.browser.waitUntil(
      () =>
        this.window.browser.execute(
          (toast, wanted) =>
            [...document.querySelectorAll(toast)].some((one) => one.textContent?.includes(wanted)),
          byId(testIds.toast),
          words,
        ),
      { timeout: 5_000, timeoutMsg: `no message says “${words}”` },
    );

  /** Returns the box of a card, in client pixels. */
  box = (id: string) =>
    this.window.browser.execute(
      (card) => {
        const { left, top, right, bottom } =
          document.querySelector(card)?.getBoundingClientRect() ?? new DOMRect();
        return { left: Math.round(left), top: Math.round(top), right, bottom };
      },
      byId(testIds.node(id)),
    );
}
