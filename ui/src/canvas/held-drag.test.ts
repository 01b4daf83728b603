// Which moves of a drag xyflow is told of, and what follows the hand meanwhile.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useFar } from "./far";
import { beginHeldDrag, endHeldDrag, moveAlone, onDragged } from "./held-drag";

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

const never = () => {
  throw new Error("xyflow is told of a move that the hand left behind");
};

beforeEach(() => {
  vi.useFakeTimers();
  useFar.setState({ far: true });
  beginHeldDrag();
});
afterEach(() => {
  endHeldDrag();
  vi.useRealTimers();
  useFar.setState({ far: false });
});

test("seen from afar, the card follows at once and xyflow is told in steps", () => {
  const flow = flowOf("a", 'b"]');
  const heard: (readonly string[])[] = [];
  const stop = onDragged((ids) => heard.push(ids));
  expect(moveAlone(flow, [to("a", 20), to('b"]', 40)], never)).toBe(true);
  stop();
  expect(heard).toEqual([["a", 'b"]']]);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 20, y: 0 });
  const cards = [...document.querySelectorAll<HTMLElement>(".react-flow__node")];
  expect(cards.map((card) => card.style.transform)).toEqual(["translate(20px,0px)", "translate(40px,0px)"]);
  for (let ms = 50; ms < 1000; ms += 50) {
    vi.advanceTimersByTime(50);
    expect(moveAlone(flow, [to("a", 20 + ms)], never)).toBe(true);
  }
  vi.advanceTimersByTime(50);
  expect(moveAlone(flow, [to("a", 60)], never)).toBe(false);
  expect(moveAlone(flow, [to("a", 80)], never)).toBe(true);
});

test("xyflow is told once the hand rests, and of nothing once the drag has ended", () => {
  const flow = flowOf("a");
  const tell = vi.fn();
  expect(moveAlone(flow, [to("a", 20)], never)).toBe(true);
  vi.advanceTimersByTime(50);
  expect(moveAlone(flow, [to("a", 40)], tell)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(tell).toHaveBeenCalledTimes(1);
  expect(moveAlone(flow, [to("a", 60)], tell)).toBe(true);
  endHeldDrag();
  vi.advanceTimersByTime(5_000);
  expect(tell).toHaveBeenCalledTimes(1);
});

test("the last move, and every move of a flow seen near, is xyflow's", () => {
  const flow = flowOf("a");
  expect(moveAlone(flow, [to("a", 20, false)], never)).toBe(false);
  useFar.setState({ far: false });
  expect(moveAlone(flow, [to("a", 20)], never)).toBe(false);
  expect(flow.nodeLookup.get("a")?.internals.positionAbsolute).toEqual({ x: 0, y: 0 });
});
