// The flow as a picture, at a zoom that is not the picture's: wires must end at their sockets, and a PNG must
// have content.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, click, commandList, deselect, selectNode, socket } from "../support/editor";
import { greeting, openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  await openFile(window, writeFlow(window, "greeting.flow.json", greeting()));
  for (let i = 0; i < 2; i++) await click(window.browser, '[aria-label="Zoom out"]');
  await atRest(window.browser);
});
afterAll(() => window?.close());

/** Exports a picture through the command palette. Returns the path of the file. */
async function exported(form: "png" | "svg", name = "greeting", selected = false): Promise<string> {
  const { browser } = window;
  const file = path.join(window.folder, `${name}.${form}`);
  window.answerDialog(file);
  if (selected) await selectNode(browser, "who");
  else await deselect(browser);
  await browser.keys(["Control", "k"]);
  await browser.$(`${commandList} input`).waitForDisplayed();
  for (const key of `>${form}`) await browser.keys(key);
  await browser.keys("Enter");
  await browser.waitUntil(() => Promise.resolve(existsSync(file)), {
    timeout: 20_000,
    timeoutMsg: `no ${form} is written`,
  });
  return file;
}

/** Returns the position of a socket's middle, in pixels of the flow, and the zoom of the view. */
function centre(node: string, handle: string): Promise<{ x: number; y: number; zoom: number }> {
  return window.browser.execute(
    (selector) => {
      const viewport = document.querySelector(".react-flow__viewport") as HTMLElement;
      const origin = viewport.getBoundingClientRect();
      const zoom = new DOMMatrix(getComputedStyle(viewport).transform).a;
      const box = (document.querySelector(selector) as HTMLElement).getBoundingClientRect();
      const x = (box.left + box.width / 2 - origin.left) / zoom;
      return { x, y: (box.top + box.height / 2 - origin.top) / zoom, zoom };
    },
    socket(node, handle, "source"),
  );
}

test("what is selected is not marked in the picture", async () => {
  const [plain, selected] = [await exported("svg", "plain"), await exported("svg", "selected", true)];
  expect(await window.browser.$("article[data-selected]").isExisting()).toBe(true);
  expect(readFileSync(selected, "utf8")).toBe(readFileSync(plain, "utf8"));
});

test("wires of an SVG begin at their sockets", async () => {
  const svg = readFileSync(await exported("svg"), "utf8");
  const begins = [
    ...svg.matchAll(/<path d="M\s*([-\d.]+)[ ,]([-\d.]+)\s*C[^"]*" transform="matrix\(([^)]*)\)"/g),
  ].map(([, x, y, matrix = ""]) => {
    const [a = 0, , , d = 0, e = 0, f = 0] = matrix.split(" ").map(Number);
    return { x: a * Number(x) + e, y: d * Number(y) + f };
  });
  for (const [node, handle] of [
    ["who", "value"],
    ["greet", "output"],
  ] as const) {
    const at = await centre(node, handle);
    expect(at.zoom).toBeLessThan(0.95);
    // A wire begins at the edge of its socket, which is some pixels wide.
    expect(begins.some(({ x, y }) => Math.hypot(x - at.x, y - at.y) < 14)).toBe(true);
  }
  expect(svg).toContain("@font-face");
});

test("a PNG has twice the resolution of the flow, and is not only background", async () => {
  const { width, height, data } = PNG.sync.read(readFileSync(await exported("png")));
  expect(width).toBeGreaterThan(1000);
  expect(height).toBeGreaterThan(200);
  const colours = new Set<number>();
  for (let i = 0; i < data.length; i += 4) colours.add(data.readUInt32BE(i));
  expect(colours.size).toBeGreaterThan(20);
});

test("words of an SVG stand on the lines that they have on the card", async () => {
  const flow = {
    name: "Words",
    nodes: row(
      ["topic", "input", { name: "topic" }],
      [
        "draft",
        "llm",
        {
          label: "A title that is too long for its card, which shows no more than two lines of it",
          prompt: "{{ topic }} tell\nat length",
        },
      ],
      ["out", "output", { name: "out" }],
    ),
    edges: wires("topic.value -> draft.prompt", "draft.response -> out.value"),
  };
  await openFile(window, writeFlow(window, "words.flow.json", flow));
  await window.browser.$('.react-flow__node[data-id="draft"]').waitForDisplayed({ timeout: 10_000 });
  await atRest(window.browser);
  const svg = readFileSync(await exported("svg", "words"), "utf8");
  const texts = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, text]) => ({
    x: Number(x),
    text,
  }));
  const [tell, at] = ["tell", "at length"].map(
    (text) => texts.find((one) => one.text === text)?.x ?? Number.NaN,
  );
  expect(at).toBeLessThan(tell as number);
  const title = texts.findIndex(({ text }) => text?.startsWith("A title"));
  expect(texts[title]?.text).not.toContain("…");
  expect(texts[title + 1]?.text).toMatch(/card.*…$/);
});
