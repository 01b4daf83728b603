// A loop appends its feedback until the prompt no longer fits into the model's context: the timeline shows how full
// the context is, and warns before it overflows.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, runEnds, startRun, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

/** The context window of the model, in tokens. Each prompt has 600 tokens more than the one before. */
const WINDOW = 2_500;
const GROWTH = 600;

let server: Server;
let window: Window;
let folder: string;
beforeAll(async () => {
  let calls = 0;
  server = createServer(async (request, reply) => {
    request.resume();
    await once(request, "end");
    reply.writeHead(200, { "content-type": "application/json" });
    if (request.method === "GET") {
      reply.end(JSON.stringify({ object: "list", data: [{ id: "slow", max_model_len: WINDOW }] }));
      return;
    }
    calls += 1;
    const usage = { prompt_tokens: calls * GROWTH, completion_tokens: 10 };
    await sleep(1_500);
    const choices = [{ message: { content: `note ${calls}` }, finish_reason: "stop" }];
    reply.end(JSON.stringify({ id: "c", model: "slow", choices, usage }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  folder = folderUsing({ address: `http://127.0.0.1:${port}/v1`, stop: () => {} });
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  server?.closeAllConnections();
  server?.close();
  remove(folder);
});

const flow = {
  name: "Notes",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "a" }],
    ["collect", "loop", { label: "Collect", maxIterations: 5, feedbackMode: "append" }],
    ["note", "llm", { label: "Note", prompt: "Add to {{ input }}" }],
    ["exit", "exit", { label: "Exit" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> collect.input",
    "collect.body -> note.input",
    "note.response -> exit.input",
    "exit.output -> done.value",
  ),
};

test("the timeline shows how full the context is, and warns before a prompt no longer fits", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "notes.loop", flow));
  await startRun(browser);
  const warning = browser.$(byId(testIds.contextWarning));
  await warning.waitForDisplayed({ timeout: 30_000, timeoutMsg: "nothing warns of the prompt" });
  expect(await warning.getText()).toMatch(/^Iteration 5 will not fit: its prompt will be about 3,000 tokens/);
  for (const theme of ["light", "dark"]) {
    await browser.execute((wanted) => {
      document.documentElement.dataset.theme = wanted;
    }, theme);
    await window.picture(`context-${theme}`);
  }
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId(testIds.segmentContext(1)))).toBe("600");
  expect(await textOf(browser, byId(testIds.segmentContext(5)))).toBe("3.0k");
});
