// One thing that goes on by itself is drawn in a frame: clocks, streamed text, the picture of it on a card. Where the processor
// paints, several of them far apart are painted together with all that lies between, which takes five times as long as they do.

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
const PATIENCE = 12;

/** Draws in the next frame that is nobody else's, if one comes soon. Returns what takes it back. */
export function inOwnFrame(draw: () => void): () => void {
  let waited = 0;
  let frame = requestAnimationFrame(function look() {
    waited += 1;
    if (takeTurn() || waited > PATIENCE) draw();
    else frame = requestAnimationFrame(look);
  });
  return () => cancelAnimationFrame(frame);
}
