// The widgets of the form: how each displays a value, and what a change writes.
import { act, type ReactElement } from "react";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { editorOf } from "../../components/code/editor";
import { loadCode } from "../../components/code/load";
import { choose, openList, pageForEach } from "../../components/testing";
import { useTools } from "../../document/tools";
import { replaceBackend } from "../../ipc/client";
import type { Json, Problem } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { problemOf } from "../../ipc/testing/values";
import { useProviders } from "../../runs/inputs/providers";
import { Field } from "./Field";
import { fieldsOf } from "./schema";

const page = pageForEach();

beforeAll(loadCode);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useProviders.getState().load();
});

function draw(element: ReactElement): void {
  act(() => page.root.render(element));
}

/** Renders one field and returns the list of changes that it makes. */
function field(
  property: object,
  value?: Json,
  more: { data?: Record<string, Json>; problems?: Problem[] } = {},
) {
  const onChange = vi.fn<(value: Json) => void>();
  const [spec] = fieldsOf({ properties: { f: property } });
  if (!spec) throw new Error("the schema has one field");
  const data = { ...more.data, ...(value === undefined ? {} : { f: value }) };
  draw(<Field field={spec} data={data} nodeId={null} problems={more.problems ?? []} onChange={onChange} />);
  return onChange;
}

const find = <T extends HTMLElement>(selector: string): T => {
  const element = page.host.querySelector<T>(selector);
  if (!element) throw new Error(`nothing fits ${selector} in ${page.host.innerHTML}`);
  return element;
};

function blurField(selector: string): void {
  act(() => {
    find(selector).dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  });
}

