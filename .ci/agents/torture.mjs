// `npm run torture -- agents`: the real programs of Claude Code, Codex and Gemini drive *Fix until green* on
// projects with pytest, with `node --test` and in Rust, until their tests pass. The runs are confined and
// keep the session; some use fresh sessions or no confinement. A stand-in on loopback answers in place of
// their models. The failures, transcripts and token counts that Loopwright reads are compared with the actual
// ones.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { installed } from "../lib/others.mjs";
import { answer, say } from "../lib/process.mjs";
import { run, tail } from "../lib/ran.mjs";
import {
  contentOf,
  lineOf,
  makeHome,
  makeProject,
  PROJECTS,
  printedBy,
  repaired,
  TESTS,
} from "./projects.mjs";
import { startStandIn } from "./server.mjs";

const PACKAGES = {
  python: ["pytest==9.2.0"],
  npm: ["@anthropic-ai/claude-code@2.1.332", "@openai/codex@0.171.0", "@google/gemini-cli@0.61.0"],
};
/** The time limit of one run, in seconds. */
const RUNS_WITHIN = 900;
/** A secret that each program receives. No transcript may contain it. */
const KEY = "sk-stand-in-5d1c7a";

/**
 * How each program finds the stand-in: the environment variables that it receives, and the files in its home
 * folder. `reads` is the kind of transcript entry that shows that it read a file. A program with `prices`
 * reports the cost of a turn.
 */
const AGENTS = {
  "claude-code": {
    env: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // As root and without confinement, the program refuses to work unless this variable is set.
      IS_SANDBOX: "1",
    }),
    files: () => ({}),
    reads: "read",
    prices: true,
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
    // Codex has no tool that reads files. It reads them with commands.
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

/** The runs: each program with each project, and once each with fresh sessions and without confinement. */
function variantsOf(only) {
  const [agents, projects] = [AGENTS, PROJECTS].map((all) => {
    const named = Object.keys(all).filter((name) => only?.includes(name));
    return named.length > 0 ? named : Object.keys(all);
  });
  return agents.flatMap((agent) => {
    const standard = { agent, kept: true, confined: true };
    const others = [
      { ...standard, project: "python", kept: false },
      { ...standard, project: "node", confined: false },
    ];
    return [
      ...projects.map((project) => ({ ...standard, project })),
      ...others.filter(({ project }) => projects.includes(project)),
    ];
  });
}

/**
 * Runs the programs on the projects with the command line `program`. `only` has names of programs and of projects; by
 * default, all take part. Returns true if all checks hold.
 */
