// The result of one iteration of a loop, as the loop itself saw it, and how the loop ended.
import { useMemo } from "react";
import { Segmented } from "../../components/fields";
import { EXIT_MEANING, exitTone } from "../../runs/format";
import type { Iteration, LoopRecord } from "../../runs/model";
import { DiffSummary, DiffView } from "./DiffView";
import { Plain } from "./OutputTab";
import { type Compare, useInspectorView } from "./view-state";
import { wordDiff } from "./word-diff";

export function LoopOutput({ loop, iteration }: { loop: LoopRecord; iteration: Iteration | null }) {
  const { compare, setCompare } = useInspectorView();
  const text = iteration?.resultPreview ?? "";
  const number = iteration?.number ?? 1;
  const against = compare === "first" ? 1 : number - 1;
  const before = loop.iterations[against - 1]?.resultPreview ?? "";
  const comparing = compare !== "plain" && number > 1 && text !== "";
  const diff = useMemo(() => (comparing ? wordDiff(before, text) : null), [comparing, before, text]);
  return (
    <>
      <div className="bar">
        <Segmented<Compare>
          small
          full
          label="How the result is shown"
          value={compare}
          options={[
            { value: "plain", label: "Plain" },
            { value: "previous", label: "Diff with previous" },
            { value: "first", label: "Compare to first" },
          ]}
          onChange={setCompare}
        />
      </div>
      {diff ? (
        <>
          <DiffSummary from={against} to={number} diff={diff} text={text} />
          <DiffView diff={diff} streaming={false} />
        </>
      ) : iteration === null ? (
        <p className="tabnote">The loop has not started an iteration.</p>
      ) : iteration.resultPreview === null ? (
        <p className="tabnote">Iteration {number} has no result yet.</p>
      ) : (
        <Plain text={text} streaming={false} note={`Result of iteration ${number}`} />
      )}
      {loop.exitReason && (
        <p className="exitline">
          <span className={`reason ${exitTone(loop.exitReason, loop.exhausted)}`}>{loop.exitReason}</span>
          {EXIT_MEANING[loop.exitReason]}
          {loop.exhausted && " The exit that was asked for was not met."}
        </p>
      )}
    </>
  );
}
