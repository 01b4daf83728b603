// A signal ends the window while an agent works: everything that it started ends with it, and the run can be
// resumed.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { builtProgram, openWindow, remove, type Window } from "../support/window";

/** An agent that ends neither by itself nor on SIGTERM, and has a child in its own session. */
const AGENT = `#!/bin/sh
trap '' TERM HUP
echo $$ >> pids
setsid sh -c 'echo $$ >> pids; while :; do sleep 1; done' &
while :; do sleep 1; done
`;

let window: Window | undefined;
let folder = "";
afterEach(async () => {
  await window?.close();
  remove(folder);
});

const pids = (): number[] =>
  existsSync(path.join(folder, "pids"))
    ? readFileSync(path.join(folder, "pids"), "utf8").trim().split("\n").map(Number)
    : [];

/** Returns the state and parent of a process; null if it is gone. */
function stat(pid: number): { state: string; parent: number } | null {
  try {
    const [state = "", parent = "0"] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

const lives = (pid: number) => !["Z", undefined].includes(stat(pid)?.state);

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`${signal} ends the window and its agent, and the run can be resumed`, async () => {
    folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
    const agent = path.join(folder, "agent.sh");
    writeFileSync(agent, AGENT);
    chmodSync(agent, 0o755);
    mkdirSync(path.join(folder, "data"));
    const settings = { agents: [{ name: "mine", command: agent }] };
    writeFileSync(path.join(folder, "data/settings.json"), JSON.stringify(settings));
    window = await openWindow({ display: inject("display"), folder });
    const { browser } = window;
    const flow = {
      name: "Working",
      nodes: row(
        ["task", "input", { name: "task", default: "Go" }],
        ["work", "agent", { runner: "mine", session: "fresh", cwd: folder, prompt: "{{ input }}" }],
        ["out", "output", { name: "done" }],
      ),
      edges: wires("task.value -> work.prompt", "work.response -> out.value"),
    };
    await openFile(window, writeFlow(window, "working.json", flow));
    await click(browser, byId(testIds.runButton));
    await click(browser, byId(testIds.trustAllow));
    await browser.waitUntil(async () => pids().length === 2 && pids().every(lives), {
      timeout: 20_000,
      timeoutMsg: "the agent does not start",
    });
    // The agent's parent is a supervisor, whose parent is the window.
    const supervisor = stat(pids()[0] ?? 0)?.parent ?? 0;
    process.kill(stat(supervisor)?.parent ?? 0, signal);
    await browser.waitUntil(async () => !pids().some(lives), {
      timeout: 5_000,
      interval: 50,
      timeoutMsg: "the agent continues",
    });
    const data = path.join(folder, "data");
    const list = execFileSync(builtProgram("loopwright"), ["runs", "list", "--json", "--data-dir", data]);
    expect(JSON.parse(String(list))[0].status).toBe("interrupted");
  });
