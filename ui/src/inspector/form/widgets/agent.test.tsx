// The agent of a node is chosen from those that are installed; the others show how to install them.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { choose, openList, pageForEach } from "../../../components/testing";
import { replaceBackend } from "../../../ipc/client";
import { agents, kinds } from "../../../ipc/generated/recorded/program";
import { testBackend } from "../../../ipc/testing";
import { useAgents } from "../../../runs/inputs/agents";
import { Field } from "../Field";
import { fieldsOf } from "../schema";

const page = pageForEach();
const schema = kinds.kinds.find(({ type }) => type === "agent")?.schema;
const spec = fieldsOf(schema).find(({ name }) => name === "runner");
const set: unknown[] = [];

beforeEach(() => {
  set.length = 0;
  useAgents.setState({ agents: null, failure: null });
  const known = agents.map((agent) =>
    agent.name === "claude-code" ? { ...agent, path: "/bin/claude", version: "2.0.14" } : agent,
  );
  replaceBackend({ ...testBackend(), agents: async () => known });
});

async function open(runner?: string): Promise<HTMLElement> {
  if (!spec) throw new Error("an Agent has no runner");
  const field = (
    <Field field={spec} data={{ runner }} nodeId="n" problems={[]} onChange={(v) => set.push(v)} />
  );
  await act(async () => page.root.render(field));
  const list = page.host.querySelector<HTMLElement>('[role="combobox"]');
  if (!list) throw new Error("the field is no list");
  return list;
}

test("agents are listed with their versions, and the chosen one is written", async () => {
  const list = await open();
  expect(list.textContent).toBe("Claude Code 2.0.14");
  const labels = (await openList(list)).map((one) => one.querySelector("span > span")?.textContent);
  expect(labels).toEqual(["Claude Code 2.0.14", "Codex, not installed", "Gemini, not installed"]);
  await choose(list, "codex");
  expect(set).toEqual(["codex"]);
});

test("an agent that is not installed says how to install it", async () => {
  expect((await open("codex")).textContent).toBe("Codex, not installed");
  expect(page.host.textContent).toContain("Install it with npm install -g @openai/codex.");
});

test("a name that is not in Settings stays", async () => {
  expect((await open("other")).textContent).toBe("other, not in Settings");
  expect(set).toEqual([]);
});
