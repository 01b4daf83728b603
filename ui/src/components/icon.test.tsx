// An icon is drawn with all of its paths joined into one, next to its other shapes.
import { act } from "react";
import { expect, test } from "vitest";
import { Icon, iconNames } from "./Icon";
import { pageForEach } from "./testing";

const page = pageForEach();

async function shapes(name: string): Promise<string[]> {
  await act(async () => page.root.render(<Icon name={name} />));
  return [...page.host.querySelectorAll("svg > *")].map(
    (shape) => `${shape.localName} ${shape.getAttribute("d") ?? ""}`,
  );
}

test("the paths of an icon are one, and each begins where it did alone", async () => {
  expect(await shapes("log-out")).toEqual([
    "path M16 17l5-5-5-5M21 12H9M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4",
  ]);
  expect((await shapes("cpu")).map((shape) => shape.split(" ")[0])).toEqual(["path", "rect", "rect"]);
});

/** The number of arguments of each path command. */
const ARITY: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 };
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/y;
const FLAG = /[01]/y;

/** Returns the first error in a path according to the grammar of SVG; null if the path is valid. */
function mistake(path: string): string | null {
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    at = found ? pattern.lastIndex : at;
    return found !== null && found[0] !== "";
  };
  const space = () => skip(/[\s,]*/y);
  while (at < path.length) {
    const arity = ARITY[(path[at] ?? "").toLowerCase()];
    if (arity === undefined) return `no command at “${path.slice(at)}”`;
    at += 1;
    for (let more = true; more; ) {
      for (let i = 0; i < arity; i += 1) {
        space();
        if (!skip(arity === 7 && (i === 3 || i === 4) ? FLAG : NUMBER))
          return `no number at “${path.slice(at)}”`;
      }
      space();
      more = arity > 0 && /[-+.\d]/.test(path[at] ?? "");
    }
  }
  return null;
}

test("the grammar finds a number that is cut in two", () => {
  expect(mistake("M6.134 14.768.866l-.5 2 3.464")).not.toBeNull();
  expect(mistake("M6.134 14.768l.866-.5 2 3.464")).toBeNull();
});

test.each(iconNames)("all of the path of %s can be drawn", async (name) => {
  const paths = (await shapes(name)).filter((shape) => shape.startsWith("path "));
  expect(paths.map((shape) => mistake(shape.slice("path ".length)))).toEqual(paths.map(() => null));
});

test("a name that is not known is drawn as a box", async () => {
  expect(await shapes("no-such-icon")).toEqual(await shapes("box"));
});
