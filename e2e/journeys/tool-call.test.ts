// A tool call in a loop asks the user: the sheet shows exactly what the server then receives. The user edits
// it, and allows it for the run.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, fill, runEnds, startRun } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

/** A request that the server received, in the form in which the sheet shows it. */
type Got = { method: string; address: string; type: string; body: string };

let window: Window;
let server: Server;
let origin: string;
const got: Got[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      got.push({
        method: request.method ?? "",
        address: `${origin}${request.url}`,
        type: request.headers["content-type"] ?? "",
        body: Buffer.concat(parts).toString(),
      });
      response.end(`answer ${got.length}`);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  window = await openWindow({ display: inject("display") });
});
afterAll(async () => {
  await window?.close();
  server?.close();
});

const sheet = byId(testIds.approvalSheet);

/** Returns the values of the sheet's lines, by their labels. */
const facts = () =>
  window.browser.execute(
    (within) =>
      Object.fromEntries(
        [...document.querySelectorAll(`${within} [data-testid="request-facts"] > div`)].map((line) => [
          line.querySelector("dt")?.textContent ?? "",
          [...line.querySelectorAll("dd")].map((value) => value.textContent ?? ""),
        ]),
      ) as Record<string, string[]>,
    sheet,
  );

async function isAsked(): Promise<void> {
  await window.browser.$(`${sheet} ${byId("approve-run")}`).waitForClickable({
    timeout: 20_000,
    timeoutMsg: "no question about the call is shown",
  });
}

test("the server receives what is shown, for an edited call and for a call allowed for the run", async () => {
  const { browser } = window;
  const args = { method: "POST", url: `${origin}/a b/../first`, body: { text: "{{ input }}" } };
  const flow = {
    name: "Calls",
    nodes: row(
      ["text", "input", { label: "Text", name: "text", default: "héllo" }],
      ["repeat", "loop", { label: "Repeat", maxIterations: 3 }],
      ["post", "tool", { label: "Post", tool: "http.request", args, approval: "ask" }],
      ["exit", "exit", { label: "Exit" }],
      ["done", "output", { label: "Done", name: "done" }],
    ),
    edges: wires(
      "text.value -> repeat.input",
      "repeat.body -> post.input",
      "post.result -> exit.input",
      "exit.output -> done.value",
    ),
  };
  await openFile(window, writeFlow(window, "calls.loop", flow));
  await startRun(browser);
  await isAsked();
  const first = await facts();
  expect(first.Method).toEqual(["POST"]);
  expect(first.Address).toEqual([`${origin}/first`]);
  expect(first.Headers).toEqual(["content-type: application/json"]);
  await window.picture("tool-call");
  // After a change of the address, the lines show it before anything is allowed.
  await fill(
    browser,
    `${sheet} [data-field="url"] input, ${sheet} [data-field="url"] textarea`,
    `${origin}/second`,
  );
  await browser.waitUntil(async () => (await facts()).Address?.[0] === `${origin}/second`, {
    timeoutMsg: "the lines do not follow the edit",
  });
  const edited = await facts();
  await click(browser, `${sheet} ${byId("approve")}`);
  await browser.waitUntil(() => got.length === 1, { timeoutMsg: "the call was not made" });
  expect(got[0]).toEqual({
    method: edited.Method?.[0],
    address: edited.Address?.[0],
    type: "application/json",
    body: edited.Body?.[0],
  });
  // The second iteration asks again. Once it is allowed for the run, the third does not.
  await browser.waitUntil(async () => (await facts()).Address?.[0] === `${origin}/first`, {
    timeout: 20_000,
    timeoutMsg: "the second iteration does not ask",
  });
  await isAsked();
  const second = await facts();
  await click(browser, `${sheet} ${byId("approve-run")}`);
  await browser.waitUntil(() => got.length === 3, {
    timeout: 20_000,
    timeoutMsg: "the third iteration asks",
  });
  await browser.waitUntil(async () => (await runEnds(browser)) === "done", {
    timeout: 20_000,
    timeoutMsg: "the run is not done",
  });
  expect([got[1]?.address, got[1]?.body]).toEqual([second.Address?.[0], second.Body?.[0]]);
  expect(got[2]?.address).toBe(got[1]?.address);
});
