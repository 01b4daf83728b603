// @vitest-environment node
// The text in the window contains none of these unidiomatic or hard-to-read forms.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vite";
import { expect, test } from "vitest";

const SOURCE = import.meta.dirname;

/** The forms to find, each with the replacement to suggest. */
const FORMS: readonly (readonly [form: RegExp, instead: string])[] = [
  [/\b(go|goes|going|went) on\b/i, "continue"],
  [/\banew\b/i, "again"],
  [/\b(come|comes|came|coming) to\b/i, "is, reach"],
  [/\bas far as\b/i, "to, until"],
  [/\bstands?\b/i, "is"],
  [/\blets? go\b/i, "release, drop"],
  [/\bwhat (it |a \w+ )?lacks\b/i, "what is missing"],
  [/\b(is|are) told of\b/i, "learns"],
  [/\bunder way\b/i, "running"],
  [/\bnot looked at\b/i, "not connected"],
  [/\bas it looks\b/i, "detected"],
  [/\basked for differently\b/i, "changed settings"],
  [/\bpaid for twice\b/i, "charged again"],
  [/\bno known cost\b/i, "free, or cost not known"],
  [/\bwhole of it\b/i, "all of it"],
  [/\b(which|that) there is not\b/i, "which does not exist"],
];

type Found = { line: number; text: string };

/**
 * Returns the text of a syntax tree node that is a literal, a part of a template, or JSX text; null for other
 * nodes.
 */
function textOf(node: Record<string, unknown>): string | null {
  const { type, value } = node;
  if ((type === "Literal" || type === "JSXText") && typeof value === "string") return value;
  return type === "TemplateElement" ? (value as { cooked: string }).cooked : null;
}

/**
 * Returns the user-facing strings of a source with their line numbers. The names of imported modules are left
 * out.
 */
function textsOf(file: string, source: string): Found[] {
  const found: Found[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const one = node as Record<string, unknown>;
    if (String(one.type).startsWith("Import")) return;
    const text = textOf(one);
    if (text !== null) {
      const line = source.slice(0, Number(one.start)).split("\n").length;
      found.push({ line, text: text.replace(/\s+/g, " ") });
    } else for (const part of Object.values(one)) visit(part);
  };
  visit(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }).body);
  return found;
}

const wrongIn = (text: string): string[] =>
  FORMS.flatMap(([form, instead]) => {
    const words = form.exec(text)?.[0];
    return words === undefined ? [] : [`“${words}”: ${instead}`];
  });

test("texts are found in quotes, in templates and between tags, over the end of a line", () => {
  const source = [
    'import a from "goes on";',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code.
    "const b = `It ${c} goes\n  on`;",
    '<i title="anew">It comes\n  to</i>;',
  ].join("\n");
  const wrong = textsOf("a.tsx", source).flatMap(({ text }) => wrongIn(text));
  expect(wrong.map((one) => one.split(":")[0])).toEqual(["“goes on”", "“anew”", "“comes to”"]);
});

test("no text of the window has one of the forms", () => {
  const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !/\.test\.tsx?$/.test(file) &&
      !/^ipc\/(generated|testing)(\/|\.ts$)/.test(file),
  );
  expect(sources.length).toBeGreaterThan(400);
  const wrong = sources.flatMap((file) =>
    textsOf(file, readFileSync(path.join(SOURCE, file), "utf8")).flatMap(({ line, text }) =>
      wrongIn(text).map((why) => `${file}:${line} ${why} (${text.trim()})`),
    ),
  );
  expect(wrong).toEqual([]);
});
