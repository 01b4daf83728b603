// What runs cost: a bar for each day, and lines by day, workflow, model or node. Rust computes the sums and
// the boundaries of the days.

import { useEffect, useId, useState } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import emptyStyles from "../components/Empty.module.css";
import { Segmented, TextField } from "../components/fields";
import { Icon } from "../components/Icon";
import { Message } from "../components/Message";
import pageFrameStyles from "../components/PageFrame.module.css";
import { Select } from "../components/Select";
import { Skeletons } from "../components/Skeletons";
import { fileName } from "../document/document";
import { api, errorMessage } from "../ipc/client";
import type { CostGroup, CostLine, CostQuery, CostReport } from "../ipc/generated/bindings";
import { formatCount, plural } from "../runs/words/format";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import styles from "./CostsPage.module.css";
import { CostChart } from "./costs/CostChart";
import { GROUPS, isDay, MEASURES, queryOf, SPANS, useQuestion } from "./costs/question";
import { attempt, toast } from "./evaluate/attempt";

/**
 * The refresh interval of the visible page, in milliseconds. Runs of this program and of others may add costs
 * at any time.
 */
const REFRESH_INTERVAL_MS = 30_000;

/**
 * Returns the report for a query, or the error. While a new report is being read, the previous one stays. The
 * report is read again at intervals, and whenever the page is shown.
 */
