// The first problem of a node, shown along the card's lower edge. The problems panel lists the rest.

import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { tip } from "../../components/tip";
import type { Problem } from "../../ipc/generated/bindings";
import { plainMessage } from "../../kernels/typeset";
import { useSession } from "../../session/session";
import styles from "./MessageStrip.module.css";

/**
 * Shortens a message to its first sentence without the node's own name, since the strip is small and attached
 * to the node.
 */
export function inShort(message: string, title: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/.exec(message)?.[0] ?? message;
  const own = `“${title}”`;
  const rest = sentence
    .replace(/[.]$/, "")
    .replace(/, so .*$/, "")
    .replace(` of ${own}`, "");
  const remainder = rest.startsWith(`${own} `) ? rest.slice(own.length + 1) : "";
  // A list that starts with the node's name, or a sentence about two nodes, makes no sense without the name.
  const words =
    /^\p{L}/u.test(remainder) && !remainder.startsWith("and ") ? remainder : rest.replace(own, "this node");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The codes for a missing wire. */
const LACKS_WIRE = new Set(["nothing_wired", "not_wired", "end_without_start"]);

interface MessageStripProps {
  problems: readonly Problem[];
  title: string;
  /** Whether the problem is only a missing value, which is shown less prominently than an error. */
  quiet?: boolean;
}

export function MessageStrip({ problems, title, quiet }: MessageStripProps) {
  const problem = problems.find((p) => p.severity === "error") ?? problems[0];
  if (!problem) return null;
  const warning = problem.severity === "warning";
  return (
    <button
      type="button"
      className={classes(styles.nodeMessage, "nodrag")}
      data-tone={quiet ? "quiet" : warning ? "warning" : undefined}
      {...tip(plainMessage(problem.message))}
      onClick={() => useSession.getState().openDock("problems")}
    >
      <Icon name={quiet ? "circle-dashed" : warning ? "triangle-alert" : "circle-alert"} size={13} />
      <span>
        {quiet && LACKS_WIRE.has(problem.code) ? (
          "Needs a wire"
        ) : (
          <Message text={inShort(problem.message, title)} />
        )}
      </span>
    </button>
  );
}
