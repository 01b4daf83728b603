// Unknown names are read from the text fields, never from the problem messages.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { replaceBackend } from "../ipc/client";
import type { Analysis, FlowDoc, Problem, Span } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { problemOf } from "../ipc/testing/values";
import { TransformBody } from "../node-ui/bodies";
import { UnknownNames } from "../node-ui/Preview";
import { analyzeNow, useAnalysis, useUnknownNames } from "./analysis";
import { useDocument } from "./document";
import { unknownNamesIn } from "./unknown-names";

const page = pageForEach();

const unknown = (node: string | null, place: string, span: Span | null): Problem =>
  problemOf("unknown_reference", { node, place, span });

const nodeWith = (id: string, data: FlowDoc["nodes"][number]["data"]) => ({
  id,
  type: "transform",
  position: { x: 0, y: 0 },
  data,
});

const document: FlowDoc = {
  nodes: [
    nodeWith("join", { template: "𝄞 {{ scroe }} and {{ darft.text }}" }),
    nodeWith("sort", { branches: [{ when: "true" }, { when: "scroe > 2" }] }),
  ],
  edges: [],
};

test("a name is cut out of the text in which it was found", () => {
  expect(
    unknownNamesIn(document, [
      unknown("join", "template", { from: 6, to: 11 }),
      unknown("join", "template", { from: 22, to: 32 }),
      unknown("sort", "branches[1].when", { from: 0, to: 5 }),
    ]),
  ).toEqual({ join: ["scroe", "darft.text"], sort: ["scroe"] });
});

test("what names no place in a text of this flow names nothing", () => {
  const span = { from: 0, to: 5 };
  expect(
    unknownNamesIn(document, [
      unknown("join", "template", null),
      unknown("join", "prompt", span),
      unknown("sort", "branches", span),
      unknown("sort", "branches[7].when", span),
      unknown("sort", "toString", span),
      unknown("around/join", "template", span),
      unknown(null, "template", span),
      { ...unknown("join", "template", span), code: "may_be_missing" },
    ]),
  ).toEqual({});
});

/** Sets up a backend whose analysis has these problems. `meanwhile` is called while the request is pending. */
function answers(problems: Problem[], meanwhile: () => void = () => undefined): void {
  replaceBackend({
    ...testBackend(),
    analyze: async (asked): Promise<Analysis> => {
      meanwhile();
      return { ...testAnalysis(asked), problems };
    },
  });
}

beforeEach(() => useDocument.getState().open({ document, path: null, version: null }));

function Card() {
  const template = "𝄞 {{ scroe }} and {{ darft.text }} by {{ ada }}";
  return (
    <UnknownNames value={useUnknownNames("join")}>
      <TransformBody id="join" data={{ template }} kind={{} as never} />
    </UnknownNames>
  );
}

const marked = () => [...page.host.querySelectorAll("[data-unknown]")].map((name) => name.textContent);

test("a card marks them as they were when the problems were found", async () => {
  const problems = [
    unknown("join", "template", { from: 6, to: 11 }),
    unknown("join", "template", { from: 22, to: 32 }),
  ];
  // The text changes while the request is pending. The spans still refer to the requested text.
  answers(problems, () =>
    useDocument
      .getState()
      .edit((old) => ({ ...old, nodes: [nodeWith("join", { template: "Well, {{ scroe }}" })] }), {
        label: "Type",
      }),
  );
  await act(async () => page.root.render(<Card />));
  expect(marked()).toEqual([]);
  await act(async () => void (await analyzeNow()));
  expect(marked()).toEqual(["scroe", "darft.text"]);
});

test("the same names are the same list, so that no card is drawn again", async () => {
  answers([unknown("join", "template", { from: 6, to: 11 })]);
  await analyzeNow();
  const before = useAnalysis.getState().unknownNames;
  expect(before).toEqual({ join: ["scroe"] });
  await analyzeNow();
  expect(useAnalysis.getState().unknownNames).toBe(before);
  answers([]);
  await analyzeNow();
  expect(useAnalysis.getState().unknownNames).toEqual({});
});
