// The command of a Check and of a Tool: one field for a program and its arguments, and a collapsed section
// with a separate field for each.
import { act } from "react";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { editorOf } from "../../../components/code/editor";
import { loadCode } from "../../../components/code/load";
import { pageForEach } from "../../../components/testing";
import { useAnalysis } from "../../../document/analysis";
import { useDocument } from "../../../document/document";
import { useKinds } from "../../../document/kinds";
import { useTools } from "../../../document/tools";
import { replaceBackend } from "../../../ipc/client";
import type { FlowNode } from "../../../ipc/generated/bindings";
import { testBackend } from "../../../ipc/testing";
import { problemOf } from "../../../ipc/testing/values";
import { useSession } from "../../../session/session";
import { NodeSettings } from "../../NodeSettings";

const page = pageForEach();

// jsdom lays nothing out and does not scroll.
Element.prototype.scrollIntoView = () => undefined;

beforeAll(loadCode);
beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useTools.setState({ tools: await testBackend().tools() });
  wrong([]);
});

type Data = FlowNode["data"];

async function open(type: "check" | "tool", data: Data): Promise<void> {
  const nodes = ["one", "two"].map((id) => ({
    id,
    type,
    position: { x: 0, y: 0 },
    data: id === "one" ? data : {},
  }));
  useDocument.getState().open({ document: { nodes, edges: [] }, path: null, version: null });
  await select("one");
}

const select = (id: string) => act(async () => page.root.render(<NodeSettings key={id} nodeId={id} />));
const data = (): Data => useDocument.getState().document.nodes[0]?.data ?? {};
const wrong = (places: readonly string[]) =>
  act(() =>
    useAnalysis.setState((s) => ({
      analysis: {
        ...s.analysis,
        problems: places.map((place) =>
          problemOf("clamped", { node: "one", place, message: `wrong at ${place}`, fix: null }),
        ),
      },
    })),
  );

function find<T extends HTMLElement>(selector: string): T {
  const element = page.host.querySelector<T>(selector);
  if (!element) throw new Error(`nothing fits ${selector}`);
  return element;
}

const COMMAND = '[aria-label="Command"]';
const view = (selector = COMMAND) => {
  const found = editorOf(find(selector).closest(".cm-editor") as HTMLElement);
  if (!found) throw new Error(`no editor at ${selector}`);
  return found;
};
const text = () => view().state.doc.toString();
const type = (written: string, selector = COMMAND) =>
  act(() => {
    const { state } = view(selector);
    view(selector).dispatch({ changes: { from: 0, to: state.doc.length, insert: written } });
  });
