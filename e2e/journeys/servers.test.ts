// The user sets up an MCP server (the program's own, which offers a flow as a tool), probes it, uses its tool
// from the palette and in a run, and revokes the permission. The program asks again when the run continues
// and when it is forked.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  closeApproval,
  commandList,
  deselect,
  fill,
  nodes,
  runEnds,
  selectNode,
  textOf,
  wholeText,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { builtProgram, openWindow, type Window } from "../support/window";

const shout = {
  schemaVersion: 1,
  name: "Shout",
  description: "Says a text loudly.",
  nodes: row(
    ["text", "input", { name: "text", dataType: "text", description: "What is said." }],
    ["loud", "transform", { template: "{{ input | upper }}!" }],
    ["out", "output", { name: "loud" }],
  ),
  edges: wires("text.value -> loud.input", "loud.output -> out.value"),
};

const asking = {
  name: "Asking",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "hello" }],
    ["ask", "approval", { label: "Ask", message: "Say it loudly?" }],
    [
      "shout",
      "tool",
      { label: "Shout", tool: "mcp:loud/shout", args: { text: "{{ input }}" }, approval: "auto" },
    ],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> shout.input", "shout.result -> done.value"),
};

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

/** Fills a list of strings, each of which has its own field. */
async function fillList(id: string, texts: string[]): Promise<void> {
  const { browser } = window;
  for (const [i, text] of texts.entries()) {
    await click(browser, byId(`${id}-add`));
    await fill(browser, byId(`${id}-${i}`), text);
  }
}

async function showSettings(section: string): Promise<void> {
  const { browser } = window;
  await browser.keys(["Control", ","]);
  await click(browser, byId(`settings-${section}`));
}

async function expectText(id: string, words: string): Promise<void> {
  await window.browser.waitUntil(async () => (await wholeText(window.browser, byId(id))).includes(words), {
    timeout: 20_000,
    timeoutMsg: `${id} does not say “${words}”`,
  });
}

/**
 * Waits until the element is gone. The page itself is queried, because the driver fails if an element
 * vanishes during its search.
 */
async function expectGone(id: string): Promise<void> {
  const { browser } = window;
  await browser.waitUntil(
    () => browser.execute((selector) => document.querySelector(selector) === null, byId(id)),
    {
      timeout: 5_000,
      timeoutMsg: `${id} does not disappear`,
    },
  );
}

async function answerTrust(button: string): Promise<void> {
  const { browser } = window;
  await click(browser, byId(button));
  await expectGone(testIds.trustDialog);
}

test("a server is added, is started only after its exact command was allowed, and lists its tools", async () => {
  const { browser, folder } = window;
  const offered = path.join(folder, "offered");
  mkdirSync(offered);
  writeFileSync(path.join(offered, "shout.json"), JSON.stringify(shout));
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
  await showSettings("tools");
  await click(browser, byId("add-server"));
  await fill(browser, byId("new-server-name"), "loud");
  await fill(browser, byId("new-server-command"), builtProgram("loopwright"));
  const data = path.join(folder, "server-data");
  await fillList("new-server-args", ["mcp", offered, "--data-dir", data]);
  await fill(browser, byId("new-server-env"), "LOUD_KEY");
  await window.pictures("mcp-form");
  await click(browser, byId("new-server-save"));
  await expectText("server-row-loud", "not connected");
  await expectText("tool-keys", "LOUD_KEY");

  await click(browser, '[aria-label="Show loud"]');
  await click(browser, byId("look-loud"));
  await expectText(testIds.trustDialog, `${builtProgram("loopwright")} mcp ${offered} --data-dir ${data}`);
  await expectText(testIds.trustDialog, "LOUD_KEY");
  await window.pictures("mcp-ask");
  await answerTrust(testIds.trustRefuse);
  await expectText("server-row-loud", "not connected");
  // A required key is missing, so the server is not started.
  await click(browser, byId("edit-loud"));
  await fill(browser, byId("server-loud-env"), " ");
  await click(browser, byId("server-loud-save"));
  await click(browser, byId("look-loud"));
  await answerTrust(testIds.trustAllow);
  await expectText("server-row-loud", "1 tool");
  await expectText("tools-loud", "Says a text loudly.");
  await window.pictures("mcp-looked");
});

