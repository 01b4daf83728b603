// The dock under the canvas: timeline, problems, log. Its upper edge can be dragged, and its height is
// remembered.

import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import tabsStyles from "../components/Tabs.module.css";
import { useAnalysis } from "../document/analysis";
import { useProblemCount } from "../document/quiet";
import { RunLog, Timeline, TimelineControls } from "../inspector/timeline";
import { collapseDock, useIsDockCollapsed } from "../runs/view/dock-size";
import { type DockTab, useSession } from "../session/session";
import styles from "./Dock.module.css";
import { ProblemControls, ProblemList } from "./Problems";
import { Resizer } from "./Resizer";

const tabs: { id: DockTab; title: string }[] = [
  { id: "timeline", title: "Timeline" },
  { id: "problems", title: "Problems" },
  { id: "log", title: "Log" },
];

export function Dock() {
  const tab = useSession((s) => s.dockTab);
  const collapsed = useIsDockCollapsed();
  const { patch, openDock } = useSession.getState();
  const problems = useAnalysis((s) => s.analysis.problems);
  const { isLoud } = useProblemCount();
  return (
    <section className={styles.dock} data-region="dock" aria-label={tabs.find((t) => t.id === tab)?.title}>
      {!collapsed && (
        <Resizer
          direction="vertical"
          label="Height of the dock"
          value={() => useSession.getState().dockHeight}
          onChange={(dockHeight) => patch({ dockHeight })}
          min={140}
          max={520}
        />
      )}
      <header>
        <div className={tabsStyles.tabs} role="tablist" aria-label="Dock">
          {tabs.map(({ id, title }) => (
            <button
              type="button"
              key={id}
              role="tab"
              aria-selected={tab === id && !collapsed}
              onClick={() => openDock(id)}
            >
              {title}
              {id === "problems" && problems.length > 0 && (
                <span className={classes(tabsStyles.count, isLoud && tabsStyles.hasError)}>
                  {problems.length}
                </span>
              )}
            </button>
          ))}
        </div>
        <span className="divider" />
        {tab === "timeline" && <TimelineControls />}
        {tab === "problems" && !collapsed && <ProblemControls />}
        {(tab === "log" || collapsed) && <span className="grow" />}
        {collapsed ? (
          <IconButton
            icon="chevron-up"
            size={15}
            label="Expand"
            className={styles.toggle}
            onClick={() => openDock(tab)}
          />
        ) : (
          <IconButton
            icon="chevron-down"
            size={15}
            label="Collapse"
            className={styles.toggle}
            onClick={collapseDock}
          />
        )}
      </header>
      {!collapsed && <Panel tab={tab} />}
    </section>
  );
}

function Panel({ tab }: { tab: DockTab }) {
  if (tab === "timeline") return <Timeline />;
  return tab === "problems" ? <ProblemList /> : <RunLog />;
}
