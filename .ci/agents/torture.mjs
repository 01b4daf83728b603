// `npm run torture -- agents`: runs the real programs of Claude Code, Codex and Gemini in a Loop with a
// workspace, once confined and once not. A stand-in on loopback answers in place of their models. Each program
// must read, edit and run a command, and its transcript must say so, while it works and afterwards.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { installed } from "../lib/others.mjs";
import { answer, say } from "../lib/process.mjs";
import { run, tail } from "../lib/ran.mjs";
import { startStandIn } from "./server.mjs";

const PACKAGES = {
  npm: ["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.171.0", "@google/gemini-cli@0.61.0"],
};
/** The time limit of one run, in seconds. */
const RUNS_WITHIN = 300;
/** A secret that each program receives. No transcript may contain it. */
const KEY = "sk-stand-in-5d1c7a";
/** The line that the tests of the project print. */
const TESTED = "the word is new";

/** How each program finds the stand-in: the variables that it receives, and the files in its home folder. */
const AGENTS = {
  "claude-code": {
    env: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Outside of a confinement, the program does nothing for root without this variable.
      IS_SANDBOX: "1",
    }),
    files: () => ({}),
    reads: "read",
  },
  codex: {
    env: () => ({ STAND_IN_KEY: KEY }),
    files: ({ address }) => ({
      ".codex/config.toml": [
        'model = "stand-in"',
        'model_provider = "here"',
        'model_reasoning_summary = "detailed"',
        "[model_providers.here]",
        'name = "here"',
        `base_url = "${address}/v1"`,
        'env_key = "STAND_IN_KEY"',
        'wire_api = "responses"',
        "",
      ].join("\n"),
    }),
    // Codex has no tool that reads. It reads by commands.
    reads: "ran",
  },
  gemini: {
    env: ({ address }) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_MODEL: "gemini-2.5-flash",
    }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
    reads: "read",
  },
};

/** Runs each program confined and unconfined with the command line `program`. Returns true if all checks hold. */
export async function tortureAgents(program, only) {
  const { folder: bin, why } = installed("agents", PACKAGES);
  if (why) {
    console.error(`There are no agents to try: ${why}`);
    return false;
  }
  // Packages are installed without their scripts. Claude Code's puts its program in place, so it runs here.
  const script = path.join(bin, "node_modules/@anthropic-ai/claude-code/install.cjs");
  if (answer(process.execPath, [script]) === null) {
    console.error("The program of Claude Code could not be put in place.");
    return false;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-agents-"));
  const counts = { held: 0, failed: 0 };
  for (const [name, agent] of Object.entries(AGENTS)) {
    if (only && !only.includes(name)) continue;
    for (const confined of [true, false]) {
      say(`${name}, ${confined ? "confined" : "not confined"}`);
      const place = path.join(folder, `${name}-${confined}`);
      const began = performance.now();
      const checks = await attempt({ program, bin, place, name, agent, confined });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      for (const [what, holds, said = ""] of checks) {
        counts[holds ? "held" : "failed"] += 1;
        if (!holds) console.log(`DOES NOT HOLD: ${what}. ${said}`);
      }
      console.log(`${checks.filter(([, holds]) => holds).length} of ${checks.length} hold (${seconds} s)`);
    }
  }
  if (counts.failed === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`\nThe projects and the runs are in ${folder}`);
  console.log(`\n${counts.held} passed, ${counts.failed} failed`);
  return counts.failed === 0;
}

function makeProject(project) {
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "word.txt"), "old words\n");
  writeFileSync(
    path.join(project, "package.json"),
    JSON.stringify({ name: "word", version: "1.0.0", scripts: { test: "node check.js" } }),
  );
  writeFileSync(
    path.join(project, "check.js"),
    `if (!require("node:fs").readFileSync("word.txt", "utf8").includes("new words")) {
  console.error("AssertionError: the word is old");
  process.exit(1);
}
console.log(${JSON.stringify(TESTED)});
`,
  );
  const git = (...args) => spawnSync("git", args, { cwd: project, encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "First");
  return git;
}

