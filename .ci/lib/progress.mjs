// The progress of a build: reads cargo's output, and maintains one line about it on a terminal or in a log.
import { stripVTControlCharacters } from "node:util";

/**
 * Makes cargo write its progress into a pipe. It is the only stable output that contains the number of units
 * before they are built: the unit graph needs a nightly version, and JSON messages arrive only when a unit is
 * finished. The width leaves space for the names.
 */
export const PROGRESS_ENVIRONMENT = { CARGO_TERM_PROGRESS_WHEN: "always", CARGO_TERM_PROGRESS_WIDTH: "1000" };

/**
 * The estimate for a unit that is not in the earlier build, in seconds. Most units are smaller than the mean.
 */
const USUAL_SECONDS = 0.4;
/**
 * The time, in seconds, during which the computer is assumed to be as fast as in the earlier build. The first
 * units are small and say little about its speed.
 */
const AS_BEFORE = 30;
/**
 * The minimum time spent compiling before an estimate is shown, in seconds and as a share of the remaining
 * time.
 */
const MEANINGFUL_SECONDS = 5;
const MEANINGFUL_PART = 0.03;
/**
 * The longest time between two readings of the line, in seconds. It is read every second, so after a longer
 * pause the computer was asleep.
 */
const LONGEST_PAUSE = 10;

const UNITS = /^Building \[[=> ]*\] (\d+)\/(\d+)(?:: *(.*))?$/;
const DOWNLOAD = /^Downloading (\d+) crates?\b/;
/** Matches output that only repeats the progress line. All other output of cargo is printed. */
const STATUS = /^ +(?:Building|Compiling|Fresh|Downloading|Downloaded|Finished) /;

/** The state of one build. It has no input or output of its own. */
export class Progress {
  #what;
  #known;
  #now;
  #last;
  #total = 0;
  #counted = 0;
  #compiled = 0;
  #downloads = 0;
  /** The active unit that started first, at cargo's last report. */
  #longest = "";
  /** The units being compiled, each with its seconds so far, in the order of their start. */
  #active = new Map();
  /**
   * For each name, the number of finished units, how many of them were compiled, and how many seconds those
   * took.
   */
  #finished = new Map();

  /**
   * Starts the progress of building `what`. `known` has the units of an earlier build:
   * `{ name: [count, seconds of each] }`. Without it no time is estimated. `now` returns milliseconds.
   */
  constructor(what, { known, now = () => performance.now() } = {}) {
    this.#what = what;
    this.#known = known;
    this.#now = now;
  }

