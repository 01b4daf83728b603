// The mark in the status bar that the computer is kept awake.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { replaceBackend } from "../ipc/client";
import type { AttentionMessage } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useProviders } from "../runs/inputs/providers";
import { followAttention, useAttention } from "../session/attention";
import { testIds } from "../testids";
import { StatusBar } from "./StatusBar";

const page = pageForEach();
const QUIET = { active: 0, awake: false, awake_trouble: null, notification_trouble: null };
const state = { type: "state" as const, ...QUIET };
const mark = () => page.host.querySelector(`[data-testid="${testIds.keptAwake}"]`)?.textContent ?? null;

let tell: (message: AttentionMessage) => void;
const shown: unknown[] = [];

beforeEach(async () => {
  useAttention.setState(QUIET);
  shown.length = 0;
  replaceBackend({
    ...testBackend(),
    watchAttention: async (messages) => {
      tell = messages;
    },
  });
  await useProviders.getState().load();
  await followAttention((...run) => shown.push(run));
  await act(async () => page.root.render(<StatusBar />));
});

test("the status bar says for how many runs the computer is kept awake", async () => {
  expect(mark()).toBeNull();
  await act(async () => tell({ ...state, active: 1 }));
  expect(mark()).toBeNull();
  await act(async () => tell({ ...state, active: 1, awake: true }));
  expect(mark()).toBe("Kept awake while a run is active");
  await act(async () => tell({ ...state, active: 2, awake: true }));
  expect(mark()).toBe("Kept awake while 2 runs are active");
  await act(async () => tell({ ...state, active: 0, awake: true }));
  expect(mark()).toBeNull();
});

test("the status bar warns during runs if the computer cannot be kept awake, unless the person switched it off", async () => {
  await act(async () => tell({ ...state, awake_trouble: "no bus" }));
  expect(mark()).toBeNull();
  await act(async () => tell({ ...state, active: 1, awake_trouble: "no bus" }));
  expect(mark()).toBe("The computer may fall asleep");
  await act(async () => useProviders.getState().save({ keepAwake: false }));
  expect(mark()).toBeNull();
});

test("a click on a notification shows its run and step", async () => {
  await act(async () => tell({ type: "show", run_id: "r1", step: "refine[2]/draft" }));
  expect(shown).toEqual([["r1", "refine[2]/draft"]]);
  expect(mark()).toBeNull();
});
