// `npm start`: from a fresh clone to the open window. Without a display it runs Self-Refine in the terminal.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { build, buildScripts, FIRST_BUILD } from "./lib/build.mjs";
import { optionsOf } from "./lib/options.mjs";
import { builtProgram, root, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";

const HELP = `npm start [-- [--terminal] [--input TEXT]]

Installs what is missing, builds Loopwright and opens its window.
Where there is no display, Self-Refine runs in the terminal instead.
The program that runs scripts is built behind either.

  --terminal     run Self-Refine in the terminal, also where there is a display
  --input TEXT   the text that Self-Refine works on in the terminal (default: its own sample)
`;

const { input, terminal } = optionsOf(HELP, {
  input: { type: "string" },
  terminal: { type: "boolean" },
});
const display = process.platform !== "linux" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
if (terminal || !display) await inTerminal();
else await inWindow();

async function inWindow() {
  await prepare(["compile", "window"]);
  say("Building the pages");
  if ((await show("npm", ["run", "--silent", "ui:build"])) !== 0)
    stop("The pages could not be built; the reason is above.");
  say("Building the program (some minutes the first time, seconds after that)");
  if ((await build("Loopwright", ["-p", "loopwright-desktop"], { firstBuild: FIRST_BUILD })) !== 0) {
    stop("The program could not be built; the reason is above.");
  }
  say("Opening Loopwright. Closing its window ends this command.");
  const closed = new AbortController();
  // This build starts before the window, so that the window finds it in progress.
  const scripts = buildScripts({ signal: closed.signal });
  const window = spawn(builtProgram("loopwright-desktop"), [], { cwd: root, stdio: "inherit" });
  window.on("error", (error) => stop(`The window could not be opened: ${error.message}`));
  window.on("close", async (code) => {
    closed.abort();
    await scripts;
    process.exit(code ?? 1);
  });
}

async function inTerminal() {
  if (!terminal)
    say(
      "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set): running Self-Refine in the terminal.",
    );
  await prepare(["compile"]);
  say("Building the command line (some minutes the first time, seconds after that)");
  if ((await build("the command line", ["-p", "loopwright-cli"], { firstBuild: FIRST_BUILD })) !== 0) {
    stop("The command line could not be built; the reason is above.");
  }
  const flow = path.join(root, "templates/self-refine.json");
  const name = JSON.parse(readFileSync(flow, "utf8")).nodes.find((node) => node.type === "input").data.name;
  const given = input === undefined ? [] : ["--input", `${name}=${input}`];
  say(["loopwright run templates/self-refine.json", ...given].join(" "));
  process.exitCode = await show(builtProgram("loopwright"), ["run", flow, ...given]);
  if (process.exitCode === 0) {
    say("loopwright runs show last");
    await show(builtProgram("loopwright"), ["runs", "show", "last"]);
  }
  say(
    "Building the program that runs scripts. Self-Refine has no scripts, so you can stop this with Ctrl-C.",
  );
  if ((await buildScripts()) !== 0) process.exitCode = 1;
}
