// `npm run bench -- load`: measures the cost of large work for the whole program, and compares it with the
// ideal.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { measured, median, node, storeBytes, wire } from "../lib/measured.mjs";

const CALLS = 1000;
const AT_ONCE = 64;
const ANSWER_MS = 50;
const ROUNDS = 7;
/** The ideal time: every call takes its full time, and as many calls as allowed run at once. */
const IDEAL_MS = Math.ceil(CALLS / AT_ONCE) * ANSWER_MS;

/** Returns a flow with a list, and one node for each of its items. */
function overAList(body) {
  return {
    schemaVersion: 1,
    name: "list",
    settings: { concurrency: AT_ONCE },
    nodes: [
      node("in", "input", { name: "x", dataType: "json" }),
      node("each", "iterator", { concurrency: AT_ONCE }),
      node("body", body.type, body.data),
      node("gather", "aggregator", { mode: "array" }),
      // The output of a long list is as short as that of a short one.
      node("count", "transform", { template: "{{ input | length }}" }),
      node("out", "output", { name: "y" }),
    ],
    edges: [
      wire("in", "value", "each", "items"),
      wire("each", "item", "body", "input"),
      wire("body", "output", "gather", "input"),
      wire("gather", "output", "count", "input"),
      wire("count", "output", "out", "value"),
    ],
  };
}

/** Returns a flow whose value passes through a loop. */
function roundALoop(iterations) {
  return {
    schemaVersion: 1,
    name: "loop",
    nodes: [
      node("in", "input", { name: "x", dataType: "json" }),
      node("loop", "loop", { maxIterations: iterations, exitCondition: "max_iterations" }),
      node("step", "transform", { template: "{{ input }}" }),
      node("exit", "exit"),
      node("out", "output", { name: "y" }),
    ],
    edges: [
      wire("in", "value", "loop", "input"),
      wire("loop", "body", "step", "input"),
      wire("step", "output", "exit", "input"),
      wire("step", "output", "loop", "feedback"),
      wire("exit", "output", "out", "value"),
    ],
  };
}

/**
 * Builds the server. It has no dependencies and needs little processor time, because it shares the machine
 * with the measured program.
 */
function built(folder) {
  const server = path.join(folder, process.platform === "win32" ? "server.exe" : "server");
  const source = path.join(import.meta.dirname, "server.rs");
  const made = spawnSync("rustc", ["-O", "--edition", "2024", "-o", server, source], { stdio: "inherit" });
  if (made.status !== 0) throw new Error("the model server for the measurement could not be built");
  return server;
}

/** Runs the server until `stop` is called. */
async function serve(folder) {
  const child = spawn(built(folder), [String(ANSWER_MS)], { stdio: ["pipe", "pipe", "inherit"] });
  const said = () => new Promise((resolve) => child.stdout.once("data", (text) => resolve(Number(text))));
  const port = await said();
  /** Returns the time in milliseconds from the first request since the previous call to the last answer. */
  const busy = () => {
    const answer = said();
    child.stdin.write("\n");
    return answer.then((micros) => micros / 1000);
  };
  return { port, busy, stop: () => child.kill() };
}

/**
 * Makes the same calls with a minimal client. Returns the time in milliseconds. The part beyond the ideal
 * time is the overhead of the server and the system.
 */
async function plainClient(port) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const call = () =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, agent, method: "POST", path: "/v1/chat/completions" }, (reply) => {
        reply.resume();
        reply.on("end", resolve);
      });
      request.on("error", reject);
      request.end("{}");
    });
  const begun = performance.now();
  await Promise.all(Array.from({ length: CALLS }, call));
  agent.destroy();
  return performance.now() - begun;
}

/**
 * Runs a flow in its own store. Returns the duration in milliseconds, the peak memory and the written data in
 * MB, and the size of the output.
 */
async function once(bench, { flow, input, args = [], env = {} }) {
  const folder = path.join(bench.folder, "run");
  mkdirSync(folder);
  const [file, given] = [path.join(folder, "flow.json"), path.join(folder, "x.txt")];
  writeFileSync(file, JSON.stringify(flow));
  writeFileSync(given, input);
  let [printed, tail] = [0, ""];
  const { ms, memory, code, late } = await measured(
    bench.program,
    ["run", file, "--input-file", `x=${given}`, "--data-dir", path.join(folder, "data"), ...args],
    {
      env: { ...process.env, LOOPWRIGHT_KEYCHAIN: "off", ...env },
      limitMs: bench.limitMs,
      onOutput: (piece) => {
        printed += piece.length;
        tail = (tail + piece.toString("latin1")).slice(-200);
      },
    },
  );
  const stored = storeBytes(path.join(folder, "data")) / 1024 / 1024;
  rmSync(folder, { recursive: true });
  const words = late ? `not done after ${bench.limitMs / 1000} s` : code === 0 ? "" : `exit ${code}: ${tail}`;
  return { ms, memory, stored, printed: printed / 1024 / 1024, words };
}

