// Watches the canvas in every frame of a run: the positions of the cards, the sizes of their words, and
// whether the running nodes are in view.
import type { Browser } from "./types";

/** The observations of a run. */
export interface Watched {
  frames: number;
  /** The nodes that were seen running. */
  ran: string[];
  /** Pairs of overlapping cards, or of a card and a label, each with the pixels of the overlap. */
  overlaps: string[];
  /** Texts that were smaller than allowed, each with its size in screen pixels. */
  small: string[];
  /**
   * The longest time during which no running node was in view, in milliseconds, and the node that was running
   * then.
   */
  unseen: { ms: number; node: string };
}

interface Watching extends Watched {
  stop: boolean;
}

/**
 * Starts to watch the page in every frame of a run; call it before the run begins. Text smaller than `least`
 * pixels is reported. A loop and its exit run as long as any node between them runs, so these two do not
 * count as running.
 */
export async function watchRun(browser: Browser, least = 10): Promise<void> {
  await browser.execute((leastPixels: number) => {
    /** The overlap in pixels that is tolerated: edges of cards may meet, and sizes are rounded. */
    const SLACK = 1;
    /**
     * The time for which a view must be unmoved before it is read, in addition to a number of frames: a
     * single long frame is not enough.
     */
    const UNCHANGED_MS = 300;
    const UNCHANGED_FRAMES = 6;
    const seen: Watching = {
      frames: 0,
      ran: [],
      overlaps: [],
      small: [],
      unseen: { ms: 0, node: "" },
      stop: false,
    };
    (globalThis as unknown as { watching: Watching }).watching = seen;
    const note = (list: string[], key: string, value: string) => {
      if (!list.some((one) => one.startsWith(`${key}: `))) list.push(`${key}: ${value}`);
    };
    type Placed = { id: string; box: DOMRect };
    const compare = (a: Placed, b: Placed) => {
      const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (x > SLACK && y > SLACK)
        note(seen.overlaps, `${a.id} and ${b.id}`, `${x.toFixed(0)}x${y.toFixed(0)}`);
    };
    const lookAtBoxes = (cards: Placed[], labels: Placed[]) => {
      for (const [i, a] of cards.entries()) {
        for (const b of cards.slice(i + 1)) compare(a, b);
        for (const label of labels) compare(label, a);
      }
    };
    let camera = "";
    let unchangedSince = 0;
    let unchangedFrames = 0;
    const lookAtWords = (now: number, canvas: Element) => {
      const viewport = canvas.querySelector(".react-flow__viewport");
      const transform = viewport ? getComputedStyle(viewport).transform : "";
      if (transform !== camera) {
        unchangedSince = now;
        unchangedFrames = 0;
      }
      unchangedFrames += 1;
      camera = transform;
      // Nobody reads while the view moves, or just before it begins to move.
      if (now - unchangedSince < UNCHANGED_MS || unchangedFrames < UNCHANGED_FRAMES) return;
      const zoom = new DOMMatrix(transform).a;
      const words = document.createTreeWalker(canvas, NodeFilter.SHOW_TEXT);
      while (words.nextNode()) {
        const text = words.currentNode.textContent?.trim() ?? "";
        const around = words.currentNode.parentElement;
        // Text that only a screen reader reads has a size of at most one pixel.
        if (text === "" || !around || around.getBoundingClientRect().width < 2) continue;
        const style = getComputedStyle(around);
        if (style.visibility !== "visible") continue;
        const pixels = Number.parseFloat(style.fontSize) * (viewport?.contains(around) ? zoom : 1);
        if (pixels < leastPixels - 0.01) {
          const name = around.getAttribute("class") || around.tagName.toLowerCase();
          note(seen.small, `${name} in ${around.parentElement?.className}`, `${pixels.toFixed(2)} “${text}”`);
        }
      }
    };
    let since = 0;
    let before = "";
    const lookAtWork = (
      now: number,
      canvas: Element,
      cards: { id: string; card: Element; box: DOMRect }[],
    ) => {
      const pane = canvas.getBoundingClientRect();
      const map = canvas.querySelector('[aria-label="Minimap"]')?.getBoundingClientRect();
      const isSeen = (box: DOMRect) =>
        box.left >= pane.left - SLACK &&
        box.right <= pane.right + SLACK &&
        box.top >= pane.top - SLACK &&
        box.bottom <= pane.bottom + SLACK &&
        !(map && box.right > map.left + SLACK && box.bottom > map.top + SLACK);
      const work = cards.filter(({ card }) =>
        card.matches(
          ':is([data-state="running"], [data-state="waiting"])' +
            ':not([data-kind="loop"], [data-kind="exit"], [data-kind="scope_start"])',
        ),
      );
      for (const { id } of work) if (!seen.ran.includes(id)) seen.ran.push(id);
      const key = work.map(({ id }) => id).join(" ");
      if (key !== before || work.length === 0 || work.some(({ box }) => isSeen(box))) since = now;
      before = key;
      if (now - since > seen.unseen.ms) seen.unseen = { ms: Math.round(now - since), node: key };
    };
    requestAnimationFrame(function look(now) {
      if (seen.stop) return;
      const canvas = document.querySelector('[data-testid="canvas"]');
      // While the flow is edited, text may be as small as the zoom makes it.
      const isRun = canvas?.hasAttribute("data-beside-run") === true;
      if (!isRun) {
        camera = "";
        since = now;
      }
      if (canvas && isRun) {
        seen.frames += 1;
        const cards = [...canvas.querySelectorAll(".react-flow__node > article")].map((card) => ({
          id: card.parentElement?.getAttribute("data-id") ?? "",
          card,
          box: card.getBoundingClientRect(),
        }));
        const labels = [
          ...canvas.querySelectorAll<HTMLElement>('[data-testid="wire-label"], [data-testid="hull-tag"]'),
        ]
          .map((label) => ({
            id: `${label.dataset.testid} “${label.textContent?.trim() ?? ""}”`,
            box: label.getBoundingClientRect(),
          }))
          // Hidden elements have no size.
          .filter(({ box }) => box.width > 0 && box.height > 0);
        lookAtBoxes(cards, labels);
        lookAtWords(now, canvas);
        lookAtWork(now, canvas, cards);
      }
      requestAnimationFrame(look);
    });
  }, least);
}

/** Stops watching. Returns the observations. */
export async function watched(browser: Browser): Promise<Watched> {
  return browser.execute(() => {
    const { watching } = globalThis as unknown as { watching: Watching };
    watching.stop = true;
    const { stop: _, ...seen } = watching;
    return seen;
  });
}
