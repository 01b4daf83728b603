// The state of a node as an icon with a word. Shape and text convey it; colour only supports them.

import { classes } from "../../components/classes";
import { Icon, type IconName } from "../../components/Icon";
import { stateIconLook } from "../../components/state-icon-look";
import { tip } from "../../components/tip";
import type { NodeRunState } from "../../runs";
import styles from "./StateMark.module.css";

const marks: Partial<Record<NodeRunState, { icon: IconName; word: string; tone: string }>> = {
  queued: { icon: "circle-dashed", word: "Queued", tone: "queued" },
  running: { icon: "loader-circle", word: "Running", tone: "running" },
  done: { icon: "circle-check", word: "Done", tone: "done" },
  skipped: { icon: "circle-slash-2", word: "Skipped", tone: "skipped" },
  failed: { icon: "circle-x", word: "Failed", tone: "failed" },
  waiting: { icon: "circle-pause", word: "Waiting for a person", tone: "waiting" },
};

/** A loop that ran out of iterations, time or money: it has ended without meeting its exit condition. */
const exhausted = { icon: "triangle-alert", word: "Exhausted", tone: "waiting" } as const;

/** An Exit that was reached but did not stop its loop: the loop has ended, but no exit condition was met. */
const passed = { icon: "repeat", word: "Ran all iterations", tone: "waiting" } as const;

type StateMarkProps = { state: NodeRunState; isExhausted: boolean; isPassed?: boolean };

export function StateMark({ state, isExhausted, isPassed = false }: StateMarkProps) {
  const over = isExhausted ? exhausted : isPassed ? passed : marks.done;
  const mark = state === "done" ? over : marks[state];
  if (!mark) return null;
  return (
    <span
      className={classes(
        stateIconLook(mark.tone),
        styles.mark,
        mark.tone === "running" && styles.running,
        mark.tone === "done" && styles.done,
        state === "running" && styles.spins,
      )}
      role="img"
      aria-label={mark.word}
      {...tip(mark.word)}
    >
      <Icon name={mark.icon} size={14} />
    </span>
  );
}
