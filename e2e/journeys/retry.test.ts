// A node that failed is run once more from its card: what came before it is kept, and paid for once.
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
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

/** A model server that refuses one of its calls, counted from 1, and answers the others by their number. */
let asked = 0;
const REFUSED = 3;
const server: Server = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "slow", object: "model" }] }));
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

test("a failed call is made again, and those before it are not", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("failed");
  expect(asked).toBe(REFUSED);
  expect(await wholeText(browser, byId(testIds.node("draft")))).toContain("not this one");
  await window.picture("failed-with-retry");

  await click(browser, byId(testIds.retry("draft")));
  const popover = browser.$(byId("fork"));
  await popover.waitForDisplayed();
  await browser.waitUntil(async () => /Keeps 2 calls/.test(await popover.getText()), {
    timeoutMsg: "what is kept is not said",
  });
  expect(await popover.$('[role="radio"][aria-checked="true"]').getText()).toBe("Nothing");
  await window.picture("retry");
  // The button to run it has the keyboard.
  await browser.keys("Enter");
  await popover.waitForDisplayed({ reverse: true });
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.node("final")))).includes("answer 6"),
    { timeout: 30_000, timeoutMsg: "the second run does not come to its end" },
  );
  // Of five calls two were kept and three made, after the three of the run that failed.
  expect(asked).toBe(REFUSED + 3);
  await selectNode(browser, "draft");
  expect(await outputOf(browser, 1)).toBe("answer 1");
  expect(await outputOf(browser, 2)).toBe("answer 4");
});
