// What became of each part of an imported file, over the canvas until it is put away; a line leads to its node.
import { useState } from "react";
import { IconButton } from "../../components/Button";
import { Segmented, Select } from "../../components/fields";
import { Icon, type IconName } from "../../components/Icon";
import { useDocument } from "../../document/document";
import type { ImportEntry, ImportOutcome } from "../../ipc/generated/bindings";
import { plural } from "../../runs/format";
import { useTabs } from "../../tabs/tabs";
import { closeReport, type Imported, readAs, showImported, useImports } from "./import";

const LOOKS: Readonly<Record<ImportOutcome, { word: string; icon: IconName; className: string }>> = {
  mapped: { word: "Mapped", icon: "circle-check", className: "c-ok" },
  approximated: { word: "Approximated", icon: "triangle-alert", className: "c-warn" },
  placeholder: { word: "Placeholder", icon: "circle-alert", className: "c-err" },
  ignored: { word: "Left out", icon: "circle-slash-2", className: "t3" },
};

type Shown = "open" | "all";

/** What a person has to look at: everything that does not mean the same here. */
const isOpen = (entry: ImportEntry) => entry.outcome === "approximated" || entry.outcome === "placeholder";

function Line({ entry }: { entry: ImportEntry }) {
  const look = LOOKS[entry.outcome];
  const there = useDocument((s) => s.document.nodes.some((node) => node.id === entry.node));
  const words = (
    <>
      <span className={look.className}>
        <Icon name={look.icon} size={14} />
      </span>
      <span>
        <b>{look.word}</b> <code>{entry.place}</code>
        <small>{entry.message}</small>
      </span>
    </>
  );
  const { node } = entry;
  return (
    <li>
      {there && node !== null ? (
        <button type="button" className="iline" onClick={() => showImported(node)}>
          {words}
        </button>
      ) : (
        <span className="iline">{words}</span>
      )}
    </li>
  );
}

function ReadAs({ tab, imported }: { tab: string; imported: Imported }) {
  const taken = imported.dialects.find((dialect) => imported.report.dialect?.startsWith(dialect)) ?? "";
  return (
    <div className="fr">
      <label htmlFor="read-as">Read as</label>
      <Select
        id="read-as"
        value={taken}
        options={imported.dialects.map((dialect) => ({ value: dialect, label: dialect }))}
        onChange={(dialect) => void readAs(tab, imported, dialect)}
      />
    </div>
  );
}

export function ImportReportPanel() {
  const tab = useTabs((s) => s.active);
  const imported = useImports((s) => s.byTab[tab]);
  const [shown, setShown] = useState<Shown>("open");
  if (!imported) return null;
  const { entries, title, dialect } = imported.report;
  const open = entries.filter(isOpen);
  const lines = shown === "open" ? open : entries;
  return (
    <section className="import-report" aria-label="What was imported" data-testid="import-report">
      <header>
        <div>
          <h2>Imported from {title}</h2>
          <p>
            {plural(entries.length, "part")},{" "}
            {open.length === 0 ? "all as they were" : `${open.length} to look at`}
            {dialect && `. ${dialect}`}
          </p>
        </div>
        <IconButton icon="x" size={14} label="Close the report" onClick={() => closeReport(tab)} />
      </header>
      {imported.dialects.length > 1 && <ReadAs tab={tab} imported={imported} />}
      <Segmented<Shown>
        label="Which parts"
        value={shown}
        options={[
          { value: "open", label: `To look at ${open.length}` },
          { value: "all", label: `All ${entries.length}` },
        ]}
        onChange={setShown}
      />
      <ul>
        {lines.map((entry, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change; the index tells twins apart.
          <Line key={`${entry.place}|${i}`} entry={entry} />
        ))}
      </ul>
      {lines.length === 0 && <p>Every part means the same here.</p>}
    </section>
  );
}
