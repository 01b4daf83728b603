// Prepares a fresh machine to build, test and start Loopwright: reports what is missing and why, then
// installs it.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { answer, has, root, say, show, stop } from "./process.mjs";

const OLDEST_RUST = [1, 95];
const OLDEST_NODE = 20;

/** The needed packages of Debian and Ubuntu, each with the reason. */
const PACKAGES = {
  compile: { "build-essential": "compiles the C parts (SQLite, TLS) and links" },
  repositories: { "git-lfs": "keeps the large files of repositories that tests copy and give back" },
  window: {
    "libwebkit2gtk-4.1-dev": "the system web view that draws the window",
    "pkg-config": "finds that library when compiling",
  },
  others: {
    "python3-venv": "contains other programs that tests run: LiteLLM, langgraph, a server of tools",
  },
  cluster: {
    postgresql: "the server on which tests run several workers",
  },
  desktop: {
    dbus: "the message bus on which tests stand in for the desktop",
  },
  drive: {
    xvfb: "a display without a screen, for the tests of the real window",
    "webkit2gtk-driver": "drives the real window in those tests",
  },
};

/**
 * Installs what is missing. `parts` selects from `compile`, `pages`, `repositories`, `window`, `others`,
 * `cluster`, `desktop` and `drive`.
 */
export async function prepare(parts) {
  const node = Number(process.versions.node.split(".")[0]);
  if (node < OLDEST_NODE) stop(`Node ${OLDEST_NODE} or later is needed; this is ${process.version}.`);
  requireRust();
  await installPackages(parts);
  // The scripts themselves need no packages. The pages, their tests and the packaging do.
  if (parts.includes("window") || parts.includes("pages")) await installNodeModules();
}

function requireRust() {
  const version = answer("cargo", ["--version"]);
  if (version === null) {
    stop(
      "Rust is needed and `cargo` was not found.\nInstall it from https://rustup.rs, open a new terminal, and run this again.",
    );
  }
  const [major, minor] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major < OLDEST_RUST[0] || (major === OLDEST_RUST[0] && minor < OLDEST_RUST[1])) {
    stop(
      `Rust ${OLDEST_RUST.join(".")} or later is needed; this is ${version}.\nRun \`rustup update stable\`, then this again.`,
    );
  }
}

async function installPackages(parts) {
  if (process.platform !== "linux") return;
  // Any Python with these modules suffices; it need not be the system's.
  if (answer("python3", ["-c", "import ensurepip, venv"]) !== null)
    parts = parts.filter((part) => part !== "others");
  const wanted = Object.assign({}, ...parts.map((part) => PACKAGES[part]));
  if (!has("dpkg-query") || !has("apt-get")) {
    if (parts.includes("window") && answer("pkg-config", ["--exists", "webkit2gtk-4.1"]) === null) {
      stop(
        "The development files of WebKitGTK 4.1 are needed, and this system has no apt to install them with.\n" +
          "See https://v2.tauri.app/start/prerequisites/ for their name here, install them, and run this again.",
      );
    }
    return;
  }
  const missing = Object.keys(wanted).filter(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is dpkg-query's own.
    (name) => !answer("dpkg-query", ["-W", "-f=${Status}", name])?.endsWith(" installed"),
  );
  if (missing.length === 0) return;

  say(`System packages are missing: ${missing.join(", ")}`);
  for (const name of missing) console.log(`  ${name}: ${wanted[name]}`);
  const install = ["apt-get", "install", "--yes", "--no-install-recommends", ...missing];
  const asRoot = process.getuid?.() === 0;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  if (!asRoot) {
    const byHand = `  sudo apt-get update && sudo ${install.join(" ")}`;
    if (!process.stdin.isTTY || !has("sudo")) stop(`Install them with\n${byHand}\nand run this again.`);
    const ask = createInterface({ input: process.stdin, output: process.stdout });
    const reply = await ask.question("Install them now with sudo? [Y/n] ");
    ask.close();
    if (/^n/i.test(reply.trim())) stop(`Nothing was installed. When you are ready:\n${byHand}`);
  }
  const prefix = asRoot ? [] : ["sudo"];
  const [program, ...args] = [...prefix, ...install];
  await show(prefix[0] ?? "apt-get", [...(asRoot ? [] : ["apt-get"]), "update", "-q"], { env });
  if ((await show(program, args, { env })) !== 0) {
    stop("The packages could not be installed; the reason is above.");
  }
}

/**
 * Installs the packages if the lock file differs from the last installed one. `npm ci` would refuse a lock
 * file without the optional packages of every other platform, which the machine that wrote it may not have
 * seen.
 */
async function installNodeModules() {
  const lock = createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .digest("hex");
  const stamp = path.join(root, "node_modules/.installed-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  say("Installing the JavaScript packages that package-lock.json names");
  // Their install scripts only fetch browsers and drivers that are not used here.
  if ((await show("npm", ["install", "--no-save", "--ignore-scripts", "--no-fund", "--no-audit"])) !== 0) {
    stop("npm could not install the packages; the reason is above.");
  }
  writeFileSync(stamp, lock);
}
