// A run that workers execute, as the top bar shows it: its store, whether it is queued, and pending requests.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { replaceBackend } from "../ipc/client";
import type { RunStatus } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { emptyRun } from "../runs/fold/reduce";
import { useRequests } from "../runs/session/requests";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { RunBox, RunChip } from "./RunBox";

const page = pageForEach();
const RUN = "work/r1";
const elementById = (id: string) => page.host.querySelector<HTMLButtonElement>(`[data-testid="${id}"]`);

beforeEach(() => {
  replaceBackend(testBackend());
  useRequests.setState({ byRun: {} });
  useSession.setState({ view: "editor", layout: "run" });
});

async function showRun(status: RunStatus): Promise<void> {
  const state = { ...emptyRun(RUN, "Remote"), status };
  const document = { schemaVersion: 1, name: "Remote", nodes: [], edges: [] };
  await act(async () =>
    useRuns.setState({ live: null, past: { state, document, flowPath: null, live: true } }),
  );
  await act(async () =>
    page.root.render(
      <>
        <RunChip />
        <RunBox />
      </>,
    ),
  );
}
const addRequest = (kind: "stop" | "pause" | "resume", status: RunStatus) =>
  act(async () => useRequests.getState().add(RUN, { kind, path: null, approved: null, status, seq: 0 }));

test("a queued run says so in words, names its store, and can be stopped but not paused", async () => {
  await showRun("queued");
  expect(elementById("run-state")?.textContent).toBe("Queued");
  expect(page.host.textContent).toContain("No worker has started the run yet");
  expect(elementById("run-place")?.textContent).toBe("work");
  expect(elementById("pause-button")).toBeNull();
  expect(elementById(testIds.stopButton)?.disabled).toBe(false);
});

test("the stop button says that it was asked, and settles with the run", async () => {
  await showRun("running");
  expect(elementById(testIds.stopButton)?.textContent).toContain("Stop");
  await addRequest("stop", "running");
  expect(elementById(testIds.stopButton)?.textContent).toBe("Asked to stop…");
  expect(elementById(testIds.stopButton)?.disabled).toBe(true);
  await act(async () =>
    useRuns.setState((s) => ({
      past: s.past && { ...s.past, state: { ...s.past.state, status: "cancelled" } },
    })),
  );
  expect(useRequests.getState().byRun).toEqual({});
  expect(page.host.textContent).toContain("Past run, read only");
});

test("a run that was asked to pause says so, and one that was asked to resume", async () => {
  await showRun("running");
  await addRequest("pause", "running");
  expect(elementById("run-request")?.textContent).toBe("Asked to pause…");
  expect(elementById("pause-button")?.disabled).toBe(true);
  await act(async () => useRequests.getState().remove(RUN));
  await showRun("failed");
  await addRequest("resume", "failed");
  expect(elementById("run-request")?.textContent).toBe("Asked to resume…");
});
