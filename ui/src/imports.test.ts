// @vitest-environment node
// There are no circular imports, including type imports, so that each file can be read, tested and moved with
// only its dependencies.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SOURCE = import.meta.dirname;

/** The files that each file imports, keyed by file. */
type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the relative paths of the modules that a source imports with `import`, `export … from` or
 * `import()`.
 */
const namedIn = (source: string): string[] =>
  [...source.matchAll(/^(?:import|export|\}) [^"]*?"(\.[^"]*)";$|\bimport\(\s*"(\.[^"]*)"/gm)].map(
    ([, from, loaded]) => from ?? loaded ?? "",
  );

/**
 * Returns an import cycle: files, each followed by one that it imports, with the first file again at the end.
 * Returns null if there is no cycle.
 */
function cycleIn(imports: Imports): string[] | null {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): string[] | null => {
    const at = trail.indexOf(file);
    if (at >= 0) return [...trail.slice(at), file];
    if (done.has(file)) return null;
    trail.push(file);
    for (const other of imports.get(file) ?? []) {
      const cycle = visit(other);
      if (cycle !== null) return cycle;
    }
    trail.pop();
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file);
    if (cycle !== null) return cycle;
  }
  return null;
}

test("a cycle is named file by file", () => {
  const source = [
    'import { a } from "./a";',
    "import {",
    "  type B,",
    '} from "../b";',
    'export { c } from "./c";',
    'import "./d.css";',
    'import react from "react";',
    'const e = await import("./testids");',
    'const text = "./f";',
  ].join("\n");
  expect(namedIn(source)).toEqual(["./a", "../b", "./c", "./d.css", "./testids"]);
  const chain: [string, string[]][] = [
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", []],
  ];
  expect(cycleIn(new Map(chain))).toBeNull();
  expect(cycleIn(new Map([...chain, ["d", ["c", "b"]]]))).toEqual(["b", "d", "b"]);
});

test("the files of the pages import each other without cycles", () => {
  const files = new Set(
    readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(tsx?|css|json)$/.test(file),
    ),
  );
  const unknown: string[] = [];
  const importsOf = (file: string): string[] =>
    namedIn(readFileSync(path.join(SOURCE, file), "utf8")).flatMap((name) => {
      const target = path.join(path.dirname(file), name);
      // The only file outside of the pages that they import contains the version of the program.
      if (target.startsWith("..")) return [];
      const found = ["", ".ts", ".tsx", "/index.ts", ".css"]
        .map((end) => target + end)
        .find((one) => files.has(one));
      if (found === undefined) unknown.push(`${file}: ${name}`);
      return found ?? [];
    });
  const imports = new Map(
    [...files].filter((file) => /\.tsx?$/.test(file)).map((file) => [file, importsOf(file)]),
  );
  expect(unknown).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(3000);
  expect(cycleIn(imports)?.join(" → ") ?? null).toBeNull();
});
