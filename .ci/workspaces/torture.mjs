// `npm run torture -- workspaces`: runs `loopwright until` on projects of random forms, with an agent that attacks
// them, and kills the program at random instants. The project must stay as it was, byte for byte. A resumed or
// forked run must have the right files, and must lose nothing that an agent wrote.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { say } from "../lib/process.mjs";
import { run, tail } from "../lib/ran.mjs";
import { Random } from "../lib/random.mjs";
import { answers, differences, makeSource, NUMBERS, picture } from "./sources.mjs";

/** The time limit of one command, in seconds. */
const WITHIN = 240;
/** A run is killed within this time after its start, in milliseconds. */
const KILLED_WITHIN = 4_000;
const MOST_KILLS = 3;
/** One in this many projects has 50,000 additional files. */
const MANY_FILES_EVERY = 75;

/** The attacks that an agent may try. `$SOURCE` is the project, and `$OUT` is another folder of the user. */
const ATTACKS = [
  "git stash -q -u; git stash pop -q",
  "git stash pop -q",
  "git config user.name Mallory; git config core.fsmonitor /bin/true",
  'git -C "$SOURCE" config user.name Mallory',
  'git -C "$SOURCE" commit -q --allow-empty --no-verify -m evil',
  'git -C "$SOURCE" stash -q -u; git -C "$SOURCE" stash drop -q',
  'git push -q "$SOURCE" HEAD:refs/heads/main; git push -q origin main',
  'echo evil > "$SOURCE/.git/hooks/pre-commit"; mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout',
  'echo evil > link/pwned; echo evil > "$OUT/mine"; ln -sfn "$SOURCE" way; echo evil > way/numbers; rm -f way',
  'find .. -mindepth 1 -maxdepth 1 ! -name "$(basename "$PWD")" -exec rm -rf {} +; rm -rf "$SOURCE/src" "$OUT"',
  "rm -rf .git; git init -q; git add -A; git -c user.name=x -c user.email=x@x commit -qm evil",
  "printf '[core]\\n\\tfsmonitor = touch /tmp/evil\\n' >> .git/config; git status > /dev/null",
  "mkdir -p build && echo built > build/out; chmod -x tests/all.sh; rm -f src/d1/*",
];

/** A command that prints the hash of all files that a tree can contain, as a program sees them. */
const HASH = `find . -name .git -prune -o -type l -printf '%P %l\\n' | LC_ALL=C sort > "$TMPDIR/links"
find . -name .git -prune -o -name build -prune -o -name .env -prune -o -type f -printf '%P %M\\n' | LC_ALL=C sort > "$TMPDIR/modes"
find . -name .git -prune -o -name build -prune -o -name .env -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum > "$TMPDIR/sums"
HASH=$(cat "$TMPDIR/links" "$TMPDIR/modes" "$TMPDIR/sums" | sha256sum | cut -c1-16)
`;

/**
 * The agent. It logs the hash of the files that it started with, creates its own file, attacks, and repairs
 * one number.
 */
const agent = (source, outside, attacks, pause) => `#!/bin/sh
cat > /dev/null
SOURCE='${source}' OUT='${outside}'
ID=$(cat /proc/sys/kernel/random/uuid)
${HASH}
echo "$ID $HASH" >> "$HOME/.claude/projects/log"
{
${attacks.map((attack) => `( ${attack} )`).join("\n")}
} > /dev/null 2>&1
# From here on, no command of the agent itself hides the file, as a stash would.
echo "$ID" > "written-$ID"
echo "$ID" >> "$HOME/.claude/projects/wrote"
sleep ${pause}
n=0
for wanted in ${NUMBERS.join(" ")}; do
  n=$((n + 1))
  if [ "$(sed -n "\${n}p" numbers)" != "$wanted" ]; then sed -i "\${n}s/.*/$wanted/" numbers; break; fi
done
echo '{"type":"result","subtype":"success","is_error":false,"result":"Did '"$ID"'.","session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5}}'
`;

