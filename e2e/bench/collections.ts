// The size of the page's heap after each full collection of JavaScriptCore, read from its log. Process memory
// is a worse measure of a leak: between two full collections, garbage can be as large as the live data.
import { closeSync, openSync, readSync } from "node:fs";

/** Makes JavaScriptCore log each collection to standard error. */
export const LOGGED = { JSC_logGC: "1" };

/**
 * The lines of one heap: `[GC<0x7f…>: START M 88198kb => FullCollection, …`, and at its end
 * `=> 27780kb, p=…ms … END]`.
 */
const COLLECTION =
  /\[GC<(\w+)>: START M \d+kb => (\w+)Collection|\[GC<(\w+)>: [^\]]*?=> (\d+)kb, p=[^\]]*?END\]/g;
/** The number of characters at the end of the text that are kept, because their line may be unfinished. */
const KEPT_ENTRIES = 4_000;

/**
 * Returns a function that reads a growing log. Each call of it returns the size of the largest heap after its
 * last full collection, in megabytes; null before the first full collection.
 */
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
