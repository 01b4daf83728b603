// The wires that the key C offers, and the message strip of a card.
import { beforeEach, expect, test } from "vitest";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { agenticSearch } from "../../ipc/testing/flows";
import { inShort } from "../card/MessageStrip";
import { connectionsOf } from "./ConnectMenu";

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(agenticSearch) });
});

test("wires that would form a cycle are offered last", () => {
  // The plan is in the body, after the loop and before the search.
  const offered = connectionsOf(agenticSearch, "plan").map(
    ({ from, to }) => `${from.node} → ${to.node}.${to.handle.name}`,
  );
  const circle = offered.indexOf("plan → search_loop.input");
  const back = offered.indexOf("plan → search_loop.feedback");
  expect(circle).toBeGreaterThan(0);
  expect(back).toBeGreaterThanOrEqual(0);
  expect(back).toBeLessThan(circle);
  expect(offered.slice(circle).every((one) => !one.includes("feedback"))).toBe(true);
  expect(offered[0]).not.toContain("search_loop.input");
});

test("a strip leaves out the name of its own node where a sentence is left", () => {
  const short = (message: string) => inShort(message, "Loop");
  expect(short("“Loop” has no Exit, so its body has no end. Add one.")).toBe("Has no Exit");
  expect(short("“Loop” → “Ask” → “Loop” form a cycle.")).toBe("This node → “Ask” → “Loop” form a cycle");
  expect(short("“Loop” and “List” are both called x.")).toBe("This node and “List” are both called x");
  expect(short("The wire from “Loop” to “Ask” leaves the body.")).toBe(
    "The wire from this node to “Ask” leaves the body",
  );
});
