// Which warnings of a run are shown, and how often.
import { expect, test } from "vitest";
import { shownWarnings } from "./warnings";

test("the same words of several nodes are shown once", () => {
  const chosen = (node: string) => ({ code: "model_chosen", node, message: "“openai” used m." });
  const other = { code: "call_repeated", node: null, message: "The call was repeated." };
  expect(shownWarnings([chosen("draft"), other, chosen("judge"), chosen("draft")])).toEqual([
    { code: "model_chosen", message: "“openai” used m.", nodes: ["draft", "judge"] },
    { code: "call_repeated", message: "The call was repeated.", nodes: [] },
  ]);
});
