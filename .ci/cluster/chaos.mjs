// `npm run torture -- cluster`: random actions chosen by a seed. Workers and PostgreSQL are killed, frozen
// and ended; batches are submitted, interrupted and stopped; single runs are paused, resumed and stopped. At
// the end, the store, the model server and the outputs must agree.

import { Random } from "../lib/random.mjs";
import { checkAll, checkLeftOver } from "./checks.mjs";
import { sleep, until, yieldToOthers } from "./children.mjs";
import { drafts, parts } from "./flows.mjs";
import { World } from "./world.mjs";

const MAX_WORKERS = 4;
/** The number of unfinished runs at which no more runs are submitted. */
const MAX_OPEN = 80;
/** The statuses of runs that never continue. */
const OVER = ["completed", "failed", "cancelled"];

const ACTIONS = [
  ["submit", 30],
  ["worker", 14],
  ["kill", 14],
  ["freeze", 12],
  ["end", 7],
  ["postgres", 6],
  ["stopBatch", 4],
  ["pause", 6],
  ["resume", 5],
  ["stop", 4],
];

class Chaos {
  batches = [];
  stopped = new Set();
  paused = new Set();
  counts = Object.fromEntries(ACTIONS.map(([name]) => [name, 0]));
  /** The number of submissions that were killed. */
  brokenOff = 0;
  refused = 0;
  reasons = [];
  #tasks = new Set();
  #postgresIsUp = true;
  #number = 0;

  constructor(world, shown) {
    Object.assign(this, { world, shown });
  }

  note(text) {
    if (this.shown) console.log(`  ${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);
  }

  /** Runs a task in parallel with the next actions. */
  #beside(task) {
    const promise = task
      .catch((error) => this.reasons.push(error.message))
      .finally(() => this.#tasks.delete(promise));
    this.#tasks.add(promise);
  }

  async settled() {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #count(action, text) {
    this.counts[action] += 1;
    this.note(text);
  }

  /**
   * Runs an action. All its random choices are in `draw` and were drawn in advance, so that a seed always
   * produces the same plan.
   */
  async act(action, draw) {
    const living = this.world.living();
    const awake = living.filter((worker) => !worker.frozen.some(({ to }) => to === undefined));
    const worker = awake[draw.target % Math.max(1, awake.length)];
    if (action === "submit") return this.#submit(draw);
    if (action === "worker" && living.length < MAX_WORKERS) return this.addWorker();
    if (action === "kill" && worker) {
      this.#count("kill", `kill ${worker.name}`);
      return this.world.kill(worker);
    }
    if (action === "freeze" && worker) return this.#beside(this.#freeze(worker, draw.freezeMs));
    if (action === "end" && worker) return this.#beside(this.#end(worker));
    if (action === "postgres" && this.#postgresIsUp) return this.#beside(this.#killPostgres(draw.downMs));
    if (action === "stopBatch") return this.#beside(this.#stopBatch(draw.target));
    if (["pause", "resume", "stop"].includes(action)) return this.#beside(this.#ask(action, draw));
  }

  addWorker() {
    this.#number += 1;
    this.#count("worker", `start w${this.#number}`);
    this.world.startWorker(`w${this.#number}`);
  }

  async #freeze(worker, ms) {
    this.#count("freeze", `freeze ${worker.name} for ${ms} ms`);
    this.world.freeze(worker);
    await sleep(ms);
    if (!worker.leaving) this.world.wake(worker);
  }

  async #end(worker) {
    this.#count("end", `end ${worker.name}`);
    worker.leaving = "SIGTERM";
    worker.child.kill("SIGTERM");
    const begun = performance.now();
    // The limit leaves time for the worker to finish its runs, and for the store to return.
    await Promise.race([worker.child.ended, sleep(90_000)]);
    const took = Math.round(performance.now() - begun);
    if (worker.status === 0) return this.note(`${worker.name} ended after ${took} ms`);
    this.reasons.push(
      `${worker.name} was ended with SIGTERM; after ${took} ms: ${worker.status ?? "it still runs"}`,
    );
    worker.child.kill("SIGKILL");
    await worker.child.ended;
  }

