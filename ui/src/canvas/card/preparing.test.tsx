// The card of a loop says that its copy of a project is being created and set up, and the log says how.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { eventText } from "../../inspector/run/tabs";
import { foldAll } from "../../runs/fold/reduce";
import { type Body, events, runStarted, started } from "../../runs/fold/samples";
import { idleNode } from "../../runs/view/node-run";
import { RunPreview } from "./RunPreview";

const page = pageForEach();
const preparing: Body = { type: "workflow.loop.preparing", path: "repair", resource: "workspace" };
const details = {
  path: "/data/copy",
  setup: { file: "conductor.json", copied: [".env"], commands: [{ command: "npm ci", durationMs: 41_000 }] },
};
const prepared: Body = { type: "workflow.loop.prepared", path: "repair", details };
const step = (...bodies: Body[]) =>
  foldAll("r", events("r", [runStarted(), started("repair"), ...bodies])).root.steps.repair;

test("from the beginning of the work on the copy to its end", async () => {
  expect(step(preparing)?.preparing).toBe("workspace");
  expect(step(preparing, prepared)?.preparing).toBeNull();
  const run = { ...idleNode, state: "running" as const, preparing: "workspace" };
  await act(async () => page.root.render(<RunPreview id="repair" run={run} selected={false} />));
  expect(page.host.textContent).toBe("Preparing its workspace…");
});

test("with the copied files and the commands in the log", () => {
  const [, , , event] = events("r", [runStarted(), started("repair"), preparing, prepared]);
  expect(event && eventText(event)).toBe("copied .env, npm ci (41.0 s)");
});
