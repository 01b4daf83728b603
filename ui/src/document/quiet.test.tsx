// Missing values are shown as errors only after the user asks for the problems.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { MessageStrip } from "../canvas/card/MessageStrip";
import { commandById } from "../commands";
import formStyles from "../components/Form.module.css";
import { pageForEach } from "../components/testing";
import { FieldProblem } from "../inspector/form/Field";
import { problemOf } from "../ipc/testing/values";
import { useSession } from "../session/session";
import { StatusBar } from "../shell/StatusBar";
import { TopBar } from "../shell/TopBar";
import { testIds } from "../testids";
import { useAnalysis } from "./analysis";
import { useDocument } from "./document";
import { addNode } from "./edits";
import { isQuiet, useAsked } from "./quiet";

const page = pageForEach();
const node = (id: string) => ({ id, type: "llm", position: { x: 0, y: 0 }, data: {} });
const lacks = (id: string | null, code = "missing_field") =>
  problemOf(code, { node: id, place: null, message: "This node needs a prompt.", fix: null });
const quiet = (id: string | null, code?: string) => isQuiet(lacks(id, code), useAsked.getState());
const open = (path: string | null) =>
  useDocument
    .getState()
    .open({ document: { name: "A", nodes: [node("a")], edges: [] }, path, version: null });
/** Sets the analysis result of the document. */
const found = (...problems: ReturnType<typeof lacks>[]) =>
  useAnalysis.setState((s) => {
    const analysis = { ...s.analysis, problems };
    return { analysis, whole: analysis, stale: false };
  });

beforeEach(() => {
  useSession.getState().setLayout("edit");
  useSession.getState().show("editor");
  useAnalysis.setState({ stale: true });
  open(null);
});

test("of a new workflow it is quiet, and of a mistake never", () => {
  found();
  for (const code of [
    "missing_field",
    "nothing_wired",
    "not_wired",
    "empty_region",
    "no_end",
    "end_without_start",
  ])
    expect(quiet("a", code), code).toBe(true);
  expect(quiet(null, "no_output")).toBe(true);
  for (const code of ["unknown_reference", "bad_reference", "cycle", "missing_id"])
    expect(quiet("a", code), code).toBe(false);
});

test("Validate makes loud what is there, and not what comes to lack behind it", () => {
  found(lacks("a"), lacks(null, "no_output"));
  commandById("problems.show").run();
  expect(quiet("a")).toBe(false);
  expect(quiet(null, "no_output")).toBe(false);
  useDocument.getState().edit(addNode(node("b")), { label: "Add" });
  expect(quiet("b")).toBe(true);
  expect(quiet("a/inner")).toBe(true);
});

test("between two wires a node of a file is not red", () => {
  open("/flows/a.flow.json");
  found(lacks("a"));
  expect(quiet("a")).toBe(false);
  // The wire to the Exit is removed, restored, and removed again.
  for (const problems of [[lacks("a"), lacks("loop", "no_end")], [lacks("a")], [lacks("loop", "no_end")]]) {
    found(...problems);
    expect(quiet("loop", "no_end")).toBe(true);
  }
  // A problem that was fixed and comes back is shown as quiet again, such as a missing wire.
  expect(quiet("a")).toBe(true);
});

test("a file that is opened shows what it lacks", () => {
  open("/flows/a.flow.json");
  expect(quiet("a")).toBe(false);
  found(lacks("a"));
  expect(quiet("a")).toBe(false);
  expect(quiet("b")).toBe(true);
});

test("a wire that is missing is asked for in grey", async () => {
  const strip = (code: string, quiet: boolean) =>
    act(async () => page.root.render(<MessageStrip problems={[lacks("a", code)]} title="A" quiet={quiet} />));
  await strip("not_wired", true);
  expect(page.host.querySelector('[data-tone="quiet"]')?.textContent).toBe("Needs a wire");
  await strip("not_wired", false);
  expect(page.host.querySelector("button:not([data-tone])")?.textContent).toBe("This node needs a prompt");
});

test("the field of a node is as grey as its card", async () => {
  found(lacks("a"));
  const field = () => page.host.querySelector(".field-error")?.className;
  await act(async () => page.root.render(<FieldProblem problem={lacks("a")} />));
  expect(field()?.split(" ")).toEqual([formStyles.fieldError, "field-error", formStyles.quiet]);
  await act(async () => commandById("problems.show").run());
  expect(field()?.split(" ")).toEqual([formStyles.fieldError, "field-error"]);
});

test("Run, Validate and the status bar say one number in the same words", async () => {
  await act(async () =>
    page.root.render(
      <>
        <TopBar />
        <StatusBar />
      </>,
    ),
  );
  const said = () => [
    page.host.querySelector(`[data-testid="${testIds.runBox}"] > button`)?.textContent,
    page.host.querySelector(`[data-testid="${testIds.validateButton}"]`)?.textContent,
    page.host.querySelector('[data-region="status"] > div > :is(.text-error, .text-secondary)')?.textContent,
  ];
  await act(async () =>
    found(lacks("a"), lacks("b", "no_end"), { ...lacks("b", "unused_branch"), severity: "warning" }),
  );
  expect(said()).toEqual(["2 things to fill in", "Validate2", "2 things to fill in"]);
  await act(async () => useSession.getState().openDock("problems"));
  expect(said()).toEqual(["Fix 2 errors to run", "Validate2", "2 errors"]);
  // A real mistake makes the missing values count as errors too.
  await act(async () => open(null));
  await act(async () => found(lacks("a"), lacks("b", "cycle")));
  expect(said()).toEqual(["Fix 2 errors to run", "Validate2", "2 errors"]);
});
