// `npm run bench -- cluster`: a long run in a shared store, its takeover near the end, a batch of many inputs, and steps a second.

import { once } from "node:events";
import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { node, wire } from "../lib/measured.mjs";
import { cargo, show } from "../lib/process.mjs";
import { sleep, until, yieldToOthers } from "./children.mjs";
import { drafts } from "./flows.mjs";
import { Postgres } from "./postgres.mjs";
import { TAKEOVER_MS, World } from "./world.mjs";

const ITERATIONS = 1000;
/** The body of the loop: model calls, and as many Transforms. */
const PAIRS = 5;
/** Characters that go round. */
const LENGTH = 1024;
const INPUTS = 100_000;

/** A loop whose body has ten nodes, and a text of 1 KB that every model call makes again. */
function longLoop(iterations) {
  const names = Array.from({ length: PAIRS }, (_, at) => [`call${at}`, `step${at}`]).flat();
  const body = names.map((name, at) =>
    name.startsWith("call")
      ? node(name, "llm", {
          provider: "openai",
          model: "test",
          temperature: 0,
          maxTokens: 20,
          prompt: `{{ loopIndex }} ${at} {{ input }}`,
        })
      : node(name, "transform", { template: "{{ input }}" }),
  );
  return {
    schemaVersion: 1,
    name: "Long loop",
    settings: { maxIterationsCeiling: ITERATIONS },
    nodes: [
      node("in", "input", { name: "topic" }),
      node("loop", "loop", {
        maxIterations: iterations,
        exitCondition: "max_iterations",
        feedbackMode: "replace",
      }),
      ...body,
      node("exit", "exit"),
      node("out", "output", { name: "text" }),
    ],
    edges: [
      wire("in", "value", "loop", "input"),
      wire("loop", "body", names[0], "prompt"),
      ...names
        .slice(1)
        .map((name, at) =>
          wire(
            names[at],
            name.startsWith("step") ? "response" : "output",
            name,
            name.startsWith("call") ? "prompt" : "input",
          ),
        ),
      wire(names.at(-1), "output", "exit", "input"),
      wire("exit", "output", "out", "value"),
    ],
  };
}

const row = (what, found, aim) => console.log(`| ${what} | ${found} | ${aim} |`);