/** Tries `count` projects with the command line `program`. Returns true if all checks hold. */
export async function tortureWorkspaces({ program, count, seed }) {
  const root = mkdtempSync(path.join(tmpdir(), "loopwright-workspaces-"));
  const sums = { runs: 0, kills: 0, resumed: 0, forks: 0, branches: 0, forms: {} };
  const failed = [];
  for (let at = 0; at < count; at++) {
    const place = path.join(root, `${seed + at}`);
    mkdirSync(place);
    const began = performance.now();
    const { forms, wrong } = await attempt({ program, place, at, seed: seed + at, sums });
    for (const form of forms) sums.forms[form] = (sums.forms[form] ?? 0) + 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    for (const why of wrong) {
      failed.push(seed + at);
      console.log(`DOES NOT HOLD (seed ${seed + at}, ${forms.join(", ") || "plain"}; ${seconds} s): ${why}`);
    }
    if (wrong.length === 0) rmSync(place, { recursive: true, force: true });
    if ((at + 1) % 10 === 0)
      say(`${at + 1} of ${count} projects, ${sums.kills} kills, ${new Set(failed).size} failed`);
  }
  const wrong = new Set(failed).size;
  console.log(
    `\n${sums.runs} runs, ${sums.kills} kills, ${sums.resumed} resumed, ${sums.forks} forks, ${sums.branches} branches`,
  );
  console.log(
    Object.entries(sums.forms)
      .sort()
      .map(([form, times]) => `${form}: ${times}`)
      .join(", "),
  );
  if (wrong > 0) console.log(`The projects and runs that failed are in ${root}`);
  else rmSync(root, { recursive: true, force: true });
  console.log(`\n${count - wrong} passed, ${wrong} failed`);
  return wrong === 0;
}

