// The invariants of batches whose runs are all over: the calls that the model server received, the records
// and the outputs agree.
import { sleep } from "./children.mjs";
import { placeOf } from "./flows.mjs";
import { answerTo, CALL_MICROUSD } from "./models.mjs";
import {
  batchRows,
  jobsEver,
  leftOver,
  queuedJobs,
  recordedCalls,
  runRows,
  saidRepeated,
} from "./records.mjs";

/**
 * The tolerance for differences between clocks, in ms. A call that is later than its record by more than this
 * is a violation.
 */
const CLOCKS_MS = 100;
/** The time, in ms, within which a worker makes the call that it was about to make when it was frozen. */
const WOKEN_MS = 3_000;

const key = (topic, step) => `${topic}|${step}`;

function add(map, at, value) {
  const list = map.get(at);
  if (list) list.push(value);
  else map.set(at, [value]);
}

/**
 * Checks everything about `batches` (`{ name, kind, size, topics, budget }`, as `World.prepare` returns
 * them). `stopped` contains the ids of runs and the names of batches that were stopped. Returns `{ figures,
 * reasons }`; no reasons means that all is well.
 */
export async function checkAll(world, batches, stopped = new Set()) {
  const { postgres, models } = world;
  const names = batches.map((batch) => batch.name);
  const [runs, recorded, said, accounts] = [
    await runRows(postgres, names),
    await recordedCalls(postgres, names),
    await saidRepeated(postgres, names),
    await batchRows(postgres, names),
  ];
  const reasons = [];
  const wrong = (reason) => reasons.push(reason);
  const known = new Map(batches.map((batch) => [batch.name, batch]));
  const calls = models.calls.filter((call) => known.has(placeOf(call.prompt).topic.split(".")[0]));
  const ledger = new Map();
  for (const call of calls) {
    const { topic, step } = placeOf(call.prompt);
    add(ledger, key(topic, step), call);
  }
  checkLines(runs, batches, wrong);
  checkNumbers(runs, wrong);
  checkEnds(runs, known, stopped, wrong);
  await checkOutputs(world, runs, batches, wrong);
  const byId = new Map(runs.map((run) => [run.id, { ...run, ...known.get(run.batch), batch: run.batch }]));
  checkRecorded(recorded, byId, ledger, wrong);
  const { repeated, late } = checkRepeated(
    { runs: byId, recorded, said, ledger, workers: world.workers },
    wrong,
  );
  checkBudgets(accounts, runs, calls, wrong);
  const count = (status) => runs.filter((run) => run.status === status).length;
  const figures = {
    batches: batches.length,
    runs: runs.length,
    completed: count("completed"),
    cancelled: count("cancelled"),
    failed: count("failed"),
    records: runs.reduce((sum, run) => sum + run.records, 0),
    calls: calls.length,
    answered: calls.filter((call) => call.answeredAt !== undefined).length,
    recorded: recorded.length,
    repeated,
    said: said.length,
    late,
    claims: runs.reduce((sum, run) => sum + run.epoch - 1, 0),
  };
  return { figures, reasons };
}

/** Checks that each line of the inputs has exactly one run. */
function checkLines(runs, batches, wrong) {
  for (const { name, topics } of batches) {
    const mine = runs.filter((run) => run.batch === name);
    if (mine.length !== topics.length) wrong(`${name}: ${mine.length} runs for ${topics.length} lines`);
    mine.forEach((run, at) => {
      if (run.line !== at + 1 || run.topic !== topics[at])
        wrong(
          `${name}: the run of line ${run.line} has the topic ${run.topic}, but line ${at + 1} is ${topics[at]}`,
        );
    });
  }
}

/** Checks that the records of a run are numbered from 0 without a gap. */
function checkNumbers(runs, wrong) {
  for (const run of runs)
    if (run.records > 0 && (run.first !== 0 || run.last !== run.records - 1))
      wrong(`${run.topic}: ${run.records} records, numbered from ${run.first} to ${run.last}`);
}

/** Checks that a run completes, unless it was stopped or its budget was used up. */
function checkEnds(runs, batches, stopped, wrong) {
  for (const run of runs) {
    const mayBe = ["completed"];
    if (stopped.has(run.run_id) || stopped.has(run.batch)) mayBe.push("cancelled");
    const hasBudget = batches.get(run.batch).budget !== undefined;
    if (hasBudget && run.error === "budget_exceeded") mayBe.push("failed");
    if (!mayBe.includes(run.status))
      wrong(`${run.topic} is ${run.status} (${run.error ?? "no error"}, ${run.run_id})`);
  }
}

/**
 * Checks that `batches outputs` prints one line for each line of the inputs, derived from the model's
 * answers.
 */
async function checkOutputs(world, runs, batches, wrong) {
  for (const { name, kind, size, topics } of batches) {
    const { status, out, err } = await world.person(["batches", "outputs", name]);
    if (status !== 0) {
      wrong(`${name}: \`batches outputs\` ended with ${status}: ${err}`);
      continue;
    }
    const lines = out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    if (lines.length !== topics.length) wrong(`${name}: ${lines.length} outputs for ${topics.length} lines`);
    const mine = runs.filter((run) => run.batch === name);
    lines.forEach((line, at) => {
      const run = mine[at];
      if (line.line !== at + 1 || line.run !== run?.run_id || line.status !== run?.status)
        wrong(`${name}: output ${at + 1} is line ${line.line} of run ${line.run}, ${line.status}`);
      if (line.status !== "completed") return;
      const expected = JSON.stringify(kind.expected(topics[at], size));
      const found = JSON.stringify(line.outputs?.text);
      if (found !== expected)
        wrong(`${topics[at]} gives ${found?.slice(0, 80)}… instead of ${expected.slice(0, 80)}…`);
    });
  }
}

