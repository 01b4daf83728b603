// The card of an agent says what the agent does now, and counts its tokens.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { foldAll } from "../../runs/fold/reduce";
import { activity, type Body, completed, events, runStarted, started } from "../../runs/fold/samples";
import { idleNode } from "../../runs/view/node-run";
import { testIds } from "../../testids";
import { RunFooter } from "./RunFooter";
import { RunPreview } from "./RunPreview";

const page = pageForEach();

test("the last line of an agent is on its card", async () => {
  const line = "running npm test";
  const run = {
    ...idleNode,
    state: "running" as const,
    startedAt: Date.now(),
    activity: { line, entries: 3, tokens: 1234 },
  };
  await act(async () =>
    page.root.render(
      <>
        <RunPreview id="fix" run={run} selected={false} />
        <RunFooter run={run} timeAbove={false} />
      </>,
    ),
  );
  expect(page.host.querySelector(`[data-testid="${testIds.activity}"]`)?.textContent).toBe(line);
  expect(page.host.textContent).toContain("1,234 tok");
  const stopped = { ...run, state: "failed" as const, stopped: true };
  await act(async () =>
    page.root.render(<RunPreview id="fix" run={{ ...stopped, state: "skipped" }} selected={false} />),
  );
  expect(page.host.textContent).toContain("Stopped before it finished. Last: running npm test");
});

test("of an agent's activity the log keeps the newest, and the step the line", () => {
  const bodies: Body[] = [runStarted(), started("fix")];
  for (let entry = 1; entry <= 50; entry++) bodies.push(activity("fix", `read ${entry}`, entry));
  const state = foldAll("r", events("r", bodies));
  expect(state.root.steps.fix?.activity).toEqual({ line: "read 50", entries: 50, tokens: 1000 });
  const logged = state.log.filter(({ type }) => type === "workflow.node.activity");
  expect(logged.map(({ seq }) => seq)).toEqual([52]);
  const unrecorded = foldAll("r", events("r", [...bodies, activity("fix", "read 51", 51, false)]));
  expect(unrecorded.root.steps.fix?.activity?.line).toBe("read 51");
  expect(unrecorded.log.at(-1)?.seq).toBe(52);
  const done = foldAll("r", events("r", [...bodies, completed("fix")]));
  expect(done.root.steps.fix?.status).toBe("completed");
  expect(done.root.steps.fix?.activity?.entries).toBe(50);
});
