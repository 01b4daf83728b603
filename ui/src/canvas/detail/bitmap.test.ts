// The parts of the overview that are repainted when the view moves, a node moves, or everything changes.
import { beforeEach, expect, test, vi } from "vitest";
import type { Colours } from "../colours";
import { DamageBitmap } from "./bitmap";
import { type OverviewScene, paintOverview } from "./paint";

vi.mock("./paint", () => ({ paintOverview: vi.fn() }));

const scene: OverviewScene = { boxes: new Map(), wires: [], hulls: [], activity: () => "" };
const drawImage = vi.fn();
const canvas = { width: 0, height: 0 };
const context = { canvas, drawImage, resetTransform: vi.fn() } as unknown as CanvasRenderingContext2D;
const view = (x: number, y: number, zoom = 0.25) => ({
  transform: [x, y, zoom] as [number, number, number],
  width: 800,
  height: 600,
});
const areas = () => vi.mocked(paintOverview).mock.calls.map((call) => call[4]);

let bitmap: DamageBitmap;
beforeEach(() => {
  Object.assign(canvas, { width: 0, height: 0 });
  bitmap = new DamageBitmap(context, {} as Colours);
  bitmap.show(scene, view(10.5, 20), null);
  vi.mocked(paintOverview).mockClear();
  drawImage.mockClear();
});

test("the first picture has the canvas' size", () => {
  expect(canvas).toEqual({ width: 800, height: 600 });
});

test("a pan moves what is painted and paints the strips that come in", () => {
  bitmap.show(scene, view(13.5, 15), []);
  expect(drawImage).toHaveBeenCalledWith(canvas, 3, -5);
  expect(areas()).toEqual([
    { left: 0, top: 0, right: 3, bottom: 600 },
    { left: 0, top: 595, right: 800, bottom: 600 },
  ]);
});

test("a moved node paints the place around it", () => {
  bitmap.show(scene, view(10.5, 20), [
    { left: 100, top: 100, right: 140, bottom: 120 },
    { left: 120, top: 100, right: 160, bottom: 120 },
  ]);
  expect(drawImage).not.toHaveBeenCalled();
  expect(areas()).toEqual([{ left: 33, top: 43, right: 53, bottom: 52 }]);
});

test("what changes out of view paints nothing", () => {
  bitmap.show(scene, view(10.5, 20), [{ left: 9000, top: 0, right: 9100, bottom: 50 }]);
  expect(areas()).toEqual([]);
});

test.each([
  ["another zoom", view(10.5, 20, 0.26), []],
  ["a step of half a pixel", view(11, 20), []],
  ["a step out of the view", view(900.5, 20), []],
  ["a change that may be anywhere", view(13.5, 15), null],
  ["another size", { ...view(10.5, 20), width: 700 }, []],
])("%s paints everything", (_, now, damage) => {
  bitmap.show(scene, now, damage);
  expect(areas()).toEqual([undefined]);
  expect(drawImage).not.toHaveBeenCalled();
});