/** The largest memory that a process has had so far, in MB. */
function peakMb(worker) {
  const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.child.pid}/status`, "utf8"));
  return Number(found[1]) / 1024;
}

/** Processor time that a process has had so far, in seconds: the same on a machine with much else to do. */
function processorSeconds(worker) {
  const stat = readFileSync(`/proc/${worker.child.pid}/stat`, "utf8");
  // Behind the name, which may have spaces: user and system time in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function submitOne(world, name) {
  const flow = path.join(world.folder, `${name}.flow.json`);
  const inputs = path.join(world.folder, `${name}.jsonl`);
  writeFileSync(flow, JSON.stringify(longLoop(ITERATIONS)));
  writeFileSync(inputs, `${JSON.stringify({ topic: "x".repeat(LENGTH) })}\n`);
  await world.must(["submit", flow, "--inputs", inputs, "--batch", name]);
  const [{ id }] = await world.postgres.rows(
    `SELECT r.id FROM loopwright.runs r JOIN loopwright.batches b ON b.id = r.batch WHERE b.name = '${name}'`,
  );
  return id;
}

/** Waits for the calls of so many iterations. Looking into the store would take time of what is measured. */
async function untilIteration(world, number) {
  const calls = number * PAIRS;
  await until(`iteration ${number}`, () => world.models.calls.length >= calls, {
    limitMs: 1_800_000,
    everyMs: 5,
    late: () => world.logs(),
  });
}

/** A whole run: the last tenth beside the second, and the worker's memory. */
async function whole(world) {
  const worker = world.startWorker("whole");
  world.models.calls = [];
  const run = await submitOne(world, "whole");
  const tenth = ITERATIONS / 10;
  const processor = [];
  for (const iteration of [tenth, 2 * tenth, ITERATIONS - tenth, ITERATIONS]) {
    await untilIteration(world, iteration);
    processor.push(processorSeconds(worker));
  }
  await world.untilOver(["whole"]);
  const memory = peakMb(worker);
  const ends = await world.postgres.rows(
    `SELECT at FROM loopwright.records WHERE run = ${run} AND kind = 'iteration_completed' AND path = 'loop' ORDER BY seq`,
  );
  const at = (iteration) => ends[iteration - 1].at;
  const second = at(2 * tenth) - at(tenth);
  const last = at(ITERATIONS) - at(ITERATIONS - tenth);
  const [{ records }] = await world.postgres.rows(
    `SELECT count(*) AS records FROM loopwright.records WHERE run = ${run}`,
  );
  row("iterations of the second tenth", `${(second / tenth).toFixed(1)} ms each`, "");
  row("iterations of the last tenth", `${(last / tenth).toFixed(1)} ms each`, "");
  row("last tenth ÷ second tenth", (last / second).toFixed(2), "≤ 1.15");
  const [ten, twenty, ninety, hundred] = processor;
  row(
    "the same of the worker's processor time",
    `${((hundred - ninety) / (twenty - ten)).toFixed(2)} (${(twenty - ten).toFixed(2)} s, ${(hundred - ninety).toFixed(2)} s)`,
    "≤ 1.15",
  );
  row(`largest memory of the worker, ${records} records`, `${memory.toFixed(0)} MB`, "≤ 300 MB");
  await world.kill(worker);
}

/** Its worker is killed near the end: how long until another one continues it. */
async function takeover(world) {
  // When each run was claimed is in no record.
  await world.postgres.sql(
    `CREATE TABLE public.claims (run bigint, at timestamptz DEFAULT clock_timestamp());
     CREATE FUNCTION public.note_claim() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO public.claims (run) VALUES (NEW.id); RETURN NEW; END';
     CREATE TRIGGER note_claim AFTER UPDATE OF epoch ON loopwright.runs FOR EACH ROW EXECUTE FUNCTION public.note_claim();`,
  );
  const first = world.startWorker("first");
  world.models.calls = [];
  const run = await submitOne(world, "taken");
  await untilIteration(world, ITERATIONS - ITERATIONS / 20);
  await world.kill(first);
  const killed = Date.now();
  const [{ last }] = await world.postgres.rows(
    `SELECT max(seq) AS last FROM loopwright.records WHERE run = ${run}`,
  );
  // Its silence is known by now: what is measured is not how long one waits for it.
  await sleep(TAKEOVER_MS + 500);
  const started = Date.now();
  const next = world.startWorker("next");
  const newer = `run = ${run} AND seq > ${last}`;
  await until(
    "the run goes on",
    async () =>
      (await world.postgres.sql(`SELECT 1 FROM loopwright.records WHERE ${newer} LIMIT 1`)).trim() === "1",
    { everyMs: 50, late: () => world.logs() },
  );
  const processor = processorSeconds(next);
  await world.untilOver(["taken"], 600_000);
  const memory = peakMb(next);
  const [times] = await world.postgres.rows(
    `SELECT (SELECT extract(epoch FROM max(at)) * 1000 FROM public.claims WHERE run = ${run}) AS claimed,
        (SELECT min(at) FROM loopwright.records WHERE ${newer}) AS first,
        (SELECT min(at) FROM loopwright.records WHERE ${newer} AND kind = 'visit_completed' AND node_id LIKE 'call%') AS call`,
  );
  const seconds = (from, to) => `${((to - from) / 1000).toFixed(2)} s`;
  row("from the takeover's claim to the first new record", seconds(times.claimed, times.first), "≤ 2 s");
  row("from the takeover's claim to the first new answer", seconds(times.claimed, times.call), "");
  row("from the next worker's start to the first new record", seconds(started, times.first), "");
  row("processor time of the next worker until then", `${processor.toFixed(2)} s`, "");
  row("from the kill to the first new record", seconds(killed, times.first), "");
  row("largest memory of the next worker", `${memory.toFixed(0)} MB`, "≤ 300 MB");
  await world.kill(next);
}

async function manyInputs(world) {
  const file = path.join(world.folder, "many.jsonl");
  const to = createWriteStream(file);
  for (let line = 1; line <= INPUTS; line += 1)
    if (!to.write(`${JSON.stringify({ topic: `topic ${line} about ${words(line)}` })}\n`))
      await once(to, "drain");
  to.end();
  await once(to, "finish");
  const flow = path.join(world.folder, "many.flow.json");
  writeFileSync(flow, JSON.stringify(drafts.flow(2)));
  return ["submit", flow, "--inputs", file, "--batch"];
}

/** Two words, one of them of few lines. */
function words(line) {
  const few = line % 1000 === 0 ? "saffron" : "flour";
  return `${few} and ${["bread", "yeast", "dough", "salt"][line % 4]}`;
}

/** A batch of many inputs, broken off and repeated, and what a list of its runs takes. */
async function submission(world) {
  const args = await manyInputs(world);
  const begun = performance.now();
  const added = await world.must([...args, "many"]);
  const wholeMs = performance.now() - begun;
  row(`submit of ${added.runs} inputs`, `${(wholeMs / 1000).toFixed(1)} s`, "≤ 60 s");
  const broken = await world.person([...args, "broken"], { killAfterMs: wholeMs / 2 });
  const before = await runs(world, "broken");
  const again = await world.must([...args, "broken"]);
  const [after, jobs] = [await runs(world, "broken"), await jobsOf(world, "broken")];
  const counts = `${after.runs} runs of ${after.lines} lines, ${jobs} jobs`;
  row(
    `killed with ${before.runs} (${broken.status}), then ${again.added} added`,
    counts,
    `exactly ${INPUTS}`,
  );
  if (broken.status !== "SIGKILL" || before.runs === 0 || before.runs >= INPUTS)
    throw new Error("the submission was not broken off in the middle");
  for (const count of [after.runs, after.lines, jobs, before.runs + again.added])
    if (Number(count) !== INPUTS) throw new Error(`${counts} of ${INPUTS} inputs`);
  await world.postgres.sql("ANALYZE");
  await list(world, "a word of few", ["--search", "saffron"]);
  await list(world, "a word of all", ["--search", "topic"]);
  await list(world, "two words", ["--search", "saffron bread"]);
  await list(world, "a short word", ["--search", "an"]);
  await list(world, "a word of none", ["--search", "cinnamon"]);
}

async function runs(world, batch) {
  const [counts] = await world.postgres.rows(
    `SELECT count(*) AS runs, count(DISTINCT line) AS lines FROM loopwright.runs r
     JOIN loopwright.batches b ON b.id = r.batch WHERE b.name = '${batch}'`,
  );
  return counts;
}

async function jobsOf(world, batch) {
  const [{ jobs }] = await world.postgres.rows(
    `SELECT count(*) AS jobs FROM loopwright_queue._private_jobs j JOIN loopwright.runs r ON j.payload ->> 'run' = r.run_id
     JOIN loopwright.batches b ON b.id = r.batch WHERE b.name = '${batch}'`,
  );
  return jobs;
}

async function list(world, what, more) {
  const all = [];
  let found = 0;
  for (let round = 0; round < 5; round += 1) {
    const { status, out, err, ms } = await world.person([
      "runs",
      "list",
      "--status",
      "queued",
      "--limit",
      "50",
      ...more,
    ]);
    if (status !== 0) throw new Error(`runs list: ${status}\n${out}${err}`);
    found = JSON.parse(out).length;
    all.push(ms);
  }
  const ms = all.toSorted((a, b) => a - b)[2];
  row(
    `\`runs list\`, queued and ${what}: ${found} of ${2 * INPUTS} runs, median of 5`,
    `${ms.toFixed(0)} ms`,
    "≤ 200 ms",
  );
}

