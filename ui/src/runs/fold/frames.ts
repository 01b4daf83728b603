// Passes events to the fold once per frame, and streamed text every few frames. A fast stream then causes at
// most about twenty renders a second.
import type { RunEvent } from "../../ipc/generated/bindings";
import { ANSWER_WINDOW_MS, takeTurn } from "../../session/frame-turn";
import { pressedAt } from "../../session/last-press";
import { isUnrecorded } from "./reduce";

/** Calls back before the next paint, or after a short delay if the window is hidden and does not paint. */
export type Schedule = (callback: () => void) => void;

/**
 * The callback delay for a hidden window, in milliseconds. A hidden window gets no animation frames, but its
 * run must stay up to date.
 */
const HIDDEN_DELAY_MS = 120;

/** The fallback delay for a visible window whose next paint never happens, in milliseconds. */
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
 * The number of iteration changes that may each wait for a separate frame. Up to this number, every count of
 * every loop is painted, however fast the iterations are. Above it, the window skips counts to catch up with
 * the run.
 */
export const MAX_WAITING_COUNTS = 24;

/**
 * The minimum time a count stays visible, in milliseconds, while at most `MAX_DWELLING_COUNTS` wait behind
 * it.
 */
export const DWELL_MS = 100;
export const MAX_DWELLING_COUNTS = 5;

/**
 * The delay between two batches of streamed text, in milliseconds. Text at this rate looks as smooth as one
 * batch per frame, and leaves the frames in between free to respond to keys and clicks.
 */
export const STREAM_MS = 50;
/**
 * When drawing is slow, the next batch of text is delayed by this multiple of the time that the previous
 * batch took to draw, up to `MAX_STREAM_MS`.
 */
const STREAM_SHARE = 3;
export const MAX_STREAM_MS = 400;

export type Frames = {
  push(event: RunEvent): void;
  /** Applies all waiting events at once. */
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
  /** The time at which each loop's count was last shown, keyed by the loop's path. */
  const shownAt = new Map<string, number>();
  let handedAt = Number.NEGATIVE_INFINITY;
  let wait = STREAM_MS;
  /** Whether the last batch is still being drawn. The next frame measures how long that took. */
  let drawing = false;
  const tick = () => {
    scheduled = false;
    const time = now();
    if (drawing) wait = Math.min(MAX_STREAM_MS, Math.max(STREAM_MS, STREAM_SHARE * (time - handedAt)));
    drawing = false;
    // A response to input comes before text, but text never waits longer than `MAX_STREAM_MS`.
    const least = time - pressed() < ANSWER_WINDOW_MS ? MAX_STREAM_MS : wait;
    const onlyText = queue.every(isUnrecorded);
    if (onlyText && time - handedAt < least) {
      if (queue.length > 0) request();
      return;
    }
    // Events other than text are never postponed. They still claim the frame, so that nothing else draws in
    // it.
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
    // A frame is requested even if the queue is empty: it measures how long this batch takes to draw.
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
 * Splits the waiting events into those to apply in the next frame and the rest. A frame shows at most one new
 * count per loop, and no new count for a loop in `fresh`, whose previous count was shown too recently.
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
    // The end of the run gets its own frame after the last count, so that the count is painted before the end
    // replaces it.
    if (counted.size > 0 && surplus <= 0 && isEnd(queue[i + 1]))
      return [queue.slice(0, i + 1), queue.slice(i + 1)];
  }
  return [queue, []];
}

/** Returns whether an event replaces the displayed count of a loop: its next iteration, or its end. */
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