const leave = () =>
  act(() => void find(COMMAND).dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
const more = () =>
  [...page.host.querySelectorAll("details")].find((fold) =>
    fold.textContent?.includes("program and arguments"),
  );
const openMore = () =>
  act(async () => {
    const fold = more();
    if (!fold) throw new Error("no fold");
    fold.open = true;
    fold.dispatchEvent(new Event("toggle"));
  });
const alert = () => page.host.querySelector('[role="alert"]')?.textContent;

describe.each<["check" | "tool", (command: Data) => Data, (data: Data) => Data]>([
  ["check", (command) => ({ ...command, cwd: "." }), (all) => all],
  ["tool", (args) => ({ tool: "command", args: { ...args, cwd: "." } }), (all) => all.args as Data],
])("of a %s", (kind, made, commandIn) => {
  test("is split as a shell would split it, and is one step to undo", async () => {
    await open(kind, made({ program: "npm", args: ["test", "two words"] }));
    expect(text()).toBe("npm test 'two words'");
    const before = useDocument.getState().history.done.length;
    type("cargo test -p");
    type("cargo test -p 'my crate' {{ input.name }}");
    expect(commandIn(data())).toEqual({
      program: "cargo",
      args: ["test", "-p", "my crate", "{{ input.name }}"],
      cwd: ".",
    });
    expect(useDocument.getState().history.done.length).toBe(before + 1);
    await act(async () => void useDocument.getState().undo());
    expect(commandIn(data())).toEqual({ program: "npm", args: ["test", "two words"], cwd: "." });
    expect(text()).toBe("npm test 'two words'");
  });

  test("with more than words and quotes is run by sh", async () => {
    await open(kind, made({ program: "npm", args: ["test"] }));
    type("npm run build && npm test");
    expect(commandIn(data())).toMatchObject({ program: "sh", args: ["-c", "npm run build && npm test"] });
    leave();
    expect(text()).toBe("npm run build && npm test");
  });

  test("without an argument or without a program leaves none behind", async () => {
    await open(kind, made({ program: "npm", args: ["test"] }));
    type("./test.sh");
    expect(commandIn(data())).toEqual({ program: "./test.sh", cwd: "." });
    type("");
    expect(commandIn(data())).toEqual({ cwd: "." });
  });

  test("stays as typed until the field is left", async () => {
    await open(kind, made({ program: "npm" }));
    type('npm  test "a b" ');
    expect(text()).toBe('npm  test "a b" ');
    leave();
    expect(text()).toBe("npm test 'a b'");
  });

  test("that does not end is not stored, and not lost", async () => {
    await open(kind, made({ program: "npm", args: ["test"] }));
    type("npm test 'a");
    expect(alert()).toBe("A closing quote is missing. Not applied.");
    expect(find(COMMAND).getAttribute("aria-invalid")).toBe("true");
    leave();
    await select("two");
    await select("one");
    expect([text(), alert()]).toEqual(["npm test 'a", expect.stringContaining("Not applied.")]);
    expect(commandIn(data())).toMatchObject({ program: "npm", args: ["test"] });
    type("npm test 'a'");
    expect(commandIn(data())).toMatchObject({ program: "npm", args: ["test", "a"] });
    expect(alert()).toBeUndefined();
    await select("two");
    await select("one");
    expect(text()).toBe("npm test a");
  });

  test("is not run by a shell with a template in it", async () => {
    await open(kind, made({ program: "echo" }));
    type("echo {{ input }} | sort");
    expect(alert()).toContain("the shell would run its value as code");
    expect(commandIn(data())).toMatchObject({ program: "echo" });
  });

  test("and its rows follow each other", async () => {
    await open(kind, made({ program: "npm", args: ["test"] }));
    expect(page.host.querySelector('[aria-label="Arguments 1"]')).toBeNull();
    await openMore();
    expect(view('[aria-label="Arguments 1"]').state.doc.toString()).toBe("test");
    type("two words", '[aria-label="Arguments 1"]');
    expect(text()).toBe("npm 'two words'");
    type("npm test --all");
    expect(view('[aria-label="Arguments 2"]').state.doc.toString()).toBe("--all");
    expect(commandIn(data())).toMatchObject({ program: "npm", args: ["test", "--all"] });
  });

  test("has the problems of the program and of the arguments", async () => {
    await open(kind, made({ program: "npm", args: ["test"] }));
    const place = kind === "tool" ? "args." : "";
    wrong([`${place}program`, `${place}args[0]`]);
    const shown = [...page.host.querySelectorAll(".field-error")].map((element) => element.textContent);
    expect(shown).toEqual([`wrong at ${place}program`, `wrong at ${place}args[0]`]);
    expect(find(COMMAND).getAttribute("aria-describedby")).toContain("problems");
    for (const wanted of ["program", "args[0]"]) {
      await act(async () => useSession.getState().patch({ focusField: `one.${place}${wanted}` }));
      expect(document.activeElement?.getAttribute("aria-label")).toBe("Command");
      expect(more()?.open).toBe(false);
      await act(async () => (document.activeElement as HTMLElement).blur());
    }
  });
});

test("arguments that are one template are shown in rows", async () => {
  await open("tool", { tool: "command", args: { program: "npm", args: "{{ input.list }}" } });
  expect(page.host.querySelector(COMMAND)).toBeNull();
  expect(more()).toBeUndefined();
  expect(page.host.textContent).toContain("cannot be shown as one command");
  expect(view('[aria-label="Arguments"]').state.doc.toString()).toBe("{{ input.list }}");
  type("{{ input.others }}", '[aria-label="Arguments"]');
  expect(data().args).toEqual({ program: "npm", args: "{{ input.others }}" });
});

test("an undo first drops what was not applied", async () => {
  await open("check", { program: "npm", args: ["test"] });
  type("npm run");
  type("npm run 'a");
  const key = new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true, cancelable: true });
  await act(async () => void find(COMMAND).dispatchEvent(key));
  expect([text(), data().args]).toEqual(["npm run", ["run"]]);
});
