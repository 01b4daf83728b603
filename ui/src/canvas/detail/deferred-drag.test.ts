// Which moves of a drag xyflow receives, and what follows the pointer in between.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginDeferredDrag, deferDrag, endDeferredDrag, onDragged } from "./deferred-drag";
import { useOverview } from "./overview";

type State = Parameters<typeof deferDrag>[0];

vi.stubGlobal("CSS", { escape: (text: string) => text.replaceAll('"', '\\"') });

function flowOf(...ids: string[]): State {
  const canvas = document.createElement("div");
  canvas.dataset.region = "canvas";
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

const never = () => {
  throw new Error("xyflow gets a move that the hand left behind");
};

beforeEach(() => {
  vi.useFakeTimers();
  useOverview.setState({ isShown: true });
  beginDeferredDrag();
});
afterEach(() => {
  endDeferredDrag();
  vi.useRealTimers();
  useOverview.setState({ isShown: false });
});

test("on the overview the card follows at once and xyflow gets steps", () => {
  const flow = flowOf("a", 'b"]');
  const heard: (readonly string[])[] = [];
  const stop = onDragged((ids) => heard.push(ids));
  expect(deferDrag(flow, [to("a", 20), to('b"]', 40)], never)).toBe(true);
  stop();
  expect(heard).toEqual([["a", 'b"]']]);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 20, y: 0 });
  const cards = [...document.querySelectorAll<HTMLElement>(".react-flow__node")];
  expect(cards.map((card) => card.style.transform)).toEqual(["translate(20px,0px)", "translate(40px,0px)"]);
  for (let ms = 50; ms < 1000; ms += 50) {
    vi.advanceTimersByTime(50);
    expect(deferDrag(flow, [to("a", 20 + ms)], never)).toBe(true);
  }
  vi.advanceTimersByTime(50);
  expect(deferDrag(flow, [to("a", 60)], never)).toBe(false);
  expect(deferDrag(flow, [to("a", 80)], never)).toBe(true);
});

test("xyflow gets the move once the hand rests, and nothing after the drag", () => {
  const flow = flowOf("a");
  const apply = vi.fn();
  expect(deferDrag(flow, [to("a", 20)], never)).toBe(true);
  vi.advanceTimersByTime(50);
  expect(deferDrag(flow, [to("a", 40)], apply)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(apply).toHaveBeenCalledTimes(1);
  expect(deferDrag(flow, [to("a", 60)], apply)).toBe(true);
  endDeferredDrag();
  vi.advanceTimersByTime(5_000);
  expect(apply).toHaveBeenCalledTimes(1);
});

test("the last move, and every move near by, is xyflow's", () => {
  const flow = flowOf("a");
  expect(deferDrag(flow, [to("a", 20, false)], never)).toBe(false);
  useOverview.setState({ isShown: false });
  expect(deferDrag(flow, [to("a", 20)], never)).toBe(false);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 0, y: 0 });
});
