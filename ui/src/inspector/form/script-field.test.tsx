// The settings of a script: selecting another language keeps the text, and problems are marked in the text.
import { act } from "react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { editorOf } from "../../components/code/editor";
import { loadCode } from "../../components/code/load";
import { pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useTools } from "../../document/tools";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { problemOf } from "../../ipc/testing/values";
import { SettingsForm } from "./SettingsForm";
import { fieldsOf } from "./schema";

const page = pageForEach();
const fields = fieldsOf({
  properties: { tool: { type: "string", "x-widget": "tool" }, args: { type: "object", "x-widget": "args" } },
});

beforeAll(loadCode);
beforeEach(async () => {
  replaceBackend(testBackend());
  useTools.setState({ tools: await testBackend().tools() });
});

function Form() {
  const node = useDocument((s) => s.document.nodes[0]);
  return node ? <SettingsForm node={node} fields={fields} /> : null;
}

async function open(tool: string, source: string) {
  const node = {
    id: "s",
    type: "tool",
    position: { x: 0, y: 0 },
    data: { tool, args: { source, limit: 3 } },
  };
  useDocument.getState().open({ document: { nodes: [node], edges: [] }, path: null, version: null });
  await act(async () => page.root.render(<Form />));
}

const data = () => useDocument.getState().document.nodes[0]?.data;
const languages = () => [
  ...page.host.querySelectorAll<HTMLElement>('[aria-label="Language"] [role="radio"]'),
];
const chosen = () => languages().find((l) => l.getAttribute("aria-checked") === "true")?.textContent;
const script = () => page.host.querySelector<HTMLElement>('[data-field="args.source"] [data-code]');
const text = () => editorOf(script()?.querySelector(".cm-editor") as HTMLElement)?.state.doc.toString();
const pick = (title: string) =>
  act(async () =>
    languages()
      .find((language) => language.textContent === title)
      ?.click(),
  );

test("another language keeps the script and the other arguments, and is undone in one step", async () => {
  await open("script.lua", "return input");
  expect(languages().map((language) => language.textContent)).toEqual(["Luau", "Python", "JavaScript"]);
  expect([chosen(), script()?.dataset.code]).toEqual(["Luau", "luau"]);
  for (const [title, tool, code] of [
    ["Python", "script.python", "python"],
    ["JavaScript", "script.javascript", "javascript"],
  ] as const) {
    await pick(title);
    expect(data()).toEqual({ tool, args: { source: "return input", limit: 3 } });
    expect([chosen(), script()?.dataset.code, text()]).toEqual([title, code, "return input"]);
  }
  await act(async () => useDocument.getState().undo());
  expect([data()?.tool, chosen(), text()]).toEqual(["script.lua", "Luau", "return input"]);
});

test("a tool that runs no script has no language", async () => {
  await open("search.documents", "");
  expect(languages()).toEqual([]);
});

test.each(["script.lua", "script.python", "script.javascript"])(
  "a mistake is marked in the text of %s, also after the language changed",
  async (tool) => {
    await open("script.lua", "return 1 +");
    const problem = problemOf("script_worker", {
      code: "script_syntax",
      node: "s",
      place: "args.source",
      span: { from: 7, to: 10 },
    });
    await act(async () =>
      useAnalysis.setState((s) => ({ analysis: { ...s.analysis, problems: [problem] } })),
    );
    const title = { "script.lua": "Luau", "script.python": "Python", "script.javascript": "JavaScript" }[
      tool
    ];
    await pick(title ?? "");
    expect(data()?.tool).toBe(tool);
    expect(script()?.querySelector(".cm-lintRange-error")?.textContent).toBe("1 +");
    const errors = page.host.querySelectorAll(".field-error");
    expect([...errors].map((element) => element.textContent)).toEqual([
      problem.message.replaceAll("`", "").replace('"Run"', "“Run”"),
    ]);
  },
);
