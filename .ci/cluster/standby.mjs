// `npm run torture -- standby`: a primary with a synchronous standby is killed under load, and the standby is
// promoted. A call whose answer is recorded, or in a worker's memory, may not be repeated.
import path from "node:path";
import { Random } from "../lib/random.mjs";
import { checkAll, checkLeftOver } from "./checks.mjs";
import { sleep, until, yieldToOthers } from "./children.mjs";
import { drafts, parts } from "./flows.mjs";
import { freePort, Postgres } from "./postgres.mjs";
import { World } from "./world.mjs";

const RUNS = 24;
const SIZE = 25;
const SETTINGS = ["wal_level = replica", "max_wal_senders = 10", "wal_keep_size = 256MB"];
/** The maximum time until the standby is promoted. */
const PROMOTED_MS = 10_000;

/** Creates a standby, and makes the primary wait for it at each commit. */
async function follow(primary, folder, port) {
  await primary.sql("SELECT 1");
  const standby = await Postgres.standbyOf(primary, folder, port);
  await primary.set("synchronous_standby_names", "*");
  await until(
    "the standby is synchronous",
    async () =>
      (await primary.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).trim() === "1",
    { late: () => standby.log() },
  );
  return standby;
}

async function round({ world, number, random, ports, batches }) {
  const primary = world.postgres;
  const port = ports.find((one) => one !== primary.port);
  const standby = await follow(primary, path.join(world.folder, `standby-${number}`), port);
  const mine = [
    world.prepare({ name: `round${number}`, kind: drafts, size: SIZE, runs: RUNS }),
    world.prepare({ name: `parts${number}`, kind: parts, size: 12, runs: 4 }),
  ];
  const begun = performance.now();
  for (const batch of mine) await world.must(batch.args);
  batches.push(...mine);
  const before = world.models.calls.length;
  await until("calls are made", () => world.models.calls.length > before + 40, { everyMs: 10 });
  await sleep(random.between(0, 700));
  await primary.kill();
  const away = performance.now();
  await sleep(random.between(200, PROMOTED_MS - 2_000));
  await standby.promote();
  const promoted = performance.now() - away;
  world.postgres = standby;
  if (promoted > PROMOTED_MS) throw new Error(`the standby was promoted after ${Math.round(promoted)} ms`);
  await world.untilOver(mine.map((batch) => batch.name));
  const { figures, reasons } = await checkAll(world, mine);
  if (figures.repeated > 0)
    reasons.push(`${figures.repeated} calls were made again although no worker was killed`);
  const { runs, records, calls, repeated } = figures;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(
    `round ${number}: promoted after ${(promoted / 1000).toFixed(1)} s; ${runs} runs, ${records} records, ${calls} calls, ${repeated} made again, ${seconds} s`,
  );
  return reasons.map((reason) => `round ${number}: ${reason}`);
}

/** Runs this many rounds. Returns false if anything is wrong. */
export async function tortureStandby({ program, rounds, seed }) {
  yieldToOthers();
  const random = new Random(seed);
  const world = await World.create(program, { settings: SETTINGS });
  const ports = [world.postgres.port, await freePort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  world.url = `postgres://postgres@${hosts}/store?target_session_attrs=read-write`;
  const reasons = [];
  const batches = [];
  try {
    for (const name of ["one", "two"]) world.startWorker(name);
    for (let number = 1; number <= rounds; number += 1)
      reasons.push(...(await round({ world, number, random, ports, batches })));
    const { reasons: atTheEnd } = await checkAll(world, batches);
    await sleep(3_000);
    reasons.push(...atTheEnd, ...(await checkLeftOver(world)));
  } catch (error) {
    reasons.push(error.message);
  }
  await world.end({ keep: reasons.length > 0 });
  for (const reason of reasons) console.error(`✗ ${reason}`);
  if (reasons.length > 0)
    console.error(`To repeat it: npm run torture -- standby --rounds ${rounds} --seed ${seed}`);
  return reasons.length === 0;
}
