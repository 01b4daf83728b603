// Hands events to the fold once per frame, so that a fast stream costs one render a frame and no more.
import type { RunEvent } from "../ipc/generated/bindings";

/** Calls back before the next paint, or soon where the window is hidden and paints nothing. */
export type Schedule = (callback: () => void) => void;

/** A hidden window gets no animation frames; its run must not stand still. */
const HIDDEN_DELAY_MS = 120;

export const nextFrame: Schedule = (callback) => {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    callback();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, HIDDEN_DELAY_MS);
};

/**
 * How many iteration changes may wait for a frame of their own. Up to this many, every count of every loop is
 * painted, however fast the iterations are; beyond it the window catches up with the run.
 */
export const MAX_WAITING_COUNTS = 24;

export type Frames = {
  push(event: RunEvent): void;
  /** Hands over everything that waits, at once. */
  flush(): void;
};

export function frames(apply: (events: readonly RunEvent[]) => void, schedule: Schedule = nextFrame): Frames {
  let queue: RunEvent[] = [];
  let scheduled = false;
  const tick = () => {
    scheduled = false;
    const [now, later] = takeFrame(queue);
    queue = later;
    if (queue.length > 0) request();
    if (now.length > 0) apply(now);
  };
  const request = () => {
    if (scheduled) return;
    scheduled = true;
    schedule(tick);
  };
  return {
    push(event) {
      queue.push(event);
      request();
    },
    flush() {
      const all = queue;
      queue = [];
      if (all.length > 0) apply(all);
    },
  };
}

/** Splits what waits into one frame's share and the rest: at most one new count per loop is shown in a frame. */
export function takeFrame(queue: RunEvent[]): [RunEvent[], RunEvent[]] {
  let surplus = queue.filter((e) => e.type === "workflow.node.iteration").length - MAX_WAITING_COUNTS;
  const counted = new Set<string>();
  for (const [i, event] of queue.entries()) {
    if (counted.has(event.path) && endsCount(event) && surplus <= 0) {
      return [queue.slice(0, i), queue.slice(i)];
    }
    if (event.type === "workflow.node.iteration") {
      counted.add(event.path);
      surplus -= 1;
    }
    // The end of the run is shown after the last count, not in its place.
    if (counted.size > 0 && surplus <= 0 && isEnd(queue[i + 1]))
      return [queue.slice(0, i + 1), queue.slice(i + 1)];
  }
  return [queue, []];
}

/** Whether an event takes a loop's count off the screen: its next iteration, or its end. */
function endsCount(event: RunEvent): boolean {
  return (
    event.type === "workflow.node.iteration" ||
    event.type === "workflow.node.completed" ||
    event.type === "workflow.node.failed"
  );
}

function isEnd(event: RunEvent | undefined): boolean {
  return event?.type === "workflow.completed" || event?.type === "workflow.failed";
}
