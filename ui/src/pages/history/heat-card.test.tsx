// The grid of iterations shows the pause before an iteration next to the iteration's time, and nowhere else.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import type { RunEvent } from "../../ipc/generated/bindings";
import { foldAll } from "../../runs/fold/reduce";
import { events, refine } from "../../runs/fold/samples";
import { HeatCard } from "./HeatCard";

const page = pageForEach();

/** Returns recorded events with a pause of this many milliseconds before each iteration. */
function recorded(pause: number): RunEvent[] {
  let later = 0;
  return (events("r1", refine()) as RunEvent[]).map((event) => {
    if (event.type === "workflow.node.iteration" && event.index > 0) later += pause;
    return { ...event, at: new Date(Date.parse(event.at) + later).toISOString() };
  });
}

async function rows(pause: number): Promise<Map<string, string[]>> {
  const state = foldAll("r1", recorded(pause));
  const card = (
    <HeatCard
      state={state}
      document={{ nodes: [], edges: [] }}
      need={() => undefined}
      onOpen={() => undefined}
    />
  );
  await act(async () => page.root.render(card));
  const written = (row: Element) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "");
  return new Map(
    [...page.host.querySelectorAll("tfoot tr")].map((row) => [
      row.querySelector("th")?.textContent ?? "",
      written(row),
    ]),
  );
}

test("pauses have a row, and a sum", async () => {
  expect((await rows(5_000)).get("Pause before")).toEqual(["–", "5.1 s", "5.1 s", "10.2 s"]);
});

test("a loop that made none has no such row", async () => {
  const found = await rows(0);
  expect(found.has("Whole iteration")).toBe(true);
  expect(found.has("Pause before")).toBe(false);
});

test("what pauses took is nothing that they cost", async () => {
  await rows(5_000);
  const cost = [...page.host.querySelectorAll("button")].find((button) => button.textContent === "Cost");
  await act(async () => cost?.click());
  expect(page.host.textContent).not.toContain("Pause before");
});
