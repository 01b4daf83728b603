// What the page's heap holds once JavaScriptCore has collected all of it, read from what it writes of its collections. The
// memory of the process says less of a leak: between two such collections garbage comes to as much as what is held.
import { closeSync, openSync, readSync } from "node:fs";

/** Makes JavaScriptCore write of each collection to standard error. */
export const LOGGED = { JSC_logGC: "1" };

/** Of one heap: `[GC<0x7f…>: START M 88198kb => FullCollection, …`, and at its end `=> 27780kb, p=…ms … END]`. */
const COLLECTION =
  /\[GC<(\w+)>: START M \d+kb => (\w+)Collection|\[GC<(\w+)>: [^\]]*?=> (\d+)kb, p=[^\]]*?END\]/g;
/** As much of the text behind is kept for a line that is not whole yet. */
const KEPT_ENTRIES = 4_000;

/** Reads a log that grows; each call gives what the largest heap held after its last full collection, in megabytes. */
export function heldIn(log: string): () => number | null {
  const piece = Buffer.alloc(1 << 16);
  const scopes = new Map<string, string>();
  const held = new Map<string, number>();
  let rest = "";
  let at = 0;
  const take = (text: string) => {
    rest += text;
    let end = 0;
    for (const found of rest.matchAll(COLLECTION)) {
      const [whole, begun, scope, ended, kilobytes] = found;
      if (begun !== undefined && scope !== undefined) scopes.set(begun, scope);
      if (ended !== undefined && scopes.get(ended) === "Full") held.set(ended, Number(kilobytes) / 1024);
      end = found.index + whole.length;
    }
    rest = rest.slice(Math.max(end, rest.length - KEPT_ENTRIES));
  };
  return () => {
    const file = openSync(log, "r");
    for (let read = readSync(file, piece, 0, piece.length, at); read > 0; ) {
      at += read;
      take(piece.toString("latin1", 0, read));
      read = readSync(file, piece, 0, piece.length, at);
    }
    closeSync(file);
    return held.size === 0 ? null : Math.max(...held.values());
  };
}
