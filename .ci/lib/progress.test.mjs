// The progress of a build, from lines as cargo writes them.
// @vitest-environment node
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FIRST_BUILD, FIRST_SCRIPTS_BUILD, marked, watch } from "./build.mjs";
import { root } from "./process.mjs";
import { duration, ERASE_LINE, Progress, StatusLine } from "./progress.mjs";

const CRATES = "registry+https://github.com/rust-lang/crates.io-index";

/**
 * Messages of `cargo build --message-format=json-render-diagnostics`, without the fields that are not used
 * here.
 */
const library = (name, fresh = false) =>
  JSON.stringify({
    reason: "compiler-artifact",
    package_id: `${CRATES}#${name}@1.0.0`,
    target: { kind: ["lib"], crate_types: ["lib"], name: name.replaceAll("-", "_"), edition: "2021" },
    profile: { opt_level: "0", debuginfo: "line-tables-only", test: false },
    features: ["std"],
    executable: null,
    fresh,
  });
const buildScript = (name, fresh = false) =>
  JSON.stringify({
    reason: "compiler-artifact",
    package_id: `${CRATES}#${name}@1.0.0`,
    target: { kind: ["custom-build"], crate_types: ["bin"], name: "build-script-build", edition: "2021" },
    profile: { opt_level: "0", debuginfo: 0, test: false },
    fresh,
  });
const ranBuildScript = (name) =>
  JSON.stringify({
    reason: "build-script-executed",
    package_id: `${CRATES}#${name}@1.0.0`,
    linked_libs: [],
    env: [],
  });
const program = (name, fresh = false) =>
  JSON.stringify({
    reason: "compiler-artifact",
    package_id: `path+file:///home/me/loopwright/src-tauri/crates/cli#loopwright-cli@0.1.0`,
    target: { kind: ["bin"], crate_types: ["bin"], name, edition: "2024" },
    profile: { opt_level: "0", test: false },
    executable: `/home/me/loopwright/src-tauri/target/debug/${name}`,
    fresh,
  });
const finished = (success) => JSON.stringify({ reason: "build-finished", success });

/** Returns cargo's own line, as it appears in a pipe. */
const bar = (done, total, ...names) =>
  `    Building [${"=".repeat(done)}>${" ".repeat(total - done)}] ${done}/${total}: ${names.join(", ")}      `;

/** Returns a progress with a test clock and recorded output. */
function recorded(what, { known, inPlace }) {
  let time = 0;
  let written = "";
  const now = () => time;
  const stream = {
    columns: 80,
    write: (text) => {
      written += text;
    },
  };
  const progress = new Progress(what, { known, now });
  const status = new StatusLine(stream, { inPlace, now });
  const show = () => status.show(progress.text(status.columns));
  return {
    progress,
    message: (line) => progress.message(line),
    redrawn: (line) => progress.redrawn(line),
    pass: (seconds) => {
      for (let passed = 0; passed < seconds; passed += 1) {
        time += 1000;
        show();
      }
    },
    print: (line) => status.print(line),
    clear: () => status.clear(),
    written: () => written,
  };
}

const text = (progress) => progress.text();

