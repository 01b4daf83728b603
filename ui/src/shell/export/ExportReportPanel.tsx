// Lists the parts of an exported flow that the exported program lacks, or that behave differently in it.
import { useTabs } from "../../tabs/tabs";
import { ReportPanel } from "../import/ReportPanel";
import { closeExport, useExports } from "./langgraph";

export function ExportReportPanel() {
  const tab = useTabs((s) => s.active);
  const exported = useExports((s) => s.byTab[tab]);
  if (!exported) return null;
  return (
    <ReportPanel
      title="Exported as a LangGraph program"
      detail={exported.file}
      entries={exported.entries}
      label="Export report"
      testId="export-report"
      word="Works differently"
      allWell="Everything was exported"
      onClose={() => closeExport(tab)}
    />
  );
}
