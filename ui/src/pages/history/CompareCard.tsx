// Run A next to run B: measures with their changes, inputs, outputs, and the steps that differ.

import { useEffect, useMemo, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import { Segmented } from "../../components/fields";
import heatStyles from "../../components/Heat.module.css";
import noteStyles from "../../components/Note.module.css";
import { useKinds } from "../../document/kinds";
import { settingTitle } from "../../inspector/form/schema";
import { api, errorMessage } from "../../ipc/client";
import type { DiffPart, FlowDoc, RunComparison, RunSummary } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { plainMessage } from "../../kernels/typeset";
import type { RunState } from "../../runs/fold/model";
import { placeWords } from "../../runs/fold/path";
import { modelsIn } from "../../runs/inputs/models";
import { shownLoop } from "../../runs/view/view";
import { formatAgo } from "../../runs/words/format";
import styles from "./CompareCard.module.css";
import { askedDifferently, compareMeasures, type Measured, sideOf } from "./compare";
import { DifferentSteps } from "./DifferentSteps";
import { heatGrid } from "./heat";
import { Letter, type Mark } from "./Letter";
import { Parts } from "./Parts";
import { RunReason } from "./RunRow";
import { useHistory } from "./store";
import { usePastRun } from "./use-past-run";

type View = "side" | "one";

/** The two runs that the card compares. `document` belongs to run A. */
type CompareProps = { a: string; stateA: RunState; document: FlowDoc; b: string };

export function CompareCard({ a, stateA, document, b }: CompareProps) {
  const [view, setView] = useState<View>("side");
  const [found, setFound] = useState<RunComparison | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { swap, compare } = useHistory.getState();
  useEffect(() => {
    let wanted = true;
    setFailure(null);
    api()
      .compareRuns(a, b)
      .then(
        (comparison) => wanted && setFound(comparison),
        (error) => wanted && setFailure(errorMessage(error)),
      );
    return () => {
      wanted = false;
    };
  }, [a, b]);
  const ready = found?.a.runId === a && found.b.runId === b ? found : null;
  return (
    <section
      className={classes(cardStyles.card, styles.compare)}
      aria-label="Comparison"
      data-testid="run-compare"
      aria-busy={ready === null}
    >
      <header>
        <h2>Compare</h2>
        <Letter mark="A" />
        <span className="text-tertiary">with</span>
        <Letter mark="B" />
        {ready?.forkedAt && (
          <span className="text-tertiary">forked at {placeWords(ready.forkedAt, document)}</span>
        )}
        <span className="grow" />
        <Segmented<View>
          small
          label="Comparison layout"
          value={view}
          options={[
            { value: "side", label: "Side by side" },
            { value: "one", label: "One column" },
          ]}
          onChange={setView}
        />
        <Button small icon="repeat-2" onClick={swap}>
          Swap
        </Button>
        <IconButton icon="x" size={15} label="Close the comparison" onClick={() => compare(null)} />
      </header>
      {failure !== null && (
        <p className={classes(noteStyles.note, "text-error", styles.wholeRow)} role="alert">
          {failure}
        </p>
      )}
      {ready && <Sides comparison={ready} stateA={stateA} document={document} view={view} />}
    </section>
  );
}

type SidesProps = { comparison: RunComparison; stateA: RunState; document: FlowDoc; view: View };

function Sides({ comparison, stateA, document, view }: SidesProps) {
  const { a, b, errorA, errorB } = comparison;
  const rows = compareMeasures(comparison);
  const { detail: detailB, state: stateB, need } = usePastRun(b.runId);
  const loopB = stateB && shownLoop(stateB, {}, stateB.loopIds[0] ?? "");
  useEffect(() => {
    if (loopB) need(loopB.path, MINI_COLUMNS);
  }, [loopB, need]);
  return (
    <>
      <Side mark="A" summary={a} rows={rows} state={stateA} />
      <Side mark="B" summary={b} rows={rows} state={stateB} />
      {(errorA || errorB) && (
        <Pair
          view="side"
          title="Error"
          parts={[
            ...(errorA ? [{ kind: "removed" as const, text: plainMessage(errorA.message) }] : []),
            ...(errorB ? [{ kind: "added" as const, text: plainMessage(errorB.message) }] : []),
          ]}
        />
      )}
      <SettingsCompared
        comparison={comparison}
        documents={detailB ? [document, detailB.document] : [document]}
      />
      {comparison.outputs.map(({ name, parts }) => (
        <Pair key={name} view={view} title={`Output ${name}`} parts={parts} />
      ))}
      <DifferentSteps comparison={comparison} />
    </>
  );
}

/** Shows the text of both runs: side by side, or merged into one text in which the changes are marked. */
function Pair({ title, parts, view }: { title: string; parts: readonly DiffPart[]; view: View }) {
  if (view === "one") {
    return (
      <div className={classes(styles.output, styles.wholeRow)}>
        <h4>{title}</h4>
        <Parts parts={parts} />
      </div>
    );
  }
  return (
    <>
      <section className={styles.output} aria-label={`${title} of A`}>
        <h4>{title}</h4>
        <Parts parts={sideOf(parts, "a")} />
      </section>
      <section className={styles.output} aria-label={`${title} of B`}>
        <h4>{title}</h4>
        <Parts parts={sideOf(parts, "b")} />
      </section>
    </>
  );
}

/**
 * Returns a sentence that says which of two runs is a fork of the other, and at which step or iteration it
 * was forked; null if neither is.
 */
function forkOf(a: RunSummary, b: RunSummary, document: FlowDoc | null): string | null {
  const words = (which: string, of: string, at: string) =>
    `${which} is a fork of ${of} (${placeWords(at, document)}). Nothing else differs.`;
  if (a.forkedFrom?.runId === b.runId) return words("A", "B", a.forkedFrom.at);
  return b.forkedFrom?.runId === a.runId ? words("B", "A", b.forkedFrom.at) : null;
}

/** Shows what differed between the runs before they started: inputs, settings, pins, nodes and wires. */
function SettingsCompared({
  comparison,
  documents,
}: {
  comparison: RunComparison;
  documents: readonly FlowDoc[];
}) {
  const byType = useKinds((s) => s.byType);
  const nodeOf = (id: string) => documents.flatMap(({ nodes }) => nodes).find((node) => node.id === id);
  /** Returns the title of a setting, as in the form of its node. */
  const settingWords = (id: string | null, field: string) => {
    if (id === null) return settingTitle(null, field);
    const node = nodeOf(id);
    const title = settingTitle(byType.get(node?.type ?? "")?.schema ?? null, field);
    return `${node ? titleOf(node) : id} · ${title}`;
  };
  const { a, b, inputs, settings, structure } = comparison;
  if (askedDifferently(comparison) === 0)
    return (
      <p className={classes(styles.note, styles.wholeRow)}>
        {forkOf(a, b, documents[0] ?? null) ?? "Both have the same inputs, settings, nodes and wires."}
      </p>
    );
  return (
    <div className={classes(styles.settings, styles.wholeRow)}>
      <h4>{a.flow === b.flow ? "Changed settings" : `Different workflows: “${a.flow}” and “${b.flow}”`}</h4>
      <dl>
        {inputs.map(({ name, parts }) => (
          <ComparedParts key={`in:${name}`} what={`input ${name}`} parts={parts} />
        ))}
        {settings.map(({ node, field, parts }) => (
          <ComparedParts key={`set:${node}:${field}`} what={settingWords(node, field)} parts={parts} />
        ))}
        {structure.map(({ what, isWire, inB }) => (
          <ComparedParts
            key={`s:${what}:${inB}`}
            what={isWire ? "wire" : "node"}
            parts={[{ kind: inB ? "added" : "removed", text: what }]}
          />
        ))}
      </dl>
    </div>
  );
}

function ComparedParts({ what, parts }: { what: string; parts: readonly DiffPart[] }) {
  return (
    <div>
      <dt>{what}</dt>
      <dd>
        <Parts parts={parts} />
      </dd>
    </div>
  );
}

type SideProps = {
  mark: Mark;
  summary: RunSummary;
  rows: readonly Measured[];
  state: RunState | null;
};

function Side({ mark, summary, rows, state }: SideProps) {
  const models = useMemo(() => state && modelsIn(state), [state]);
  const about = [formatAgo(Date.parse(summary.startedAt), Date.now()), models];
  return (
    <div className={styles.side}>
      <h3>
        <Letter mark={mark} />
        {summary.flow}
        <span className="text-tertiary">{about.filter(Boolean).join(", ")}</span>
        <span className="grow" />
        <RunReason run={summary} />
      </h3>
      {state ? <MiniHeat state={state} /> : <span />}
      <div className={styles.facts}>
        {rows.map((row) => (
          <div key={row.name}>
            {row.name}
            <b>
              {mark === "A" ? row.a : row.b}
              {mark === "B" && row.change !== "" && (
                <small className={row.better ? "text-ok" : "text-error"}>{row.change}</small>
              )}
            </b>
          </div>
        ))}
      </div>
    </div>
  );
}

const MINI_COLUMNS = [1, 2, 3, 4, 5, 6];

/** The heat grid of the first loop, without numbers in its cells. */
function MiniHeat({ state }: { state: RunState }) {
  const loop = shownLoop(state, {}, state.loopIds[0] ?? "");
  if (!loop) return <span />;
  const numbers = MINI_COLUMNS.slice(0, loop.iterations.length);
  const { rows } = heatGrid(loop, "duration", numbers);
  if (rows.length === 0) return <span />;
  return (
    <div
      className={styles.miniHeat}
      aria-hidden="true"
      style={{ gridTemplateColumns: `repeat(${numbers.length}, ${numbers.length > 5 ? 17 : 21}px)` }}
    >
      {rows.flatMap((row) =>
        row.cells.map((cell) => (
          <i
            key={`${row.nodeId}:${cell.number}`}
            className={cell.ran ? heatStyles[`heat-${cell.heat}`] : styles.notRun}
          />
        )),
      )}
    </div>
  );
}
