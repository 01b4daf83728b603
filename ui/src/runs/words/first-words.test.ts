// The first words of a run's inputs: their text, and how they are loaded.
import { beforeEach, expect, test, vi } from "vitest";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { runDetail } from "../../ipc/testing/values";
import { firstWords, useFirstWords } from "./first-words";

const data = { name: "topic", default: "The default" };
const document = { nodes: [{ id: "i", type: "input", position: { x: 0, y: 0 }, data }], edges: [] };
const read = vi.fn(async (id: string) => {
  if (id === "gone") throw new Error("no such run");
  const inputs = id === "b" ? {} : { topic: `About ${id}` };
  return runDetail({ inputs, document });
});

beforeEach(async () => {
  read.mockClear();
  replaceBackend({ ...testBackend(), runDetail: read });
  await useKinds.getState().load();
});

test("texts as they are, other values as JSON, in a line", () => {
  expect(firstWords({ topic: "Why bread\n  rises", count: 3, empty: "", none: null })).toBe(
    "Why bread rises · 3",
  );
  expect(firstWords({ list: [1, { a: 2 }] })).toBe('[1,{"a":2}]');
  expect(firstWords({ long: "word ".repeat(1000) })).toHaveLength(120);
  expect([firstWords({}), firstWords(null), firstWords("x")]).toEqual(["", "", ""]);
});

test("each run is read once, one after the other; rows that were scrolled past are not", async () => {
  const { want } = useFirstWords.getState();
  want(["a", "b", "c"]);
  want(["b", "gone"]);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(3));
  await vi.waitFor(() => expect(useFirstWords.getState().byRun.size).toBe(2));
  want(["a", "b"]);
  await Promise.resolve();
  expect(read.mock.calls.map(([id]) => id)).toEqual(["a", "b", "gone"]);
  expect([...useFirstWords.getState().byRun]).toEqual([
    ["a", "About a"],
    ["b", "The default"],
  ]);
});
