// The languages of files, chosen by their names. The parser of a language is loaded with its first file.
import type { StreamParser } from "@codemirror/language";
import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

type Load = () => Promise<Extension>;

/** The parsers of CodeMirror's collection have states of many types. */
// biome-ignore lint/suspicious/noExplicitAny: each parser has its own type of state.
type Parser = StreamParser<any>;

const stream =
  (load: () => Promise<Parser>): Load =>
  async () =>
    StreamLanguage.define(await load());

const script = (options: { jsx?: boolean; typescript?: boolean }): Load => {
  return async () => (await import("@codemirror/lang-javascript")).javascript(options);
};

const clike = () => import("@codemirror/legacy-modes/mode/clike");
const css = () => import("@codemirror/legacy-modes/mode/css");
const xml = () => import("@codemirror/legacy-modes/mode/xml");

const LOADS = {
  javascript: script({ jsx: true }),
  typescript: script({ typescript: true }),
  tsx: script({ jsx: true, typescript: true }),
  json: async () => (await import("@codemirror/lang-json")).json(),
  python: async () => (await import("@codemirror/lang-python")).python(),
  rust: stream(async () => (await import("@codemirror/legacy-modes/mode/rust")).rust),
  go: stream(async () => (await import("@codemirror/legacy-modes/mode/go")).go),
  c: stream(async () => (await clike()).c),
  cpp: stream(async () => (await clike()).cpp),
  java: stream(async () => (await clike()).java),
  kotlin: stream(async () => (await clike()).kotlin),
  csharp: stream(async () => (await clike()).csharp),
  scala: stream(async () => (await clike()).scala),
  dart: stream(async () => (await clike()).dart),
  css: stream(async () => (await css()).css),
  scss: stream(async () => (await css()).sCSS),
  less: stream(async () => (await css()).less),
  html: stream(async () => (await xml()).html),
  xml: stream(async () => (await xml()).xml),
  yaml: stream(async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml),
  toml: stream(async () => (await import("@codemirror/legacy-modes/mode/toml")).toml),
  shell: stream(async () => (await import("@codemirror/legacy-modes/mode/shell")).shell),
  powershell: stream(async () => (await import("@codemirror/legacy-modes/mode/powershell")).powerShell),
  ruby: stream(async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby),
  perl: stream(async () => (await import("@codemirror/legacy-modes/mode/perl")).perl),
  lua: stream(async () => (await import("@codemirror/legacy-modes/mode/lua")).lua),
  r: stream(async () => (await import("@codemirror/legacy-modes/mode/r")).r),
  julia: stream(async () => (await import("@codemirror/legacy-modes/mode/julia")).julia),
  swift: stream(async () => (await import("@codemirror/legacy-modes/mode/swift")).swift),
  haskell: stream(async () => (await import("@codemirror/legacy-modes/mode/haskell")).haskell),
  clojure: stream(async () => (await import("@codemirror/legacy-modes/mode/clojure")).clojure),
  erlang: stream(async () => (await import("@codemirror/legacy-modes/mode/erlang")).erlang),
  groovy: stream(async () => (await import("@codemirror/legacy-modes/mode/groovy")).groovy),
  sql: stream(async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL),
  protobuf: stream(async () => (await import("@codemirror/legacy-modes/mode/protobuf")).protobuf),
  cmake: stream(async () => (await import("@codemirror/legacy-modes/mode/cmake")).cmake),
  dockerfile: stream(async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile),
  properties: stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
  diff: stream(async () => (await import("@codemirror/legacy-modes/mode/diff")).diff),
  tex: stream(async () => (await import("@codemirror/legacy-modes/mode/stex")).stex),
} satisfies Record<string, Load>;

type FileLanguage = keyof typeof LOADS;

const BY_EXTENSION: Readonly<Record<string, FileLanguage>> = {
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  json: "json",
  jsonl: "json",
  ipynb: "json",
  py: "python",
  pyi: "python",
  rs: "rust",
  go: "go",
  c: "c",
  h: "cpp",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  java: "java",
  kt: "kotlin",
  kts: "kotlin",
  cs: "csharp",
  scala: "scala",
  dart: "dart",
  css: "css",
  scss: "scss",
  less: "less",
  html: "html",
  htm: "html",
  vue: "html",
  svelte: "html",
  xml: "xml",
  svg: "xml",
  csproj: "xml",
  yml: "yaml",
  yaml: "yaml",
  toml: "toml",
  lock: "toml",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  ps1: "powershell",
  rb: "ruby",
  pl: "perl",
  pm: "perl",
  lua: "lua",
  luau: "lua",
  r: "r",
  jl: "julia",
  swift: "swift",
  hs: "haskell",
  clj: "clojure",
  cljs: "clojure",
  erl: "erlang",
  groovy: "groovy",
  gradle: "groovy",
  sql: "sql",
  proto: "protobuf",
  cmake: "cmake",
  ini: "properties",
  cfg: "properties",
  properties: "properties",
  env: "properties",
  diff: "diff",
  patch: "diff",
  tex: "tex",
};

const BY_NAME: Readonly<Record<string, FileLanguage>> = {
  dockerfile: "dockerfile",
  "cmakelists.txt": "cmake",
  "cargo.lock": "toml",
  "package-lock.json": "json",
  rakefile: "ruby",
  gemfile: "ruby",
};

/** Returns the language of a file; null if it is unknown. */
export function languageOfFile(path: string): FileLanguage | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const byName = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  const end = name.slice(name.lastIndexOf(".") + 1);
  const byEnd = name.includes(".") && Object.hasOwn(BY_EXTENSION, end) ? BY_EXTENSION[end] : undefined;
  return byName ?? byEnd ?? null;
}

/**
 * Loads the language of a file. If there is none, or if it cannot be loaded, returns an empty extension, and
 * the text has a single colour.
 */
export async function loadFileLanguage(path: string): Promise<Extension> {
  const language = languageOfFile(path);
  if (language === null) return [];
  try {
    return await LOADS[language]();
  } catch {
    return [];
  }
}
