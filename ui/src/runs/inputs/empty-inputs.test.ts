// The empty inputs for which the user must confirm before a model is called.
import { expect, test } from "vitest";
import type { FlowNode } from "../../ipc/generated/bindings";
import { kinds as testKinds } from "../../ipc/generated/recorded/program";
import { emptyInputs } from "./empty-inputs";

const node = (id: string, type: string, data: FlowNode["data"] = {}): FlowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
});
const wire = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });
const names = (nodes: FlowNode[], edges: ReturnType<typeof wire>[], typed: Record<string, string> = {}) =>
  emptyInputs({ nodes, edges }, testKinds.kinds, typed).map(({ name }) => name);

const input = (data: FlowNode["data"] = {}) => node("in", "input", { name: "text", ...data });
const chain = [wire("in", "mid"), wire("mid", "ask")];
const behind = (data: FlowNode["data"] = {}) => [input(data), node("mid", "output"), node("ask", "llm")];

test("a text without a word that leads to a model, also by other nodes", () => {
  expect(names(behind(), chain)).toEqual(["text"]);
  expect(names(behind({ default: "  " }), chain)).toEqual(["text"]);
  expect(names(behind({ default: "a" }), chain, { text: "\n" })).toEqual(["text"]);
});

test("not one that has a text, is no text, or leads to no model", () => {
  expect(names(behind({ default: "a" }), chain)).toEqual([]);
  expect(names(behind(), chain, { text: "a" })).toEqual([]);
  expect(names(behind({ dataType: "json" }), chain)).toEqual([]);
  expect(names(behind(), [wire("in", "mid")])).toEqual([]);
  expect(names([input(), node("out", "output")], [wire("in", "out")])).toEqual([]);
});

test("a model within a subflow counts", () => {
  const flow = { nodes: [node("inner", "llm")], edges: [] };
  expect(names([input(), node("sub", "subflow", { flow })], [wire("in", "sub")])).toEqual(["text"]);
});