export async function tortureAgents(program, only) {
  const unknown = only?.filter((name) => !(name in AGENTS) && !(name in PROJECTS)) ?? [];
  if (unknown.length > 0) {
    const known = [...Object.keys(AGENTS), ...Object.keys(PROJECTS)].join(", ");
    console.error(`Unknown program or project ${unknown.join(", ")}. Choose from ${known}.`);
    return false;
  }
  const { folder: bin, why } = installed("agents", PACKAGES);
  if (why) {
    console.error(`There are no agents to try: ${why}`);
    return false;
  }
  // Packages are installed without running their scripts. The script of Claude Code installs its program, so
  // it is run here.
  const script = path.join(bin, "node_modules/@anthropic-ai/claude-code/install.cjs");
  if (answer(process.execPath, [script]) === null) {
    console.error("The program of Claude Code could not be put in place.");
    return false;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-agents-"));
  const counts = { held: 0, failed: 0 };
  for (const variant of variantsOf(only)) {
    const { agent, project, kept, confined } = variant;
    const how = [kept ? "kept" : "fresh", confined ? "confined" : "not-confined"];
    say(`${agent}, ${project}: session ${how[0]}, ${how[1].replace("-", " ")}`);
    const place = path.join(folder, [agent, project, ...how].join("-"));
    const began = performance.now();
    const checks = await attempt({ program, bin, place, ...variant });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    for (const [what, holds, said = ""] of checks) {
      counts[holds ? "held" : "failed"] += 1;
      if (!holds) console.log(`DOES NOT HOLD: ${what}. ${said}`);
    }
    console.log(`${checks.filter(([, holds]) => holds).length} of ${checks.length} hold (${seconds} s)`);
  }
  if (counts.failed === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`\nThe projects and the runs are in ${folder}`);
  console.log(`\n${counts.held} passed, ${counts.failed} failed`);
  return counts.failed === 0;
}

/**
 * Runs a program on a project until its tests pass. Returns the checks, each with its description, whether it
 * passed, and what was found.
 */
async function attempt(variant) {
  const { program, bin, place, agent: name, confined, kept } = variant;
  const [agent, project] = [AGENTS[name], PROJECTS[variant.project]];
  const [source, home] = [path.join(place, "project"), path.join(place, "home")];
  const outside = path.join(home, "outside.txt");
  const PATH = [path.join(bin, "node_modules/.bin"), path.join(bin, "bin"), process.env.PATH].join(":");
  makeHome(home, PATH);
  const git = makeProject(source, project);
  const before = contentOf(source);
  const server = await startStandIn({
    repairs: project.repairs.map((repair) => ({ file: repair.file, ...lineOf(project, repair) })),
    command: `${project.command}; echo "$0" > ${outside}`,
  });
  for (const [file, content] of Object.entries(agent.files(server))) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), content);
  }
  const given = agent.env(server);
  const env = { ...process.env, ...given, HOME: home, PATH, LOOPWRIGHT_DATA_DIR: path.join(place, "data") };
  const loopwright = (...args) => run(program, args, { cwd: source, env, within: RUNS_WITHIN });
  const names = Object.keys(given).flatMap((variable) => ["--env", variable]);
  const until = ["until", project.command, "--with", name, "--max", "5", ...names];
  const running =
    confined && kept
      ? loopwright(...until, "--allow", "all", "--json")
      : changed(loopwright, { until, flow: path.join(place, "flow.json"), confined, kept });
  const [live, done] = await following(loopwright, running);
  server.end();
  const after = contentOf(source);
  const id = `${done.json?.runId}`;
  const step = async (at) => (await loopwright("runs", "show", id, "--step", at, "--json")).json ?? {};
  const tests = [];
  const turns = [];
  for (const number of [1, 2, 3]) tests.push(await step(`repair[${number}]/check`));
  for (const number of [1, 2]) turns.push(await step(`repair[${number}]/fix`));
  const printed = await loopwright("runs", "show", id, "--step", "repair[1]/fix");
  const applied = await loopwright("workspace", "apply", id, "--as", "branch", "green");
  const warnings = JSON.stringify(done.json?.warnings ?? []);
  return [
    [
      "the check passes in the third iteration",
      done.json?.status === "completed" &&
        done.json.loops?.repair?.count === 3 &&
        done.json.loops.repair.exhausted === false,
      tail(done),
    ],
    ...tests.map((check, index) => readRight(project, check, index)),
    ...turns.flatMap((turn, index) => transcriptOf({ project, agent, turn, index })),
    ["the first transcript is printed", isPrinted(project, printed.out), tail(printed)],
    ["its lines were seen while it worked", live.length >= 2, JSON.stringify(live)],
    ...usageOf({ agent, turns, reported: server.turns, all: done.json?.usage }),
    [
      "each iteration has the usage of its turn",
      isDeepStrictEqual(done.json?.loops?.repair?.usage, iterationsOf(turns)),
      JSON.stringify(done.json?.loops?.repair?.usage),
    ],
    ...sessionOf({ kept, turns, asked: server.turns }),
    [confined ? "it could not write outside" : "it could write outside", existsSync(outside) === !confined],
    ["the source is as it was, byte for byte", isDeepStrictEqual(after, before), differences(before, after)],
    ["nothing outside of the workspace changed", !warnings.includes("source_changed"), warnings],
    ...branchOf({ project, git, applied, id }),
  ];
}

/**
 * Checks that the check in this iteration, counted from 0, reported exactly the tests of the remaining
 * mistakes as failed.
 */
function readRight({ repairs }, { output }, index) {
  const left = repairs.slice(index);
  const failures = (output?.failures ?? []).map(({ name }) => name);
  const holds =
    output?.passed === (left.length === 0) &&
    isDeepStrictEqual(failures.toSorted(), left.map(({ name }) => name).toSorted()) &&
    isDeepStrictEqual(output?.counts, { passed: TESTS - left.length, failed: left.length });
  return [`the failures of iteration ${index + 1} are read`, holds, JSON.stringify(output)];
}

function transcriptOf({ project, agent, turn, index }) {
  const { file } = project.repairs[index];
  const { entries } = turn.transcript?.turns?.[0] ?? { entries: [] };
  const texts = (kind) => entries.filter((entry) => entry.kind === kind).map(({ text }) => text);
  const all = JSON.stringify(turn);
  const failed = project.repairs.length - index - 1;
  const isTested = ({ kind, output }) => kind === "ran" && printedBy(project, output, failed);
  const of = `the transcript of turn ${index + 1} has`;
  return [
    [`${of} what it said`, texts("said").length === 2, all],
    [`${of} what it read`, texts(agent.reads).some((text) => text.includes(file)), all],
    [`${of} what it edited`, texts("edited").includes(file), all],
    [`${of} what it ran, with the end of the output`, entries.some(isTested), all],
    [`${of} no secret`, entries.length > 0 && !all.includes(KEY)],
  ];
}

