// The labels of answers: an approval is sent back, a tool call is denied.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import type { KindInfo, Question } from "../../ipc/generated/bindings";
import { useAnswerWords, useAsksForCall } from "./answer-words";

const page = pageForEach();

function Words({ id, question = null }: { id: string; question?: Question | null }) {
  const { yes, no } = useAnswerWords(id, question);
  return <i>{`${yes} / ${no}`}</i>;
}

test("the words follow what the node does with the answer", async () => {
  const kind = (type: string, shape: string) => [type, { type, shape }] as unknown as [string, KindInfo];
  useKinds.setState({ byType: new Map([kind("approval", "branching"), kind("tool", "plain")]) });
  const nodes = ["approval", "tool"].map((id) => ({ id, type: id, position: { x: 0, y: 0 }, data: {} }));
  useDocument.getState().open({ document: { name: "A", nodes, edges: [] }, path: null, version: null });
  const shown = async (id: string, question?: Question) => {
    await act(async () => page.root.render(<Words {...{ id, question }} />));
    return page.host.textContent;
  };
  expect(await shown("approval")).toBe("Approve / Send back");
  expect(await shown("tool")).toBe("Allow once / Deny");
  const again: Question = { type: "repeat", title: "A", tool: null };
  expect(await shown("tool", again)).toBe("Repeat the call / Do not repeat");
  expect(await shown("approval", again)).toBe("Approve / Send back");
});

function Call({ id, question }: { id: string; question: Question }) {
  return <i>{String(useAsksForCall(id, question))}</i>;
}

test("an approval is no tool call, whatever its record says", async () => {
  const kind = (type: string, shape: string) => [type, { type, shape }] as unknown as [string, KindInfo];
  useKinds.setState({ byType: new Map([kind("approval", "branching"), kind("tool", "plain")]) });
  const nodes = ["approval", "tool"].map((id) => ({ id, type: id, position: { x: 0, y: 0 }, data: {} }));
  useDocument.getState().open({ document: { name: "A", nodes, edges: [] }, path: null, version: null });
  const question: Question = { type: "allow_tool", title: "Reader", tool: "files.read" };
  for (const [id, expected] of [
    ["approval", "false"],
    ["tool", "true"],
  ] as const) {
    await act(async () => page.root.render(<Call {...{ id, question }} />));
    expect(page.host.textContent).toBe(expected);
  }
});
