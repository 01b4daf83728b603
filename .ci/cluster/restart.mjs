// `npm run torture -- network`, case `restart`: PostgreSQL is killed during long runs. After it has been
// restarted, the worker of these runs immediately claims other runs, releases its runs when they end, and
// still receives commands for them.

import { checkAll, checkLeftOver } from "./checks.mjs";
import { sleep, until } from "./children.mjs";
import { drafts } from "./flows.mjs";
import { World } from "./world.mjs";

const CALL_MS = 2_000;
/**
 * The number of calls of a long run. Such a run takes longer than a minute, after which the queue abandons
 * jobs that are in progress.
 */
const CALLS = 45;
/** The time after the restart of the server within which a waiting run begins. */
const BEGINS_MS = 10_000;
/** The time after which every timeout of every part has expired. */
const LATER_MS = 65_000;

/** Returns `{ figures, reasons, seconds }`. */
export async function tortureRestart(program) {
  const world = await World.create(program, { pauseMs: [CALL_MS, CALL_MS + 1] });
  const reasons = [];
  let figures = {};
  const begun = performance.now();
  try {
    world.startWorker("one", { places: 4 });
    // The budget covers two of three runs. The third waits until one of them returns its unused part.
    const budget = ["--budget-usd", "2", "--budget-usd-run", "0.9"];
    const long = world.prepare({ name: "long", kind: drafts, size: CALLS, runs: 3, more: budget });
    const held = world.prepare({ name: "held", kind: drafts, size: CALLS, runs: 1 });
    const next = world.prepare({ name: "next", kind: drafts, size: 1, runs: 1 });
    long.budget = 2;
    for (const batch of [long, held]) await world.must(batch.args);
    await until("three runs make calls", () => world.models.calls.length >= 6);
    await world.postgres.kill();
    await sleep(1_500);
    await world.postgres.up();
    const back = performance.now();
    await world.must(next.args);
    await sleep(BEGINS_MS - (performance.now() - back));
    const { queued } = await world.batch("next");
    if (queued > 0)
      reasons.push(
        `a queued run did not begin within ${BEGINS_MS / 1000} s after the server was available again`,
      );
    await sleep(LATER_MS - (performance.now() - back));
    await pauseAndResume(world, reasons);
    await world.untilOver(["long", "held", "next"], 200_000);
    const checked = await checkAll(world, [long, held, next]);
    figures = checked.figures;
    reasons.push(...checked.reasons);
    if (figures.repeated > 0)
      reasons.push(`${figures.repeated} calls were made again although the worker was not killed`);
    await sleep(3_000);
    reasons.push(...(await checkLeftOver(world)));
  } catch (error) {
    reasons.push(error.message);
  }
  await world.end({ keep: reasons.length > 0 });
  return { figures, reasons, seconds: (performance.now() - begun) / 1000 };
}

/** Pauses and resumes a run in progress, a minute after the interruption. */
async function pauseAndResume(world, reasons) {
  const { out } = await world.person(["batches", "outputs", "held"]);
  const { run, status } = JSON.parse(out.trim());
  if (status !== "running") throw new Error(`the run that is to be paused is ${status}`);
  const becomes = async (state) => {
    const begun = performance.now();
    while (performance.now() - begun < 15_000) {
      if ((await world.batch("held"))[state] === 1) return true;
      await sleep(200);
    }
    reasons.push(`a run is not ${state} 15 s after the request`);
    return false;
  };
  await world.must(["runs", "pause", run]);
  if (!(await becomes("suspended"))) return;
  await world.must(["runs", "resume", run]);
  await becomes("running");
}
