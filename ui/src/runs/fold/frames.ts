// Hands events to the fold once per frame, and streamed text a few frames later, so that a fast stream costs some twenty
// renders a second and no more.
import type { RunEvent } from "../../ipc/generated/bindings";
import { ANSWER_WINDOW_MS, takeTurn } from "../../session/frame-turn";
import { pressedAt } from "../../session/last-press";
import { isUnrecorded } from "./reduce";

/** Calls back before the next paint, or soon where the window is hidden and paints nothing. */
export type Schedule = (callback: () => void) => void;

/** A hidden window gets no animation frames; its run must not stand still. */
const HIDDEN_DELAY_MS = 120;

/** While the window is seen, nothing is handed over between two paints; this is for a paint that never comes. */
const STUCK_DELAY_MS = 1500;

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
  const timer = setTimeout(once, document.hidden ? HIDDEN_DELAY_MS : STUCK_DELAY_MS);
};

/**
 * How many iteration changes may wait for a frame of their own. Up to this many, every count of every loop is
 * painted, however fast the iterations are; beyond it the window catches up with the run.
 */
export const MAX_WAITING_COUNTS = 24;

/** A count stays at least this long, so that an eye can catch it, while no more than a few wait behind it. */
export const DWELL_MS = 100;
export const MAX_DWELLING_COUNTS = 5;

/**
 * Text that streams is handed over this long after what was before it, in milliseconds: it flows as smoothly to an eye as
 * with every frame, and the frames in between are free to answer keys and clicks.
 */
export const STREAM_MS = 50;
/** Where drawing takes long, text waits so many times as long as the frame before it took, and no longer than this. */
const STREAM_SHARE = 3;
export const MAX_STREAM_MS = 400;

export type Frames = {
  push(event: RunEvent): void;
  /** Hands over everything that waits, at once. */
  flush(): void;
};

export function frames(
  apply: (events: readonly RunEvent[]) => void,
  schedule: Schedule = nextFrame,
  now: () => number = () => performance.now(),
  pressed: () => number = pressedAt,
  take: () => boolean = takeTurn,
): Frames {
  let queue: RunEvent[] = [];
  let scheduled = false;
  /** When each loop's count was shown last, by the loop's path. */
  const shownAt = new Map<string, number>();
  let handedAt = Number.NEGATIVE_INFINITY;
  let wait = STREAM_MS;
  /** Whether what was handed over is being drawn: the next frame tells how long that took. */
  let drawing = false;
  const tick = () => {
    scheduled = false;
    const time = now();
    if (drawing) wait = Math.min(MAX_STREAM_MS, Math.max(STREAM_MS, STREAM_SHARE * (time - handedAt)));
    drawing = false;
    // An answer comes before text, though text never waits longer than `MAX_STREAM_MS`.
    const least = time - pressed() < ANSWER_WINDOW_MS ? MAX_STREAM_MS : wait;
    const onlyText = queue.every(isUnrecorded);
    if (onlyText && time - handedAt < least) {
      if (queue.length > 0) request();
      return;
    }
    // What is more than text is not put off, but nothing else is drawn with it.
    if (queue.length > 0 && !take() && onlyText) {
      request();
      return;
    }
    const fresh = new Set<string>();
    for (const [path, at] of shownAt) {
      if (time - at < DWELL_MS) fresh.add(path);
      else shownAt.delete(path);
    }
    const [share, later] = takeFrame(queue, fresh);
    queue = later;
    for (const event of share) if (event.type === "workflow.node.iteration") shownAt.set(event.path, time);
    // Also where nothing waits any more: the frame behind what is drawn now tells how long that took.
    if (queue.length > 0 || share.length > 0) request();
    if (share.length === 0) return;
    handedAt = time;
    drawing = true;
    apply(share);
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

const NONE: ReadonlySet<string> = new Set();

/**
 * Splits what waits into one frame's share and the rest: at most one new count per loop is shown in a frame, and
 * none while the count before it, of a loop in `fresh`, has only just been shown.
 */
export function takeFrame(queue: RunEvent[], fresh: ReadonlySet<string> = NONE): [RunEvent[], RunEvent[]] {
  const waiting = queue.filter((e) => e.type === "workflow.node.iteration").length;
  let surplus = waiting - MAX_WAITING_COUNTS;
  const counted = new Set(waiting <= MAX_DWELLING_COUNTS ? fresh : NONE);
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
