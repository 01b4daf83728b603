// The double computes the parts of a past run from its events. The result is the same as what Rust reads from
// its store.
import { expect, test } from "vitest";
import * as recordings from "../generated/recorded/runs";
import { pastRuns } from "./past";
import type { PlayedRun } from "./run";

const runs = Object.entries(recordings).flatMap(([name, one]) =>
  "outline" in one ? [{ name, ...one }] : [],
);

test.each(runs)(
  "the outline and the iterations of $name are those that Rust reads",
  async ({ events, outline, iterations }) => {
    const played = { events } as unknown as PlayedRun;
    const past = pastRuns(new Map(), () => played);
    expect(await past.runOutline("run")).toEqual(outline);
    for (const [scope, page] of Object.entries(iterations))
      expect(await past.runIterations("run", scope, 0, 500)).toEqual(page);
  },
);
