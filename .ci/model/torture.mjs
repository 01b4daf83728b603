// `npm run torture -- model`: tests the templates, the votes of a Router, structured answers, streaming and
// stopping with a small real model. A weak model gives poor answers. A run must still end with a specific
// reason, must not guess, and must not treat the words around an answer as part of it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { say } from "../lib/process.mjs";
import { startModel } from "./server.mjs";

/** The error codes of a run that failed because of the model. */
const MODELS_FAULT = new Set([
  "router_undecided",
  "invalid_answer",
  "answer_cut",
  "empty_answer",
  "response_not_json",
  "response_not_matching",
  "no_result",
]);
/** The time limit of one run, in seconds. */
const RUNS_WITHIN = 600;
/** Phrases that models add around the requested answer. */
const CHATTER = /^(sure|certainly|of course|here is|here's|i have|i've|i made|as an ai)\b/i;

/** Runs all checks with the command line `program`. Returns true if they all pass. */
export async function tortureModel(program) {
  const server = await startModel();
  if (server.why) {
    console.error(`There is no model to try: ${server.why}`);
    return false;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-model-"));
  const at = { program, folder, server };
  const rows = [];
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    say(name);
    const began = performance.now();
    const { holds, said } = await attempt(at);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`${holds ? "holds" : "DOES NOT HOLD"} (${seconds} s): ${said}`);
    rows.push({ name, holds });
  }
  server.end();
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `\n${rows.filter(({ holds }) => holds).length} passed, ${rows.filter(({ holds }) => !holds).length} failed`,
  );
  return rows.every(({ holds }) => holds);
}

const DRAFT =
  "The committee have met on tuesday to disscuss the the new library. Many resident think the plan are to expensive.";
const LONG =
  `${DRAFT} The council will vote again in March. The builder asked for two more years and four million. `.repeat(
    4,
  );

const ATTEMPTS = {
  "Template Self-Refine": template(
    "self-refine",
    { topic: DRAFT },
    (result) => !CHATTER.test(text(result)) && !/<\/?answer>/i.test(text(result)),
  ),
  "Template Agentic Search": template("agentic-search", {
    question: "In which year was the Harrow Light built?",
  }),
  "Template Summarise until Stable": template(
    "summarise-until-stable",
    { text: LONG },
    (result) => !CHATTER.test(text(result)),
  ),
  "Template Code Review Loop": template("code-review-loop", {}),
  "Template Retry with Correction": template("retry-with-correction", {}),
  "Template Map over a list": template(
    "map-over-a-list",
    {},
    ({ json }) => !json?.warnings?.some(({ code }) => code === "item_failed"),
  ),
  "20 votes of a Router: each names a branch, or none": votes,
  "10 structured answers: each fits its schema, or says that it does not": structured,
  "The streamed text is the answer": streaming,
  "Stopping frees the server": stopping,
};

const text = ({ json }) =>
  Object.values(json?.outputs ?? {})
    .map(String)
    .join("\n")
    .trim();

function template(name, inputs, also = () => true) {
  return async (at) => {
    const given = Object.entries(inputs).flatMap(([input, value]) => ["--input", `${input}=${value}`]);
    const result = await run(at, [name, ...given, "--approve", "all", "--allow", "all"]);
    return judged(result, also(result));
  };
}

/** Checks that a run completed or failed because of the model's own answer, and that `also` is true. */
function judged(result, also = true) {
  const { status, error } = result.json ?? {};
  const ended = status === "completed" || MODELS_FAULT.has(error?.code);
  const said = error ? `${error.code}: ${error.message}` : JSON.stringify(text(result)).slice(0, 200);
  return {
    holds: ended && also,
    said: `${status ?? `exit ${result.code}: ${result.err.slice(-300)}`}, ${said}`,
  };
}

const llm = (data) => ({
  id: "m",
  type: "llm",
  data: { provider: "openai", maxTokens: 120, temperature: 0.7, ...data },
});
const out = { id: "o", type: "output", data: { name: "y" } };
const edge = (source, target) => ({ id: `${source}-${target}`, source, target });

function flow(at, name, nodes, edges) {
  const file = path.join(at.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, name, nodes, edges }));
  return file;
}

