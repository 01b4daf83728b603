// The condition of a loop. Editing it with pickers or as text changes the same expression in the document.
import { act } from "react";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadCode } from "../../components/code/load";
import { choose, pageForEach } from "../../components/testing";
import { useDocument, useFlowNode } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { ConditionDetail, partsOf, turned } from "./ConditionDetail";

const page = pageForEach();

function Shown() {
  const node = useFlowNode("l");
  return node ? <ConditionDetail node={node} /> : null;
}

function open(condition: unknown): void {
  useDocument.getState().open({
    document: {
      nodes: [{ id: "l", type: "loop", position: { x: 0, y: 0 }, data: { condition } }],
      edges: [],
    },
    path: null,
    version: null,
  });
  act(() => page.root.render(<Shown />));
}

beforeAll(loadCode);
beforeEach(() => {
  replaceBackend(testBackend());
});

const kept = () => useDocument.getState().document.nodes[0]?.data.condition;

function find<T extends HTMLElement>(selector: string): T {
  const element = page.host.querySelector<T>(selector);
  if (!element) throw new Error(`nothing fits ${selector} in ${page.host.innerHTML}`);
  return element;
}

function type(label: string, text: string): void {
  const element = find<HTMLInputElement>(`[aria-label="${label}"]`);
  act(() => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")?.set?.call(element, text);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const pick = (label: string, value: string) => choose(find(`[aria-label="${label}"]`), value);

const press = (group: string, label: string) =>
  act(() => {
    const buttons = [...find(`[aria-label="${group}"]`).querySelectorAll("button")];
    buttons.find((b) => b.textContent === label)?.click();
  });

const add = () =>
  act(() =>
    [...page.host.querySelectorAll("button")].find((b) => b.textContent?.includes("Add a test"))?.click(),
  );

describe("by pickers", () => {
  test("value, operator and constant write the expression", async () => {
    open({ test: "after" });
    await pick("Value of test 1", "result");
    await pick("Operator of test 1", "length >=");
    expect(kept()).toEqual({ test: "after", until: "" });
    type("Constant of test 1", "12");
    expect(kept()).toEqual({ test: "after", until: "result | length >= 12" });
    expect(find('[data-testid="condition-expression"]').textContent).toBe("result | length >= 12");
  });

  test("a second row, joined by either word", async () => {
    open({ until: "loopCount > 2", test: "after" });
    add();
    await pick("Value of test 2", "result");
    await pick("Operator of test 2", "contains");
    type("Constant of test 2", "done");
    expect(kept()).toEqual({ until: 'loopCount > 2 and result is containing(pat="done")', test: "after" });
    press("How the tests are joined", "any holds");
    expect(kept()).toEqual({ until: 'loopCount > 2 or result is containing(pat="done")', test: "after" });
  });

  test("a row that is not filled in stays in the window and out of the expression", () => {
    open({ until: "loopCount > 2" });
    add();
    expect(kept()).toEqual({ until: "loopCount > 2" });
    expect(page.host.querySelectorAll('fieldset[aria-label^="Test "]')).toHaveLength(2);
  });
});

describe("nothing is lost", () => {
  test("switching to text and back changes nothing in the document", () => {
    open({ while: "  score<8   and draft.ok", test: "after", note: "mine" });
    const before = kept();
    press("How the test is written", "Code");
    expect(find(".cm-content").textContent).toBe("  score<8   and draft.ok");
    press("How the test is written", "Builder");
    expect(kept()).toBe(before);
  });

  test("a test that the pickers cannot say stays text, and says so", () => {
    open({ until: "(a or b) and score * 2 > 9" });
    expect(find(".cm-content").textContent).toBe("(a or b) and score * 2 > 9");
    expect(page.host.querySelector('[data-testid="only-text"]')).not.toBeNull();
    press("How the test is written", "Builder");
    expect(kept()).toEqual({ until: "(a or b) and score * 2 > 9" });
  });

  test("while and until change places with the expression, other fields stay", () => {
    expect(turned({ until: "x > 1", test: "after", note: 1 }, "while")).toEqual({
      while: "x > 1",
      test: "after",
      note: 1,
    });
    // If a file has both keywords, the expression of the chosen one is kept.
    expect(turned({ until: "a", while: "b" }, "until")).toEqual({ until: "a" });
    expect(partsOf({ while: "b" })).toMatchObject({ repeat: "while", test: "before", expression: "b" });
    expect(partsOf("nonsense")).toMatchObject({ repeat: "until", expression: "" });
  });

  test("an undo reaches the pickers", () => {
    open({ until: "loopCount > 2" });
    type("Constant of test 1", "7");
    expect(kept()).toEqual({ until: "loopCount > 7" });
    act(() => void useDocument.getState().undo());
    expect(find<HTMLInputElement>('[aria-label="Constant of test 1"]').value).toBe("2");
  });
});
