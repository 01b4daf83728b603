// The table of the comparison, and the program that writes the rows of a store again.
// @vitest-environment node
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { FEW, figures, HEADING, line, MANY, pythonPart, row } from "./table.mjs";

/** Returns seven rounds of a system: an iteration takes this many µs, and everything else half a second. */
function rounds(wall, more = () => ({})) {
  const of = (iterations) =>
    Array.from({ length: 7 }, (_, round) => ({
      ms: 500 + (iterations * wall) / 1000 + (iterations === MANY ? round * 0.095 : 0),
      cpuMs: 100 + (iterations * wall) / 2000,
      store: 4096 + iterations * 2164,
      ...more(iterations),
    }));
  return { [FEW]: of(FEW), [MANY]: of(MANY), steady: of(MANY) };
}

const times = (iterations) => ({
  loopMs: iterations * 0.018,
  memory: 26.6,
  firstMs: 2,
  lastMs: 2.5,
});

it("a row has the difference of long and short runs, and how many times the base that is", () => {
  const here = figures(rounds(24, times));
  expect(line(row("Here", here, here))).toBe(
    "| Here | 24 | 24 to 25 | 1.00 | 12 | 1.00 | 18 | 2164 | 1.00 | 27 | 1.25 |",
  );
  const other = row("Other", figures(rounds(500, times)), here);
  expect(other.slice(0, 5)).toEqual(["Other", "500", "500 to 501", "20.6", "250"]);
});

it("what a system does not say stays empty, and a reason takes the place of figures", () => {
  const here = figures(rounds(20, times));
  const plain = figures(
    rounds(8, (iterations) => ({ loopMs: iterations * 0.008, pythonMs: iterations / 2500 })),
  );
  expect(line(row("plain", plain, here))).toBe(
    "| plain | 8.3 | 8.0 to 8.6 | 0.409 | 4.0 | 0.400 | 8.0 | 2164 | 1.00 |  |  |",
  );
  expect(pythonPart("plain", plain)).toBe("plain: 0.40 of 8.3 µs are Python's own");
  expect(here.python).toBeNaN();
  expect(line(["Gone", "not installed"]).match(/\|/g)).toHaveLength(12);
  for (const one of HEADING.split("\n")) expect(one.match(/\|/g)).toHaveLength(12);
});

const hasSqlite = spawnSync("python3", ["-c", "import sqlite3"]).status === 0;

it.skipIf(!hasSqlite)("SQLite alone writes the same rows into a store with the same settings", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-rows-"));
  const [source, store] = ["source.db", "store.db"].map((name) => path.join(folder, name));
  const python = (...args) => execFileSync("python3", args, { encoding: "utf8" });
  const make = `
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.executescript("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
store.execute("CREATE TABLE record_batches (place INTEGER PRIMARY KEY, records INTEGER NOT NULL, payloads TEXT NOT NULL)")
store.executemany("INSERT INTO record_batches VALUES (?, ?, ?)", [(1 << 32, 256, "ü" * 9000), (1 << 32 | 256, 1, "x")])
store.close()`;
  const look = `
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
print(store.execute("SELECT group_concat(place || ':' || records || ':' || length(payloads)) FROM record_batches").fetchone()[0],
      *[store.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "auto_vacuum", "journal_mode")])`;
  try {
    python("-c", make, source);
    const program = path.join(import.meta.dirname, "sqlite_rows.py");
    const said = JSON.parse(python(program, JSON.stringify({ source, store })));
    expect(said).toMatchObject({ rows: 2, bytes: 18_000 + 1 + 4 * 8 });
    for (const field of ["loopMs", "loopCpuMs", "pythonMs"]) expect(said[field]).toBeGreaterThan(0);
    expect(said.pythonMs).toBeLessThan(said.loopMs);
    expect(python("-c", look, store)).toBe("4294967296:256:9000,4294967552:1:1 8192 2 wal\n");
    expect(python("-c", look, store)).toBe(python("-c", look, source));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
