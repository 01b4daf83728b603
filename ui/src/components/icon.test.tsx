// An icon is drawn as one path and what else it has.
import { act } from "react";
import { expect, test } from "vitest";
import { Icon } from "./Icon";
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

test("a name that is not known is drawn as a box", async () => {
  expect(await shapes("no-such-icon")).toEqual(await shapes("box"));
});
