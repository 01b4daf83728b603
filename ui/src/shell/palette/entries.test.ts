// What the palette finds, and the shortcut sheet, which lists the same commands.
import { beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../commands";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { agenticSearch } from "../../ipc/testing/flows";
import { useSettingsSection } from "../../pages/settings/sections";
import { useSession } from "../../session/session";
import { openInTab, useTabs } from "../../tabs/tabs";
import { shortcutGroups } from "../ShortcutList";
import { type Entry, entriesAtHand, entriesElsewhere, findEntries } from "./entries";

let entries: Entry[];
const labels = (typed: string) =>
  findEntries(entries, typed).map(({ entry }) => `${entry.group}: ${entry.label}`);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useTabs.setState({ tabs: [{ id: "first", inactive: null }], active: "first" });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
  openInTab({ document: { ...agenticSearch, name: "Other" }, path: "/flows/other.loop", version: "1" });
  openInTab({ document: agenticSearch, path: null, version: null });
  useSession.getState().show("editor");
  entries = [...entriesAtHand(), ...(await entriesElsewhere())];
});

describe("the palette", () => {
  it("offers the other flows and what can be done, before anything is typed", () => {
    const groups = new Set(findEntries(entries, "").map(({ entry }) => entry.group));
    expect([...groups]).toEqual(["Open", "Commands"]);
    expect(labels("")).not.toContain("Open: Agentic Search");
    expect(labels("")).toContain("Commands: Save as…");
  });
  it("says of a command that it is not possible now, behind all that is", () => {
    const found = labels("align");
    expect(found[0]).toMatch(/^Not possible now: Align/);
    expect(labels(">align")).toEqual(found.filter((label) => label.startsWith("Not possible now")));
    expect(labels("").filter((label) => label.startsWith("Not"))).toEqual([]);
    expect(labels(">").filter((label) => label.startsWith("Not"))).toEqual([]);
    const groups = findEntries(entries, "e").map(({ entry }) => entry.group);
    expect(groups.at(-1)).toBe("Not possible now");
  });
  it("finds commands, flows, files, templates, nodes and settings by a few letters", () => {
    expect(labels("sas")[0]).toBe("Commands: Save as…");
    expect(labels("other.l")).toContain("Open: other.loop");
    expect(labels("self-ref")).toContain("Recent files: self-refine.loop");
    expect(labels("self ref")).toContain("Templates: Self-Refine");
    expect(labels("plan")).toContain("Nodes: Plan search");
    expect(labels("theme")).toContain("Settings: Theme");
    expect(labels("no such thing at all")).toEqual([]);
  });
  it("keeps to commands after >, and to nodes after @", () => {
    expect(labels(">plan").every((label) => /^(Commands|Not possible now)/.test(label))).toBe(true);
    expect(labels("@")).toHaveLength(agenticSearch.nodes.length);
    expect(labels("@enough")).toEqual(["Nodes: Enough?", "Nodes: Search until enough"]);
  });
  it("does not offer to do what cannot be done on this page", () => {
    useSession.getState().show("gallery");
    entries = entriesAtHand();
    expect(labels("save as")[0]).toBe("Not possible now: Save as…");
    expect(labels("").join()).not.toContain("Save as");
  });
  it("goes to a node and to a section of the settings", () => {
    const run = (typed: string) => findEntries(entries, typed)[0]?.entry.run();
    run("@plan");
    expect([...useSession.getState().selection.nodes]).toEqual(["plan"]);
    findEntries(entries, "theme")
      .find(({ entry }) => entry.group === "Settings")
      ?.entry.run();
    expect(useSession.getState().view).toBe("settings");
    expect(useSettingsSection.getState().section).toBe("appearance");
  });
});

describe("the sheet of keys", () => {
  it("has every command with keys, once", () => {
    const groups = shortcutGroups();
    const listed = groups.flatMap((group) => group.commands.map((command) => command.id));
    const wanted = commands.filter((command) => command.keys?.length).map((command) => command.id);
    expect([...listed].sort()).toEqual([...wanted].sort());
  });
});
