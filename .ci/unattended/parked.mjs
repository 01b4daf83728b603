// `npm run torture -- parked`: 64 calls at once are refused until a named time, and the program is killed while
// they wait. No call may be lost, be sent too early, or be answered twice, and the calls may not return all at
// once. Meanwhile another provider answers another branch of the run.
import { node, wire } from "../lib/measured.mjs";
import { say } from "../lib/process.mjs";
import { tail } from "../lib/ran.mjs";
import { Random } from "../lib/random.mjs";
import { ModelServer, numberOf } from "./server.mjs";
import { becomes, Checks, inRounds, until, World } from "./world.mjs";

const ITEMS = 64;
const ITERATIONS = 20;
const KILLS = 5;
/** The shortest and longest time from the first refusal until the quota returns, in seconds. */
const WAIT = [20, 60];
/** The maximum number of calls in a second after the quota has returned; the server refuses further ones. */
const MOST_A_SECOND = 30;
/** The maximum of the documented random delay at the end of a wait, in milliseconds. */
const SPREAD = 3_000;
/** The maximum further delay of a call after its wait and the random delay, in milliseconds. */
const LATE = 2_000;
/** The time within which a program that is started after the quota returned sends its first call, in milliseconds. */
const STARTS_WITHIN = 10_000;
/** The time within which an answer or a refusal is recorded, in milliseconds. A kill during this time can lose it. */
const RECORDED_WITHIN = 1_000;

const inSeconds = (ms) => Math.ceil(ms / 1000);
const spelled = (ms) => {
  const seconds = inSeconds(ms);
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`;
};
const usedUp = { message: "The limit is reached.", type: "rate_limit_error" };

/**
 * The forms in which a server says when its quota returns. Each function returns the headers or the error of
 * a refusal, for a quota that returns in `left` milliseconds, at the time `at`.
 */
const FORMS = {
  "Retry-After in seconds": (left) => ({ headers: { "retry-after": `${inSeconds(left)}` } }),
  "Retry-After as a date": (_, at) => ({
    headers: { "retry-after": new Date(Math.ceil(at / 1000) * 1000).toUTCString() },
  }),
  "retry-after-ms": (left) => ({ headers: { "retry-after-ms": `${left}` } }),
  "x-ratelimit-reset-requests": (left) => ({
    headers: { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": spelled(left) },
  }),
  "anthropic-ratelimit-requests-reset": (_, at) => ({
    headers: {
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": new Date(at).toISOString(),
    },
  }),
  RetryInfo: (left) => ({
    error: {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "Quota exceeded.",
      details: [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${(left / 1000).toFixed(3)}s` },
      ],
    },
  }),
  resets_in_seconds: (left) => ({ error: { ...usedUp, resets_in_seconds: inSeconds(left) } }),
  message: (left) => ({ error: { ...usedUp, message: `Please try again in ${spelled(left)}.` } }),
};
const MIXED = "a mixture";

/** A simulated quota for one test round. It refuses every call until the time in `returns`. */
class Quota {
  /** The time at which the quota returns; null before the first call. */
  returns = null;
  /** The latest time that was named to the callers. */
  named = 0;
  /** Whether the first call after `returns` is refused once more, until a later time. */
  #extends;
  /** The first time at which the quota was to return, if it was extended. */
  extended = null;
  #form;
  #random;
  #recent = [];
  /** The number of calls that were refused because too many came at once. */
  stormed = 0;

  constructor(random, form) {
    this.#random = random;
    this.#form = form;
    this.#extends = random.percent(40);
    this.wait = random.between(...WAIT) * 1000;
    this.status = random.of([429, 429, 503, 529]);
  }

  answer(call) {
    call.tokens = this.#random.between(5, 50);
    this.returns ??= call.at + this.wait;
    if (call.at >= this.returns && this.#extends) {
      this.#extends = false;
      this.extended = this.returns;
      this.returns = call.at + this.#random.between(8, 15) * 1000;
    }
    if (call.at < this.returns) return this.#refusal(call);
    this.#recent = this.#recent.filter((at) => at > call.at - 1000);
    if (this.#recent.length >= MOST_A_SECOND) {
      this.stormed += 1;
      return { status: 429, headers: { "retry-after": "1" }, error: usedUp };
    }
    this.#recent.push(call.at);
    return { after: 150, tokens: call.tokens };
  }

  #refusal(call) {
    const form = this.#form === MIXED ? this.#random.of(Object.keys(FORMS)) : this.#form;
    const said = FORMS[form](this.returns - call.at, this.returns);
    // Some forms have only whole seconds.
    this.named = Math.ceil(this.returns / 1000) * 1000;
    return { after: this.#random.between(20, 200), status: this.status, error: usedUp, ...said };
  }
}

const items = Array.from({ length: ITEMS }, (_, at) => `item ${at}`);
const step = (at) => `watch ${at}`;

