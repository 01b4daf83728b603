// The page of a past run names the schedule that started it.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { runDetail } from "../../ipc/testing/values";
import { events, refine } from "../../runs/fold/samples";
import { RunDetailView } from "./RunDetailView";

const page = pageForEach();

async function renderRun(schedule: string | null): Promise<string> {
  const detail = runDetail({ summary: { runId: "r", schedule } });
  const recorded = events("r", refine());
  replaceBackend({
    ...testBackend(),
    runDetail: async () => detail,
    runOutline: async () => recorded,
    runEvents: async () => recorded,
  });
  await act(async () => page.root.render(<RunDetailView runId="r" status="completed" />));
  await act(() =>
    vi.waitFor(() => {
      if (page.host.querySelector("h1") === null) throw new Error("the run is not shown");
    }),
  );
  return page.host.textContent;
}

test("the schedule that started a run is named", async () => {
  expect(await renderRun("nightly")).toContain("started by the schedule “nightly”");
});

test("a run that a person started names no schedule", async () => {
  expect(await renderRun(null)).not.toContain("schedule");
});
