// When the CPU paints, advances the animations that show activity only in steps, and each part of the window
// in its own frame. Otherwise they would move in the same frames as other drawings, and everything in between
// would be painted too.
import { inOwnFrames } from "./frame-turn";

/** The time between two steps of each animation, in milliseconds, keyed by the name of its keyframes. */
const STANDS_MS: Readonly<Record<string, number>> = { flow: 150, spin: 150, pulse: 800, halo: 800 };

/** The parts of the window that are painted separately. */
const PARTS = "main, aside, section, footer";

/**
 * Animations that advance together, each with its start time in milliseconds on the clock of
 * `performance.now`.
 */
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
      // The element is gone or has another animation.
      if (animation.playState === "idle") this.members.delete(animation);
      else animation.currentTime = now - since;
    }
    if (this.members.size > 0) return;
    this.stop?.();
    this.stop = null;
  }
}

/** From now on, advances every animation in `STANDS_MS` that starts on the page in steps. */
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
