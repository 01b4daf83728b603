// Shows what became of each part of an imported file, and offers to import the file again in another dialect.
import formStyles from "../../components/Form.module.css";
import { Select } from "../../components/Select";
import { useTabs } from "../../tabs/tabs";
import { closeReport, dialectOf, dialectTitle, type Imported, readAs, useImports } from "./import";
import { ReportPanel } from "./ReportPanel";

function ReadAs({ tab, imported }: { tab: string; imported: Imported }) {
  const taken = dialectOf(imported.report, imported.dialects) ?? "";
  return (
    <div className={formStyles.formRow}>
      <label htmlFor="read-as">Read as</label>
      <Select
        id="read-as"
        value={taken}
        options={imported.dialects.map((dialect) => ({ value: dialect, label: dialectTitle(dialect) }))}
        onChange={(dialect) => void readAs(tab, imported, dialect)}
      />
    </div>
  );
}

/**
 * The start of the report's title for some formats, by id. Other formats use "Imported from" and their name.
 */
const IMPORTED: Readonly<Record<string, string>> = {
  containers: "Imported a container workflow",
  loom: "Imported a Loom or Logic Apps workflow",
  aistudio: "Imported an AI Studio flow",
  ralph: "Imported a loop file",
  tea: "Imported a TEA agent",
};

export function ImportReportPanel() {
  const tab = useTabs((s) => s.active);
  const imported = useImports((s) => s.byTab[tab]);
  if (!imported) return null;
  const { entries, format, title, dialect } = imported.report;
  return (
    <ReportPanel
      title={IMPORTED[format] ?? `Imported from ${title}`}
      detail={dialect}
      entries={entries}
      label="Import report"
      testId="import-report"
      allWell="Every part works the same in Loopwright."
      onClose={() => closeReport(tab)}
    >
      {imported.dialects.length > 1 && <ReadAs tab={tab} imported={imported} />}
    </ReportPanel>
  );
}
