// The only polite live region. It announces iteration changes, questions, exits and failures, never tokens.
import { useShallow } from "zustand/react/shallow";
import { useDocument } from "../document/document";
import { titleIn } from "../kernels/node-title";
import { plainMessage } from "../kernels/typeset";
import { parsePath } from "../runs/fold/path";
import { useRuns } from "../runs/session/store";
import { exitTitle } from "../runs/words/format";

export function Announcer() {
  const words = useRuns(
    useShallow((s) => {
      // A watched run of a shared store is in front of the open document, so it is announced instead of the
      // document's own run.
      const run = (s.past?.live ? s.past : s.live)?.state;
      if (!run) return [];
      const title = (id: string) => titleIn(useDocument.getState().document, id);
      const loops = run.loopIds.flatMap((id) => {
        const loop = run.root.steps[id]?.loop;
        if (!loop || loop.current === 0) return [];
        if (loop.exitReason) return [`${title(id)} has ended: ${exitTitle(loop.exitReason).toLowerCase()}.`];
        return [`${title(id)}, iteration ${loop.current}${loop.total === null ? "" : ` of ${loop.total}`}.`];
      });
      const end =
        run.status === "completed"
          ? ["The run is complete."]
          : run.status === "failed"
            ? [`The run failed. ${plainMessage(run.error?.message ?? "")}`]
            : run.status === "cancelled"
              ? ["The run was stopped."]
              : [];
      const waiting = run.waiting.map(
        (path) => `${title(parsePath(path).at(-1)?.id ?? path)} waits for your answer.`,
      );
      return [...loops.slice(-1), ...waiting, ...end];
    }),
  );
  return (
    <div className="sr-only" aria-live="polite">
      {words.join(" ")}
    </div>
  );
}
