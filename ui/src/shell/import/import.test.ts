// Files of other systems are opened in a tab. If the format of a file is ambiguous, a question asks for it.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isDirty, useDocument } from "../../document/document";
import { api, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { foreignFiles } from "../../ipc/testing/foreign-files";
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
const shownDialect = () => {
  const imported = shown();
  return imported && dialectOf(imported.report, imported.dialects);
};

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
    expect(await importPath("/x.yaml")).toBe(true);
    expect(name()).toBe("counter");
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(useDocument.getState().path).toBeNull();
    expect(shown()?.report.entries).toHaveLength(3);
  });
  it("of a file whose reading is recognised asks nothing, and can take another later", async () => {
    expect(await importPath("/x.json")).toBe(true);
    expect(useDialog.getState().open).toBeNull();
    const imported = shown();
    expect(shownDialect()).toBe("loom");
    if (imported) await readAs(useTabs.getState().active, imported, "logic-apps");
    expect(shownDialect()).toBe("logic-apps");
  });
  it("of a file of which nothing tells its reading asks for one, with the usual one first to hand", async () => {
    const done = importPath("/guessed.json");
    await vi.waitFor(() => expect(useDialog.getState().open).not.toBeNull());
    const choices = useDialog.getState().open?.question.choices.map((one) => one.label);
    expect(choices).toEqual(["Loom (default)", "Logic Apps", "Cancel"]);
    expect(await answer("Logic Apps")).toBe("Which format is “guessed.json”?");
    expect(await done).toBe(true);
    expect(shownDialect()).toBe("logic-apps");
    const imported = shown();
    if (imported) await readAs(useTabs.getState().active, imported, "loom");
    expect(shownDialect()).toBe("loom");
    const { tabs } = useTabs.getState();
    const pending = importPath("/guessed.json");
    await answer("Cancel");
    expect(await pending).toBe(false);
    expect(useTabs.getState().tabs).toEqual(tabs);
  });
  it("of a file with marks of several readings asks which is meant", async () => {
    const done = importPath("/both.json");
    expect(await answer("Logic Apps")).toBe("Which format is “both.json”?");
    expect(await done).toBe(true);
    expect(shownDialect()).toBe("logic-apps");
    expect(dialectTitle("logic-apps")).toBe("Logic Apps");
  });
  it("of a file that nobody knows asks what it is", async () => {
    const done = importPath("/unknown.txt");
    await answer("TEA agents");
    expect(await done).toBe(false);
    expect(useSession.getState().toasts.at(-1)?.detail).toContain("TEA agent");
    const pending = importPath("/unknown.txt");
    await answer("Cancel");
    expect(await pending).toBe(false);
  });
  it("of a file that was recognised and refused says why, and asks nothing", async () => {
    const refused = await api()
      .importFlow("/refused.json", null, null, null, null)
      .catch((error) => error);
    expect(refused).toMatchObject({ code: "invalid_flow" });
    expect(await importPath("/refused.json")).toBe(false);
    expect(useDialog.getState().open).toBeNull();
    expect(useSession.getState().toasts.at(-1)).toMatchObject({
      tone: "error",
      title: "“refused.json” was not imported.",
      detail: `The file is unchanged. ${refused.message}`,
    });
  });
  it("that fails says what was kept", async () => {
    expect(await importPath("/broken.yaml")).toBe(false);
    expect(useSession.getState().toasts.at(-1)).toMatchObject({ tone: "error" });
    expect(useSession.getState().toasts.at(-1)?.detail).toContain("The file is unchanged.");
  });
});

describe("a pasted text", () => {
  it("of another system is offered to be imported", async () => {
    const { tabs } = useTabs.getState();
    expect(await offerImport(foreignFiles["/x.yaml"] ?? "")).toBe(true);
    const offer = useSession.getState().toasts.at(-1);
    expect(offer?.detail).toContain("TEA agents");
    expect(useTabs.getState().tabs).toEqual(tabs);
    offer?.actions.find((one) => one.label === "Import it")?.run();
    await vi.waitFor(() => expect(name()).toBe("counter"));
  });
  it("that is no flow is left alone", async () => {
    expect(await offerImport("Dear all,")).toBe(false);
    expect(await offerImport("  ")).toBe(false);
    expect(useSession.getState().toasts).toEqual([]);
  });
});

describe("dropped files", () => {
  it("are opened where they are ours, and imported where not", async () => {
    await openDropped(["/flows/self-refine.loop", "/x.yaml"]);
    expect(useTabs.getState().tabs).toHaveLength(2);
    expect(name()).toBe("counter");
    expect(shown()).toBeDefined();
  });
});
