// Run A beside run B: measures with the change, and each shared output with what only that run says.
import { useEffect, useMemo, useState } from "react";
import { IconButton } from "../../components/Button";
import { valueText } from "../../inspector/run/values";
import { wordDiff } from "../../inspector/run/word-diff";
import { api, errorMessage } from "../../ipc/client";
import type { RunDetail } from "../../ipc/generated/bindings";
import { formatAgo } from "../../runs/format";
import { compareRuns, type Measured, sharedOutputs } from "./compare";
import { RunReason } from "./RunList";

type CompareProps = { a: RunDetail; b: string; onSwap(): void; onClose(): void };

export function CompareCard({ a, b, onSwap, onClose }: CompareProps) {
  const [other, setOther] = useState<RunDetail | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    setFailure(null);
    api()
      .runDetail(b)
      .then(
        (detail) => wanted && setOther(detail),
        (error) => wanted && setFailure(errorMessage(error)),
      );
    return () => {
      wanted = false;
    };
  }, [b]);
  const ready = other !== null && other.summary.runId === b ? other : null;
  return (
    <section className="card cmp" aria-label="Comparison" data-testid="run-compare">
      <header>
        <h2>Compare</h2>
        <span className="ab">A</span>
        <span className="t3">with</span>
        <span className="ab b">B</span>
        <span className="grow" />
        <IconButton icon="repeat-2" size={15} label="Swap A and B" onClick={onSwap} />
        <IconButton icon="x" size={15} label="Close the comparison" onClick={onClose} />
      </header>
      {failure !== null && <p className="tabnote c-err">{failure}</p>}
      {ready && <Sides a={a} b={ready} />}
    </section>
  );
}

function Sides({ a, b }: { a: RunDetail; b: RunDetail }) {
  const rows = compareRuns(a.summary, b.summary);
  return (
    <>
      <Side mark="A" detail={a} rows={rows} />
      <Side mark="B" detail={b} rows={rows} />
      {sharedOutputs(a, b).map((name) => (
        <Outputs key={name} name={name} a={a} b={b} />
      ))}
    </>
  );
}

function Side({ mark, detail, rows }: { mark: "A" | "B"; detail: RunDetail; rows: readonly Measured[] }) {
  const { summary } = detail;
  return (
    <div className="side-ab plainside">
      <h3>
        <span className={mark === "A" ? "ab" : "ab b"}>{mark}</span>
        {summary.flow}
        <span className="t3">{formatAgo(Date.parse(summary.startedAt), Date.now())}</span>
        <span className="grow" />
        <RunReason run={summary} />
      </h3>
      <div className="kv">
        {rows.map((row) => (
          <div key={row.name}>
            {row.name}
            <b>
              {mark === "A" ? row.a : row.b}
              {mark === "B" && row.change !== "" && (
                <small className={row.better ? "c-ok" : "c-err"}>{row.change}</small>
              )}
            </b>
          </div>
        ))}
      </div>
    </div>
  );
}

function Outputs({ name, a, b }: { name: string; a: RunDetail; b: RunDetail }) {
  const text = (detail: RunDetail) => valueText((detail.outputs as Record<string, unknown>)[name]);
  const before = text(a);
  const after = text(b);
  const diff = useMemo(() => wordDiff(before, after), [before, after]);
  const side = (drop: "ins" | "del") =>
    diff.pieces.map((piece, i) => {
      if (piece.kind === drop) return null;
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place.
      if (piece.kind === "ins") return <ins key={i}>{piece.text}</ins>;
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place.
      if (piece.kind === "del") return <del key={i}>{piece.text}</del>;
      return piece.text;
    });
  return (
    <>
      <div className="cmpout">
        <h4>{name}</h4>
        {side("ins")}
      </div>
      <div className="cmpout">
        <h4>{name}</h4>
        {side("del")}
      </div>
    </>
  );
}