function type(selector: string, text: string): void {
  const element = find<HTMLInputElement>(selector);
  const owner = Object.getPrototypeOf(element);
  act(() => {
    Object.getOwnPropertyDescriptor(owner, "value")?.set?.call(element, text);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Returns the text of a code field. */
const code = (selector = ".cm-editor"): string => editorOf(find(selector))?.state.doc.toString() ?? "";

function typeCode(text: string, selector = ".cm-editor"): void {
  const view = editorOf(find(selector));
  act(() => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
}

const click = (selector: string) => act(() => find(selector).click());

describe("each widget", () => {
  test("text: empty means the default, which stands in its place", () => {
    const changed = field({ type: "string", default: "auto" }, "mine");
    expect(find<HTMLInputElement>("input")).toMatchObject({ value: "mine", placeholder: "auto" });
    type("input", "yours");
    type("input", "");
    expect(changed.mock.calls).toEqual([["yours"], [undefined]]);
  });

  test("template: its variables are marked", () => {
    field({ type: "string", "x-widget": "template" }, "Improve {{ input }} now");
    expect(find(".cm-hole").textContent).toBe("{{ input }}");
    expect(find(".cm-content").getAttribute("aria-label")).toBe("F");
    expect(code()).toBe("Improve {{ input }} now");
  });

  test("expression", () => {
    const changed = field({ type: "string", "x-widget": "expression" });
    typeCode("score >= 8");
    expect(changed).toHaveBeenLastCalledWith("score >= 8");
  });

  test("integer: steps within its bounds, keeps what is no number out of the document", () => {
    const changed = field({ type: "integer", minimum: 1, maximum: 5 }, 5);
    expect(find<HTMLButtonElement>('[aria-label^="Increase"]').disabled).toBe(true);
    click('[aria-label^="Decrease"]');
    type("input", "many");
    type("input", "9");
    type("input", "3");
    expect(changed.mock.calls).toEqual([[4], [3]]);
  });

  test("integer: what is wrong stays in the field and is marked", () => {
    field({ type: "integer", minimum: 1, maximum: 5 }, 2);
    type("input", "99");
    expect(find<HTMLInputElement>("input").value).toBe("99");
    expect(find("input").getAttribute("aria-invalid")).toBe("true");
    expect(find("[role=alert]").textContent).toBe("Enter a whole number from 1 to 5. Not applied.");
  });

  test("number: a comma is read as a point", () => {
    const changed = field({ type: "number" });
    type("input", "0,5");
    expect(changed).toHaveBeenLastCalledWith(0.5);
  });

  test("slider", () => {
    const changed = field({ type: "number", minimum: 0, maximum: 1, default: 0.95 });
    expect(find<HTMLInputElement>('[type="range"]').value).toBe("0.95");
    type('[type="range"]', "0.8");
    expect(changed).toHaveBeenLastCalledWith(0.8);
  });

  test("switch: the default holds until it is turned", () => {
    const changed = field({ type: "boolean", default: true });
    expect(find('[role="switch"]').getAttribute("aria-checked")).toBe("true");
    click('[role="switch"]');
    expect(changed).toHaveBeenLastCalledWith(false);
  });

  test("segmented, also by arrow key", () => {
    const changed = field({ enum: ["replace", "append"], default: "replace" });
    act(() => {
      find('[role="radio"][aria-checked="true"]').dispatchEvent(
        new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }),
      );
    });
    expect(changed).toHaveBeenLastCalledWith("append");
  });

  test("select shows the help of what is chosen, and a value that it does not know", async () => {
    const property = {
      enum: ["max_iterations", "evaluator", "stable_output", "condition"],
      "x-enum-help": { evaluator: "Stop when the body reaches Exit." },
    };
    const changed = field(property, "evaluator");
    expect(page.host.textContent).toContain("Stop when the body reaches Exit.");
    await choose(find(".select"), "condition");
    expect(changed).toHaveBeenLastCalledWith("condition");
    field(property, "of_tomorrow");
    expect(find(".select").textContent).toBe("of_tomorrow");
  });

  test("duration: as people write it in the window, ISO 8601 in the document", () => {
    const changed = field({ type: "string", "x-format": "duration" }, "PT2M");
    expect(find<HTMLInputElement>("input").value).toBe("2 min");
    type("input", "90");
    expect(changed).toHaveBeenLastCalledWith("PT1M30S");
    type("input", "1 h 5 min");
    expect(changed).toHaveBeenLastCalledWith("PT1H5M");
    changed.mockClear();
    type("input", "soon");
    expect(changed).not.toHaveBeenCalled();
    expect(find("input").getAttribute("aria-invalid")).toBe("true");
  });

  test("a duration that is emptied goes when the field is left, not before", () => {
    const changed = field({ type: "string", "x-format": "duration" }, "PT2M");
    type("input", "");
    expect(changed).not.toHaveBeenCalled();
    blurField("input");
    expect(changed).toHaveBeenLastCalledWith(undefined);
  });

  test("names: in one line, with commas between them", () => {
    const changed = field({ type: "array", "x-widget": "names", default: ["timeout"] }, ["timeout", 429]);
    expect(find<HTMLInputElement>("input").value).toBe("timeout, 429");
    type("input", "timeout, 5xx 503");
    expect(changed).toHaveBeenLastCalledWith(["timeout", "5xx", "503"]);
    type("input", " ");
    expect(changed).toHaveBeenLastCalledWith(undefined);
  });

  test("names that are numbers: what is none stays as it was typed", () => {
    const codes = { type: "array", "x-widget": "names", items: { type: "integer" }, default: [0] };
    const changed = field(codes, [0]);
    type("input", "0, 2 -1 x");
    type("input", "");
    expect(changed.mock.calls).toEqual([[[0, 2, -1, "x"]], [undefined]]);
  });

  test("templates: one field each, in order, of which some may be empty", () => {
    const list = { type: "array", "x-widget": "templates", items: { type: "string" }, title: "Arguments" };
    const changed = field(list, ["test", "--", ""]);
    expect(page.host.querySelectorAll(".cm-editor")).toHaveLength(3);
    typeCode("{{ input }} and more", '[data-field="f[1]"] .cm-editor');
    typeCode("", '[data-field="f[0]"] .cm-editor');
    click('[aria-label="Remove Arguments 2"]');
    click('[data-testid="add-entry"]');
    expect(changed.mock.calls).toEqual([
      [["test", "{{ input }} and more", ""]],
      [["", "--", ""]],
      [["test", ""]],
      [["test", "--", "", ""]],
    ]);
  });

  test("branches: names alone, with conditions where rules decide, other fields kept", () => {
    const changed = field({ "x-widget": "branches" }, ["done", { name: "more", when: "x", note: 1 }], {
      data: { mode: "rules" },
    });
    type('[aria-label="Branch 1"]', "enough");
    typeCode("score > 8", '[data-field="f[0].when"] .cm-editor');
    typeCode("", '[data-field="f[1].when"] .cm-editor');
    click('[aria-label="Remove branch done"]');
    expect(changed.mock.calls.map(([v]) => v)).toEqual([
      ["enough", { name: "more", when: "x", note: 1 }],
      [
        { name: "done", when: "score > 8" },
        { name: "more", when: "x", note: 1 },
      ],
      ["done", { name: "more", note: 1 }],
      [{ name: "more", when: "x", note: 1 }],
    ]);
  });

  test("handles: the last one taken out removes the field", () => {
    const changed = field({ type: "array", items: { type: "string" } }, ["draft"]);
    type("input", "critique");
    click('[aria-label="Remove draft"]');
    expect(changed.mock.calls.map(([v]) => v)).toEqual([["critique"], undefined]);
  });

  test("json: what does not parse stays where it was typed, with the reason", () => {
    const changed = field({ "x-widget": "json" }, { a: 1 });
    typeCode('{ "a": ');
    expect(changed).not.toHaveBeenCalled();
    expect(code()).toBe('{ "a": ');
    expect(find('[role="alert"]').textContent).toContain("Not valid JSON");
    typeCode('{ "a": 2 }');
    expect(changed).toHaveBeenLastCalledWith({ a: 2 });
  });

  test("schema: text, any JSON, or a schema of one's own", () => {
    const changed = field({ "x-widget": "schema", default: "text" });
    click('[role="radio"]:nth-child(3)');
    expect(changed.mock.lastCall?.[0]).toMatchObject({ type: "object" });
    click('[role="radio"]:nth-child(1)');
    expect(changed.mock.lastCall?.[0]).toBeUndefined();
  });

  test("provider and model are picked from what there is", async () => {
    const changed = field({ type: "string", "x-widget": "provider" });
    await choose(find(".select"), "openai");
    expect(changed).toHaveBeenLastCalledWith("openai");
    const model = field({ type: "string", "x-widget": "model" });
    await choose(find(".select"), "critic");
    expect(model).toHaveBeenLastCalledWith("critic");
  });

  test("tool: one of those that there are, or another by its name", async () => {
    const tool = (name: string, unavailable: string | null = null) => ({
      name,
      title: name,
      summary: "",
      args: {},
      unavailable,
    });
    useTools.setState({
      tools: [tool("search.documents"), tool("search.web", "Set it up."), tool("mcp:<server>/<tool>")],
    });
    const changed = field({ type: "string", "x-widget": "tool" }, "search.documents");
    const shown = (await openList(find(".select"))).map((option) => option.dataset.value);
    expect(shown).toEqual(["search.documents", "search.web", " another"]);
    await choose(find(".select"), "search.web");
    expect(changed).toHaveBeenLastCalledWith("search.web");
    const server = field({ type: "string", "x-widget": "tool" }, "mcp:near/say");
    type(".field input", "mcp:near/sing");
    expect(server).toHaveBeenLastCalledWith("mcp:near/sing");
  });

  test("list: entries are added, changed and taken out", () => {
    const property = {
      type: "array",
      items: { properties: { when: { type: "string" }, message: { type: "string" } } },
    };
    const changed = field(property, [{ when: "a", message: "b" }]);
    type('[data-field="f[0].message"] input', "c");
    click('[aria-label="Remove F 1"]');
    expect(changed.mock.calls.map(([v]) => v)).toEqual([[{ when: "a", message: "c" }], undefined]);
  });

  test("object: an object left with nothing goes altogether", () => {
    const changed = field(
      { type: "object", properties: { timeout: { type: "string" } } },
      { timeout: "PT5S" },
    );
    type("input", "");
    blurField("input");
    expect(changed).toHaveBeenLastCalledWith(undefined);
  });
});

test("a problem inside a field is said once, by the field that it is about", () => {
  const wrong = (place: string): Problem =>
    problemOf("bad_field", { node: "n", place, message: `Wrong at ${place}.` });
  const count = (text: string) => (page.host.textContent ?? "").split(text).length - 1;
  const entry = { type: "object", properties: { name: { type: "string" } } };
  field({ type: "array", items: entry }, [{ name: "a" }], {
    problems: [wrong("f[0].name"), wrong("f[1].name"), wrong("f")],
  });
  expect([count("Wrong at f[0].name."), count("Wrong at f[1].name."), count("Wrong at f.")]).toEqual([
    1, 1, 1,
  ]);
});

test("a choice that may be left is not called as one of the choices is", () => {
  field({ enum: ["auto", "ask"], "x-widget": "segmented" });
  expect([...page.host.querySelectorAll('[role="radio"]')].map((radio) => radio.textContent)).toEqual([
    "default",
    "auto",
    "ask",
  ]);
});

test("a field shows the problems of its place", () => {
  field({ type: "string" }, "x", {
    problems: [problemOf("bad_field", { node: "n", place: "f", message: "It is too long." })],
  });
  expect(page.host.textContent).toContain("It is too long.");
  expect(find("input").getAttribute("aria-invalid")).toBe("true");
});