const FLOW = {
  settings: { concurrency: ITEMS + 8 },
  nodes: [
    node("list", "input", { name: "items", dataType: "json", default: items }),
    node("each", "iterator", { concurrency: ITEMS }),
    node("ask", "llm", {
      provider: "openai",
      model: "m",
      prompt: "{{ item }}",
      retry: { maxInterval: "PT5S" },
    }),
    node("gather", "aggregator", { mode: "array" }),
    node("results", "output", { name: "results", format: "json" }),
    node("start", "input", { name: "start", default: "go" }),
    node("watch", "loop", { maxIterations: ITERATIONS, exitCondition: "max_iterations" }),
    node("look", "llm", { provider: "compatible", model: "m", prompt: "watch {{ loopIndex }}" }),
    node("exit", "exit"),
    node("last", "output", { name: "last" }),
  ],
  edges: [
    wire("list", "value", "each", "items"),
    wire("each", "item", "ask", "prompt"),
    wire("ask", "response", "gather", "input"),
    wire("gather", "results", "results", "value"),
    wire("start", "value", "watch", "input"),
    wire("watch", "body", "look", "prompt"),
    wire("look", "response", "exit", "input"),
    wire("exit", "output", "last", "value"),
  ],
};

export async function tortureParked({ program, rounds, seed }) {
  const sums = { kills: 0, parkedKills: 0, laterKills: 0, early: 0, stormed: 0, late: [] };
  const forms = [...Object.keys(FORMS), MIXED];
  const good = await inRounds({ rounds, seed }, (of, at) =>
    attempt({ program, random: new Random(of), form: forms[(seed + at) % forms.length], sums }),
  );
  say(
    `${sums.kills} kills (${sums.parkedKills} while calls were parked, ${sums.laterKills} while they left), ` +
      `${sums.early} calls before the named time, ${sums.stormed} refused again, first call ${Math.min(...sums.late)} to ${Math.max(...sums.late)} ms after the quota returned`,
  );
  return good;
}

