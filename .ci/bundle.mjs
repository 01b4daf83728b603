// `npm run bundle`: a .deb and an .rpm with the window, the script runner and the command line, its manual
// and its completions.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { optionsOf } from "./lib/options.mjs";
import { answer, builtProgram, cargo, root, say, show, stop } from "./lib/process.mjs";
import { prepare } from "./lib/setup.mjs";

const HELP = `npm run bundle [-- --built]

Makes packages for Debian, Ubuntu and Fedora in the build folder. It needs no network once the libraries are there.

  --built   packs the release programs that were built before
`;
const { built } = optionsOf(HELP, { built: { type: "boolean" } });

if (process.platform !== "linux") stop("Packages can be built only on Linux.");
await prepare(["compile", "window"]);
const programs = ["loopwright-desktop", "loopwright", "loopwright-scripts"].map((name) =>
  builtProgram(name, "release"),
);
if (!built) await build();
const missing = programs.filter((program) => !existsSync(program));
if (missing.length > 0) stop(`${missing.join(" and ")} must be built first: leave out --built.`);
const [, commandLine, scripts] = programs;
const release = path.dirname(commandLine);
const work = path.join(release, "package-files");
rmSync(work, { recursive: true, force: true });
const common = {
  ...written(),
  ...manual(),
  "/usr/bin/loopwright": commandLine,
  // The window and the command line look for the script runner in their own folder.
  "/usr/bin/loopwright-scripts": scripts,
};
const bash = completions("bash");
const fish = completions("fish");
const zsh = completions("zsh");
const files = (zshFolder) => ({
  ...common,
  "/usr/share/bash-completion/completions/loopwright": bash,
  "/usr/share/fish/vendor_completions.d/loopwright.fish": fish,
  [`${zshFolder}/_loopwright`]: zsh,
});
const config = {
  bundle: {
    linux: {
      // Debian's zsh has its own folder for the completions of packages.
      deb: { files: files("/usr/share/zsh/vendor-completions") },
      rpm: { files: files("/usr/share/zsh/site-functions") },
    },
  },
};
say("Packing");
const tauri = path.join(root, "node_modules/.bin/tauri");
const args = ["bundle", "--bundles", "deb,rpm", "--config", JSON.stringify(config)];
if ((await show(tauri, args, { cwd: path.join(root, "src-tauri") })) !== 0)
  stop("The packages could not be built; the reason is above.");
for (const kind of ["deb", "rpm"]) {
  const folder = path.join(release, "bundle", kind);
  for (const name of readdirSync(folder).filter((one) => one.endsWith(`.${kind}`))) {
    console.log(`${path.join(folder, name)}  ${megabytes(path.join(folder, name))}`);
  }
}
for (const program of programs) console.log(`${path.basename(program)}  ${megabytes(program)}`);

async function build() {
  say("Building the pages");
  if ((await show("npm", ["run", "--silent", "ui:build"])) !== 0)
    stop("The pages could not be built; the reason is above.");
  say("Building the programs (release, a quarter of an hour and more the first time)");
  const packages = ["loopwright-desktop", "loopwright-cli", "loopwright-script-worker"];
  const args = cargo("build", "--release", ...packages.flatMap((name) => ["-p", name]));
  if ((await show("cargo", args)) !== 0) stop("The programs could not be built; the reason is above.");
}

/**
 * Fills in the templates of `src-tauri/packaging`. Returns the path of each file, keyed by the path where it
 * is installed.
 */
function written() {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const source = path.join(root, "src-tauri/packaging");
  mkdirSync(work, { recursive: true });
  const metainfo = path.join(work, "metainfo.xml");
  const text = readFileSync(path.join(source, "metainfo.xml"), "utf8");
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(metainfo, text.replace("VERSION", version).replace("DATE", date));
  return {
    "/usr/share/metainfo/app.loopwright.desktop.metainfo.xml": metainfo,
    "/usr/share/mime/packages/app.loopwright.desktop.xml": path.join(source, "mime.xml"),
    "/usr/share/doc/loopwright/copyright": path.join(root, "LICENSE"),
  };
}

/** Writes a compressed manual page for each command. */
function manual() {
  const folder = path.join(work, "man");
  mkdirSync(folder, { recursive: true });
  if (answer(commandLine, ["manual", folder]) === null) stop("The manual could not be written.");
  const pages = readdirSync(folder).map((name) => {
    const page = path.join(folder, `${name}.gz`);
    writeFileSync(page, gzipSync(readFileSync(path.join(folder, name)), { level: 9 }));
    return [`/usr/share/man/man1/${name}.gz`, page];
  });
  return Object.fromEntries(pages);
}

function completions(shell) {
  const script = answer(commandLine, ["completions", shell]);
  if (!script) stop(`There are no completions for ${shell}.`);
  const file = path.join(work, `completions.${shell}`);
  writeFileSync(file, `${script}\n`);
  return file;
}

function megabytes(file) {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}
