// The ways out of a loop, each with how near it is; the one that fired takes the place of "pending".
import type { Json } from "../../ipc/generated/bindings";
import { EXIT_MEANING, exitTone } from "../../runs/format";
import type { LoopRecord } from "../../runs/model";
import { exitWatch } from "./exit-watch";

export function ExitWatch({
  loop,
  data,
  now,
}: {
  loop: LoopRecord;
  data: Readonly<Record<string, Json>>;
  now: number;
}) {
  const begin = loop.iterations[0]?.startedAt ?? now;
  const end = loop.exitReason === null ? now : (loop.iterations.at(-1)?.endedAt ?? now);
  const rows = exitWatch(loop, data, Math.max(0, end - begin));
  return (
    <section className="exits" aria-label="Exit reason">
      <h4>
        Exit reason
        {loop.exitReason === null ? (
          <span className="chip queued">pending</span>
        ) : (
          <span
            className={`reason ${exitTone(loop.exitReason, loop.exhausted)}`}
            title={EXIT_MEANING[loop.exitReason]}
            data-testid="exit-reason"
          >
            {loop.exitReason}
          </span>
        )}
      </h4>
      {rows.map((row) => (
        <div key={row.reason} className={`ex${row.on ? "" : " off"}${row.fired ? " fired" : ""}`}>
          <code>{row.reason}</code>
          <span className="num">{row.says}</span>
          <span className="meter">
            <i
              style={{
                width: `${Math.round(row.near * 100)}%`,
                background: row.fired ? "var(--st-done)" : row.on ? "var(--loop)" : "var(--line-3)",
              }}
            />
          </span>
        </div>
      ))}
    </section>
  );
}
