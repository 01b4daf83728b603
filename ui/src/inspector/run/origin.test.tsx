// What the inspector shows for a forked run.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { runDetail, runSummary } from "../../ipc/testing/values";
import { useHistory } from "../../pages/history/store";
import { useSession } from "../../session/session";
import { Origin } from "./Origin";

const page = pageForEach();
const document_: FlowDoc = {
  name: "A",
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data: { label: "First draft" } }],
  edges: [],
};

beforeEach(() => {
  const { usage: kept } = runSummary();
  const origin = (id: string) =>
    id === "fork" ? { runId: "first", at: "refine[2]/draft", keptSeq: 4, kept } : null;
  replaceBackend({
    ...testBackend(),
    runDetail: async (id) => runDetail({ origin: origin(id) }),
  });
});

test("a fork says so, and is compared with the run it comes from", async () => {
  await act(async () => page.root.render(<Origin runId="fork" document={document_} />));
  expect(page.host.textContent).toContain("A fork, made at First draft, iteration 2.");
  await act(async () => page.host.querySelector("button")?.click());
  expect(useHistory.getState()).toMatchObject({ selected: "fork", compared: "first" });
  expect(useSession.getState().view).toBe("runs");
});

test("another run says nothing of it", async () => {
  await act(async () => page.root.render(<Origin runId="plain" document={document_} />));
  expect(page.host.textContent).toBe("");
});