const isPrinted = (project, text) =>
  text.includes(`edited   ${project.repairs[0].file}`) &&
  printedBy(project, text, project.repairs.length - 1);

/**
 * Checks that the tokens of each turn are those that the stand-in reported. All turns cost the same, so their
 * prices must be equal if the program reports prices. Otherwise the prices must be unknown, and never zero.
 */
function usageOf({ agent, turns, reported, all }) {
  const sum = (name) => reported.reduce((sum, turn) => sum + turn[name], 0);
  const found = turns.map(({ usage }) => usage ?? {});
  const prices = found.map(({ cost_usd }) => cost_usd);
  const said = JSON.stringify({ found, all, reported: reported.map(({ input, output }) => [input, output]) });
  return [
    ...found.map(({ calls, input_tokens, output_tokens }, index) => [
      `the tokens of turn ${index + 1} are recorded`,
      calls === 1 && input_tokens === reported[index]?.input && output_tokens === reported[index]?.output,
      said,
    ]),
    [
      "the tokens of the run are their sum",
      all?.inputTokens === sum("input") && all?.outputTokens === sum("output"),
      said,
    ],
    ...(agent.prices
      ? [
          [
            "each turn has the price that the program reports",
            prices[0] > 0 && prices[0] === prices[1],
            said,
          ],
          ["the price of the run is their sum", Math.abs(all?.costUsd - prices[0] - prices[1]) < 2e-6, said],
        ]
      : [["the prices are unknown", isDeepStrictEqual([...prices, all?.costUsd], [null, null, null]), said]]),
  ];
}

/**
 * Returns the expected usage of each iteration: the usage of its turn, and zero for the last iteration, which
 * has no turn.
 */
const iterationsOf = (turns) =>
  [...turns.map(({ usage }) => usage), { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 }].map(
    (usage) => ({
      calls: usage?.calls,
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      costUsd: usage?.cost_usd,
    }),
  );

function sessionOf({ kept, turns, asked }) {
  const sessions = turns.map(({ handles }) => handles?.sessionId);
  const said = JSON.stringify({ sessions, earlier: asked.map(({ earlier }) => earlier) });
  const isOne = Boolean(sessions[0]) && sessions[0] === sessions[1];
  const remembers = asked.length === 2 && asked[0].earlier === 0 && asked[1].earlier > 0;
  return kept
    ? [["the second turn has the conversation of the first", isOne && remembers, said]]
    : [
        [
          "the second turn has a conversation of its own",
          Boolean(sessions[1]) && !isOne && asked.length === 2 && asked[1].earlier === 0,
          said,
        ],
      ];
}

/** Checks that the branch has a commit for each repair, and the files of the repaired project. */
function branchOf({ project, git, applied, id }) {
  const filesAt = (commit) => {
    const names = git("ls-tree", "-r", "--name-only", commit)?.split("\n") ?? [];
    return Object.fromEntries(names.map((name) => [name, `${git("show", `${commit}:${name}`)}`]));
  };
  const wanted = (count) =>
    Object.fromEntries(
      Object.entries(repaired(project, count)).map(([name, content]) => [name, content.trimEnd()]),
    );
  return [
    [
      "apply makes a branch with a commit for each repair",
      git("rev-list", "--count", "main..green") === "2" &&
        git("log", "-1", "--format=%B", "green")?.includes(id),
      `${tail(applied)} ${git("log", "--stat", "green")}`,
    ],
    ...[2, 1].map((count) => {
      const found = filesAt(`green~${2 - count}`);
      return [
        `the branch has the tree after repair ${count}`,
        isDeepStrictEqual(found, wanted(count)),
        JSON.stringify(found),
      ];
    }),
    ["the files of the source are not those of the branch", git("status", "--porcelain") === ""],
  ];
}

/** Returns the names of the fields that differ between two objects, separated by commas. */
const differences = (one, other) =>
  Object.keys({ ...one, ...other })
    .filter((name) => one[name] !== other[name])
    .join(", ");

/**
 * Runs the flow of `until` with other settings. An agent that is not confined gets the permission for
 * everything.
 */
async function changed(loopwright, { until, flow, confined, kept }) {
  // The flow is written before approvals are checked, so this command ends immediately.
  await loopwright(...until, "--save", flow);
  const document = JSON.parse(readFileSync(flow, "utf8"));
  const node = (id) => document.nodes.find((one) => one.id === id).data;
  if (!kept) node("fix").session = "fresh";
  if (!confined) {
    node("repair").workspace.confine = "off";
    node("fix").sandbox = "full";
  }
  writeFileSync(flow, JSON.stringify(document));
  return loopwright("run", flow, "--allow", "all", "--json");
}

/**
 * Waits for a run. Returns the distinct activity lines of the agent that another process saw meanwhile, and
 * the result.
 */
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
