// Why a listed run ended: the reason in words, and in the tooltip the code that files and the command line
// use.

import { act } from "react";
import { expect, test } from "vitest";
import { reasonLook } from "../../components/reason";
import { pageForEach } from "../../components/testing";
import type { RunSummary } from "../../ipc/generated/bindings";
import { RunReason } from "./RunRow";

const page = pageForEach();

async function reason(
  status: RunSummary["status"],
  exitReason: RunSummary["exitReason"],
): Promise<HTMLElement | null> {
  await act(async () => page.root.render(<RunReason run={{ status, exitReason, warnings: [] }} />));
  return page.host.querySelector<HTMLElement>("span");
}

test("a run that ended at the node it was to run to is done, and was not stopped", async () => {
  const shown = await reason("completed", "cancelled");
  expect(shown?.textContent).toBe("done");
  expect(shown?.className).toBe(reasonLook("tone-met"));
  expect((await reason("cancelled", "cancelled"))?.textContent).toBe("stopped");
});

test("the code of an exit is in the tooltip", async () => {
  const shown = await reason("completed", "max_iterations");
  expect(shown?.textContent).not.toContain("_");
  expect(shown?.dataset.tip).toBe(`${shown?.textContent} (max_iterations)`);
});

test("a loop that ran past its Exit never looks like one that met its exit condition", async () => {
  const reason = async (exitReason: RunSummary["exitReason"], code: string) => {
    const warnings = [{ code, node: "refine", message: "A branch leads to Exit." }];
    await act(async () =>
      page.root.render(<RunReason run={{ status: "completed", exitReason, warnings }} />),
    );
    return page.host.querySelector("[data-tip]")?.className;
  };
  expect(await reason("max_iterations", "exit_ignored")).toBe(reasonLook("tone-limit"));
  expect(await reason("max_iterations", "unused_branch")).toBe(reasonLook("tone-met"));
  expect(await reason("evaluator_done", "exit_ignored")).toBe(reasonLook("tone-met"));
});
