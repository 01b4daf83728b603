// The history's part of the top bar and status bar: the number of stored runs, and the actions for the
// selected run.

import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import fileButtonStyles from "../../components/FileButton.module.css";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { sessionOf } from "../../runs/session/store";
import { formatBytes } from "../../runs/words/bytes";
import { formatCount, plural } from "../../runs/words/format";
import { Menu } from "../../shell/Menu";
import { exportRun, importRun, runAgain } from "./actions";
import { indexOf, rowAt, useHistory } from "./store";

export function HistoryBar() {
  const info = useHistory((s) => s.info);
  const where = useHistory((s) => s.where);
  const inRuns = useHistory((s) => s.tab === "runs");
  const flow = useHistory((s) => s.filter.flow);
  const flows = useHistory((s) => s.flows);
  const run = useHistory((s) => rowAt(s.pages, indexOf(s.pages, s.selected)));
  const { setFilter } = useHistory.getState();
  const items = [
    { id: "", label: "All workflows", run: () => setFilter({ flow: null }) },
    ...flows.map((f) => ({
      id: f.flow,
      label: f.flow,
      hint: formatCount(f.runs),
      run: () => setFilter({ flow: f.flow }),
    })),
  ];
  return (
    <>
      {inRuns && (
        <Menu
          label={`Runs of: ${flow ?? "All workflows"}`}
          className={classes(fileButtonStyles.fileButton)}
          items={items}
        >
          <Icon name="folder-open" size={14} />
          <b>{flow ?? "All workflows"}</b>
          <Icon name="chevron-down" size={12} />
        </Menu>
      )}
      <span className="grow" />
      {info && (
        <span
          className="text-tertiary"
          data-testid="store-size"
          {...tip(
            where !== null
              ? `The runs are kept in the shared store ${where}.`
              : info.limitBytes === null
                ? `The runs are kept in ${info.path}, without a limit.`
                : `The runs are kept in ${info.path}. Above ${formatBytes(info.limitBytes)} the oldest finished runs are deleted. You can change the limit in Settings.`,
          )}
        >
          {plural(info.runs, "run")} kept, {formatBytes(info.bytes)}
          {info.limitBytes !== null && ` of ${formatBytes(info.limitBytes)}`}
        </span>
      )}
      {/* Runs can be imported only on this computer. */}
      {where === null && (
        <Button icon="log-in" data-testid="import-run" onClick={() => void importRun()}>
          Import…
        </Button>
      )}
      {inRuns && (
        <>
          <Button
            icon="download"
            data-testid="export-run"
            disabled={!run}
            onClick={() => run && void exportRun(run)}
          >
            Export…
          </Button>
          <Button
            icon="play"
            data-testid="run-again"
            disabled={!run}
            onClick={() => run && void runAgain(run.runId)}
          >
            {run ? sessionOf(run.runId).runAgainLabel : "Run again"}
          </Button>
        </>
      )}
    </>
  );
}

/** Shows the counts in the status bar: "41 of 312 runs", "2 selected to compare". */
export function HistoryStatus() {
  const shown = useHistory((s) => s.tally?.runs);
  const kept = useHistory((s) => s.info?.runs);
  const compared = useHistory((s) => s.compared);
  const inRuns = useHistory((s) => s.tab === "runs");
  if (!inRuns || shown === undefined || kept === undefined) return <div />;
  return (
    <div>
      <span>
        {formatCount(shown)} of {plural(kept, "run")}
      </span>
      {compared !== null && <span>2 selected to compare</span>}
    </div>
  );
}
