// The command palette, and which key runs which command.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { agenticSearch } from "../ipc/testing/flows";
import { problemOf, trustList } from "../ipc/testing/values";
import { RUN_VALUE } from "../runs/inputs/inputs";
import { fileInHand, usePins } from "../runs/inputs/pins";
import { useRuns } from "../runs/session/store";
import { useDialog } from "../session/dialog";
import { useProblemCursor } from "../session/problem-cursor";
import { useSession } from "../session/session";
import { commandById, commands } from "./index";
import { commandFor, keyName, keyText, listenToKeys } from "./keyboard";
import { canForkInHand, prepareToRun } from "./run";

function press(key: string, options: KeyboardEventInit & { on?: Element } = {}): string | null {
  const { on = document.body, ...rest } = options;
  const event = new KeyboardEvent("keydown", { key, bubbles: true, ...rest });
  on.dispatchEvent(event);
  return commandFor(event)?.id ?? null;
}

beforeEach(async () => {
  document.body.innerHTML =
    '<div data-region="canvas"><input id="field" /></div><aside><button id="side"></button></aside>';
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  useSession.getState().show("editor");
  useSession.getState().select([]);
  useAnalysis.setState({ analysis: testAnalysis(agenticSearch) });
  useProblemCursor.setState({ index: -1 });
});

it("know the tab key by its place, whatever Shift makes of it", () => {
  const held = { ctrlKey: true, metaKey: false, altKey: false, shiftKey: true };
  expect(keyName({ key: "Unidentified", code: "Tab", ...held })).toBe("mod+shift+tab");
  expect(keyName({ key: "Tab", code: "Tab", ...held, shiftKey: false })).toBe("mod+tab");
});

it("undo in a field of the settings is the flow's until something is typed there", () => {
  const stop = listenToKeys();
  const own = document.createElement("input");
  const side = document.createElement("aside");
  side.dataset.region = "side";
  side.append(own);
  document.body.append(side);
  useDocument.getState().edit((flow) => ({ ...flow, name: "Other" }), { label: "Rename" });
  const field = document.getElementById("field") as HTMLInputElement;
  const reaches = (on: Element) =>
    commandFor(
      Object.defineProperty(new KeyboardEvent("keydown", { key: "z", ctrlKey: true }), "target", {
        value: on,
      }),
    )?.id ?? null;
  own.focus();
  expect(reaches(own)).toBe("edit.undo");
  own.dispatchEvent(new InputEvent("input", { bubbles: true }));
  expect(reaches(own)).toBeNull();
  own.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect(reaches(own)).toBe("edit.undo");
  expect(reaches(field)).toBeNull();
  stop();
});

