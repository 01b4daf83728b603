// The workspaces in Settings: what is listed, and what is never removed without a confirmation.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { type Backend, replaceBackend } from "../../ipc/client";
import type { WorkspaceState } from "../../ipc/generated/bindings";
import { rows as recorded } from "../../ipc/generated/recorded/workspace";
import { testBackend } from "../../ipc/testing";
import { useDialog } from "../../session/dialog";
import { Workspaces } from "./Workspaces";

const page = pageForEach();
const [row] = recorded;
const rowOf = (state: WorkspaceState) => {
  if (!row) throw new Error("no workspace is recorded");
  return { ...row, state, id: state };
};
const byId = (id: string) => [...page.host.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];
const click = (element: Element | null | undefined) =>
  act(async () => {
    if (!(element instanceof HTMLElement)) throw new Error("there is nothing to click");
    element.click();
  });

async function show(states: readonly WorkspaceState[], changed: Partial<Backend> = {}) {
  let there = states.map(rowOf);
  const removeWorkspace = vi.fn<Backend["removeWorkspace"]>(async (id) => {
    there = there.filter((one) => one.id !== id);
  });
  replaceBackend({ ...testBackend(), workspaces: async () => there, removeWorkspace, ...changed });
  await act(async () => page.root.render(<Workspaces />));
  await vi.waitFor(() => expect(byId("workspace-row")).toHaveLength(states.length));
  return removeWorkspace;
}

test("clean up removes what was applied or changed nothing, and nothing else", async () => {
  const removed = await show(["applied", "notApplied", "unchanged", "open"]);
  expect(page.host.textContent).toContain("4 copies, 494 kB");
  await click(byId("clean-workspaces")[0]);
  await vi.waitFor(() => expect(byId("workspace-row")).toHaveLength(2));
  expect(removed.mock.calls).toEqual([
    ["applied", false],
    ["unchanged", false],
  ]);
  expect(byId("clean-workspaces")[0]).toHaveProperty("disabled", true);
});

test("a copy that was not applied is removed only after a question", async () => {
  const removed = await show(["notApplied"]);
  const bin = () => page.host.querySelector('[aria-label^="Remove the workspace"]');
  await click(bin());
  expect(useDialog.getState().open?.question.detail).toContain("will be lost");
  await act(async () => useDialog.getState().open?.answer(false));
  expect(removed).not.toHaveBeenCalled();
  await click(bin());
  await act(async () => useDialog.getState().open?.answer(true));
  await vi.waitFor(() => expect(byId("workspace-row")).toHaveLength(0));
  expect(removed.mock.calls).toEqual([["notApplied", true]]);
});

test("what cannot be removed or opened is said in words", async () => {
  const fail = async () => {
    throw new Error("A run is using this workspace.");
  };
  await show(["applied"], { removeWorkspace: fail, openWorkspaceFolder: fail });
  await click(page.host.querySelector('[aria-label^="Open the folder"]'));
  await vi.waitFor(() =>
    expect(page.host.querySelector('[role="alert"]')?.textContent).toContain("A run is using"),
  );
  await click(byId("clean-workspaces")[0]);
  await vi.waitFor(() =>
    expect(page.host.querySelector('[role="alert"]')?.textContent).toContain("repair: A run is using"),
  );
});
