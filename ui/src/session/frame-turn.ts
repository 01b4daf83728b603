// Limits automatic changes (clocks, streamed text, pictures on cards) to one per frame. When the CPU paints,
// distant changes in one frame are painted together with everything between them, which takes five times as
// long.
import { pressedAt } from "./last-press";

let taken: unknown = Number.NaN;

/**
 * Reserves the current frame for the caller, who must draw immediately. Returns false if something else has
 * reserved it.
 */
export function takeTurn(): boolean {
  // The timeline's time is the same in all callbacks before one paint. Without a timeline, as in component
  // tests, nothing is painted.
  const frame = globalThis.document?.timeline?.currentTime ?? Number.NaN;
  if (frame === taken) return false;
  taken = frame;
  return true;
}

/**
 * The number of frames for which a drawing waits. After that, it uses the next frame even if that frame is
 * taken.
 */
const MAX_WAITED_FRAMES = 12;
/** How long frames are reserved for the response to a key or pointer action, in milliseconds. */
export const ANSWER_WINDOW_MS = 200;

/**
 * Draws in the next frame that is neither taken nor reserved for a response. After `MAX_WAITED_FRAMES`
 * frames, draws in any case. Returns a function that cancels the drawing.
 */
export function inOwnFrame(draw: () => void): () => void {
  let waited = 0;
  let frame = requestAnimationFrame(function look() {
    waited += 1;
    const answers = performance.now() - pressedAt() < ANSWER_WINDOW_MS;
    if ((!answers && takeTurn()) || waited > MAX_WAITED_FRAMES) draw();
    else frame = requestAnimationFrame(look);
  });
  return () => cancelAnimationFrame(frame);
}

/** Draws every `ms` milliseconds, each time in its own frame, until the returned function is called. */
export function inOwnFrames(ms: number, draw: () => void): () => void {
  let takeBack: (() => void) | null = null;
  const drawNow = () => {
    takeBack = null;
    draw();
  };
  const timer = setInterval(() => {
    // A hidden window paints nothing, so the frame need not be reserved. A pending draw stays pending.
    if (document.hidden) draw();
    else takeBack ??= inOwnFrame(drawNow);
  }, ms);
  return () => {
    clearInterval(timer);
    takeBack?.();
  };
}
