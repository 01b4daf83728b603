// The message of a failed step: quoted code is formatted as code, and the error code is shown apart from the
// sentence.

import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { RunPreview } from "../../canvas/card/RunPreview";
import cardTextStyles from "../../components/CardText.module.css";
import messageStyles from "../../components/RunMessage.module.css";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import { events, failed, runStarted, started } from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { idleNode, type NodeRun } from "../../runs/view/node-run";
import { useSession } from "../../session/session";
import { rulesOf } from "../../styles/stylesheets";
import { RunInspector } from "./RunInspector";
import { EventList } from "./tabs";

const page = pageForEach();
const MESSAGE = 'The key of `http.request` in "Fetch" is missing.';
const READ = "The key of http.request in “Fetch” is missing.";
const document_: FlowDoc = {
  name: "Fails",
  nodes: [{ id: "fetch", type: "tool", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
};
const codes = () => [...page.host.querySelectorAll("code.said")].map((one) => one.textContent);
const log = events("r1", [
  runStarted(),
  started("fetch"),
  failed("fetch", "key_missing", { message: MESSAGE }),
]);

beforeEach(() => {
  replaceBackend(testBackend());
  useDocument.getState().open({ document: document_, path: null, version: null });
  useSession.getState().setLayout("run");
  const state = foldAll("r1", log);
  useRuns.setState({ live: { state, document: document_, flowPath: null, live: true }, past: null });
});

const card = (run: Partial<NodeRun>) =>
  act(async () => page.root.render(<RunPreview id="fetch" run={{ ...idleNode, ...run }} selected={false} />));

test("on its card", async () => {
  await card({ state: "failed", message: MESSAGE });
  expect(page.host.querySelector(`.${cardTextStyles.cardBody}`)?.textContent).toBe(READ);
  expect(codes()).toEqual(["http.request"]);
});

test("in the panel, where the code of the error has a line of its own", async () => {
  await act(async () => page.root.render(<RunInspector nodeId="fetch" />));
  const box = page.host.querySelector(`.${messageStyles.message}`);
  expect(codes()).toEqual(["http.request"]);
  expect(box?.querySelector('[data-testid="error-code"]')?.textContent).toBe("key_missing");
  for (const aside of ["error-code", "failure-actions"])
    box?.querySelector(`[data-testid="${aside}"]`)?.remove();
  expect(box?.textContent).toBe(READ);
  const rule = rulesOf("inspector/run/RunInspector.module.css").find(
    ({ selector }) => selector === ".error-code",
  );
  expect(rule?.declarations.get("display")).toBe("block");
});

test("in the log", async () => {
  await act(async () => page.root.render(<EventList run={{ since: 0, rests: [] }} events={log} />));
  expect([...page.host.querySelectorAll('[data-testid="event-text"]')].at(-1)?.textContent).toBe(READ);
  expect(codes()).toEqual(["http.request"]);
});

test("in the tooltip of a step that is tried again, without marks", async () => {
  await card({
    state: "running",
    attempts: 2,
    retried: { code: "http_429", message: MESSAGE, until: 0, of: 4 },
  });
  expect(page.host.querySelector("[data-tip]")?.getAttribute("data-tip")).toBe(READ);
  expect(page.host.textContent).toContain("Attempt 2 of 4, after HTTP 429");
});
