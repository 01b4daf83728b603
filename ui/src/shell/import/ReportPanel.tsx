// Shows what became of each part of an imported or exported flow. The panel is over the canvas until it is
// closed. Several parts with the same result share one line, with links to their nodes.

import { Fragment, type ReactNode, useState } from "react";
import { IconButton } from "../../components/Button";
import { Segmented } from "../../components/fields";
import { Icon, type IconName } from "../../components/Icon";
import { Message } from "../../components/Message";
import { useDocument } from "../../document/document";
import type { ImportEntry, ImportOutcome } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import { canvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import styles from "./ReportPanel.module.css";

const LOOKS: Readonly<Record<ImportOutcome, { word: string; icon: IconName; className: string }>> = {
  mapped: { word: "Mapped", icon: "circle-check", className: "text-ok" },
  approximated: { word: "Works differently", icon: "triangle-alert", className: "text-warning" },
  placeholder: { word: "Placeholder", icon: "circle-alert", className: "text-error" },
  ignored: { word: "Left out", icon: "circle-slash-2", className: "text-tertiary" },
};

type Shown = "open" | "all";

/**
 * Returns whether the user should check the entry, because the part works differently here or was replaced by
 * a placeholder.
 */
const isOpen = (entry: ImportEntry) => entry.outcome === "approximated" || entry.outcome === "placeholder";

/** Selects the node that was created from a part, and brings it into view. */
function showNode(node: string): void {
  useSession.getState().select([node]);
  canvasView()?.reveal([node]);
}

/** Groups consecutive entries with the same text. */
function alike(entries: readonly ImportEntry[]): ImportEntry[][] {
  const groups: ImportEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0]?.outcome === entry.outcome && last[0].message === entry.message) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** Shows the path of an entry, with a link to its node if the document still has that node. */
function Place({ entry }: { entry: ImportEntry }) {
  const there = useDocument((s) => s.document.nodes.some((node) => node.id === entry.node));
  const { node } = entry;
  if (!there || node === null) return <code>{entry.place}</code>;
  return (
    <button type="button" className={styles.importPlace} onClick={() => showNode(node)}>
      <code>{entry.place}</code>
    </button>
  );
}

/** Shows the entries that share one text, with all their paths. */
function Line({ entries, word }: { entries: readonly ImportEntry[]; word: string | undefined }) {
  const [first] = entries;
  if (!first) return null;
  const look = LOOKS[first.outcome];
  return (
    <li>
      <span className={styles.importLine}>
        <span className={look.className}>
          <Icon name={look.icon} size={14} />
        </span>
        <span>
          <b>{word ?? look.word}</b>{" "}
          {entries.map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change, and the index distinguishes duplicates.
            <Fragment key={`${entry.place}|${i}`}>
              {i > 0 && ", "}
              <Place entry={entry} />
            </Fragment>
          ))}
          <small>
            <Message text={first.message} />
          </small>
        </span>
      </span>
    </li>
  );
}

interface ReportProps {
  title: string;
  /** The text that follows the number of parts. */
  detail?: string | null;
  entries: readonly ImportEntry[];
  label: string;
  testId: string;
  /** The text shown for every entry instead of its result. */
  word?: string;
  /** The text shown if no entry needs to be checked. */
  allWell: string;
  onClose(): void;
  children?: ReactNode;
}

export function ReportPanel({
  title,
  detail,
  entries,
  label,
  testId,
  word,
  allWell,
  onClose,
  children,
}: ReportProps) {
  const [shown, setShown] = useState<Shown>("open");
  const open = entries.filter(isOpen);
  const lines = shown === "open" ? open : entries;
  return (
    <section className={styles.importReport} aria-label={label} data-testid={testId}>
      <header>
        <div>
          <h2>{title}</h2>
          <p>
            {entries.length === 0 ? allWell : plural(entries.length, "part")}
            {entries.length > 0 && (open.length === 0 ? ", none to review" : `, ${open.length} to review`)}
            {detail && <Message text={`. ${detail}`} />}
          </p>
        </div>
        <IconButton icon="x" size={14} label="Close the report" onClick={onClose} />
      </header>
      {children}
      {open.length < entries.length && (
        <Segmented<Shown>
          label="Parts to show"
          value={shown}
          options={[
            { value: "open", label: `To review ${open.length}` },
            { value: "all", label: `All ${entries.length}` },
          ]}
          onChange={setShown}
        />
      )}
      <ul>
        {alike(lines).map((entries, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change, and the index distinguishes duplicates.
          <Line key={`${entries[0]?.place}|${i}`} entries={entries} word={word} />
        ))}
      </ul>
      {lines.length === 0 && entries.length > 0 && <p>{allWell}</p>}
    </section>
  );
}