async function attempt({ program, bin, place, name, agent, confined }) {
  const [project, home] = [path.join(place, "project"), path.join(place, "home")];
  const outside = path.join(home, "outside.txt");
  mkdirSync(home, { recursive: true });
  const git = makeProject(project);
  const command = `npm test; echo "$0" > ${outside}`;
  const server = await startStandIn({ file: "word.txt", from: "old words", to: "new words", command });
  for (const [file, content] of Object.entries(agent.files(server))) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), content);
  }
  const given = agent.env(server);
  const env = {
    ...process.env,
    ...given,
    HOME: home,
    PATH: `${path.join(bin, "node_modules/.bin")}:${process.env.PATH}`,
    LOOPWRIGHT_DATA_DIR: path.join(place, "data"),
  };
  const loopwright = (...args) => run(program, args, { cwd: project, env, within: RUNS_WITHIN });
  const flow = path.join(place, "flow.json");
  const until = ["until", "npm test", "--with", name, "--max", "3", "--allow", "all"];
  const names = Object.keys(given).flatMap((variable) => ["--env", variable]);
  const [live, done] = confined
    ? await following(loopwright, loopwright(...until, ...names, "--json"))
    : await following(loopwright, unconfined(loopwright, { flow, project, name, env: Object.keys(given) }));
  server.end();
  const run_id = done.json?.runId;
  const shown = await loopwright("runs", "show", `${run_id}`, "--step", "repair[1]/fix", "--json");
  const turn = shown.json?.transcript?.turns?.[0] ?? { entries: [] };
  const texts = (kind) => turn.entries.filter((entry) => entry.kind === kind).map(({ text }) => text);
  const tested = turn.entries.find(({ kind, output }) => kind === "ran" && output?.includes(TESTED));
  const printed = await loopwright("runs", "show", `${run_id}`, "--step", "repair[1]/fix");
  const diff = await loopwright("workspace", "diff", `${run_id}`);
  const warnings = JSON.stringify(done.json?.warnings ?? []);
  return [
    [
      "the check passes in the second iteration",
      done.json?.status === "completed" && done.json?.loops?.repair?.iterations?.length === 2,
      tail(done),
    ],
    ["the file is edited in the workspace", diff.out.includes("+new words"), tail(diff)],
    [
      "the source is as it was",
      git("status", "--porcelain").stdout === "" &&
        readFileSync(path.join(project, "word.txt"), "utf8") === "old words\n",
    ],
    ["the transcript has what it said", texts("said").length === 2, JSON.stringify(turn)],
    [
      "the transcript has what it read",
      texts(agent.reads).some((text) => text.includes("word.txt")),
      JSON.stringify(turn),
    ],
    ["the transcript has what it edited", texts("edited").includes("word.txt"), JSON.stringify(turn)],
    [
      "the transcript has what it ran, with the end of the output",
      tested !== undefined,
      JSON.stringify(turn),
    ],
    [
      "the transcript is printed",
      printed.out.includes("edited   word.txt") && printed.out.includes(TESTED),
      tail(printed),
    ],
    ["its lines were seen while it worked", live.length >= 2, JSON.stringify(live)],
    ["no secret is in the transcript", shown.out !== "" && !shown.out.includes(KEY), ""],
    [
      confined ? "it could not write outside" : "it could write outside",
      existsSync(outside) === !confined,
      "",
    ],
    ["nothing outside of the workspace changed", !warnings.includes("source_changed"), warnings],
  ];
}

/** Runs the flow of `until` without confinement. The agent may do everything, because nothing else limits it. */
async function unconfined(loopwright, { flow, project, name, env }) {
  // The flow is written before the programs are approved, so this ends at once.
  await loopwright("until", "npm test", "--with", name, "--max", "3", "--save", flow);
  const document = JSON.parse(readFileSync(flow, "utf8"));
  const node = (id) => document.nodes.find((one) => one.id === id).data;
  node("repair").workspace.confine = "off";
  node("repair").workspace.source = project;
  Object.assign(node("fix"), { sandbox: "full", env });
  writeFileSync(flow, JSON.stringify(document));
  return loopwright("run", flow, "--allow", "all", "--json");
}

/** Waits for a run. Returns the different lines of the agent that another process saw meanwhile, and the result. */
async function following(loopwright, running) {
  let over = false;
  const lines = new Set();
  const done = running.finally(() => {
    over = true;
  });
  while (!over) {
    const shown = await loopwright("runs", "show", "last", "--step", "repair[1]/fix", "--json");
    const line = shown.json?.transcript?.turns?.at(-1)?.line;
    if (line) lines.add(line);
    await new Promise((waits) => setTimeout(waits, 100));
  }
  return [[...lines], await done];
}
