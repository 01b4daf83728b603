// Placeholders for content that is loading: nothing for a moment, then grey lines.

import { type ReactNode, useEffect, useState } from "react";
import { classes } from "./classes";
import styles from "./Skeletons.module.css";

/** The time in milliseconds during which nothing is shown, so that fast loads do not flicker. */
const QUIET_MS = 300;

/** Returns whether `waiting` has been true long enough to show placeholders. */
export function useSlow(waiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!waiting) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return waiting && slow;
}

/**
 * Shows placeholders. `label` tells screen readers what is loading. `lines` is the number of grey lines;
 * `children` is shown instead of the lines.
 */
export function Skeletons({
  label,
  lines = 3,
  className,
  children,
}: {
  label: string;
  lines?: number;
  className?: string;
  children?: ReactNode;
}) {
  const slow = useSlow(true);
  if (!slow) return null;
  const widths = [62, 88, 74, 81, 55];
  return (
    <div
      className={classes(styles.skeletons, className)}
      role="status"
      aria-label={label}
      data-testid="skeletons"
    >
      {children ??
        Array.from({ length: lines }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical.
          <i className={styles.skeleton} key={i} style={{ width: `${widths[i % widths.length]}%` }} />
        ))}
    </div>
  );
}