function useReport(query: CostQuery | null) {
  const [report, setReport] = useState<CostReport | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const key = JSON.stringify(query);
  useEffect(() => {
    const asked: CostQuery | null = JSON.parse(key);
    if (asked === null) return;
    let isCurrent = true;
    const read = async () => {
      try {
        const found = await api().costs(asked);
        if (!isCurrent) return;
        setReport(found);
        setFailure(null);
      } catch (error) {
        if (isCurrent) setFailure(errorMessage(error));
      }
    };
    void read();
    const timer = setInterval(() => void read(), REFRESH_INTERVAL_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [key]);
  return { report, failure };
}

export function CostsPage() {
  const question = useQuestion();
  const query = queryOf(question, new Date().getFullYear());
  const { report, failure } = useReport(query);
  return (
    <div className={pageFrameStyles.pageFrame}>
      <main className={styles.main} aria-label="Costs" data-region="costs">
        <QuestionBar report={report} query={query} />
        <section
          className={styles.content}
          aria-label="What runs cost"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
          tabIndex={0}
        >
          {failure !== null && (
            <p className={classes(styles.note, "text-error")} role="alert">
              <Icon name="circle-alert" size={14} />
              <span>
                The costs could not be read. <Message text={failure} />
              </span>
            </p>
          )}
          {report !== null ? (
            <Answer report={report} />
          ) : (
            failure === null && query !== null && <Skeletons label="Reading the costs" lines={6} />
          )}
        </section>
      </main>
    </div>
  );
}

function QuestionBar({ report, query }: { report: CostReport | null; query: CostQuery | null }) {
  const { by, span, flow, ask } = useQuestion();
  const flows = report?.flows ?? [];
  // The chosen workflow stays in the list even if it has no costs in these days.
  const names = flow === null || flows.includes(flow) ? flows : [...flows, flow];
  return (
    <div className={styles.bar}>
      <Select label="Days" value={span} options={SPANS} onChange={(span) => ask({ span })} />
      {span === "days" && <TypedDays />}
      <Select
        className={styles.flow}
        label="Workflow"
        value={flow ?? ""}
        lead={[{ value: "", label: "All workflows" }]}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={(name) => ask({ flow: name === "" ? null : name })}
      />
      <span className="divider" />
      <Segmented label="Group by" value={by} options={GROUPS} onChange={(by) => ask({ by })} />
      <span className="grow" />
      <Button
        icon="download"
        data-testid={testIds.costsExport}
        disabled={query === null || report === null || report.lines.length === 0}
        onClick={() => query !== null && report !== null && void exportCosts(query, report)}
      >
        Export CSV…
      </Button>
    </div>
  );
}

function TypedDays() {
  const { first, last, ask } = useQuestion();
  const hint = useId();
  const isWrong = (text: string) => text !== "" && !isDay(text);
  return (
    <>
      <TextField
        className={styles.day}
        label="First day"
        placeholder="2026-01-01"
        value={first}
        invalid={isWrong(first)}
        describedBy={hint}
        onChange={(first) => ask({ first })}
      />
      <TextField
        className={styles.day}
        label="Last day"
        placeholder="2026-01-31"
        value={last}
        invalid={isWrong(last)}
        describedBy={hint}
        onChange={(last) => ask({ last })}
      />
      <span id={hint} className="text-tertiary">
        Enter both days as YYYY-MM-DD, such as 2026-01-31.
      </span>
    </>
  );
}

/** Exports the lines of the report to a file that the user chooses. */
async function exportCosts(query: CostQuery, report: CostReport): Promise<void> {
  await attempt("The costs were not exported", async () => {
    const path = await api().pickExport(`costs-${report.since}-to-${report.until}.csv`);
    if (path === null) return;
    await api().exportCosts(query, path);
    toast({ tone: "ok", title: "The costs were exported", detail: fileName(path, undefined) });
  });
}

function Answer({ report }: { report: CostReport }) {
  if (report.lines.length === 0) return <Nothing report={report} />;
  const { total, since, until } = report;
  return (
    <>
      <p className={styles.total}>
        <b data-testid={testIds.costsTotal}>{total.cost}</b>
        <span className="text-secondary">
          {plural(total.sum.calls, "call")}, {plural(total.sum.inputTokens + total.sum.outputTokens, "token")}
          , {since} to {until}. Deleted runs are included.
        </span>
      </p>
      <Uncounted report={report} />
      <Bars report={report} />
      <Lines report={report} />
    </>
  );
}

function Bars({ report }: { report: CostReport }) {
  const { measure, parts, ask } = useQuestion();
  const isUnknown = measure === "cost" && report.total.sum.unpricedCalls > 0;
  return (
    <div className={styles.chart}>
      <div className={styles.choices}>
        <Segmented
          small
          label="Bars show"
          value={measure}
          options={MEASURES}
          onChange={(measure) => ask({ measure })}
        />
        <Segmented
          small
          label="Divide the bars"
          value={parts}
          options={[
            { value: "model", label: "By model" },
            { value: "flow", label: "By workflow" },
          ]}
          onChange={(parts) => ask({ parts })}
        />
      </div>
      <CostChart report={report} measure={measure} />
      {isUnknown && (
        <p className={styles.note}>
          <Icon name="info" size={14} />
          Calls without a known price are not part of the bars. Enter prices in Settings to count further
          calls.
        </p>
      )}
    </div>
  );
}

const HEADS: Readonly<Record<CostGroup, readonly string[]>> = {
  day: ["Day"],
  flow: ["Workflow", "File"],
  model: ["Model"],
  node: ["Node", "Workflow"],
  schedule: ["Schedule"],
};

function Lines({ report }: { report: CostReport }) {
  const heads = HEADS[report.by];
  const numbers = ({ sum, cost }: CostLine) => (
    <>
      <td className={styles.number}>{formatCount(sum.calls)}</td>
      <td className={styles.number}>{formatCount(sum.inputTokens)}</td>
      <td className={styles.number}>{formatCount(sum.outputTokens)}</td>
      <td>{cost}</td>
    </>
  );
  return (
    <table className={styles.lines} data-testid={testIds.costsLines}>
      <caption className="sr-only">
        Costs by {heads[0]?.toLowerCase()}, {report.since} to {report.until}
      </caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          {["Calls", "Input tokens", "Output tokens"].map((head) => (
            <th key={head} scope="col" className={styles.number}>
              {head}
            </th>
          ))}
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {report.lines.map((line) => (
          <tr key={`${line.title}\n${line.detail}`}>
            <th scope="row">{line.title}</th>
            {heads.length > 1 && <td>{line.detail}</td>}
            {numbers(line)}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={heads.length}>
            Total
          </th>
          {numbers(report.total)}
        </tr>
      </tfoot>
    </table>
  );
}

function Uncounted({ report }: { report: CostReport }) {
  if (report.uncountedRuns === 0) return null;
  return (
    <p className={classes(styles.note, "text-warning")}>
      <Icon name="triangle-alert" size={14} />
      {plural(report.uncountedRuns, "earlier run is", "earlier runs are")} missing here, because the run store
      cannot be written.
    </p>
  );
}

function Nothing({ report }: { report: CostReport }) {
  const { span, flow, ask } = useQuestion();
  return (
    <div className={classes(emptyStyles.empty, emptyStyles.centered)}>
      <b>No calls on these days</b>
      {flow === null
        ? `No run made a call from ${report.since} to ${report.until}.`
        : `“${flow}” made no call from ${report.since} to ${report.until}.`}
      <Uncounted report={report} />
      <span className="row">
        {span === "all" && flow === null ? (
          <Button variant="primary" onClick={() => useSession.getState().show("gallery")}>
            Choose a template
          </Button>
        ) : (
          <Button variant="primary" onClick={() => ask({ span: "all", flow: null })}>
            Show all days and workflows
          </Button>
        )}
      </span>
    </div>
  );
}