  async #killPostgres(downMs) {
    this.#postgresIsUp = false;
    this.#count("postgres", `kill PostgreSQL for ${downMs} ms`);
    await this.world.postgres.kill();
    await sleep(downMs);
    await this.world.postgres.up();
    this.#postgresIsUp = true;
  }

  #submit(draw) {
    const open = this.batches.reduce((sum, batch) => sum + (batch.over ? 0 : batch.topics.length), 0);
    if (open > MAX_OPEN) return;
    const kind = draw.target % 3 === 0 ? parts : drafts;
    const name = `b${this.batches.length + 1}`;
    const { runs, size } = draw;
    const batch = this.world.prepare({ name, kind, size, runs, more: draw.budget });
    if (draw.budget.length > 0) batch.budget = Number(draw.budget[1]);
    this.batches.push(batch);
    this.#count("submit", `submit ${name}: ${runs} runs of ${size} calls ${draw.budget.join(" ")}`);
    this.#beside(this.#submitted(batch, draw.breakOffMs));
  }

  async #submitted(batch, breakOffMs) {
    if (breakOffMs !== undefined) {
      const { status } = await this.world.person(batch.args, { killAfterMs: breakOffMs });
      if (status === "SIGKILL") this.brokenOff += 1;
    }
    await this.world.again(batch.args);
    batch.submitted = true;
    await until(
      `${batch.name} is over`,
      async () => {
        if (this.ending) return true;
        const { status, out } = await this.world.person(["batches", "show", batch.name]);
        if (status !== 0) return false;
        const { queued, running, suspended } = JSON.parse(out);
        return queued + running + suspended === 0;
      },
      { everyMs: 1_000, limitMs: 86_400_000 },
    );
    batch.over = true;
  }

  async #stopBatch(target) {
    const open = this.batches.filter(
      (batch) => batch.submitted && !batch.over && !this.stopped.has(batch.name),
    );
    const batch = open[target % Math.max(1, open.length)];
    if (!batch) return;
    this.#count("stopBatch", `stop ${batch.name}`);
    this.stopped.add(batch.name);
    await this.world.again(["batches", "stop", batch.name]);
  }

  /** Sends a command to a run. The command may be refused if the run is over or the store is unreachable. */
  async #ask(action, draw) {
    const open = this.batches.filter((batch) => batch.submitted && !batch.over);
    const batch = open[draw.target % Math.max(1, open.length)];
    if (!batch) return;
    const { status, out } = await this.world.person(["batches", "outputs", batch.name]);
    if (status !== 0) return;
    const lines = out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const continuing = lines.filter(({ status }) => !OVER.includes(status));
    if (continuing.length === 0) return;
    const { run, line } = continuing[draw.line % continuing.length];
    // A command that failed because the store became unreachable may still have arrived.
    if (action === "stop") this.stopped.add(run);
    if (action === "pause") this.paused.add(run);
    const asked = await this.world.person(["runs", action, run]);
    this.#count(action, `${action} ${run}, line ${line} of ${batch.name}: ${asked.status}`);
    if (asked.status !== 0) this.refused += 1;
  }

  /** Returns whether a run is over, so that it cannot continue. */
  async #isOver(run) {
    const { status, out } = await this.world.person(["runs", "show", run]);
    return status === 0 && OVER.includes(JSON.parse(out).status);
  }

  /** Restores healthy workers and resumes all runs, so that every run ends. */
  async settle() {
    this.ending = true;
    await this.settled();
    while (this.world.living().length < 2) this.addWorker();
    for (const run of this.paused) {
      let last;
      await until(
        `${run} is resumed`,
        async () => {
          last = await this.world.person(["runs", "resume", run]);
          return last.status === 0 || (await this.#isOver(run));
        },
        { everyMs: 300, late: () => last.out + last.err },
      );
    }
    await this.world.untilOver(this.batches.map((batch) => batch.name));
  }
}

/** Draws the random choices of an action. The number of draws is always the same. */
function draw(random) {
  const drawn = {
    target: random.next(),
    line: random.next(),
    freezeMs: random.between(200, 7_000),
    downMs: random.between(100, 4_500),
    runs: random.between(4, 24),
    size: random.between(2, 10),
  };
  const [breaksOff, breakOffMs] = [random.percent(30), random.between(5, 150)];
  // A run with a limit may spend the cost of all its calls plus two. The budget of the batch covers only some
  // of the runs.
  const [isLimited, part] = [random.percent(20), (drawn.size + 2) * 3_000];
  const limit = part * random.between(2, drawn.runs);
  const usd = (micros) => (micros / 1e6).toFixed(6);
  return {
    ...drawn,
    breakOffMs: breaksOff ? breakOffMs : undefined,
    budget: isLimited ? ["--budget-usd", usd(limit), "--budget-usd-run", usd(part)] : [],
  };
}

/**
 * Runs the actions that the seed determines for this many minutes, and prints counts. Returns false if
 * anything is wrong.
 */
export async function tortureCluster({ program, minutes, seed, verbose }) {
  yieldToOthers();
  const random = new Random(seed);
  const world = await World.create(program, { pauseMs: [10, 150] });
  const chaos = new Chaos(world, verbose);
  chaos.addWorker();
  chaos.addWorker();
  const until = performance.now() + minutes * 60_000;
  const last = draw(random);
  await chaos.act("submit", { ...last, budget: [], breakOffMs: undefined });
  const reasons = [];
  let figures;
  try {
    while (performance.now() < until) {
      await sleep(random.between(100, 1_400));
      await chaos.act(random.weighted(ACTIONS), draw(random));
    }
    await chaos.settle();
    const checked = await checkAll(world, chaos.batches, chaos.stopped);
    figures = checked.figures;
    reasons.push(...chaos.reasons, ...checked.reasons);
    // A worker takes the commands that are still queued for finished runs, and drops them.
    await sleep(3_000);
    reasons.push(...(await checkLeftOver(world)));
  } catch (error) {
    reasons.push(...chaos.reasons, error.message);
  }
  console.log(`seed ${seed}, ${minutes} min`);
  console.log(
    `actions: ${words(chaos.counts)}; ${chaos.brokenOff} submissions killed, ${chaos.refused} refused`,
  );
  if (figures) console.log(`in the store: ${words(figures)}`);
  await world.end({ keep: reasons.length > 0 });
  for (const reason of reasons) console.error(`✗ ${reason}`);
  if (reasons.length > 0)
    console.error(`To repeat it: npm run torture -- cluster --minutes ${minutes} --seed ${seed}`);
  return reasons.length === 0;
}

function words(counts) {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}
