// The entries of the command palette: commands, open flows, recent files, templates, nodes of the flow,
// settings.
import { commands } from "../../commands";
import { isPossible } from "../../commands/command";
import { hintOf } from "../../commands/keyboard";
import { canEdit, target } from "../../commands/selection";
import type { IconName } from "../../components/Icon";
import { useDocument } from "../../document/document";
import { openPath, openTemplate } from "../../document/files";
import { useKinds } from "../../document/kinds";
import { isShown } from "../../inspector/form/schema";
import { formFields } from "../../inspector/NodeSettings";
import { api } from "../../ipc/client";
import { fuzzy, type Match } from "../../kernels/fuzzy";
import { titleOf } from "../../kernels/node-title";
import { showSettings } from "../../pages/settings/sections";
import { settingsTopics } from "../../pages/settings/topics";
import { isUnfinished, shownRun, useRuns } from "../../runs/session/store";
import { goToNode } from "../../scene/go-to";
import { useSession } from "../../session/session";
import { faceOf } from "../../tabs/tab-faces";
import { showTab, useTabs } from "../../tabs/tabs";

export interface Entry {
  id: string;
  group: string;
  label: string;
  /** The text next to the label. It is also searched. */
  detail?: string;
  icon: IconName | (string & {});
  keys?: string;
  /** Whether the entry is shown although it cannot be used now. */
  off?: boolean;
  run(): unknown;
}

export interface Found {
  entry: Entry;
  match: Match;
}

const FIELDS = "Fields of this node";

/**
 * The title of the group of commands that cannot be used now, for example because nothing is selected. They
 * are listed so that someone who searches for a command learns that it exists.
 */
const NOT_NOW = "Not possible now";

/**
 * The prefixes that restrict a search to some groups: `>` commands, `@` nodes, `.` fields of the current
 * node.
 */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  ">": ["Commands", NOT_NOW],
  "@": ["Nodes"],
  ".": [FIELDS],
};

/** The groups shown before anything is typed. */
const AT_FIRST: readonly string[] = ["Open", "Commands"];

function ofCommands(): Entry[] {
  // During a run, the actions of the run are listed first.
  const going = isUnfinished(shownRun(useRuns.getState()));
  const rank = (id: string) => Number(!(going && id.startsWith("run.")));
  return commands
    .filter((command) => command.id !== "window.commands")
    .sort((a, b) => rank(a.id) - rank(b.id))
    .map((command) => {
      const off = !isPossible(command);
      return {
        id: command.id,
        group: off ? NOT_NOW : "Commands",
        label: command.label,
        icon: command.icon ?? "chevron-right",
        keys: hintOf(command),
        off,
        run: () => command.run(),
      };
    });
}

function ofTabs(): Entry[] {
  const { tabs, active } = useTabs.getState();
  return tabs
    .filter((tab) => tab.id !== active)
    .map((tab) => {
      const face = faceOf(tab, active, null);
      return {
        id: `tab:${tab.id}`,
        group: "Open",
        label: face.title,
        detail: face.detail,
        icon: "file-json",
        run: () => {
          showTab(tab.id);
          useSession.getState().show("editor");
        },
      };
    });
}

function ofNodes(): Entry[] {
  const { byType } = useKinds.getState();
  return useDocument.getState().document.nodes.map((node) => {
    const kind = byType.get(node.type);
    return {
      id: `node:${node.id}`,
      group: "Nodes",
      label: titleOf(node),
      detail: kind?.title ?? node.type,
      icon: kind?.icon ?? "box",
      run: () => void goToNode(node.id),
    };
  });
}

const ofSettings = (): Entry[] =>
  settingsTopics.map(({ section, label, icon }) => ({
    id: `settings:${section}:${label}`,
    group: "Settings",
    label,
    icon,
    run: () => showSettings(section),
  }));

/** Returns the settings of the selected or focused node. Choosing one focuses its field. */
function ofFields(): Entry[] {
  const id = useSession.getState().layout === "edit" && canEdit() ? target() : null;
  const node = useDocument.getState().document.nodes.find((one) => one.id === id);
  const kind = node && useKinds.getState().byType.get(node.type);
  if (!node || !kind) return [];
  const fields = formFields(kind);
  return fields
    .filter((field) => isShown(field, node.data, fields))
    .map((field) => ({
      id: `field:${field.name}`,
      group: FIELDS,
      label: field.title,
      detail: titleOf(node),
      icon: "text-cursor-input",
      run: () => {
        useSession.getState().select([node.id]);
        useSession.getState().patch({ sideOpen: true, focusField: `${node.id}.${field.name}` });
      },
    }));
}

/**
 * Returns the entries that need no request. They are computed when the palette opens, because the window does
 * not change behind the dialog.
 */
export const entriesAtHand = (): Entry[] => [
  ...ofTabs(),
  ...ofCommands(),
  ...ofFields(),
  ...ofNodes(),
  ...ofSettings(),
];

/**
 * Returns the entries that must be requested from the engine. Entries whose request fails are left out; the
 * gallery shows the error.
 */
export async function entriesElsewhere(): Promise<Entry[]> {
  const [files, templates] = await Promise.all([
    api()
      .recentFiles()
      .catch(() => []),
    api()
      .templates()
      .catch(() => []),
  ]);
  return [
    ...files
      .filter((file) => !file.missing)
      .map((file) => ({
        id: `file:${file.path}`,
        group: "Recent files",
        label: file.name,
        detail: file.path,
        icon: "history" as const,
        run: () => openPath(file.path),
      })),
    ...templates.map((template) => ({
      id: `template:${template.id}`,
      group: "Templates",
      label: template.name,
      detail: template.description,
      icon: "layout-grid" as const,
      run: () => openTemplate(template),
    })),
  ];
}

/** The amount by which the score of a match in the detail is lower than that of a match in the label. */
const IN_DETAIL = 12;

function matchOf(query: string, entry: Entry): Match | null {
  const label = fuzzy(query, entry.label);
  if (label) return label;
  // Details are sentences and paths, in which scattered letters would always match. Only whole words are
  // searched there.
  const { detail } = entry;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const within = detail && words.every((word) => `${entry.label} ${detail}`.toLowerCase().includes(word));
  return within ? { score: -IN_DETAIL, at: [] } : null;
}

/**
 * Returns the entries that match a query, in groups. The group with the best match is first, and within a
 * group the best entry. Commands that cannot be used now are last.
 */
export function findEntries(entries: readonly Entry[], typed: string): Found[] {
  const only = ONLY[typed.trimStart().charAt(0)];
  const query = (only ? typed.trimStart().slice(1) : typed).trim();
  const wanted = entries.filter((entry) =>
    only
      ? only.includes(entry.group) && !(entry.off && query === "")
      : query !== "" || AT_FIRST.includes(entry.group),
  );
  const found = wanted.flatMap((entry) => {
    const match = matchOf(query, entry);
    return match ? [{ entry, match }] : [];
  });
  if (query === "") return found;
  found.sort((a, b) => b.match.score - a.match.score);
  const groups = [...new Set(found.map(({ entry }) => entry.group))];
  groups.sort((a, b) => Number(a === NOT_NOW) - Number(b === NOT_NOW));
  return groups.flatMap((group) => found.filter(({ entry }) => entry.group === group));
}
