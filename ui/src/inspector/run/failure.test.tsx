// The reason for a failed run is shown in full exactly once: in the panel, or in a message if neither the
// panel nor the node is in view.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { RunPreview } from "../../canvas/card/RunPreview";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { foldAll } from "../../runs/fold/reduce";
import {
  type Body,
  events,
  failed,
  recordedEvent,
  runFailed,
  runStarted,
  started,
} from "../../runs/fold/samples";
import { useRuns } from "../../runs/session/store";
import { idleNode } from "../../runs/view/node-run";
import { type CanvasView, mountCanvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { Toasts } from "../../shell/Toasts";
import { RunDialogs } from "./RunDialogs";
import { RunInspector } from "./RunInspector";

const page = pageForEach();
const { code: CODE, message: MESSAGE } = recordedEvent("workflow.node.failed");
const [FIRST = ""] = MESSAGE.split(/(?<=\.) /);
const document_: FlowDoc = {
  name: "Fails",
  nodes: ["draft", "other"].map((id) => ({ id, type: "llm", position: { x: 0, y: 0 }, data: {} })),
  edges: [],
};

beforeEach(() => {
  replaceBackend(testBackend());
  useDocument.getState().open({ document: document_, path: null, version: null });
  useRuns.setState({ live: null, past: null });
  useSession.getState().setLayout("run");
  useSession.setState({ view: "editor", toasts: [], sideOpen: true });
  useSession.getState().select([]);
});

/** Renders the page of a run that fails at `nodeId`, and returns how often each of these strings appears. */
async function fails(nodeId: string | null, seen: readonly string[]) {
  const unmount = mountCanvasView({ isInView: (id: string) => seen.includes(id) } as unknown as CanvasView);
  const log = events("r1", [
    runStarted(),
    started("draft"),
    failed("draft", CODE, { message: MESSAGE }),
    { ...runFailed("failed", CODE), message: MESSAGE, node_id: "draft" } as Body,
  ]);
  const { sideOpen } = useSession.getState();
  await act(async () =>
    page.root.render(
      <>
        {seen.includes("draft") && (
          <RunPreview id="draft" run={{ ...idleNode, state: "failed", message: MESSAGE }} selected={false} />
        )}
        {sideOpen && <RunInspector nodeId={nodeId} />}
        <RunDialogs />
        <Toasts />
      </>,
    ),
  );
  const state = foldAll("r1", log);
  await act(async () =>
    useRuns.setState({ live: { state, document: document_, flowPath: null, live: true }, past: null }),
  );
  unmount();
  const text = page.host.textContent ?? "";
  const count = (words: string) => text.split(words).length - 1;
  return { whole: count(MESSAGE), first: count(FIRST), toasts: useSession.getState().toasts.length };
}

test("in the panel in full and on the card in short, and in no message", async () => {
  expect(await fails(null, ["draft"])).toEqual({ whole: 1, first: 2, toasts: 0 });
});

test("on the card alone where the panel is away", async () => {
  useSession.setState({ sideOpen: false });
  expect(await fails(null, ["draft"])).toEqual({ whole: 0, first: 1, toasts: 0 });
});

test("in a message where the panel is about another node and the card is out of view", async () => {
  useSession.getState().select(["other"]);
  expect(await fails("other", [])).toEqual({ whole: 1, first: 1, toasts: 1 });
});
