// The window as a screen reader announces it, through AT-SPI as Orca reads it: palette, canvas, timeline, the
// sheets for the user's answer and for tool calls, and the page of evaluations, each in the order in which
// the user needs it.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, closeApproval, deselect, runEnds, startRun } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import {
  type Bus,
  inOrder,
  nameless,
  type Spoken,
  startBus,
  whatIsMissing,
  within,
} from "../support/screen-reader";
import { openWindow, root, type Window } from "../support/window";

const missing = whatIsMissing();
if (missing !== null) console.log(`NOT TESTED: what a screen reader says; ${missing} is missing`);

const flow = {
  name: "Asked",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "a" }],
    ["refine", "loop", { label: "Refine", maxIterations: 3 }],
    ["draft", "transform", { label: "Draft", template: "{{ input }}!" }],
    ["exit", "exit", { label: "Exit" }],
    ["ask", "approval", { label: "Ask", message: "Good enough?" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> refine.input",
    "refine.body -> draft.input",
    "draft.output -> exit.input",
    "exit.output -> ask.input",
    "ask.approved -> done.value",
  ),
};

/** The name of a secret, which the sheet shows without the value. */
const SECRET = "LOOPWRIGHT_TEST_TOKEN";
const WORDS = ["on time", "every day"];

/** The fields of the request, in the order of the tool's schema. */
const FIELDS = ["Url", "Method", "Headers", "Body"];
const FORM_ROLES = new Set(["entry", "combo box"]);

/** Two calls in sequence: a request that leaves this computer, and a program that is started. */
const calls = {
  name: "Calls",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "a" }],
    [
      "post",
      "tool",
      {
        label: "Post",
        tool: "http.request",
        approval: "ask",
        args: {
          method: "POST",
          url: "http://127.0.0.1:9/notes",
          headers: { Authorization: { key: SECRET, prefix: "Bearer " }, "X-Kind": "draft" },
          body: { note: "{{ input }}" },
        },
      },
    ],
    [
      "print",
      "tool",
      {
        label: "Print",
        tool: "command",
        approval: "ask",
        args: { program: "echo", args: WORDS, cwd: "/tmp" },
      },
    ],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> post.input", "text.value -> print.input", "print.result -> done.value"),
};

