// What is not filled in yet is no alarm until somebody asks.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { MessageStrip } from "../canvas/card/MessageStrip";
import { commandById } from "../commands";
import { pageForEach } from "../components/testing";
import { useSession } from "../session/session";
import { RunBox } from "../shell/RunBox";
import { useAnalysis } from "./analysis";
import { useDocument } from "./document";
import { addNode } from "./edits";
import { isQuiet, useAsked } from "./quiet";

const page = pageForEach();
const node = (id: string) => ({ id, type: "llm", position: { x: 0, y: 0 }, data: {} });
const lacks = (id: string | null, code = "missing_prompt") => ({
  code,
  node: id,
  message: "This node needs a prompt.",
  severity: "error",
  place: null,
  fix: null,
});
const quiet = (id: string | null, code?: string) => isQuiet(lacks(id, code), useAsked.getState());
const open = (path: string | null) =>
  useDocument
    .getState()
    .open({ document: { name: "A", nodes: [node("a")], edges: [] }, path, version: null });

beforeEach(() => {
  useSession.getState().setLayout("edit");
  useSession.getState().show("editor");
  open(null);
});

test("of a new workflow it is quiet, and of a mistake never", () => {
  expect(quiet("a")).toBe(true);
  expect(quiet("a", "nothing_wired")).toBe(true);
  expect(quiet("a", "empty_region")).toBe(true);
  expect(quiet(null, "no_output")).toBe(true);
  expect(quiet("a", "unknown_reference")).toBe(false);
  expect(quiet("a", "cycle")).toBe(false);
});

test("Validate makes it loud, but for nodes that are added behind it", () => {
  commandById("problems.show").run();
  expect(quiet("a")).toBe(false);
  expect(quiet(null, "no_output")).toBe(false);
  useDocument.getState().edit(addNode(node("b")), { label: "Add" });
  expect(quiet("b")).toBe(true);
  // In a subflow it is the subflow that was there.
  expect(quiet("a/inner")).toBe(false);
});

test("a file that is opened shows what it lacks", () => {
  open("/flows/a.flow.json");
  expect(quiet("a")).toBe(false);
});

test("the card and the button beside Run say so in grey", async () => {
  await act(async () => page.root.render(<MessageStrip problems={[lacks("a") as never]} title="A" quiet />));
  expect(page.host.querySelector(".node-message.quiet")?.textContent).toBe("This node needs a prompt");
  await act(async () => page.root.render(<RunBox />));
  const words = () => page.host.querySelector(".run-box > button")?.textContent;
  await act(async () =>
    useAnalysis.setState((s) => ({
      whole: { ...s.whole, problems: [lacks("a")] } as unknown as typeof s.whole,
    })),
  );
  expect(words()).toBe("1 thing to fill in");
  await act(async () => useSession.getState().openDock("problems"));
  expect(words()).toBe("Fix 1 error to run");
});