test("its tool is in the palette, with a form made from its schema", async () => {
  const { browser } = window;
  await click(browser, byId("settings-done"));
  await click(browser, byId("template-blank"));
  await browser.$(byId(testIds.paletteItem("mcp:loud/shout"))).waitForDisplayed({ timeout: 15_000 });
  const before = new Set(await nodes(browser));
  await browser.execute(
    (item) => document.querySelector<HTMLElement>(item)?.focus(),
    byId(testIds.paletteItem("mcp:loud/shout")),
  );
  await browser.keys("Enter");
  await browser.waitUntil(async () => (await nodes(browser)).length > before.size);
  const [added = ""] = (await nodes(browser)).filter((id) => !before.has(id));
  await selectNode(browser, added);
  const field = browser.$('[data-field="args.text"], [data-field="text"]');
  await field.waitForDisplayed({ timeout: 10_000 });
  await browser.waitUntil(
    async () => (await browser.execute(() => document.body.textContent ?? "")).includes("What is said."),
    { timeoutMsg: "the form does not say what the argument is" },
  );
  await window.pictures("mcp-palette");
});

test("a run asks before it starts the server, and waits", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "asking.loop", asking));
  await click(browser, byId(testIds.runButton));
  await expectText(testIds.trustDialog, "loud/shout");
  await window.pictures("mcp-run-ask");
  await answerTrust(testIds.trustRefuse);
  await startRunAllowed();
  await closeApproval(browser);
  await selectNode(browser, "ask");
  await browser.$(byId("waiting-panel")).waitForDisplayed({ timeout: 20_000 });
});

async function startRunAllowed(): Promise<void> {
  const { browser } = window;
  await click(browser, byId(testIds.runButton));
  await answerTrust(testIds.trustAllow);
  // The question replaces the run's panel.
  const either = `${byId("run-status")}, ${byId(testIds.approvalSheet)}`;
  await browser.$(either).waitForDisplayed({ timeout: 10_000 });
}

async function takeBack(): Promise<void> {
  const { browser } = window;
  await showSettings("allowed");
  await expectText("allowed-Asking", "loud/shout");
  await window.pictures("allowed");
  await browser.$(byId("allowed-Asking")).$("button=Revoke all").click();
  await expectGone("allowed-Asking");
  await click(browser, byId("settings-done"));
}

test("a permission is revoked, and the answered run asks again before it continues", async () => {
  const { browser } = window;
  await takeBack();
  await selectNode(browser, "ask");
  await click(browser, byId("approve"));
  await expectText(testIds.trustDialog, "Allow and continue");
  await window.pictures("mcp-resume-ask");
  await answerTrust(testIds.trustRefuse);
  await expectText("waiting-panel", "You did not allow");
  await click(browser, byId("approve"));
  await answerTrust(testIds.trustAllow);
  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
  await selectNode(browser, "done");
  expect(await textOf(browser, byId("output-text"))).toContain("HELLO!");
});

test("a fork asks as well", async () => {
  const { browser } = window;
  await takeBack();
  await selectNode(browser, "shout");
  await browser.keys(["Shift", "f"]);
  await choose(browser, "What to edit", "Nothing");
  await click(browser, byId("fork-run"));
  await expectText(testIds.trustDialog, "loud/shout");
  await answerTrust(testIds.trustAllow);
  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
});

const plain = {
  name: "Plain",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "hello" }],
    ["loud", "transform", { label: "Loud", template: "{{ input | upper }}" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> loud.input", "loud.output -> done.value"),
};

/** Selects the export in the command list. */
async function exportProgram(): Promise<void> {
  const { browser } = window;
  await browser.keys(["Control", "k"]);
  await browser.$(commandList).waitForDisplayed();
  await fill(browser, `${commandList} input`, "langgraph");
  await browser.keys("Enter");
}

test("a flow that cannot be expressed in LangGraph is refused with its reasons, and another is written", async () => {
  const { browser, folder } = window;
  await click(browser, byId(testIds.viewEdit));
  const target = path.join(folder, "asking.py");
  // Obstacles are reported before the user is asked for a file name.
  await exportProgram();
  await browser.waitUntil(
    async () => (await textOf(browser, byId(testIds.toasts))).includes("Nothing was exported"),
    {
      timeout: 10_000,
    },
  );
  expect(await textOf(browser, byId(testIds.toasts))).toContain("mcp:loud/shout");
  expect(existsSync(target)).toBe(false);

  await openFile(window, writeFlow(window, "plain.loop", plain));
  window.answerDialog(target);
  await exportProgram();
  await browser.$(byId("export-report")).waitForDisplayed({ timeout: 10_000 });
  await window.pictures("export-langgraph");
  expect(readFileSync(target, "utf8")).toContain("langgraph");
});