describe("what a build has done", () => {
  it("counts the units that cargo counts, and names what is compiled for the longest time", () => {
    const progress = new Progress("Loopwright");
    expect(text(progress)).toBe("Building Loopwright");
    progress.redrawn(bar(0, 7, "sqlite(build.rs)", "serde"));
    expect(text(progress)).toBe("Building Loopwright: 0 of 7 steps (sqlite)");
    progress.message(library("serde"));
    progress.redrawn(bar(1, 7, "tokio", "sqlite(build.rs)"));
    expect(text(progress)).toBe("Building Loopwright: 1 of 7 steps (sqlite)");
    progress.message(buildScript("sqlite"));
    progress.redrawn(bar(2, 7, "sqlite(build)", "tokio"));
    expect(text(progress)).toBe("Building Loopwright: 2 of 7 steps (tokio)");
    progress.message(ranBuildScript("sqlite"));
    expect(progress.done).toBe(3);
  });

  it("takes fresh units as done at once", () => {
    const progress = new Progress("Loopwright", { known: FIRST_BUILD });
    for (const name of ["serde", "tokio"]) progress.message(library(name, true));
    progress.message(ranBuildScript("sqlite"));
    progress.message(program("loopwright", true));
    progress.message(finished(true));
    expect(progress.done).toBe(4);
    expect(progress.nothingChanged).toBe(true);
    expect(text(progress)).toBe("Building Loopwright: 4 steps done");
  });

  it("never shows a count above the total", () => {
    const progress = new Progress("Loopwright", { known: {} });
    progress.redrawn(bar(0, 2, "serde"));
    for (const name of ["serde", "tokio", "mio"]) progress.message(library(name));
    expect(text(progress)).toBe("Building Loopwright: 3 of 3 steps (serde)");
    progress.redrawn(bar(1, 2, "bytes"));
    expect(text(progress)).toBe("Building Loopwright: 3 of 3 steps (bytes)");
  });

  it("says what is left to download", () => {
    const progress = new Progress("Loopwright");
    progress.redrawn("       Fetch [=====>      ] 95 complete; 326 pending");
    expect(text(progress)).toBe("Building Loopwright");
    progress.redrawn(" Downloading 12 crates, remaining bytes: 3.2MiB");
    expect(text(progress)).toBe("Building Loopwright: 12 crates left to download");
    progress.redrawn(" Downloading 1 crate, extracting encoding_rs ...");
    expect(text(progress)).toBe("Building Loopwright: 1 crate left to download");
    progress.redrawn(bar(0, 9, "serde"));
    expect(text(progress)).toBe("Building Loopwright: 0 of 9 steps (serde)");
  });

  it("reads cargo's line with colours, and leaves other lines to the reader", () => {
    const progress = new Progress("Loopwright");
    expect(progress.redrawn("\x1b[1m\x1b[96m    Building\x1b[0m [===>    ] 12/13: loopwright-text  ")).toBe(
      true,
    );
    expect(text(progress)).toBe("Building Loopwright: 12 of 13 steps (loopwright-text)");
    expect(progress.isStatus("\x1b[1m\x1b[92m   Compiling\x1b[0m serde v1.0.0")).toBe(true);
    expect(progress.isStatus("    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.69s")).toBe(
      true,
    );
    expect(progress.isStatus("    Blocking waiting for file lock on build directory")).toBe(false);
    expect(progress.isStatus("warning: unused variable: `Compiling `")).toBe(false);
    expect(progress.redrawn("Linking by a tool that rewrites a line: 40%")).toBe(false);
    expect(progress.message("a line that a macro wrote")).toBe(false);
    expect(progress.message("{ half a message")).toBe(false);
  });

  it("leaves the name out where it has no room", () => {
    const progress = new Progress("Loopwright");
    progress.redrawn(bar(3, 9, "a-crate-with-a-long-name"));
    expect(progress.text(40)).toBe("Building Loopwright: 3 of 9 steps");
    expect(progress.text(20)).toBe("Building Loopwright:");
  });
});