/**
 * Checks that each recorded answer is one that the server gave, and that a completed run has recorded all of
 * its calls.
 */
function checkRecorded(recorded, runs, ledger, wrong) {
  const counts = new Map();
  for (const { run: id, path, value, at } of recorded) {
    const run = runs.get(id);
    const step = Number(/\[(\d+)\]/.exec(path)[1]);
    const asked = ledger.get(key(run.topic, step)) ?? [];
    const answered = asked.filter(
      (call) => call.answeredAt !== undefined && call.answeredAt <= at + CLOCKS_MS,
    );
    if (!answered.some((call) => answerTo(call.prompt) === value))
      wrong(`${run.topic}: ${path} has an answer that the server did not give (${asked.length} calls)`);
    if (new Set(asked.map((call) => call.prompt)).size > 1)
      wrong(`${run.topic}: ${path} was asked in different words`);
    const place = `${id} ${path}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
    if (counts.get(place) > 1) wrong(`${run.topic}: ${path} is recorded more than once`);
  }
  for (const run of runs.values()) {
    if (run.status !== "completed") continue;
    for (let step = 1; step <= run.size; step += 1)
      if (!counts.has(`${run.id} ${run.kind.path(step)}`))
        wrong(`${run.topic}: step ${step} is not recorded`);
  }
}

/**
 * Checks repeated calls. A call is repeated only if it was in progress when its worker was lost, and the run
 * reports it. After an answer is recorded, the call is not repeated. There is one exception, which cannot be
 * prevented: a worker that was frozen between recording its intent and making the call makes the call when it
 * continues.
 */
function checkRepeated({ runs, recorded, said, ledger, workers }, wrong) {
  const topics = new Map([...runs.values()].map((run) => [run.topic, run]));
  const warnings = new Map();
  for (const { run, path } of said) add(warnings, `${run} ${path}`, path);
  const recordedAt = new Map(recorded.map((record) => [`${record.run} ${record.path}`, record.at]));
  let [repeated, late] = [0, 0];
  for (const [place, calls] of ledger) {
    const [topic, step] = place.split("|");
    const run = topics.get(topic);
    if (!run) {
      wrong(`${topic}: calls were made for a run that does not exist`);
      continue;
    }
    const at = `${run.id} ${run.kind.path(Number(step))}`;
    const times = warnings.get(at)?.length ?? 0;
    repeated += calls.length - 1;
    if (calls.length - 1 > times)
      wrong(
        `${topic}: step ${step} was asked ${calls.length} times, but has ${times} warnings call_repeated (${who(calls)})`,
      );
    const end = recordedAt.get(at);
    for (const call of calls) {
      if (end === undefined || call.askedAt <= end + CLOCKS_MS) continue;
      late += 1;
      if (!wasWoken(workers, call))
        wrong(
          `${topic}: step ${step} was asked again ${call.askedAt - end} ms after its record (${who(calls)})`,
        );
    }
  }
  return { repeated, late };
}

function wasWoken(workers, call) {
  const worker = workers.find((one) => one.name === call.worker);
  return worker?.frozen.some(
    ({ to }) => to !== undefined && call.askedAt >= to && call.askedAt <= to + WOKEN_MS,
  );
}

function who(calls) {
  const first = calls[0].askedAt;
  return calls
    .map((call) => {
      const ended =
        call.answeredAt === undefined
          ? "not answered"
          : `answered after ${call.answeredAt - call.askedAt} ms`;
      return `${call.worker} at +${call.askedAt - first} ms, ${ended}`;
    })
    .join("; ");
}

/**
 * Checks that no batch spends more than its budget, according to its own account and to the server's calls,
 * and that the account equals the sum of its runs.
 */
function checkBudgets(accounts, runs, calls, wrong) {
  for (const { name, limit, allotted, spent } of accounts) {
    const mine = runs.filter((run) => run.batch === name);
    const cost = mine.reduce((sum, run) => sum + run.cost, 0);
    const asked = calls.filter((call) => placeOf(call.prompt).topic.split(".")[0] === name).length;
    if (limit === null) continue;
    if (spent > limit || cost > limit)
      wrong(`${name}: spent ${spent} (sum of its runs: ${cost}) of at most ${limit} micro-dollars`);
    if (asked * CALL_MICROUSD > limit)
      wrong(
        `${name}: ${asked} calls cost ${asked * CALL_MICROUSD}, but its budget is ${limit} micro-dollars`,
      );
    if (allotted !== 0 || spent !== cost)
      wrong(`${name}: the account says ${spent} spent and ${allotted} allotted, but its runs cost ${cost}`);
  }
}

/**
 * Checks that no commands, allotments or jobs remain, and that no jobs are added, once every run is over.
 * Returns a reason for each violation.
 */
export async function checkLeftOver(world) {
  const counts = await leftOver(world.postgres);
  const reasons = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what} are left although every run has ended`);
  if (counts.jobs > 0)
    reasons.push(`one of the jobs: ${JSON.stringify((await queuedJobs(world.postgres))[0])}`);
  const before = await jobsEver(world.postgres);
  await sleep(5_000);
  const made = (await jobsEver(world.postgres)) - before;
  if (made > 0) reasons.push(`${made} jobs were queued within 5 s although no run was open`);
  return reasons;
}
