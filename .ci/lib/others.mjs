// Installs the third-party programs that a measurement or a torture test runs, from their registries into a
// folder of the build folder.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { answer, buildFolder, say } from "./process.mjs";

/**
 * Installs missing packages into `<build folder>/<place>`. `packages` contains names with fixed versions,
 * under `python`, `npm` or both; `env` contains environment variables for compiling them. Returns the
 * `folder`, or in `why` the reason why the installation failed.
 */
export function installed(place, packages, env = {}) {
  const folder = path.join(buildFolder(), place);
  const [stamp, wanted] = [path.join(folder, "installed"), JSON.stringify({ packages, env, folder })];
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return { folder };
  say(`Installing ${Object.values(packages).flat().join(", ")} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const failed =
    (packages.python && installPython(folder, packages.python, env)) ??
    (packages.npm && installNode(folder, packages.npm));
  if (failed) return { why: `not installed: ${failed}` };
  writeFileSync(stamp, wanted);
  return { folder };
}

function installPython(folder, packages, more) {
  const env = { ...process.env, ...more };
  // pip's cache contains earlier builds, even if they were compiled with other variables.
  const fresh = Object.keys(more).length > 0 ? ["--no-cache-dir"] : [];
  if (answer("python3", ["-m", "venv", folder]) === null) return "python3 could not make an environment";
  const done = answer(path.join(folder, "bin/pip"), ["install", "--quiet", ...fresh, ...packages], {
    env,
  });
  return done === null ? `pip could not install ${packages.join(", ")}` : undefined;
}

function installNode(folder, packages) {
  const args = ["install", "--prefix", folder, "--no-fund", "--no-audit", "--ignore-scripts", ...packages];
  return answer("npm", args) === null ? `npm could not install ${packages.join(", ")}` : undefined;
}
