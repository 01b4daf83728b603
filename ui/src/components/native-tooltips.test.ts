// No element has a native tooltip: these use another font, cover the element they explain, and stay after
// their page is left.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SOURCE = path.resolve(import.meta.dirname, "..");

/** Returns the names of the elements in a source text that have a `title`. Components are left out. */
function titled(text: string): string[] {
  const found: string[] = [];
  for (const { index } of text.matchAll(/\stitle=/g)) {
    let depth = 0;
    let at = index;
    // The search goes back to the enclosing tag and skips values in braces.
    for (; at >= 0; at--) {
      if (text[at] === "}") depth++;
      else if (text[at] === "{") depth--;
      else if (depth === 0 && /^<[A-Za-z]/.test(text.slice(at, at + 2))) break;
    }
    const name = /^<([\w.]+)/.exec(text.slice(Math.max(at, 0)))?.[1] ?? "";
    if (/^[a-z]/.test(name)) found.push(name);
  }
  return found;
}

test("no element has a native tooltip, and none is a native list", () => {
  expect(titled('<Dialog title="a"><b className={x} title={y}>')).toEqual(["b"]);
  const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".tsx") && !file.endsWith(".test.tsx"),
  );
  expect(sources.length).toBeGreaterThan(100);
  for (const file of sources) {
    const text = readFileSync(path.join(SOURCE, file), "utf8");
    expect(titled(text), file).toEqual([]);
    expect(/<select\b/.test(text), file).toBe(false);
  }
});
