// The reason for the end of a past run is shown as an alarm if the run failed, but not if the user stopped
// it.
import { act } from "react";
import { expect, test, vi } from "vitest";
import messageStyles from "../../components/RunMessage.module.css";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { RunStatus } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { runDetail } from "../../ipc/testing/values";
import { events, refine } from "../../runs/fold/samples";
import { RunDetailView } from "./RunDetailView";

const page = pageForEach();

async function renderMessage(status: RunStatus, message: string): Promise<HTMLElement> {
  const usage = { calls: 2, input_tokens: 0, output_tokens: 0, cost_usd: null, cut_off_calls: 2 };
  const detail = runDetail({
    summary: { runId: "r", flow: "Self-Refine", status, usage, iterations: null, exitReason: null },
    document: { schemaVersion: 1, name: "Self-Refine", nodes: [], edges: [] },
    inputs: {},
    outputs: {},
    error: { code: status, node: null, message },
  });
  const recorded = events("r", refine());
  replaceBackend({
    ...testBackend(),
    runDetail: async () => detail,
    runOutline: async () => recorded,
    runEvents: async () => recorded,
  });
  await act(async () => page.root.render(<RunDetailView runId="r" status={status} />));
  return act(() =>
    vi.waitFor(() => {
      const found = [...page.host.querySelectorAll<HTMLElement>(`.${messageStyles.message}`)].find((one) =>
        one.textContent?.includes(message),
      );
      if (!found) throw new Error(`nothing says “${message}”`);
      return found;
    }),
  );
}

test("one that a person stopped says so quietly", async () => {
  const box = await renderMessage("cancelled", "The run was stopped.");
  expect(box.getAttribute("role")).toBe("status");
  expect(box.classList).not.toContain(messageStyles.hasError);
});

test("calls that were cut off are counted, and their price is not known", async () => {
  await renderMessage("cancelled", "The run was stopped.");
  const figures = [...page.host.querySelectorAll("div > b")].map((one) => one.parentElement?.textContent);
  expect(figures).toEqual(expect.arrayContaining(["2calls, 2 cut off", "not knowncost"]));
});

test("one that failed is an alarm", async () => {
  const box = await renderMessage("failed", "The server did not answer.");
  expect(box.getAttribute("role")).toBe("alert");
  expect(box.classList).toContain(messageStyles.hasError);
});
