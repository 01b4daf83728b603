// One thing that changes by itself is drawn in a frame: clocks, streamed text, the picture of it on a card. Where the processor
// paints, several of them far apart are painted together with all that lies between, which takes five times as long as they do.
import { pressedAt } from "./last-press";

let taken: unknown = Number.NaN;

/** Whether nothing else has been drawn in this frame; then it is the caller's. Call it before a paint, and draw at once. */
export function takeTurn(): boolean {
  // The same in all callbacks before one paint. A page without it, as in the tests of parts, paints nothing.
  const frame = globalThis.document?.timeline?.currentTime ?? Number.NaN;
  if (frame === taken) return false;
  taken = frame;
  return true;
}

/** Where every frame is somebody's, a drawing waits for so many and goes along with the next. */
const MAX_WAITED_FRAMES = 12;
/** So long after a key or a button was pressed the frames are for its answer, in milliseconds. */
export const ANSWER_WINDOW_MS = 200;

/** Draws in the next frame that is nobody else's, and no answer's, if one comes soon. Returns what takes it back. */
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

/** Draws every `ms` milliseconds in a frame of its own, until the function it returns is called. */
export function inOwnFrames(ms: number, draw: () => void): () => void {
  let takeBack: (() => void) | null = null;
  const drawNow = () => {
    takeBack = null;
    draw();
  };
  const timer = setInterval(() => {
    // A window that is not seen paints nothing; what waits for a frame already keeps its place.
    if (document.hidden) draw();
    else takeBack ??= inOwnFrame(drawNow);
  }, ms);
  return () => {
    clearInterval(timer);
    takeBack?.();
  };
}