describe("how long it takes", () => {
  const known = { small: [10, 1], harper: [1, 30], loopwright: [1, 20] };

  it("estimates from the seconds of the build before, once that means something", () => {
    const { progress, redrawn, message, pass } = recorded("Loopwright", { known, inPlace: true });
    redrawn(bar(0, 12, "small"));
    pass(2);
    message(library("small"));
    redrawn(bar(1, 12, "small"));
    expect(text(progress)).not.toContain("left");
    for (let done = 2; done <= 4; done += 1) {
      pass(2);
      message(library("small"));
      redrawn(bar(done, 12, "small"));
    }
    // A unit that was expected to take 4 seconds takes 8. That is little evidence, so the estimate for the
    // other 56 changes only a little.
    expect(text(progress)).toBe("Building Loopwright: 4 of 12 steps, about 70 s left (small)");
  });

  it("follows the clock within a long unit, and keeps something for one that takes longer than before", () => {
    const { progress, redrawn, message, pass } = recorded("Loopwright", { known, inPlace: true });
    for (let one = 0; one < 10; one += 1) message(library("small", true));
    redrawn(bar(10, 12, "harper"));
    pass(20);
    expect(text(progress)).toContain("about 30 s left (harper)");
    pass(40);
    expect(text(progress)).toContain("about 40 s left (harper)");
  });

  it("estimates what is left of a build that is mostly fresh", () => {
    const { progress, redrawn, message, pass } = recorded("Loopwright", {
      known: { small: [1000, 1], loopwright: [1, 20] },
      inPlace: true,
    });
    for (let one = 0; one < 1000; one += 1) message(library("small", true));
    redrawn(bar(1000, 1001, "loopwright"));
    pass(8);
    expect(text(progress)).toBe("Building Loopwright: 1000 of 1001 steps, about 20 s left (loopwright)");
  });

  it("estimates nothing without an earlier build", () => {
    const { progress, redrawn, pass } = recorded("Loopwright", { inPlace: true });
    redrawn(bar(1, 3, "serde"));
    pass(60);
    redrawn(bar(2, 3, "tokio"));
    expect(text(progress)).toBe("Building Loopwright: 2 of 3 steps (tokio)");
  });

  it("remembers each unit, and shares the time among those that run together", () => {
    const { progress, redrawn, message, pass } = recorded("Loopwright", { known, inPlace: true });
    message(library("harper", true));
    redrawn(bar(1, 4, "serde", "tokio"));
    pass(4);
    message(library("serde"));
    redrawn(bar(2, 4, "tokio"));
    pass(1);
    message(library("tokio"));
    redrawn(bar(3, 4, "loopwright(bin)"));
    pass(7);
    message(program("loopwright"));
    expect(progress.units()).toEqual({
      harper: [1, 30],
      serde: [1, 2],
      tokio: [1, 3],
      "loopwright(bin)": [1, 7],
    });
  });

  it("has seconds only for crates that are built", () => {
    const lock = readFileSync(path.join(root, "src-tauri/Cargo.lock"), "utf8");
    const names = Object.keys({ ...FIRST_BUILD, ...FIRST_SCRIPTS_BUILD }).map((name) =>
      name.replace(/\(.*/, ""),
    );
    expect(names.filter((name) => !lock.includes(`name = "${name}"\n`))).toEqual([]);
  });

  it("is said in minutes and seconds", () => {
    expect([400, 9960, 59_400, 252_000].map(duration)).toEqual(["0.4 s", "10 s", "59 s", "4 min 12 s"]);
  });
});

describe("the line that is shown", () => {
  it("is rewritten in place on a terminal", () => {
    const { redrawn, message, pass, print, clear, written } = recorded("Loopwright", { inPlace: true });
    redrawn(bar(0, 2, "serde"));
    pass(1);
    print("warning: unused variable: `x`");
    pass(1);
    message(library("serde"));
    redrawn(bar(1, 2, "tokio"));
    pass(3);
    clear();
    expect(written()).toBe(
      [
        "\rBuilding Loopwright: 0 of 2 steps (serde)\x1b[K",
        "\r\x1b[Kwarning: unused variable: `x`\n",
        "\rBuilding Loopwright: 0 of 2 steps (serde)\x1b[K",
        "\rBuilding Loopwright: 1 of 2 steps (tokio)\x1b[K",
        `\r${ERASE_LINE}`,
      ].join(""),
    );
  });

  it("is written every 15 seconds elsewhere, without control characters", () => {
    const { redrawn, message, pass, print, clear, written } = recorded("Loopwright", { inPlace: false });
    redrawn(bar(0, 2, "serde"));
    pass(20);
    print("warning: unused variable: `x`");
    message(library("serde"));
    redrawn(bar(1, 2, "tokio"));
    pass(25);
    clear();
    expect(written().split("\n")).toEqual([
      "Building Loopwright: 0 of 2 steps (serde)",
      "warning: unused variable: `x`",
      "Building Loopwright: 1 of 2 steps (tokio)",
      "Building Loopwright: 1 of 2 steps (tokio)",
      "",
    ]);
  });
});

describe("a command that writes as cargo does", () => {
  let folder;
  let said;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "loopwright-progress-"));
    said = vi.spyOn(console, "log").mockImplementation(() => {});
  });
  afterEach(() => {
    said.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Runs a program in place of cargo that writes `steps`: lines of its output, and text for standard error.
   */
  async function run(steps, { code = 0, inPlace = false } = {}) {
    const script = path.join(folder, "cargo.mjs");
    const write = ({ out, err }) =>
      `process.stdout.write(${JSON.stringify(out ? `${out}\n` : "")}); process.stderr.write(${JSON.stringify(err ?? "")});`;
    writeFileSync(script, [...steps.map(write), `process.exitCode = ${code};`].join("\n"));
    let time = 0;
    const now = () => {
      time += 150;
      return time;
    };
    let written = "";
    const stream = {
      isTTY: inPlace,
      columns: 80,
      write: (text) => {
        written += text;
      },
    };
    const memory = path.join(folder, "seconds.json");
    const given = { what: "Loopwright", memory, key: "test", stream, inPlace, now };
    const status = await watch(process.execPath, [script], given);
    return { status, written, lines: said.mock.calls.map(([line]) => line), memory };
  }

  const ERROR = [
    "error[E0308]: mismatched types",
    " --> crates/text/src/lib.rs:11:21",
    "   |",
    '11 | fn broken() -> u8 { "x" }',
    "   |                --   ^^^ expected `u8`, found `&str`",
    "",
    "error: could not compile `loopwright-text` (lib) due to 1 previous error",
    "",
  ].join("\n");

  it("shows an error whole in the middle of the build, and ends as it did", async () => {
    const steps = [
      { err: `   Compiling serde v1.0.0\n${bar(0, 3, "serde")}\r` },
      { out: library("serde") },
      { err: `   Compiling loopwright-text v0.1.0\n${bar(1, 3, "loopwright-text")}\r${ERROR}` },
      { out: finished(false) },
    ];
    const plain = await run(steps, { code: 101 });
    expect(plain.status).toBe(101);
    expect(plain.written).toBe(ERROR);
    expect(plain.lines).toEqual([]);
    const { status, written } = await run(steps, { code: 101, inPlace: true });
    expect(status).toBe(101);
    const kept = written.split(ERASE_LINE).map((part) => part.replace(/\r[^\r]*$/, ""));
    expect(kept.join("")).toBe(ERROR);
    expect(written).toContain("\rBuilding Loopwright");
    expect(written.endsWith(`\r${ERASE_LINE}`)).toBe(true);
  });

  it("says how long a build took, and remembers its units", async () => {
    const { status, written, lines, memory } = await run([
      { err: `${bar(0, 2, "serde")}\r` },
      { out: library("serde"), err: `\x1b[K${bar(1, 2, "loopwright(bin)")}\r` },
      { out: program("loopwright") },
      { out: finished(true), err: "\x1b[K    Finished `dev` profile [unoptimized] target(s) in 0.40s\n" },
    ]);
    expect(status).toBe(0);
    expect(written).toBe("");
    expect(lines).toEqual([expect.stringMatching(/^Built Loopwright in [\d.]+ s\.$/)]);
    const units = JSON.parse(readFileSync(memory, "utf8")).test;
    expect(Object.keys(units).sort()).toEqual(["loopwright(bin)", "serde"]);
  });

  it("says so when everything was fresh", async () => {
    const { lines } = await run([{ out: library("serde", true) }, { out: program("loopwright", true) }]);
    expect(lines).toEqual([expect.stringMatching(/^Built Loopwright in [\d.]+ s; nothing had changed\.$/)]);
  });

  it("shows what is written without an end, and says when nothing could start", async () => {
    const { status, written } = await run([{ err: "error: no such command" }], { code: 1 });
    expect({ status, written }).toEqual({ status: 1, written: "error: no such command\n" });
    let text = "";
    const stream = {
      write: (more) => {
        text += more;
      },
    };
    const memory = path.join(folder, "seconds.json");
    const missing = path.join(folder, "missing");
    expect(await watch(missing, [], { what: "Loopwright", memory, key: "test", stream })).toBe(127);
    expect(text).toContain(`${missing} could not start: `);
  });

  it("ends at once when it is no longer wanted", async () => {
    const wanted = new AbortController();
    const stream = { write: (text) => written.push(text) };
    const written = [];
    const memory = path.join(folder, "seconds.json");
    const endless = ["-e", "setInterval(() => {}, 1000)"];
    const given = { what: "Loopwright", memory, key: "test", stream, signal: wanted.signal };
    const ended = watch(process.execPath, endless, given);
    wanted.abort();
    expect(await ended).not.toBe(0);
    expect(written.join("")).not.toContain("could not start");
  });
});

describe("a build that others wait for", () => {
  it("is marked while it lasts, also where it fails", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "loopwright-marked-"));
    const marker = path.join(folder, "debug/program.building");
    const seen = () => readFileSync(marker, "utf8");
    expect(await marked(marker, async () => seen())).toBe(`${process.pid}\n`);
    expect(existsSync(marker)).toBe(false);
    const broken = marked(marker, async () => {
      throw new Error(seen());
    });
    await expect(broken).rejects.toThrow(String(process.pid));
    expect(existsSync(marker)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
