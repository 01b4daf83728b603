// Finds text in a flow: in titles, ids, kinds and all strings in a node's data, including templates. Pure.
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";

/** A path within a node's data: keys and indices. */
export type Path = readonly (string | number)[];

export type Where =
  | { readonly in: "id" }
  | { readonly in: "kind" }
  | { readonly in: "data"; readonly path: Path };

export interface Hit {
  node: string;
  where: Where;
  /** The whole text that contains the match, and the span of the match in it. */
  text: string;
  from: number;
  to: number;
}

export interface FindOptions {
  matchCase: boolean;
  /** Returns the displayed title of a kind. */
  kindTitle: (type: string) => string;
  /**
   * The names of fields that are not searched because their content is separate, such as the flow of a
   * subflow.
   */
  skip: ReadonlySet<string>;
}

function spans(text: string, query: string, matchCase: boolean): [number, number][] {
  const found: [number, number][] = [];
  // Converting to lower case can change the length of a string. In that case only matches with the same case
  // are found.
  const lower = text.toLowerCase();
  const same = matchCase || lower.length !== text.length;
  const [inside, wanted] = same ? [text, query] : [lower, query.toLowerCase()];
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + wanted.length))
    found.push([at, at + wanted.length]);
  return found;
}

/** Yields every string within a value, with its path. */
function* texts(value: unknown, path: Path, skip: ReadonlySet<string>): Generator<[Path, string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* texts(item, [...path, i], skip);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value))
      if (!skip.has(key)) yield* texts(item, [...path, key], skip);
}

/** Returns the matches in the order of the nodes: title first, then id, kind and the other fields. */
export function findIn(document: FlowDoc, query: string, options: FindOptions): Hit[] {
  if (query === "") return [];
  return document.nodes.flatMap((node) => hitsOf(node, query, options));
}

function hitsOf(node: FlowNode, query: string, { matchCase, kindTitle, skip }: FindOptions): Hit[] {
  const data = [...texts(node.data, [], skip)].sort(
    ([a], [b]) => Number(b[0] === "label") - Number(a[0] === "label"),
  );
  const places: [Where, string][] = data.map(([path, text]) => [{ in: "data", path }, text]);
  const named = places.length > 0 && data[0]?.[0][0] === "label" ? 1 : 0;
  places.splice(named, 0, [{ in: "id" }, node.id], [{ in: "kind" }, kindTitle(node.type)]);
  return places.flatMap(([where, text]) =>
    spans(text, query, matchCase).map(([from, to]): Hit => ({ node: node.id, where, text, from, to })),
  );
}

/**
 * Returns whether a match can be replaced. The names of kinds are part of the program, so a flow cannot
 * change them.
 */
export const canReplace = (hit: Hit): boolean => hit.where.in !== "kind";

const sameText = (a: Hit, b: Hit): boolean =>
  a.node === b.node && a.where.in === b.where.in && placeOf(a.where) === placeOf(b.where);

/** Formats the location of a match for people: `branches[0].when`. */
export function placeOf(where: Where): string {
  if (where.in !== "data") return where.in;
  return where.path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

export interface Replacement {
  node: string;
  where: Where;
  text: string;
}

/**
 * Returns the strings with the matches replaced by `by`. Several matches in one string become one
 * replacement. Matches that cannot be replaced are left out.
 */
export function replacements(hits: readonly Hit[], by: string): Replacement[] {
  const done: { hits: Hit[] }[] = [];
  for (const hit of hits.filter(canReplace)) {
    const same = done.find((one) => one.hits[0] && sameText(one.hits[0], hit));
    if (same) same.hits.push(hit);
    else done.push({ hits: [hit] });
  }
  return done.flatMap(({ hits: same }) => {
    const [first] = same;
    if (!first) return [];
    const text = [...same]
      .sort((a, b) => b.from - a.from)
      .reduce((all, { from, to }) => all.slice(0, from) + by + all.slice(to), first.text);
    return [{ node: first.node, where: first.where, text }];
  });
}

/**
 * Returns a value with the string at a path replaced. The result shares everything else with the original.
 */
export function withText(value: unknown, path: Path, text: string): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withText(item, rest, text) : item));
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  return { ...fields, [step]: withText(fields[step], rest, text) };
}