async function attempt({ program, place, at, seed, sums }) {
  const random = new Random(seed);
  const source = makeSource(place, random, at % MANY_FILES_EVERY === MANY_FILES_EVERY - 1);
  const { project, forms } = source;
  const [home, bin, data] = ["home", "bin", "data"].map((name) => path.join(place, name));
  const log = path.join(home, ".claude/projects/log");
  mkdirSync(path.dirname(log), { recursive: true });
  mkdirSync(bin);
  const attacks = ATTACKS.filter(() => random.percent(60)).sort(() => random.next() - 2 ** 31);
  const pause = random.of(["0", "0.2", "1"]);
  writeFileSync(path.join(bin, "claude"), agent(project, path.join(place, "outside"), attacks, pause), {
    mode: 0o755,
  });
  const env = { ...source.env, PATH: `${bin}:${process.env.PATH}`, LOOPWRIGHT_DATA_DIR: data };
  const loopwright = (killedAfter, ...args) =>
    run(program, args, { cwd: project, env, within: WITHIN, killedAfter });
  const before = picture(source);
  const wrong = [];
  /** The files of the user, without those that applying added. */
  const clean = new Map([...before].filter(([key]) => !key.startsWith("project/.git/objects")));
  const check = (what, holds, said = "") => {
    if (!holds) wrong.push(`${what} ${said}`.trim());
  };
  const untouched = (when, applied = false) => {
    const differ = differences(picture(source, applied), applied ? clean : before);
    check(`${when}, what belongs to the person differs:`, differ.length === 0, differ.slice(0, 6).join(", "));
  };

  // Starts a run, and kills and resumes it until it ends.
  const base = random.of(["head", "working"]);
  const until = [
    "until",
    "sh tests/all.sh",
    "--with",
    "claude-code",
    "--base",
    base,
    "--max",
    "6",
    "--no-progress",
    "0",
  ];
  const more = [
    ...(random.percent(30) ? ["--copy", ".env*"] : []),
    ...(random.percent(30) ? ["--protect", "tests/**"] : []),
  ];
  let kills = random.percent(75) ? random.between(1, MOST_KILLS) : 0;
  let known = new Map();
  let recorded = [];
  let done;
  let id;
  const killed = () => (kills > 0 ? random.between(0, KILLED_WITHIN) : undefined);
  for (;;) {
    const args = id
      ? ["runs", "resume", id, "--approve", "all", "--json"]
      : [...until, ...more, "--allow", "all", "--json"];
    done = await loopwright(killed(), ...args);
    untouched(id ? "After a resumed run" : "After the run");
    const listed = await loopwright(undefined, "runs", "list", "--json");
    id = listed.json?.[0]?.runId;
    if (done.code !== null) break;
    kills -= 1;
    sums.kills += 1;
    if (id) {
      sums.resumed += 1;
      const now = await turns(loopwright, id);
      for (const [step, said] of known) check(`The recorded turn ${step} changed`, now.get(step) === said);
      known = now;
      recorded = [...now.values()];
    }
  }
  sums.runs += 1;
  if (done.json?.status !== "completed" || typeof done.json?.outputs?.fixed !== "string") {
    return { forms, wrong: [...wrong, `The run did not end green. ${tail(done)}`] };
  }
  const last = await turns(loopwright, id);
  const said = [...last.values()];
  for (const [step, text] of known)
    check(`The recorded turn ${step} was made again`, last.get(step) === text);
  check(
    "Each turn is another one.",
    new Set(said).size === said.length && recorded.every((one) => said.includes(one)),
  );

  // Nothing that an agent wrote is lost, and each recorded turn started with the files that the log names.
  const began = logged(log);
  const runs = path.join(data, "workspaces", id);
  const record = path.join(
    runs,
    readdirSync(runs)[0] ?? "",
    newestPlace(path.join(runs, readdirSync(runs)[0] ?? "")),
    "record.git",
  );
  const objects = answers(place, "--git-dir", record, "rev-list", "--objects", "--all");
  for (const turn of logged(path.join(path.dirname(log), "wrote")).keys())
    check(`What the turn ${turn} wrote is lost.`, objects.stdout.includes(`written-${turn}`), objects.stderr);

  // The applied branch must have the tree of the result.
  const changes = done.json.outputs.changes;
  if (source.git) {
    const applied = await loopwright(undefined, "workspace", "apply", id, "--as", "branch", "torture/result");
    check("The result is applied as a branch.", applied.code === 0, tail(applied));
    const tree = answers(project, "rev-parse", "torture/result^{tree}").stdout.trim();
    check(
      "The branch has the tree of the result.",
      `${changes.tree}`.split("+")[0] === tree,
      `${tree} ${changes.tree}`,
    );
    sums.branches += 1;
    untouched("After applying", true);
  }

  // A fork at a random step must start with the files of that step, even after its original run is deleted.
  const steps = [...last.keys()].filter((step) => began.has(idOf(last.get(step))));
  const step = random.of(steps);
  let parent = id;
  for (const generation of ["fork", "fork of a fork"]) {
    writeFileSync(log, "");
    const fork = await loopwright(
      undefined,
      "runs",
      "fork",
      parent,
      "--at",
      step,
      "--allow",
      "all",
      "--json",
    );
    const [first] = logged(log).values();
    const expected = began.get(idOf(last.get(step)));
    check(
      `The ${generation} at ${step} begins with its files.`,
      first === expected,
      `${first} ${expected} ${tail(fork)}`,
    );
    check(`The ${generation} ends green.`, typeof fork.json?.outputs?.fixed === "string", tail(fork));
    sums.forks += 1;
    await loopwright(undefined, "runs", "delete", parent);
    rmSync(path.join(data, "workspaces", parent), { recursive: true, force: true });
    parent = fork.json?.runId;
    if (!parent) break;
  }
  untouched("After the forks", source.git !== null);
  const cleaned = await loopwright(undefined, "workspace", "clean", "--unapplied");
  check("The workspaces can be removed.", cleaned.code === 0, tail(cleaned));
  check("No hook of the project was run.", !existsSync(path.join(place, "hook-was-run")));
  return { forms, wrong };
}

/** Returns the answer of each finished turn of the agent, by the path of the turn's step. */
async function turns(loopwright, id) {
  const shown = await loopwright(undefined, "runs", "show", id, "--json");
  const iterations = shown.json?.loops?.repair?.iterations?.length ?? 0;
  const found = new Map();
  for (let number = 1; number <= iterations + 1; number++) {
    const step = `repair[${number}]/fix`;
    const of = await loopwright(undefined, "runs", "show", id, "--step", step, "--json");
    const text = JSON.stringify(of.json?.output ?? "").match(/Did [0-9a-f-]{36}/)?.[0];
    if (text) found.set(step, text);
  }
  return found;
}

const idOf = (said) => said?.slice("Did ".length);

/** Returns the hash of the files that each turn started with, by turn. */
function logged(file) {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return new Map(
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ")),
  );
}

/** Returns the name of the newest workspace in the folder of a loop, or an empty string if there is none. */
const newestPlace = (folder) =>
  readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, "record.git")))
    .sort()
    .at(-1) ?? "";