/**
 * Steps a second beside plain inserts of the same records; prints a table of its own. The server waits for the disk, as servers do
 * that keep what they are given.
 */
function append(profile) {
  return async (world) => {
    const server = await Postgres.create(path.join(world.folder, "append"), { settings: ["fsync = on"] });
    const args = [
      "run",
      "--quiet",
      "--profile",
      profile,
      "-p",
      "loopwright-cluster",
      "--example",
      "append_speed",
    ];
    let status;
    try {
      status = await show("cargo", [...cargo(...args), "--", await server.database()]);
    } finally {
      await server.kill();
    }
    if (status !== 0) throw new Error("the records were not written; the reason is above");
  };
}

/** Measures the parts that are named (`loop`, `takeover`, `submit`, `append`), or all. */
export async function measureCluster({ program, profile }, parts) {
  yieldToOthers();
  const world = await World.create(program, { pauseMs: [0, 0], length: LENGTH });
  console.log("| what | measured | aim |\n| --- | --- | --- |");
  let good = true;
  try {
    for (const [name, measure] of Object.entries({
      loop: whole,
      takeover,
      submit: submission,
      append: append(profile),
    }))
      if (parts.length === 0 || parts.includes(name)) await measure(world);
  } catch (error) {
    console.error(error.message);
    good = false;
  }
  await world.end();
  return good;
}
