// The figures of a card. Each number is shown completely, and the least important figures are dropped first.
import { readFileSync } from "node:fs";
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import type { NodeRun } from "../../runs";
import { RunFooter } from "./RunFooter";

const page = pageForEach();
const usage = { calls: 56, input_tokens: 10_000, output_tokens: 119, cost_usd: 0.0066 };
const run = { state: "done", durationMs: 19_100, usage, pieces: 0, before: null } as unknown as NodeRun;
const css = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");

async function figures(timeAbove: boolean) {
  await act(async () => page.root.render(<RunFooter run={run} timeAbove={timeAbove} />));
  const footer = page.host.querySelector("footer");
  return {
    line: [...(footer?.firstElementChild?.children ?? [])].map((one) => one.textContent),
    end: footer?.lastElementChild?.textContent,
  };
}

test("tokens give way first, and the cost never does", async () => {
  expect(await figures(true)).toEqual({ line: ["56 calls", "10,119 tok"], end: "$0.0066" });
  expect(await figures(false)).toEqual({ line: ["19.1 s", "56 calls", "10,119 tok"], end: "$0.0066" });
});

test("what has no room is on a line that is not seen, instead of being cut", () => {
  const rule = /\.figures \{([^}]*)\}/.exec(css("./RunFooter.module.css"))?.[1] ?? "";
  for (const line of ["flex-wrap: wrap", "overflow: hidden", "min-width: 0"]) expect(rule).toContain(line);
  expect(/\.figure \{([^}]*)\}/.exec(css("./RunFooter.module.css"))?.[1]).toContain("flex: none");
});

test("beside a run the sockets without a wire are shown for a wire in hand alone", () => {
  const rules = css("./Ports.module.css");
  expect(rules).toContain('[data-region="canvas"]:not([data-far], [data-beside-run])');
  expect(rules).toContain('[data-region="canvas"]:not([data-far]) .extra-port[data-offered]');
});