describe("commands", () => {
  it("have unique ids and no key twice in one scope", () => {
    expect(new Set(commands.map((c) => c.id)).size).toBe(commands.length);
    const keys = commands.flatMap((c) => c.keys ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  });
  it("with a single letter stay on the canvas", () => {
    for (const command of commands) {
      if (command.keys?.some((key) => /^[a-z0-9/]$/.test(key))) expect(command.scope).toBe("canvas");
    }
  });
  it("undo a deletion with its wires and forget what is gone", async () => {
    useSession.getState().select(["enough"]);
    commandById("edit.delete").run();
    expect(useDocument.getState().document.edges).toHaveLength(5);
    expect(useSession.getState().toasts.at(-1)?.title).toBe("Deleted “Enough?” and 3 wires.");
    commandById("edit.undo").run();
    expect(useDocument.getState().document).toEqual(agenticSearch);
    useSession.getState().select(["plan"]);
    await commandById("edit.duplicate").run();
    expect([...useSession.getState().selection.nodes]).toEqual(["plan_2"]);
    commandById("edit.undo").run();
    expect([...useSession.getState().selection.nodes]).toEqual(["plan"]);
  });
  it("apply a fix as one entry", () => {
    const broken = { ...agenticSearch, nodes: agenticSearch.nodes.filter((n) => n.id !== "exit") };
    useDocument.getState().open({ document: broken, path: null, version: null });
    useAnalysis.setState({ analysis: testAnalysis(broken) });
    const { problems } = useAnalysis.getState().analysis;
    useProblemCursor.setState({ index: problems.findIndex((p) => p.fix) });
    commandById("problems.fix").run();
    expect(useDocument.getState().document.nodes.at(-1)?.type).toBe("exit");
    expect(useDocument.getState().history.done).toHaveLength(1);
  });
  it("open the problems when a run is blocked", async () => {
    const broken = { ...agenticSearch, nodes: agenticSearch.nodes.filter((n) => n.id !== "exit") };
    useDocument.getState().open({ document: broken, path: null, version: null });
    await commandById("run.start").run();
    expect(useSession.getState()).toMatchObject({ dockOpen: true, dockTab: "problems", layout: "edit" });
  });
});

describe("a run does not start", () => {
  const open = async (...nodes: FlowNode[]) => {
    useDocument.getState().open({ document: { name: "", nodes, edges: [] }, path: null, version: null });
    useSession.setState({ toasts: [], layout: "edit", focusField: null });
    await commandById("run.start").run();
    expect(useRuns.getState().live).toBeNull();
    expect(useSession.getState().layout).toBe("edit");
    return useSession.getState().toasts.at(-1);
  };
  const position = { x: 0, y: 0 };

  it("of an empty workflow", async () => {
    expect((await open())?.title).toBe("There is nothing to run");
  });

  it("of one that has only notes", async () => {
    const note = { id: "n", type: "note", position, data: { text: "Later" } };
    expect((await open(note))?.title).toBe("There is nothing to run");
  });

  const question: FlowNode = {
    id: "q",
    type: "input",
    position,
    data: { label: "Question", name: "question", required: true },
  };

  it("without a value that it needs, and shows where it is given", async () => {
    const toast = await open(question);
    expect(toast?.detail).toBe("Question needs a value.");
    expect(useSession.getState()).toMatchObject({ sideOpen: true, focusField: `q.${RUN_VALUE}` });
    expect([...useSession.getState().selection.nodes]).toEqual(["q"]);
  });

  it("without a value, only where it takes what was typed and not the values of a past run", async () => {
    await open(question);
    expect(await canForkInHand()).toBe(true);
    expect(await prepareToRun("q")).toBeNull();
  });
});

describe("where no model can answer", () => {
  const draft: FlowNode = { id: "draft", type: "llm", position: { x: 0, y: 0 }, data: { label: "Draft" } };
  /** Opens a workflow whose only node has no model until a built-in one replaces it. */
  const open = () => {
    const backend = testBackend();
    replaceBackend({
      ...backend,
      prepareRun: async (flow: FlowDoc, ...others) => {
        const isMissing = flow.nodes[0]?.data?.provider !== "builtin";
        const problems = isMissing ? [problemOf("model_missing", { node: "draft" })] : [];
        const prepared = await backend.prepareRun(flow, ...others);
        return { ...prepared, runnable: true, problems, needs: trustList([], { missing: 0 }) };
      },
    });
    useAnalysis.setState({ stale: true });
    const flow = { name: "No model", nodes: [draft], edges: [] };
    useDocument.getState().open({ document: flow, path: null, version: null });
    useSession.setState({ layout: "edit", toasts: [] });
    usePins.setState({ byFile: {} });
  };
  const asked = () => useDialog.getState().open;

  it("Run says so in a sentence, and starts nothing until somebody chose", async () => {
    open();
    const starts = prepareToRun(null);
    await vi.waitFor(() => expect(asked()).not.toBeNull());
    expect(asked()?.question.title).toBe("“Draft” has no model that can answer here.");
    const labels = asked()?.question.choices.map(({ label }) => label);
    expect(labels).toEqual(["Open Settings", "Use built-in reviser", "Run anyway", "Cancel"]);
    asked()?.answer("settings");
    expect(await starts).toBeNull();
    expect(useSession.getState().view).toBe("settings");
  });

  it("a built-in model is given to the node, and the run starts", async () => {
    open();
    const starts = prepareToRun(null);
    await vi.waitFor(() => expect(asked()).not.toBeNull());
    asked()?.answer("builtin");
    expect((await starts)?.problems).toEqual([]);
    expect(useDocument.getState().document.nodes[0]?.data).toMatchObject({ builtin: "reviser" });
  });

  it("nothing is asked of a pinned node, nor of a run of a part", async () => {
    open();
    expect(await prepareToRun("draft")).not.toBeNull();
    usePins.getState().set(fileInHand(), "draft", "A text.");
    expect(await prepareToRun(null)).not.toBeNull();
    expect(asked()).toBeNull();
  });
});

describe("where an agent is not installed", () => {
  const fix: FlowNode = { id: "fix", type: "agent", position: { x: 0, y: 0 }, data: { label: "Fix" } };
  const open = () => {
    const backend = testBackend();
    const problem = problemOf("agent_missing", { node: "fix" });
    replaceBackend({
      ...backend,
      prepareRun: async (...args) => {
        const prepared = await backend.prepareRun(...args);
        const needs = trustList([], { missing: 0 });
        return { ...prepared, runnable: true, problems: [problem], needs };
      },
    });
    useAnalysis.setState({ stale: true });
    const flow = { name: "No agent", nodes: [fix], edges: [] };
    useDocument.getState().open({ document: flow, path: null, version: null });
    useSession.setState({ layout: "edit", toasts: [] });
    usePins.setState({ byFile: {} });
    return problem;
  };
  const asked = () => useDialog.getState().open;

  it("Run says so before anything is approved, and shows the field", async () => {
    const problem = open();
    const starts = prepareToRun(null);
    await vi.waitFor(() => expect(asked()).not.toBeNull());
    expect(asked()?.question.detail).toContain(problem.message);
    asked()?.answer("choose");
    expect(await starts).toBeNull();
    expect(useSession.getState()).toMatchObject({ sideOpen: true, focusField: "fix.runner" });
  });

  it("the run starts anyway if a person says so, and a pinned node is not asked about", async () => {
    open();
    const starts = prepareToRun(null);
    await vi.waitFor(() => expect(asked()).not.toBeNull());
    asked()?.answer("run");
    expect(await starts).not.toBeNull();
    usePins.getState().set(fileInHand(), "fix", "A text.");
    expect(await prepareToRun(null)).not.toBeNull();
    expect(asked()).toBeNull();
  });
});

describe("keys", () => {
  it("reach their command", () => {
    expect(press("s", { ctrlKey: true })).toBe("file.save");
    expect(press("Enter", { ctrlKey: true })).toBe("run.start");
    expect(press("a")).toBe("node.quickAdd");
    expect(press("=", { ctrlKey: true })).toBe("canvas.zoomIn");
    expect(press("+", { ctrlKey: true, shiftKey: true })).toBe("canvas.zoomIn");
    expect(press("-", { ctrlKey: true })).toBe("canvas.zoomOut");
    expect(press("h", { ctrlKey: true })).toBe("edit.find");
    expect(press("0")).toBe("canvas.actualSize");
    expect(press("Delete")).toBeNull();
    useSession.getState().select(["plan"]);
    expect(press("Delete")).toBe("edit.delete");
    expect(press("D", { ctrlKey: true })).toBe("edit.duplicate");
  });
  it("belong to the field while something is typed", () => {
    const on = document.getElementById("field") as Element;
    useSession.getState().select(["plan"]);
    for (const key of ["a", "Delete", "1", "Backspace"]) expect(press(key, { on })).toBeNull();
    expect(press("z", { ctrlKey: true, on })).toBeNull();
    expect(press("s", { ctrlKey: true, on })).toBe("file.save");
  });
  it("with a single letter do nothing outside the canvas", () => {
    expect(press("a", { on: document.getElementById("side") as Element })).toBeNull();
  });
  it("are named the same with Shift held", () => {
    const held = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: true };
    expect(keyName({ key: "{", code: "BracketLeft", ...held })).toBe("shift+[");
    expect(keyName({ key: ">", code: "Period", ...held, ctrlKey: true })).toBe("mod+shift+.");
    expect(keyText("mod+shift+z")).toBe("Ctrl+Shift+Z");
  });
  it("mark the text that is read, and nothing where there is none", () => {
    const stop = listenToKeys();
    const text = document.createElement("pre");
    text.textContent = "a draft";
    document.getElementById("side")?.append(text);
    const all = (on: Element) => {
      const event = new KeyboardEvent("keydown", {
        key: "a",
        ctrlKey: true,
        bubbles: true,
        cancelable: true,
      });
      on.dispatchEvent(event);
      return [event.defaultPrevented, String(getSelection())];
    };
    expect(all(document.getElementById("side") as Element)).toEqual([true, ""]);
    expect(all(text)).toEqual([true, "a draft"]);
    expect(all(document.getElementById("field") as Element)[0]).toBe(false);
    stop();
  });
  it("go along a wire with Alt, although the card under the focus takes arrows for itself", () => {
    const stop = listenToKeys();
    const card = document.createElement("div");
    card.addEventListener("keydown", (event) => event.preventDefault());
    document.querySelector('[data-region="canvas"]')?.append(card);
    useSession.getState().select(["plan"]);
    const { edges } = useDocument.getState().document;
    const next = edges.find((edge) => edge.source === "plan")?.target;
    card.dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowRight", altKey: true, bubbles: true, cancelable: true }),
    );
    expect([...useSession.getState().selection.nodes]).toEqual([next]);
    stop();
  });
  it.each([
    ["run.from", { ctrlKey: true, shiftKey: true }],
    ["run.to", { ctrlKey: true, altKey: true }],
  ])("%s runs for the selected node, although its card deselects itself", (id, held) => {
    const stop = listenToKeys();
    const run = vi.spyOn(commandById(id), "run").mockReturnValue(undefined);
    const card = document.createElement("div");
    card.addEventListener("keydown", () => useSession.getState().select([]));
    document.querySelector('[data-region="canvas"]')?.append(card);
    useSession.getState().select(["plan"]);
    card.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", ...held, bubbles: true, cancelable: true }),
    );
    expect(run).toHaveBeenCalledTimes(1);
    expect([...useSession.getState().selection.nodes]).toEqual(["plan"]);
    run.mockRestore();
    stop();
  });
});