async function attempt({ program, random, form, sums }) {
  const quota = new Quota(random, form);
  const main = await ModelServer.start((call) => quota.answer(call));
  const other = await ModelServer.start(() => ({ after: random.between(300, 1500), tokens: 10 }));
  const world = new World(program, { OPENAI: main, COMPATIBLE: other });
  const checks = new Checks();
  const file = world.flow("parked", FLOW);
  const instants = Array.from({ length: KILLS }, () => random.between(0, 999) / 1000).sort((a, b) => a - b);
  /**
   * The time of a kill while the calls are sent one after another, in milliseconds after the quota returned; null for
   * no kill.
   */
  const later = random.percent(30) ? random.between(500, 6_000) : null;

  // The program is killed while the calls wait.
  const starts = [];
  const kills = [];
  let isParked = false;
  const begin = () => {
    starts.push({ at: Date.now(), knows: isParked });
    return kills.length > 0 && hasRun ? world.start("runs", "resume", "last") : world.start("run", file);
  };
  let hasRun = false;
  let run = begin();
  const kill = async () => {
    run.child.kill("SIGKILL");
    kills.push(Date.now());
    await run.done;
    const listed = await world.ask("runs", "list");
    checks.holds("The run is listed.", listed.json?.length === 1 || !isParked, tail(listed));
    hasRun = listed.json?.length === 1;
    isParked ||= Boolean(listed.json?.[0]?.parked);
    run = begin();
  };
  const isRefused = await becomes(() => main.calls.some(({ ended }) => ended === "refused"), 60);
  checks.holds("A call is refused.", isRefused, isRefused ? "" : tail(await run.done));
  if (isRefused) {
    const first = Date.now();
    for (const instant of instants) {
      await until(first + instant * (quota.returns - 3_000 - first));
      await kill();
      sums.parkedKills += 1;
    }
    if (later !== null) {
      const returned = () => main.answered().length > 0;
      await becomes(returned, 120);
      await until(Date.now() + later);
      // A program that is done cannot be killed.
      if (run.child.exitCode === null) {
        await kill();
        sums.laterKills += 1;
      }
    }
  }
  const done = await run.done;
  sums.kills += kills.length;
  const killedLater = later !== null && kills.length > KILLS;

  // No call is lost, and each item has its own answer.
  checks.holds("The run completes.", done.code === 0 && done.json?.status === "completed", tail(done));
  const results = done.json?.outputs?.results ?? [];
  const given = items.map((item, at) => numberOf(`${results[at]}`, item));
  const lost = items.filter((_, at) => given[at] === undefined);
  checks.holds("Each item has its answer.", lost.length === 0 && results.length === ITEMS, lost.join(", "));

  // None is answered twice. A kill while calls are sent can cut off calls whose answers were not recorded yet.
  const answered = main.answered();
  const extra = answered.filter(({ number }) => !given.includes(number));
  const cutOff = extra.filter(
    ({ at, endedAt }) => killedLater && at < kills.at(-1) && endedAt > kills.at(-1) - RECORDED_WITHIN,
  );
  checks.holds(
    "No item is answered twice.",
    extra.length === cutOff.length,
    extra.map(({ prompt }) => prompt).join(", "),
  );

  // A wait is not a call that was cut off.
  const firstRefused = Math.min(
    ...main.calls.filter(({ ended }) => ended === "refused").map(({ endedAt }) => endedAt),
  );
  const claimed = (done.json?.warnings ?? []).filter(
    ({ code, node: at }) => code === "call_repeated" && at === "ask",
  );
  if (!killedLater && kills[0] > firstRefused + RECORDED_WITHIN) {
    checks.holds(
      "No call that waits counts as repeated.",
      claimed.length === 0,
      `${claimed.length} warnings`,
    );
  }

  // A program that knows of the wait sends no call early.
  const returned = quota.extended ?? quota.returns;
  const early = main.calls.filter(({ at }) => at < returned);
  sums.early += early.length;
  for (const [number, start] of starts.entries()) {
    const next = starts[number + 1]?.at ?? Number.POSITIVE_INFINITY;
    const sent = early.filter(({ at }) => at >= start.at && at < next).length;
    const most = start.knows ? 0 : ITEMS;
    checks.holds("No call is sent before the named time.", sent <= most, `start ${number + 1} sent ${sent}`);
  }

  // One goes first, at the named time, and the others follow one after another.
  const after = main.calls.filter(({ at }) => at >= returned);
  if (quota.extended !== null) {
    const tries = after.filter(({ at }) => at < quota.returns).length;
    checks.holds("One call finds that the quota is still used up.", tries === 1, `${tries} calls`);
  }
  const last = main.calls.filter(({ at }) => at >= quota.returns);
  const [first, second] = last;
  const deadline = Math.max(quota.named + SPREAD + LATE, started(starts, first) + STARTS_WITHIN);
  checks.holds(
    "The first call is sent in time.",
    first?.at <= deadline,
    `${first?.at - quota.returns} ms after`,
  );
  sums.late.push(first?.at - quota.returns);
  if (!killedLater) {
    checks.holds(
      "The others wait for its answer.",
      second?.at >= first?.endedAt,
      `${second?.at} ${first?.at}`,
    );
    const gaps = last.slice(2).map(({ at }, before) => at - last[before + 1].at);
    const short = gaps.filter((gap) => gap < 10).length;
    checks.holds("They leave one after another.", short <= gaps.length / 10, `${short} short gaps`);
  }
  checks.holds("There is no second storm.", quota.stormed === 0, `${quota.stormed} refused`);
  sums.stormed += quota.stormed;

  // The other branch continues meanwhile, and no recorded step of it is repeated.
  const meanwhile = other.answered().filter(({ endedAt }) => endedAt < returned).length;
  checks.holds("The other branch continues meanwhile.", meanwhile >= 5, `${meanwhile} answers`);
  const iterations = done.json?.loops?.watch?.iterations ?? [];
  checks.holds("The other branch ends.", iterations.length === ITERATIONS, `${iterations.length} iterations`);
  for (const [at, text] of iterations.entries()) {
    const recorded = numberOf(text, step(at));
    const repeated = other.calls.filter(({ prompt, number }) => prompt === step(at) && number > recorded);
    checks.holds(
      "A recorded step is not repeated.",
      recorded !== undefined && repeated.length === 0,
      step(at),
    );
  }
  const again = other.calls.length - ITERATIONS;
  checks.holds("Only calls that were cut off are repeated.", again <= kills.length, `${again} repeated`);

  // The costs are those of the recorded answers.
  const costs = await world.ask("costs");
  const counted = [
    ...answered.filter(({ number }) => given.includes(number)),
    ...other
      .answered()
      .filter(({ number, prompt }) => iterations.some((text) => numberOf(text, prompt) === number)),
  ].reduce((sum, { cost }) => sum + cost, 0);
  const shown = Math.round((costs.json?.total?.sum?.usd ?? Number.NaN) * 1e6);
  checks.holds("The costs agree with the servers.", shown === counted, `${shown} ${counted} ${tail(costs)}`);

  main.stop();
  other.stop();
  if (checks.wrong.length === 0) world.remove();
  else checks.wrong.push(`(the data is in ${world.folder})`);
  return {
    wrong: checks.wrong,
    said: `${form}, ${quota.status}, ${(quota.wait / 1000).toFixed(0)} s${quota.extended ? " and again" : ""}, ${kills.length} kills, ${early.length} early, first after ${first?.at - quota.returns} ms, ${meanwhile} answers meanwhile`,
  };
}

/** Returns the start time of the program that sent this call. */
const started = (starts, call) =>
  starts.map(({ at }) => at).findLast((at) => at <= (call?.at ?? Number.POSITIVE_INFINITY));
