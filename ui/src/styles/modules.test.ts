// @vitest-environment node
// The rules that keep stylesheets separate: every global one is listed, only files of its own folder import a
// module, every class is defined and used, and layers (not the order of files) decide which rule wins
// (docs/decisions/020-css-modules.md).
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readStylesheet, rulesOf, stylesheets } from "./stylesheets";

const SOURCE = path.resolve(import.meta.dirname, "..");

/** The global stylesheets: tokens, fonts and base rules. */
const GLOBAL = ["base", "contrast", "fonts", "index", "motion", "software", "tokens"].map(
  (name) => `styles/${name}.css`,
);

/** The base classes. Each sets a single property, and modules do not refer to them. */
const UTILITIES = [
  ...["clip-text", "divider", "grow", "icon", "mono", "numeric", "row", "sr-only"],
  ...["primary", "secondary", "tertiary", "ok", "error", "warning", "running", "accent"].map(
    (name) => `text-${name}`,
  ),
  ...["io", "ai", "logic", "tools", "flow", "loop"].map((name) => `category-${name}`),
  ...["grey", "blue", "green", "amber", "coral", "pink"].map((name) => `group-${name}`),
  "software",
];

/**
 * The classes that a module may use without defining them: classes of elements that libraries draw, and
 * classes for the states of xyflow's elements.
 */
const THIRD_PARTY =
  /^(react-flow$|react-flow__|selected$|selection$|draggable$|dragging$|nodrag$|cm-|tok-|contains-task-list$|task-list-item$|category-loop$)/;

/**
 * The folders whose modules every component may import. Any other module is only for components in its own
 * folder and in folders below that.
 */
const SHARED = ["components/"];

/** Modules whose rules must win over those of a library. They are therefore in no layer. */
const WITHOUT_LAYER = ["components/CodeEditor.module.css"];

const modules = stylesheets().filter((file) => file.endsWith(".module.css"));

const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), "utf8") }));

/** A source that imports a module: `styles` is the local name of the module. */
type Import = {
  readonly file: string;
  readonly text: string;
  readonly styles: string;
  readonly module: string;
};

const imports: readonly Import[] = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^import (\w+) from "([^"]+\.module\.css)";$/gm)].map(([, styles = "", name = ""]) => ({
    file,
    text,
    styles,
    module: path.join(path.dirname(file), name),
  })),
);

const camelCase = (name: string): string =>
  name.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());

const withoutGlobals = (selector: string): string => selector.replace(/:global\([^)]*\)|\[[^\]]*\]/g, "");

const classesIn = (selector: string): string[] =>
  [...selector.matchAll(/\.(-?[a-zA-Z_][\w-]*)/g)].map(([, name = ""]) => name);

/** Returns the class names that a module exports, in camel case as components use them. */
const definedIn = (module: string): Set<string> =>
  new Set(
    rulesOf(module)
      .flatMap(({ selector }) => classesIn(withoutGlobals(selector)))
      .map(camelCase),
  );

/** Returns the class names that a source uses from a module; null if the source computes one of them. */
function readBy({ text, styles }: Import): string[] | null {
  const body = text.replace(/^import .*$/gm, "");
  if (new RegExp(`\\b${styles}\\[`).test(body)) return null;
  return [...body.matchAll(new RegExp(`\\b${styles}\\.(\\w+)`, "g"))].map(([, name = ""]) => name);
}

test("what is global is listed", () => {
  const global = stylesheets().filter((file) => !file.endsWith(".module.css"));
  expect(global).toEqual(GLOBAL);
});

test("the files of modules have different names, of which their classes are made", () => {
  const names = modules.map((file) => path.basename(file).toLowerCase());
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("a module names classes of libraries only, besides its own", () => {
  const wrong = modules.flatMap((file) =>
    rulesOf(file).flatMap(({ selector }) =>
      [...selector.matchAll(/:global\(([^)]*)\)/g)]
        .flatMap(([, inside = ""]) => classesIn(inside))
        .filter((name) => !THIRD_PARTY.test(name))
        .concat(classesIn(withoutGlobals(selector)).filter((name) => UTILITIES.includes(name)))
        .map((name) => `${file}: ${name}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test("a module is imported in its folder, or shared", () => {
  const wrong = imports
    .filter(({ module }) => !SHARED.some((folder) => module.startsWith(folder)))
    .filter(({ file, module }) => !`${path.dirname(file)}/`.startsWith(`${path.dirname(module)}/`))
    .map(({ file, module }) => `${file}: ${module}`);
  expect(wrong).toEqual([]);
});

test("every class that a component reads is defined", () => {
  const missing = imports.flatMap((one) => {
    const defined = definedIn(one.module);
    return (readBy(one) ?? [])
      .filter((name) => !defined.has(name))
      .map((name) => `${one.file}: ${one.styles}.${name}`);
  });
  expect(missing).toEqual([]);
});

test("every class of a module is used", () => {
  const unused = modules.flatMap((module) => {
    const readers = imports.filter((one) => one.module === module).map(readBy);
    if (readers.includes(null)) return [];
    const used = new Set(readers.flatMap((names) => names ?? []));
    for (const [, name = ""] of readStylesheet(module).matchAll(/composes: ([\w-]+);/g))
      used.add(camelCase(name));
    return [...definedIn(module)].filter((name) => !used.has(name)).map((name) => `${module}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test("no source finds an element by a class written as text, besides those of libraries", () => {
  const call = /\b(?:querySelector(?:All)?|closest|matches)(?:<[^>()]*>)?\(\s*(["'`])(.*?)\1/g;
  const wrong = sources
    .filter(({ file }) => !/\.test\.tsx?$/.test(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(call)]
        .flatMap(([, , selector = ""]) => classesIn(selector.replace(/\[[^\]]*\]|\$\{[^}]*\}/g, "")))
        .filter((name) => !THIRD_PARTY.test(name))
        .map((name) => `${file}: ${name}`),
    );
  expect(wrong).toEqual([]);
});

test("shared modules are in their layer, and features in none", () => {
  const wrong = modules.filter((file) => {
    const isLayered = file.startsWith("components/") && !WITHOUT_LAYER.includes(file);
    return rulesOf(file).some(({ within }) => within.includes("@layer components") !== isLayered);
  });
  expect(wrong).toEqual([]);
});

test("the order of the layers is declared before any other style", () => {
  expect(
    readStylesheet("styles/index.css")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .trim(),
  ).toMatch(/^@layer base, components;/);
  const main = readFileSync(path.join(SOURCE, "main.tsx"), "utf8");
  expect(/^import .*$/m.exec(main)?.[0]).toBe('import "./styles/index.css";');
});

test("no module takes a class of another file", () => {
  const wrong = modules.filter((file) => /composes:[^;]* from /.test(readStylesheet(file)));
  expect(wrong).toEqual([]);
});
