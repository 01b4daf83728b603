// The editor's layout. In edit mode: palette, canvas, settings. For a run: canvas above the dock, and the
// inspector.

import { ReactFlowProvider } from "@xyflow/react";
import { type CSSProperties, useState } from "react";
import { Palette } from "../canvas/add/Palette";
import { Canvas } from "../canvas/Canvas";
import { classes } from "../components/classes";
import pageFrameStyles from "../components/PageFrame.module.css";
import { useDocument } from "../document/document";
import { SidePanel } from "../inspector/SidePanel";
import { DOCK_LINE, useIsDockCollapsed } from "../runs/view/dock-size";
import { useSession } from "../session/session";
import { Dock } from "./Dock";
import styles from "./Editor.module.css";
import { ExportReportPanel } from "./export/ExportReportPanel";
import { ImportReportPanel } from "./import/ImportReportPanel";
import { Resizer } from "./Resizer";

/**
 * The editor. It is mounted when it is first shown, and stays hidden behind other pages with its view,
 * selection and measured cards.
 */
export function KeptEditor() {
  const shown = useSession((s) => s.view === "editor");
  const [known, setKnown] = useState(shown);
  if (shown && !known) setKnown(true);
  return known ? <Editor shown={shown} /> : null;
}

/**
 * Returns the sizes of the side panel and the dock as style properties, for elements that are laid out next
 * to them.
 */
export function usePanelSizes(): { "--side-width": string; "--dock-height": string } {
  const side = useSession((s) => {
    if (s.sideWidth > 0) return `${s.sideWidth}px`;
    return s.layout === "run" ? "var(--w-inspector)" : "var(--w-side)";
  });
  const collapsed = useIsDockCollapsed();
  const dock = useSession((s) => (s.dockOpen ? `${collapsed ? DOCK_LINE : s.dockHeight}px` : "0px"));
  return { "--side-width": side, "--dock-height": dock };
}

function Editor({ shown }: { shown: boolean }) {
  const layout = useSession((s) => s.layout);
  const paletteOpen = useSession((s) => s.paletteOpen);
  const dockOpen = useSession((s) => s.dockOpen);
  const sideOpen = useSession((s) => s.sideOpen);
  const sizes = usePanelSizes();
  const sideWidth = useSession((s) => s.sideWidth);
  const title = useDocument((s) => s.document.name || "Untitled");
  const columns = `${paletteOpen ? "var(--w-palette) " : ""}minmax(0,1fr) var(--side-width)`;
  return (
    <ReactFlowProvider>
      <div
        hidden={!shown}
        className={classes(pageFrameStyles.pageFrame, styles.editFrame, !sideOpen && styles.sideAway)}
        style={{ gridTemplateColumns: columns, ...sizes } as CSSProperties}
      >
        {paletteOpen && <Palette />}
        <main
          className={styles.stage}
          data-region="stage"
          style={{ gridTemplateRows: dockOpen ? "minmax(0,1fr) var(--dock-height)" : "minmax(0,1fr)" }}
        >
          <h1 className="sr-only">{title}</h1>
          <Canvas />
          <ImportReportPanel />
          <ExportReportPanel />
          {dockOpen && <Dock />}
        </main>
        <div className={styles.sideBox}>
          <Resizer
            direction="horizontal"
            label="Width of the side panel"
            value={() => sideWidth || (layout === "run" ? 348 : 316)}
            onChange={(width) => useSession.getState().patch({ sideWidth: width })}
            min={260}
            max={620}
          />
          <SidePanel />
        </div>
      </div>
    </ReactFlowProvider>
  );
}
