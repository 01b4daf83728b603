// Files of other systems are opened in a tab. If the format of a file is ambiguous, a question asks for it.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isDirty, useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useDialog } from "../../session/dialog";
import { useSession } from "../../session/session";
import { useTabs } from "../../tabs/tabs";
import { openDropped } from "../DropTarget";
import { dialectOf, dialectTitle, importPath, offerImport, readAs, useImports } from "./import";

async function answer(label: string): Promise<string> {
  await vi.waitFor(() => expect(useDialog.getState().open).not.toBeNull());
  const open = useDialog.getState().open;
  const choice = open?.question.choices.find((one) => one.label === label);
  expect(choice, `${label} of ${open?.question.choices.map((one) => one.label)}`).toBeDefined();
  open?.answer(choice?.value);
  return open?.question.title ?? "";
}
const name = () => useDocument.getState().root.name;
const shown = () => useImports.getState().byTab[useTabs.getState().active];

beforeEach(() => {
  replaceBackend(testBackend());
  useDialog.setState({ open: null });
  useSession.setState({ toasts: [] });
  useImports.setState({ byTab: {} });
  useTabs.setState({ tabs: [{ id: "first", inactive: null }], active: "first" });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
});

describe("an import", () => {
  it("of a format with one reading opens a flow that is not saved, with its report", async () => {
    expect(await importPath("/x.list")).toBe(true);
    expect(name()).toBe("Read as it looks");
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(useDocument.getState().path).toBeNull();
    expect(shown()?.report.entries).toHaveLength(3);
  });
  it("of a file whose reading is recognised asks nothing, and can take another later", async () => {
    expect(await importPath("/x.plan")).toBe(true);
    expect(useDialog.getState().open).toBeNull();
    expect(name()).toBe("Read as it looks");
    const imported = shown();
    expect(imported && dialectOf(imported.report, imported.dialects)).toBe("counted");
    if (imported) await readAs(useTabs.getState().active, imported, "named");
    expect(name()).toBe("Read named");
  });
  it("of a file of which nothing tells its reading asks for one, with the usual one first to hand", async () => {
    const done = importPath("/guessed.plan");
    await vi.waitFor(() => expect(useDialog.getState().open).not.toBeNull());
    const choices = useDialog.getState().open?.question.choices.map((one) => one.label);
    expect(choices).toEqual(["Counted (default)", "Named", "Cancel"]);
    expect(await answer("Named")).toBe("Which format is “guessed.plan”?");
    expect(await done).toBe(true);
    expect(name()).toBe("Read named");
    const imported = shown();
    if (imported) await readAs(useTabs.getState().active, imported, "counted");
    expect(name()).toBe("Read counted");
    const { tabs } = useTabs.getState();
    const pending = importPath("/guessed.plan");
    await answer("Cancel");
    expect(await pending).toBe(false);
    expect(useTabs.getState().tabs).toEqual(tabs);
  });
  it("of a file with marks of several readings asks which is meant", async () => {
    const done = importPath("/both.plan");
    expect(await answer("Named")).toBe("Which format is “both.plan”?");
    expect(await done).toBe(true);
    expect(name()).toBe("Read named");
    expect(dialectTitle("logic-apps")).toBe("Logic Apps");
  });
  it("of a file that nobody knows asks what it is", async () => {
    const done = importPath("/unknown.txt");
    await answer("List");
    expect(await done).toBe(true);
    const pending = importPath("/unknown.txt");
    await answer("Cancel");
    expect(await pending).toBe(false);
  });
  it("of a file that was recognised and refused says why, and asks nothing", async () => {
    expect(await importPath("/refused.plan")).toBe(false);
    expect(useDialog.getState().open).toBeNull();
    expect(useSession.getState().toasts.at(-1)).toMatchObject({
      tone: "error",
      title: "“refused.plan” was not imported.",
      detail: "The file is unchanged. limits.max_iterations: must be 1 or more.",
    });
  });
  it("that fails says what was kept", async () => {
    expect(await importPath("/broken.list")).toBe(false);
    expect(useSession.getState().toasts.at(-1)).toMatchObject({ tone: "error" });
    expect(useSession.getState().toasts.at(-1)?.detail).toContain("The file is unchanged.");
  });
});

describe("a pasted text", () => {
  it("of another system is offered to be imported", async () => {
    const { tabs } = useTabs.getState();
    expect(await offerImport("plan: one, two")).toBe(true);
    const offer = useSession.getState().toasts.at(-1);
    expect(offer?.detail).toContain("Plan");
    expect(useTabs.getState().tabs).toEqual(tabs);
    offer?.actions.find((one) => one.label === "Import it")?.run();
    await vi.waitFor(() => expect(name()).toBe("Read as it looks"));
  });
  it("that is no flow is left alone", async () => {
    expect(await offerImport("Dear all,")).toBe(false);
    expect(await offerImport("  ")).toBe(false);
    expect(useSession.getState().toasts).toEqual([]);
  });
});

describe("dropped files", () => {
  it("are opened where they are ours, and imported where not", async () => {
    await openDropped(["/flows/self-refine.loop", "/x.list"]);
    expect(useTabs.getState().tabs).toHaveLength(2);
    expect(name()).toBe("Read as it looks");
    expect(shown()).toBeDefined();
  });
});