describe.skipIf(missing !== null)("a screen reader", () => {
  let bus: Bus;
  let window: Window;
  beforeAll(async () => {
    bus = await startBus(inject("display"));
    window = await openWindow({ display: inject("display"), env: bus.env });
  });
  afterAll(async () => {
    await window?.close();
    await bus?.stop();
  });

  /** Waits until the window announces this text. Returns the objects of the window. */
  async function readOnce(words: string): Promise<Spoken[]> {
    let read: Spoken[] = [];
    await window.browser.waitUntil(
      async () => {
        read = bus.read();
        return read.some(({ name, text }) => name.includes(words) || text.includes(words));
      },
      { timeout: 40_000, interval: 500, timeoutMsg: `nothing says “${words}”` },
    );
    return read;
  }

  const named = (objects: readonly Spoken[], role: string, name: string): Spoken => {
    const found = objects.find((one) => one.role === role && one.name.startsWith(name));
    if (!found) throw new Error(`there is no ${role} “${name}”`);
    return found;
  };

  test("the editor: the bar, the palette, the canvas with its nodes, the settings", async () => {
    await openFile(window, writeFlow(window, "asked.flow.json", flow));
    const read = await readOnce("Workflow canvas, 6 nodes");
    inOrder(
      read,
      ...["Edit", "Runs", "Validate", "Run", "Settings"],
      ...["Node palette", "Search nodes", "Input", "LLM", "Loop", "Tool", "Note"],
      ...["Workflow canvas, 6 nodes", "Zoom out"],
      ...["Workflow settings", "Workflow name"],
    );
    const palette = within(read, named(read, "landmark", "Node palette"));
    expect(palette.filter(({ role }) => role === "heading").map(({ name }) => name.split(" ")[0])).toEqual([
      "I/O",
      "AI",
      "Logic",
      "Tools",
      "Flow",
    ]);
    const canvas = within(read, named(read, "embedded", "Workflow canvas"));
    inOrder(
      canvas,
      "Text, Input",
      "Refine, Loop",
      "Draft, Transform",
      "Exit, Exit",
      "Ask, Approval",
      "Done, Output",
    );
    expect(nameless(read)).toEqual([]);
  });

  test("on the canvas: wires by the names of their ends, nodes with the keys that they take", () => {
    const read = bus.read();
    const canvas = within(read, named(read, "embedded", "Workflow canvas"));
    // The strokes of a wire are not announced as separate pictures.
    const wire = named(canvas, "push button", "Wire from Text to Refine");
    expect(within(canvas, wire)).toEqual([]);
    expect(named(canvas, "panel", "Draft, Transform").about).toContain("C to connect");
  });

  test("a waiting run: a sheet with the question, the value and the possible answers", async () => {
    const { browser } = window;
    await deselect(browser);
    await startRun(browser);
    await browser.$(byId(testIds.approvalSheet)).waitForDisplayed({ timeout: 20_000 });
    const read = await readOnce("Good enough?");
    const sheet = read.find(({ role, name }) => role === "dialog" && name.endsWith("waits for you"));
    if (!sheet) throw new Error("there is no panel with the question");
    expect(sheet.name).not.toBe("");
    const inside = within(read, sheet);
    inOrder(inside, "Good enough?", "Comment");
    const buttons = inside.filter(({ role }) => role === "push button").map(({ name }) => name);
    expect(buttons).toEqual(expect.arrayContaining(["Approve", "Send back"]));
    expect(inside.some(({ states }) => states.includes("focused"))).toBe(true);
    expect(inside.some(({ role, text }) => role === "entry" && text.includes("a!"))).toBe(true);
    expect(nameless(inside)).toEqual([]);
    await closeApproval(browser);
  });

  test("the timeline: its loop, then its iterations in their order", async () => {
    const { browser } = window;
    await click(browser, byId(testIds.waitingButton));
    await click(browser, `${byId(testIds.approvalSheet)} ${byId("approve")}`);
    await deselect(browser);
    expect(await runEnds(browser)).toBe("done");
    const read = await readOnce("Iteration 3");
    // Entries of a list, of which one is selected.
    const entries = read.filter(({ role }) => role === "list item");
    const iterations = inOrder(entries, "Iteration 1", "Iteration 2", "Iteration 3");
    expect(iterations.filter(({ states }) => states.includes("selected"))).toHaveLength(1);
    expect(nameless(read)).toEqual([]);
  });

  describe("a tool call", () => {
    /**
     * Waits until the window announces this text. Returns the panel with the question, and everything within
     * the panel.
     */
    async function sheetSaying(words: string): Promise<Spoken[]> {
      const read = await readOnce(words);
      const sheet = read.find(({ role, name }) => role === "dialog" && name.endsWith("waits for you"));
      if (!sheet) throw new Error("there is no panel with the question");
      return [sheet, ...within(read, sheet)];
    }

    /** Returns the lines of the request, each with its values. */
    function factsOf(sheet: readonly Spoken[]): [label: string, ...values: string[]][] {
      const facts: [string, ...string[]][] = [];
      for (const { role, text } of sheet) {
        if (role === "description term") facts.push([text]);
        if (role === "description value") facts.at(-1)?.push(text);
      }
      return facts;
    }
    const ANSWERS = ["Allow once", "Allow for this run", "Deny"];

    test("a request: the node, the data, address and headers that are sent, the form, the answers", async () => {
      const { browser } = window;
      await openFile(window, writeFlow(window, "calls.flow.json", calls));
      await click(browser, byId(testIds.runButton));
      await click(browser, byId(testIds.trustAllow));
      await browser.$(byId(testIds.approvalSheet)).waitForDisplayed({ timeout: 20_000 });
      // The fields of the tool's schema, with their own titles.
      await browser.$(`${byId(testIds.approvalSheet)} [data-field="url"]`).waitForExist({ timeout: 10_000 });
      const sheet = await sheetSaying("http://127.0.0.1:9/notes");
      expect(sheet[0]).toMatchObject({ name: "Post waits for you" });
      expect(sheet[0]?.about).toContain("wants to use http.request");
      expect(factsOf(sheet)).toEqual([
        ["Tool", "http.request"],
        ["Method", "POST"],
        ["Address", "http://127.0.0.1:9/notes"],
        ["Headers", "x-kind: draft", "content-type: application/json"],
        ["Keys", `${SECRET} in authorization, after “Bearer ”`],
        ["Body", '{"note":"a"}'],
      ]);
      // The description of the call precedes the form, and the form precedes the buttons.
      inOrder(sheet, "Post waits for you", "Tool", "Arguments (editable)", ...FIELDS, "Reason", ...ANSWERS);
      expect(sheet.filter(({ role }) => FORM_ROLES.has(role)).map(({ name }) => name)).toEqual([
        ...FIELDS,
        "Reason",
      ]);
      const allow = named(sheet, "push button", "Allow for this run");
      expect(allow.about).toContain("as long as the destination is the same");
      expect(sheet.some(({ text }) => text === "1 of 2 waiting")).toBe(true);
      // The focus is in the form, so that pressing Enter does not allow the call by accident.
      const focused = sheet.filter(({ states }) => states.includes("focused"));
      expect(focused.map(({ role }) => FORM_ROLES.has(role))).toEqual([true]);
      expect(nameless(sheet)).toEqual([]);
    });

    test("a program: its name, each of its arguments, its folder, the answers", async () => {
      const { browser } = window;
      await click(browser, `${byId(testIds.approvalSheet)} footer button`);
      const sheet = await sheetSaying("every day");
      expect(sheet[0]).toMatchObject({ name: "Print waits for you" });
      expect(factsOf(sheet).slice(0, 4)).toEqual([
        ["Tool", "command"],
        ["Program", "echo"],
        ["Arguments", ...WORDS],
        ["Folder", "/tmp"],
      ]);
      inOrder(sheet, "Print waits for you", "Tool", "A command cannot be edited here", "Reason", ...ANSWERS);
      expect(nameless(sheet)).toEqual([]);
      await click(browser, `${byId(testIds.approvalSheet)} ${byId("reject")}`);
      await browser.waitUntil(async () => (await runEnds(browser)) === "failed", {
        timeout: 20_000,
        timeoutMsg: "the call that was denied does not end the run",
      });
    });
  });

  test("evaluations: the bar, the cases by row, the results", async () => {
    const { browser } = window;
    const folder = path.join(window.folder, "evaluations");
    mkdirSync(folder, { recursive: true });
    const bundled = path.join(root, "templates/evaluations");
    for (const name of readdirSync(bundled)) copyFileSync(path.join(bundled, name), path.join(folder, name));
    copyFileSync(path.join(root, "templates/self-refine.json"), path.join(window.folder, "self-refine.json"));
    await click(browser, byId(testIds.viewEvaluate));
    window.answerDialog(path.join(folder, "self-refine.eval.json"));
    await click(browser, byId(testIds.evalOpen));
    const read = await readOnce("Run all");
    const cases = await readOnce("allotment");
    inOrder(cases, "Run all", "allotment");
    expect(read.length).toBeGreaterThan(20);
    expect(nameless(cases)).toEqual([]);
  });
});
