// All settings of a Loop: what each field writes, when it is shown, and where problems are shown.
import { act } from "react";
import { beforeEach, describe, expect, test } from "vitest";
import { choose, pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { NodeSettings } from "../../inspector/NodeSettings";
import { replaceBackend } from "../../ipc/client";
import type { Problem } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { problemOf } from "../../ipc/testing/values";

const page = pageForEach();

const data = () => useDocument.getState().document.nodes[0]?.data;

function open(own: Record<string, unknown>, settings: Record<string, unknown> = {}): void {
  useDocument.getState().open({
    document: {
      settings,
      nodes: [{ id: "l", type: "loop", position: { x: 0, y: 0 }, data: own }],
      edges: [],
    },
    path: null,
    version: null,
  });
  act(() => page.root.render(<NodeSettings nodeId="l" />));
}

function wrong(...places: (string | null)[]): void {
  const problems = places.map(
    (place): Problem => problemOf("clamped", { node: "l", place, message: `wrong at ${place}`, fix: null }),
  );
  act(() => useAnalysis.setState((s) => ({ analysis: { ...s.analysis, problems } })));
}

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  wrong();
});

function find<T extends HTMLElement>(selector: string): T {
  const element = page.host.querySelector<T>(selector);
  if (!element) throw new Error(`nothing fits ${selector}`);
  return element;
}

