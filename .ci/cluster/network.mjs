// `npm run torture -- network`: the connection to PostgreSQL is slow, is cut, or silently drops data. Nothing
// may be lost, and only calls that were in progress may be repeated.

import { checkAll, checkLeftOver } from "./checks.mjs";
import { sleep, until, yieldToOthers } from "./children.mjs";
import { drafts, parts } from "./flows.mjs";
import { TcpProxy } from "./proxy.mjs";
import { tortureRestart } from "./restart.mjs";
import { World } from "./world.mjs";

const RUNS = 24;
const CUT_MS = 10_000;
const SILENT_MS = 20_000;

/**
 * The faults of the connection, each with the number of calls that may be repeated. If every worker survives
 * and keeps its runs, no call may be repeated.
 */
const CASES = {
  slow: { what: "5 ms to PostgreSQL and back", delayMs: [2, 3], size: 8, again: 0, disturb: async () => {} },
  cut: {
    what: `cut for ${CUT_MS / 1000} s, three times`,
    size: 40,
    again: 0,
    async disturb(proxies, world) {
      for (let round = 0; round < 3; round += 1) {
        await aFewCalls(world);
        await Promise.all(proxies.map((proxy) => proxy.cut()));
        await sleep(CUT_MS);
        await Promise.all(proxies.map((proxy) => proxy.mend()));
      }
    },
  },
  silent: {
    what: `half open for ${SILENT_MS / 1000} s, twice`,
    size: 30,
    again: 0,
    async disturb(proxies, world) {
      for (let round = 0; round < 2; round += 1) {
        await aFewCalls(world);
        for (const proxy of proxies) proxy.swallow();
        await sleep(SILENT_MS);
        for (const proxy of proxies) proxy.release();
      }
    },
  },
  alone: {
    what: `one worker of two half open for ${SILENT_MS / 1000} s; the other takes its runs over`,
    size: 30,
    // The number of calls that can be in progress in eight runs: a run of drafts makes one call at a time, a
    // run of parts three.
    again: 24,
    async disturb([proxy], world) {
      await aFewCalls(world);
      proxy.swallow();
      await sleep(SILENT_MS);
      proxy.release();
    },
  },
};

export const NETWORK_CASES = [...Object.keys(CASES), "restart"];

/** Waits until the runs have made some 40 more calls, so that they are in progress. */
async function aFewCalls({ models }) {
  const before = models.calls.length;
  await until("calls are made", () => models.calls.length > before + 40, { everyMs: 20 });
}

async function tortureCase(program, name) {
  if (name === "restart") {
    const what = "PostgreSQL killed for 1.5 s during long runs";
    return report(name, what, await tortureRestart(program));
  }
  const { what, delayMs, size, again, disturb } = CASES[name];
  const world = await World.create(program);
  const proxies = [];
  const reasons = [];
  let figures = {};
  let seconds = 0;
  try {
    for (const worker of ["one", "two"]) {
      const proxy = await TcpProxy.start(world.postgres.port, delayMs);
      proxies.push(proxy);
      world.startWorker(worker, { url: `postgres://postgres@127.0.0.1:${proxy.port}/store` });
    }
    const begun = performance.now();
    const batches = [
      world.prepare({ name: `${name}drafts`, kind: drafts, size, runs: RUNS }),
      world.prepare({ name: `${name}parts`, kind: parts, size: Math.min(size, 12), runs: 4 }),
    ];
    for (const batch of batches) await world.must(batch.args);
    await disturb(proxies, world);
    await world.untilOver(batches.map((batch) => batch.name));
    seconds = (performance.now() - begun) / 1000;
    const checked = await checkAll(world, batches);
    figures = checked.figures;
    reasons.push(...checked.reasons);
    if (figures.repeated > again)
      reasons.push(`${figures.repeated} calls were made again, but at most ${again} may be`);
    await sleep(3_000);
    reasons.push(...(await checkLeftOver(world)));
  } catch (error) {
    reasons.push(error.message);
  }
  for (const proxy of proxies) proxy.stop();
  await world.end({ keep: reasons.length > 0 });
  return report(name, what, { figures, reasons, seconds });
}

function report(name, what, { figures, reasons, seconds }) {
  const { runs, calls, repeated, said, records } = figures;
  const counts =
    runs === undefined
      ? "not all runs are over"
      : `${runs} runs, ${records} records, ${calls} calls, ${repeated} made again (${said} reported)`;
  console.log(`${name}: ${what}: ${counts}, ${seconds.toFixed(1)} s`);
  for (const reason of reasons) console.error(`✗ ${name}: ${reason}`);
  return reasons.length === 0;
}

/** Runs the named cases, or all. Returns false if anything is wrong. */
export async function tortureNetwork({ program, only }) {
  yieldToOthers();
  let good = true;
  for (const name of only ?? NETWORK_CASES) good = (await tortureCase(program, name)) && good;
  return good;
}