const figures = (run) =>
  `${(run.ms / 1000).toFixed(2)} s, ${run.memory.toFixed(0)} MB of memory, ${run.stored.toFixed(0)} MB stored, ${run.printed.toFixed(1)} MB printed${run.words && ` (${run.words})`}`;

const row = (what, figure, ideal) => console.log(`| ${what} | ${figure} | ${ideal} |`);

async function calls(bench) {
  const server = await serve(bench.folder);
  const flow = overAList({
    type: "llm",
    data: { provider: "openai", model: "slow", maxTokens: 16, prompt: "Say: {{ item }}" },
  });
  const env = {
    OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
    OPENAI_API_KEY: "sk-bench-0000000000000000",
  };
  const list = (length) => JSON.stringify(Array.from({ length }, (_, index) => `item ${index}`));
  const [plain, whole, calling, start, memory] = [[], [], [], [], []];
  await plainClient(server.port);
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await plainClient(server.port));
    await server.busy();
    const run = await once(bench, { flow, input: list(CALLS), env });
    if (run.words) console.error(run.words);
    whole.push(run.ms);
    calling.push(await server.busy());
    memory.push(run.memory);
    start.push((await once(bench, { flow, input: list(1), env })).ms - ANSWER_MS);
  }
  server.stop();
  const times = (all) =>
    `${median(all).toFixed(0)} ms = ${((100 * IDEAL_MS) / median(all)).toFixed(1)} % of the ideal; best ${Math.min(...all).toFixed(0)} ms`;
  row(
    `${CALLS} calls of ${ANSWER_MS} ms, ${AT_ONCE} at once, from the first request to the last answer`,
    times(calling),
    `${IDEAL_MS} ms (${Math.ceil(CALLS / AT_ONCE)} × ${ANSWER_MS} ms); a plain client takes ${median(plain).toFixed(0)} ms`,
  );
  row(
    "the same with the start and the end of the program",
    `${times(whole)}; ${median(memory).toFixed(0)} MB of memory`,
    `${IDEAL_MS} ms`,
  );
  row("the same with one item, less the call itself", `${median(start).toFixed(0)} ms`, "0 ms");
}

async function lists(bench) {
  const flow = overAList({ type: "transform", data: { template: "{{ item + 1 }}" } });
  for (const length of [100_000, 1_000_000]) {
    const input = JSON.stringify(Array.from({ length }, (_, index) => index));
    const run = await once(bench, { flow, input });
    const each = (run.ms * 1000) / length;
    row(
      `${length.toLocaleString("en")} items, a Transform for each`,
      `${figures(run)}; ${each.toFixed(0)} µs an item`,
      "less than 500 MB, time in proportion to the items",
    );
  }
}

/** Returns objects with strings of about 200 characters, like records of a database. */
function records(bytes) {
  const text =
    "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor. ".repeat(2);
  const list = [];
  for (let size = 0; size < bytes; size += text.length + 40)
    list.push({ id: list.length, title: "a title", text });
  return JSON.stringify(list);
}

async function values(bench) {
  const mb = bench.valueMb;
  const flow = roundALoop(20);
  const text = JSON.stringify("x".repeat(mb * 1024 * 1024));
  for (const [what, input] of [
    [`a text of ${mb} MB`, text],
    [`a JSON list of ${mb} MB`, records(mb * 1024 * 1024)],
  ])
    for (const args of [[], ["--json"]])
      row(
        `${what} through a loop of 20${args.map((arg) => `, \`${arg}\``)}`,
        figures(await once(bench, { flow, input, args })),
        `less than 1,024 MB of memory, ${mb} MB printed`,
      );
}

/** Measures the named parts, or all. */
export async function measureLoad(bench, parts) {
  console.log("| what | measured | ideal |\n| --- | --- | --- |");
  for (const [name, measure] of Object.entries({ calls, lists, values }))
    if (parts.length === 0 || parts.includes(name)) await measure(bench);
}
