// Where the processor paints: what moves to say that something is under way is moved by hand, seldom, and what stands in one part of
// the window in a frame of its own. Left to itself it moves in the frames in which something else is drawn as well, and both
// are painted with all that lies between.
import { inOwnFrames } from "./frame-turn";

/** How long each animation stands before it moves on, in milliseconds, by the name of its keyframes. */
const STANDS_MS: Readonly<Record<string, number>> = { flow: 150, spin: 150, pulse: 800, halo: 800 };

/** The parts of the window, each drawn by itself. */
const PARTS = "main, aside, section, footer";

/** What moves at the same time, and since when in milliseconds of `performance.now`. */
class Group {
  private readonly members = new Map<Animation, number>();
  private stop: (() => void) | null = null;

  constructor(private readonly ms: number) {}

  add(animation: Animation): void {
    animation.pause();
    this.members.set(animation, performance.now());
    this.stop ??= inOwnFrames(this.ms, () => this.move());
  }

  private move(): void {
    const now = performance.now();
    for (const [animation, since] of this.members) {
      // Its element is gone, or has another animation now.
      if (animation.playState === "idle") this.members.delete(animation);
      else animation.currentTime = now - since;
    }
    if (this.members.size > 0) return;
    this.stop?.();
    this.stop = null;
  }
}

/** From now on, for every animation of the page that begins and is known here. */
export function moveInSteps(page: Document): void {
  const groups = new WeakMap<Element, Map<number, Group>>();
  page.addEventListener("animationstart", ({ target, animationName }) => {
    const ms = STANDS_MS[animationName];
    if (ms === undefined || !(target instanceof Element)) return;
    const begun = target
      .getAnimations()
      .find((one) => one instanceof CSSAnimation && one.animationName === animationName);
    if (!begun) return;
    const part = target.closest(PARTS) ?? page.documentElement;
    const ofPart = groups.get(part) ?? new Map<number, Group>();
    const group = ofPart.get(ms) ?? new Group(ms);
    groups.set(part, ofPart.set(ms, group));
    group.add(begun);
  });
}
