// Which moves of a drag xyflow is told of, and what follows the hand meanwhile.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useFar } from "./far";
import { beginHeldDrag, moveAlone, onDragged } from "./held-drag";

type State = Parameters<typeof moveAlone>[0];

vi.stubGlobal("CSS", { escape: (text: string) => text.replaceAll('"', '\\"') });

function flowOf(...ids: string[]): State {
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  for (const id of ids) {
    const card = document.createElement("div");
    card.className = "react-flow__node";
    card.dataset.id = id;
    canvas.append(card);
  }
  document.body.replaceChildren(canvas);
  const nodeLookup = new Map(ids.map((id) => [id, { internals: { positionAbsolute: { x: 0, y: 0 } } }]));
  return { nodeLookup } as unknown as State;
}
const to = (id: string, x: number, dragging = true) => ({
  id,
  type: "position" as const,
  position: { x, y: 0 },
  dragging,
});

beforeEach(() => {
  vi.useFakeTimers();
  useFar.setState({ far: true });
  beginHeldDrag();
});
afterEach(() => {
  vi.useRealTimers();
  useFar.setState({ far: false });
});

test("seen from afar, the card follows at once and xyflow is told in steps", () => {
  const flow = flowOf("a", 'b"]');
  const heard: (readonly string[])[] = [];
  const stop = onDragged((ids) => heard.push(ids));
  expect(moveAlone(flow, [to("a", 20), to('b"]', 40)])).toBe(true);
  stop();
  expect(heard).toEqual([["a", 'b"]']]);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 20, y: 0 });
  const cards = [...document.querySelectorAll<HTMLElement>(".react-flow__node")];
  expect(cards.map((card) => card.style.transform)).toEqual(["translate(20px,0px)", "translate(40px,0px)"]);
  vi.advanceTimersByTime(400);
  expect(moveAlone(flow, [to("a", 60)])).toBe(false);
  expect(moveAlone(flow, [to("a", 80)])).toBe(true);
});

test("the last move, and every move of a flow seen near, is xyflow's", () => {
  const flow = flowOf("a");
  expect(moveAlone(flow, [to("a", 20, false)])).toBe(false);
  useFar.setState({ far: false });
  expect(moveAlone(flow, [to("a", 20)])).toBe(false);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 0, y: 0 });
});
