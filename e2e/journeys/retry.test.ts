// Repetitions: a failed node is repeated from its card, and the work before it is kept and paid once. A call
// is repeated by the policy of its node, which shows the error while it waits.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
  wholeText,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

/**
 * The number of calls that the model server received, except the one that it refused as busy. It refuses call
 * number `REFUSED`, and answers each of the others with its number.
 */
let asked = 0;
const REFUSED = 3;
/** The prompt of the call that is temporarily refused at first. */
const BUSY = "Are you busy?";
let busy = true;
const server: Server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => {
    body += piece;
  });
  request.on("end", () => {
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "slow", object: "model" }] }));
      return;
    }
    if (busy && body.includes(BUSY)) {
      busy = false;
      response.writeHead(429, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "a moment" } }));
      return;
    }
    asked += 1;
    if (asked === REFUSED) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "not this one" } }));
      return;
    }
    const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ model: "slow", choices: [{ delta: { content: `answer ${asked}` } }] });
    send({ choices: [{ delta: {}, finish_reason: "stop" }] });
    send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } });
    response.end("data: [DONE]\n\n");
  });
});

let window: Window;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  window = await openWindow({
    display: inject("display"),
    folder: folderUsing({ address, stop: () => {} }),
  });
});
afterAll(async () => {
  await window?.close();
  server.closeAllConnections();
  server.close();
  if (window) remove(window.folder);
});

test("a failed call is repeated, but the calls before it are not", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("failed");
  expect(asked).toBe(REFUSED);
  // The card shows a short form of the error, the panel all of it.
  expect(await wholeText(browser, byId(testIds.node("draft")))).toContain("does not accept the request");
  expect(await wholeText(browser, '[aria-label="Inspector"]')).toContain("not this one");
  await window.picture("failed-with-retry");

  // A single press suffices.
  await click(browser, byId(testIds.retry("draft")));
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.node("final")))).includes("answer 6"),
    { timeout: 30_000, timeoutMsg: "the second run does not end" },
  );
  // Of five calls, two were kept and three were made; before that, the failed run made three.
  expect(asked).toBe(REFUSED + 3);
  await selectNode(browser, "draft");
  expect(await outputOf(browser, 1)).toBe("answer 1");
  expect(await outputOf(browser, 2)).toBe("answer 4");
});

test("a repeated call shows why and when", async () => {
  const { browser } = window;
  const file = writeFlow(window, "busy.flow.json", {
    name: "Busy",
    nodes: row(
      ["who", "input", { name: "who", default: BUSY }],
      ["ask", "llm", { retry: { type: "fixed", count: 2, interval: "PT2S" } }],
      ["said", "output", { name: "said" }],
    ),
    edges: wires("who.value -> ask.prompt", "ask.response -> said.value"),
  });
  await openFile(window, file);
  await startRun(browser);
  const card = () => wholeText(browser, byId(testIds.node("ask")));
  await browser.waitUntil(async () => /Attempt 2 of 3 in [12] s/.test(await card()), {
    timeoutMsg: "the card does not show the retry",
    interval: 50,
  });
  await selectNode(browser, "ask");
  expect(await wholeText(browser, byId("retrying"))).toMatch(/[Aa]ttempt 2 of 3.*HTTP 429/s);
  await browser.waitUntil(async () => (await card()).includes("answer"), { timeoutMsg: "no answer came" });
  expect(await wholeText(browser, byId("stats"))).toContain("2 attempts");
  expect(await browser.$(byId("retrying")).isExisting()).toBe(false);
});