function type(selector: string, text: string): void {
  const element = find<HTMLInputElement>(selector);
  act(() => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")?.set?.call(element, text);
    element.dispatchEvent(new Event(element.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  });
}

/** Matches the content below the chosen exit condition. */
const BELOW_CHOSEN = '[data-field="exitCondition"] > div > [aria-checked="true"] + *';
const input = (field: string) => `[data-field="${field}"] input`;
const click = (selector: string) => act(() => find(selector).click());

describe("what is shown", () => {
  test("below the chosen exit stands only what matters for it", () => {
    open({ exitCondition: "max_iterations" });
    expect(page.host.querySelector(BELOW_CHOSEN)).toBeNull();
    click('[data-testid="exit-mode-stable_output"]');
    expect(find(BELOW_CHOSEN).textContent).toContain("Similarity threshold");
    expect(find('[data-testid="fold-More"]').textContent).not.toContain("Min iterations");
    click('[data-testid="exit-mode-evaluator"]');
    expect(find(BELOW_CHOSEN).textContent).toContain("Decided by");
    expect(find('[data-testid="fold-More"]').textContent).toContain("Min iterations");
    click('[data-testid="exit-mode-score_plateau"]');
    const places = [...find(BELOW_CHOSEN).querySelectorAll("[data-field]")].map((e) =>
      e.getAttribute("data-field"),
    );
    expect(places).toEqual(["score", "plateauDelta", "patience", "minIterations"]);
    expect(find<HTMLInputElement>(input("patience")).placeholder).toBe("2");
    click('[data-testid="exit-mode-condition"]');
    expect(find(BELOW_CHOSEN).textContent).toContain("Check it");
  });

  test("a score only for the best, further pauses only once there is a delay", () => {
    open({});
    expect(page.host.querySelector('[data-field="score"]')).toBeNull();
    expect(page.host.querySelector('[data-field="delay.type"]')).toBeNull();
    type(input("delay.interval"), "5 s");
    expect(data()?.delay).toEqual({ interval: "PT5S" });
    expect(page.host.querySelector('[data-field="delay.maxInterval"]')).toBeNull();
    act(() =>
      [...find('[data-field="delay.type"]').querySelectorAll("button")]
        .find((b) => b.textContent === "exponential")
        ?.click(),
    );
    expect(data()?.delay).toEqual({ interval: "PT5S", type: "exponential" });
    expect(page.host.querySelector('[data-field="delay.maxInterval"]')).not.toBeNull();
  });

  test("the ceiling is said beside the cap", () => {
    open({ maxIterations: 5 }, { maxIterationsCeiling: 10 });
    expect(page.host.textContent).toContain("This workflow allows up to 10 iterations.");
    open({ maxIterations: 50 }, { maxIterationsCeiling: 10 });
    expect(page.host.textContent).not.toContain("This workflow allows");
  });
});

describe("what is written", () => {
  test("the two numbers of a score plateau, and its score in one place alone", () => {
    open({ exitCondition: "score_plateau", result: "best" });
    expect(page.host.querySelectorAll('[data-field="score"]')).toHaveLength(1);
    type(input("plateauDelta"), "0.5");
    type(input("patience"), "3");
    expect(data()).toMatchObject({ plateauDelta: 0.5, patience: 3 });
  });

  test("limits, and an object left with nothing goes", () => {
    open({});
    type(input("limits.iterationTimeout"), "2 min");
    type(input("limits.budgetUsd"), "0.12");
    expect(data()?.limits).toEqual({ iterationTimeout: "PT2M", budgetUsd: 0.12 });
    type(input("limits.budgetUsd"), "");
    type(input("limits.iterationTimeout"), "");
    act(() => {
      find(input("limits.iterationTimeout")).dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    });
    expect(data()).not.toHaveProperty("limits");
    // The usual number is not a value of the loop, so there is nothing to escalate.
    expect(page.host.querySelector('[data-field="limits.noProgress.escalate"]')).toBeNull();
    expect(find(input("limits.noProgress.rounds")).getAttribute("placeholder")).not.toBe("2");
    type(input("limits.noProgress.rounds"), "3");
    expect(data()?.limits).toEqual({ noProgress: { rounds: 3 } });
    const escalate = () => find('[data-field="limits.noProgress.escalate"] [role="switch"]');
    act(() => escalate().click());
    expect(data()?.limits).toEqual({ noProgress: { rounds: 3, escalate: true } });
    act(() => escalate().click());
    type(input("limits.noProgress.rounds"), "");
    expect(data()).not.toHaveProperty("limits");
  });

  test("variables keep the types of their values", async () => {
    open({
      feedbackMode: "variables",
      variables: [{ name: "n", initial: 0, next: "{{ vars.n + 1 }}", note: "x" }],
    });
    type('[aria-label="First value of variable 1"]', "7");
    expect(data()?.variables).toEqual([{ name: "n", initial: 7, next: "{{ vars.n + 1 }}", note: "x" }]);
    await choose(find('[aria-label="Kind of first value of variable 1"]'), "text");
    expect(data()?.variables).toEqual([{ name: "n", initial: "7", next: "{{ vars.n + 1 }}", note: "x" }]);
    type('[aria-label="Next value of variable 1"]', "");
    expect(data()?.variables).toEqual([{ name: "n", initial: "7", note: "x" }]);
    click('[aria-label="Remove variable n"]');
    expect(data()).not.toHaveProperty("variables");
  });

  test("further outputs", async () => {
    open({});
    act(() => [...page.host.querySelectorAll("button")].find((b) => b.textContent === "Add output")?.click());
    type('[aria-label="Name of output 1"]', "code");
    type('[aria-label="What output 1 reads"]', "coder.code");
    await choose(find('[aria-label="Which iteration output 1 takes"]'), "all");
    expect(data()?.outputs).toEqual([{ name: "code", from: "coder.code", take: "all" }]);
  });
});

test("every problem is shown once, at its place", () => {
  open({
    exitCondition: "condition",
    condition: { until: "x" },
    feedbackMode: "variables",
    variables: [{ name: "a" }],
    outputs: [{ name: "b", from: "c" }],
    result: "best",
    delay: { interval: "PT1S" },
  });
  const places = [
    ...[null, "edge:e1", "exitCondition", "condition.until", "maxIterations", "feedbackMode", "variables"],
    ...[
      "variables[0].next",
      "outputs[0].from",
      "result",
      "score",
      "limits",
      "limits.timeout",
      "limits.nonsense",
    ],
    ...["delay.interval", "delay.jitter", "onLimit", "onError", "minIterations", "inputName", "unknownField"],
  ];
  wrong(...places);
  for (const place of places) {
    const shown = [...page.host.querySelectorAll(".field-error span")].filter(
      (p) => p.textContent === `wrong at ${place}`,
    );
    expect(shown, String(place)).toHaveLength(1);
  }
});

test("what a loop keeps of appended feedback is set where it appends", () => {
  open({ feedbackMode: "replace" });
  expect(page.host.querySelector('[data-field="keep.last"]')).toBeNull();
  open({ feedbackMode: "append" });
  type(input("keep.last"), "3");
  expect(data()).toMatchObject({ keep: { last: 3 } });
  expect(page.host.querySelector('[data-field="keep.summarise"]')).not.toBeNull();
  wrong("keep.last");
  expect(page.host.textContent).toContain("wrong at keep.last");
});
