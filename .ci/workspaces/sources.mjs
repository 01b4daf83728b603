// Projects of many forms, like those of users, and snapshots of all files that belong to the user.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * The correct values of the project's numbers, which are wrong at first. Each turn of the agent repairs one
 * of them.
 */
export const NUMBERS = ["3", "7", "11"];

/** Reports in TAP which numbers are right. */
const TESTS = `n=0
for wanted in ${NUMBERS.join(" ")}; do
  n=$((n + 1))
  got=$(sed -n "\${n}p" numbers)
  if [ "$got" = "$wanted" ]; then echo "ok $n - number $n"; else echo "not ok $n - number $n"; failed=1; fi
done
echo "1..${NUMBERS.length}"
exit \${failed:-0}
`;

/**
 * Creates a project in `place`. Returns its folder, a description of its `forms`, the folders to watch, and a
 * function that runs git in it.
 */
export function makeSource(place, random, many) {
  const [project, home, outside] = ["project", "home", "outside"].map((name) => path.join(place, name));
  for (const folder of [project, home, outside, path.join(project, "tests"), path.join(project, "src")])
    mkdirSync(folder, { recursive: true });
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  };
  const env = {
    ...process.env,
    HOME: home,
    GIT_AUTHOR_DATE: "1700000000 +0000",
    GIT_COMMITTER_DATE: "1700000000 +0000",
  };
  // A commit of many files would start `git gc` in the background, which packs objects while they are compared.
  const quiet = { ...env, GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "gc.auto", GIT_CONFIG_VALUE_0: "0" };
  const git = (...args) =>
    execFileSync("git", args, {
      cwd: project,
      env: quiet,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const forms = [];
  const form = (name, percent) => {
    const is = random.percent(percent);
    if (is) forms.push(name);
    return is;
  };
  writeFileSync(path.join(outside, "mine"), "mine\n");
  write("tests/all.sh", TESTS);
  write("numbers", "1\n1\n1\n");
  write(".gitignore", ".env\nbuild/\n");
  write(".env", "KEY=1\n");
  for (let at = 0; at < 30; at++) write(`src/d${at % 5}/f${at}.txt`, `file ${at}\n`);
  if (form("a link out of the folder", 40)) execFileSync("ln", ["-s", outside, path.join(project, "link")]);
  if (form("no git", 12)) return { project, forms, watched: [project, outside], git: null, env };
  if (many) {
    forms.push("an index of 50,000 files");
    for (let at = 0; at < 50_000; at++) write(`many/d${at % 250}/e${at % 7}/f${at}`, `${at}\n`);
  }
  const format = random.percent(15) ? ["--ref-format=reftable"] : [];
  if (format.length > 0) forms.push("reftable");
  git("init", "-q", "-b", "main", ...format);
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.org");
  if (form("CRLF attributes", 25)) write(".gitattributes", "*.txt text eol=crlf\n");
  if (form("core.autocrlf", 15)) git("config", "core.autocrlf", "input");
  git("add", "-A");
  git("commit", "-qm", "one");
  if (form("a submodule", 20)) {
    const library = path.join(place, "library");
    mkdirSync(library);
    const inside = (...args) => execFileSync("git", args, { cwd: library, env: quiet, stdio: "ignore" });
    inside("init", "-q", "-b", "main");
    writeFileSync(path.join(library, "lib.txt"), "lib\n");
    inside("add", "-A");
    inside("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "lib");
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
    git("commit", "-qm", "with a library");
  }
  write("src/d0/f0.txt", "file 0, changed\n");
  git("commit", "-qam", "two");
  if (form("a stash", 40)) {
    write("src/d1/f1.txt", "stashed\n");
    git("stash", "-q");
  }
  if (form("shallow", 15)) {
    git("config", "uploadpack.allowAnySHA1InWant", "true");
    const deep = path.join(place, "deep");
    execFileSync("mv", [project, deep]);
    const clone = ["clone", "-q", "--depth", "1", ...format, `file://${deep}`, project];
    execFileSync("git", clone, { cwd: place, env: quiet, stdio: "ignore" });
    git("config", "user.name", "A");
    git("config", "user.email", "a@example.org");
    write(".env", "KEY=1\n");
  }
  if (form("sparse", 15)) git("sparse-checkout", "set", "--no-cone", "/*", "!/src/d4/");
  if (form("staged", 40)) {
    write("src/d2/f2.txt", "staged\n");
    git("add", "src/d2/f2.txt");
  }
  if (form("dirty", 50)) write("src/d3/f3.txt", "dirty\n");
  if (form("untracked", 50)) write("notes/mine.txt", "mine\n");
  if (form("detached", 20)) git("checkout", "-q", "--detach");
  if (form("signing", 30)) {
    git("config", "commit.gpgSign", "true");
    git("config", "gpg.program", "false");
  }
  if (form("hooks that fail", 50)) {
    mkdirSync(path.join(project, ".git/hooks"), { recursive: true });
    for (const hook of [
      "pre-commit",
      "post-checkout",
      "reference-transaction",
      "post-index-change",
      "pre-push",
    ]) {
      const file = path.join(project, ".git/hooks", hook);
      writeFileSync(file, `#!/bin/sh\ntouch ${place}/hook-was-run\nexit 1\n`, { mode: 0o755 });
    }
  }
  return { project, forms, watched: [project, outside], git, env };
}

/**
 * Returns a snapshot of everything that belongs to the user, by path: files, links, modes and contents. It
 * leaves out what may change: the refs of workspaces and, with `applied`, the applied branches with their
 * objects.
 */
export function picture(source, applied = false) {
  const found = new Map();
  const isOurs = (name) =>
    /^\.git\/refs\/loopwright(\/|$)/.test(name) ||
    // A reftable has all refs in a few files, so refs are compared as git lists them.
    /^\.git\/reftable\//.test(name) ||
    (applied && /^\.git\/(objects|refs\/heads\/torture|logs\/refs\/heads\/torture)(\/|$)/.test(name));
  const walk = (top, name) => {
    const file = path.join(top, name);
    if (isOurs(name)) return;
    const meta = lstatSync(file, { throwIfNoEntry: false });
    // A git process that was killed with its run may still remove its lock file. If a file is missing for
    // longer, the snapshots differ.
    if (meta === undefined) return;
    const key = `${path.basename(top)}/${name}`;
    if (meta.isDirectory()) {
      if (!name.startsWith(".git/objects")) found.set(key, `folder ${meta.mode}`);
      for (const entry of readdirSync(file).sort()) walk(top, path.join(name, entry));
    } else if (meta.isSymbolicLink()) found.set(key, `link ${readlinkSync(file)}`);
    else found.set(key, `${meta.mode} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`);
  };
  for (const top of source.watched) walk(top, "");
  if (source.git) {
    const refs = source.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
    const kept = refs.filter(
      (ref) => !ref.startsWith("refs/loopwright/") && !(applied && ref.startsWith("refs/heads/torture")),
    );
    found.set("refs", kept.join("\n"));
    found.set("stash", source.git("stash", "list"));
  }
  return found;
}

/** Returns the paths that differ between two snapshots. */
export function differences(before, after) {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((key) => before.get(key) !== after.get(key));
}

/** Returns whether a git command succeeds in a folder. */
export const answers = (folder, ...args) =>
  spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
