// A fork needs a change before it can be started, and the field for the change is focused.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { choose, openList, pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { forkPlace } from "../../ipc/testing/values";
import { foldAll } from "../../runs/fold/reduce";
import { completed, events, runCompleted, runStarted, started } from "../../runs/fold/samples";
import { nodeTarget, useFork } from "../../runs/session/fork";
import { useRuns } from "../../runs/session/store";
import { useSession } from "../../session/session";
import { rulesOf } from "../../styles/stylesheets";
import { ForkPopover } from "./ForkPopover";

const page = pageForEach();
const data = { prompt: "Write.", temperature: 0.5 };
const document_: FlowDoc = {
  name: "One",
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data }],
  edges: [],
};
const forkRun = vi.fn(async () => "fork");

beforeEach(async () => {
  forkRun.mockClear();
  replaceBackend({
    ...testBackend(),
    forkPlace: async () => forkPlace({ at: "draft", nodeId: "draft", value: "A draft" }),
    forkedFlow: async () => ({ document: document_, path: null }),
    forkRun: forkRun as unknown as ReturnType<typeof testBackend>["forkRun"],
  });
  await useKinds.getState().load();
  useDocument.getState().open({ document: document_, path: null, version: null });
  useSession.getState().setLayout("run");
  const state = foldAll(
    "r1",
    events("r1", [runStarted(), started("draft"), completed("draft"), runCompleted()]),
  );
  useRuns.setState({ live: { state, document: document_, flowPath: null, live: true }, past: null });
  const target = nodeTarget("draft");
  if (!target) throw new Error("the step cannot be forked");
  useFork.getState().open(target);
  await act(async () => page.root.render(<ForkPopover />));
});

const text = (): HTMLTextAreaElement => {
  const found = page.host.querySelector("textarea");
  if (!found) throw new Error("nothing can be typed");
  return found;
};
const button = () => page.host.querySelector<HTMLButtonElement>('[data-testid="fork-run"]');
const press = (label: string) =>
  act(async () =>
    [...page.host.querySelectorAll<HTMLElement>('[role="radio"]')]
      .find((one) => one.textContent === label)
      ?.click(),
  );
const type = (value: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(text(), value);
    text().dispatchEvent(new Event("input", { bubbles: true }));
  });
const enter = () =>
  act(async () =>
    text().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true })),
  );

test("a setting is called as in the node's form", async () => {
  // The title of `prompt` in the kind's own form, changed so that it differs from the field's name.
  const kind = useKinds.getState().byType.get("llm");
  if (!kind) throw new Error("there is no such kind");
  const schema = structuredClone(kind.schema);
  schema.properties.prompt.title = "Instructions";
  await act(async () => useKinds.setState({ byType: new Map([["llm", { ...kind, schema }]]) }));
  await press("Setting");
  expect(text().getAttribute("aria-label")).toBe("Instructions");
  const picker = page.host.querySelector<HTMLElement>('[data-testid="fork-field"]');
  if (!picker) throw new Error("there is no list of settings");
  const options = await openList(picker);
  expect(options.map((option) => option.textContent)).toEqual(["Instructions", "Temperature"]);
});

test("what changes nothing is not run, and says why", async () => {
  expect(text().value).toBe("A draft");
  expect(button()?.disabled).toBe(true);
  await enter();
  expect(page.host.querySelector('[role="alert"]')?.textContent).toContain("Change the value first");
  expect(forkRun).not.toHaveBeenCalled();
  await type("Another draft");
  expect(page.host.querySelector('[role="alert"]')).toBeNull();
  expect(button()?.disabled).toBe(false);
  await type("A draft");
  expect(button()?.disabled).toBe(true);
  await type("Another draft");
  await enter();
  await vi.waitFor(() => expect(forkRun).toHaveBeenCalledOnce());
  expect(forkRun.mock.calls[0]?.at(0)).toMatchObject({
    at: "draft",
    edits: [],
    value: { value: "Another draft" },
  });
});

test("a setting that is chosen has the focus, and is blue for that alone", async () => {
  await press("Setting");
  expect(document.activeElement).toBe(text());
  expect(text().value).toBe("Write.");
  expect(button()?.disabled).toBe(true);
  const blue = rulesOf("inspector/run/ValueText.module.css")
    .filter(({ declarations }) => declarations.get("box-shadow")?.includes("--accent"))
    .map(({ selector }) => selector);
  expect(blue).toEqual([".text:focus"]);
});

test("a setting that is chosen from the list leads to its value", async () => {
  await press("Setting");
  const picker = page.host.querySelector<HTMLElement>('[data-testid="fork-field"]');
  if (!picker) throw new Error("there is no list of settings");
  await choose(picker, "temperature");
  // The list returns the focus when it closes.
  await vi.waitFor(async () => {
    await act(() => new Promise((done) => setTimeout(done, 20)));
    expect(document.activeElement).toBe(text());
  });
  expect(text().value).toBe("0.5");
});

test("the same again is run where nothing is to be edited", async () => {
  await press("Nothing");
  expect(button()?.disabled).toBe(false);
  await act(async () => button()?.click());
  await vi.waitFor(() => expect(forkRun).toHaveBeenCalledOnce());
});
