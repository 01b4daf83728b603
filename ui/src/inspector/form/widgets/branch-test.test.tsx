// The test of a branch is edited like the condition that ends a loop: with pickers, or as code if the pickers
// cannot represent it.
import { act } from "react";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { loadCode } from "../../../components/code/load";
import { choose, openList, pageForEach } from "../../../components/testing";
import { editData, useDocument, useFlowNode } from "../../../document/document";
import { replaceBackend } from "../../../ipc/client";
import type { FlowDoc } from "../../../ipc/generated/bindings";
import { evaluated } from "../../../ipc/generated/recorded/runs";
import { testBackend } from "../../../ipc/testing";
import { Field } from "../Field";
import { fieldsOf } from "../schema";

const page = pageForEach();
const [spec] = fieldsOf({ properties: { branches: { "x-widget": "branches" } } });

function Form() {
  const node = useFlowNode("judge");
  if (!node || !spec) return null;
  return (
    <Field
      field={spec}
      data={node.data}
      nodeId="judge"
      problems={[]}
      onChange={(value) => editData("judge", "branches", value)}
    />
  );
}

beforeAll(loadCode);
beforeEach(() => replaceBackend(testBackend()));

/** A flow that was run. Its judge is in a loop, after a draft. */
const flow: FlowDoc = evaluated.detail.document;

async function open(branches: unknown, mode = "rules"): Promise<void> {
  const nodes = flow.nodes.map((node) =>
    node.id === "judge" ? { ...node, data: { mode, branches } } : node,
  );
  useDocument.getState().open({ document: { ...flow, nodes }, path: null, version: null });
  await act(async () => page.root.render(<Form />));
  await act(() => new Promise((done) => setTimeout(done, 5)));
}
const branches = () => useDocument.getState().document.nodes.find(({ id }) => id === "judge")?.data.branches;
const tests = () => [...page.host.querySelectorAll<HTMLElement>('[data-field$=".when"]')];
const control = (of: number, label: string): HTMLElement => {
  const found = tests()[of]?.querySelector<HTMLElement>(`[aria-label="${label}"]`);
  if (!found) throw new Error(`no ${label} in ${tests()[of]?.innerHTML}`);
  return found;
};

test("the names are those that the node can read, with their last values", async () => {
  await open([{ name: "good" }, "else"]);
  const options = await openList(control(0, "Value of test 1"));
  const names = options.map((one) => one.dataset.value);
  expect(names.slice(0, 4)).toEqual(["input", "topic", "draft", "draft.usage"]);
  expect(names).toEqual(
    expect.arrayContaining(["previous.judge.selectedBranch", "loopCount", "run.inputs.topic"]),
  );
  expect(names).not.toContain("judge");
  expect(names.slice(-2)).toEqual([" none", " other"]);
  expect(options[0]?.textContent).toContain("draft 2");
  expect(options[1]?.textContent).toContain("bread");
});

test("pickers write the expression of their branch and no other", async () => {
  await open([{ name: "good", note: 1 }, "else"]);
  await choose(control(0, "Value of test 1"), "input");
  await choose(control(0, "Operator of test 1"), "contains");
  const constant = control(0, "Constant of test 1") as HTMLInputElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(constant, "gas");
    constant.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect(branches()).toEqual([{ name: "good", note: 1, when: 'input is containing(pat="gas")' }, "else"]);
  expect(tests()[1]?.textContent).toContain("no test yet");
});

test("a test without words for it is shown as code, and stays as it is", async () => {
  const when = "input.score >= 8 and (draft or input)";
  await open([{ name: "good", when }]);
  expect(tests()[0]?.querySelector('[data-testid="only-text"]')).not.toBeNull();
  await vi.waitFor(() => expect(tests()[0]?.querySelector(".cm-content")?.textContent).toBe(when));
  expect(branches()).toEqual([{ name: "good", when }]);
});

test("a problem's place leads to the test of its branch", async () => {
  await open([{ name: "good" }, { name: "bad" }]);
  expect(page.host.querySelectorAll('[data-field="branches[1].when"]').length).toBe(1);
});

test("with a model each branch says when to choose it; its rule stays and is said to be unused", async () => {
  await open([{ name: "good", when: "true" }, "else"], "llm");
  expect(tests()).toEqual([]);
  expect(page.host.textContent).toContain("The rules of these branches are not used in this mode.");
  const areas = [...page.host.querySelectorAll("textarea")];
  expect(areas.map((area) => area.getAttribute("aria-label"))).toEqual([
    "Choose good when",
    "Choose else when",
  ]);
  expect(page.host.textContent).toContain("Choose this when…");
  const type = async (at: number, text: string) =>
    act(async () => {
      const area = page.host.querySelectorAll("textarea")[at];
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(area, text);
      area?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  await type(1, "nothing else fits");
  await type(0, "it is good");
  expect(branches()).toEqual([
    { name: "good", when: "true", description: "it is good" },
    { name: "else", description: "nothing else fits" },
  ]);
  await type(1, "");
  expect(branches()).toEqual([{ name: "good", when: "true", description: "it is good" }, { name: "else" }]);
});

test("by rules the descriptions are said to be unused, and by the text both are", async () => {
  const both = [{ name: "good", when: "true", description: "it is good" }];
  const unused = () =>
    [...page.host.querySelectorAll(`[data-testid^="unused-"]`)].map((hint) => hint.textContent);
  await open(both);
  expect(unused()).toEqual(["The descriptions of these branches are not used in this mode."]);
  await open(both, "pattern");
  expect(unused()).toHaveLength(2);
  expect(page.host.querySelector("textarea")).toBeNull();
});
