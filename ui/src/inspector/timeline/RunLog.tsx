// All events of the shown run except streamed tokens. The newest event is last and stays in view during the
// run.

import { useEffect, useRef } from "react";
import { classes } from "../../components/classes";
import dockListStyles from "../../components/DockList.module.css";
import noteStyles from "../../components/Note.module.css";
import { useFollow } from "../../components/use-follow";
import type { RunEvent } from "../../ipc/generated/bindings";
import type { RunClock } from "../../runs/fold/model";
import { useRunPart } from "../../runs/view/shown";
import { plural } from "../../runs/words/format";
import { EventList } from "../run/tabs";
import styles from "./RunLog.module.css";

/**
 * The maximum number of listed events: few enough for a quick layout. The run's history has the complete log.
 */
const MAX_LISTED_EVENTS = 400;
const NO_EVENTS: readonly RunEvent[] = [];
const NO_RESTS: RunClock["rests"] = [];

export function RunLog() {
  const log = useRunPart((run) => run.log, NO_EVENTS);
  const list = useRef<HTMLElement>(null);
  const { follow, onScroll } = useFollow(list);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list follows its newest event.
  useEffect(follow, [log, follow]);
  const since = useRunPart((run) => run.since, 0);
  const rests = useRunPart((run) => run.rests, NO_RESTS);
  const hidden = Math.max(0, log.length - MAX_LISTED_EVENTS);
  return (
    <section
      ref={list}
      className={dockListStyles.dockList}
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      data-testid="run-log"
      onScroll={onScroll}
    >
      {hidden > 0 && (
        <p className={classes(noteStyles.note, styles.note)}>
          {plural(hidden, "earlier event")} not shown here.
        </p>
      )}
      <EventList run={{ since, rests }} events={log.slice(hidden)} wide />
    </section>
  );
}
