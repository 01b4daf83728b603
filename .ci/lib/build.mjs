// Builds with cargo and shows the progress. Warnings and errors appear as cargo writes them.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildFolder, builtProgram, cargo, root } from "./process.mjs";
import { duration, ERASE_LINE, PROGRESS_ENVIRONMENT, Progress, StatusLine } from "./progress.mjs";

/**
 * The units that take longest in a clean build, in seconds on two cores. They are the only estimate for a
 * first build.
 */
export const FIRST_BUILD = {
  "loopwright-model": [1, 40],
  rmcp: [1, 26],
  "libsqlite3-sys(build)": [1, 23],
  "loopwright-engine": [1, 22],
  tera: [1, 15],
  "harper-core": [1, 15],
  "loopwright-api": [1, 14],
  zbus: [1, 11],
  similar: [1, 9],
  "loopwright-cluster": [1, 8],
  "loopwright-import": [1, 6],
  "loopwright-evaluation": [1, 6],
  "libmimalloc-sys(build)": [1, 6],
};

/** The units of the script runner that take longest, in the same form. */
export const FIRST_SCRIPTS_BUILD = {
  "mlua-sys(build)": [1, 37],
  monty: [1, 22],
  "rquickjs-sys(build)": [1, 10],
  oxc_ast: [1, 9],
  ruff_python_ast: [1, 7],
};

/**
 * Builds the script runner. Returns cargo's exit status, and prints an error if the build fails. During the
 * build, a file next to the program contains the id of this process: a program that needs scripts waits as
 * long as the process lives. `signal` ends the build.
 */
export async function buildScripts({ signal } = {}) {
  const program = builtProgram("loopwright-scripts").replace(/\.exe$/, "");
  const args = ["-p", "loopwright-script-worker"];
  const code = await marked(`${program}.building`, () =>
    build("the program for scripts", args, { firstBuild: FIRST_SCRIPTS_BUILD, signal }),
  );
  if (code !== 0 && !signal?.aborted) {
    console.error(
      "The program that runs scripts could not be built; the reason is above. Flows without scripts are not affected.",
    );
  }
  return code;
}

/** Returns the result of `work`. While it runs, the file `marker` contains the id of this process. */
export async function marked(marker, work) {
  const forget = () => rmSync(marker, { force: true });
  mkdirSync(path.dirname(marker), { recursive: true });
  writeFileSync(marker, `${process.pid}\n`);
  process.once("exit", forget);
  try {
    return await work();
  } finally {
    forget();
    process.off("exit", forget);
  }
}

/**
 * Runs `cargo build` with `args`. Returns cargo's exit status, or 127 if it could not start. `what` names the
 * result in messages. `firstBuild` has the seconds of each unit, and is used if no times of an earlier build
 * are stored. `signal` ends the build.
 */
export function build(what, args, { firstBuild, signal } = {}) {
  return watch("cargo", cargo("build", "--message-format=json-render-diagnostics", ...args), {
    what,
    firstBuild,
    signal,
    memory: path.join(buildFolder(), "loopwright-build-seconds.json"),
    key: args.join(" "),
  });
}

/**
 * Like `build`, for any command that writes the same output as cargo. Tests pass the stream and the clock.
 */
export function watch(command, args, { what, firstBuild, memory, key, signal, ...surroundings }) {
  const {
    stream = process.stderr,
    inPlace = isRewritable(stream),
    now = () => performance.now(),
  } = surroundings;
  const earlier = read(memory);
  const progress = new Progress(what, { known: earlier[key] ?? firstBuild, now });
  const status = new StatusLine(stream, { inPlace, now });
  const begun = now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["inherit", "pipe", "pipe"],
      signal,
      env: { ...colours(stream), ...process.env, ...PROGRESS_ENVIRONMENT },
    });
    const show = () => status.show(progress.text(status.columns));
    const clock = setInterval(show, 1000);
    const onOutput = (line) => {
      if (!progress.message(line)) status.print(line);
    };
    const onError = (line, isRedrawn) => {
      const isProgress = isRedrawn ? progress.redrawn(line) : progress.isStatus(line);
      if (!isProgress) status.print(line);
    };
    // The line is not printed again after each line of output, so that an error of several lines is not
    // interrupted.
    readLines(child.stdout, onOutput).on("data", show);
    readLines(child.stderr, onError).on("data", show);
    child.on("error", (error) => {
      // The build was aborted on purpose; the event `close` follows.
      if (error.name === "AbortError") return;
      clearInterval(clock);
      status.print(`${command} could not start: ${error.message}`);
      resolve(127);
    });
    child.on("close", (code, signal) => {
      clearInterval(clock);
      status.clear();
      if (code === 0) {
        const time = duration(now() - begun);
        console.log(`Built ${what} in ${time}${progress.nothingChanged ? "; nothing had changed" : ""}.`);
        write(memory, { ...earlier, [key]: progress.units() });
      }
      resolve(code ?? (signal ? 130 : 1));
    });
  });
}

/**
 * Returns whether a line on the stream can be rewritten in place. Both streams must be terminals: text that
 * the other one sends through a pipe arrives late and would appear within the rewritten line.
 */
function isRewritable(stream) {
  return stream.isTTY && process.stdout.isTTY && !process.env.CI && process.env.TERM !== "dumb";
}

/** Cargo writes into a pipe here, so it cannot detect that the terminal supports colours. */
function colours(stream) {
  return stream.isTTY && !process.env.NO_COLOR ? { CARGO_TERM_COLOR: "always" } : {};
}

/**
 * Passes each line to `take`. The second argument says whether the line ended with only a carriage return, as
 * a line that is rewritten in place does.
 */
function readLines(stream, take) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const parts = (rest + text).split(/(\r\n|\n|\r)/);
    rest = parts.pop();
    for (let at = 0; at < parts.length; at += 2) take(withoutErasure(parts[at]), parts[at + 1] === "\r");
  });
  stream.on("end", () => {
    if (rest) take(withoutErasure(rest), false);
  });
  return stream;
}

/** Cargo erases its own progress line before it writes another. */
function withoutErasure(line) {
  return line.startsWith(ERASE_LINE) ? line.slice(ERASE_LINE.length) : line;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // No build has finished in this folder, or the file is damaged; this build writes a new one.
    return {};
  }
}

function write(file, seconds) {
  try {
    writeFileSync(file, JSON.stringify(seconds));
  } catch {
    // If these times are missing, the estimate of the next build is worse, but that is not an error.
  }
}