  /** Reads a line of cargo's standard output. Returns false if it is not a message of cargo. */
  message(line) {
    if (!line.startsWith("{")) return false;
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return false;
    }
    if (message.reason === "compiler-artifact" || message.reason === "build-script-executed") {
      this.#finish(unitName(message), message.fresh);
    }
    return typeof message.reason === "string";
  }

  /** Reads a line that cargo rewrites in place. Returns false if it is something else. */
  redrawn(line) {
    const plain = stripVTControlCharacters(line);
    const text = plain.trim();
    const units = UNITS.exec(text);
    if (units) this.#compiling(Number(units[1]), Number(units[2]), units[3] ?? "");
    else this.#downloads = Number(DOWNLOAD.exec(text)?.[1] ?? 0);
    return /^ +[A-Z][a-z]+ /.test(plain);
  }

  /** Returns whether a line of cargo's standard error only repeats the progress that `text` returns. */
  isStatus(line) {
    return STATUS.test(stripVTControlCharacters(line));
  }

  get done() {
    let finished = 0;
    for (const { count } of this.#finished.values()) finished += count;
    return Math.max(finished, this.#counted);
  }

  /** Cargo's own total, or the number of finished units if that is greater. */
  get total() {
    return Math.max(this.#total, this.#total && this.done);
  }

  /** Whether cargo compiled nothing. */
  get nothingChanged() {
    return this.#compiled === 0;
  }

  /** Returns the line to show, at most `columns` long. The name of a crate is omitted if there is no space. */
  text(columns = Number.POSITIVE_INFINITY) {
    // Cargo writes its line only when it changes, and one unit can take a minute.
    this.#passTime();
    const name = this.#longest.replace(/\(.*/, "");
    const line = `Building ${this.#what}${this.#state()}`;
    const named = name ? `${line} (${name})` : line;
    return named.length <= columns ? named : line.slice(0, columns);
  }

  #state() {
    if (this.total) {
      const left = this.#secondsLeft();
      return `: ${this.done} of ${several(this.total, "step")}${left === undefined ? "" : `, ${inWords(left)} left`}`;
    }
    if (this.#downloads) return `: ${several(this.#downloads, "crate")} left to download`;
    return this.done ? `: ${several(this.done, "step")} done` : "";
  }

  /** Returns the units of this build with their seconds, for the estimate of the next. */
  units() {
    const unit = ([name, { count, compiled, seconds }]) => {
      const each = compiled ? seconds / compiled : this.#weight(name);
      return [name, [count, Number(each.toFixed(2))]];
    };
    return Object.fromEntries([...this.#finished].map(unit));
  }

  #compiling(counted, total, names) {
    this.#passTime();
    this.#counted = counted;
    this.#total = total;
    const active = names.split(", ").filter((name) => name && !name.endsWith("..."));
    for (const name of this.#active.keys()) if (!active.includes(name)) this.#end(name);
    for (const name of active) if (!this.#active.has(name)) this.#active.set(name, 0);
    this.#longest = this.#active.keys().next().value ?? this.#longest;
  }

  #passTime() {
    const now = this.#now();
    const passed = this.#last === undefined ? 0 : Math.min((now - this.#last) / 1000, LONGEST_PAUSE);
    // Units that are compiled in parallel share the time, so that the seconds of all units add up to those of
    // the build.
    for (const [name, seconds] of this.#active) this.#active.set(name, seconds + passed / this.#active.size);
    this.#last = now;
  }

  /**
   * Records a unit that has disappeared from cargo's line, before or after the message that it is finished.
   */
  #end(name) {
    const unit = this.#unit(name);
    unit.seconds += this.#active.get(name);
    unit.compiled = Math.max(unit.compiled, 1);
    this.#active.delete(name);
  }

  #finish(name, fresh) {
    const unit = this.#unit(name);
    unit.count += 1;
    // The message about a build script does not say whether it ran. A script that ran was in cargo's line.
    if (fresh === false) {
      this.#compiled += 1;
      unit.compiled = Math.min(unit.compiled + 1, unit.count);
    }
    if (!this.#active.has(name)) return;
    this.#passTime();
    this.#end(name);
  }

  #unit(name) {
    if (!this.#finished.has(name)) this.#finished.set(name, { count: 0, compiled: 0, seconds: 0 });
    return this.#finished.get(name);
  }

  #weight(name) {
    return this.#known?.[name]?.[1] ?? USUAL_SECONDS;
  }

  /** Returns the total time of all units, in seconds of the earlier build. */
  #work() {
    let count = 0;
    let seconds = 0;
    for (const [units, each] of Object.values(this.#known)) {
      count += units;
      seconds += units * each;
    }
    const more = this.total - count;
    return more >= 0 ? seconds + more * USUAL_SECONDS : (seconds * this.total) / count;
  }

  #secondsLeft() {
    if (!this.#known || this.done === this.total) return undefined;
    let spent = 0;
    let worked = 0;
    let waiting = this.#work();
    for (const [name, { count, compiled, seconds }] of this.#finished) {
      spent += seconds;
      worked += compiled * this.#weight(name);
      waiting -= count * this.#weight(name);
    }
    const slowness = (spent + AS_BEFORE) / (worked + AS_BEFORE);
    let left = 0;
    for (const [name, seconds] of this.#active) {
      spent += seconds;
      waiting -= this.#weight(name);
      // If a unit exceeds its estimate, its end is not assumed to be near: it gets another quarter of its
      // time so far.
      left += Math.max(this.#weight(name) * slowness - seconds, seconds / 4);
    }
    left += Math.max(waiting, 0) * slowness;
    return spent < MEANINGFUL_SECONDS || spent < left * MEANINGFUL_PART ? undefined : left;
  }
}

/** Returns the name under which cargo's progress lists the compilation unit that a message is about. */
function unitName({ reason, package_id: id, target, profile }) {
  const [source, version = ""] = id.split("#");
  const named = version.includes("@") ? version.split("@")[0] : undefined;
  const crate = named ?? source.split("?")[0].split("/").at(-1);
  if (reason === "build-script-executed") return `${crate}(build)`;
  const [kind] = target.kind;
  if (kind === "custom-build") return `${crate}(build.rs)`;
  if (kind === "bin") return profile?.test ? `${target.name}(bin test)` : `${target.name}(bin)`;
  if (kind === "example" || kind === "bench") return `${target.name}(${kind})`;
  return kind === "test" || profile?.test ? `${target.name}(test)` : crate;
}

function several(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function inWords(seconds) {
  if (seconds >= 90) return `about ${Math.round(seconds / 60)} min`;
  return seconds >= 10 ? `about ${Math.ceil(seconds / 10) * 10} s` : "a few seconds";
}

/** Formats a duration: "4 min 12 s". */
export function duration(milliseconds) {
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const ERASE_LINE = "\x1b[K";
const REDRAW = 100;
const REPEAT = 15_000;

/**
 * A status line that is rewritten in place. If `inPlace` is false, lines without control characters are
 * written now and then.
 */
export class StatusLine {
  #stream;
  #inPlace;
  #now;
  #shown = "";
  #at;

  constructor(stream, { inPlace, now = () => performance.now() }) {
    this.#stream = stream;
    this.#inPlace = inPlace;
    this.#now = now;
    this.#at = now();
  }

  get columns() {
    // A line that fills the last column wraps in some terminals.
    return this.#inPlace ? (this.#stream.columns || 80) - 1 : undefined;
  }

  /** Shows text. The method limits how often it writes, so it may be called at any rate. */
  show(text) {
    const now = this.#now();
    if (now - this.#at < (this.#inPlace ? REDRAW : REPEAT)) return;
    if (this.#inPlace && text === this.#shown) return;
    this.#stream.write(this.#inPlace ? `\r${text}${ERASE_LINE}` : `${text}\n`);
    this.#shown = text;
    this.#at = now;
  }

  /** Writes a permanent line above the rewritten one. */
  print(line) {
    this.clear();
    this.#stream.write(`${line}\n`);
  }

  clear() {
    if (this.#shown && this.#inPlace) this.#stream.write(`\r${ERASE_LINE}`);
    this.#shown = "";
  }
}