async function votes(at) {
  const router = {
    id: "r",
    type: "router",
    data: {
      mode: "llm",
      provider: "openai",
      branches: ["done", "needs work"],
      temperature: 1,
      prompt: "Is this text good enough to print? {{ input }}",
    },
  };
  const text = { id: "t", type: "transform", data: { template: DRAFT } };
  const ends = [out, { ...out, id: "p", data: { name: "z" } }];
  const edges = [
    edge("t", "r"),
    { ...edge("r", "o"), sourceHandle: "done" },
    { ...edge("r", "p"), sourceHandle: "needs work" },
  ];
  const file = flow(at, "votes", [text, router, ...ends], edges);
  const count = {};
  for (let n = 0; n < 20; n++) {
    const { json } = await run(at, [file]);
    const vote =
      json?.status === "completed" ? Object.keys(json.outputs)[0] : (json?.error?.code ?? "no answer");
    count[vote] = (count[vote] ?? 0) + 1;
  }
  const holds = Object.keys(count).every((vote) =>
    ["y", "z", "router_undecided", "invalid_answer", "answer_cut"].includes(vote),
  );
  return { holds, said: JSON.stringify(count) };
}

async function structured(at) {
  const schema = {
    type: "object",
    properties: { title: { type: "string" }, year: { type: "integer" } },
    required: ["title", "year"],
    additionalProperties: false,
  };
  const file = flow(
    at,
    "structured",
    [llm({ prompt: "Invent a book. Give its title and year.", responseFormat: schema }), out],
    [edge("m", "o")],
  );
  const count = {};
  let holds = true;
  for (let n = 0; n < 10; n++) {
    const { json } = await run(at, [file]);
    const value = json?.outputs?.y;
    const fits = typeof value?.title === "string" && Number.isInteger(value?.year);
    const end =
      json?.status === "completed" ? (fits ? "fits" : "does not fit") : (json?.error?.code ?? "no answer");
    holds &&= end === "fits" || MODELS_FAULT.has(end);
    count[end] = (count[end] ?? 0) + 1;
  }
  return { holds, said: JSON.stringify(count) };
}

async function streaming(at) {
  const file = flow(
    at,
    "streaming",
    [llm({ prompt: "Tell a story of three sentences." }), out],
    [edge("m", "o")],
  );
  const result = await run(at, [file, "--events"]);
  const events = result.out.split("\n").filter(Boolean).flatMap(parsed);
  const tokens = events
    .filter(({ type }) => type === "workflow.node.streaming")
    .map((event) => event.tokens ?? event.text ?? "");
  const answer = events.at(-1)?.outputs?.y;
  return {
    holds: tokens.length > 1 && tokens.join("").trim() === String(answer).trim(),
    said: `${tokens.length} events, ${String(answer).length} characters`,
  };
}

async function stopping(at) {
  const file = flow(
    at,
    "stopping",
    [llm({ prompt: "Count from one to a thousand, in words.", maxTokens: 2000 }), out],
    [edge("m", "o")],
  );
  const stopped = await run(at, [file, "--events"], (child, line) => {
    if (line.includes("workflow.node.streaming")) child.kill("SIGINT");
  });
  const began = performance.now();
  const next = flow(at, "next", [llm({ prompt: "Say yes.", maxTokens: 5 }), out], [edge("m", "o")]);
  const { json } = await run(at, [next]);
  const seconds = (performance.now() - began) / 1000;
  const answered = json?.status === "completed" || json?.error?.code === "answer_cut";
  return {
    holds: stopped.code === 4 && answered && seconds < 30,
    said: `exit ${stopped.code}; the next call took ${seconds.toFixed(1)} s`,
  };
}

function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** Runs the command line. `onLine` receives each line of standard output. */
function run({ program, folder, server }, args, onLine = () => {}) {
  const env = {
    ...process.env,
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: "none",
    LOOPWRIGHT_DATA_DIR: path.join(folder, "data"),
  };
  return new Promise((resolve) => {
    const child = spawn(program, ["run", ...args, "--json"], { env, stdio: ["ignore", "pipe", "pipe"] });
    const late = setTimeout(() => child.kill("SIGKILL"), RUNS_WITHIN * 1000);
    const got = { out: "", err: "" };
    let rest = "";
    child.stdout.on("data", (part) => {
      got.out += part;
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(child, line);
    });
    child.stderr.on("data", (part) => {
      got.err += part;
    });
    child.on("close", (code) => {
      clearTimeout(late);
      resolve({ ...got, code, json: parsed(got.out.trim().split("\n").at(-1) ?? "")[0] });
    });
  });
}
